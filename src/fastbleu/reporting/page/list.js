// The list of segments: which are shown, and in which order; only visible rows are in the document.

import { $, data, difference, grouped, hasShares, isPair, kindOf, score, segmentsOf, share, shownSystems, signed, state } from "./data.js";
import { appendText, element } from "./elements.js";
import { hypothesisLine, ownTokens } from "./lines.js";
import { texts } from "./texts.js";
import { change, openSegment } from "./view.js";

const BEYOND = 6, PRINTED = 20, SNIPPET = 300, BEFORE_HIT = 12, MOST_HITS = 2000;
// Of long outputs the list shows so many tokens, from shortly before the first one that differs.
const TOKENS = 80, BEFORE_DIFFERENCE = 4;
let rowHeight = 76;    // in pixels, from the style
let isPrinting = false;
let visible = new Uint32Array(0);
let current = 0;       // the row that the keyboard is at
let columns = [];
let order = null;      // all segments in the order of state.sort
let orderKey = "";
let hitTexts = null;   // by segment the first text that holds the query

function sortKey(name) {
  if (name === "segment") return null;
  if (name === "difference") return difference;
  if (name === "share") return share;
  if (name === "gap") return (s) => Math.abs(difference(s));
  if (name === "length") return (s) => data.refLen[state.a][s];
  const scores = data.score[Number(name)];
  return (s) => scores[s];
}

function sorted() {
  const key = `${state.sort} ${state.descending} ${state.a} ${state.b}`;
  if (order && orderKey === key) return order;
  const value = sortKey(state.sort), sign = state.descending ? -1 : 1;
  order = Uint32Array.from({ length: data.segments }, (_, s) => s);
  if (value) {
    const last = sign * Infinity;   // where there is no score
    const keys = Float64Array.from(order, (s) => (Number.isNaN(value(s)) ? last : value(s)));
    order.sort((s, t) => sign * (keys[s] - keys[t]) || s - t);
  } else if (state.descending) order.reverse();
  orderKey = key;
  return order;
}

/** Which texts of a segment are searched. */
function searched(s) {
  const { scope } = state, source = texts.sources ? [s] : [];
  const references = Array.from({ length: data.references[s] }, (_, j) => texts.reference(s, j));
  if (scope === "all") return [...source, ...references, ...data.systems.map((k) => texts.hypothesis(s, k))];
  return scope === "source" ? source : scope === "references" ? references : [texts.hypothesis(s, Number(scope))];
}

/** Find the first text of each segment that holds the query. */
function search() {
  $("#problem").textContent = "";
  const expression = state.query && queryExpression((error) => { $("#problem").textContent = `No regular expression: ${error.message}`; });
  hitTexts = expression ? Array.from({ length: data.segments }, (_, s) => searched(s).find((text) => expression.test(texts.text(text)))) : null;
}

/** The query as a regular expression; null if it is invalid. */
function queryExpression(complain = (_) => {}, flags = "iu") {
  try {
    return new RegExp(state.regex ? state.query : state.query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), flags);
  } catch (error) {
    complain(error);
    return null;
  }
}

/** Highlight the query in the visible texts, across their tokens. */
export function markQuery() {
  if (!CSS.highlights) return;
  CSS.highlights.delete("hit");
  const expression = state.query ? queryExpression(undefined, "giu") : null;
  if (!expression) return;
  const ranges = [];
  for (const line of document.querySelectorAll("#grid-body .hits, #segment .text")) {
    /** @type {[number, Text][]} */
    const nodes = [];
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    let text = "";
    while (walker.nextNode()) {
      const node = /** @type {Text} */ (walker.currentNode);
      nodes.push([text.length, node]);
      text += node.data;
    }
    /** @returns {[Text, number]} */
    const place = (at, end) => {
      const [from, node] = nodes.findLast(([start]) => (end ? start < at : start <= at));
      return [node, at - from];
    };
    for (const { index, 0: hit } of text.matchAll(expression)) {
      if (!hit || ranges.length === MOST_HITS) continue;
      const range = new Range();
      range.setStart(...place(index, false));
      range.setEnd(...place(index + hit.length, true));
      ranges.push(range);
    }
  }
  CSS.highlights.set("hit", new Highlight(...ranges));
}

/** Whether any of a segment's hypotheses in scope has the flag. */
function flagged(s, bit) {
  const scope = /^\d+$/.test(state.scope) ? [Number(state.scope)] : data.systems;
  return scope.some((k) => data.flag[k][s] >> bit & 1);
}

