// One segment: its texts, what matches, what is missing, and its numbers.

import { $, data, fixed, isPair, kindOf, score, shownSystems, state } from "./data.js";
import { appendText, element, headOf, option, scrolling } from "./elements.js";
import { markQuery, showRow, step } from "./list.js";
import { copy, segmentText } from "./take.js";
import { longest, texts } from "./texts.js";
import { change } from "./view.js";

// Outputs with more pairs of tokens are not compared with each other.
const MOST_COMPARED = 16_000_000;
let othersOpen = false;

export function openSegment(s, focus = true) {
  change({ segment: s });
  if (!focus) return;
  $("#segment").scrollIntoView({ block: "nearest" });
  $("#segment").focus({ preventScroll: true });
}

export function closeSegment() {
  if (state.segment < 0) return;
  change({ segment: -1 });
  $("#grid").focus({ preventScroll: true });
}

export function drawSegment() {
  const place = $("#segment"), isOpen = state.segment >= 0, held = place.contains(document.activeElement) && document.activeElement.id;
  place.hidden = !isOpen;
  $("#desk").classList.toggle("open", isOpen);
  place.replaceChildren(...(isOpen ? segmentParts(state.segment) : []));
  if (held && isOpen) document.getElementById(held)?.focus({ preventScroll: true });
  showRow();
  markQuery();
}

function segmentParts(s) {
  const id = data.ids ? ` (${data.ids[s]})` : "";
  const button = (text, action) => element("button", { type: "button", id: `segment-${text.toLowerCase()}`, onclick: action }, text);
  const head = element("header", {},
    element("h3", { id: "segment-heading" }, appendText(element("span"), `Segment ${s}${id}`)),
    button("Copy", (event) => copy(segmentText(s), event.target)), button("Previous", () => step(-1)), button("Next", () => step(1)), button("Close", closeSegment));
  const facts = data.buckets.map(({ name, labels }, i) => (name === "document" || name === "group" ? `${name}: ${labels[data.bucket[i][s]]}` : null)).filter(Boolean);
  const list = element("dl");
  const add = (title, ...content) => list.append(element("dt", {}, ...[title].flat()), element("dd", {}, ...content));
  if (texts.sources) add("Source", appendText(textLine(), texts.text(s)));
  const count = data.references[s], closest = shownSystems().map((k) => closestReference(s, k));
  for (let j = 0; j < count; j++) {
    const lines = shownSystems().map((k, i) => (closest[i] === j ? missingLine(s, k, j) : null));
    add(count > 1 ? `Reference ${j + 1}` : "Reference", appendText(textLine(), texts.text(texts.reference(s, j))), ...lines.filter(Boolean));
  }
  const against = state.against < count ? state.against : -1;
  const choice = count > 1 ? [element("p", {}, element("label", {}, "Matches against ", element("select", { id: "against", onchange: ({ target }) => change({ against: Number(target.value) }) },
    option(-1, "all references"), ...Array.from({ length: count }, (_, j) => option(j, `reference ${j + 1}`, j === against)))))] : [];
  const own = isPair() ? ownTokens(s) : {};
  const shown = shownSystems(), rest = data.systems.filter((k) => !shown.includes(k));
  const columnOf = (k) => {
    const flags = data.flags.filter((_, bit) => data.flag[k][s] >> bit & 1);
    return element("div", { class: own[k] ? `column ${kindOf(k)}` : "column" },
      element("dt", {}, element("strong", { dir: "auto" }, data.names[k]), ` ${score(data.score[k][s])}`, flags.length ? ` - ${flags.join(", ")}` : ""),
      element("dd", {}, hypothesisLine(s, k, against, own[k])));
  };
  const columns = element("dl", { class: "columns" }, ...shown.map(columnOf));
  const others = rest.length ? [element("details", { id: "segment-others", open: othersOpen && "", ontoggle: (event) => { othersOpen = event.target.open; } },
    element("summary", {}, `${rest.length} other system${rest.length > 1 ? "s" : ""}`), element("dl", {}, ...rest.map(columnOf)))] : [];
  const legend = element("p", { class: "legend" }, "Longest matching n-gram: ",
    ...[0, 1, 2, 3, 4].flatMap((n) => [element("span", { class: "tok", "data-order": n }, n ? (n === 4 ? "4 or more" : String(n)) : "none"), " "]),
    isPair() ? " Framed: only A or only B says it; dashed: no reference does either." : "");
  return [head, ...(facts.length ? [appendText(element("p", { class: "note" }), facts.join(", "))] : []), ...choice, legend, list, columns, ...others, numbersOf(s)];
}

