// Where the systems are good or bad: distributions, differences, buckets; each part selects segments.

const BINS = 20, BANDS = 50, CELLS = 32;

function drawWhere() {
  const place = $("#charts");
  place.replaceChildren(distribution(), lengthDifferences());
  if (isPair()) place.append(differences(), curve(), scatter());
  drawBuckets();
}

const binOf = (value, low, width, bins) => Math.max(0, Math.min(bins - 1, Math.floor((value - low) / width)));

// Select the segments for which `test` holds.
function selectSegments(label, test) {
  const chosen = new Uint8Array(data.segments);
  for (let s = 0; s < data.segments; s++) chosen[s] = test(s) ? 1 : 0;
  setFilter({ selection: { label, chosen } }, true);
}

function counted(count) { return `${grouped(count)} segment${count === 1 ? "" : "s"}`; }

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
      chart.bar(kindOf(k), at + i * each, at + (i + 1) * each, 0, count, `${data.names[k]} ${low} to ${high}: ${counted(count)}`,
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
      chart.bar(kindOf(k), from, from + each, 0, count, `${name}: ${counted(count)}`, () => selectSegments(name, (s) => binAt(s, k) === bin));
    });
  }
  return chart.figure;
}

const pairName = () => `${data.names[pair.b]} − ${data.names[pair.a]}`;

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
    chart.bar(kind, chart.x(from) + 0.5, chart.x(from + width) - 0.5, 0, count, `${name}: ${counted(count)}`,
      () => selectSegments(name, (s) => binOf(difference(s), low, width, bins) === bin));
  });
  return chart.figure;
}

function curve() {
  const order = Uint32Array.from({ length: data.segments }, (_, s) => s).sort((s, t) => difference(t) - difference(s) || s - t);
  const rank = new Uint32Array(data.segments);
  order.forEach((s, i) => { rank[s] = i; });
  const most = Math.max(Math.abs(difference(order[0])), Math.abs(difference(order[order.length - 1])), data.scale / 100);
  const chart = new Chart(`Sorted differences, ${pairName()}`, `Differences of all segments in descending order, ${pairName()}`, [0, data.segments], [-most, most], "rank", "difference");
  const points = 400, sides = { b: [], a: [] };
  for (let i = 0; i <= points; i++) {
    const at = Math.round(i / points * (data.segments - 1)), value = difference(order[at]);
    const point = `${chart.x(at + 0.5).toFixed(1)},${chart.y(value).toFixed(1)}`;
    if (value >= 0) sides.b.push(point);
    if (value <= 0) sides.a.push(point);
  }
  chart.svg.append(
    svg("line", { class: "zero", x1: chart.x(0), x2: chart.x(data.segments), y1: chart.y(0), y2: chart.y(0) }),
    ...Object.entries(sides).map(([kind, path]) => svg("polyline", { class: `${kind}-line`, points: path.join(" ") })));
  const bands = Math.min(BANDS, data.segments);
  for (let band = 0; band < bands; band++) {
    const from = Math.floor(band / bands * data.segments), to = Math.floor((band + 1) / bands * data.segments);
    const name = `ranks ${from + 1} to ${to} of ${pairName()}`;
    const range = `${signed(difference(order[from]), data.digits)} to ${signed(difference(order[to - 1]), data.digits)}`;
    chart.bar("hit", chart.x(from), chart.x(to), -most, most, `${name}: ${range}`, () => selectSegments(name, (s) => rank[s] >= from && rank[s] < to));
  }
  return chart.figure;
}

