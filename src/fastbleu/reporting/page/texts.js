// The texts, their tokens, and which of these match: what reporting/contents.py writes.

import { data, startsOf } from "./data.js";

const SPACES = "\t\n\r \u00a0\u3000";

export class Texts {
  constructor(payload) {
    const count = data.segments, systems = data.names.length;
    this.starts = startsOf(payload.get("lengths"));
    this.all = new TextDecoder("utf-8", { ignoreBOM: true }).decode(payload.get("texts"));
    this.others = payload.header.others;
    this.cuts = payload.get("cuts");
    this.sources = payload.header.sources ? count : 0;
    this.first = startsOf(Uint32Array.from(data.references, (references) => references + systems));
    this.firstReference = startsOf(data.references);
    this.foundStarts = startsOf(payload.get("reference_tokens"));
    this.marks = data.systems.map((k) => payload.get(`marks.${k}`));
    this.found = data.systems.map((k) => payload.get(`found.${k}`));
    this.each = data.systems.map((k) => (payload.has(`each.${k}`) ? payload.get(`each.${k}`) : null));
    this.markStarts = data.hypLen.map(startsOf);
    this.eachStarts = data.hypLen.map((lengths) => startsOf(Uint32Array.from(lengths, (length, s) => length * data.references[s])));
  }

  reference(s, j) { return this.sources + this.first[s] + j; }
  hypothesis(s, k) { return this.sources + this.first[s] + data.references[s] + k; }
  /** What a text of a segment is called. */
  nameOf(s, number) {
    const at = number - this.sources - this.first[s];
    return at < 0 ? "source" : at < data.references[s] ? "reference" : data.names[at - data.references[s]];
  }

  text(number) { return this.all.slice(this.starts[number], this.starts[number + 1]); }

  /**
   * The tokens of a text: what precedes each, and the token; `end` is what follows the last one.
   * @returns {{gap: string, token: string}[] & {end?: string}}
   */
  tokens(number) {
    const other = this.others[number];
    if (other) return other.map((token, i) => ({ gap: i ? " " : "", token }));
    const text = this.text(number), start = this.starts[number];
    /** @type {{gap: string, token: string}[] & {end?: string}} */
    const made = [];
    let end = 0, from = -1;
    for (let at = 0; at <= text.length; at++) {
      const isSpace = at === text.length || SPACES.includes(text[at]), unit = start + at;
      if (from >= 0 && (isSpace || this.cuts[unit >> 3] >> (unit & 7) & 1)) {
        made.push({ gap: text.slice(end, from), token: text.slice(from, at) });
        end = at;
        from = -1;
      }
      if (from < 0 && !isSpace) from = at;
    }
    made.end = text.slice(end);
    return made;
  }

  /** The tokens as they are compared. */
  compared(number) {
    return this.tokens(number).map(({ token }) => (data.lowercase ? token.toLowerCase() : token));
  }

  /**
   * For each token of a hypothesis, the orders of the matches that start there, as bits; against all
   * references, or against reference j.
   */
  matches(s, k, j = -1) {
    const length = data.hypLen[k][s];
    if (j < 0 || !this.each[k]) return this.marks[k].subarray(this.markStarts[k][s], this.markStarts[k][s] + length);
    const start = this.eachStarts[k][s] + j * length;
    return this.each[k].subarray(start, start + length);
  }

  /** Whether the hypothesis of system k has each token of reference j. */
  isFound(s, k, j) {
    const [from, to] = this.foundStarts.subarray(this.firstReference[s] + j);
    return Array.from({ length: to - from }, (_, i) => this.found[k][(from + i) >> 3] >> ((from + i) & 7) & 1);
  }
}

/** The longest matching n-gram that each token belongs to, from where the matches start. */
export function longest(marks) {
  const orders = new Uint8Array(marks.length);
  for (let i = 0; i < marks.length; i++) {
    for (let n = 1; n <= 8; n++) {
      if (!(marks[i] >> (n - 1) & 1)) continue;
      for (let m = i; m < i + n; m++) if (orders[m] < n) orders[m] = n;
    }
  }
  return orders;
}

/** @type {Texts} */
export let texts;
export function readTexts(payload) { texts = new Texts(payload); }
