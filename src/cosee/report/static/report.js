"use strict";
// Measured seconds, keys, rounds, boxes. Every page can be read without them.
(function () {
  const measured = window.coseeCosts || {};
  for (const cell of document.querySelectorAll("[data-seconds]")) {
    const run = measured[cell.dataset.seconds];
    const seconds = run && run.methods[cell.dataset.method];
    if (typeof seconds === "number") cell.textContent = seconds.toFixed(2);
  }
  for (const table of document.querySelectorAll("[data-stages]")) {
    const run = measured[table.dataset.stages];
    if (!run || !run.stages.length) continue;
    for (const [name, ...figures] of run.stages) {
      const row = table.tBodies[0].insertRow(), head = document.createElement("th");
      head.scope = "row";
      head.textContent = name;
      row.append(head);
      figures.forEach((figure, place) => {
        const digits = place === 1 || place === 2 ? 2 : 0;
        const shown = { minimumFractionDigits: digits, maximumFractionDigits: digits };
        row.insertCell().textContent = typeof figure === "number" ? figure.toLocaleString("en", shown) : "–";
      });
    }
    table.closest("[hidden]").hidden = false;
  }

  // The link's target may be folded away.
  const unfold = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (const inner of target.querySelectorAll(":scope > details")) inner.open = true;
    for (let outer = target.closest("details"); outer; outer = outer.parentElement.closest("details")) outer.open = true;
    const story = target.closest("[data-rounds]");
    if (story && target.hidden) story.dispatchEvent(new CustomEvent("round", { detail: Number(target.dataset.round) }));
    target.scrollIntoView();
    // Beside a method's answer stand the pages that it cites.
    const shelf = document.querySelector("aside.pages"), number = target.matches(".method") && target.dataset.number;
    const cited = number && shelf.querySelector(`.box:not(.cell)[data-methods~="${number}"]`);
    if (cited) shelf.scrollTop += cited.closest("figure").getBoundingClientRect().top - shelf.getBoundingClientRect().top;
  };
  window.addEventListener("hashchange", unfold);
  unfold();

  const boxes = Array.from(document.querySelectorAll(".box"));
  const choice = document.querySelector("#boxes select");
  const rounds = new Map();
  const draw = () => {
    for (const box of boxes) {
      const methods = box.dataset.methods.split(" ");
      box.classList.toggle("faded", Boolean(choice && choice.value) && !methods.includes(choice.value));
      box.hidden = Boolean(box.dataset.round) && Number(box.dataset.round) > (rounds.get(methods[0]) || Infinity);
    }
  };
  if (choice) {
    document.getElementById("boxes").hidden = false;
    choice.addEventListener("change", draw);
  }

  for (const story of document.querySelectorAll("[data-rounds]")) {
    const last = Number(story.dataset.rounds), stepper = story.querySelector(".stepper");
    if (!stepper || last < 2) continue;
    const slider = stepper.querySelector("input"), output = stepper.querySelector("output");
    const show = (round) => {
      const now = Math.min(Math.max(round, 1), last);
      slider.value = String(now);
      output.textContent = `after round ${now} of ${last}`;
      for (const item of story.querySelectorAll("[data-round]")) {
        item.hidden = Number(item.dataset.round) > now;
        item.classList.toggle("new", Number(item.dataset.round) === now && now > 1);
      }
      for (const page of story.querySelectorAll(".board-page")) page.hidden = !page.querySelector("li:not([hidden])");
      stepper.querySelector(".back").disabled = now === 1;
      stepper.querySelector(".on").disabled = now === last;
      rounds.set(story.dataset.method, now);
      draw();
    };
    stepper.hidden = false;
    slider.addEventListener("input", () => show(Number(slider.value)));
    stepper.querySelector(".back").addEventListener("click", () => show(Number(slider.value) - 1));
    stepper.querySelector(".on").addEventListener("click", () => show(Number(slider.value) + 1));
    story.addEventListener("round", (event) => show(event.detail));
    show(last);
  }

  // A server makes the pictures that the report does not have; a file cannot be asked for one.
  const gallery = document.getElementById("gallery");
  if (gallery && location.protocol.startsWith("http")) {
    const last = gallery.lastElementChild;
    for (let number = 1; number <= Number(gallery.dataset.pages); number++) {
      let figure = document.getElementById(`page-${number}`);
      if (!figure) {
        figure = last.cloneNode(true);
        figure.id = `page-${number}`;
        figure.querySelector("svg").remove();
        figure.querySelector("img")?.remove();
        figure.querySelector("figcaption").textContent = String(number);
        gallery.append(figure);
      }
      const sheet = figure.querySelector(".sheet");
      if (sheet.querySelector("img")) continue;
      const picture = new Image();
      picture.loading = "lazy";
      picture.alt = `Page ${number}`;
      picture.addEventListener("error", () => picture.remove());
      picture.src = `${gallery.dataset.folder}${String(number).padStart(4, "0")}.webp`;
      sheet.prepend(picture);
    }
    document.getElementById("undrawn")?.remove();
  }

  const types = document.getElementById("types");
  for (const box of types ? types.querySelectorAll("input") : []) {
    box.disabled = false;
    box.addEventListener("change", () => {
      for (const rect of document.querySelectorAll(`#gallery .n-${box.value}`)) rect.style.display = box.checked ? "" : "none";
    });
  }

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "/" && document.querySelector("#filters [name=text]")) {
      event.preventDefault();
      document.querySelector("#filters [name=text]").focus();
      return;
    }
    const rel = event.key === "ArrowLeft" ? "prev" : event.key === "ArrowRight" ? "next" : null;
    const link = rel && !event.target.closest(".scroll") && document.querySelector(`a[rel=${rel}]`);
    if (link) link.click();
  });
})();
