"""Arithmetic that recipes do not take from a dialect: see recipes.py.

First come formulas that turn the lengths, matches and totals of a row (c, r, m, t), of a segment or
a corpus, into a score, 0-1. Then functions that compute the score of a corpus from the scores and
adapted rows of its sentences. Then functions that turn segments of tokens, (hypothesis,
references), into rows or scores. Options are the first parameters.
"""

from __future__ import annotations

import heapq  # noqa: F401 (Counter.most_common would import it without the lock)
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from itertools import accumulate, chain, islice
from math import exp, fsum, inf, isnan, log, nan
from operator import add as add_up
from sys import float_info
from typing import Any

import numpy
from numpy import float32

from ..core.counting.stats import AdaptedRows, Stats, truncated
from ..core.inputs.errors import InputError, Place
from ..core.scoring.nltk import NLTK
from ..core.scoring.sacrebleu import SACREBLEU
from ..core.scoring.scorer import Scorer
from ..core.tokenizers._compiled import split
from .float32 import load_torch
from .formulas import codexglue_mean, doubling_logarithms, rows_of_tokens, running_sum, split_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .counters import Segment

Counts = Sequence[int]
Formula = Callable[[int, int, Counts, Counts], float]
Scores = Sequence[float]

_ORDERS = range(1, 5)


# From a row to a score.


def to_float32(value: float | float32) -> float:
    return float(float32(value))


def _log(p: float) -> float:
    return log(p) if p else -inf


def _bleu(
    c: int, r: int, logs: Iterable[float], add: Callable[..., float] = fsum, orders: int = 4
) -> float:
    """The usual penalty times exp of the mean of logarithms, summed by `add`."""
    weight = 1 / orders
    return SACREBLEU.brevity_penalty(c, r) * exp(add([weight * logarithm for logarithm in logs]))


def by_order(logarithm: Callable[[int, int], float], add: Callable[..., float] = fsum) -> Formula:
    """A formula from `logarithm`, which maps the matches and total of an order to log p."""
    return lambda c, r, m, t: _bleu(c, r, map(logarithm, m, t), add)


multiwoz = by_order(lambda m, t: log(m / (t + 1e-7) + 1e-7))
paddlenlp = by_order(lambda m, t: log(m / t if m else float_info.min))
allennlp = by_order(lambda m, t: log(m + 1e-13) - log(t + 1e-13), sum)


def ignite(smoothing: str, single: bool, c: int, r: int, m: Counts, t: Counts) -> float:
    """ignite's score; with `single`, "no_smooth" divides in float32, as its macro average does."""
    if not (all(m) if smoothing == "no_smooth" else m[0]):
        return 0.0
    totals = [max(1, ngrams) for ngrams in t]
    pairs = zip(m, totals, strict=True)
    if smoothing == "no_smooth":
        times = _times_float32_reciprocal if single else _times_reciprocal
        precisions = [times(matched, ngrams) for matched, ngrams in pairs]
    elif smoothing == "smooth1":
        precisions = [(matched or 0.1) / ngrams for matched, ngrams in pairs]
    else:
        others = zip(m[1:], (totals if smoothing == "nltk_smooth2" else t)[1:], strict=True)
        smoothed = [(matched + 1) / (ngrams + 1) for matched, ngrams in others]
        precisions = [m[0] / totals[0], *smoothed]
    return _bleu(c, r, map(_log, precisions), orders=len(m))


def _times_reciprocal(matched: int, ngrams: int) -> float:
    return matched * (1.0 / ngrams)


@lru_cache(1 << 12)
def _times_float32_reciprocal(matched: int, ngrams: int) -> float:
    """`_times_reciprocal` in float32, cached because it takes ten times as long."""
    return float(float32(matched) * (float32(1) / float32(ngrams)))


def nematus(c: int, r: int, m: Counts, t: Counts) -> float:
    product = m[0] / t[0] if t[0] else 0.0
    for matched, ngrams in zip(m[1:], t[1:], strict=True):
        product *= (matched + 1) / (ngrams + 1)
    return float(product ** (1 / 4) * SACREBLEU.brevity_penalty(c, r))


