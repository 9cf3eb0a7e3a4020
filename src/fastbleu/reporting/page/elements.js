// Elements of the page. Texts reach it as text nodes only.

const NAMED = { 0x202a: "LRE", 0x202b: "RLE", 0x202c: "PDF", 0x202d: "LRO", 0x202e: "RLO", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI" };

/** Append a text as it is, except for control characters, which are made visible. */
export function appendText(parent, text) {
  let last = 0;
  for (const found of text.matchAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g)) {
    const code = found[0].charCodeAt(0);
    const name = NAMED[code] ?? (code < 32 ? String.fromCharCode(0x2400 + code) : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`);
    parent.append(text.slice(last, found.index), element("span", { class: "control" }, name));
    last = found.index + 1;
  }
  parent.append(text.slice(last));
  return parent;
}

/**
 * An element with attributes, listeners (on...) and children.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @returns {any}
 */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @returns {any}
 */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const option = (value, text, selected = false) => element("option", { value, selected: selected && "" }, text);
export const headOf = (titles) => element("thead", {}, element("tr", {}, ...titles.map((title) => (title ? element("th", { scope: "col", dir: "auto" }, title) : element("td", { class: "bar" })))));
/** A table that scrolls on its own in narrow windows. */
export const scrolling = (label, table) => element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, table);

/** Heads that sort the rows of a table, in descending order first. */
export function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, column) => {
    const text = row.cells[column].textContent.trim(), number = parseFloat(text.replaceAll(",", "").replace("−", "-"));
    return Number.isNaN(number) ? text : number;
  };
  heads.forEach((head, column) => {
    if (!head.textContent) return;
    head.setAttribute("aria-sort", "none");
    const sort = () => {
      const way = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
      for (const other of heads) if (other.ariaSort) other.ariaSort = "none";
      head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows].map((row) => [value(row, column), row]);
      rows.sort(([one], [other]) => way * (typeof one === typeof other ? (one < other ? -1 : one > other ? 1 : 0) : typeof one === "number" ? 1 : -1));
      table.tBodies[0].append(...rows.map(([, row]) => row));
      table.classList.add("resorted");
    };
    head.replaceChildren(element("button", { type: "button", class: "sort", onclick: sort }, ...head.childNodes));
  });
  return table;
}
