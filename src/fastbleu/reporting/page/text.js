// The texts, their tokens, and which of these match: what reporting/contents.py writes.

class Texts {
  constructor(payload) {
    const count = data.segments, systems = data.names.length;
    this.starts = startsOf(payload.get("lengths"));
    this.all = new TextDecoder("utf-8", { ignoreBOM: true }).decode(payload.get("texts"));
    this.others = payload.header.others;
    this.sources = payload.header.sources ? count : 0;
    this.first = startsOf(Uint32Array.from(data.references, (its) => its + systems));
    this.stream = payload.get("tokens");
    this.index();
    this.marks = data.systems.map((k) => payload.get(`marks.${k}`));
    this.found = data.systems.map((k) => payload.get(`found.${k}`));
    this.each = data.systems.map((k) => (payload.has(`each.${k}`) ? payload.get(`each.${k}`) : null));
    this.markStarts = data.hypLen.map(startsOf);
    this.eachStarts = data.hypLen.map((its) => startsOf(its.map ? Uint32Array.from(its, (length, s) => length * data.references[s]) : its));
    const lengths = new Uint32Array(count + 1);
    for (let s = 0; s < count; s++) {
      lengths[s + 1] = lengths[s];
      for (let j = 0; j < data.references[s]; j++) lengths[s + 1] += this.tokenCount(this.reference(s, j));
    }
    this.foundStarts = lengths;
  }

  // Where the integers of each text begin in the stream, and its number of tokens.
  index() {
    const texts = this.starts.length - 1;
    this.places = new Uint32Array(texts);
    this.counts = new Uint32Array(texts);
    this.at = 0;
    for (let text = 0; text < texts; text++) {
      this.places[text] = this.at;
      const count = this.counts[text] = this.integer();
      for (let made = 0; made < count;) {
        made += this.integer();
        if (made < count) { this.integer(); this.integer(); made++; }
      }
    }
  }

  integer() {
    let value = 0, shift = 0, byte;
    do {
      byte = this.stream[this.at++];
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte & 128);
    return value;
  }

  reference(s, j) { return this.sources + this.first[s] + j; }
  hypothesis(s, k) { return this.sources + this.first[s] + data.references[s] + k; }
  // What a text of a segment is called.
  nameOf(s, number) {
    const at = number - this.sources - this.first[s];
    return at < 0 ? "source" : at < data.references[s] ? "reference" : data.names[at - data.references[s]];
  }

  text(number) { return this.all.slice(this.starts[number], this.starts[number + 1]); }
  tokenCount(number) { return this.others[number]?.length ?? this.counts[number]; }

  // The tokens of a text: what precedes each, and the token. What follows the last one is at the end.
  tokens(number) {
    const other = this.others[number];
    if (other) return other.map((token, i) => ({ gap: i ? " " : "", token }));
    const text = this.text(number), count = this.counts[number], made = [];
    let end = 0;
    const add = (start, stop) => {
      made.push({ gap: text.slice(end, start), token: text.slice(start, stop) });
      end = stop;
    };
    this.at = this.places[number];
    this.integer();
    while (made.length < count) {
      for (let run = this.integer(); run > 0; run--) {
        const start = text[end] === " " ? end + 1 : end, space = text.indexOf(" ", start);
        add(start, space < 0 ? text.length : space);
      }
      if (made.length < count) {
        const start = end + this.integer();
        add(start, start + this.integer());
      }
    }
    if (made.length) made.end = text.slice(end);
    return made;
  }

  // What the tokens are compared as.
  compared(number) {
    return this.tokens(number).map(({ token }) => (data.lowercase ? token.toLowerCase() : token));
  }

  // By token of a hypothesis the orders of the matches that start there, as bits; against all
  // references, or against reference j.
  matches(s, k, j = -1) {
    const length = data.hypLen[k][s];
    if (j < 0 || !this.each[k]) return this.marks[k].subarray(this.markStarts[k][s], this.markStarts[k][s] + length);
    const start = this.eachStarts[k][s] + j * length;
    return this.each[k].subarray(start, start + length);
  }

  // Whether the hypothesis of system k has each token of reference j.
  isFound(s, k, j) {
    let at = this.foundStarts[s];
    for (let before = 0; before < j; before++) at += this.tokenCount(this.reference(s, before));
    return Array.from({ length: this.tokenCount(this.reference(s, j)) }, (_, i) => this.found[k][(at + i) >> 3] >> ((at + i) & 7) & 1);
  }

  // The longest matching n-gram that each token belongs to, from where the matches start.
  longest(marks) {
    const orders = new Uint8Array(marks.length);
    for (let i = 0; i < marks.length; i++) {
      for (let n = 1; n <= 8; n++) {
        if (!(marks[i] >> (n - 1) & 1)) continue;
        for (let m = i; m < i + n; m++) if (orders[m] < n) orders[m] = n;
      }
    }
    return orders;
  }
}

const NAMED = { 0x202a: "LRE", 0x202b: "RLE", 0x202c: "PDF", 0x202d: "LRO", 0x202e: "RLO", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI" };

// Append a text as it is, except for control characters, which are made visible.
function appendText(parent, text) {
  let last = 0;
  for (const found of text.matchAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g)) {
    parent.append(text.slice(last, found.index));
    const code = found[0].charCodeAt(0), shown = document.createElement("span");
    shown.className = "control";
    shown.textContent = NAMED[code] ?? (code < 32 ? String.fromCharCode(0x2400 + code) : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`);
    parent.append(shown);
    last = found.index + 1;
  }
  parent.append(text.slice(last));
  return parent;
}

// An element with attributes, listeners (on...) and children.
function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
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

const headOf = (titles) => element("thead", {}, element("tr", {}, ...titles.map((title) => (title ? element("th", { scope: "col", dir: "auto" }, title) : element("td", { class: "bar" })))));

// Heads that sort the rows of a table, first downwards; text and empty cells as they stand.
function sortable(table) {
  const value = (row, column) => {
    const text = row.cells[column].textContent.trim(), number = parseFloat(text.replaceAll(",", "").replace("−", "-"));
    return Number.isNaN(number) ? text : number;
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (!head.textContent) return;
    head.setAttribute("aria-sort", "none");
    const sort = () => {
      const way = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
      for (const its of table.tHead.rows[0].cells) if (its.ariaSort) its.ariaSort = "none";
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

// A table that scrolls by itself where the window is narrow.
const scrolling = (label, table) => element("div", {}, element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, table), tableButtons(table));
