"use strict";
// Asks the server that this page came from, and shows the frames of its reply as they come. Texts are only ever text.
(function () {
  const form = document.getElementById("ask"), stop = document.getElementById("stop"), send = form.querySelector("[type=submit]");
  const at = (id) => document.getElementById(id);
  const choice = form.elements.document, words = form.elements.question, about = at("about");
  let running = null, step = null;

  const make = (name, text, ...classes) => {
    const made = document.createElement(name);
    if (text !== undefined && text !== null) made.textContent = String(text);
    made.classList.add(...classes);
    return made;
  };
  const readable = (name) => String(name).replaceAll("_", " ");
  const short = (value, most) => {
    const text = typeof value === "string" ? value : Array.isArray(value) && value.every((each) => typeof each !== "object") ? value.join(", ") : JSON.stringify(value);
    return text.length > most ? `${text.slice(0, most).replace(/\s+\S*$/, "")} …` : text;
  };

  const fact = (list, name, value) => {
    const pair = make("div");
    pair.append(make("dt", name), make("dd", value));
    list.append(pair);
    return pair;
  };

  const table = (objects) => {
    const inner = new Set(["_REF_ID", "node_ids", "nodes", "hits", "found", "image_path"]);
    const names = Object.keys(objects[0]).filter((name) => !inner.has(name) && objects.some((each) => each[name] !== null && each[name] !== ""));
    const made = make("table", null, "records"), head = made.createTHead().insertRow(), body = made.createTBody();
    for (const name of names) {
      const cell = make("th", readable(name));
      cell.scope = "col";
      head.append(cell);
    }
    for (const each of objects.slice(0, 6)) {
      const row = body.insertRow();
      for (const name of names) row.insertCell().textContent = each[name] === undefined || each[name] === null ? "" : short(each[name], 200);
    }
    const scroll = make("div", null, "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "What was found");
    scroll.append(made);
    return scroll;
  };

  const line = (name, value, ...classes) => {
    const pair = fact(step.querySelector("dl"), name, value);
    pair.classList.add(...classes);
    return pair.lastChild;
  };

  const begin = (title) => {
    step = make("li");
    const acts = make("dl", null, "acts");
    step.append(make("h4", `${at("steps").children.length + 1}. ${readable(title)}`), acts);
    at("steps").append(step);
  };

  const show = {
    decision(frame) {
      begin(frame.tool);
      if (frame.reasoning) line("Why", short(frame.reasoning, 600));
      const inputs = Object.entries(frame.inputs || {}).map(([name, value]) => `${readable(name)}: ${short(value, 200)}`);
      if (inputs.length) line("Inputs", inputs.join("; "));
    },
    status(frame) {
      if (step && frame.message) line("Status", frame.message);
    },
    result(frame) {
      if (!step) return;
      const objects = frame.objects || [], fold = make("details");
      fold.append(make("summary", short(frame.message || `${objects.length} found`, 300)));
      if (objects.length) fold.append(table(objects));
      line(readable(frame.name || "result"), "").append(fold);
    },
    token(frame) {
      at("answer").textContent += frame.content || "";
    },
    error(frame) {
      if (!step) begin("error");
      line("Error", [frame.message, frame.suggestion].filter(Boolean).join(" "), "replan");
    },
    complete(frame) {
      at("answer").textContent = frame.message || "No answer.";
      at("facts").replaceChildren();
      fact(at("facts"), "Ended", readable(frame.exit_reason || frame.status || ""));
      if (typeof frame.confidence === "number") fact(at("facts"), "Confidence", frame.confidence.toFixed(2));
      evidence(frame.support || []);
    },
  };

  const evidence = (support) => {
    const pages = new Map();
    for (const each of support) {
      const item = make("li", "page "), link = make("a", each.page), found = each.quote_verified || !each.quote;
      link.href = `#page-${each.page}`;
      item.append(link);
      if (each.page_label && each.page_label !== String(each.page)) item.append(` (printed ${each.page_label})`);
      if (each.quote) item.append(make("blockquote", short(each.quote, 400), found ? "verified" : "unverified"));
      if (!found && !each.unverified) item.append(make("small", "not found on that page", "bad"));
      if (each.unverified) item.append(make("small", `unverified: ${each.unverified}`, "unverified-place"));
      at("support").append(item);
      if (!pages.has(each.page)) pages.set(each.page, []);
      pages.get(each.page).push(each);
    }
    at("evidence").hidden = !support.length;
    at("nopages").textContent = "The answer cites no page.";
    at("nopages").hidden = pages.size > 0;
    for (const [page, places] of [...pages].sort((one, other) => one[0] - other[0])) at("shelf").append(sheet(page, places));
  };

  const sheet = (page, places) => {
    const figure = make("figure"), caption = make("figcaption"), frame = make("div", null, "sheet"), picture = new Image();
    figure.id = `page-${page}`;
    figure.tabIndex = -1;
    caption.append(make("strong", `Page ${page}`));
    picture.alt = `Page ${page} of ${running.document}`;
    picture.addEventListener("error", () => frame.replaceWith(make("p", "This page could not be shown.", "none")));
    picture.src = `/page?${new URLSearchParams({ doc_id: running.document, page })}`;
    frame.append(picture);
    for (const each of places) {
      if (!each.bbox) continue;
      const box = make("span", null, "box"), [left, top, right, bottom] = each.bbox.map((edge) => 100 * Math.min(Math.max(edge, 0), 1));
      if (each.unverified) box.classList.add("unverified");
      box.title = short(each.quote || "", 160);
      Object.assign(box.style, { left: `${left}%`, top: `${top}%`, width: `${Math.max(right - left, 0.4)}%`, height: `${Math.max(bottom - top, 0.4)}%` });
      frame.append(box);
    }
    figure.append(caption, frame);
    return figure;
  };

  const frames = async function* (body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      const lines = (rest + (value || "")).split("\n");
      rest = done ? "" : lines.pop();
      for (const each of lines) if (each.trim()) yield JSON.parse(each);
      if (done) return;
    }
  };

  const ask = async (mine) => {
    const reply = await fetch("/agentic_search", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ doc_id: mine.document, question: mine.question }),
      signal: mine.stopper.signal,
    });
    if (!reply.ok) {
      const told = await reply.json().catch(() => ({}));
      throw new Error(typeof told.detail === "string" ? told.detail : `The server answered ${reply.status}.`);
    }
    let ended = false;
    for await (const frame of frames(reply.body)) {
      if (mine !== running) return;
      if (show[frame.type]) show[frame.type](frame);
      ended = ended || frame.type === "complete";
    }
    if (!ended) throw new Error("The reply ended before the answer did.");
  };

  const busy = (yes) => {
    send.disabled = yes;
    stop.disabled = !yes;
    at("result").setAttribute("aria-busy", String(yes));
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!words.value.trim() || send.disabled) return;
    const mine = { document: choice.value, question: words.value.trim(), stopper: new AbortController() };
    running = mine;
    step = null;
    for (const id of ["answer", "facts", "support", "shelf", "steps"]) at(id).replaceChildren();
    at("asked").textContent = mine.question;
    at("evidence").hidden = true;
    at("nopages").hidden = false;
    at("nopages").textContent = "Pages stand here once the answer cites them.";
    at("result").hidden = false;
    busy(true);
    try {
      await ask(mine);
    } catch (error) {
      if (mine === running) at("answer").textContent = error.name === "AbortError" ? "Stopped." : error.message;
    }
    if (mine === running) busy(false);
  });
  stop.addEventListener("click", () => running && running.stopper.abort());
  words.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });

  const told = () => {
    const href = choice.selectedOptions[0] && choice.selectedOptions[0].dataset.href;
    about.hidden = !href;
    if (href) about.href = href;
  };
  choice.addEventListener("change", told);
  told();
})();
