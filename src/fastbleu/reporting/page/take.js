// What can be exported: the visible rows as CSV and JSON, tables as TSV and LaTeX.

import { $, data, score } from "./data.js";
import { element } from "./elements.js";
import { texts } from "./texts.js";

function save(content, type, name) {
  const link = element("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function exported(s) {
  const references = Array.from({ length: data.references[s] }, (_, j) => texts.text(texts.reference(s, j)));
  return {
    segment: s,
    ...(data.ids ? { id: data.ids[s] } : {}),
    ...(texts.sources ? { source: texts.text(s) } : {}),
    references,
    systems: data.systems.map((k) => ({
      name: data.names[k], score: data.score[k][s], hyp_len: data.hypLen[k][s], ref_len: data.refLen[k][s], bp: data.bp(k, s),
      matches: data.matches[k].map((its) => its[s]), totals: data.totals[k].map((its) => its[s]),
      flags: data.flags.filter((_, bit) => data.flag[k][s] >> bit & 1), hypothesis: texts.text(texts.hypothesis(s, k)),
    })),
  };
}

export function exportJson(shown) {
  save(JSON.stringify(Array.from(shown, exported), null, 1), "application/json", "segments.json");
}

// A spreadsheet would take a text that begins like this for a formula.
const quoted = (value) => `"${(typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)).replaceAll('"', '""')}"`;

export function exportCsv(shown) {
  const most = data.references.reduce((one, other) => Math.max(one, other), 0);
  const heads = ["segment", ...(data.ids ? ["id"] : []), ...data.names.map((name) => `score ${name}`), "ref_len", ...(texts.sources ? ["source"] : []),
    ...Array.from({ length: most }, (_, j) => `reference ${j + 1}`), ...data.names];
  const rows = Array.from(shown, exported).map((its) => [its.segment, ...(data.ids ? [its.id] : []), ...its.systems.map((system) => system.score), its.systems[0].ref_len,
    ...(texts.sources ? [its.source] : []), ...Array.from({ length: most }, (_, j) => its.references[j] ?? ""), ...its.systems.map((system) => system.hypothesis)]);
  save("\ufeff" + [heads, ...rows].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n", "text/csv;charset=utf-8", "segments.csv");
}

export function segmentText(s) {
  const its = exported(s), lines = [`Segment ${s}`, ...(its.source === undefined ? [] : [`source: ${its.source}`]), ...its.references.map((text) => `reference: ${text}`)];
  return [...lines, ...its.systems.map((system) => `${system.name}, ${score(system.score)}: ${system.hypothesis}`)].join("\n");
}

// The clipboard may be forbidden, as in frames; then a selected text is copied.
export async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea", { class: "copied" });
    area.value = text;
    button.after(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  const title = button.dataset.title ??= button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = title; }, 1500);
}

const LATEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "−": "$-$" };

// A table as text for spreadsheets or papers, with whole names, and without what is only for the screen.
function tableText(table, latex) {
  const isBold = (cell) => cell.closest("tr.significant") || $(".significant", cell);
  const onPaper = (part) => {
    const copied = part.cloneNode(true);
    copied.querySelectorAll(".no-print, .cut-names").forEach((its) => its.remove());
    return copied.textContent.trim().replace(/\s+/g, " ");
  };
  const rows = [...table.rows].map((row) => [...row.cells].filter((cell) => !cell.matches(".bar")).map((cell) => {
    const text = cell.title || onPaper(cell);
    if (!latex) return text;
    const literal = text.replace(/[\\~^−]|[&%$#_{}]/g, (mark) => LATEX[mark] ?? `\\${mark}`);
    return isBold(cell) ? `\\textbf{${literal}}` : literal;
  }));
  if (!latex) return rows.map((row) => row.join("\t")).join("\n") + "\n";
  const isGroupEnd = (i) => table.rows[i].matches(".cut") && !table.matches(".resorted");
  const [head, ...body] = rows.map((row, i) => `${row.join(" & ")} \\\\${isGroupEnd(i) ? "\n\\midrule" : ""}`);
  const note = table.caption ? `% ${onPaper(table.caption)}\n` : "";
  return `${note}\\begin{tabular}{l${"r".repeat(rows[0].length - 1)}}\n\\toprule\n${head}\n\\midrule\n${body.join("\n")}\n\\bottomrule\n\\end{tabular}\n`;
}

export const tableButtons = (table) => element("p", { class: "take no-print" }, ...["TSV", "LaTeX"].map((name) =>
  element("button", { type: "button", "aria-label": `Copy the table as ${name}`, onclick: (event) => copy(tableText(table, name === "LaTeX"), event.target) }, name)));