def keras_hub(added: int, c: int, r: int, m: Counts, t: Counts) -> float:
    """keras-hub's float32 score with `added` added to all orders; with 0 it is metrax' score."""
    if not c:
        return 0.0 if r else nan
    pairs = [
        (float32(matched + added), float32(n + added)) for matched, n in zip(m, t, strict=True)
    ]
    logs = [0.25 * log(matched / n) if matched else -inf for matched, n in pairs]
    ratio = float32(c) / float32(r) if r else inf
    bp = 1.0 if ratio > 1 else exp(float32(1) - float32(1) / ratio)
    return to_float32(float(exp(sum(logs)) * bp))


def _tensor(values: object) -> Any:
    torch = load_torch()
    return torch.tensor(values, dtype=torch.float32)


def torchtext(c: int, r: int, m: Counts, t: Counts) -> float:
    if not all(m):
        return 0.0
    total = reduce(add_up, (_tensor(m) / _tensor(t)).log() * 0.25)
    return float(total.exp()) * SACREBLEU.brevity_penalty(c, r)


def tensorbleu(smoothing: str, c: int, r: int, m: Counts, t: Counts) -> float:
    """TensorBLEU of a sentence."""
    return _torch_score(c, r, _tensorbleu_precisions(smoothing, m, t), 1e-12)


def _torch_score(c: int, r: int, precisions: Sequence[float], added: float) -> float:
    """BP * exp(mean of log(p + added)) in float32."""
    if not c:
        return 0.0
    logs = (_tensor(precisions) + added).log()
    bp = (1 - _tensor(r) / _tensor(c)).exp() if c < r else 1.0
    return float(bp * (0.25 * logs).sum().exp())


def _tensorbleu_precisions(smoothing: str, m: Counts, t: Counts) -> list[float]:
    pairs = zip(m, t, strict=True)
    if smoothing == "floor":
        return [to_float32(float32(matched or 0.1) / float32(n or 1)) for matched, n in pairs]
    if smoothing == "add-k":
        return [(matched + 1) / (n + 1) for matched, n in pairs]
    return [matched / n if matched else 1e-12 * (smoothing == "exp") for matched, n in pairs]


def multeval(c: int, r: int, m: Counts, t: Counts) -> float:
    return _bleu(c, r, doubling_logarithms(m, t), running_sum)


def joshua(c: int, r: int, m: Counts, t: Counts) -> float:
    pairs = enumerate(zip(m, t, strict=True))
    totals = [n if matched or not n else c - order for order, (matched, n) in pairs]
    return multeval(c, r, m, totals)


def phrasal(added: int, c: int, r: int, m: Counts, t: Counts) -> float:
    """Phrasal's BLEU with `added` added to the orders above 1."""
    pairs = [(m[0], t[0]), *((m[n] + added, t[n] + added) for n in range(1, 4))]
    logs = [0.25 * log(matched / n) if matched else -inf for matched, n in pairs]
    return exp((1 - r / c if 0 < c < r else 0.0) + running_sum(logs))


def promptfoo(rewards_short: bool, c: int, r: int, m: Counts, t: Counts) -> float:
    """promptfoo's score; `rewards_short` is its behaviour before the fixes of 2026."""
    pairs = [(matched, n) for matched, n in zip(m, t, strict=True) if n or rewards_short]
    weight = 0.25 / (0.25 * len(pairs))
    logs = [weight * log(matched / n if matched else 1e-7) for matched, n in pairs]
    exponent = 1 - c / r if rewards_short else 1 - r / c
    bp = 1.0 if c > r or (c == r and not rewards_short) else exp(exponent)
    return bp * exp(running_sum(logs))


# From the scores of sentences and their adapted rows to the score of a corpus.


def mean(scores: Scores, rows: AdaptedRows) -> float:
    return sum(scores) / len(scores)


def numpy_mean(scores: Scores, rows: AdaptedRows) -> float:
    return float(numpy.mean(scores))


def running_mean(scores: Scores, rows: AdaptedRows) -> float:
    return running_sum(scores) / len(scores)


def nan_mean(scores: Scores, rows: AdaptedRows) -> float:
    numbers = [score for score in scores if not isnan(score)]
    return float(numpy.mean(numbers)) if numbers else nan


