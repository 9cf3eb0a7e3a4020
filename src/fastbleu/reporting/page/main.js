// From the data to the page; what the whole page listens to.

function fillCompare() {
  $("#ngram-order").append(...Array.from({ length: Math.min(data.orders, 8) }, (_, n) => element("option", { value: n + 1, selected: n === 1 && "" }, String(n + 1))));
  $("#ngram-order").addEventListener("change", () => { countNgrams(); writeState(); });
  if (data.names.length < 2) { pair.b = pair.a; return; }
  for (const [id, name] of [["#system-a", "a"], ["#system-b", "b"]]) {
    const select = $(id);
    select.append(...data.names.map((its, k) => element("option", { value: k }, its)));
    select.value = pair[name];
    select.addEventListener("change", () => setPair({ [name]: Number(select.value) }));
  }
  for (const its of document.querySelectorAll(".choose")) its.hidden = false;
  $("#overview").addEventListener("click", ({ target }) => {
    const { a, b } = target.closest("[data-a], [data-b]")?.dataset ?? {};
    if (a ?? b) setPair({ ...(a && { a: Number(a) }), ...(b && { b: Number(b) }) });
  });
  $("#compare").hidden = false;
}

function setPair(chosen) {
  Object.assign(pair, chosen);
  $("#system-a").value = pair.a;
  $("#system-b").value = pair.b;
  drawAll();
  writeState();
}

// Show which systems are compared where these are chosen.
function drawChoice() {
  for (const its of document.querySelectorAll("#overview [data-a], #overview [data-b]")) {
    const { a = pair.a, b = pair.b } = its.dataset;
    its.setAttribute("aria-pressed", Number(a) === pair.a && Number(b) === pair.b);
  }
}

function drawAll() {
  drawChoice();
  $("#verdict").textContent = data.verdicts[pair.b][pair.a];
  drawWaterfall();
  drawWhere();
  applyFilter();
  if (opened >= 0) openSegment(opened, false);
  countNgrams();
}

function pageKey(event) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by && opened >= 0 && !typing && !event.target.closest("svg, .scroll")) {
    event.preventDefault();
    step(by);
  } else if (event.key === "/" && !typing) {
    event.preventDefault();
    $("#query").focus();
  } else if (event.key === "Escape") {
    if (opened >= 0 && !typing) closeSegment();
    else clearFilters();
  }
}

async function main() {
  addEventListener("click", followLink);
  data = readNumbers(await Payload.read("numbers"));
  fillCompare();
  sortable($("#systems"));
  drawChoice();
  drawWaterfall();
  drawWhere();
  texts = new Texts(await Payload.read("texts"));
  fillFilters();
  applyFilter();
  const grid = $("#grid");
  grid.addEventListener("scroll", () => drawRows(), { passive: true });
  grid.addEventListener("keydown", gridKey);
  addEventListener("resize", () => drawRows());
  addEventListener("keydown", pageKey);
  addEventListener("hashchange", readState);
  addEventListener("popstate", readState);
  addEventListener("beforeprint", () => drawRows(PRINTED));
  addEventListener("afterprint", () => drawRows());
  $("#export-csv").addEventListener("click", exportCsv);
  $("#export-json").addEventListener("click", exportJson);
  $("#copy-link").addEventListener("click", (event) => copy(location.href, event.target));
  $("#copy-link").hidden = isFramed;
  for (const region of document.querySelectorAll("#overview .scroll, #mistakes .scroll")) region.after(tableButtons($("table", region)));
  readState();
  document.documentElement.dataset.ready = "yes";
  countNgrams();
}

main().catch((error) => {
  $("#count").textContent = "";
  $("#problem").textContent = `This browser cannot read the report: ${error.message}`;
  throw error;
});
