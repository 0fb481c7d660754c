(() => {
  // Texts and pictures that leave a box that can be seen (a border, a ground, the window), and texts that a box cuts.
  const found = [];
  const seen = new Set();
  const name = (each) => `${each.tagName.toLowerCase()}${each.id ? "#" + each.id : ""}${[...each.classList].map((one) => "." + one).join("")}`;
  const tell = (what, inner, outer, by) => {
    const line = `${what}: ${name(inner)} in ${name(outer)} by ${Math.round(by)} px: ${(inner.textContent || "").trim().slice(0, 50)}`;
    if (!seen.has(line)) { seen.add(line); found.push(line); }
  };
  const style = new Map();
  const of = (each) => { if (!style.has(each)) style.set(each, getComputedStyle(each)); return style.get(each); };
  const scrolls = (each) => /auto|scroll/.test(of(each).overflowX);
  const isBox = (each) => {
    const own = of(each);
    const bordered = ["Left", "Right"].some((side) => parseFloat(own[`border${side}Width`]) > 0 && own[`border${side}Style`] !== "none");
    return bordered || !/rgba\(0, 0, 0, 0\)|transparent/.test(own.backgroundColor);
  };
  const isHidden = (each) => !each.checkVisibility() || each.closest(".vh, .skip, [hidden]") || of(each).visibility === "hidden" || of(each).position === "fixed";
  const check = (rect, inner) => {
    if (rect.width < 1 || rect.height < 1) return;
    for (let outer = inner; outer; outer = outer.parentElement) {
      if (scrolls(outer) && outer !== document.documentElement) return;
      if (outer === inner && inner.tagName === "IMG") continue;
      const own = of(outer), frame = outer.getBoundingClientRect();
      if (outer === document.documentElement) {
        const beyond = Math.max(rect.right - document.documentElement.clientWidth, -rect.left);
        if (beyond > 1.5) tell("leaves the window", inner, outer, beyond);
        return;
      }
      if (own.display === "contents" || own.display === "inline" || !frame.width || outer.closest("svg")) continue;
      if (outer !== document.body && isBox(outer)) {
        const beyond = Math.max(rect.right - frame.right, frame.left - rect.left, rect.bottom - frame.bottom - 2, frame.top - rect.top - 2);
        if (beyond > 1.5) { tell("leaves its box", inner, outer, beyond); return; }
      }
      if (own.position === "absolute" && !outer.matches(".line-label")) return;
    }
  };
  for (const each of document.querySelectorAll("body *")) {
    if (/^(SCRIPT|STYLE|NOSCRIPT|OPTION|TITLE)$/i.test(each.tagName) || isHidden(each) || !each.getClientRects().length) continue;
    const own = of(each);
    if (!each.closest("svg") && !/^(SELECT|INPUT)$/.test(each.tagName) && own.display !== "inline") {
      const clipsX = /hidden|clip/.test(own.overflowX), clipsY = /hidden|clip/.test(own.overflowY);
      if (clipsX && each.scrollWidth > each.clientWidth + 1) tell("is cut at the side", each, each, each.scrollWidth - each.clientWidth);
      if (clipsY && each.scrollHeight > each.clientHeight + 1) tell("is cut below", each, each, each.scrollHeight - each.clientHeight);
      const inner = /auto|scroll/.test(own.overflowY) && !each.matches(".pages, .scroll, .shelf, html, body, textarea");
      if (inner && each.scrollHeight > each.clientHeight + 1) tell("is cut below", each, each, each.scrollHeight - each.clientHeight);
    }
    if (/^(IMG|BUTTON|INPUT|SELECT)$/.test(each.tagName)) check(each.getBoundingClientRect(), each);
    if (each.closest("svg")) { if (each.tagName === "text") check(each.getBoundingClientRect(), each.closest("svg").parentElement); continue; }
    for (const child of each.childNodes) {
      if (child.nodeType !== Node.TEXT_NODE || !child.data.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(child);
      for (const rect of range.getClientRects()) check(rect, each);
    }
  }
  return found;
})()
