"""`Scorer`: a dialect with its options, which turns counts into scores."""

from __future__ import annotations

from ..counting._counted import Counted, Totals
from ..counting.stats import Stats
from ..inputs.arguments import as_double, check_flag
from ..inputs.checks import is_iterable
from ..inputs.mistakes import UNSPACED_TOKENIZERS
from ..inputs.places import Place, refusal
from ..inputs.warnings import TOKENIZED_PERIODS, warn_input, warn_tokenized
from ..runtime.import_lock import import_lock
from ..tokenizers.loaded import Tokenizer
from . import get
from .base import Dialect
from .score import Score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Sequence
    from typing import Any

    import numpy
    from numpy.typing import NDArray

    from ..counting.counter import Counter
    from ..inputs.batch import Batch
    from ..inputs.ids import IdFilter


class Scorer:
    """A dialect with its options: checked once, immutable, the same in every process.

    `keep_rows` tells whether a corpus' rows are needed one by one, because their plain sum is not
    enough. `totals(counted, keep_rows=False)` gives the counts of a corpus as the dialect adds them
    up, with `keep_rows` all rows, too.

    Parameters
    ----------
    dialect : Dialect or str
        The dialect or its name.
    max_order : int
    weights : sequence of float, shape (max_order,), optional
        Weight of each order; equal weights by default.
    smoothing, smoothing_value : optional
        One of the dialect's `smoothings`, and a value instead of its default.
    effective_order : bool, default False
        Average only over orders for which the hypotheses have n-grams; their weights are scaled up
        to the sum of all.
    lowercase, tokenizer, reference_length : optional
        For signatures and warnings: whether text was lowercased, the tokenizer (or what counts of
        token ids, or the text of the field), which reference's length counted. None leaves the
        field out.

    Raises
    ------
    TypeError, ValueError
        An option is unknown, out of range or not supported by the dialect.
    """

    __slots__ = (
        "_signatures",
        "_tokenizer",
        "adds_batches",
        "dialect",
        "effective_order",
        "keep_rows",
        "lowercase",
        "max_order",
        "reference_length",
        "smoothing",
        "smoothing_value",
        "tokenizer",
        "totals",
        "weights",
    )

    def __init__(
        self,
        dialect: Dialect | str,
        max_order: int,
        weights: Sequence[float] | None = None,
        smoothing: str | None = None,
        smoothing_value: float | None = None,
        effective_order: bool = False,
        *,
        lowercase: bool | None = None,
        tokenizer: Tokenizer | IdFilter | str | None = None,
        reference_length: str | None = None,
    ) -> None:
        dialect = get(dialect) if isinstance(dialect, str) else dialect
        self.dialect = dialect
        self.max_order = max_order
        if smoothing is None:
            smoothing = str(dialect.options["smoothing"])
        if type(effective_order) is not bool:
            effective_order = check_flag("effective_order", effective_order)
        if effective_order and "effective_order" not in dialect.options:
            dialect.require("effective_order=True")
        self.effective_order = effective_order
        if smoothing not in dialect.smoothings:
            if (feature := f"smoothing={smoothing!r}") in dialect.reasons:
                raise dialect._refusal(feature, dialect.reasons[feature])
            raise ValueError(dialect._unknown_smoothing(smoothing))
        self.smoothing = smoothing
        if smoothing_value is None and smoothing == dialect.options["smoothing"]:
            smoothing_value = dialect.options.get("smoothing_value")  # type: ignore[assignment]
        if smoothing_value is not None:
            if dialect.smoothings[smoothing] is None:
                raise ValueError(f"smoothing {smoothing!r} takes no value")
            if type(smoothing_value) is not int:
                smoothing_value = as_double("smoothing_value", smoothing_value)
        self.smoothing_value = smoothing_value
        self.weights = None
        if weights is None:
            weights = dialect.options.get("weights")  # type: ignore[assignment]
        if weights is not None:
            dialect.require("weights")
            weights = checked_weights(weights)
            if len(weights) != max_order:
                raise ValueError(f"there are {len(weights)} weights for max_order {max_order}")
            if weights != (1 / max_order,) * max_order:
                self.weights = weights
        self.lowercase = lowercase
        self._tokenizer = tokenizer if isinstance(tokenizer, Tokenizer) else None
        self.tokenizer = getattr(tokenizer, "signature", tokenizer)
        self.reference_length = None if reference_length == "closest" else reference_length
        adapts = type(dialect).adapt is not Dialect.adapt
        self.keep_rows = adapts or dialect.mean_of_sentences
        plain = not (self.keep_rows or dialect.minimum_total or dialect.single_reference)
        self.adds_batches = dialect.supports("update")
        # Most dialects add up rows as they are: for these, calls skip `_adapted_totals`.
        self.totals = Totals.from_counts if plain else self._adapted_totals
        # Signatures of scores, by the number of references.
        self._signatures: dict[Any, str] = {}
        dialect._check_options(self)

    @property
    def counted_as(self) -> dict[str, Any]:
        """What counts depend on, besides the dialect."""
        names = "lowercase", "tokenizer", "reference_length"
        return {name: getattr(self, name) for name in names}

    def signature(
        self, nrefs: int | None = None, tokenizers: frozenset[str | None] | None = None
    ) -> str:
        """A text that names everything that a score depends on besides the counts.

        `nrefs` is the number of references per segment; -1: it varies; None leaves the field out.
        `tokenizers` are those of segments, as in `Totals`: the metric's own comes first.
        """
        if tokenizers is not None:
            own = [str(self.tokenizer)] if None in tokenizers else []
            others = sorted(one for one in tokenizers if one is not None and one not in own)
            return self.dialect._make_signature(self, nrefs, "+".join([*own, *others]))
        found = self._signatures.get(nrefs)
        if found is None:
            found = self.dialect._make_signature(self, nrefs, self.tokenizer)
            self._signatures[nrefs] = found
        return found

    @property
    def averages_sentences(self) -> bool:
        """Whether the score of a corpus is a mean of those of sentences, and needs all rows."""
        return self.dialect.mean_of_sentences

    # Counts to scores.

    def rows_to_add(self, stats: Stats) -> Stats:
        """Rows as the dialect adds them up."""
        return self.dialect.adapt(stats)

    def _adapted_totals(self, counted: Counted, keep_rows: bool = False) -> Totals:
        """The counts of a corpus as the dialect adds them up; with `keep_rows` all rows, too.

        Raises
        ------
        ValueError
            There are several references, and the dialect takes one.
        """
        dialect = self.dialect
        dialect._check_references(counted.nrefs)
        keep_rows |= dialect.mean_of_sentences
        adapted = dialect.adapt(counted.stats)._rows if counted.keep_rows else None
        return Totals.from_counts(counted, keep_rows, adapted)

    def totals_of_rows(self, stats: Stats, nrefs: int | None = None) -> Totals:
        """The totals of rows that are not adapted."""
        kept = stats if self.dialect.mean_of_sentences else None
        return Totals(self.dialect.adapt(stats).sum()._rows, len(stats), nrefs, 0, kept)

    def score(self, totals: Totals) -> Score:
        """The score of a corpus, with warnings of likely mistakes.

        Raises
        ------
        ValueError
            There are no segments, or the dialect has no score for them.
        """
        if totals.segments == 0:
            raise ValueError("there are no segments to score: hypotheses is empty")
        if totals.tokenized_periods >= TOKENIZED_PERIODS:
            self.warn_of_tokenized(totals.tokenized_periods)
        score = self.score_row(totals)
        if score.value == 0 and score.hyp_len and not score.totals[-1]:
            fix = ""
            if self.dialect.supports("effective_order=True"):
                fix = " For short ones effective_order=True"
            warn_input(
                f"no hypothesis has {self.max_order} tokens, so that the score is 0: is each entry "
                f"of hypotheses a whole segment, and no word?{fix}{self._advice}"
            )
        return score

    def score_row(self, totals: Totals) -> Score:
        """The score of a corpus, without warnings."""
        dialect, order = self.dialect, self.max_order
        if dialect.minimum_total and 0 in totals.row[2 + order :]:
            raise ValueError(
                "the row has a total of 0: there are no segments, or they were not adapted; "
                f"pass {dialect.name.upper()}.adapt(stats).sum()"
            )
        found = dialect._corpus_score(totals, self)
        hyp_len, ref_len, *counts = found.get("row", totals.row)
        matches, ngrams = tuple(counts[:order]), tuple(counts[order:])
        if "precisions" not in found:
            pairs = zip(matches, ngrams, strict=True)
            found["precisions"] = tuple([m / t if t else 0.0 for m, t in pairs])
        return Score(
            found["value"],
            found["precisions"],
            found["bp"],
            hyp_len,
            found.get("ref_len", ref_len),
            matches,
            ngrams,
            self.signature(totals.nrefs, totals.tokenizers),
            dialect.printed(found["value"]),
            found.get("cumulative"),
        )

    def value(self, totals: Totals) -> float:
        """The score of a corpus as a number, without warnings."""
        value: float = self.dialect._corpus_score(totals, self)["value"]
        return value

    def statistics(self, counted: Counted) -> Stats:
        """The rows of a corpus, as they were counted."""
        self.dialect._check_references(counted.nrefs)
        self.warn_of_tokenized(counted.tokenized_periods)
        return counted.stats

    def sentence_scores(self, counted: Counted, warns: bool = True) -> NDArray[numpy.float64]:
        """The score of each segment, with warnings of likely mistakes unless `warns` is False."""
        with import_lock:
            import numpy

        self.dialect._check_references(counted.nrefs)
        stats = self._checked_rows(counted) if warns else counted.stats
        try:
            return numpy.asarray(self.dialect._segment_scores(counted, self), numpy.float64)
        except (ValueError, ZeroDivisionError):
            if counted.extra is None:
                self._refuse_first(stats, Place)
            raise

    def _checked_rows(self, counted: Counted) -> Stats:
        """The rows of segments to be scored one by one."""
        stats = self.statistics(counted)
        rows, width = counted.rows, 2 + 2 * self.max_order
        short = rows[width - 1 :: width].count(0) - rows[::width].count(0)
        self.warn_of_short(short, counted.segments)
        return stats

    def _refuse_first(self, stats: Stats, place: Callable[[int], str]) -> None:
        """Raise the error of the first row that has no score."""
        for number, row in enumerate(stats):
            try:
                self.row_scores(row)
            except (ValueError, ZeroDivisionError) as error:
                raise refusal(type(error), place(number), f": {error}") from None

    def prefix_scores(self, counter: Counter, batch: Batch, length: int) -> NDArray[numpy.float64]:
        """The score of each prefix of a batch, shape (segments, length)."""
        with import_lock:
            import numpy

        scores = numpy.empty((len(batch.hypotheses), length))

        def take(first: int, stats: Stats, rows: array[int]) -> None:
            def place(row: int) -> str:
                segment, position = divmod(rows.index(row), length)
                return f"segment {first + segment}, position {position}"

            try:
                found = self.row_scores(stats)
            except (ValueError, ZeroDivisionError):
                self._refuse_first(stats, place)
                raise
            part = scores.reshape(-1)[first * length :][: len(rows)]
            if len(found) == len(rows):  # each position has a row
                part[:] = found
            else:
                numpy.take(found, numpy.asarray(rows, numpy.intp), out=part, mode="clip")

        scorer = None if self.keep_rows else self.dialect._row_scorer(self)
        self._checked_rows(counter.count_prefixes(batch, length, take, scorer, scores))
        return scores

    def row_scores(self, stats: Stats) -> NDArray[numpy.float64]:
        """The score of each row by itself."""
        with import_lock:
            import numpy

        adapted = self.dialect.adapt(stats)
        return numpy.asarray(self.dialect._scores(adapted, self), numpy.float64)

    def summed_scores(self, sums: Stats) -> array[float]:
        """The score of each row, a sum of `rows_to_add`."""
        return self.dialect._scores(sums, self)

    def expected_scores(self, rows: object) -> array[float]:
        """The score of each row of expected counts: see `Dialect.expected_scores`."""
        self.dialect.require("aggregate=True")
        return self.dialect._expected_scores(rows, self)

    def with_equal_weights(self, max_order: int) -> Scorer:
        """A scorer of orders up to `max_order`, with equal weights."""
        smoothing = self.smoothing, self.smoothing_value
        return Scorer(self.dialect, max_order, None, *smoothing, self.effective_order)

    # Warnings.

    def warn_of_tokenized(self, periods: int) -> None:
        """Warn of text that looks tokenized."""
        if periods and self._tokenizer is not None and self._tokenizer.name != "none":
            warn_tokenized(periods, 'tokenize="none"')

    def warn_of_short(self, short: int, hypotheses: int, max_order: int | None = None) -> None:
        """Warn of hypotheses, not empty, that are too short for a score of their own."""
        if short and not self.effective_order and self.dialect.supports("effective_order=True"):
            warn_input(
                f"{short} of {hypotheses} hypotheses have fewer than "
                f"{self.max_order if max_order is None else max_order} tokens "
                "and score 0; with effective_order=True they are scored by the orders they have"
                f"{self._advice}"
            )

    @property
    def _advice(self) -> str:
        """What to do about short segments in scripts without spaces between words."""
        if self._tokenizer is None or not self._tokenizer.splits_at_spaces:
            return ""
        return f"; of Chinese or Japanese pass tokenize={UNSPACED_TOKENIZERS}"


def checked_weights(weights: Any) -> tuple[float, ...]:
    """A copy of the weights: the caller's list may change, a generator can be read only once."""
    if isinstance(weights, (str, bytes)) or not is_iterable(weights):
        raise TypeError(f"weights is {weights!r}, expected a number for each order, as (0.5, 0.5)")
    return tuple(as_double("weights", weight) for weight in weights)