export function drawList() {
  search();
  const bit = state.flag === "" ? -1 : Number(state.flag), { pick } = state;
  const [kind, code] = state.bucket.split(".").map(Number), codes = state.bucket && data.bucket[kind];
  visible = sorted().filter((s) => (!hitTexts || hitTexts[s] !== undefined) && (!pick || pick.chosen[s]) && (!codes || codes[s] === code) && (bit < 0 || flagged(s, bit)));
  const { name, labels } = data.buckets[kind] ?? {};
  const chosen = [["pick", pick?.label], ["bucket", codes ? `${name} ${labels[code]}` : ""]].filter(([, label]) => label);
  $("#chosen").replaceChildren(...chosen.map(([field, label]) =>
    element("button", { type: "button", "aria-label": `Remove: ${label}`, onclick: () => change({ [field]: field === "pick" ? null : "" }) },
      appendText(element("span"), label), element("span", { class: "no-print" }, " ×"))));
  drawHead();
  const grid = $("#grid");
  grid.setAttribute("aria-rowcount", visible.length + 1);
  grid.classList.toggle("single", !isPair());
  grid.scrollTop = 0;
  current = Math.max(0, visible.indexOf(state.segment));
  drawRows();
  layOut();
}

/** Fit the rows to the width of the list: on a telephone and beside a segment they are higher. */
function layOut() {
  if (isPrinting) return;
  const grid = $("#grid"), body = $("#grid-body");
  rowHeight = parseFloat(getComputedStyle(body).getPropertyValue("--row"));
  // High enough for all segments if these are few, whatever the filters, with room for a scroll bar.
  grid.style.height = `min(70vh, 44rem, ${data.segments * rowHeight + 60}px)`;
  body.style.height = `${visible.length * rowHeight}px`;
  if (visible.length) moveTo(current);
}

function gridColumns() {
  const text = (s) => {
    const usual = texts.sources ? s : texts.reference(s, 0), number = hitTexts?.[s] ?? usual;
    const whole = texts.text(number), before = hitTexts ? whole.search(queryExpression() ?? "") - BEFORE_HIT : 0;
    const from = before > 0 ? before : 0, end = from + SNIPPET;
    return `${number === usual ? "" : `${texts.nameOf(s, number)}: `}${from ? "… " : ""}${whole.slice(from, end)}${whole.length > end ? " …" : ""}`;
  };
  const shown = shownSystems();
  const ofSystem = (k) => ({ title: data.names[k], label: shown.includes(k) ? (isPair() ? kindOf(k).toUpperCase() : "score") : data.names[k], sort: String(k), width: "5.4rem", cell: (s) => score(data.score[k][s]), number: true });
  const named = (s) => element("span", { title: data.ids[s] }, String(s), appendText(element("small"), data.ids[s]));
  columns = [
    { title: "#", sort: "segment", width: data.ids ? "7rem" : "3.6rem", cell: (s) => (data.ids ? named(s) : String(s)), number: true },
    ...(hasShares() ? [{ title: "share", sort: "share", width: "5.6rem", cell: (s) => `${signed(100 * share(s), 2)} %`, number: true }] : []),
    ...shown.map(ofSystem),
    ...(isPair() ? [{ title: "B − A", sort: "difference", width: "5.4rem", cell: (s) => signed(difference(s), data.digits), number: true }] : []),
    { title: `${texts.sources ? "source" : "reference"}, ${shown.map((k) => data.names[k]).join(", ")}`, width: "minmax(34rem, 1fr)", cell: text, text: true },
    { title: "ref. tokens", sort: "length", width: "5.2rem", cell: (s) => String(data.refLen[state.a][s]), number: true, isMore: true },
    // On paper and on a telephone only A and B have room.
    ...data.systems.filter((k) => !shown.includes(k)).map((k) => ({ ...ofSystem(k), isMore: true })),
  ];
}

function drawHead() {
  gridColumns();
  const grid = $("#grid"), head = element("div", { class: "row", role: "row", "aria-rowindex": 1 });
  grid.style.setProperty("--columns", columns.map(({ width }) => width).join(" "));
  // On paper nothing scrolls: the columns share the width.
  grid.style.setProperty("--printed", columns.filter(({ isMore }) => !isMore).map(({ width, text }) => (text ? "1fr" : `${0.7 * parseFloat(width)}rem`)).join(" "));
  columns.forEach(({ title, label = title, sort, number, text, isMore }, i) => {
    const way = sort === state.sort ? (state.descending ? "descending" : "ascending") : sort ? "none" : null;
    const shownLabel = `${label}${way === "ascending" ? " ▲" : way === "descending" ? " ▼" : ""}`;
    const sortBy = () => change({ sort, descending: state.sort === sort && !state.descending });
    const inside = sort ? element("button", { type: "button", title, tabindex: -1, onclick: sortBy }, shownLabel) : label;
    head.append(element("div", { role: "columnheader", "aria-colindex": i + 1, "aria-sort": way, class: `${number ? "n" : text ? "texts" : ""}${isMore ? " more" : ""}`, dir: "auto" }, inside));
  });
  $("#grid-head").replaceChildren(head);
  grid.setAttribute("aria-colcount", columns.length);
}

