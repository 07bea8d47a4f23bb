"use strict";
// Light or dark: as the system is, until the reader presses the button. That choice holds for all briefs.
(function () {
  const KEY = "hecn-analysis theme";
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  function choice(...given) {
    try {
      if (given.length) localStorage.setItem(KEY, given[0]);
      return localStorage.getItem(KEY);
    } catch {
      return null; // a page that may keep nothing follows the system
    }
  }

  function show(theme) {
    const changed = root.dataset.theme !== theme;
    root.dataset.theme = theme;
    for (const button of document.querySelectorAll("button.theme")) {
      button.hidden = false;
      button.textContent = theme === "dark" ? "Light" : "Dark";
      button.setAttribute("aria-label", (theme === "dark" ? "Light" : "Dark") + " page");
    }
    if (changed) window.dispatchEvent(new Event("themechange"));
  }

  const now = () => choice() ?? (system.matches ? "dark" : "light");
  show(now());
  system.addEventListener("change", () => show(now()));
  document.addEventListener("DOMContentLoaded", () => {
    show(now());
    for (const button of document.querySelectorAll("button.theme")) {
      button.addEventListener("click", () => {
        const other = root.dataset.theme === "dark" ? "light" : "dark";
        choice(other);
        show(other);
      });
    }
  });
})();
