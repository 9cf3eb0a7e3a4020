"""Dialects whose score is a formula in Python, and what they share."""

from __future__ import annotations

import sys
from abc import abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import starmap
from math import exp, fsum, log, nan, pow
from operator import add, sub
from sys import float_info

from ..core.counting._counted import Counted, Sums
from ..core.counting.counter import Counter
from ..core.counting.stats import AdaptedRows, Rows, Stats
from ..core.inputs._batch import Batch
from ..core.inputs.arguments import known_name
from ..core.scoring.base import (
    COUNT,
    EFFECTIVE_ORDER,
    MATRIX,
    SEVERAL_REFERENCES,
    SIGNIFICANCE,
    STATE,
    SUMS,
    UPDATE,
    Dialect,
    Feature,
    ScoreOptions,
    check_not_negative,
)
from ..core.scoring.score import NoScoreError
from ..core.tokenizers.tokenizer import load_tokenizer
from .counters import CountingDialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.inputs.types import ReferenceLength
    from ..core.scoring.score import Score
    from .counters import Segment

# How Python's sum() adds up floats: a field of signatures.
SUM = {"sum": "compensated" if sys.version_info >= (3, 12) else "plain"}

# For `Dialect.unsupported`.
OF_SENTENCES = "the score is computed from sentence scores, not from summed rows"
ONE_REFERENCE: dict[Feature | str, str] = {SEVERAL_REFERENCES: SEVERAL_REFERENCES.reason}

# hyp_len, ref_len, matches and totals, the last two of shape (max_ngram_order,).
Row = tuple[int, int, Sequence[int], Sequence[int]]


def split_rows(stats: Rows) -> Iterator[Row]:
    """The rows as Python numbers."""
    width, middle = 2 + 2 * stats.max_ngram_order, 2 + stats.max_ngram_order
    for row in zip(*[iter(stats._rows.tolist())] * width, strict=True):
        yield row[0], row[1], row[2:middle], row[middle:]


def rows_of_tokens(segments: Iterable[Any], tokenizer: str | None = None, **options: Any) -> Stats:
    """The usual rows of segments of tokens, (hypothesis, references), or of texts."""
    counter = Counter(load_tokenizer(tokenizer) if tokenizer else None, **options)
    hypotheses, references = [], []
    for hypothesis, of_segment in segments:
        hypotheses.append(hypothesis)
        references.append(of_segment)
    return counter.count(Batch(hypotheses, references)).stats


def running_sum(values: Iterable[float]) -> float:
    """Add floats one by one; Python's sum() compensates for rounding since 3.12."""
    return reduce(add, values, 0.0)


def doubling_logarithms(matches: Sequence[int], totals: Sequence[int]) -> list[float]:
    """log p of each order with n-grams; without a match p is 1 / (k * total), k = 2, 4, 8, ..."""
    logarithms, doubling = [], 1
    for matched, ngrams in zip(matches, totals, strict=True):
        if matched:
            logarithms.append(log(matched / ngrams))
        elif ngrams:
            doubling *= 2
            logarithms.append(log(1 / (doubling * ngrams)))
    return logarithms


def moses_line(score: Score, name: str, hyp_len: str, ref_len: str) -> str:
    """The line that multi-bleu.perl prints, with these words."""
    precisions = "/".join([f"{100 * precision:.1f}" for precision in score.precisions])
    return (
        f"{name} = {score.printed}, {precisions} (BP={score.bp:.3f}, "
        f"ratio={score.hyp_len / score.ref_len:.3f}, "
        f"{hyp_len}={score.hyp_len}, {ref_len}={score.ref_len})"
    )


class FormulaDialect(Dialect):
    """A dialect with a formula for a row; a corpus is scored by the sum of its rows."""

    aggregation: str | None = "sum"
    separable: bool | None = False

    @abstractmethod
    def _score(self, row: Row, options: ScoreOptions) -> float:
        """The score of an adapted row."""

    def _scores(self, adapted: AdaptedRows, options: ScoreOptions) -> array[float]:
        return array("d", [self._score(row, options) for row in split_rows(adapted)])


