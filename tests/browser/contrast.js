() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (text) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const light = ([r, g, b]) => {
    const part = (value) => { const v = value / 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = (element) => {
    let layers = [];
    for (let each = element; each; each = each.parentElement) {
      const colour = rgba(getComputedStyle(each).backgroundColor);
      layers.unshift(colour);
      if (colour[3] === 1) break;
    }
    return layers.reduce((under, over) => under.map((value, place) => value * (1 - over[3]) + over[place] * over[3]), [255, 255, 255]);
  };
  const poor = [];
  for (const element of document.querySelectorAll("main *, header *")) {
    const words = Array.from(element.childNodes).filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join("");
    if (!words || !element.checkVisibility() || element.closest("svg, .vh, :disabled, noscript")) continue;
    const a = light(rgba(getComputedStyle(element).color)), b = light(behind(element));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${element.tagName}.${element.className} ${ratio.toFixed(2)} ${words.slice(0, 30)}`);
  }
  return poor;
}
