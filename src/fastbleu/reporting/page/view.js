// Changes of the state, each written into the address: the pair, the filter, the order, the segment.

import { $, data, hasShares, state } from "./data.js";

/** In a notebook's frame, links resolve against the notebook's address, and the history is the notebook's. */
export const isFramed = location.protocol === "about:";
/** Defaults, which are not written into the address. @type {any} */
let usual = { ...state };
/** Functions that show the state, each with the fields that it shows; without any, it always does. @type {[() => void, string[]?][]} */
let views;
let wantedPick = null;

/**
 * Change the state; with `step`, the browser's Back undoes it.
 * @param {Partial<import("./data.js").State>} changes
 */
export function change(changes, step = true) {
  const before = { ...state };
  Object.assign(state, changes);
  draw(before);
  const address = addressOf(state);
  if (isFramed || address === location.hash.slice(1)) return;
  history[step ? "pushState" : "replaceState"](null, "", address ? `#${address}` : location.pathname + location.search);
}

function draw(before) {
  for (const [drawView, fields] of views) if (!fields || fields.some((name) => state[name] !== before[name])) drawView();
}

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

/** Select the segments for which `test` holds, and go to the list. */
export function selectSegments(label, test) {
  const chosen = Uint8Array.from({ length: data.segments }, (_, s) => (test(s) ? 1 : 0));
  change({ pick: { label, chosen } });
  goToList();
}

export const goToList = () => $("#segments").scrollIntoView();

function addressOf(shown) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(shown)) {
    if (name === "against" || value === usual[name]) continue;
    parameters.set(name, value === true ? "yes" : value === false ? "no" : name === "pick" ? value.label : value);
  }
  return String(parameters);
}

/** The state of an address on top of `base`; impossible values are left out. */
function stateOf(parameters, base) {
  const wanted = { ...base };
  const isOption = (id, value) => [...$(id).options].some((option) => option.value === String(value));
  const below = (end) => (value) => Number.isInteger(value) && value < end;
  const checks = {
    a: below(data.names.length), b: below(data.names.length), segment: below(data.segments),
    query: () => true, regex: () => true, descending: () => true, words: (value) => isOption("#words", value),
    scope: (value) => isOption("#scope", value), flag: (value) => isOption("#flag", value), sort: (value) => isOption("#sort", value),
    bucket: (value) => { const [kind, code] = value.split("."); return data.buckets[kind]?.labels[code] !== undefined; },
  };
  for (const [name, text] of parameters) {
    const type = typeof usual[name];
    const value = type === "boolean" ? text === "yes" : type === "number" && /^\d+$/.test(text) ? Number(text) : text;
    if (checks[name]?.(value)) wanted[name] = value;
  }
  return wanted;
}

export function readAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  if (![...parameters.keys()].every((name) => name in usual) || String(parameters) === addressOf(state)) return;
  const before = { ...state };
  wantedPick = parameters.get("pick");
  Object.assign(state, stateOf(parameters, { ...usual, pick: null }));
  draw(before);
  choosePick();
  if (wantedPick !== null) $("#phrases").open = true;
}

/** Select what was picked in a chart or in a table of phrases, once that is drawn. */
export function choosePick() {
  if (wantedPick === null) return;
  const marks = [...document.querySelectorAll("#charts [role=button], #phrase-tables [data-pick]")];
  const mark = /** @type {HTMLElement[]} */ (marks).find(({ dataset, ariaLabel }) => (dataset.pick ?? ariaLabel).startsWith(wantedPick));
  if (!mark) return;
  wantedPick = null;
  mark.dispatchEvent(new MouseEvent("click"));
}

/** Show everything for the first time, in the order of `parts`, and go to what the address names. */
export function start(parts) {
  views = parts;
  const [a, b] = data.pair;
  Object.assign(state, { a, b, descending: a !== b });
  state.sort = hasShares() ? "share" : a === b ? String(a) : "gap";
  usual = { ...state };
  draw({});
  readAddress();
  if (state.segment >= 0) $("#segment").scrollIntoView();
  else if (addressOf(state)) goToList();
}

/** Links to states of the page keep the rest of what is shown. */
export function followLink(event) {
  const target = event.target.closest?.('a[href^="#"]')?.getAttribute("href").slice(1);
  if (!target) return;
  const isState = target.includes("="), place = isState ? null : $(`#${target}`);
  if (isState || isFramed) event.preventDefault();
  if (isState) {
    change(stateOf(new URLSearchParams(target), state));
    goToList();
  } else if (place && isFramed) {
    place.setAttribute("tabindex", -1);
    place.focus({ preventScroll: true });
    place.scrollIntoView();
  }
}