class TokenDialect(CountingDialect):
    """A dialect whose score needs the tokens of all segments and cannot come from rows."""

    aggregation: str | None = None
    keeps_tokens = True

    @abstractmethod
    def _token_score(self, segments: list[Segment], sums: AdaptedRows) -> dict[str, Any]:
        """The attributes of `Score` that do not follow from `sums`, the sum of rows."""

    def _corpus_score(self, sums: Sums, options: ScoreOptions) -> dict[str, Any]:
        return self._token_score(sums.extra or [], sums.adapted())

    def _segment_scores(self, counted: Counted, options: ScoreOptions) -> list[float]:
        pairs = zip(counted.extra or [], self.adapt(counted.stats), strict=True)
        return [self._token_score([segment], row)["value"] for segment, row in pairs]


def no_rows(reason: str) -> dict[Feature | str, str]:
    """For `Dialect.unsupported`: why features that need rows are not supported."""
    return dict.fromkeys((UPDATE, COUNT, SUMS, STATE, MATRIX, SIGNIFICANCE), reason)


# The dialects.


class MultiBleuDialect(FormulaDialect):
    """``multi-bleu.perl`` of Moses, for tokenized text, 0-100.

    BP * exp(mean of log(matches / totals) of orders 1 to 4); 0 if an order has no match. The
    reference length is the closest one, the shorter of two equally close; 9999 if all references
    differ from the hypothesis by 9999 tokens or more. BP is exp(1 - ref_len / hyp_len) if the
    hypotheses are shorter. Text is split at ASCII whitespace, which does not include the no-break
    space. ``lowercase=True`` is its ``-lc``, which lowercases A to Z.

    If the references have no tokens, the script prints "BLEU = 0" and exits with status 1; if only
    the hypotheses have none, it dies. Here both are a ValueError.
    """

    name = "multi-bleu"
    version = "multi-bleu"
    source = "moses-smt/mosesdecoder@34452895 scripts/generic/multi-bleu.perl"
    scale = 100.0
    tokenizer = "multi-bleu"
    tokenizers = {"multi-bleu": "multi-bleu"}
    of_tokenized_text = True
    orders = (4,)
    smoothings = {"none": None}
    options = {"smooth_method": "none"}
    _printed = "%.2f"
    # The reference length of a segment whose references all differ by this many tokens or more.
    _farthest = 9999

    def adapt(self, stats: Stats) -> AdaptedRows:
        """Rows with the reference length that the script uses."""
        numbers, width = stats._rows[:], 2 + 2 * stats.max_ngram_order
        differences = map(sub, numbers[::width], numbers[1::width])
        for row, difference in enumerate(differences):
            if abs(difference) >= self._farthest:
                numbers[row * width + 1] = self._farthest
        return AdaptedRows._own(numbers, stats.max_ngram_order)

    def line(self, score: Score) -> str:
        return moses_line(score, "BLEU", "hyp_len", "ref_len")

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        for length, side, end in (
            (ref_len, "references", "prints BLEU = 0 and exits with status 1"),
            (hyp_len, "hypotheses", "dies, because it divides by their length"),
        ):
            if not length:
                raise NoScoreError(f"the {side} have no tokens at all: {self.name}.perl {end}")
        return super().brevity_penalty(hyp_len, ref_len)

    def _score(self, row: Row, options: ScoreOptions) -> float:
        hyp_len, ref_len, matches, totals = row
        bp, pairs = self.brevity_penalty(hyp_len, ref_len), zip(matches, totals, strict=True)
        total = running_sum([log(m / t) if m and t else -9999999999 for m, t in pairs])
        return 100 * (bp * exp(total / len(totals)))


