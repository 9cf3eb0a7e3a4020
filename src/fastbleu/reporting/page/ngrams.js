// N-grams that one of two systems matches and the other misses. Which ones match comes from the marks
// of the counting; here they are only added up.

const MOST_NGRAMS = 25, SLICE_MS = 30;

// The matching n-grams of an order in a segment, by how often system A matches them more than B.
function gainsOf(s, order) {
  const gains = new Map();
  for (const [k, sign] of [[pair.a, 1], [pair.b, -1]]) {
    const marks = texts.matches(s, k), bit = 1 << (order - 1);
    if (!marks.some((mark) => mark & bit)) continue;
    const tokens = texts.compared(texts.hypothesis(s, k));
    marks.forEach((mark, i) => {
      if (!(mark & bit)) return;
      const ngram = tokens.slice(i, i + order).join(" ");
      gains.set(ngram, (gains.get(ngram) ?? 0) + sign);
    });
  }
  return gains;
}

let ngramRun = 0;

async function countNgrams() {
  const run = ++ngramRun, order = Number($("#ngram-order").value), status = $("#ngram-status");
  const sums = [new Map(), new Map()];
  let pause = performance.now() + SLICE_MS;
  for (let s = 0; s < data.segments; s++) {
    if (texts.text(texts.hypothesis(s, pair.a)) !== texts.text(texts.hypothesis(s, pair.b))) {
      for (const [ngram, gain] of gainsOf(s, order)) {
        if (!gain) continue;
        const side = sums[gain > 0 ? 0 : 1];
        side.set(ngram, (side.get(ngram) ?? 0) + Math.abs(gain));
      }
    }
    if (performance.now() > pause) {
      status.textContent = `${Math.round(100 * s / data.segments)} %`;
      await new Promise((done) => setTimeout(done));
      if (run !== ngramRun) return;
      pause = performance.now() + SLICE_MS;
    }
  }
  status.textContent = "";
  const names = [data.names[pair.a], data.names[pair.b]];
  $("#ngram-tables").replaceChildren(...sums.map((side, i) => ngramTable(side, sums[1 - i], order, names[i], names[1 - i], i ? -1 : 1)));
}

function ngramTable(side, other, order, winner, loser, sign) {
  const net = (ngram) => side.get(ngram) - (other.get(ngram) ?? 0);
  const best = [...side.keys()].sort((one, two) => net(two) - net(one) || side.get(two) - side.get(one) || (one < two ? -1 : 1)).slice(0, MOST_NGRAMS);
  const rows = best.map((ngram) => {
    const choose = () => selectSegments(`${winner} matches “${ngram}”`, (s) => (gainsOf(s, order).get(ngram) ?? 0) * sign > 0);
    return element("tr", { class: "pick", onclick: choose },
      element("th", { scope: "row", dir: "auto" }, appendText(element("button", { type: "button" }), ngram)),
      element("td", {}, grouped(side.get(ngram))), element("td", {}, grouped(other.get(ngram) ?? 0)));
  });
  const heads = ["n-gram", "more often", "less often"];
  const title = `${winner} matches more often than ${loser}`;
  return element("figure", {}, scrolling(title, element("table", { class: "numbers" }, element("caption", {}, title), headOf(heads), element("tbody", {}, ...rows))));
}
