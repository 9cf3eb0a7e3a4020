// Charts as SVG: a frame with axes, and marks that can be clicked or chosen with the keyboard.

import { data, kindOf, shownSystems } from "./data.js";
import { element, filled, svg } from "./elements.js";
import { saveSvg } from "./take.js";

const FRAME = { width: 460, height: 220, left: 38, right: 14, top: 20, bottom: 34 };

export class Chart {
  // `x` and `y` are [low, high] of the axes; `label` says what the picture shows.
  constructor(title, label, x, y, xTitle, yTitle, size = {}) {
    this.size = { ...FRAME, ...size };
    const { width, height, left, right, top, bottom } = this.size;
    this.x = (value) => left + (value - x[0]) / (x[1] - x[0] || 1) * (width - left - right);
    this.y = (value) => height - bottom - (value - y[0]) / (y[1] - y[0] || 1) * (height - top - bottom);
    this.svg = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label });
    this.svg.append(legendOf(width));
    this.figure = figureOf(title, this.svg);
    this.axes(x, y, xTitle, yTitle);
  }

  axes(x, y, xTitle, yTitle) {
    const { width, height, left, right, bottom } = this.size;
    for (const value of ticks(...y, 4)) {
      this.svg.append(
        svg("line", { class: "axis", x1: left, x2: width - right, y1: this.y(value), y2: this.y(value) }),
        svg("text", { class: "quiet", x: left - 4, y: this.y(value) + 4, "text-anchor": "end" }, String(value)));
    }
    for (const value of ticks(...x, 6)) {
      this.svg.append(svg("text", { class: "quiet", x: this.x(value), y: height - bottom + 13, "text-anchor": "middle" }, String(value)));
    }
    this.svg.append(
      svg("text", { class: "quiet", x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, xTitle),
      svg("text", { class: "quiet", x: 2, y: 10 }, yTitle));
  }

  // A mark that does something; arrows go from one to the next.
  mark(shape, label, action) {
    filled(shape, {
      role: "button", tabindex: this.last ? -1 : 0, "aria-label": label, onclick: action,
      onkeydown: (event) => {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); action(event); }
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (!step) return;
        const marks = [...this.svg.querySelectorAll('[role="button"]')];
        const next = marks[marks.indexOf(shape) + step];
        if (!next) return;
        event.preventDefault();
        shape.setAttribute("tabindex", -1);
        next.setAttribute("tabindex", 0);
        next.focus();
      },
    }, [svg("title", {}, label)]);
    this.last = shape;
    this.svg.append(shape);
  }

  bar(kind, x0, x1, y0, y1, label, action) {
    const top = Math.min(this.y(y0), this.y(y1)), height = Math.max(Math.abs(this.y(y1) - this.y(y0)), 1);
    this.mark(svg("rect", { class: kind, x: x0, y: top, width: Math.max(x1 - x0, 0.5), height }), label, action);
  }
}

const short = (name) => (name.length > 22 ? `${name.slice(0, 21)}…` : name);

// The colors of A and B, at the top right of a picture.
export function legendOf(width, systems = shownSystems()) {
  const parts = systems.flatMap((k) => [svg("tspan", { class: kindOf(k) }, "■"), svg("tspan", {}, ` ${short(data.names[k])} `)]);
  return svg("text", { class: "legend-in", x: width - 2, y: 10, "text-anchor": "end" }, ...parts);
}

export function figureOf(title, picture) {
  const save = element("button", { type: "button", "aria-label": `Save as SVG: ${title}`, onclick: () => saveSvg(picture, title) }, "SVG");
  return element("figure", {}, element("figcaption", {}, element("span", {}, title), save), picture);
}

function ticks(low, high, about) {
  const span = (high - low) / about;
  if (!(span > 0)) return [low];
  const unit = 10 ** Math.floor(Math.log10(span));
  const step = [1, 2, 5, 10].map((its) => its * unit).find((its) => its >= span);
  const made = [];
  for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9; i++) made.push(Number((i * step).toPrecision(12)));
  return made;
}
