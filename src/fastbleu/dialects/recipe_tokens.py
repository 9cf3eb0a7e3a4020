"""Recipes that look at the tokens of segments.

A segment is (hypothesis, references). Functions for `Recipe.rows` take options and segments, and
return rows; those for `Recipe.tokens` also take whether each segment is scored alone, and return
scores.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import accumulate, chain, islice
from math import exp, inf, log
from operator import add as add_up

import numpy
from numpy import float32

from ..counting.counter import Counter as SegmentCounter
from ..counting.stats import Stats
from ..inputs.batch import Batch
from ..inputs.places import Place, refusal
from ..tokenizers._compiled import split
from ..tokenizers.loaded import load_tokenizer
from . import get, recipe_rows
from .nltk import NLTK
from .plain import plain_rows
from .sacrebleu import SACREBLEU
from .scorer import Scorer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..counting.token_lists import Segment

_ORDERS = range(1, 5)


def _rows(segments: Iterable[Any], tokenizer: str | None = None, **options: Any) -> Stats:
    """The rows of segments of tokens, or of texts."""
    counter = SegmentCounter(load_tokenizer(tokenizer) if tokenizer else None, **options)
    listed = list(segments)
    hypotheses, references = [one for one, _ in listed], [some for _, some in listed]
    return counter.count(Batch(hypotheses, references)).stats


def _parts(values: Iterable[Any], listed: list[Any]) -> Iterator[list[Any]]:
    """The values that belong to each of some lists."""
    iterator = iter(values)
    return (list(islice(iterator, len(some))) for some in listed)


def pairs(segment: Segment) -> list[Segment]:
    """A segment with each of its references alone."""
    hypothesis, references = segment
    return [(hypothesis, [reference]) for reference in references]


def best(
    dialect: str,
    options: Mapping[str, Any],
    alternatives: Callable[[Segment], list[Segment]],
    segments: list[Segment],
) -> Stats:
    """Of each segment the alternative with the highest score by a dialect."""
    listed = [alternatives(segment) for segment in segments]
    rows, rules = _rows(chain.from_iterable(listed)), get(dialect)
    scores = rules.sentence_scores(rows, **options)
    found = zip(_parts(scores, listed), _parts(rows, listed), strict=True)
    return Stats.concatenate([some[its.index(max(its))] for its, some in found])


def flores(language: str, segments: list[Segment]) -> Stats:
    """Of each segment the run of neighboring lines with the highest score, the first of several."""
    rows = []
    for lines, [reference, *_] in segments:
        # The tokens of a run are those of its lines, because white space separates tokens.
        listed = [_words(language, line) for line in lines if line.strip()]
        rows.append(_best_run(listed, _words(language, "\n".join(reference))))
    return Stats(rows, 4)


def _best_run(lines: list[list[str]], reference: list[str]) -> list[int]:
    """The row of the best run; its time grows with the number of lines, not with its square."""
    tokens = list(chain.from_iterable(lines))
    ends = [0, *accumulate(map(len, lines))]
    # Of each token, the n-grams of the reference that end with it, as (order, n-gram).
    matching: list[list[tuple[int, Any]]] = [[] for _ in tokens]
    limits: Counter[Any] = Counter()
    most = [0] * 4
    for order in _ORDERS:
        of_order = Counter(_ngrams(reference, order))
        limits |= of_order
        for end, ngram in enumerate(_ngrams(tokens, order), order - 1):
            if ngram in of_order:
                matching[end].append((order, ngram))
        most[order - 1] = (Counter(_ngrams(tokens, order)) & of_order).total()
    row, best_score = [0, len(reference), *[0] * 8], -1.0
    least, longest = 0.0, inf
    for number, start in enumerate(ends[:-1] if most[0] else ends[: len(lines)][:1]):
        counted: Counter[Any] = Counter()
        matches, done = [0] * 4, start
        for end in islice(ends, number + 1, None if most[0] else 2):
            for position in range(done, end):
                for order, ngram in matching[position]:
                    if position - order + 1 >= start and counted[ngram] < limits[ngram]:
                        counted[ngram] += 1
                        matches[order - 1] += 1
            done, length = end, end - start
            if length > longest:
                break
            of_four = length * (length - 1) * (length - 2) * (length - 3)
            if _product(matches) < least * of_four:
                continue
            lengths = length, len(reference)
            totals = [max(0, length - order) for order in range(4)]
            score, *_ = SACREBLEU.score_in_python(matches, totals, *lengths, "exp", None, True, 4)
            if score > best_score:
                row, best_score = [*lengths, *matches, *totals], score
                # Products of precisions below this, and lengths above this, mean lower scores.
                least = (score / 101) ** 4
                longest = 3 + (_product(most) / least) ** 0.25 if least else inf
    return row


def _product(matches: list[int]) -> float:
    """The product of four orders; a smoothed one counts as less than half a match."""
    one, two, three, four = matches
    return (one or 0.5) * (two or 0.5) * (three or 0.5) * (four or 0.5)


def _words(language: str, text: str) -> list[str]:
    if language == "Chinese":
        text = " ".join(split(text, "zh"))
    elif language == "Japanese":
        text = re.sub("([\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\u0e00-\u0e7f])", r" \1 ", text)
    return split(" ".join(split(" ".join(text.split()), "13a")), "13a")


def crystalbleu(ignored: int, segments: list[Segment]) -> Stats:
    """Without the most common n-grams of all references."""
    joined = [token for _, references in segments for one in references for token in one]
    common = Counter(chain.from_iterable(_ngrams(joined, order) for order in _ORDERS))
    trivial = dict(common.most_common(ignored))
    table = numpy.array(_rows(segments))
    for row, (hypothesis, references) in zip(table, segments, strict=True):
        for order in {*map(len, trivial)}:
            had = Counter(filter(trivial.__contains__, _ngrams(hypothesis, order)))
            most: Counter[Any] = Counter()
            for reference in references if had else ():
                most |= Counter(filter(had.__contains__, _ngrams(reference, order)))
            row[1 + order] -= (had & most).total()
            row[5 + order] -= had.total()
    return Stats(table, 4)


def _ngrams(tokens: Sequence[Any], order: int) -> Iterable[tuple[Any, ...]]:
    return zip(*[tokens[start:] for start in range(order)], strict=False)


def average_length(segments: list[Segment]) -> Stats:
    """The mean length of references, cut to an integer, as Moses has it."""
    table = numpy.array(_rows(segments))
    table[:, 1] = [sum(map(len, references)) // len(references) for _, references in segments]
    return Stats(table, 4)


def multiwoz(marks: bool, segments: list[Segment]) -> Stats:
    """With marks around a hypothesis and its first reference; no length is farther than 999."""
    if marks:
        segments = [
            (["GO_", *hypothesis, "EOS_"], [["GO_", *first, "EOS_"], *others])
            for hypothesis, (first, *others) in segments
        ]
    table = numpy.array(_rows(segments, reference_length="first"))
    table[abs(table[:, 0] - table[:, 1]) > 999, 1] = 1000
    return Stats(table, 4)


def promptfoo(rewards_short: bool, segments: list[Segment]) -> Stats:
    """Of each order the reference with most matches."""
    listed = []
    for hypothesis, references in segments:
        counted = [] if hypothesis == [""] and not rewards_short else hypothesis
        listed.append(pairs((counted, [one or [""] for one in references])))
    rows = []
    for found in _parts(plain_rows(_rows(chain.from_iterable(listed))), listed):
        [c, *_], lengths, matches, [totals, *_] = zip(*found, strict=True)
        distances = [(abs(r - c), 0 if rewards_short else r) for r in lengths]
        r = lengths[distances.index(min(distances))]
        most = [max(of_order) for of_order in zip(*matches, strict=True)]
        rows.append([c, r, *most, *totals])
    return Stats(rows, 4)


def ragas(segments: list[Segment]) -> Stats:
    """The first sentence of a response, the reference's sentences as alternatives."""
    return _rows([(hypothesis[0], references[0]) for hypothesis, references in segments], "13a")


