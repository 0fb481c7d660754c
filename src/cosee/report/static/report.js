"use strict";
// Filters of the question list, measured seconds, and arrow keys between questions. Everything works without them.
(function () {
  const measured = window.coseeCosts || {};
  for (const cell of document.querySelectorAll("[data-seconds]")) {
    const run = measured[cell.dataset.seconds];
    const seconds = run && run[cell.dataset.method];
    if (typeof seconds === "number") cell.textContent = seconds.toFixed(2);
  }

  const form = document.getElementById("filters");
  if (form) {
    const rows = Array.from(document.querySelectorAll("#rows > tr"));
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const count = document.getElementById("count");
    const value = (name) => (form.elements[name] ? form.elements[name].value : "");
    const apply = () => {
      const words = value("text").toLowerCase().split(/\s+/).filter(Boolean);
      const method = value("method"), outcome = value("outcome");
      let shown = 0;
      rows.forEach((row, index) => {
        const outcomes = JSON.parse(row.dataset.outcomes);
        const kinds = method ? [outcomes[method]] : Object.values(outcomes);
        const fits =
          (!value("run") || row.dataset.run === value("run")) &&
          (!value("source") || row.dataset.source === value("source")) &&
          (!value("format") || row.dataset.format === value("format")) &&
          (!method || method in outcomes) &&
          (!outcome || kinds.includes(outcome)) &&
          words.every((word) => texts[index].includes(word));
        row.hidden = !fits;
        if (fits) shown += 1;
      });
      count.textContent = shown === rows.length ? `${shown} questions` : `${shown} of ${rows.length} questions`;
    };
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    apply();
  }

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const rel = event.key === "ArrowLeft" ? "prev" : event.key === "ArrowRight" ? "next" : null;
    const link = rel && !event.target.closest(".scroll") && document.querySelector(`a[rel=${rel}]`);
    if (link) link.click();
  });
})();
