"use strict";
// Draws each figure from its JSON: on a screen as wide as the window allows and in the colours of the page, light or
// dark; on paper at a fixed size and light.
(function () {
  const PRINT_WIDTH = 680; // 180 mm at 96 px an inch
  const PRINT_HEIGHT_LIMIT = 760; // leaves room on the page for a heading, two lines of text, and the caption
  const CONFIG = {
    displaylogo: false,
    typesetMath: false, // a $ is a dollar
    modeBarButtonsToRemove: ["toImage", "select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
    modeBarButtonsToAdd: [saving("png", "camera"), saving("svg", "disk")],
  };
  const DARK = JSON.parse(document.getElementById("dark-colours").textContent);
  const touch = window.matchMedia("(pointer: coarse)").matches; // there a finger scrolls the page, not the plot

  function darkened(part) {
    if (typeof part === "string") return DARK[part] ?? part;
    if (Array.isArray(part)) return part.map(darkened);
    if (part === null || typeof part !== "object") return part;
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, darkened(value)]));
  }

  function saving(format, icon) {
    const click = (box) => {
      const { width, height } = box.getBoundingClientRect();
      const filename = `${location.pathname.split("/").pop().replace(/\.html$/, "")}-${box.parentElement.id}`;
      Plotly.downloadImage(box, { format, filename, width, height, scale: format === "png" ? 2 : 1 });
    };
    return { name: format, title: `Save as ${format.toUpperCase()}`, icon: Plotly.Icons[icon], click };
  }

  function draw(forPrint) {
    const dark = !forPrint && document.documentElement.dataset.theme === "dark";
    for (const box of document.querySelectorAll(".plot")) {
      const stored = JSON.parse(document.getElementById(box.dataset.figure).textContent);
      const spec = dark ? darkened(stored) : stored;
      const height = spec.layout.height || 380;
      const zoom = forPrint ? Math.min(1, PRINT_HEIGHT_LIMIT / height) : 1; // a taller plot is made smaller as a whole
      const size = forPrint ? { autosize: false, width: PRINT_WIDTH / zoom, height } : { autosize: true };
      if (touch) size.dragmode = false;
      box.style.zoom = zoom;
      box.style.width = forPrint ? size.width + "px" : "";
      box.style.height = height + "px";
      const config = { ...CONFIG, responsive: !forPrint, staticPlot: forPrint, displayModeBar: touch ? false : "hover" };
      Plotly.newPlot(box, spec.data, { ...spec.layout, ...size }, config);
    }
  }

  const printing = location.hash === "#print";
  draw(printing);
  if (!printing) {
    window.addEventListener("beforeprint", () => draw(true));
    window.addEventListener("afterprint", () => draw(false));
    window.addEventListener("themechange", () => draw(false));
  }
})();
