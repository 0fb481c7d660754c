"use strict";
// The list of questions: filters that combine, a count beside each choice, a page of rows at a time, all in the address.
(function () {
  const runs = window.coseeRuns || [];
  const form = document.getElementById("filters");
  if (!form || !runs.length) return;
  const PAGE = 50;
  const OUTCOMES = { right: "R", partly: "P", wrong: "W", abstained: "A", failed: "FM", unscored: "U" };
  const KINDS = { R: "right", P: "partly", W: "wrong", A: "abstained", F: "failed", M: "missing", U: "unscored" };
  const FLAGS = { unverified: "vb", evidence: "eb" };
  const WORDS = { failed: "failed or missing", partly: "partly right", unverified: "unverified quote", evidence: "right, wrong evidence" };
  const CAUSES = Object.fromEntries(runs[0].causes);
  const SELECTS = ["run", "method", "document", "source", "format", "cause"], SETS = ["outcome", "flag"];
  const methods = [...new Set(runs.flatMap((run) => run.methods.map((method) => method[0])))];
  const rows = runs.flatMap((run) =>
    run.rows.map(([href, question, gold, doc, source, format, outcomes, flags, causes]) => ({
      run, href, question, gold, outcomes, flags, causes,
      document: run.documents[doc][1], documentHref: run.documents[doc][2], source: run.sources[source], format: run.formats[format],
      text: `${question} ${gold} ${run.documents[doc][1]}`.toLowerCase(),
    })),
  );
  const state = { text: "", page: 1, outcome: new Set(), flag: new Set() };
  for (const name of SELECTS) state[name] = "";

  // The places of the row's methods that the choice of a method leaves.
  const places = (row, now) => row.run.methods.flatMap((method, place) => (!now.method || method[0] === now.method ? [place] : []));
  const any = (set, table, letter) => !set.size || [...set].some((name) => table[name].includes(letter));
  const fits = (row, now) => {
    if (now.run && row.run.run !== now.run) return false;
    for (const name of ["document", "source", "format"]) if (now[name] && row[name] !== now[name]) return false;
    if (!now.words.every((word) => row.text.includes(word))) return false;
    return places(row, now).some(
      (place) => any(now.outcome, OUTCOMES, row.outcomes[place]) && any(now.flag, FLAGS, row.flags[place]) && (!now.cause || row.causes[place] === now.cause),
    );
  };
  const found = (changes = {}) => {
    const now = { ...state, ...changes };
    now.words = now.text.toLowerCase().split(/\s+/).filter(Boolean);
    return rows.filter((row) => fits(row, now));
  };

  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const values = { run: runs.map((run) => run.run), method: methods, cause: Object.keys(CAUSES).filter((letter) => rows.some((row) => row.causes.includes(letter))) };
  for (const name of ["document", "source", "format"]) values[name] = [...new Set(rows.map((row) => row[name]))].sort();
  for (const name of SELECTS) {
    const select = form.elements[name];
    select.append(element("option", { value: "", textContent: "all" }));
    for (const value of values[name]) select.append(element("option", { value }));
    select.addEventListener("change", () => set({ [name]: select.value }));
  }
  const chips = {};
  for (const [name, table, holder] of [["outcome", OUTCOMES, "outcomes"], ["flag", FLAGS, "flags"]]) {
    for (const value of Object.keys(table)) {
      const box = element("input", { type: "checkbox", value }), count = element("b");
      chips[`${name} ${value}`] = { box, count };
      box.addEventListener("change", () => {
        const chosen = new Set(state[name]);
        if (box.checked) chosen.add(value); else chosen.delete(value);
        set({ [name]: chosen });
      });
      document.getElementById(holder).append(element("label", {}, box, WORDS[value] || value, " ", count));
    }
  }

  const count = () => {
    for (const name of SELECTS) {
      const tally = new Map(), open = found({ [name]: "" });
      const now = { ...state, [name]: "" };
      for (const row of open) {
        let keys = [row.run.run];
        if (name === "document" || name === "source" || name === "format") keys = [row[name]];
        if (name === "method") keys = row.run.methods.map((method) => method[0]).filter((method) => fits(row, { ...now, method, words: [] }));
        if (name === "cause") keys = values.cause.filter((cause) => fits(row, { ...now, cause, words: [] }));
        for (const key of keys) tally.set(key, (tally.get(key) || 0) + 1);
      }
      for (const option of form.elements[name].options) {
        const words = option.value === "" ? (name === "method" ? "any" : "all") : name === "cause" ? CAUSES[option.value] : option.value;
        option.textContent = option.value === "" ? words : `${words} (${tally.get(option.value) || 0})`;
        option.dataset.count = String(tally.get(option.value) || 0);
      }
      form.elements[name].value = state[name];
    }
    for (const name of SETS) {
      const table = name === "outcome" ? OUTCOMES : FLAGS;
      for (const value of Object.keys(table)) {
        const chip = chips[`${name} ${value}`], number = found({ [name]: new Set([value]) }).length;
        chip.count.textContent = String(number);
        chip.box.checked = state[name].has(value);
      }
    }
    form.elements.text.value = state.text;
  };

  const head = document.getElementById("head"), body = document.getElementById("rows");
  const line = (row) => {
    const chosen = row.run.methods.find((method) => method[0] === state.method);
    const link = element("a", { href: chosen ? `${row.href}#${chosen[1]}` : row.href, textContent: row.question });
    const under = element("span", { className: "under" });
    if (row.documentHref) under.append(element("a", { href: row.documentHref, textContent: row.document })); else under.append(row.document);
    under.append(` · ${row.source} · ${row.format}`);
    if (runs.length > 1) under.append(` · run ${row.run.run}`);
    const made = element("tr", {}, element("th", { scope: "row" }, link, under), element("td", { className: "gold", textContent: row.gold }));
    for (const method of methods) {
      const place = row.run.methods.findIndex((each) => each[0] === method);
      const kind = place < 0 ? "" : KINDS[row.outcomes[place]], flag = place < 0 ? "-" : row.flags[place];
      const notes = Object.keys(FLAGS).filter((name) => FLAGS[name].includes(flag)).map((name) => WORDS[name]);
      const spoken = [kind || "not asked", ...notes].join(", ");
      const cell = element("td", { className: `o ${kind}${method === state.method ? " chosen" : ""}${notes.length ? " flag" : ""}`, title: `${method}: ${spoken}` });
      cell.append(element("span", { className: "vh", textContent: `${method}: ${spoken}` }));
      made.append(cell);
    }
    return made;
  };
  const show = () => {
    const shown = found(), pages = Math.max(1, Math.ceil(shown.length / PAGE));
    state.page = Math.min(Math.max(state.page, 1), pages);
    const start = (state.page - 1) * PAGE;
    head.replaceChildren(
      element("tr", {}, element("th", { scope: "col", textContent: "Question" }), element("th", { scope: "col", textContent: "Gold answer" }),
        ...methods.map((method) => element("th", { scope: "col", className: method === state.method ? "vertical chosen" : "vertical" }, element("span", { textContent: method })))),
    );
    body.replaceChildren(...shown.slice(start, start + PAGE).map(line));
    document.getElementById("count").textContent = shown.length === rows.length ? `${rows.length} questions` : `${shown.length} of ${rows.length} questions`;
    document.getElementById("range").textContent = shown.length ? `${start + 1}–${Math.min(start + PAGE, shown.length)} of ${shown.length}` : "none";
    document.getElementById("before").disabled = state.page === 1;
    document.getElementById("after").disabled = state.page === pages;
    count();
  };

  // "#questions&method=navigator&outcome=wrong,partly": a plain anchor to all other readers of the address.
  const write = () => {
    const parts = ["questions"];
    for (const name of ["text", ...SELECTS]) if (state[name]) parts.push(`${name}=${encodeURIComponent(state[name])}`);
    for (const name of SETS) if (state[name].size) parts.push(`${name}=${[...state[name]].join(",")}`);
    if (state.page > 1) parts.push(`page=${state.page}`);
    if (parts.length > 1 || location.hash.startsWith("#questions")) history.replaceState(null, "", `#${parts.join("&")}`);
  };
  const read = () => {
    if (!location.hash.startsWith("#questions")) return false;
    const given = new Map(location.hash.slice(1).split("&").slice(1).map((part) => [part.split("=")[0], decodeURIComponent(part.split("=").slice(1).join("="))]));
    state.text = given.get("text") || "";
    state.page = Number(given.get("page")) || 1;
    for (const name of SELECTS) state[name] = values[name].includes(given.get(name)) ? given.get(name) : "";
    state.outcome = new Set((given.get("outcome") || "").split(",").filter((value) => value in OUTCOMES));
    state.flag = new Set((given.get("flag") || "").split(",").filter((value) => value in FLAGS));
    return true;
  };
  const set = (changes) => {
    Object.assign(state, { page: 1 }, changes);
    show();
    write();
  };

  form.elements.text.addEventListener("input", () => set({ text: form.elements.text.value }));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    set({ text: "", outcome: new Set(), flag: new Set(), ...Object.fromEntries(SELECTS.map((name) => [name, ""])) });
  });
  for (const [id, step] of [["before", -1], ["after", 1]])
    document.getElementById(id).addEventListener("click", () => {
      set({ page: state.page + step });
      document.getElementById("list").scrollIntoView();
    });
  const open = () => {
    const wanted = read();
    show();
    if (wanted) document.getElementById("questions").scrollIntoView();
  };
  document.getElementById("list").hidden = false;
  window.addEventListener("hashchange", open);
  open();
})();
