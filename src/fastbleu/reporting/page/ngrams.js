// Phrases: n-grams that one of two systems matches and the other misses, that all systems miss, and
// that no reference has. Which ones match comes from the marks of the counting; here they are added up.

const MOST_NGRAMS = 25, SLICE_MS = 30, FUNCTION_WORD = 0.05;

// The matching n-grams of an order in a segment, by how often system A matches them more than B.
function gainsOf(s, order) {
  const gains = new Map();
  if (texts.text(texts.hypothesis(s, pair.a)) === texts.text(texts.hypothesis(s, pair.b))) return gains;
  for (const [k, sign] of [[pair.a, 1], [pair.b, -1]]) {
    const marks = texts.matches(s, k), bit = 1 << (order - 1);
    if (!marks.some((mark) => mark & bit)) continue;
    const tokens = texts.compared(texts.hypothesis(s, k));
    marks.forEach((mark, i) => {
      if (!(mark & bit)) return;
      const ngram = tokens.slice(i, i + order).join(" ");
      gains.set(ngram, (gains.get(ngram) ?? 0) + sign);
    });
  }
  return gains;
}

function ngramsOf(text, order) {
  const tokens = texts.compared(text), made = new Set();
  for (let i = order; i <= tokens.length; i++) made.add(tokens.slice(i - order, i).join(" "));
  return made;
}

const referenceNgrams = (s, order) => Array.from({ length: data.references[s] }, (_, j) => ngramsOf(texts.reference(s, j), order));

// The n-grams that all references of a segment have and no system says.
function missedOf(s, order, references = referenceNgrams(s, order)) {
  const missed = [...references[0] ?? []].filter((ngram) => references.every((its) => its.has(ngram)));
  return data.systems.reduce((left, k) => {
    if (!left.length) return left;
    const said = ngramsOf(texts.hypothesis(s, k), order);
    return left.filter((ngram) => !said.has(ngram));
  }, missed);
}

// The n-grams of a system that no reference of the segment has.
function unsupportedOf(s, k, order, references = referenceNgrams(s, order)) {
  return [...ngramsOf(texts.hypothesis(s, k), order)].filter((ngram) => !references.some((its) => its.has(ngram)));
}

let ngramRun = 0;

async function countNgrams() {
  const run = ++ngramRun, order = Number($("#ngram-order").value), status = $("#ngram-status"), shown = shownSystems();
  const sums = [new Map(), new Map()], missed = new Map(), unsupported = shown.map(() => new Map()), spread = new Map();
  const count = (map, ngram, by = 1) => map.set(ngram, (map.get(ngram) ?? 0) + by);
  let pause = performance.now() + SLICE_MS;
  for (let s = 0; s < data.segments; s++) {
    if (isPair()) for (const [ngram, gain] of gainsOf(s, order)) if (gain) count(sums[gain > 0 ? 0 : 1], ngram, Math.abs(gain));
    const references = referenceNgrams(s, order);
    for (const ngram of missedOf(s, order, references)) count(missed, ngram);
    shown.forEach((k, i) => { for (const ngram of unsupportedOf(s, k, order, references)) count(unsupported[i], ngram); });
    if (data.references[s]) for (const word of ngramsOf(texts.reference(s, 0), 1)) count(spread, word);
    if (performance.now() > pause) {
      status.textContent = `${Math.round(100 * s / data.segments)} %`;
      await new Promise((done) => setTimeout(done));
      if (run !== ngramRun) return;
      pause = performance.now() + SLICE_MS;
    }
  }
  status.textContent = "";
  // Content words come before words of many segments, and these before punctuation.
  const rank = (ngram) => {
    const words = ngram.split(" ");
    if (!words.every((word) => /[\p{L}\p{N}]/u.test(word))) return 2;
    return words.every((word) => spread.get(word) > FUNCTION_WORD * data.segments) ? 1 : 0;
  };
  const names = shown.map((k) => data.names[k]);
  const tables = isPair() ? sums.map((side, i) => ngramTable(`${names[i]} matches more often than ${names[1 - i]}`, `${names[i]} matches`, side, sums[1 - i], rank, (s, ngram) => (gainsOf(s, order).get(ngram) ?? 0) * (i ? -1 : 1) > 0)) : [];
  const all = data.names.length > 1 ? "all systems" : names[0];
  $("#ngram-tables").replaceChildren(...tables,
    ngramTable(`Missed by ${all}, in every reference`, "missed:", missed, null, rank, (s, ngram) => missedOf(s, order).includes(ngram)),
    ...unsupported.map((said, i) => ngramTable(`${names[i]} says, in no reference`, `${names[i]} says`, said, null, rank, (s, ngram) => unsupportedOf(s, shown[i], order).includes(ngram))));
  choosePick();
}

function ngramTable(title, verb, side, other, rank, holds) {
  const listed = [...side].map(([ngram, count]) => ({ ngram, count, net: count - (other?.get(ngram) ?? 0), rank: rank(ngram) }));
  listed.sort((one, two) => one.rank - two.rank || two.net - one.net || two.count - one.count || (one.ngram < two.ngram ? -1 : 1));
  const rows = listed.slice(0, MOST_NGRAMS).map(({ ngram, count }) => {
    const choose = () => selectSegments(`${verb} “${ngram}”`, (s) => holds(s, ngram));
    return element("tr", { class: "pick", "data-pick": `${verb} “${ngram}”`, onclick: choose },
      element("th", { scope: "row", dir: "auto" }, appendText(element("button", { type: "button" }), ngram)),
      element("td", {}, grouped(count)), other ? element("td", {}, grouped(other.get(ngram) ?? 0)) : null);
  });
  const heads = ["n-gram", ...(other ? ["more often", "less often"] : ["segments"])];
  return element("figure", {}, scrolling(title, element("table", { class: "numbers" }, element("caption", { dir: "auto" }, title), headOf(heads), element("tbody", {}, ...rows))));
}
