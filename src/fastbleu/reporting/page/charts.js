// Charts as SVG; the bars of histograms can be clicked or chosen with the keyboard.

import { data, kindOf, segmentsOf, shownSystems, state } from "./data.js";
import { element, svg } from "./elements.js";
import { selectSegments } from "./view.js";

const WIDTH = 460, HEIGHT = 220, LEFT = 38, RIGHT = 14, TOP = 20, BOTTOM = 34;

/**
 * A histogram of the segments by a value, in `bins` bins from `low` on; the outer bins also hold what is beyond them.
 * @param {{title: string, axis: string, low: number, width: number, bins: number, systems: number[],
 *   value: (s: number, k: number) => number, name: (bin: number, k: number) => string,
 *   kind: (bin: number, k: number) => string}} about
 */
export function histogram({ title, axis, low, width, bins, systems, value, name, kind }) {
  const binOf = (s, k) => Math.max(0, Math.min(bins - 1, Math.floor((value(s, k) - low) / width)));
  const counts = systems.map((k) => {
    const made = new Uint32Array(bins);
    for (let s = 0; s < data.segments; s++) made[binOf(s, k)]++;
    return made;
  });
  const high = low + bins * width, most = Math.max(1, ...counts.flatMap((made) => [...made]));
  const x = (at) => LEFT + (at - low) / (high - low) * (WIDTH - LEFT - RIGHT);
  const y = (count) => HEIGHT - BOTTOM - count / most * (HEIGHT - TOP - BOTTOM);
  const label = (text, across, down, anchor) => svg("text", { class: "quiet", x: across, y: down, "text-anchor": anchor }, String(text));
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": `Histogram: ${title}` },
    legendOf(WIDTH), label(axis, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, "middle"), label("segments", 2, 10, "start"),
    ...ticks(0, most, 4).flatMap((count) => [
      svg("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: y(count), y2: y(count) }), label(count, LEFT - 4, y(count) + 4, "end")]),
    ...ticks(low, high, 6).map((at) => label(at, x(at), HEIGHT - BOTTOM + 13, "middle")));
  const each = (x(low + width) - x(low) - 1) / systems.length, bars = [];
  for (let bin = 0; bin < bins; bin++) {
    systems.forEach((k, i) => {
      const count = counts[i][bin], text = name(bin, k);
      if (!count) return;
      const shape = { class: kind(bin, k), x: x(low + bin * width) + i * each, y: y(count), width: Math.max(each, 0.5), height: Math.max(y(0) - y(count), 1) };
      bars.push(markOf(shape, `${text}: ${segmentsOf(count)}`, bars, () => selectSegments(text, (s) => binOf(s, k) === bin)));
    });
  }
  picture.append(...bars);
  return figureOf(title, picture);
}

/** A bar that can be clicked; arrow keys go from one of `bars` to the next. */
function markOf(shape, label, bars, action) {
  const onkeydown = (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); action(); }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const next = step && bars[bars.indexOf(bar) + step];
    if (!next) return;
    event.preventDefault();
    bar.setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
  };
  const bar = svg("rect", { ...shape, role: "button", tabindex: bars.length ? -1 : 0, "aria-label": label, onclick: action, onkeydown }, svg("title", {}, label));
  return bar;
}

const short = (name) => (name.length > 22 ? `${name.slice(0, 21)}…` : name);

/** The colors of A and B, at the top right of a picture. */
function legendOf(width) {
  const parts = shownSystems().flatMap((k) => [svg("tspan", { class: kindOf(k) }, "■"), svg("tspan", {}, ` ${short(data.names[k])} `)]);
  return svg("text", { x: width - 2, y: 10, "text-anchor": "end" }, ...parts);
}

const figureOf = (title, picture) => element("figure", {}, element("figcaption", {}, title), picture);

function ticks(low, high, about) {
  const span = (high - low) / about;
  if (!(span > 0)) return [low];
  const unit = 10 ** Math.floor(Math.log10(span));
  const step = [1, 2, 5, 10].map((its) => its * unit).find((its) => its >= span);
  const made = [];
  for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9; i++) made.push(Number((i * step).toPrecision(12)));
  return made;
}
