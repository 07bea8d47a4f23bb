"use strict";
// Draws the figures of a page in its colours, light or dark, and again when the reader switches.
(function () {
  const root = document.documentElement;

  function darkened(part) {
    if (typeof part === "string") return window.hecnDarkColours[part] ?? part;
    if (Array.isArray(part)) return part.map(darkened);
    if (part === null || typeof part !== "object") return part;
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, darkened(value)]));
  }

  function draw() {
    for (const box of document.querySelectorAll(".plotly-figure")) {
      const stored = JSON.parse(box.dataset.spec);
      const spec = root.dataset.theme === "dark" ? darkened(stored) : stored;
      Plotly.newPlot(box, spec.data, { ...spec.layout, autosize: true }, { responsive: true, displaylogo: false });
    }
  }

  draw();
  new MutationObserver(draw).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
})();
