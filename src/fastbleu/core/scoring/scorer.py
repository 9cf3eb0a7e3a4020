"""`Scorer`: a dialect with its options, which turns counts into scores."""

from __future__ import annotations

from array import array

from ..counting._counted import Counted, Sums
from ..counting.counter import Counter
from ..counting.stats import AdaptedRows, Origin, Stats, truncated
from ..inputs.arguments import (
    NLTK_METHODS,
    as_double,
    check_flag,
    is_iterable,
    number_of,
    shown,
    unknown_name,
)
from ..inputs.errors import InputError, Place, advised
from ..inputs.mistakes import warn_of, warn_of_blank, warn_of_equal, warn_tokenized
from ..runtime.import_lock import lazy
from ..tokenizers.tokenizer import Tokenizer
from .base import (
    EFFECTIVE_ORDER,
    EXPECTED_COUNTS,
    SEVERAL_REFERENCES,
    SUMS,
    WEIGHTS,
    Dialect,
    Feature,
    ScoreOptions,
)
from .score import NoScoreError, Score, new_object, set_source, set_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    import numpy
    from numpy.typing import NDArray

    from ..inputs._batch import Batch
    from ..inputs.ids import IdFilter
else:
    numpy = lazy("numpy")

# The errors of an original's arithmetic where it has no score.
_ARITHMETIC = (ValueError, ZeroDivisionError)