# Segments to scores.


def opik(smoothing: str, segments: list[Segment], each: bool) -> list[float]:
    """Equal weights for as many orders as the longest hypothesis has."""
    for number, (hypothesis, references) in enumerate(segments):
        if not (hypothesis and all(references)):
            blank = "a reference" if hypothesis else "the hypothesis"
            problem = f": {blank} is blank, which the original refuses"
            raise refusal(ValueError, Place(number), problem)
    table = numpy.array(_rows(segments))
    scores: list[float] = []
    for rows in table[:, None] if each else [table]:
        orders = min(4, int(rows[:, 0].max(initial=0)))
        counts = Stats(rows[:, [*range(2 + orders), *range(6, 6 + orders)]], orders)
        weights = [0.25 / (0.25 * orders)] * orders
        scorer = Scorer(NLTK, orders, weights, smoothing)
        scores.append(scorer.value(scorer.sums_of(counts)))
    return scores


def joshua_decoder(segments: list[Segment], each: bool) -> list[float]:
    """Reference lengths are a mean in float32."""
    scores = []
    rows = enumerate(plain_rows(_rows(segments)))
    for (number, (c, _, matches, _)), (_, references) in zip(rows, segments, strict=True):
        lengths = [float32(len(one)) for one in references]
        length = reduce(add_up, lengths) / float32(len(lengths))
        if not (c and length):
            problem = " has only white space, which the original refuses"
            raise refusal(ValueError, Place(number), problem)
        total, halved = float32(0), 1.0
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
    lengths = [(k, len(one)) for _, some in segments for k, one in enumerate(some)]
    for order in _ORDERS[: min(len(hypothesis) for hypothesis, _ in segments)]:
        short = {k for k, length in lengths if length < order}
        kept = [
            (hypothesis, [one for k, one in enumerate(some) if k not in short] or [[]])
            for hypothesis, some in segments
        ]
        _, _, matched, ngrams = next(plain_rows(_rows(kept).sum()))
        matches[order - 1], totals[order - 1] = matched[order - 1], ngrams[order - 1]
    if smoothing == "none" and not all(totals):
        return [0.0]
    halves = smoothing == "exp"
    precisions = recipe_rows.of_tensorbleu("none" if halves else smoothing, matches, totals)
    if halves:  # an order without a match has half of the precision before
        halved = accumulate(precisions, lambda before, p: p or before / 2, initial=2e-12)
        precisions = list(halved)[1:]
    return [recipe_rows.torch_score(c, r, precisions, 1e-12 if smoothing == "none" else 0.0)]


def self_bleu(segments: list[Segment], each: bool) -> list[float]:
    """The mean score of each text with the others as references; HELM's `_self_bleu`."""
    texts = [stripped for [text], _ in segments if (stripped := text.strip())]
    if each or len(texts) < 2:
        return [0.0] * len(segments) if each else [0.0]
    rows = _rows([(text, texts[:n] + texts[n + 1 :]) for n, text in enumerate(texts)], "13a")
    scores = SACREBLEU.sentence_scores(rows, effective_order=True)
    return [sum(scores) / len(scores)]


def self_bleu_of_references(segments: list[Segment], each: bool) -> list[float]:
    return [self_bleu([(one, []) for one in its], False)[0] for _, its in segments]
