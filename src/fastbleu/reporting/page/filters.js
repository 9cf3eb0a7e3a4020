// Which segments are shown, and in which order.

const filter = { query: "", regex: false, scope: "all", flag: "", selection: null, bucket: null, sort: "segment", descending: false };
let visible = new Uint32Array(0);
let order = null;      // all segments in the order of filter.sort
let orderKey = "";
let hitTexts = null;   // by segment the first text that holds the query
let lowered = null;    // all texts in lower case, where that changes no length

function sortKey(name) {
  if (name === "segment") return null;
  if (name === "difference") return difference;
  if (name === "gap") return (s) => Math.abs(difference(s));
  if (name === "length") return (s) => data.refLen[pair.a][s];
  const its = data.score[Number(name)];
  return (s) => its[s];
}

function sorted() {
  const key = `${filter.sort} ${filter.descending} ${pair.a} ${pair.b}`;
  if (order && orderKey === key) return order;
  const value = sortKey(filter.sort), sign = filter.descending ? -1 : 1;
  order = Uint32Array.from({ length: data.segments }, (_, s) => s);
  if (value) {
    const keys = Float64Array.from(order, value);
    order.sort((s, t) => sign * (keys[s] - keys[t]) || s - t);
  } else if (filter.descending) order.reverse();
  orderKey = key;
  return order;
}

// Which texts of a segment are searched: [first, last + 1] of its texts, and whether its source.
function searched(s) {
  const from = texts.sources + texts.first[s], to = texts.sources + texts.first[s + 1];
  if (filter.scope === "references") return [from, from + data.references[s], false];
  if (filter.scope === "source") return [from, from, true];
  if (filter.scope !== "all") { const its = texts.hypothesis(s, Number(filter.scope)); return [its, its + 1, false]; }
  return [from, to, texts.sources > 0];
}

// The segments that hold the query, as marks; null where there is none.
function found() {
  const problem = $("#problem");
  problem.textContent = "";
  hitTexts = null;
  if (!filter.query) return null;
  const hits = new Uint8Array(texts.starts.length - 1);
  if (filter.regex) {
    const expression = queryExpression((error) => { problem.textContent = `No regular expression: ${error.message}`; });
    if (!expression) return null;
    for (let text = 0; text < hits.length; text++) hits[text] = expression.test(texts.text(text)) ? 1 : 0;
  } else markHits(hits);
  const marks = new Uint8Array(data.segments);
  hitTexts = new Array(data.segments);
  for (let s = 0; s < data.segments; s++) {
    const [from, to, source] = searched(s);
    let text = source && hits[s] ? s : -1;
    for (let its = from; its < to && text < 0; its++) if (hits[its]) text = its;
    if (text < 0) continue;
    marks[s] = 1;
    hitTexts[s] = text;
  }
  return marks;
}

// What is searched for as an expression; null if it is none.
function queryExpression(complain = () => {}, flags = "iu") {
  try {
    return new RegExp(filter.regex ? filter.query : filter.query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), flags);
  } catch (error) {
    complain(error);
    return null;
  }
}

const MOST_HITS = 2000;

