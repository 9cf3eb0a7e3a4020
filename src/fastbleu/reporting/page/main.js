// Start the page from its data, and handle events of the whole page.

import { clearFilters, drawControls, drawVerdict, startControls, startTheme } from "./controls.js";
import { $, Payload, readNumbers, state } from "./data.js";
import { drawList, shownSegments, startList, step } from "./list.js";
import { drawPhrases, startPhrases } from "./phrases.js";
import { drawSegment } from "./segment.js";
import { copy, exportCsv, exportJson, tableButtons } from "./take.js";
import { readTexts } from "./texts.js";
import { closeSegment, followLink, isFramed, readAddress, start } from "./view.js";
import { drawWhere } from "./where.js";

const PAIR = ["a", "b"], FILTERS = ["query", "regex", "scope", "flag", "bucket", "pick", "sort", "descending"];

function pageKey(event) {
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by && state.segment >= 0 && !isTyping && !event.target.closest("svg, .scroll")) {
    event.preventDefault();
    step(by);
  } else if (event.key === "/" && !isTyping) {
    event.preventDefault();
    $("#query").focus();
  } else if (event.key === "Escape") {
    if (state.segment >= 0 && !isTyping) closeSegment();
    else clearFilters();
  }
}

async function main() {
  startTheme();
  readNumbers(await Payload.read("numbers"));
  readTexts(await Payload.read("texts"));
  $("#unscripted").remove();
  for (const part of document.querySelectorAll(".scripted")) part.removeAttribute("hidden");
  // A telephone shows the verdict, the leaderboard and the segments first.
  if (matchMedia("(max-width: 40rem)").matches) for (const part of document.querySelectorAll("details")) part.open = false;
  startControls();
  startList();
  startPhrases();
  for (const region of document.querySelectorAll("#overview .scroll")) region.after(tableButtons($("table", region)));
  $("#export-csv").addEventListener("click", () => exportCsv(shownSegments()));
  $("#export-json").addEventListener("click", () => exportJson(shownSegments()));
  $("#copy-link").addEventListener("click", (event) => copy(location.href, event.target));
  $("#copy-link").hidden = isFramed;
  addEventListener("click", followLink);
  addEventListener("keydown", pageKey);
  addEventListener("hashchange", readAddress);
  addEventListener("popstate", readAddress);
  start([
    [drawControls],
    [drawVerdict, PAIR],
    [drawWhere, PAIR],
    [drawList, [...PAIR, ...FILTERS]],
    [drawSegment, [...PAIR, "segment", "against"]],
    [drawPhrases, [...PAIR, "words"]],
  ]);
  document.documentElement.dataset.ready = "yes";
}

main().catch((error) => {
  $("#overview").prepend(`This browser cannot read the report: ${error.message}`);
  throw error;
});
