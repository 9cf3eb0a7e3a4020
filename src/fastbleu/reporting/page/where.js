// Where the systems are good or bad: distributions and buckets, which select segments.

import { histogram } from "./charts.js";
import { $, data, fixed, grouped, isPair, kindOf, score, shownSystems, signed, state } from "./data.js";
import { element, headOf, scrolling, sortable, svg } from "./elements.js";
import { change, goToList } from "./view.js";

const BINS = 20, FARTHEST = 10, MOST_BUCKETS = 10;

export function drawWhere() {
  $("#charts").replaceChildren(distribution(), lengthDifferences());
  $("#buckets").replaceChildren(...data.buckets.map((buckets, number) => bucketTable(buckets, number)));
}

function distribution() {
  const width = data.scale / BINS, bound = (bin) => fixed(bin * width, data.digits);
  return histogram({
    title: "Scores of segments", axis: "score", low: 0, width, bins: BINS, systems: shownSystems(),
    value: (s, k) => data.score[k][s], name: (bin, k) => `${data.names[k]} ${bound(bin)} to ${bound(bin + 1)}`, kind: (_, k) => kindOf(k),
  });
}

/** How many tokens longer the hypotheses are than their references. */
function lengthDifferences() {
  const name = (bin, k) => {
    const tokens = bin - FARTHEST;
    return `${data.names[k]} ${tokens > 0 ? "+" : ""}${tokens}${Math.abs(tokens) === FARTHEST ? " or more" : ""} tokens`;
  };
  return histogram({
    title: "Length differences", axis: "tokens − reference tokens", low: -FARTHEST - 0.5, width: 1, bins: 2 * FARTHEST + 1, systems: shownSystems(),
    value: (s, k) => data.hypLen[k][s] - data.refLen[k][s], name, kind: (_, k) => kindOf(k),
  });
}

/** The interval of a bucket's difference, or of a single system's score. */
function endsOf({ intervals }, code) {
  const { a, b } = state, ends = intervals[`${Math.min(a, b)}.${Math.max(a, b)}`]?.[code];
  return ends && a > b ? [-ends[1], -ends[0]] : ends;
}

/** A bar from 0, in the middle for differences, with its interval; `most` is at the right end. */
function bar(value, ends, most) {
  const zero = isPair() ? 50 : 0, at = (its) => Math.max(0, Math.min(100, zero + its / most * (100 - zero)));
  const picture = svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: value < 0 || !isPair() ? "a" : "b", x: Math.min(at(0), at(value)), width: Math.abs(at(value) - at(0)), y: 1, height: 8 }));
  if (ends) picture.append(svg("line", { class: "range", x1: at(ends[0]), x2: at(ends[1]), y1: 5, y2: 5 }));
  return picture;
}

/** A table of the buckets of a kind: the scores of A and B, and their difference. */
function bucketTable(buckets, number, all = false) {
  const { name, labels, scores, sizes } = buckets, shown = shownSystems();
  const value = (code) => (shown.some((k) => scores[k][code] === null) ? null : scores[state.b][code] - (isPair() ? scores[state.a][code] : 0));
  const order = labels.map((_, code) => code), weight = (code) => (isPair() ? Math.abs(value(code)) * sizes[code] : data.scale - value(code));
  if (labels.length > MOST_BUCKETS) order.sort((one, other) => weight(other) - weight(one));
  const listed = all ? order : order.slice(0, MOST_BUCKETS);
  const most = isPair() ? 1.5 * Math.max(...listed.map((code) => Math.abs(value(code)))) || 1 : data.scale;
  const write = isPair() ? (its) => signed(its, data.digits) : score, cell = (text, type = null) => element("td", { class: type }, text);
  const heads = [name, "segments", ...(isPair() ? ["A", "B", "", "B − A"] : ["score", ""]), "95 % interval"];
  const rows = listed.map((code) => {
    const its = value(code), ends = endsOf(buckets, code), choose = () => { change({ bucket: `${number}.${code}` }); goToList(); };
    return element("tr", { class: "pick", onclick: choose },
      element("th", { scope: "row", dir: "auto" }, element("button", { type: "button" }, labels[code])),
      cell(grouped(sizes[code])),
      ...shown.map((k) => cell(scores[k][code] === null ? "" : score(scores[k][code]))),
      cell(its === null ? "" : bar(its, ends, most), "bar"),
      isPair() ? cell(its === null ? "" : write(its)) : null,
      cell(ends ? `${write(ends[0])} to ${write(ends[1])}` : ""));
  });
  const table = sortable(element("table", { class: "numbers", id: `by-${name.replace(" ", "-")}` }, headOf(heads), element("tbody", {}, ...rows)));
  const figure = element("figure", {}, element("h3", {}, `By ${name}${listed.length < order.length ? `: the ${MOST_BUCKETS} that count most` : ""}`), scrolling(`Scores by ${name}`, table));
  if (listed.length < order.length) figure.append(element("button", { type: "button", class: "no-print", onclick: () => figure.replaceWith(bucketTable(buckets, number, true)) }, `Show all ${grouped(order.length)}`));
  return figure;
}