def percentile_90(scores: Scores, rows: AdaptedRows) -> float:
    return float(numpy.percentile(scores, q=90))


def mean_of_pairs(scores: Scores, rows: AdaptedRows) -> float:
    """ms-swift's mean of unrounded scores, without pairs that have an empty side."""
    table = numpy.array(rows)
    pairs = AdaptedRows.of_table(table[table[:, :2].all(1)])
    unrounded = Scorer(NLTK, 4, smooth_method="exp").scores_of_sums(pairs) or [0.0]
    return round(sum(unrounded) / len(unrounded) * 100, 6)


def unsmoothed_score(scores: Scores, rows: AdaptedRows) -> float:
    """nltk's score of a corpus."""
    return Scorer(NLTK, 4).scores_of_sums(rows.sum())[0]


def codexglue_corpus(scores: Scores, rows: AdaptedRows) -> float:
    return codexglue_mean(rows)


def phrasal_score(scores: Scores, rows: AdaptedRows) -> float:
    """Phrasal's score of a corpus, smoothed if it is a single segment."""
    return phrasal(len(rows) == 1, *next(split_rows(rows.sum())))


def phrasal_mean(scores: Scores, rows: AdaptedRows) -> float:
    """Phrasal's mean; 0 if a hypothesis is empty."""
    return running_mean(scores, rows) if rows.hyp_lens.all() else 0.0


# From segments of tokens to their rows.


def _pairs(segments: Iterable[Segment]) -> list[Segment]:
    """Each reference with its segment's hypothesis."""
    return [(hypothesis, [text]) for hypothesis, references in segments for text in references]


def _by_segment(values: Iterable[Any], segments: Iterable[Segment]) -> Iterator[list[Any]]:
    """The values of each segment, one for each of its references."""
    iterator = iter(values)
    return (list(islice(iterator, len(references))) for _, references in segments)


def best_reference(scorer: Scorer, segments: list[Segment]) -> Stats:
    """For each segment the row with the single reference that scores highest."""
    rows = rows_of_tokens(_pairs(segments))
    scores = scorer.scores_of_sums(scorer.adapted(rows))
    groups = zip(_by_segment(scores, segments), _by_segment(rows, segments), strict=True)
    return Stats.concatenate([rows[scores.index(max(scores))] for scores, rows in groups])


def flores(language: str, segments: list[Segment]) -> Stats:
    """For each segment the row of the first run of consecutive lines that scores highest."""
    tokenized = [
        # The tokens of a run are those of its lines, because white space separates tokens.
        (
            [_words(language, line) for line in lines if line.strip()],
            _words(language, "\n".join(reference)),
        )
        for lines, [reference, *_] in segments
    ]
    firsts = [(lines[0] if lines else [], [reference]) for lines, reference in tokenized]
    table = numpy.array(rows_of_tokens(firsts))
    for row, (lines, reference) in zip(table, tokenized, strict=True):
        if len(lines) > 1:
            row[:] = _best_run(lines, reference) or row
    return Stats(table, 4)


def _best_run(lines: list[list[str]], reference: list[str]) -> list[int]:
    """The row of the best run, [] if no token matches; in time linear in the number of lines."""
    tokens = list(chain.from_iterable(lines))
    ends = [0, *accumulate(map(len, lines))]
    limits = Counter(chain.from_iterable(_ngrams(reference, order) for order in _ORDERS))
    # For each token, the n-grams of the reference that end with it.
    matching = [
        [ngram for order in _ORDERS[:end] if (ngram := tuple(tokens[end - order : end])) in limits]
        for end in range(1, len(tokens) + 1)
    ]
    most = [0] * 4
    for ngram, count in (Counter(chain.from_iterable(matching)) & limits).items():
        most[len(ngram) - 1] += count
    row: list[int] = []
    best_score, least, longest = -1.0, 0.0, inf
    for number, start in enumerate(ends[:-1] if most[0] else ()):
        counted: Counter[Any] = Counter()
        matches, done = [0] * 4, start
        for end in islice(ends, number + 1, None):
            for position in range(done, end):
                for ngram in matching[position]:
                    if position - len(ngram) + 1 >= start and counted[ngram] < limits[ngram]:
                        counted[ngram] += 1
                        matches[len(ngram) - 1] += 1
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
                # Smaller products of precisions and longer runs score lower.
                least = (score / 101) ** 4
                longest = 3 + (_product(most) / least) ** 0.25 if least else inf
    return row