function scatter() {
  const width = data.scale / CELLS, cells = new Map();
  const cellOf = (s) => binOf(data.score[pair.a][s], 0, width, CELLS) * CELLS + binOf(data.score[pair.b][s], 0, width, CELLS);
  for (let s = 0; s < data.segments; s++) cells.set(cellOf(s), (cells.get(cellOf(s)) ?? 0) + 1);
  const most = Math.max(...cells.values()), [a, b] = [data.names[pair.a], data.names[pair.b]];
  const chart = new Chart(`${a} against ${b}`, `Scores of segments, ${a} against ${b}`, [0, data.scale], [0, data.scale], short(a), short(b), { height: 340 });
  chart.svg.append(svg("line", { class: "zero", x1: chart.x(0), y1: chart.y(0), x2: chart.x(data.scale), y2: chart.y(data.scale) }));
  const largest = (chart.y(0) - chart.y(width)) / 2;
  for (const [cell, count] of [...cells].sort((one, other) => one[0] - other[0])) {
    const column = Math.floor(cell / CELLS), row = cell % CELLS;
    const kind = column === row ? "quiet" : column > row ? "a" : "b";
    const from = [column, row].map((at) => `${fixed(at * width, data.digits)} to ${fixed((at + 1) * width, data.digits)}`);
    const name = `${a} ${from[0]}, ${b} ${from[1]}`;
    const dot = svg("circle", { class: kind, cx: chart.x((column + 0.5) * width), cy: chart.y((row + 0.5) * width), r: (1.5 + (largest * 1.2 - 1.5) * Math.sqrt(count / most)).toFixed(2) });
    chart.mark(dot, `${name}: ${counted(count)}`, () => selectSegments(name, (s) => cellOf(s) === cell));
  }
  return chart.figure;
}

// The scores of a bucket as bars, with their 95 % intervals.
function bucketBars(its, bucket, shown) {
  const at = (value) => (100 * value / data.scale).toFixed(1);
  const picture = svg("svg", { viewBox: `0 0 100 ${8 * shown.length}`, "aria-hidden": "true" });
  shown.forEach((k, i) => {
    const value = its.scores[k][bucket], [low, high] = its.intervals[k]?.[bucket] ?? [];
    if (value === null) return;
    picture.append(svg("rect", { class: kindOf(k), x: 0, y: 8 * i + 1, width: at(value), height: 6 }));
    if (low !== undefined) picture.append(svg("line", { class: "range", x1: at(low), x2: at(high), y1: 8 * i + 4, y2: 8 * i + 4 }));
  });
  return picture;
}

let bucketKind = 0;
const MOST_BUCKETS = 50;

function drawBuckets(all = false) {
  const place = $("#buckets"), its = data.buckets[bucketKind], codes = data.bucket[bucketKind], shown = shownSystems();
  const sizes = new Uint32Array(its.labels.length);
  for (const code of codes) sizes[code]++;
  const select = element("select", { id: "bucket-kind", onchange: (event) => { bucketKind = event.target.selectedIndex; drawBuckets(); } },
    ...data.buckets.map(({ name }, i) => element("option", { selected: i === bucketKind && "" }, name)));
  const order = its.labels.map((_, i) => i);
  if (its.labels.length > MOST_BUCKETS && isPair()) {
    const gap = (i) => Math.abs((its.scores[pair.a][i] ?? 0) - (its.scores[pair.b][i] ?? 0)) * sizes[i];
    order.sort((one, other) => gap(other) - gap(one));
  }
  const listed = all ? order : order.slice(0, MOST_BUCKETS);
  const heads = [its.name, "segments", ...shown.map((k) => data.names[k]), "", ...(isPair() ? ["difference"] : [])];
  const cell = (value) => element("td", {}, value);
  const rows = listed.map((bucket) => {
    const scores = shown.map((k) => its.scores[k][bucket]);
    const choose = () => setFilter({ bucket: { kind: bucketKind, code: bucket, label: `${its.name} ${its.labels[bucket]}` } }, true);
    const known = scores.every((value) => value !== null);
    return element("tr", { class: "pick", onclick: choose },
      element("th", { scope: "row", dir: "auto" }, element("button", { type: "button" }, its.labels[bucket])),
      cell(grouped(sizes[bucket])),
      ...scores.map((value) => cell(value === null ? "" : score(value))),
      element("td", { class: "bar" }, bucketBars(its, bucket, shown)),
      isPair() ? cell(known ? signed(scores[1] - scores[0], data.digits) : "") : null);
  });
  const more = listed.length < order.length ? element("button", { type: "button", onclick: () => drawBuckets(true) }, `Show all ${grouped(order.length)}`) : null;
  place.replaceChildren(
    element("h3", {}, "Buckets"),
    element("p", {}, element("label", {}, "by ", select)),
    scrolling("Scores of buckets", sortable(element("table", { class: "numbers", id: "bucket-table" }, headOf(heads), element("tbody", {}, ...rows)))),
    ...(more ? [more] : []));
}
