// One segment: its texts, what matches, what is missing, and its numbers.

import { $, data, isPair, kindOf, score, shownSystems, state } from "./data.js";
import { appendText, element, headOf, option, scrolling } from "./elements.js";
import { closestReference, hypothesisLine, missingLine, ownTokens, textLine } from "./lines.js";
import { markQuery, showRow, step } from "./list.js";
import { copy, segmentText } from "./take.js";
import { texts } from "./texts.js";
import { change, closeSegment } from "./view.js";

let othersOpen = false;

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

function numbersOf(s) {
  const orders = [...Array(data.orders).keys()];
  const heads = ["System", "BLEU", ...orders.map((n) => `${n + 1}-grams`), "Tokens", "Ref. tokens"];
  const rows = data.systems.map((k) => {
    const cells = [score(data.score[k][s]), ...orders.map((n) => `${data.matches[k][n][s]} / ${data.totals[k][n][s]}`), data.hypLen[k][s], data.refLen[k][s]];
    return element("tr", {}, element("th", { scope: "row", dir: "auto" }, data.names[k]), ...cells.map((cell) => element("td", {}, String(cell))));
  });
  return scrolling("Numbers of the segment", element("table", { class: "numbers", id: "segment-numbers" }, headOf(heads), element("tbody", {}, ...rows)));
}
