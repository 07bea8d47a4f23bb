"use strict";
// Shows the briefs that hold all words of the search, and how many they are. Without scripts there is no field, and all.
document.addEventListener("DOMContentLoaded", () => {
  const box = document.getElementById("search");
  if (!box) return; // there is nothing to choose from
  const briefs = [...document.querySelectorAll("article.brief")];
  const texts = briefs.map((brief) => brief.textContent.toLowerCase());
  const said = document.getElementById("found");

  function search() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    briefs.forEach((brief, number) => {
      brief.hidden = !words.every((word) => texts[number].includes(word));
      if (!brief.hidden) found += 1;
    });
    for (const group of document.querySelectorAll("section.subject")) {
      group.hidden = !group.querySelector("article.brief:not([hidden])");
    }
    said.textContent = words.length ? `${found} of ${briefs.length} briefs` : "";
  }

  box.closest("form").hidden = false;
  box.closest("form").addEventListener("submit", (event) => event.preventDefault());
  box.addEventListener("input", search);
  if (box.value) search(); // what the browser kept from an earlier visit
});
