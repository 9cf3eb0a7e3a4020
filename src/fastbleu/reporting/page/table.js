// The table of segments: only the rows in view are in the document.

const ROW = 28, BEYOND = 12, PRINTED = 60, MOST_PRINTED = 5, SNIPPET = 300, BEFORE_HIT = 12;
let current = 0;       // the row that the keyboard is at
let columns = [];

function gridColumns() {
  const text = (s) => {
    const usual = texts.sources ? s : texts.reference(s, 0), number = hitTexts?.[s] ?? usual;
    const whole = texts.text(number), before = hitTexts ? whole.search(queryExpression() ?? "") - BEFORE_HIT : 0;
    const from = before > 0 ? before : 0, end = from + SNIPPET;
    return `${number === usual ? "" : `${texts.nameOf(s, number)}: `}${from ? "… " : ""}${whole.slice(from, end)}${whole.length > end ? " …" : ""}`;
  };
  const shown = shownSystems();
  const ofSystem = (k) => ({ title: data.names[k], sort: String(k), width: "5.4rem", cell: (s) => score(data.score[k][s]), number: true });
  columns = [
    { title: "#", sort: "segment", width: "4.6rem", cell: (s) => String(s), number: true },
    ...(data.ids ? [{ title: "id", width: "7rem", cell: (s) => data.ids[s] }] : []),
    ...shown.map(ofSystem),
    ...(isPair() ? [{ title: "B − A", sort: "difference", width: "4.8rem", cell: (s) => signed(difference(s), data.digits), number: true }] : []),
    { title: texts.sources ? "source" : "reference", width: "minmax(16rem, 1fr)", cell: text, text: true },
    { title: "ref. tokens", sort: "length", width: "5.2rem", cell: (s) => String(data.refLen[pair.a][s]), number: true },
    // On paper only a few systems have room.
    ...data.systems.filter((k) => !shown.includes(k)).map((k) => ({ ...ofSystem(k), unprinted: data.systems.length > MOST_PRINTED })),
  ];
}

function drawHead() {
  gridColumns();
  const grid = $("#grid"), head = element("div", { class: "row", role: "row", "aria-rowindex": 1 });
  grid.style.setProperty("--columns", columns.map(({ width }) => width).join(" "));
  // On paper nothing scrolls: the columns share the width.
  grid.style.setProperty("--printed", columns.filter(({ unprinted }) => !unprinted).map(({ width, text }) => (text ? "minmax(8rem, 32fr)" : `minmax(3.1rem, ${parseFloat(width)}fr)`)).join(" "));
  columns.forEach(({ title, sort, number, unprinted }, i) => {
    const way = sort === filter.sort ? (filter.descending ? "descending" : "ascending") : sort ? "none" : null;
    const label = way === "ascending" ? `${title} ▲` : way === "descending" ? `${title} ▼` : title;
    const inside = sort ? element("button", { type: "button", title, tabindex: -1, onclick: () => sortBy(sort) }, label) : label;
    head.append(element("div", { role: "columnheader", "aria-colindex": i + 1, "aria-sort": way, class: `${number ? "n" : ""}${unprinted ? " no-print" : ""}`, dir: "auto" }, inside));
  });
  $("#grid-head").replaceChildren(head);
  grid.setAttribute("aria-colcount", columns.length);
}

function sortBy(sort) {
  const descending = filter.sort === sort ? !filter.descending : false;
  $("#sort").value = sort;
  $("#descending").checked = descending;
  setFilter({ sort, descending });
}

function drawGrid(fromTop = false) {
  const grid = $("#grid");
  drawHead();
  grid.setAttribute("aria-rowcount", visible.length + 1);
  // As high as all segments need, if that is little, whatever is filtered; with room for a scroll bar.
  grid.style.height = `min(60vh, 40rem, ${(data.segments + 1) * ROW + 20}px)`;
  $("#grid-body").style.height = `${visible.length * ROW}px`;
  if (fromTop) { grid.scrollTop = 0; current = 0; }
  drawRows();
}

function drawRows(all = 0) {
  const grid = $("#grid"), body = $("#grid-body");
  const from = all ? 0 : Math.max(0, Math.floor(grid.scrollTop / ROW) - BEYOND);
  const to = Math.min(visible.length, all || Math.ceil((grid.scrollTop + grid.clientHeight) / ROW) + BEYOND);
  const rows = [];
  for (let at = from; at < to; at++) rows.push(rowOf(at));
  body.replaceChildren(...rows);
  showCount(all ? to : visible.length);
  markQuery();
  if (visible.length) grid.setAttribute("aria-activedescendant", `row-${current}`);
  else grid.removeAttribute("aria-activedescendant");
}

// How many segments there are: the first `shown` of those found of all.
function showCount(shown) {
  const parts = [shown, visible.length].filter((count, i, all) => count !== (all[i + 1] ?? data.segments)).map(grouped);
  $("#count").textContent = [...parts, counted(data.segments)].join(" of ");
}

function rowOf(at) {
  const s = visible[at];
  const row = element("div", { class: at === current ? "row current" : "row", role: "row", id: `row-${at}`, "aria-rowindex": at + 2, "aria-selected": at === current, "data-segment": s, onclick: () => { moveTo(at); openSegment(s); } });
  row.style.transform = `translateY(${at * ROW}px)`;
  columns.forEach(({ cell, number, text, unprinted }, i) => {
    const made = element("div", { role: "gridcell", "aria-colindex": i + 1, class: `${number ? "n" : text ? "hits" : ""}${unprinted ? " no-print" : ""}`, dir: number ? null : "auto" });
    row.append(text ? appendText(made, cell(s).replace(/\s+/g, " ")) : (made.append(cell(s)), made));
  });
  return row;
}

function moveTo(at) {
  if (!visible.length) return;
  const grid = $("#grid"), head = ROW;
  current = Math.max(0, Math.min(visible.length - 1, at));
  const top = current * ROW;
  if (top < grid.scrollTop) grid.scrollTop = top;
  else if (top + ROW + head > grid.scrollTop + grid.clientHeight) grid.scrollTop = top + ROW + head - grid.clientHeight;
  drawRows();
}

function gridKey(event) {
  const page = Math.max(1, Math.floor($("#grid").clientHeight / ROW) - 2);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
  if (event.key in steps) {
    event.preventDefault();
    moveTo(current + steps[event.key]);
    if (opened >= 0 && visible.length) openSegment(visible[current], false);
  } else if (event.key === "Enter" && event.target.id === "grid" && visible.length) openSegment(visible[current]);
}
