// Phrases: n-grams that one of two systems matches and the other misses, that all systems miss, and
// that no reference has. The marks made by counting tell which ones match; here they are added up.

import { $, data, grouped, isPair, shownSystems, state } from "./data.js";
import { appendText, element, headOf, scrolling } from "./elements.js";
import { texts } from "./texts.js";
import { choosePick, selectSegments } from "./view.js";

const MOST_PHRASES = 25, SLICE_MS = 30;

/** The matching n-grams of an order in a segment, with how many times more A matches them than B. */
function gainsOf(s, order) {
  const gains = new Map();
  if (texts.text(texts.hypothesis(s, state.a)) === texts.text(texts.hypothesis(s, state.b))) return gains;
  for (const [k, sign] of [[state.a, 1], [state.b, -1]]) {
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

/** The n-grams of each reference of a segment, and of each system's hypothesis. */
function ngramsIn(s, order) {
  const references = Array.from({ length: data.references[s] }, (_, j) => ngramsOf(texts.reference(s, j), order));
  return { references, said: data.systems.map((k) => ngramsOf(texts.hypothesis(s, k), order)) };
}

/** The n-grams that all references of a segment have and no system says. */
const missedOf = ({ references, said }) => [...references[0] ?? []].filter((ngram) => references.every((all) => all.has(ngram)) && !said.some((all) => all.has(ngram)));
/** The n-grams of a system that no reference of the segment has. */
const unsupportedOf = ({ references, said }, k) => [...said[k]].filter((ngram) => !references.some((all) => all.has(ngram)));

/** Dunning's log-likelihood ratio of two counts in equally many segments; negative if `count` is the smaller one. */
function keyness(count, other) {
  const mean = (count + other) / 2, part = (value) => (value ? value * Math.log(value / mean) : 0);
  return Math.sign(count - other) * 2 * (part(count) + part(other));
}

let run = 0;

/** Count the phrases if they are shown, in slices, so that the page stays usable. */
export async function drawPhrases() {
  const mine = ++run, order = state.words, status = $("#phrase-status"), shown = shownSystems();
  if (!$("#phrases").open) return;
  const sums = [new Map(), new Map()], missed = new Map(), unsupported = shown.map(() => new Map()), inReferences = new Map(), inOutputs = new Map();
  const count = (map, ngram, by = 1) => map.set(ngram, (map.get(ngram) ?? 0) + by);
  let pause = performance.now() + SLICE_MS;
  for (let s = 0; s < data.segments; s++) {
    if (isPair()) for (const [ngram, gain] of gainsOf(s, order)) if (gain) count(sums[gain > 0 ? 0 : 1], ngram, Math.abs(gain));
    const ngrams = ngramsIn(s, order);
    for (const ngram of missedOf(ngrams)) count(missed, ngram);
    shown.forEach((k, i) => { for (const ngram of unsupportedOf(ngrams, k)) count(unsupported[i], ngram); });
    for (const ngram of new Set(ngrams.references.flatMap((all) => [...all]))) count(inReferences, ngram);
    for (const ngram of ngrams.said[shown[0]]) count(inOutputs, ngram);
    if (performance.now() > pause) {
      status.textContent = `${Math.round(100 * s / data.segments)} %`;
      await new Promise((done) => setTimeout(done));
      if (mine !== run) return;
      pause = performance.now() + SLICE_MS;
    }
  }
  status.textContent = "";
  const names = shown.map((k) => data.names[k]), all = data.names.length > 1 ? "all systems" : names[0];
  const tables = isPair() ? sums.map((side, i) => table(`${names[i]} matches more often than ${names[1 - i]}`, `${names[i]} matches`, side, sums[1 - i], "less often", (s) => (gainsOf(s, order)), (gains, ngram) => (gains.get(ngram) ?? 0) * (i ? -1 : 1) > 0)) : [];
  $("#phrase-tables").replaceChildren(...tables,
    table(`Missed by ${all}, in every reference`, "missed:", missed, inOutputs, "said elsewhere", (s) => missedOf(ngramsIn(s, order)), (list, ngram) => list.includes(ngram)),
    ...unsupported.map((side, i) => table(`${names[i]} says, in no reference`, `${names[i]} says`, side, inReferences, "in references elsewhere", (s) => unsupportedOf(ngramsIn(s, order), shown[i]), (list, ngram) => list.includes(ngram))));
  choosePick();
}

/** A table of the n-grams whose counts in `side` are most unlikely given those in `other`. */
function table(title, verb, side, other, otherTitle, of, holds) {
  const listed = [...side].map(([ngram, count]) => ({ ngram, count, rest: other.get(ngram) ?? 0, key: keyness(count, other.get(ngram) ?? 0) }));
  listed.sort((one, two) => two.key - one.key || (one.ngram < two.ngram ? -1 : 1));
  const rows = listed.slice(0, MOST_PHRASES).map(({ ngram, count, rest }) => {
    const label = `${verb} “${ngram}”`, choose = () => selectSegments(label, (s) => holds(of(s), ngram));
    return element("tr", { class: "pick", "data-pick": label, onclick: choose },
      element("th", { scope: "row", dir: "auto" }, appendText(element("button", { type: "button" }), ngram)),
      element("td", {}, grouped(count)), element("td", {}, grouped(rest)));
  });
  const head = headOf(["n-gram", isPair() && otherTitle === "less often" ? "more often" : "segments", otherTitle]);
  return element("figure", {}, scrolling(title, element("table", { class: "numbers" }, element("caption", { dir: "auto" }, title), head, element("tbody", {}, ...rows))));
}

export function startPhrases() {
  $("#phrases").addEventListener("toggle", () => drawPhrases());
}
