"""Recipes that look at the tokens of segments.

Each function takes options, segments, (hypothesis, references), and whether to score each segment
or their corpus; it returns the scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from itertools import accumulate, combinations, islice
from math import exp, log

from ..counting.counter import Counter as SegmentCounter
from ..counting.stats import Stats
from ..inputs.batch import Batch
from ..runtime.import_lock import import_lock
from ..tokenizers.loaded import get_tokenizer, tokenize
from . import recipe_rows
from .nltk import NLTK
from .plain import plain_rows
from .sacrebleu import SACREBLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..counting.token_lists import Segment

_ORDERS = range(1, 5)


def _rows(segments: Iterable[Any], tokenizer: str | None = None, **options: Any) -> Stats:
    """The rows of segments of tokens, or of texts."""
    counter = SegmentCounter(get_tokenizer(tokenizer) if tokenizer else None, **options)
    hypotheses, references = zip(*segments, strict=True)
    return counter.count(Batch(list(hypotheses), list(references))).stats


def _each_alone(score: Callable[..., float]) -> Callable[..., list[float]]:
    """Scores from a function of options and segments that scores a corpus."""

    @wraps(score)
    def scores(*arguments: Any) -> list[float]:
        *options, segments, each = arguments
        if not each:
            return [score(*options, segments)]
        found = []
        for number, segment in enumerate(segments):
            try:
                found.append(score(*options, [segment]))
            except ValueError as error:
                raise ValueError(f"segment {number}: {error}") from None
        return found

    return scores


def _single(segment: Segment) -> list[Segment]:
    """A segment with each of its references alone."""
    hypothesis, references = segment
    return [(hypothesis, [reference]) for reference in references]


def _of_nltk(stats: Stats, *options: Any) -> Sequence[float]:
    return NLTK.sentence_scores(NLTK.adapt(stats), *options)


# The largest of the scores with single references.


def _largest(score: Callable[[Stats], Sequence[float]], segments: list[Segment]) -> list[float]:
    scores = iter(score(_rows([pair for segment in segments for pair in _single(segment)])))
    return [max(islice(scores, len(references))) for _, references in segments]


def helm(weights: Sequence[float], segments: list[Segment], each: bool) -> list[float]:
    return _largest(lambda stats: _of_nltk(stats, weights), segments)


def truthfulqa(segments: list[Segment], each: bool) -> list[float]:
    return _largest(SACREBLEU.sentence_scores, segments)


# Weights and smoothing of nltk.


@_each_alone
def opik(smoothing: str, segments: list[Segment]) -> float:
    """Weights for as many orders as the longest hypothesis has."""
    for name, is_blank in (
        ("hypothesis", not all(hypothesis for hypothesis, _ in segments)),
        ("reference", not all(all(references) for _, references in segments)),
    ):
        if is_blank:
            raise ValueError(f"a {name} is blank, which the original refuses")
    orders = min(4, max(len(hypothesis) for hypothesis, _ in segments))
    weights = [0.25] * orders
    weights = [weight / sum(weights) for weight in weights]
    rows = NLTK.adapt(_rows(segments, max_order=orders)).sum()
    return NLTK.sentence_scores(rows, weights, smoothing)[0]


@_each_alone
def ms_swift(segments: list[Segment]) -> float:
    """The mean over pairs without an empty side."""
    pairs = [(hypothesis, some) for hypothesis, some in segments if hypothesis and some[0]]
    scores = _of_nltk(_rows(pairs), None, "exp") if pairs else [0.0]
    return round(sum(scores) / len(scores) * 100, 6)


def crystalbleu(ignored: int, segments: list[Segment], each: bool) -> list[float]:
    """nltk's BLEU without the most common n-grams of all references."""
    joined = [token for _, references in segments for one in references for token in one]
    common = Counter(gram for order in _ORDERS for gram in _ngrams(joined, order))
    trivial = {gram for gram, _ in common.most_common(ignored)}
    stats = _rows(segments)
    rows = []
    for (hypothesis, references), (c, r, *_) in zip(segments, plain_rows(stats), strict=True):
        matches, totals = [], []
        for order in _ORDERS:
            counts = Counter(gram for gram in _ngrams(hypothesis, order) if gram not in trivial)
            most: Counter[Any] = Counter()
            for reference in references:
                most |= Counter(_ngrams(reference, order))
            matches.append((counts & most).total())
            totals.append(counts.total())
        rows.append([c, r, *matches, *totals])
    adapted = NLTK.adapt(Stats(rows, 4))
    return list(NLTK.sentence_scores(adapted if each else adapted.sum()))


def _ngrams(tokens: Sequence[Any], order: int) -> Iterable[tuple[Any, ...]]:
    return zip(*[tokens[start:] for start in range(order)], strict=False)


# Reference lengths of other kinds.


