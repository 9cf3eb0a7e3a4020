"""Recipes that look at the tokens of segments.

A segment is (hypothesis, references). Functions for `Line.rows` take options and segments, and
return rows; those for `Line.tokens` also take whether each segment is scored alone, and return
scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, combinations
from math import exp, log

from numpy import float32

from ..counting.counter import Counter as SegmentCounter
from ..counting.stats import Stats
from ..inputs.batch import Batch
from ..runtime.import_lock import import_lock
from ..tokenizers.loaded import get_tokenizer, tokenize
from . import get, recipe_rows
from .nltk import NLTK
from .plain import plain_rows
from .sacrebleu import SACREBLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..counting.token_lists import Segment
    from .plain import Row

_ORDERS = range(1, 5)


def _rows(segments: Iterable[Any], tokenizer: str | None = None, **options: Any) -> Stats:
    """The rows of segments of tokens, or of texts."""
    counter = SegmentCounter(get_tokenizer(tokenizer) if tokenizer else None, **options)
    hypotheses, references = zip(*segments, strict=True)
    return counter.count(Batch(list(hypotheses), list(references))).stats


def _made_rows(rows: Iterable[Row]) -> Stats:
    return Stats([[c, r, *matches, *totals] for c, r, matches, totals in rows], 4)


def _single(segment: Segment) -> list[Segment]:
    """A segment with each of its references alone."""
    hypothesis, references = segment
    return [(hypothesis, [reference]) for reference in references]


# Rows.


def _best(rows: Stats, scores: Sequence[float], counts: Iterable[int]) -> Stats:
    """The row with the highest score of each segment, which has so many of the rows."""
    chosen, first = [], 0
    for count in counts:
        its = scores[first : first + count]
        chosen.append(rows[first + its.index(max(its))])
        first += count
    return Stats.concatenate(chosen)


def best_reference(dialect: str, options: Mapping[str, Any], segments: list[Segment]) -> Stats:
    """With the reference with which a segment has the highest score by a dialect."""
    rows = _rows([pair for segment in segments for pair in _single(segment)])
    scores = get(dialect).sentence_scores(get(dialect).adapt(rows), **options)
    return _best(rows, scores, [len(references) for _, references in segments])


def crystalbleu(ignored: int, segments: list[Segment]) -> Stats:
    """Without the most common n-grams of all references."""
    joined = [token for _, references in segments for one in references for token in one]
    common = Counter(gram for order in _ORDERS for gram in _ngrams(joined, order))
    trivial = {gram for gram, _ in common.most_common(ignored)}
    rows = []
    for (hypothesis, references), (c, r, matches, totals) in zip(
        segments, plain_rows(_rows(segments)), strict=True
    ):
        matches, totals = list(matches), list(totals)
        for n, order in enumerate(_ORDERS):
            had = Counter(gram for gram in _ngrams(hypothesis, order) if gram in trivial)
            most: Counter[Any] = Counter()
            for reference in references if had else ():
                most |= Counter(gram for gram in _ngrams(reference, order) if gram in had)
            matches[n] -= (had & most).total()
            totals[n] -= had.total()
        rows.append((c, r, matches, totals))
    return _made_rows(rows)


def _ngrams(tokens: Sequence[Any], order: int) -> Iterable[tuple[Any, ...]]:
    return zip(*[tokens[start:] for start in range(order)], strict=False)


def average_length(segments: list[Segment]) -> Stats:
    """The mean length of references, cut to an integer, as Moses has it."""
    lengths = [sum(map(len, references)) // len(references) for _, references in segments]
    rows = zip(plain_rows(_rows(segments)), lengths, strict=True)
    return _made_rows((row[0], length, *row[2:]) for row, length in rows)


def multiwoz(marks: bool, segments: list[Segment]) -> Stats:
    """With marks around a hypothesis and its first reference; no length is farther than 999."""
    if marks:
        segments = [
            (["GO_", *hypothesis, "EOS_"], [["GO_", *references[0], "EOS_"], *references[1:]])
            for hypothesis, references in segments
        ]
    rows = plain_rows(_rows(segments, reference_length="first"))
    return _made_rows((c, r if abs(c - r) < 1000 else 1000, m, t) for c, r, m, t in rows)


def promptfoo(rewards_short: bool, segments: list[Segment]) -> Stats:
    """Of each order the reference with most matches."""
    rows = []
    for hypothesis, references in segments:
        if not rewards_short and hypothesis == [""]:
            hypothesis = []
        pairs = _single((hypothesis, [reference or [""] for reference in references]))
        found = list(plain_rows(_rows(pairs)))
        c, _, _, totals = found[0]
        lengths = [(abs(r - c), 0 if rewards_short else r) for _, r, *_ in found]
        r = found[lengths.index(min(lengths))][1]
        matches = [max(matched) for matched in zip(*[row[2] for row in found], strict=True)]
        rows.append((c, r, matches, totals))
    return _made_rows(rows)


def ragas(segments: list[Segment]) -> Stats:
    """The first sentence of a response, the reference's sentences as alternatives."""
    return _rows([(hypothesis[0], references[0]) for hypothesis, references in segments], "13a")