// Mark what is searched for in the texts in view, across their tokens.
function markQuery() {
  if (!CSS.highlights) return;
  CSS.highlights.delete("hit");
  const expression = filter.query ? queryExpression(undefined, "giu") : null;
  if (!expression) return;
  const ranges = [];
  for (const line of document.querySelectorAll("#grid-body .hits, #segment .text")) {
    const nodes = [], walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    let text = "";
    while (walker.nextNode()) { nodes.push([text.length, walker.currentNode]); text += walker.currentNode.data; }
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

// Mark the texts that hold the query, in whatever case.
function markHits(hits) {
  if (lowered === null) {
    lowered = texts.all.toLowerCase();
    if (lowered.length !== texts.all.length) lowered = [...texts.all].map((c) => (c.toLowerCase().length === c.length ? c.toLowerCase() : c)).join("");
  }
  const query = filter.query.toLowerCase();
  let text = 0;
  for (let at = lowered.indexOf(query); at >= 0;) {
    while (texts.starts[text + 1] <= at) text++;
    if (at + query.length <= texts.starts[text + 1]) {
      hits[text] = 1;
      at = lowered.indexOf(query, texts.starts[text + 1]);
    } else at = lowered.indexOf(query, at + 1);
  }
}

// Whether any of a segment's hypotheses that are looked at has the flag.
function flagged(s, bit) {
  const scope = /^\d+$/.test(filter.scope) ? [Number(filter.scope)] : data.systems;
  return scope.some((k) => data.flag[k][s] >> bit & 1);
}

function applyFilter() {
  const hits = found(), bit = filter.flag === "" ? -1 : Number(filter.flag);
  const { selection, bucket } = filter, codes = bucket && data.bucket[bucket.kind];
  const kept = new Uint32Array(data.segments);
  let count = 0;
  for (const s of sorted()) {
    if (hits && !hits[s]) continue;
    if (selection && !selection.chosen[s]) continue;
    if (bucket && codes[s] !== bucket.code) continue;
    if (bit >= 0 && !flagged(s, bit)) continue;
    kept[count++] = s;
  }
  visible = kept.subarray(0, count);
  drawChosen();
  drawGrid(true);
}

// Change the filter; `jump` to the table, for choices made elsewhere.
function setFilter(changes, jump = false) {
  Object.assign(filter, changes);
  applyFilter();
  writeState(!("query" in changes));
  if (jump) $("#segments").scrollIntoView();
}

// What was chosen in charts and tables, each with a button that takes it back.
function drawChosen() {
  const buttons = [["selection", filter.selection], ["bucket", filter.bucket]].filter(([, its]) => its);
  $("#chosen").replaceChildren(...buttons.map(([name, its]) =>
    element("button", { type: "button", "aria-label": `Remove: ${its.label}`, onclick: () => setFilter({ [name]: null }) }, appendText(element("span"), its.label), element("span", { class: "no-print" }, " ×"))));
}

function clearFilters() {
  for (const id of ["query", "flag"]) $(`#${id}`).value = "";
  $("#scope").value = "all";
  $("#regex").checked = false;
  setFilter({ query: "", regex: false, scope: "all", flag: "", selection: null, bucket: null });
}

function fillFilters() {
  const option = (value, text) => element("option", { value }, text);
  const scopes = [option("all", "all texts"), ...(texts.sources ? [option("source", "the source")] : []), option("references", "references")];
  $("#scope").append(...scopes, ...data.names.map((name, k) => option(k, name)));
  $("#flag").append(option("", "any"), ...data.flags.map((name, bit) => option(bit, `${name} (${grouped(flagCount(bit))})`)));
  const sorts = [option("segment", "segment"), ...(data.names.length > 1 ? [option("difference", "B − A"), option("gap", "|B − A|")] : []), option("length", "reference length")];
  $("#sort").append(...sorts, ...data.names.map((name, k) => option(k, name)));
  const listen = (id, event, change) => $(id).addEventListener(event, (its) => setFilter(change(its.target)));
  listen("#query", "input", (its) => ({ query: its.value }));
  listen("#regex", "change", (its) => ({ regex: its.checked }));
  listen("#scope", "change", (its) => ({ scope: its.value }));
  listen("#flag", "change", (its) => ({ flag: its.value }));
  listen("#sort", "change", (its) => ({ sort: its.value, descending: $("#descending").checked ||= its.value === "gap" }));
  listen("#descending", "change", (its) => ({ descending: its.checked }));
  $("#filters").addEventListener("submit", (event) => event.preventDefault());
}

function flagCount(bit) {
  let count = 0;
  for (let s = 0; s < data.segments; s++) count += data.systems.some((k) => data.flag[k][s] >> bit & 1) ? 1 : 0;
  return count;
}