def _product(matches: list[int]) -> float:
    """The product of four orders; 0 counts as 0.5, because smoothing gives no more."""
    product = 1.0
    for matched in matches:
        product *= matched or 0.5
    return product


def _words(language: str, text: str) -> list[str]:
    if language == "Chinese":
        text = " ".join(split(text, "zh"))
    elif language == "Japanese":
        text = re.sub("([\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\u0e00-\u0e7f])", r" \1 ", text)
    return split(" ".join(split(" ".join(text.split()), "13a")), "13a")


def crystalbleu(ignored: int, segments: list[Segment]) -> Stats:
    """Rows without the `ignored` most common n-grams of all references."""
    joined = [t for _, references in segments for reference in references for t in reference]
    trivial: dict[Any, int] = {}
    for order in _ORDERS:
        # The start of an n-gram is at least as common, and comes first.
        ngrams = [n for n in _ngrams(joined, order) if order == 1 or n[:-1] in trivial]
        trivial = dict(Counter({**trivial, **Counter(ngrams)}).most_common(ignored))
    table = numpy.array(rows_of_tokens(segments))
    for row, (hypothesis, references) in zip(table, segments, strict=True):
        for order in {*map(len, trivial)}:
            left_out = Counter(filter(trivial.__contains__, _ngrams(hypothesis, order)))
            most: Counter[Any] = Counter()
            for reference in references if left_out else ():
                most |= Counter(filter(left_out.__contains__, _ngrams(reference, order)))
            row[1 + order] -= (left_out & most).total()
            row[5 + order] -= left_out.total()
    return Stats(table, 4)


def _ngrams(tokens: Sequence[Any], order: int) -> Iterable[tuple[Any, ...]]:
    return zip(*[tokens[start:] for start in range(order)], strict=False)


