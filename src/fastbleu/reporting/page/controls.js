// The sentence about A and B, and the controls: they show the state, and change it.

import { $, data, grouped, state } from "./data.js";
import { element, option, sortable } from "./elements.js";
import { texts } from "./texts.js";
import { change } from "./view.js";

/** The sentence about A and B, and the controls that choose them. */
export function drawVerdict() {
  for (const place of document.querySelectorAll("#verdict, #answer")) place.replaceChildren(...data.verdicts[state.b][state.a].map(([text, link]) => (link ? element("a", { href: link }, text) : text)));
  $("#explained").textContent = data.explained[state.b][state.a];
  for (const button of document.querySelectorAll("#overview [data-a], #overview [data-b]")) {
    const { a = state.a, b = state.b } = /** @type {HTMLElement} */ (button).dataset;
    button.setAttribute("aria-pressed", String(Number(a) === state.a && Number(b) === state.b));
  }
}

/** Make the controls show the state. */
export function drawControls() {
  for (const name of ["query", "scope", "flag", "sort", "words"]) if ($(`#${name}`).value !== String(state[name])) $(`#${name}`).value = state[name];
  for (const name of ["regex", "descending"]) $(`#${name}`).checked = state[name];
  for (const name of ["a", "b"]) $(`#system-${name}`).value = state[name];
}

export const clearFilters = () => change({ query: "", regex: false, scope: "all", flag: "", pick: null, bucket: "" });

export function startControls() {
  const flagged = (bit) => {
    let count = 0;
    for (let s = 0; s < data.segments; s++) if (data.systems.some((k) => data.flag[k][s] >> bit & 1)) count++;
    return grouped(count);
  };
  const listen = (id, name, value) => $(`#${id}`).addEventListener("change", ({ target }) => change({ [name]: value(target) }));
  const fill = (name, options) => {
    $(`#${name}`).append(...options);
    listen(name, name, ({ value }) => value);
  };
  const isSeveral = data.names.length > 1, systems = () => data.names.map((name, k) => option(k, name));
  fill("scope", [option("all", "all texts"), ...(texts.sources ? [option("source", "the source")] : []), option("references", "references"), ...systems()]);
  fill("flag", [option("", "any"), ...data.flags.map((name, bit) => option(bit, `${name} (${flagged(bit)})`))]);
  $("#sort").append(...(data.part ? [option("share", isSeveral ? "share of the difference" : "share of the score")] : []), ...(isSeveral ? [option("gap", "|B − A|"), option("difference", "B − A")] : []), option("segment", "segment"), option("length", "reference length"), ...systems());
  $("#sort").addEventListener("change", ({ target }) => change({ sort: target.value, descending: isSeveral && ["gap", "share"].includes(target.value) }));
  $("#words").append(...Array.from({ length: Math.min(data.orders, 8) }, (_, n) => option(n + 1, String(n + 1))));
  listen("words", "words", ({ value }) => Number(value));
  $("#query").addEventListener("input", ({ target }) => change({ query: target.value }, false));
  for (const name of ["regex", "descending"]) listen(name, name, ({ checked }) => checked);
  for (const name of ["a", "b"]) {
    $(`#system-${name}`).append(...systems());
    listen(`system-${name}`, name, ({ value }) => Number(value));
  }
  $("#compare").hidden = !isSeveral;
  for (const choice of document.querySelectorAll(".choose")) choice.removeAttribute("hidden");
  $("#overview").addEventListener("click", ({ target }) => {
    const { a = state.a, b = state.b } = target.closest("[data-a], [data-b]")?.dataset ?? {};
    if (Number(a) !== state.a || Number(b) !== state.b) change({ a: Number(a), b: Number(b) });
  });
  $("#filters").addEventListener("submit", (event) => event.preventDefault());
  sortable($("#systems"));
}

/** Dark or light, like the page around the frame or as the reader chooses; otherwise like the system. */
export function startTheme() {
  const root = document.documentElement, button = $("#theme");
  try {
    for (let place = frameElement; place; place = place.parentElement) {
      const [red, green, blue, alpha = 1] = getComputedStyle(place).backgroundColor.match(/[\d.]+/g).map(Number);
      if (!alpha) continue;
      root.dataset.theme = red + green + blue < 384 ? "dark" : "light";
      break;
    }
  } catch { /* The page around the frame is on another site. */ }
  const isDark = () => root.dataset.theme === "dark" || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  button.hidden = false;
  button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; });
}