function drawRows(all = 0) {
  const grid = $("#grid"), body = $("#grid-body");
  const from = all ? 0 : Math.max(0, Math.floor(grid.scrollTop / rowHeight) - BEYOND);
  const to = Math.min(visible.length, all || Math.ceil((grid.scrollTop + grid.clientHeight) / rowHeight) + BEYOND);
  const rows = [];
  for (let at = from; at < to; at++) rows.push(rowOf(at, all > 0));
  body.replaceChildren(...rows);
  // How many segments are printed (on paper only the first), found, and there in all.
  const counts = [all ? to : visible.length, visible.length].filter((count, i, both) => count !== (both[i + 1] ?? data.segments)).map(grouped);
  $("#count").textContent = [...counts, segmentsOf(data.segments)].join(" of ");
  markQuery();
  if (current >= from && current < to) grid.setAttribute("aria-activedescendant", `row-${current}`);
  else grid.removeAttribute("aria-activedescendant");
}

/** The outputs of A and B, from shortly before they differ, or whole. */
function outputsOf(s, isWhole) {
  const shown = shownSystems(), [one, other] = shown.map((k) => texts.compared(texts.hypothesis(s, k)));
  let from = 0;
  while (other && from < one.length && one[from] === other[from]) from++;
  from = isWhole || from <= 2 * BEFORE_DIFFERENCE || from === Math.max(one.length, other?.length) ? 0 : from - BEFORE_DIFFERENCE;
  const to = isWhole ? Infinity : from + TOKENS, own = isPair() ? ownTokens(s, from, to) : {};
  return shown.map((k) => {
    const line = hypothesisLine(s, k, -1, own[k], from, to);
    line.classList.add(kindOf(k));
    return line;
  });
}

function rowOf(at, isWhole) {
  const s = visible[at];
  const row = element("div", { class: at === current ? "row current" : "row", role: "row", id: `row-${at}`, "aria-rowindex": at + 2, "aria-selected": at === current, "data-segment": s, onclick: () => { moveTo(at); openSegment(s); } });
  row.style.transform = `translateY(${at * rowHeight}px)`;
  columns.forEach(({ cell, text, isMore }, i) => {
    const content = text ? [appendText(element("p", { class: "text hits", dir: "auto" }), cell(s)), ...outputsOf(s, isWhole)] : [cell(s)];
    row.append(element("div", { role: "gridcell", "aria-colindex": i + 1, class: `${text ? "texts" : "n"}${isMore ? " more" : ""}` }, ...content));
  });
  return row;
}

function moveTo(at) {
  if (!visible.length) return;
  const grid = $("#grid"), head = $("#grid-head").clientHeight;
  current = Math.max(0, Math.min(visible.length - 1, at));
  const top = current * rowHeight;
  if (top < grid.scrollTop) grid.scrollTop = top;
  else if (top + rowHeight + head > grid.scrollTop + grid.clientHeight) grid.scrollTop = top + rowHeight + head - grid.clientHeight;
  drawRows();
}

export const shownSegments = () => visible;

/** Go to the row of the opened segment. */
export function showRow() {
  const at = visible.indexOf(state.segment);
  if (at >= 0 && at !== current) moveTo(at);
}

/** Open the segment that is `by` rows further on. */
export function step(by) {
  const at = visible.indexOf(state.segment);
  if (!visible.length) return;
  moveTo(at < 0 ? 0 : at + by);
  openSegment(visible[current], false);
}

function gridKey(event) {
  const page = Math.max(1, Math.floor($("#grid").clientHeight / rowHeight) - 1);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
  if (event.key in steps) {
    event.preventDefault();
    moveTo(current + steps[event.key]);
    if (state.segment >= 0 && visible.length) openSegment(visible[current], false);
  } else if (event.key === "Enter" && event.target.id === "grid" && visible.length) openSegment(visible[current]);
}

export function startList() {
  $("#grid").addEventListener("scroll", () => drawRows(), { passive: true });
  $("#grid").addEventListener("keydown", gridKey);
  new ResizeObserver(layOut).observe($("#grid"));
  let closed = [];
  addEventListener("beforeprint", () => {
    isPrinting = true;
    closed = [...document.querySelectorAll("details:not([open], #phrases)")];
    for (const part of closed) part.open = true;
    drawRows(PRINTED);
  });
  addEventListener("afterprint", () => {
    for (const part of closed) part.open = false;
    isPrinting = false;
    drawRows();
  });
}
