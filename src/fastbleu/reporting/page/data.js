// The data of the page, written by reporting/contents.py, and the state: what of it is shown.

/** @type {(selector: string, root?: ParentNode) => any} */
export const $ = (selector, root = document) => root.querySelector(selector);

const TYPES = { uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, float64: Float64Array };

function fromBase64(text) {
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export class Payload {
  static async read(id) {
    const element = $(`#${id}`);
    const bytes = fromBase64(element.textContent.trim());
    element.remove();
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Payload(await new Response(stream).arrayBuffer());
  }

  /** @param {ArrayBuffer} buffer */
  constructor(buffer) {
    const size = new DataView(buffer).getUint32(0, true);
    this.buffer = buffer;
    this.start = 4 + size;
    this.header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  }

  has(name) { return name in this.header.sections; }

  get(name) {
    const [type, at, count] = this.header.sections[name];
    return new TYPES[type](this.buffer, this.start + at, count);
  }

  /** Floats that are stored as steps of a range. */
  rounded(name) {
    const [low, step] = this.get(`${name}.range`);
    return Float64Array.from(this.get(name), (code) => low + step * code);
  }
}

/** Where each of `counts` begins, and the end of the last one. */
export function startsOf(counts) {
  const starts = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; i++) starts[i + 1] = starts[i] + counts[i];
  return starts;
}

/** A number with `digits` decimals, halves rounded to even as Python does. */
export function fixed(value, digits) {
  const scaled = value * 10 ** digits;
  const isHalf = Number.isInteger(value * 2 ** (digits + 1)) && Math.abs(scaled % 1) === 0.5;
  return (isHalf ? 2 * Math.round(scaled / 2) / 10 ** digits : value).toFixed(digits);
}

export const signed = (value, digits) => (value > 0 || Object.is(value, 0) ? "+" : "") + fixed(value, digits);
export const { format: grouped } = new Intl.NumberFormat("en-US");
export const segmentsOf = (count) => `${grouped(count)} segment${count === 1 ? "" : "s"}`;

/** The numbers of all segments, by system. @type {any} */
export let data;

export function readNumbers(payload) {
  const { header } = payload, systems = header.names.map((_, k) => k);
  const orders = [...Array(header.orders).keys()];
  data = {
    ...header,
    systems,
    references: payload.get("references"),
    score: systems.map((k) => payload.get(`score.${k}`)),
    part: payload.has("part.0") ? systems.map((k) => payload.rounded(`part.${k}`)) : null,
    flag: systems.map((k) => payload.get(`flags.${k}`)),
    hypLen: systems.map((k) => payload.get(`hyp_len.${k}`)),
    refLen: systems.map((k) => payload.get(`ref_len.${k}`)),
    matches: systems.map((k) => orders.map((n) => payload.get(`matches.${k}.${n}`))),
    totals: systems.map((k) => orders.map((n) => (payload.has(`totals.${k}.${n}`) ? payload.get(`totals.${k}.${n}`) : payload.get(`hyp_len.${k}`).map((length) => Math.max(length - n, 0))))),
    bucket: header.buckets.map((_, number) => payload.get(`bucket.${number}`)),
  };
}

/**
 * What is shown. `bucket` is "kind.code"; `pick` are segments chosen in a chart or by a phrase.
 * @typedef {{a: number, b: number, segment: number, against: number, query: string, regex: boolean,
 *   scope: string, flag: string, bucket: string, sort: string, descending: boolean,
 *   pick: {label: string, chosen: Uint8Array} | null, words: number}} State
 */

/** The one state of the page, which view.js changes. @type {State} */
export const state = {
  a: 0, b: 0, segment: -1, against: -1, query: "", regex: false, scope: "all", flag: "", bucket: "",
  sort: "segment", descending: false, pick: null, words: 2,
};

export const isPair = () => state.a !== state.b;
export const shownSystems = () => (isPair() ? [state.a, state.b] : [state.a]);
/** How much higher B scores than A, the baseline. */
export const difference = (s) => data.score[state.b][s] - data.score[state.a][s];
/** How much higher B scores than A as a whole; of a single system, its score. */
export const lead = () => data.scores[state.b] - (isPair() ? data.scores[state.a] : 0);
export const hasShares = () => data.part !== null && lead() !== 0;
/** By which share the lead would be smaller without the segment. */
export const share = (s) => (data.part[state.b][s] - (isPair() ? data.part[state.a][s] : 0)) / lead();
export const score = (value) => fixed(value, data.digits);
/** The kind of a system in charts: A and B have colors of their own. */
export const kindOf = (k) => (k === state.a ? "a" : "b");
