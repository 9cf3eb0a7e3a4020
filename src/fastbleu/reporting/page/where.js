// Where the systems are good or bad: what costs points, distributions, buckets; each part selects segments.

import { Chart, figureOf, legendOf } from "./charts.js";
import { $, data, difference, fixed, grouped, isPair, kindOf, score, segmentsOf, shownSystems, signed, state } from "./data.js";
import { element, headOf, option, scrolling, sortable, svg } from "./elements.js";
import { change, goToList, selectSegments } from "./view.js";

const BINS = 20, MOST_BUCKETS = 50;

export function drawWhere() {
  $("#charts").replaceChildren(...costs(), distribution(), lengthDifferences(), ...(isPair() ? [differences()] : []));
  drawBuckets();
}

/** The points that each precision and the length cost, from the largest score down. */
function costs() {
  const shown = shownSystems(), rowHeight = 16 * shown.length + 8, left = 78, right = 56, width = 460;
  if (!data.steps[state.a]) return [];
  // What only one of them has, such as smoothing, costs the other one nothing.
  const costs = shown.map((k) => Object.fromEntries(data.steps[k].map(([name, value], i) => [name, value - (i ? data.steps[k][i - 1][1] : data.scale)])));
  const names = Object.keys(Object.assign({}, ...costs)), cost = (i, name) => costs[i][name] ?? 0;
  const most = Math.max(...costs.flatMap((parts) => Object.values(parts).map(Math.abs)));
  const label = shown.map((k, i) => `${data.names[k]}: ${names.map((name) => `${name} ${signed(cost(i, name), data.digits)}`).join(", ")}`).join("; ");
  const picture = svg("svg", { viewBox: `0 0 ${width} ${names.length * rowHeight + 18}`, role: "img", "aria-label": label }, legendOf(width));
  names.forEach((name, n) => {
    const top = 18 + n * rowHeight;
    picture.append(svg("text", { x: left - 6, y: top + 8 * shown.length + 4, "text-anchor": "end" }, name));
    shown.forEach((k, i) => picture.append(
      svg("rect", { class: kindOf(k), x: left, y: top + 16 * i, width: Math.max(Math.abs(cost(i, name)) / most * (width - left - right), 1), height: 14 }),
      svg("text", { x: width - 2, y: top + 16 * i + 12, "text-anchor": "end" }, signed(cost(i, name), data.digits))));
  });
  return [figureOf(`What costs points, from ${data.scale} down`, picture)];
}

const binOf = (value, low, width, bins) => Math.max(0, Math.min(bins - 1, Math.floor((value - low) / width)));

function distribution() {
  const width = data.scale / BINS, shown = shownSystems();
  const bins = shown.map((k) => {
    const counts = new Uint32Array(BINS);
    for (const value of data.score[k]) counts[binOf(value, 0, width, BINS)]++;
    return counts;
  });
  const most = Math.max(1, ...bins.flatMap((its) => [...its]));
  const names = shown.map((k) => data.names[k]).join(" and ");
  const chart = new Chart("Scores of segments", `Distribution of the scores of segments, ${names}`, [0, data.scale], [0, most], "score", "segments");
  for (let bin = 0; bin < BINS; bin++) {
    shown.forEach((k, i) => {
      const count = bins[i][bin];
      if (!count) return;
      const low = fixed(bin * width, data.digits), high = fixed((bin + 1) * width, data.digits);
      const at = chart.x(bin * width) + 1, each = (chart.x(width) - chart.x(0) - 2) / shown.length;
      chart.bar(kindOf(k), at + i * each, at + (i + 1) * each, 0, count, `${data.names[k]} ${low} to ${high}: ${segmentsOf(count)}`,
        () => selectSegments(`${data.names[k]} ${low} to ${high}`, (s) => binOf(data.score[k][s], 0, width, BINS) === bin));
    });
  }
  return chart.figure;
}

// How many tokens longer the hypotheses are than their references; far ones at both ends.
function lengthDifferences() {
  const most = 10, bins = 2 * most + 1, shown = shownSystems();
  const binAt = (s, k) => Math.max(0, Math.min(bins - 1, data.hypLen[k][s] - data.refLen[k][s] + most));
  const counts = shown.map((k) => {
    const made = new Uint32Array(bins);
    for (let s = 0; s < data.segments; s++) made[binAt(s, k)]++;
    return made;
  });
  const chart = new Chart("Length differences", `Histogram of tokens minus reference tokens, ${shown.map((k) => data.names[k]).join(" and ")}`, [-most - 0.5, most + 0.5], [0, Math.max(1, ...counts.flatMap((its) => [...its]))], "tokens − reference tokens", "segments");
  const each = (chart.x(1) - chart.x(0) - 2) / shown.length;
  for (let bin = 0; bin < bins; bin++) {
    shown.forEach((k, i) => {
      const count = counts[i][bin], at = bin - most;
      if (!count) return;
      const name = `${data.names[k]} ${at > 0 ? "+" : ""}${at}${Math.abs(at) === most ? " or more" : ""} tokens`;
      const from = chart.x(at - 0.5) + 1 + i * each;
      chart.bar(kindOf(k), from, from + each, 0, count, `${name}: ${segmentsOf(count)}`, () => selectSegments(name, (s) => binAt(s, k) === bin));
    });
  }
  return chart.figure;
}

const pairName = () => `${data.names[state.b]} − ${data.names[state.a]}`;

function differences() {
  let most = data.scale / 10;
  for (let s = 0; s < data.segments; s++) most = Math.max(most, Math.abs(difference(s)));
  const bins = BINS + 1, low = -most, width = 2 * most / bins, counts = new Uint32Array(bins);
  for (let s = 0; s < data.segments; s++) counts[binOf(difference(s), low, width, bins)]++;
  const chart = new Chart(`Differences, ${pairName()}`, `Histogram of the differences of segments, ${pairName()}`, [-most, most], [0, Math.max(1, ...counts)], "difference", "segments");
  counts.forEach((count, bin) => {
    if (!count) return;
    const from = low + bin * width, kind = bin * 2 + 1 === bins ? "rest" : from < 0 ? "a" : "b";
    const name = `difference ${signed(from, data.digits)} to ${signed(from + width, data.digits)}`;
    chart.bar(kind, chart.x(from) + 0.5, chart.x(from + width) - 0.5, 0, count, `${name}: ${segmentsOf(count)}`,
      () => selectSegments(name, (s) => binOf(difference(s), low, width, bins) === bin));
  });
  return chart.figure;
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