class MultiBleuDetokDialect(MultiBleuDialect):
    """``multi-bleu-detok.perl`` of Moses: multi-bleu for raw text, tokenized by 13a, 0-100.

    Whitespace is Perl's, which excludes U+001C to U+001F. ``lowercase=True``, its ``-lc``,
    lowercases hypotheses before tokenizing and references after it, character by character. The
    script drops the last character of a file without a final newline; that is not reproduced.
    """

    name = "multi-bleu-detok"
    version = "multi-bleu-detok"
    source = "moses-smt/mosesdecoder@34452895 scripts/generic/multi-bleu-detok.perl"
    tokenizer = "multi-bleu-detok"
    tokenizers = {"13a": "multi-bleu-detok"}
    of_tokenized_text = False


class MtevalV14Dialect(FormulaDialect):
    """``mteval-v14.pl``, 0-1.

    exp(mean of log p of orders 1 to 4) * BP. If an order has no match, p is 1 / (k * totals), where
    k doubles from 2 with each such order (``smooth_method="exp"``); an order without n-grams adds
    nothing to the sum, which is still divided by 4. ``smooth_method="none"``, its
    ``--no-smoothing``, gives 0 without a 4-gram match. BP is exp(min(0, 1 - ref_len / hyp_len)), 0
    without hypothesis tokens and 1 without reference tokens.

    The reference length is the closest one, the shorter of two equally close; with
    ``reference_length="shortest"``, its ``--brevity-penalty``, the shortest. Text is tokenized by
    13a and A to Z are lowercased; ``lowercase=False`` is its ``-c``. ``tokenize="international"``
    is its ``--international-tokenization``, which lowercases all of Unicode; "international-e" is
    the same with ``-e``.
    """

    name = "mteval-v14"
    version = "mteval-v14"
    source = "moses-smt/mosesdecoder@34452895 scripts/generic/mteval-v14.pl"
    tokenizer = "mteval"
    tokenizers = {
        "13a": "mteval",
        "international": "mteval-international",
        "international-e": "mteval-international-e",
    }
    cases = (True, False)
    reference_lengths = ("closest", "shortest")
    orders = (4,)
    smoothings = {"exp": None, "none": None}
    options = {"smooth_method": "exp"}
    _printed = "%.4f"

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        return super().brevity_penalty(hyp_len, ref_len) if hyp_len else 0.0

    def _score(self, row: Row, options: ScoreOptions) -> float:
        hyp_len, ref_len, matches, totals = row
        smooth = options.smooth_method == "exp"
        if not hyp_len or not (smooth or matches[-1]):
            return 0.0
        mean = running_sum(doubling_logarithms(matches, totals)) / len(totals)
        if not smooth:
            return exp(mean + min(0.0, 1 - ref_len / hyp_len))
        return exp(mean) * self.brevity_penalty(hyp_len, ref_len)


class MtevalV13aDialect(MtevalV14Dialect):
    """``mteval-v13a.pl``, 0-1: the rules of mteval-v14, except for a corpus without tokens.

    The script prints the ratio of lengths and the logarithm of BP, so it dies if a side has no
    tokens or BP is 0; here this is a ValueError. Documents and single sentences have the scores of
    mteval-v14.
    """

    name = "mteval-v13a"
    version = "mteval-v13a"
    source = "moses-smt/mosesdecoder@34452895 scripts/generic/mteval-v13a.pl"

    def _corpus_score(self, sums: Sums, options: ScoreOptions) -> dict[str, Any]:
        hyp_len, ref_len = sums.row[:2]
        if options.smooth_method == "none":
            return super()._corpus_score(sums, options)
        if not ref_len:
            raise NoScoreError(
                "the closest references have no tokens: mteval-v13a.pl dies, because it "
                "divides by their length; mteval-v14 has a score"
            )
        if not self.brevity_penalty(hyp_len, ref_len):
            raise NoScoreError(
                f"the brevity penalty of {hyp_len} tokens against {ref_len} is 0: mteval-v13a.pl "
                "dies, because it prints its logarithm; mteval-v14 has a score"
            )
        return super()._corpus_score(sums, options)