class Scorer(ScoreOptions):
    """A dialect with its options: checked once, immutable, the same in every process.

    `keep_rows` says whether the rows of a corpus are needed, because their plain sum is not enough.
    Only a Scorer makes `Sums`.

    Parameters
    ----------
    dialect : Dialect
    max_ngram_order, weights, smooth_method, smooth_value, effective_order
        As for `fastbleu.BLEU`.
    lowercase, tokenizer, reference_length : optional
        For signatures and warnings: whether text was lowercased, the tokenizer (or the filter of
        token ids, or the text of the field), and which reference length was used. None leaves the
        field out.

    Raises
    ------
    TypeError, ValueError
        An option is unknown, out of range or not supported by the dialect.
    """

    def __init__(
        self,
        dialect: Dialect,
        max_ngram_order: int,
        weights: Sequence[float] | None = None,
        smooth_method: str | None = None,
        smooth_value: float | None = None,
        effective_order: bool | None = None,
        *,
        lowercase: bool | None = None,
        tokenizer: Tokenizer | IdFilter | str | None = None,
        reference_length: str | None = None,
    ) -> None:
        self.dialect = dialect
        self.max_ngram_order = max_ngram_order
        if smooth_method is None:
            smooth_method = str(dialect.options["smooth_method"])
        if effective_order is not None and type(effective_order) is not bool:
            effective_order = check_flag("effective_order", effective_order)
        if effective_order and "effective_order" not in dialect.options:
            dialect.require(EFFECTIVE_ORDER)
        self.given_effective_order = effective_order
        self.effective_order = bool(effective_order)
        if not (isinstance(smooth_method, str) and smooth_method in dialect.smoothings):
            raise _unknown_smoothing(dialect, smooth_method)
        self.smooth_method = smooth_method
        if smooth_value is None and smooth_method == dialect.options["smooth_method"]:
            smooth_value = dialect.options.get("smooth_value")  # type: ignore[assignment]
        if smooth_value is not None:
            if dialect.smoothings[smooth_method] is None:
                raise ValueError(f"smooth_method {shown(smooth_method)} takes no value")
            if type(smooth_value) is not int:
                smooth_value = as_double("smooth_value", smooth_value)
        self.smooth_value = smooth_value
        self.weights = None
        if weights is None:
            weights = dialect.options.get("weights")  # type: ignore[assignment]
        if weights is not None:
            dialect.require(WEIGHTS)
            weights = checked_weights(weights)
            if len(weights) != max_ngram_order:
                entries = number_of(len(weights), "entry", "entries")
                fix = f"is {max_ngram_order}; pass max_ngram_order={len(weights)}, too"
                raise ValueError(f"weights has {entries}, max_ngram_order {fix}")
            if weights != (1 / max_ngram_order,) * max_ngram_order:
                self.weights = weights
        self.lowercase = lowercase
        self._tokenizer = tokenizer if isinstance(tokenizer, Tokenizer) else None
        self.tokenizer = getattr(tokenizer, "signature", tokenizer)
        self.reference_length = None if reference_length == "closest" else reference_length
        adapts_rows = type(dialect).adapt is not Dialect.adapt
        self.keep_rows = adapts_rows or dialect.aggregation == "mean"
        self._least_total = dialect.minimum_total
        self._adds_as_counted = SEVERAL_REFERENCES in dialect.features and not (
            self.keep_rows or self._least_total
        )
        # Signatures of scores, by the number of references.
        self._signatures: dict[Any, str] = {}
        self._of_sentences: Scorer | None = None
        if weights is not None or smooth_value is not None:
            dialect._check_options(self)

    @property
    def of_sentences(self) -> Scorer:
        """The scorer of single sentences, which differs in `effective_order` if this is not given.

        Recipes score a sentence like a corpus, because their originals do.
        """
        if self._of_sentences is None:
            made, default = self, self.dialect.options.get("effective_order", False)
            if self.given_effective_order is None is default:
                made = object.__new__(Scorer)
                vars(made).update(vars(self))
                made.effective_order, made._signatures, made._of_sentences = True, {}, made
            self._of_sentences = made
        return self._of_sentences

    @property
    def counted_as(self) -> dict[str, Any]:
        """The options that affect counts, besides orders and ids; see `Origin`."""
        names = "tokenizer", "lowercase", "reference_length"
        dialect, rules = self.dialect, ["common"]
        if dialect.counter is not Counter:
            rules = [dialect.name, *map("{0[0]}={0[1]}".format, dialect.own_options.items())]
        return {name: getattr(self, name) for name in names} | {"rules": " ".join(rules)}

    def signature(
        self, nrefs: int | None = None, tokenizers: frozenset[str | None] | None = None
    ) -> str:
        """A text with everything that a score depends on besides the counts.

        `nrefs` is the number of references per segment (-1: varying; None leaves the field out).
        `tokenizers` are those of segments, as in `Sums`; the metric's own comes first.
        """
        if tokenizers is not None:
            own = [str(self.tokenizer)] if None in tokenizers else []
            others = sorted(name for name in tokenizers if name is not None and name not in own)
            return _signature(self, nrefs, "+".join([*own, *others]))
        if nrefs not in self._signatures:
            made = _signature(self, nrefs, self.tokenizer)
            self._signatures[nrefs] = made
        return self._signatures[nrefs]

    # What callers outside the core ask of the dialect.

    @property
    def scale(self) -> float:
        """The score of a perfect corpus: 1.0 or 100.0."""
        return self.dialect.scale

    def supports(self, feature: Feature) -> bool:
        """Whether the dialect supports an option or an operation."""
        return feature in self.dialect.features

    def require(self, *features: Feature) -> None:
        """Raise a ValueError if the dialect does not support one of these."""
        for feature in features:
            self.dialect.require(feature)

    def check_references(self, nrefs: int) -> None:
        """Refuse `nrefs` references per segment (-1: varying) if the dialect takes only one."""
        if nrefs not in (0, 1) and not self.supports(SEVERAL_REFERENCES):
            raise InputError(
                f"dialect {self.dialect.name!r} takes one reference for each segment, as its "
                f"original does; {advised('first reference')} to score with the first"
            )

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        """The factor for hypotheses that are shorter than their references, 0-1."""
        return self.dialect.brevity_penalty(hyp_len, ref_len)

    def printed(self, value: float) -> str | None:
        """A score with the digits that the original prints; None if it prints all."""
        return self.dialect.printed(value)

    def line(self, score: Score) -> str | None:
        """The line that the original prints; None if it prints none."""
        return self.dialect.line(score)

    # Counts to scores.

    def adapted(self, stats: Stats, nrefs: int = 1) -> AdaptedRows:
        """Rows as the dialect adds them up; errors as for `sums`."""
        self.check_references(nrefs)
        return self.dialect.adapt(stats)

    def sums(self, counted: Counted, keep_rows: bool = False) -> Sums:
        """The counts of a corpus as the dialect adds them up; with `keep_rows` also all rows.

        Raises
        ------
        ValueError
            There are several references, but the dialect takes only one.
        """
        if self._adds_as_counted:
            return Sums.from_counts(counted, keep_rows)
        keep_rows |= self.dialect.aggregation == "mean"
        self.check_references(counted.nrefs)
        adapted = self.adapted(counted.stats)._rows if counted.keep_rows else None
        return Sums.from_counts(counted, keep_rows, adapted)

    def sums_of(self, stats: Stats, nrefs: int | None = None) -> Sums:
        """The sums of the rows of segments, not yet adapted."""
        kept = stats if self.dialect.aggregation == "mean" else None
        return Sums(self.adapted(stats).sum()._rows, len(stats), nrefs, 0, kept)

    def restore(
        self,
        row: Sequence[int],
        segments: int | None = None,
        nrefs: int | None = None,
        stats: Stats | None = None,
    ) -> Sums:
        """Sums from a sum of `adapted` rows: a metric's state, or a row of a stored table.

        `stats` are the rows of the segments, for a dialect that takes the mean of sentences.
        """
        if len(row) != (width := 2 + 2 * self.max_ngram_order):
            raise ValueError(f"the state has {len(row)} numbers, but the metric needs {width}")
        return Sums(array("q", row), segments, nrefs, 0, stats)

    def score(self, sums: Sums, warns: bool = True) -> Score:
        """The score of a corpus, with warnings of likely mistakes unless `warns` is False.

        Raises
        ------
        ValueError
            There are no segments, or (NoScoreError) the dialect has no score for them.
        """
        if sums.segments == 0:
            raise InputError("there are no segments to score: hypotheses is empty")
        attributes = self.attributes(sums, warns)
        # Its other fields are computed by `field` when they are first read: they take longer than
        # counting a segment, and most callers only read `value`.
        score = new_object(Score)
        set_value(score, attributes["value"])
        set_source(score, (self, attributes, sums.noted))
        return score

    def field(
        self,
        name: str,
        attributes: dict[str, Any],
        row: array[int],
        segments: int | None,
        nrefs: int | None,
        tokenizers: frozenset[str | None] | None,
    ) -> Any:
        """A field of the `Score` of a corpus; `attributes` are from `Dialect._corpus_score`."""
        if name in attributes:
            return attributes[name]
        middle = 2 + self.max_ngram_order
        match name:
            case "precisions":
                pairs = zip(row[2:middle], row[middle:], strict=True)
                return tuple([matched / ngrams if ngrams > 0 else 0.0 for matched, ngrams in pairs])
            case "bp":
                return self.dialect.brevity_penalty(row[0], row[1])
            case "hyp_len" | "ref_len":
                return row[name == "ref_len"]
            case "matches":
                return tuple(row[2:middle])
            case "totals":
                return tuple(row[middle:])
            case "signature":
                return self.signature(nrefs, tokenizers)
            case "printed":
                return self.dialect.printed(attributes["value"])
            case "cumulative":
                return self._cumulative(row, segments)
            case _:
                raise AttributeError(name)

    def _cumulative(self, row: array[int], segments: int | None) -> tuple[float, ...] | None:
        """BLEU-1 to BLEU-N of a corpus; None if these are not defined."""
        if not (1 in self.dialect.orders and self.supports(SUMS)) or self.weights is not None:
            return None
        sums, scores = AdaptedRows._own(row, self.max_ngram_order), []
        for order in range(1, self.max_ngram_order + 1):
            scorer = self.with_equal_weights(order)
            of_order = scorer.restore(truncated(sums, order).flat, segments)
            scores.append(scorer.value(of_order))
        return tuple(scores)

    def value(self, sums: Sums) -> float:
        """The score of a corpus as a number, without warnings."""
        value: float = self.attributes(sums, warns=False)["value"]
        return value

    def attributes(self, sums: Sums, warns: bool = True) -> dict[str, Any]:
        """The result of `Dialect._corpus_score`, with errors and warnings as for `score`."""
        if self._least_total and 0 in sums.row[2 + self.max_ngram_order :]:
            raise NoScoreError("there are no segments: the sums have a total of 0")
        try:
            attributes = self.dialect._corpus_score(sums, self)
        except _ARITHMETIC as error:
            if self.dialect.aggregation == "mean" and sums.extra is None:
                self._refuse_first(sums.rows())
            raise self._no_score(error) from error
        if sums.are_unusual and warns:
            self._warn_of_sums(sums, attributes["value"])
        return attributes

    def _no_score(self, error: Exception, place: str | Place = "") -> NoScoreError:
        """The error for counts for which an original has no score."""
        reason = str(error)
        if not isinstance(error, InputError):  # arithmetic
            reason = f"dialect {self.dialect.name!r} has no score: its original fails with {reason}"
        if place:
            return NoScoreError.at(place, reason)
        return NoScoreError(reason, **vars(error) if isinstance(error, InputError) else {})

    def stats(self, counted: Counted) -> Stats:
        """The rows of a corpus, with their `Origin`."""
        self._check_counted(counted)
        return self._with_origin(counted.stats, counted)

    def stats_of_sums(self, sums: Sums) -> Stats:
        """The rows that sums have kept, with their `Origin`."""
        return self._with_origin(sums.rows()[:], sums)

    def _with_origin(self, stats: Stats, noted: Counted | Sums) -> Stats:
        nrefs, tokenizers = noted.nrefs, noted.tokenizers
        stats._origin = Origin(nrefs=nrefs, tokenizers=tokenizers, is_sum=False, **self.counted_as)
        return stats

    def counted_before(self, stats: Stats) -> Counted:
        """The counts in `stats`, as if they were counted now.

        Raises
        ------
        ValueError
            They were counted with other options, are a sum and the dialect changes each row, or
            hold numbers that no text can have.
        """
        if stats.max_ngram_order != self.max_ngram_order:
            raise ValueError(
                f"the Stats have max_ngram_order={stats.max_ngram_order}, the metric has "
                f"{self.max_ngram_order}"
            )
        counted = Counted(0, self.max_ngram_order)
        counted.stats, counted.segments = stats, len(stats)
        origin = stats._origin
        if origin is None:  # rows made from numbers: their texts are unknown
            stats._check_numbers()
            counted.tokenizers = frozenset({"given"})
            return counted
        for name, value in self.counted_as.items():
            if getattr(origin, name) != value:
                raise ValueError(
                    f"the Stats were counted with {name} {getattr(origin, name)}, the metric has "
                    f"{value}; count with this metric, or score with one that has the same options"
                )
        if stats._is_sum and (self.keep_rows or self._least_total):
            raise ValueError(
                f"the Stats hold a sum of rows, but dialect {self.dialect.name!r} needs the row of "
                "each segment: pass Stats that were not added up"
            )
        counted.nrefs, counted.tokenizers = origin.nrefs or 0, origin.tokenizers
        return counted

    def _check_counted(self, counted: Counted) -> None:
        """Refuse references that the dialect does not take, and warn about texts."""
        self.check_references(counted.nrefs)
        if counted.signs.tokenized_periods or counted.signs.blank_references:
            self.warn_of_texts(counted)

    def sentence_scores(self, counted: Counted, warns: bool = True) -> NDArray[numpy.float64]:
        """The score of each segment, with warnings of likely mistakes unless `warns` is False."""
        dialect = self.dialect
        self.check_references(counted.nrefs)
        if warns:
            self._warn_of_sentences(counted)
        try:
            scores = dialect._segment_scores(counted, self.of_sentences)
            return numpy.asarray(scores, numpy.float64)
        except _ARITHMETIC as error:
            if counted.extra is None:
                self._refuse_first(counted.stats)
            raise self._no_score(error) from error

    def _warn_of_sentences(self, counted: Counted) -> None:
        """Warn about likely mistakes in segments that are scored one by one."""
        self._check_counted(counted)
        rows, width = counted.rows, 2 + 2 * self.max_ngram_order
        short = rows[width - 1 :: width].count(0) - rows[::width].count(0)
        self.warn_of_short(short, counted.segments)

    def _refuse_first(self, stats: Stats, place: Callable[[int], str | Place] = Place) -> None:
        """Raise the error of the first row that has no score."""
        for number, row in enumerate(stats):
            try:
                self.dialect._scores(self.adapted(row), self.of_sentences)
            except _ARITHMETIC as error:
                raise self._no_score(error, place(number)) from None

    def prefix_scores(
        self, counter: Counter, batch: Batch, length: int, delta: bool
    ) -> NDArray[numpy.float64]:
        """The score of each prefix of a batch, shape (segments, length).

        For `delta`, prefixes without tokens are worth 0, whatever their score is.
        """
        scores = numpy.empty((len(batch.hypotheses), length))

        def take(first: int, stats: Stats, rows: array[int]) -> None:
            of_rows, scored = numpy.zeros(len(stats)), numpy.arange(len(stats))
            if delta:
                scored = numpy.flatnonzero(stats.hyp_lens)
                stats = Stats(numpy.asarray(stats)[scored], self.max_ngram_order)

            def place(row: int) -> str:
                segment, position = divmod(rows.index(int(scored[row])), length)
                return f"segment {first + segment}, position {position}: "

            try:
                of_rows[scored] = self.row_scores(stats)
            except NoScoreError:
                self._refuse_first(stats, place)
                raise
            part = scores.reshape(-1)[first * length :][: len(rows)]
            if len(of_rows) == len(rows):  # each position has a row
                part[:] = of_rows
            else:
                numpy.take(of_rows, numpy.asarray(rows, numpy.intp), out=part, mode="clip")

        scorer = None if self.keep_rows else self.dialect._row_scorer(self.of_sentences)
        self._warn_of_sentences(counter.count_prefixes(batch, length, take, scorer, scores))
        return scores

    def row_scores(self, stats: Stats) -> NDArray[numpy.float64]:
        """The score of each row, as of a sentence."""
        rows = self.adapted(stats)
        return numpy.asarray(self.of_sentences.scores_of_sums(rows), numpy.float64)

    def scores_of_sums(self, rows: AdaptedRows) -> array[float]:
        """The score of each row, which is a sum of `adapted` rows."""
        try:
            return self.dialect._scores(rows, self)
        except _ARITHMETIC as error:
            raise self._no_score(error) from error

    def expected_scores(self, rows: object) -> array[float]:
        """The score of each row of expected counts, which may be fractions, as of a sentence."""
        self.dialect.require(EXPECTED_COUNTS)
        return self.dialect._expected_scores(rows, self.of_sentences)

    def with_equal_weights(self, max_ngram_order: int) -> Scorer:
        """A scorer of orders up to `max_ngram_order`, with equal weights."""
        smoothing = self.smooth_method, self.smooth_value
        return Scorer(self.dialect, max_ngram_order, None, *smoothing, self.given_effective_order)

    def warn_of_texts(self, counted: Counted | Sums) -> None:
        """Warn about hypotheses that look tokenized, and about blank references."""
        self.warn_of_tokenized(counted.signs.tokenized_periods, counted.segments)
        warn_of_blank(counted.signs.blank_references)

    def _warn_of_sums(self, sums: Sums, value: float) -> None:
        """Warn about likely mistakes in a corpus: see `Sums.are_unusual`."""
        self.warn_of_texts(sums)
        warn_of_equal(sums.row, sums.segments)
        if value != 0 or not sums.row[0] or sums.row[-1]:
            return
        fix = advised("effective_order") if self.supports(EFFECTIVE_ORDER) else ""
        tokens = number_of(self.max_ngram_order, "token")
        warn_of("no long hypothesis", tokens=tokens, fix=fix + self._advice)

    def warn_of_tokenized(self, periods: int, segments: int | None) -> None:
        """Warn about text that looks tokenized, unless the dialect expects this."""
        needs_plain_text = self._tokenizer and self._tokenizer.needs_plain_text
        if periods and needs_plain_text and not self.dialect.of_tokenized_text:
            warn_tokenized(periods, segments)

    def warn_of_short(
        self, short: int, hypotheses: int, max_ngram_order: int | None = None
    ) -> None:
        """Warn about hypotheses that are not empty but have too few tokens for all orders."""
        effective_order = self.of_sentences.effective_order
        if short and not effective_order and self.supports(EFFECTIVE_ORDER):
            tokens = self.max_ngram_order if max_ngram_order is None else max_ngram_order
            warn_of("short", short=short, hypotheses=hypotheses, tokens=tokens, fix=self._advice)

    @property
    def _advice(self) -> str:
        """Advice about short segments in scripts without spaces between words."""
        if self._tokenizer is None or not self._tokenizer.splits_at_spaces:
            return ""
        chinese, japanese = advised("tokenize", "zh"), advised("tokenize", "ja-mecab")
        return f"; for Chinese use {chinese}, for Japanese {japanese}"


