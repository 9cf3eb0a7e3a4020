"""`Dialect`: the rules by which one implementation turns rows of counts into a `Score`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Collection, Mapping, Sequence
from math import exp

from .._core import MAX_ORDER, raise_totals
from ..counting.stats import Stats
from .options import Options as Options
from .score import Score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Literal

    from ..counting._batch import Counted
    from ..counting.batch import CountOptions, Segment
    from ..inputs.types import ReferenceLength
    from ..tokenizers.table import TokenizerName


class Dialect(ABC):
    """The rules of one implementation for scores. A dialect has no state.

    Attributes
    ----------
    name, version : str
        The name for `fastbleu.dialects.get`, and the version in signatures.
    scale : float
        The score of a perfect corpus: 1.0 or 100.0.
    tokenizer, lowercase, reference_length, max_order
        The original's defaults: its tokenizer ("none" splits at whitespace), whether it
        ignores case, which reference's length counts, and its longest n-grams.
    tokenizers : mapping of str to str or None
        The original's names of its tokenizers, and the names here; None: it takes tokens from
        any tokenizer.
    cases, reference_lengths, orders : collection
        The allowed values of `lowercase`, `reference_length` and `max_order`.
    minimum_total : int
        Smaller totals are raised to this before rows are added up: 0 or 1.
    smoothings : mapping of str to float or None
        Every smoothing method with its default value; None: it takes no value.
    options : mapping of str to object
        The options of `score` that the dialect supports, with their defaults.
    settings : mapping of str to object
        Further options of `fastbleu.BLEU` that only this dialect has, and their values.
    unsupported : mapping of str to str
        Options and operations that the dialect does not support, and why. Operations are "update",
        "statistics", "sums", "state", "matrix" (many with many) and "significance".
    weights_set_order : bool
        Whether `max_order` defaults to the number of `weights`.
    single_reference : bool
        Whether each segment must have exactly one reference.
    mean_of_sentences : bool
        Whether the score of a corpus is the mean of its segments' scores, which needs their rows.
    separable : bool
        Whether a score is `Dialect.brevity_penalty` times a function of the hypothesis' length and
        the matches. The matrix of pairs is faster then.
    """

    name: ClassVar[str]
    version: ClassVar[str]
    scale: ClassVar[float] = 1.0
    tokenizer: ClassVar[TokenizerName] = "none"
    lowercase: ClassVar[bool] = False
    reference_length: ClassVar[ReferenceLength | Literal["average"]] = "closest"
    max_order: ClassVar[int] = 4
    tokenizers: ClassVar[Mapping[str, TokenizerName] | None] = None
    cases: ClassVar[Collection[bool]] = (False, True)
    reference_lengths: ClassVar[Collection[str]] = ()
    orders: ClassVar[Collection[int]] = range(1, MAX_ORDER + 1)
    minimum_total: ClassVar[int] = 0
    smoothings: ClassVar[Mapping[str, float | None]]
    options: ClassVar[Mapping[str, object]]
    settings: Mapping[str, object] = {}
    unsupported: Mapping[str, str] = {}
    weights_set_order: ClassVar[bool] = False
    single_reference: ClassVar[bool] = False
    mean_of_sentences: ClassVar[bool] = False
    separable: ClassVar[bool] = False

    # The fields of a signature in order, and the max_order that signatures omit.
    _fields: ClassVar[tuple[str, ...]] = (
        *("nrefs", "case", "tok", "dialect", "order", "weights", "smooth", "reflen"),
    )
    _usual_order: ClassVar[int | None] = None
    # How the original prints its score: a format of `value`; None: not rounded.
    _printed: ClassVar[str | None] = None

    def _configured(
        self, settings: Mapping[str, Any], reference_length: str | None = None
    ) -> Dialect:
        """This dialect with other values of `settings`, or for a reference length.

        Raises
        ------
        TypeError, ValueError
            The dialect has no such setting, or a value is wrong.
        """
        for name in settings:
            if name not in self.settings:
                raise self._refusal(name, "its original has nothing of the kind")
        return type(self)(**settings) if settings else self

    def _count(
        self,
        hypotheses: Any,
        references: Any,
        options: CountOptions,
        masks: tuple[Any, Any] = (None, None),
        *,
        keep_rows: bool = True,
        progress: bool = False,
    ) -> Counted:
        """Check and count a batch: all segments' rows, or one row, the sum of adapted rows."""
        from ..counting.input import count_input

        keep = keep_rows or type(self).adapt is not Dialect.adapt
        counted = count_input(
            hypotheses, references, options, masks, keep_rows=keep, progress=progress
        )
        self._check_references(counted.nrefs)
        if keep and not keep_rows:
            counted.stats = self.adapt(counted.stats).sum()
        return counted

    def _check_order(self, order: int) -> None:
        """Refuse a `max_order` that the original does not have."""
        if order not in self.orders:
            known = ", ".join(map(str, self.orders))
            raise self._refusal(f"max_order={order}", f"its longest n-grams are {known}")

    def _check_references(self, nrefs: int) -> None:
        """Refuse `nrefs` references of each segment (-1: it varies), if there may be only one."""
        if self.single_reference and nrefs not in (0, 1):
            raise ValueError(
                f"dialect {self.name!r} takes one reference for each segment, as its original "
                "does; pass references=[its[0] for its in references] to score with the first"
            )

    def _counted_length(self, reference_length: str) -> str:
        """The reference length to store in rows."""
        return reference_length

    def adapt(self, stats: Stats) -> Stats:
        """Convert rows to the dialect's way of counting. Adapt first, sum afterwards."""
        if not self.minimum_total:
            return stats
        rows = stats[:]
        raise_totals(rows._rows, len(rows), rows.max_order)
        return rows

    def score(
        self,
        sums: Stats,
        weights: Sequence[float] | None = None,
        smoothing: str | None = None,
        smoothing_value: float | None = None,
        effective_order: bool = False,
        *,
        nrefs: int | None = None,
        lowercase: bool | None = None,
        tokenizer: str | None = None,
        reference_length: str | None = None,
    ) -> Score:
        """The score of a corpus.

        Parameters
        ----------
        sums : Stats
            One row: the sum of all adapted rows.
        weights : sequence of float, shape (max_order,), optional
            Weight of each order; equal weights by default.
        smoothing, smoothing_value : optional
            One of `smoothings`, and a value instead of its default; default: that of `options`.
        effective_order : bool, default False
            Average only over orders for which the hypotheses have n-grams; their weights are scaled
            up to the sum of all.
        nrefs, lowercase, tokenizer, reference_length : optional
            For the signature: references per segment (-1: it varies), whether the text was
            lowercased, the tokenizer's signature, which reference's length counted. None leaves the
            field out.

        Returns
        -------
        Score
            `value` in 0-`scale`.

        Raises
        ------
        TypeError
            `sums` is not a Stats.
        ValueError
            There is not exactly one row, it is not adapted, or an option is unknown, out of range
            or not supported by the dialect.
        """
        if not isinstance(sums, Stats):
            given = type(sums).__name__
            raise TypeError(f"expected Stats of one row, the sum of all, not a {given}")
        if len(sums) != 1:
            raise ValueError(f"expected one row, the sum of all, but there are {len(sums)}")
        options = self.read_options(
            sums.max_order, weights, smoothing, smoothing_value, effective_order
        )
        how = nrefs, lowercase, tokenizer, reference_length
        return self._score_row(sums, options, self._signature(sums.max_order, options, *how))

    def _score_row(self, sums: Stats, options: Options, signature: str) -> Score:
        """The score of one row."""
        hyp_len, ref_len, *counts = sums._rows
        matches, totals = tuple(counts[: sums.max_order]), tuple(counts[sums.max_order :])
        if self.minimum_total and 0 in totals:
            raise ValueError(
                "the row has a total of 0: there are no segments, or they were not adapted; "
                f"pass {self.name.upper()}.adapt(stats).sum()"
            )
        value = self._corpus_score(sums, options)
        return Score(
            value,
            tuple([m / t if t else 0.0 for m, t in zip(matches, totals, strict=True)]),
            self.brevity_penalty(hyp_len, ref_len),
            hyp_len,
            ref_len,
            matches,
            totals,
            signature,
            self.printed(value),
            self._cumulative(sums, options),
        )

    def _score_mean(self, stats: Stats, options: Options, signature: str) -> Score:
        """The score of a corpus as the mean of its adapted rows' scores."""
        value = self._mean(stats, options)
        score = self._score_row(stats.sum(), options, signature)
        return score.__replace__(value=value, printed=self.printed(value))

    def printed(self, value: float) -> str | None:
        """A score with the digits that the original prints; None if it prints all."""
        return None if self._printed is None else self._printed % value

    def line(self, score: Score) -> str | None:
        """The line that the original prints; None if it prints none."""
        return None

    def sentence_scores(
        self,
        stats: Stats,
        weights: Sequence[float] | None = None,
        smoothing: str | None = None,
        smoothing_value: float | None = None,
        effective_order: bool = False,
    ) -> array[float]:
        """The score of each adapted row, in 0-`scale`; options and errors as for `score`."""
        options = self.read_options(
            stats.max_order, weights, smoothing, smoothing_value, effective_order
        )
        return self._scores(stats, options)

    def expected_scores(
        self,
        rows: Any,
        max_order: int,
        weights: Sequence[float] | None = None,
        smoothing: str | None = None,
        smoothing_value: float | None = None,
        effective_order: bool = False,
    ) -> array[float]:
        """The score of each row of expected counts, in 0-`scale`; options, errors as for `score`.

        `rows` is a C-contiguous array of float64, shape (rows, 2 + 2 * max_order): [hyp_len,
        ref_len, matches..., totals...], which may be fractions.
        """
        self.require("aggregate=True")
        options = self.read_options(max_order, weights, smoothing, smoothing_value, effective_order)
        return self._expected_scores(rows, max_order, options)

    def signature(
        self,
        max_order: int,
        weights: Sequence[float] | None = None,
        smoothing: str | None = None,
        smoothing_value: float | None = None,
        effective_order: bool = False,
        *,
        nrefs: int | None = None,
        lowercase: bool | None = None,
        tokenizer: str | None = None,
        reference_length: str | None = None,
    ) -> str:
        """A text that names everything that a score depends on besides the counts.

        Parameters as for `score`.

        Examples
        --------
        >>> from fastbleu.dialects import SACREBLEU
        >>> SACREBLEU.signature(4, nrefs=1, lowercase=False, tokenizer="13a").rpartition("|")[0]
        'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp'
        """
        options = self.read_options(max_order, weights, smoothing, smoothing_value, effective_order)
        return self._signature(max_order, options, nrefs, lowercase, tokenizer, reference_length)

    def read_options(
        self,
        max_order: int,
        weights: Sequence[float] | None = None,
        smoothing: str | None = None,
        smoothing_value: float | None = None,
        effective_order: bool = False,
    ) -> Options:
        """The options, checked; errors as for `score`."""
        if smoothing is None:
            smoothing = str(self.options["smoothing"])
        if effective_order:
            self.require("effective_order=True")
        if smoothing not in self.smoothings:
            self.require(f"smoothing={smoothing!r}")
            raise ValueError(self._unknown_smoothing(smoothing))
        if smoothing_value is not None and self.smoothings[smoothing] is None:
            raise ValueError(f"smoothing {smoothing!r} takes no value")
        if weights is not None:
            self.require("weights")
            weights = tuple([float(weight) for weight in weights])
            if len(weights) != max_order:
                raise ValueError(f"there are {len(weights)} weights for max_order {max_order}")
            if weights == (1 / max_order,) * max_order:
                weights = None
        options = Options(weights, smoothing, smoothing_value, effective_order)
        self._check(options)
        return options

    def require(self, feature: str) -> None:
        """Raise a ValueError if the dialect does not support an option or an operation."""
        if feature in self.unsupported:
            raise self._refusal(feature, self.unsupported[feature])

    def _refusal(self, feature: str, reason: str) -> ValueError:
        """The error for an option that the original does not have."""
        return ValueError(f"dialect {self.name!r} does not support {feature}: {reason}")

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        """The factor for hypotheses that are shorter than their references, 0-1."""
        if hyp_len >= ref_len:
            return 1.0
        return exp(1 - ref_len / hyp_len) if hyp_len > 0 else 0.0

    def _refine(self, tokens: list[Segment], sums: Stats, options: Options) -> dict[str, Any]:
        """Attributes of a `Score`, including `value`, that cannot be computed from rows.

        For dialects whose `_count` keeps tokens; `sums` is the sum of the segments' rows.
        """
        raise NotImplementedError

    @abstractmethod
    def _scores(self, stats: Stats, options: Options) -> array[float]:
        """The score of each adapted row, with checked options."""

    def _corpus_score(self, sums: Stats, options: Options) -> float:
        """The score of a sum of rows: `_scores`, unless the original treats a corpus otherwise."""
        return self._scores(sums, options)[0]

    def _mean(self, stats: Stats, options: Options) -> float:
        """The mean of the scores of rows."""
        raise NotImplementedError

    def _cumulative(self, sums: Stats, options: Options) -> tuple[float, ...] | None:
        """BLEU-1 to BLEU-N, if the original returns them."""
        return None

    def _check(self, options: Options) -> None:  # noqa: B027 (most dialects have nothing to check)
        """Refuse values that are out of range."""

    def _expected_scores(self, rows: Any, max_order: int, options: Options) -> array[float]:
        raise NotImplementedError

    def _unknown_smoothing(self, smoothing: object) -> str:
        return f"smoothing {smoothing!r} is unknown; choose one of {', '.join(self.smoothings)}"

    def _smoothing_text(self, options: Options) -> str:
        value = options.smoothing_value
        return options.smoothing if value is None else f"{options.smoothing}[{value}]"

    def _further_fields(self) -> dict[str, str]:
        """Signature fields for `settings`, and for arithmetic that depends on a version."""
        return {}

    def _signature(
        self,
        max_order: int,
        options: Options,
        nrefs: int | None,
        lowercase: bool | None,
        tokenizer: str | None,
        reference_length: str | None,
    ) -> str:
        fields = {
            "nrefs": "var" if nrefs == -1 else nrefs,
            "case": None if lowercase is None else "lc" if lowercase else "mixed",
            "eff": "yes" if options.effective_order else "no",
            "tok": tokenizer,
            "dialect": self.version,
            "order": None if max_order == self._usual_order else max_order,
            "weights": None if options.weights is None else ",".join(map(str, options.weights)),
            "smooth": self._smoothing_text(options),
            "reflen": reference_length,
            "version": self.version,
        }
        known = [f"{name}:{fields[name]}" for name in self._fields if fields[name] is not None]
        return "|".join(known + [f"{name}:{text}" for name, text in self._further_fields().items()])