class NmtDialect(FormulaDialect):
    """``compute_bleu`` of tensorflow/nmt, on whitespace tokens, 0-1.

    exp(sum of log(matches / totals) / max_ngram_order) * BP; 0 if an order has no match. With
    ``smooth_method="add-1"``, its ``smooth=True``, 1 is added to matches and totals of all orders.
    The reference length is the SHORTEST one. BP is 1 if the ratio of lengths is above 1, else
    exp(1 - 1 / ratio). The sum is Python's sum(), which is compensated since 3.12.

    If a side has no tokens, the original divides by zero; here this is a ValueError.
    """

    name = "tf-nmt"
    version = "tf-nmt"
    source = "tensorflow/nmt@0be8642 nmt/scripts/bleu.py"
    reference_lengths = ("shortest",)
    smoothings = {"none": None, "add-1": None}
    options = {"smooth_method": "none"}

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        """The factor for short hypotheses, 0-1; NoScoreError if one of the lengths is 0."""
        if not hyp_len or not ref_len:
            empty = "references" if hyp_len else "hypotheses"
            problem = f"the {empty} have no tokens at all"
            raise NoScoreError(f"{problem}, so the ratio of lengths is undefined")
        ratio = hyp_len / ref_len
        return 1.0 if ratio > 1.0 else exp(1 - 1.0 / ratio)

    def details(self, row: Row, smooth: bool) -> tuple[float, list[float], float]:
        """Score, smoothed precisions and brevity penalty of a row, all 0-1."""
        hyp_len, ref_len, matches, totals = row
        precisions = [
            (matched + 1.0) / (ngrams + 1.0) if smooth else matched / ngrams if ngrams else 0.0
            for matched, ngrams in zip(matches, totals, strict=True)
        ]
        bp = self.brevity_penalty(hyp_len, ref_len)
        mean = 0.0
        if min(precisions) > 0:
            # fsum, or a single division of the sum, would round differently.
            weight = 1.0 / len(precisions)
            mean = exp(sum([weight * log(p) for p in precisions]))
        return mean * bp, precisions, bp

    def _further_fields(self) -> dict[str, str]:
        return SUM

    def _score(self, row: Row, options: ScoreOptions) -> float:
        return self.details(row, options.smooth_method == "add-1")[0]


class EvaluateDialect(NmtDialect):
    """The metric ``bleu`` of Hugging Face's Evaluate 0.4.6: tf-nmt's rules on 13a tokens, 0-1.

    Its 13a keeps whitespace at the end of a text; sacreBLEU's strips it first.
    """

    name = "evaluate"
    version = "evaluate-0.4.6"
    source = "huggingface/evaluate@a7dd338 metrics/bleu"
    tokenizer = "evaluate"


class Tensor2TensorDialect(FormulaDialect):
    """``bleu_wrapper`` of tensor2tensor (t2t-bleu), with one reference, 0-1.

    exp(sum of log p / max_ngram_order) * BP, rounded to float32. If an order has no match, p is
    1 / (k * totals), where k doubles from 2 with each such order; an order without n-grams adds
    nothing to the sum. BP is 1 if the ratio of lengths is at least 1 or the reference has no
    tokens, else exp(1 - 1 / ratio).

    Text is lowercased (``lowercase=False`` is its ``case_sensitive``) and split as in mteval's
    international tokenization, but only decimal digits are numbers, the backslash is not
    punctuation, and entities are kept. Unicode data are those of the running Python.
    """

    name = "tensor2tensor"
    version = "tensor2tensor"
    source = "tensorflow/tensor2tensor@bafdc1b6 tensor2tensor/utils/bleu_hook.py"
    tokenizer = "tensor2tensor"
    tokenizers = {"tensor2tensor": "tensor2tensor"}
    cases = (True, False)
    smoothings = {"exp": None}
    options = {"smooth_method": "exp"}
    unsupported = ONE_REFERENCE

    def printed(self, value: float) -> str:
        return f"{100 * value:.2f}"

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        if not ref_len or hyp_len >= ref_len:
            return 1.0
        return exp(1 - 1.0 / (hyp_len / ref_len)) if hyp_len else 0.0

    def _score(self, row: Row, options: ScoreOptions) -> float:
        hyp_len, ref_len, matches, totals = row
        logarithms = doubling_logarithms(matches, totals)
        if not logarithms:
            return 0.0
        mean = exp(sum(logarithms) / len(totals))
        return array("f", [mean * self.brevity_penalty(hyp_len, ref_len)])[0]


