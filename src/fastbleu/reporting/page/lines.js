// Lines of text in a segment: a hypothesis with its matches, and what it lacks.

import { data, shownSystems, state } from "./data.js";
import { appendText, element } from "./elements.js";
import { longest, texts } from "./texts.js";

// Outputs with more pairs of tokens are not compared with each other.
const MOST_COMPARED = 16_000_000;

export const textLine = (name = "text") => element("p", { class: name, dir: "auto" });

/** The reference with which the hypothesis has the most matches. */
export function closestReference(s, k) {
  let best = 0, most = -1;
  for (let j = 0; j < data.references[s]; j++) {
    let sum = 0;
    for (let mark of texts.matches(s, k, j)) for (; mark; mark &= mark - 1) sum++;
    if (sum > most) [best, most] = [j, sum];
  }
  return best;
}

/** Which tokens of A are not in a longest common subsequence with B, and which of B; only of some tokens. */
export function ownTokens(s, from = 0, to = Infinity) {
  const [one, other] = shownSystems().map((k) => texts.compared(texts.hypothesis(s, k)).slice(from, to));
  const width = other.length + 1, isShort = one.length * width <= MOST_COMPARED, own = [one, other].map(({ length }) => Array(length).fill(isShort));
  const common = new Uint16Array(isShort ? (one.length + 1) * width : 0);   // from token i of A and j of B on
  for (let i = one.length - 1; isShort && i >= 0; i--) {
    for (let j = other.length - 1, at = i * width + j; j >= 0; j--, at--) common[at] = one[i] === other[j] ? common[at + width + 1] + 1 : Math.max(common[at + width], common[at + 1]);
  }
  for (let i = 0, j = 0; isShort && i < one.length && j < other.length;) {
    if (one[i] === other[j]) own[0][i++] = own[1][j++] = false;
    else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) i++;
    else j++;
  }
  return { [state.a]: [...Array(from), ...own[0]], [state.b]: [...Array(from), ...own[1]] };
}

/** A hypothesis whose tokens show in which matches they are. */
export function hypothesisLine(s, k, against, own = [], from = 0, to = Infinity) {
  const tokens = texts.tokens(texts.hypothesis(s, k)), line = textLine();
  const orders = longest(texts.matches(s, k, against));
  tokens.forEach(({ gap, token }, i) => {
    if (i < from || i >= to) return;
    appendText(line, i && i === from ? "… " : gap);
    const n = orders[i], title = `${n ? `in a matching ${n}-gram` : "no match"}${own[i] ? `, only in ${data.names[k]}` : ""}`;
    line.append(appendText(element("span", { class: own[i] ? "tok own" : "tok", "data-order": Math.min(n, 4), title }), token));
  });
  appendText(line, tokens.length > to ? " …" : tokens.end ?? "");
  if (!tokens.length) line.append(element("em", {}, "no tokens"));
  return line;
}

/** The tokens of a reference that a hypothesis lacks. */
export function missingLine(s, k, j) {
  const isFound = texts.isFound(s, k, j), missing = texts.tokens(texts.reference(s, j)).filter((_, i) => !isFound[i]);
  const line = element("p", { class: "text snippet", dir: "auto" }, element("span", { class: "legend" }, element("bdi", {}, data.names[k]), " lacks: "));
  missing.forEach(({ token }, i) => line.append(i ? " " : "", appendText(element("span", { class: "tok missing" }), token)));
  if (!missing.length) line.append(element("span", { class: "legend" }, "nothing"));
  return line;
}
