// The difference of two lists of tokens, by Myers' algorithm: [kind, token] with kind "=", "-" or "+".

const MOST_EDITS = 1500;

export function diffTokens(before, after) {
  let start = 0, endBefore = before.length, endAfter = after.length;
  while (start < endBefore && start < endAfter && before[start] === after[start]) start++;
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) { endBefore--; endAfter--; }
  const same = (tokens) => tokens.map((token) => ["=", token]);
  const middle = shortestEdits(before.slice(start, endBefore), after.slice(start, endAfter));
  return [...same(before.slice(0, start)), ...middle, ...same(before.slice(endBefore))];
}

function shortestEdits(before, after) {
  const [n, m] = [before.length, after.length], most = Math.min(n + m, MOST_EDITS), trace = [];
  let far = new Map([[1, 0]]);
  for (let edits = 0; edits <= most; edits++) {
    trace.push(new Map(far));
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && (far.get(k - 1) ?? -1) < (far.get(k + 1) ?? -1));
      let x = down ? far.get(k + 1) : far.get(k - 1) + 1, y = x - k;
      while (x < n && y < m && before[x] === after[y]) { x++; y++; }
      far.set(k, x);
      if (x >= n && y >= m) return traceBack(before, after, trace, edits);
    }
  }
  // Too different to say more.
  return [...before.map((token) => ["-", token]), ...after.map((token) => ["+", token])];
}

function traceBack(before, after, trace, edits) {
  const made = [];
  let [x, y] = [before.length, after.length];
  for (; edits >= 0; edits--) {
    const far = trace[edits], k = x - y;
    const down = k === -edits || (k !== edits && (far.get(k - 1) ?? -1) < (far.get(k + 1) ?? -1));
    const from = down ? k + 1 : k - 1, fromX = far.get(from) ?? 0, fromY = fromX - from;
    while (x > Math.max(fromX, 0) && y > Math.max(fromY, 0) && before[x - 1] === after[y - 1]) { made.push(["=", before[x - 1]]); x--; y--; }
    if (edits) {
      if (down) made.push(["+", after[--y]]);
      else made.push(["-", before[--x]]);
    }
  }
  return made.reverse();
}