class CocoDialect(FormulaDialect):
    """``Bleu`` of pycocoevalcap, for tokenized captions, 0-1.

    BLEU-n is the n-th root of the product of (matches + 1e-15) / (totals + 1e-9) of orders 1 to n,
    times exp(1 - 1 / ratio) if ratio = (hyp_len + 1e-15) / (ref_len + 1e-9) is below 1. The score
    is BLEU-4; `Score.cumulative` has BLEU-1 to BLEU-4.

    The reference length is the closest one, the shorter of two equally close; or the shortest; or,
    with ``reference_length="average"``, the mean, which is not an integer, so there are no rows.
    Text is split at whitespace, as by pycocoevalcap's ``Bleu``; ``tokenize="ptb"`` applies its
    ``PTBTokenizer`` first, and ``tokenize="auto"`` splits into words of each image's language,
    which it guesses from the script of the first reference.
    """

    name = "coco"
    version = "pycocoevalcap-1.2"
    source = "salaniz/pycocoevalcap@1.2 bleu/bleu_scorer.py"
    reference_lengths: Sequence[ReferenceLength] = ("closest", "shortest", "average")
    smoothings = {"tiny": None}
    options = {"smooth_method": "tiny"}
    unsupported = {EFFECTIVE_ORDER: "it has a score for each order, `Score.cumulative`"}
    _printed = "%.3f"
    _tiny, _small = 1e-15, 1e-9

    def variant(self, reference_length: object, **own_options: object) -> Dialect:
        # Mean lengths need another way of counting.
        dialect = super().variant(reference_length, **own_options)
        is_average = isinstance(reference_length, str) and reference_length == "average"
        return COCO_AVERAGE if is_average else dialect

    def own_tokenizer(self, tokenize: Any) -> Any:
        by_script = known_name(tokenize, ("auto", "auto-captions"))
        return "auto-captions" if by_script else super().own_tokenizer(tokenize)

    def ratio(self, hyp_len: int, ref_len: float) -> float:
        """The ratio of lengths, which pycocoevalcap prints."""
        return (hyp_len + self._tiny) / (ref_len + self._small)

    def brevity_penalty(self, hyp_len: int, ref_len: float) -> float:
        ratio = self.ratio(hyp_len, ref_len)
        return exp(1 - 1 / ratio) if ratio < 1 else 1.0

    def by_order(
        self, hyp_len: int, ref_len: float, matches: Sequence[int], totals: Sequence[int]
    ) -> tuple[float, ...]:
        """BLEU-1 to BLEU-N."""
        product, scores, order = 1.0, [], 1.0
        bp = self.brevity_penalty(hyp_len, ref_len)
        for matched, ngrams in zip(matches, totals, strict=True):
            product *= (matched + self._tiny) / (ngrams + self._small)
            scores.append(pow(product, 1.0 / order) * bp)
            order += 1.0
        return tuple(scores)

    def _corpus_score(self, sums: Sums, options: ScoreOptions) -> dict[str, Any]:
        [row] = split_rows(sums.adapted())
        return self._attributes(*row)

    def _attributes(self, *row: Any) -> dict[str, Any]:
        scores, bp = self.by_order(*row), self.brevity_penalty(*row[:2])
        return {"value": scores[-1], "cumulative": scores, "bp": bp, "ref_len": row[1]}

    def _score(self, row: Row, options: ScoreOptions) -> float:
        return self.by_order(*row)[-1]


