// What is shown, in the address: the pair, the filter, the order and the opened segment.

const USUAL = { ...filter }, WORDS = "2";
let restoring = false, wantedPick = null;

function stateNow() {
  const state = new URLSearchParams();
  if (opened >= 0) state.set("segment", opened);
  if (data.names.length > 1 && (pair.a !== 0 || pair.b !== 1)) { state.set("a", pair.a); state.set("b", pair.b); }
  for (const [name, value] of Object.entries(filter)) {
    if (typeof value !== "object" && value !== USUAL[name]) state.set(name, value === true ? "yes" : value);
  }
  if (filter.bucket) state.set("bucket", `${filter.bucket.kind}.${filter.bucket.code}`);
  if (filter.selection) state.set("pick", filter.selection.label);
  if ($("#ngram-order").value !== WORDS && data.orders > 1) state.set("words", $("#ngram-order").value);
  return String(state);
}

// `step` makes it a step that Back takes back.
function writeState(step = true) {
  const state = stateNow();
  if (isFramed || restoring || state === location.hash.slice(1)) return;
  history[step ? "pushState" : "replaceState"](null, "", state ? `#${state}` : location.pathname + location.search);
}

function readState() {
  const state = new URLSearchParams(location.hash.slice(1)), known = ["segment", "a", "b", "bucket", "pick", "words", ...Object.keys(USUAL)];
  const isState = [...state.keys()].every((name) => known.includes(name));
  if (!isState || String(state) === stateNow()) return;
  const number = (name, below, usual) => (/^\d+$/.test(state.get(name)) && Number(state.get(name)) < below ? Number(state.get(name)) : usual);
  const options = (id) => [...$(id).options].map(({ value }) => value);
  const choice = (name) => (options(`#${name}`).includes(state.get(name)) ? state.get(name) : USUAL[name]);
  restoring = true;
  pair.a = number("a", data.names.length, 0);
  pair.b = number("b", data.names.length, Math.min(1, data.names.length - 1));
  const [kind, code] = (state.get("bucket") ?? "").split(".").map(Number), labels = data.buckets[kind]?.labels;
  Object.assign(filter, {
    query: state.get("query") ?? "", regex: state.get("regex") === "yes", descending: state.get("descending") === "yes",
    scope: choice("scope"), flag: choice("flag"), sort: choice("sort"), selection: null,
    bucket: labels?.[code] === undefined ? null : { kind, code, label: `${data.buckets[kind].name} ${labels[code]}` },
  });
  for (const name of ["query", "scope", "flag", "sort"]) $(`#${name}`).value = filter[name];
  for (const name of ["regex", "descending"]) $(`#${name}`).checked = filter[name];
  if (options("#ngram-order").includes(state.get("words") ?? WORDS)) $("#ngram-order").value = state.get("words") ?? WORDS;
  const segment = number("segment", data.segments, -1);
  if (segment < 0) closeSegment();
  opened = -1;
  wantedPick = state.get("pick");
  setPair({});
  choosePick();
  if (segment >= 0) {
    const at = visible.indexOf(segment);
    if (at >= 0) moveTo(at);
    openSegment(segment);
  }
  restoring = false;
}

// Select what was picked in a chart or in a table of phrases, once that is drawn.
function choosePick() {
  if (wantedPick === null) return;
  const its = [...document.querySelectorAll("#charts [role=button], #ngram-tables [data-pick]")].find((mark) => (mark.dataset.pick ?? mark.ariaLabel).startsWith(wantedPick));
  if (!its) return;
  wantedPick = null;
  const before = restoring;
  restoring = true;
  its.dispatchEvent(new MouseEvent("click"));
  restoring = before;
}
