// Where the systems are good or bad: distributions and buckets, which select segments.

import { costs, histogram } from "./charts.js";
import { $, data, difference, fixed, grouped, isPair, kindOf, score, shownSystems, signed, state } from "./data.js";
import { element, headOf, option, scrolling, sortable, svg } from "./elements.js";
import { change, goToList } from "./view.js";

const BINS = 20, FARTHEST = 10, MOST_BUCKETS = 50;

export function drawWhere() {
  $("#charts").replaceChildren(...costs(), distribution(), lengthDifferences(), ...(isPair() ? [differences()] : []));
  drawBuckets();
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

function differences() {
  let most = data.scale / 10;
  for (let s = 0; s < data.segments; s++) most = Math.max(most, Math.abs(difference(s) || 0));
  const bins = BINS + 1, width = 2 * most / bins, bound = (bin) => signed(bin * width - most, data.digits);
  return histogram({
    title: `Differences, ${data.names[state.b]} − ${data.names[state.a]}`, axis: "difference", low: -most, width, bins, systems: [state.b],
    value: difference, name: (bin) => `difference ${bound(bin)} to ${bound(bin + 1)}`,
    kind: (bin) => (2 * bin + 1 === bins ? "rest" : 2 * bin < bins ? "a" : "b"),
  });
}

// The scores of a bucket as bars, with their 95 % intervals.
function bucketBars(buckets, code, shown) {
  const at = (value) => (100 * value / data.scale).toFixed(1);
  const picture = svg("svg", { viewBox: `0 0 100 ${8 * shown.length}`, "aria-hidden": "true" });
  shown.forEach((k, i) => {
    const value = buckets.scores[k][code], [low, high] = buckets.intervals[k]?.[code] ?? [];
    if (value === null) return;
    picture.append(svg("rect", { class: kindOf(k), x: 0, y: 8 * i + 1, width: at(value), height: 6 }));
    if (low !== undefined) picture.append(svg("line", { class: "range", x1: at(low), x2: at(high), y1: 8 * i + 4, y2: 8 * i + 4 }));
  });
  return picture;
}

export function drawBuckets(all = false) {
  const number = state.bucketKind, buckets = data.buckets[number], shown = shownSystems(), { labels, scores, sizes } = buckets;
  const select = element("select", { id: "bucket-kind", onchange: ({ target }) => change({ bucketKind: target.selectedIndex }) },
    ...data.buckets.map(({ name }, i) => option(i, name, i === number)));
  const order = labels.map((_, i) => i);
  if (labels.length > MOST_BUCKETS && isPair()) {
    const gap = (i) => Math.abs((scores[state.a][i] ?? 0) - (scores[state.b][i] ?? 0)) * sizes[i];
    order.sort((one, other) => gap(other) - gap(one));
  }
  const listed = all ? order : order.slice(0, MOST_BUCKETS);
  const heads = [buckets.name, "segments", ...shown.map((k) => data.names[k]), "", ...(isPair() ? ["difference"] : [])];
  const cell = (value) => element("td", {}, value);
  const rows = listed.map((code) => {
    const values = shown.map((k) => scores[k][code]), isKnown = values.every((value) => value !== null);
    const choose = () => { change({ bucket: `${number}.${code}` }); goToList(); };
    return element("tr", { class: "pick", onclick: choose },
      element("th", { scope: "row", dir: "auto" }, element("button", { type: "button" }, labels[code])),
      cell(grouped(sizes[code])),
      ...values.map((value) => cell(value === null ? "" : score(value))),
      element("td", { class: "bar" }, bucketBars(buckets, code, shown)),
      isPair() ? cell(isKnown ? signed(values[1] - values[0], data.digits) : "") : null);
  });
  const more = listed.length < order.length ? [element("button", { type: "button", onclick: () => drawBuckets(true) }, `Show all ${grouped(order.length)}`)] : [];
  $("#buckets").replaceChildren(
    element("p", {}, element("label", {}, "Scores by ", select)),
    scrolling("Scores of buckets", sortable(element("table", { class: "numbers", id: "bucket-table" }, headOf(heads), element("tbody", {}, ...rows)))),
    ...more);
}