const textLine = (name = "text") => element("p", { class: name, dir: "auto" });

// The reference with which the hypothesis has the most matches.
function closestReference(s, k) {
  let best = 0, most = -1;
  for (let j = 0; j < data.references[s]; j++) {
    let sum = 0;
    for (let mark of texts.matches(s, k, j)) for (; mark; mark &= mark - 1) sum++;
    if (sum > most) [best, most] = [j, sum];
  }
  return best;
}

/** Which tokens of A are not in a longest common subsequence with B, and which of B; only of some tokens. */
export function ownTokens(s, from = 0, to = Infinity) {
  const [one, other] = shownSystems().map((k) => texts.compared(texts.hypothesis(s, k)).slice(from, to));
  const width = other.length + 1, isShort = one.length * width <= MOST_COMPARED, own = [one, other].map(({ length }) => Array(length).fill(isShort));
  const common = new Uint16Array(isShort ? (one.length + 1) * width : 0);   // from token i of A and j of B on
  for (let i = one.length - 1; isShort && i >= 0; i--) {
    for (let j = other.length - 1, at = i * width + j; j >= 0; j--, at--) common[at] = one[i] === other[j] ? common[at + width + 1] + 1 : Math.max(common[at + width], common[at + 1]);
  }
  for (let i = 0, j = 0; isShort && i < one.length && j < other.length;) {
    if (one[i] === other[j]) own[0][i++] = own[1][j++] = false;
    else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) i++;
    else j++;
  }
  return { [state.a]: [...Array(from), ...own[0]], [state.b]: [...Array(from), ...own[1]] };
}

export function hypothesisLine(s, k, against, own = [], from = 0, to = Infinity) {
  const tokens = texts.tokens(texts.hypothesis(s, k)), line = textLine();
  const orders = longest(texts.matches(s, k, against));
  tokens.forEach(({ gap, token }, i) => {
    if (i < from || i >= to) return;
    appendText(line, i && i === from ? "… " : gap);
    const n = orders[i], title = `${n ? `in a matching ${n}-gram` : "no match"}${own[i] ? `, only in ${data.names[k]}` : ""}`;
    line.append(appendText(element("span", { class: own[i] ? "tok own" : "tok", "data-order": Math.min(n, 4), title }), token));
  });
  appendText(line, tokens.length > to ? " …" : tokens.end ?? "");
  if (!tokens.length) line.append(element("em", {}, "no tokens"));
  return line;
}

function missingLine(s, k, j) {
  const isFound = texts.isFound(s, k, j), missing = texts.tokens(texts.reference(s, j)).filter((_, i) => !isFound[i]);
  const line = element("p", { class: "text snippet", dir: "auto" }, element("span", { class: "legend" }, element("bdi", {}, data.names[k]), " lacks: "));
  missing.forEach(({ token }, i) => line.append(i ? " " : "", appendText(element("span", { class: "tok missing" }), token)));
  if (!missing.length) line.append(element("span", { class: "legend" }, "nothing"));
  return line;
}

function numbersOf(s) {
  const orders = [...Array(data.orders).keys()];
  const heads = ["System", "BLEU", ...orders.map((n) => `${n + 1}-grams`), "BP", "Tokens", "Ref. tokens"];
  const rows = data.systems.map((k) => {
    const cells = [score(data.score[k][s]), ...orders.map((n) => `${data.matches[k][n][s]} / ${data.totals[k][n][s]}`), fixed(data.bp(k, s), 3), data.hypLen[k][s], data.refLen[k][s]];
    return element("tr", {}, element("th", { scope: "row", dir: "auto" }, data.names[k]), ...cells.map((cell) => element("td", {}, String(cell))));
  });
  return scrolling("Numbers of the segment", element("table", { class: "numbers", id: "segment-numbers" }, headOf(heads), element("tbody", {}, ...rows)));
}