@_each_alone
def moses_average(added: int, segments: list[Segment]) -> float:
    """Moses' score with the mean length of references, cut to an integer."""
    c, _, matches, totals = next(plain_rows(_rows(segments).sum()))
    r = sum(sum(map(len, references)) // len(references) for _, references in segments)
    return recipe_rows.moses(added, c, r, matches, totals)


@_each_alone
def joshua_decoder(segments: list[Segment]) -> float:
    [(hypothesis, references)] = segments
    with import_lock:
        from numpy import float32

    length, total, halved = float32(0), float32(0), 1.0
    for reference in references:
        length += float32(len(reference))
    length /= float32(len(references))
    if not (hypothesis and length):
        raise ValueError("a text has only white space, which the original refuses")
    c, _, matches, _ = next(plain_rows(_rows(segments)))
    for order, matched in enumerate(matches[:c]):
        halved *= 1.0 if matched else 0.5
        total = float32(float(total) + 0.25 * log((matched or halved) / (c - order)))
    bp = float32(1 if c >= length else exp(float32(1) - length / float32(c)))
    return float(bp * float32(exp(total)))


@_each_alone
def multiwoz(marks: bool, segments: list[Segment]) -> float:
    """MultiWOZ' score, with marks around a hypothesis and its first reference."""
    if marks:
        segments = [
            (["GO_", *hypothesis, "EOS_"], [["GO_", *references[0], "EOS_"], *references[1:]])
            for hypothesis, references in segments
        ]
    rows = []
    for c, r, matches, totals in plain_rows(_rows(segments, reference_length="first")):
        rows.append((c, r if abs(c - r) < 1000 else 1000, matches, totals))
    return recipe_rows.multiwoz(*recipe_rows.summed(rows))


@_each_alone
def promptfoo(rewards_short: bool, segments: list[Segment]) -> float:
    """Of each order the reference with most matches."""
    [(hypothesis, references)] = segments
    if not hypothesis and rewards_short:
        raise ValueError("a hypothesis is empty, which the original calls invalid")
    if hypothesis in ([], [""]) and not rewards_short:
        return 0.0
    references = [reference or [""] for reference in references]
    rows = list(plain_rows(_rows(_single((hypothesis, references)))))
    c, lengths = len(hypothesis), list(map(len, references))
    r = min(lengths, key=lambda r: (abs(r - c), 0 if rewards_short else r))
    matches = [max(row[2][n] for row in rows) for n in range(4)]
    return recipe_rows.promptfoo(rewards_short, c, r, matches, rows[0][3])


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


# sacreBLEU of other texts: here tokens are parts of a text.


def ragas(segments: list[Segment], each: bool) -> list[float]:
    """The first sentence of a response, the reference's sentences as alternatives."""
    pairs = [(hypothesis[0], references[0]) for hypothesis, references in segments]
    return [score / 100 for score in SACREBLEU.sentence_scores(_rows(pairs, "13a"))]


def _self_bleu_of(texts: list[str]) -> float:
    """The mean score of each text with the others as references; HELM's `_self_bleu`."""
    texts = [stripped for text in texts if (stripped := text.strip())]
    if len(texts) < 2:
        return 0.0
    pairs = [(text, texts[:n] + texts[n + 1 :]) for n, text in enumerate(texts)]
    scores = SACREBLEU.sentence_scores(_rows(pairs, "13a"), effective_order=True)
    return sum(scores) / len(scores)


@_each_alone
def self_bleu(segments: list[Segment]) -> float:
    return _self_bleu_of([text for [text], _ in segments])


@_each_alone
def self_bleu_of_references(segments: list[Segment]) -> float:
    return _self_bleu_of([text for [text] in segments[0][1]])


@_each_alone
def flores(language: str, segments: list[Segment]) -> float:
    """The best run of neighboring lines counts."""
    best = [_best_run(language, *segment) for segment in segments]
    return round(SACREBLEU.score(Stats.concatenate(best).sum(), smoothing="none").value, 2)


def _prepared(language: str, text: str) -> str:
    with import_lock:
        from ..tokenizers.recipe_texts import spaces_around_cjk

    if language == "Chinese":
        text = " ".join(tokenize(text, "zh"))
    elif language == "Japanese":
        text = spaces_around_cjk(text)
    return " ".join(tokenize(" ".join(text.split()), "13a"))


def _best_run(language: str, lines: list[str], references: list[Any]) -> Stats:
    lines = [stripped for line in lines if (stripped := line.strip())]
    reference = _prepared(language, "\n".join(references[0]))
    runs = [" ".join(lines[start:end]) for start, end in combinations(range(len(lines) + 1), 2)]
    rows = _rows([(_prepared(language, run), [reference]) for run in runs or [""]], "13a")
    scores = list(SACREBLEU.sentence_scores(rows, effective_order=True))
    return rows[scores.index(max(scores))]