class CocoAverageDialect(TokenDialect, CocoDialect):
    """pycocoevalcap's ``option="average"``; see `CocoDialect`."""

    reference_lengths = ("average",)
    unsupported = CocoDialect.unsupported | no_rows("a mean of lengths is not an integer")

    def _token_score(self, segments: list[Segment], sums: AdaptedRows) -> dict[str, Any]:
        [(hyp_len, _, matches, totals)] = split_rows(sums)
        ref_len = running_sum(sum(map(len, texts)) / len(texts) for _, texts in segments)
        return self._attributes(hyp_len, ref_len, matches, totals)


class CodeXGlueSummaryDialect(FormulaDialect):
    """``bleuFromMaps`` of CodeXGLUE, CodeBERT and CodeT5: a MEAN OF SENTENCES, 0-100.

    A sentence scores exp(mean of log((matches + a + t) / (totals + a + t))) * BP; a is 1 for orders
    above 1, else 0; t = 2.2250738585072014e-308; BP is exp(min(0, 1 - (ref_len + 1) / (hyp_len +
    1))). The reference length is the SHORTEST one. Text is lowercased, split into runs of letters,
    digits and underscores and single other characters, and then split by 13a.
    """

    name = "codexglue-summary"
    version = "codexglue-summary"
    source = "microsoft/CodeXGLUE@ac74a62 Code-Text/code-to-text/evaluator/evaluator.py"
    scale = 100.0
    tokenizer = "codexglue-summary"
    tokenizers = {"codexglue-summary": "codexglue-summary"}
    of_tokenized_text = True
    cases = (True,)
    reference_lengths = ("shortest",)
    orders = (4,)
    smoothings = {"add-k": None}
    options = {"smooth_method": "add-k"}
    aggregation = "mean"
    unsupported = dict.fromkeys((SUMS, STATE, SIGNIFICANCE), OF_SENTENCES)

    def printed(self, value: float) -> str:
        return str(round(value, 2))

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        return exp(_codexglue_log_penalty(hyp_len, ref_len))

    def _score(self, row: Row, options: ScoreOptions) -> float:
        return codexglue_sentence(*row) * 100.0

    def _corpus_score(self, sums: Sums, options: ScoreOptions) -> dict[str, Any]:
        return {"value": codexglue_mean(sums.rows()), "bp": None}


def _codexglue_log_penalty(hyp_len: int, ref_len: int) -> float:
    return min(0.0, 1 - (ref_len + 1) / (hyp_len + 1))


def codexglue_sentence(
    hyp_len: int, ref_len: int, matches: Sequence[int], totals: Sequence[int]
) -> float:
    """CodeXGLUE's score of a sentence, 0-1."""
    added = [float_info.min, 1.0, 1.0, 1.0]
    triples = zip(matches, totals, added, strict=True)
    total = running_sum([log(m + a) - log(t + a) for m, t, a in triples])
    return exp(total / 4.0 + _codexglue_log_penalty(hyp_len, ref_len))


def codexglue_mean(rows: Rows) -> float:
    """CodeXGLUE's score of a corpus, 0-100."""
    return running_sum(starmap(codexglue_sentence, split_rows(rows))) * 100.0 / len(rows)