def checked_weights(weights: Any) -> tuple[float, ...]:
    """A copy of the weights: the caller's list may change, a generator can be read only once."""
    if isinstance(weights, (str, bytes)) or not is_iterable(weights):
        raise TypeError(f"weights is {shown(weights)}, expected a number for each order")
    return tuple(as_double("weights", weight) for weight in weights)


def _unknown_smoothing(dialect: Dialect, smooth_method: object) -> ValueError:
    """The error for a smoothing method that the dialect does not have."""
    if isinstance(smooth_method, str) and smooth_method in dialect.unsupported:
        reason = dialect.unsupported[smooth_method]
        return dialect.refusal(f"smooth_method={smooth_method!r}", reason)
    function = getattr(smooth_method, "__name__", None)
    methods = {method: name for method, name in NLTK_METHODS.items() if name in dialect.smoothings}
    if function in methods:
        problem = f"smooth_method is a function, expected a name for nltk's {function}"
        return ValueError(f"{problem}; pass smooth_method={methods[function]!r}")
    names = ", ".join(f"{name} is {ours!r}" for name, ours in methods.items())
    more = f"; nltk's {names}" if names else ""
    return ValueError(unknown_name("smooth_method", smooth_method, dialect.smoothings, more))


def _signature(scorer: Scorer, nrefs: int | None, tokenizer: Any) -> str:
    """See `Scorer.signature`."""
    weights, smooth, value = scorer.weights, scorer.smooth_method, scorer.smooth_value
    fields = {
        "nrefs": "var" if nrefs == -1 else nrefs,
        "case": None if scorer.lowercase is None else "lc" if scorer.lowercase else "mixed",
        "tok": tokenizer,
        "dialect": scorer.dialect.version,
        "order": scorer.max_ngram_order,
        "weights": None if weights is None else ",".join(map(str, weights)),
        "smooth": smooth if value is None else f"{smooth}[{value}]",
        "reflen": scorer.reference_length,
    }
    fields = scorer.dialect._signature_fields(fields, scorer)
    return "|".join([f"{name}:{value}" for name, value in fields.items() if value is not None])