def flores(language: str, segments: list[Segment]) -> Stats:
    """With the best run of neighboring lines."""
    pairs: list[tuple[str, list[str]]] = []
    counts = []
    for lines, references in segments:
        lines = [stripped for line in lines if (stripped := line.strip())]
        ends = combinations(range(len(lines) + 1), 2)
        runs = [" ".join(lines[start:end]) for start, end in ends] or [""]
        reference = _prepared(language, "\n".join(references[0]))
        pairs += [(_prepared(language, run), [reference]) for run in runs]
        counts.append(len(runs))
    rows = _rows(pairs, "13a")
    return _best(rows, SACREBLEU.sentence_scores(rows, effective_order=True), counts)


def _prepared(language: str, text: str) -> str:
    with import_lock:
        from ..tokenizers.recipe_texts import spaces_around_cjk

    if language == "Chinese":
        text = " ".join(tokenize(text, "zh"))
    elif language == "Japanese":
        text = spaces_around_cjk(text)
    return " ".join(tokenize(" ".join(text.split()), "13a"))


# Scores that do not follow from rows.


def opik(smoothing: str, segments: list[Segment], each: bool) -> list[float]:
    """Equal weights for as many orders as the longest hypothesis has."""
    for number, (hypothesis, references) in enumerate(segments):
        if not (hypothesis and all(references)):
            blank = "a reference" if hypothesis else "the hypothesis"
            raise ValueError(f"segment {number}: {blank} is blank, which the original refuses")
    rows = list(plain_rows(_rows(segments)))
    scores: list[float] = []
    for its in [[row] for row in rows] if each else [rows]:
        orders = min(4, max(c for c, *_ in its))
        stats = Stats([[c, r, *m[:orders], *t[:orders]] for c, r, m, t in its], orders)
        weights = [0.25 / (0.25 * orders)] * orders
        scores += NLTK.sentence_scores(NLTK.adapt(stats).sum(), weights, smoothing)
    return scores


def joshua_decoder(segments: list[Segment], each: bool) -> list[float]:
    """Reference lengths are a mean in float32."""
    scores = []
    rows = enumerate(plain_rows(_rows(segments)))
    for (number, (c, _, matches, _)), (_, references) in zip(rows, segments, strict=True):
        length, total, halved = float32(0), float32(0), 1.0
        for reference in references:
            length += float32(len(reference))
        length /= float32(len(references))
        if not (c and length):
            raise ValueError(f"segment {number} has only white space, which the original refuses")
        for order, matched in enumerate(matches[:c]):
            halved *= 1.0 if matched else 0.5
            total = float32(float(total) + 0.25 * log((matched or halved) / (c - order)))
        bp = float32(1 if c >= length else exp(float32(1) - length / float32(c)))
        scores.append(float(bp * float32(exp(total))))
    return scores


def tensorbleu(smoothing: str, segments: list[Segment], each: bool) -> list[float]:
    """Of a corpus: orders, and references in an order, that all segments are long enough for."""
    rows = _rows(segments, reference_length="first")
    if each:
        return [recipe_rows.tensorbleu(smoothing, *row) for row in plain_rows(rows)]
    c, r, *_ = next(plain_rows(rows.sum()))
    matches, totals = [0] * 4, [0] * 4
    shortest = min(len(hypothesis) for hypothesis, _ in segments)
    width = max(len(references) for _, references in segments)
    for order in _ORDERS[:shortest]:
        kept = [
            k
            for k in range(width)
            if all(len(some[k]) >= order for _, some in segments if k < len(some))
        ]
        chosen = [(h, [some[k] for k in kept if k < len(some)] or [[]]) for h, some in segments]
        _, _, matched, ngrams = next(plain_rows(_rows(chosen).sum()))
        matches[order - 1], totals[order - 1] = matched[order - 1], ngrams[order - 1]
    if smoothing == "none" and not all(totals):
        return [0.0]
    halves = smoothing == "exp"
    precisions = recipe_rows.smoothed("none" if halves else smoothing, matches, totals)
    if halves:  # an order without a match has half of the precision before
        halved = accumulate(precisions, lambda before, p: p or before / 2, initial=2e-12)
        precisions = list(halved)[1:]
    return [recipe_rows.torch_score(c, r, precisions, 1e-12 if smoothing == "none" else 0.0)]


def _self_bleu_of(texts: list[str]) -> float:
    """The mean score of each text with the others as references; HELM's `_self_bleu`."""
    texts = [stripped for text in texts if (stripped := text.strip())]
    if len(texts) < 2:
        return 0.0
    pairs = [(text, texts[:n] + texts[n + 1 :]) for n, text in enumerate(texts)]
    scores = SACREBLEU.sentence_scores(_rows(pairs, "13a"), effective_order=True)
    return sum(scores) / len(scores)


def self_bleu(segments: list[Segment], each: bool) -> list[float]:
    texts = [text for [text], _ in segments]
    return [_self_bleu_of(some) for some in ([[text] for text in texts] if each else [texts])]


def self_bleu_of_references(segments: list[Segment], each: bool) -> list[float]:
    return [_self_bleu_of([text for [text] in references]) for _, references in segments]