def average_length(segments: list[Segment]) -> Stats:
    """Rows with the mean reference length, rounded down, as in Moses."""
    table = numpy.array(rows_of_tokens(segments))
    table[:, 1] = [sum(map(len, references)) // len(references) for _, references in segments]
    return Stats(table, 4)


def multiwoz_rows(marks: bool, segments: list[Segment]) -> Stats:
    """Rows, with marks around both sides; ref_len is 1000 if it differs by more than 999."""
    if marks:
        segments = [
            (["GO_", *hypothesis, "EOS_"], [["GO_", *first, "EOS_"], *others])
            for hypothesis, (first, *others) in segments
        ]
    table = numpy.array(rows_of_tokens(segments, reference_length="first"))
    table[abs(table[:, 0] - table[:, 1]) > 999, 1] = 1000
    return Stats(table, 4)


def promptfoo_rows(rewards_short: bool, segments: list[Segment]) -> Stats:
    """Rows with the most matches of any reference for each order."""
    segments = [
        ([] if hypothesis == [""] and not rewards_short else hypothesis, [r or [""] for r in texts])
        for hypothesis, texts in segments
    ]
    rows = []
    for of_segment in _by_segment(split_rows(rows_of_tokens(_pairs(segments))), segments):
        [c, *_], lengths, matches, [totals, *_] = zip(*of_segment, strict=True)
        r = min(lengths, key=lambda r: (abs(r - c), 0 if rewards_short else r))
        most = [max(of_order) for of_order in zip(*matches, strict=True)]
        rows.append([c, r, *most, *totals])
    return Stats(rows, 4)


def ragas(segments: list[Segment]) -> Stats:
    """Rows of the first sentence of a response; the reference's sentences are alternatives."""
    return rows_of_tokens(
        [(hypothesis[0], references[0]) for hypothesis, references in segments], "13a"
    )


# From segments of tokens, and whether each is scored alone, to scores.


def opik(smoothing: str, segments: list[Segment], each: bool) -> list[float]:
    """Scores with equal weights for as many orders as the longest hypothesis has."""
    for number, (hypothesis, references) in enumerate(segments):
        if not (hypothesis and all(references)):
            blank = "a reference" if hypothesis else "the hypothesis"
            problem = f"{blank} is blank, which the original refuses"
            raise InputError.at(Place(number), problem)
    table = numpy.array(rows_of_tokens(segments))
    longest = table[:, 0].clip(max=4)
    if not each:
        longest[:] = longest.max(initial=0)
    scores = numpy.zeros(len(table) if each else 1)
    for orders in set(longest.tolist()):
        rows = truncated(Stats(table[longest == orders], 4), orders)
        weights = [0.25 / (0.25 * orders)] * orders
        scorer = Scorer(NLTK, orders, weights, smoothing)
        adapted = scorer.adapted(rows)
        if each:
            scores[longest == orders] = scorer.scores_of_sums(adapted)
        else:
            scores[:] = scorer.scores_of_sums(adapted.sum())
    return scores.tolist()


def joshua_decoder(segments: list[Segment], each: bool) -> list[float]:
    """Scores with the mean reference length in float32."""
    scores = []
    rows = enumerate(split_rows(rows_of_tokens(segments)))
    for (number, (c, _, matches, _)), (_, references) in zip(rows, segments, strict=True):
        lengths = [float32(len(reference)) for reference in references]
        length = reduce(add_up, lengths) / float32(len(lengths))
        if not (c and length):
            problem = "a side has only white space, which the original refuses"
            raise InputError.at(Place(number), problem)
        total, halved = float32(0), 1.0
        for order, matched in enumerate(matches[:c]):
            halved *= 1.0 if matched else 0.5
            total = float32(float(total) + 0.25 * log((matched or halved) / (c - order)))
        bp = float32(1 if c >= length else exp(float32(1) - length / float32(c)))
        scores.append(float(bp * float32(exp(total))))
    return scores


def tensorbleu_scores(smoothing: str, segments: list[Segment], each: bool) -> list[float]:
    """For a corpus, use only the orders and references that are long enough in all segments."""
    rows = rows_of_tokens(segments, reference_length="first")
    if each:
        return [tensorbleu(smoothing, *row) for row in split_rows(rows)]
    c, r, *_ = next(split_rows(rows.sum()))
    matches, totals = [0] * 4, [0] * 4
    lengths = [
        (k, len(reference)) for _, references in segments for k, reference in enumerate(references)
    ]
    for order in _ORDERS[: min(len(hypothesis) for hypothesis, _ in segments)]:
        short = {k for k, length in lengths if length < order}
        kept = [
            (hypothesis, [text for k, text in enumerate(references) if k not in short] or [[]])
            for hypothesis, references in segments
        ]
        if short:
            rows = rows_of_tokens(kept)
        _, _, matched, ngrams = next(split_rows(rows.sum()))
        matches[order - 1], totals[order - 1] = matched[order - 1], ngrams[order - 1]
    if smoothing == "none" and not all(totals):
        return [0.0]
    halves = smoothing == "exp"
    precisions = _tensorbleu_precisions("none" if halves else smoothing, matches, totals)
    if halves:  # without a match: half of the precision before
        halved = accumulate(precisions, lambda before, p: p or before / 2, initial=2e-12)
        precisions = list(halved)[1:]
    return [_torch_score(c, r, precisions, 1e-12 if smoothing == "none" else 0.0)]


def self_bleu(segments: list[Segment], each: bool) -> list[float]:
    """The mean score of each text with the others as references; HELM's `_self_bleu`."""
    texts = [stripped for [text], _ in segments if (stripped := text.strip())]
    if each or len(texts) < 2:
        return [0.0] * len(segments) if each else [0.0]
    rows = rows_of_tokens(
        [(text, texts[:n] + texts[n + 1 :]) for n, text in enumerate(texts)], "13a"
    )
    scorer = Scorer(SACREBLEU, 4, effective_order=True)
    scores = scorer.scores_of_sums(scorer.adapted(rows))
    return [sum(scores) / len(scores)]


def self_bleu_of_references(segments: list[Segment], each: bool) -> list[float]:
    return [self_bleu([(text, []) for text in texts], False)[0] for _, texts in segments]