class E2EDialect(FormulaDialect):
    """``BLEUScore`` of e2e-metrics, which data-to-text papers report, 0-1.

    exp(mean of log(max(matches + k, 1e-15) / max(totals + k, 1e-9))) * BP, k = 0 by default;
    ``smooth_method="add-k"`` is its ``smoothing``, with k as ``smooth_value`` (1 if not given), for
    all orders. Totals are sums of hyp_len - n + 1, which is NEGATIVE for short segments, so that a
    score may exceed 1. The reference length is the closest one, the shorter of two equally close.
    BP is exp(1 - ref_len / hyp_len) unless the hypotheses are longer.

    Text is tokenized by 13a and lowercased afterwards (``lowercase=False`` is its
    ``case_sensitive``); an empty text is one empty token.
    """

    name = "e2e"
    version = "e2e-metrics"
    source = "tuetschek/e2e-metrics@1b9c4d8 metrics/pymteval.py"
    tokenizer = "e2e"
    tokenizers = {"13a": "e2e"}
    cases = (True, False)
    smoothings = {"none": None, "add-k": 1.0}
    options = {"smooth_method": "none", "smooth_value": None}
    unsupported = {STATE: "its totals may be negative, which a state does not allow"}
    _printed = "%.4f"

    def adapt(self, stats: Stats) -> AdaptedRows:
        """Rows with totals that are not floored at 0."""
        numbers, order = stats._rows[:], stats.max_ngram_order
        width = 2 + 2 * order
        for at in range(0, len(numbers), width):
            if numbers[at] < order:
                for n in range(order):
                    numbers[at + 2 + order + n] = numbers[at] - n
        return AdaptedRows._own(numbers, order)

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        return exp(1 - ref_len / (hyp_len or 1e-5)) if hyp_len <= ref_len else 1.0

    def _score(self, row: Row, options: ScoreOptions) -> float:
        hyp_len, ref_len, matches, totals = row
        k: float = 0.0
        if options.smooth_method == "add-k":
            k = 1.0 if options.smooth_value is None else options.smooth_value
        pairs = zip(matches, totals, strict=True)
        total = running_sum([log(max(m + k, 1e-15) / max(t + k, 1e-9)) for m, t in pairs])
        return self.brevity_penalty(hyp_len, ref_len) * exp(1.0 / len(totals) * total)


class MatlabDialect(FormulaDialect):
    """``bleuEvaluationScore`` of MATLAB's Text Analytics Toolbox, 0-1.

    Written from its documentation and NEVER RUN AGAINST THE ORIGINAL. BP * exp(sum of weight *
    log(matches / totals)); ``weights=`` are its NgramWeights, of any length, divided by their sum.
    0 if the hypothesis has fewer tokens than there are weights or an order has no match, NaN if
    both sides are empty. The reference length is the closest one. BP is 1 if the hypothesis is
    longer, else exp(1 - ref_len / hyp_len). ``lowercase=True`` is its IgnoreCase.

    The original scores one document, tokenized by tokenizedDocument; here text is split at
    whitespace, and a corpus is scored by its summed counts.
    """

    name = "matlab"
    version = "matlab-documentation"
    source = "MathWorks, documentation of bleuEvaluationScore, R2024b"
    weights_set_order = True
    smoothings = {"none": None}
    options = {"weights": None, "smooth_method": "none"}
    unsupported = {EFFECTIVE_ORDER: "its NgramWeights set the orders"}

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        return super().brevity_penalty(hyp_len, ref_len) if hyp_len else 0.0

    def _check_options(self, options: ScoreOptions) -> None:
        check_not_negative(options.weights)

    def _score(self, row: Row, options: ScoreOptions) -> float:
        hyp_len, ref_len, matches, totals = row
        if not hyp_len and not ref_len:
            return nan
        weights = options.weights or (1.0,) * len(totals)
        terms = list(zip(weights, matches, totals, strict=True))
        if any(not ngrams or (weight and not matched) for weight, matched, ngrams in terms):
            return 0.0
        whole = fsum(weights)
        mean = fsum([w / whole * log(matched / ngrams) for w, matched, ngrams in terms if w])
        return self.brevity_penalty(hyp_len, ref_len) * exp(mean)


MULTI_BLEU = MultiBleuDialect()
MULTI_BLEU_DETOK = MultiBleuDetokDialect()
MTEVAL_V14 = MtevalV14Dialect()
MTEVAL_V13A = MtevalV13aDialect()
TF_NMT = NmtDialect()
EVALUATE = EvaluateDialect()
TENSOR2TENSOR = Tensor2TensorDialect()
COCO = CocoDialect()
COCO_AVERAGE = CocoAverageDialect()
CODEXGLUE_SUMMARY = CodeXGlueSummaryDialect()
E2E = E2EDialect()
MATLAB = MatlabDialect()
