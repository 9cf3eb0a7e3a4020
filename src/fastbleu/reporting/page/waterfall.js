// From the largest score down: what each precision and the length cost, for one or two systems.

function drawWaterfall() {
  const place = $("#waterfall");
  place.replaceChildren();
  for (const k of shownSystems()) {
    const steps = data.steps[k];
    if (!steps) continue;
    const name = data.names[k], rows = steps.length + 2, rowHeight = 22;
    const size = { width: 460, height: rows * rowHeight + 20, left: 78, right: 62 };
    const x = (value) => size.left + value / data.scale * (size.width - size.left - size.right);
    const label = `${name}: from ${data.scale} to ${score(data.scores[k])}`;
    const picture = svg("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": `${label}; ${steps.map(([step, value], i) => `${step} ${signed(value - (i ? steps[i - 1][1] : data.scale), data.digits)}`).join(", ")}` });
    const row = (number, title, from, to, kind, text) => {
      const top = number * rowHeight + 18, low = Math.min(from, to);
      picture.append(
        svg("text", { x: size.left - 6, y: top + 12, "text-anchor": "end" }, title),
        svg("rect", { class: kind, x: x(low), y: top, width: Math.max(Math.abs(x(to) - x(from)), 1), height: rowHeight - 6 }),
        svg("text", { x: size.width - 2, y: top + 12, "text-anchor": "end" }, text));
    };
    row(0, "largest", 0, data.scale, "rest", fixed(data.scale, data.digits));
    let before = data.scale;
    steps.forEach(([step, value], i) => {
      row(i + 1, step, before, value, kindOf(k), signed(value - before, data.digits));
      before = value;
    });
    row(rows - 1, "score", 0, data.scores[k], kindOf(k), score(data.scores[k]));
    picture.append(legendOf(size.width, [k]));
    place.append(figureOf(name, picture));
  }
}
