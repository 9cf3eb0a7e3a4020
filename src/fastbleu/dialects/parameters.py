"""The parameters of a metric, and the scores of counts by them."""

from __future__ import annotations

from ..counting._batch import Counted
from ..counting.batch import CountOptions
from ..counting.input import count_input
from ..counting.stats import Stats
from ..inputs.arguments import DEFAULT, check_flag, check_positive, refuse_name
from ..inputs.ids import IdRules
from ..inputs.segments import is_iterable
from ..inputs.warnings import warn_input, warn_tokenized
from ..tokenizers.table import SPLIT_AT_SPACES, Tokenizer, get_tokenizer
from . import get
from .base import Dialect, Options
from .options import read_text_rules
from .score import Score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Concatenate, Literal, NoReturn, ParamSpec, TypeAlias

    import numpy
    from numpy.typing import NDArray

    from ..counting.batch import Segment
    from ..inputs.arguments import Default
    from ..inputs.types import DialectName, ReferenceLength, SmoothingName
    from ..tokenizers.table import TokenFunction, TokenizerName

    P = ParamSpec("P")
    # Parameters of some dialects only.
    OtherSmoothing: TypeAlias = Literal["add-1", "tiny"]

_NOTHING: tuple[int, ...] = ()
_NO_IDS = IdRules()


class Parameters:
    """The arguments of `fastbleu.BLEU`: checked once, immutable, the same in every process.

    `rules` is the dialect and `options` are its options; `how_counted` has the arguments of
    `Dialect.signature` that describe how rows were counted.
    """

    NAMES = (
        *("tokenizer", "lowercase", "max_order", "weights", "smoothing", "smoothing_value"),
        *("effective_order", "threads", "dialect", "reference_length", "ignore_ids", "stop_id"),
        *("skip_ids", "keep_segments"),
    )
    __slots__ = (
        *NAMES,
        "_count",
        "_signatures",
        "how_counted",
        "id_rules",
        "keeps_rows",
        "options",
        "rules",
    )

    tokenizer: Tokenizer | None
    stop_id: int | tuple[int, ...] | None
    how_counted: dict[str, Any]

    def __init__(
        self,
        tokenize: TokenizerName | TokenFunction | Tokenizer | Default | None = DEFAULT,
        lowercase: bool | None = None,
        max_order: int | None = None,
        weights: Sequence[float] | None = None,
        smoothing: SmoothingName | OtherSmoothing | None = None,
        smoothing_value: float | None = None,
        effective_order: bool = False,
        threads: int = 1,
        *,
        dialect: DialectName = "sacrebleu",
        reference_length: ReferenceLength | Literal["average"] | None = None,
        ignore_ids: Iterable[int] = _NOTHING,
        stop_id: int | Iterable[int] | None = None,
        skip_ids: Iterable[int] = _NOTHING,
        keep_segments: bool = False,
        hashed: bool | None = None,
        keywords: str | Iterable[str] | None = None,
        **unknown: NoReturn,
    ) -> None:
        rules = get(dialect)
        for name in unknown:
            refuse_name(name, Parameters.NAMES)
        if hashed is not None or keywords is not None or reference_length is not None:
            given = {"hashed": hashed, "keywords": keywords}
            settings = {name: value for name, value in given.items() if value is not None}
            rules = rules._configured(settings, reference_length)
        self.rules = rules
        self.weights = None if weights is None else _checked_weights(weights)
        if max_order is not None:
            max_order = check_positive("max_order", max_order)
        chosen, self.lowercase, self.max_order, self.reference_length = read_text_rules(
            rules, tokenize, lowercase, max_order, reference_length, self.weights
        )
        no_ids = stop_id is None and ignore_ids is _NOTHING and skip_ids is _NOTHING
        self.id_rules = _NO_IDS
        if not no_ids:
            self.id_rules = IdRules(ignore_ids, stop_id, skip_ids)
            if self.id_rules and chosen is not None:
                raise ValueError(
                    "ignore_ids, stop_id and skip_ids are for token ids, which need tokenize=None"
                )
        self.effective_order = check_flag("effective_order", effective_order)
        if smoothing_value is not None and type(smoothing_value) is not int:
            smoothing_value = _as_double("smoothing_value", smoothing_value)
        self.smoothing = str(rules.options["smoothing"]) if smoothing is None else smoothing
        self.smoothing_value = smoothing_value
        self.dialect = dialect
        self.tokenizer = None if chosen is None else get_tokenizer(chosen)
        self.threads = check_positive("threads", threads)
        self.ignore_ids = self.id_rules.ignore_ids
        self.stop_id = self.id_rules.stop_id
        self.skip_ids = self.id_rules.skip_ids
        self.keep_segments = check_flag("keep_segments", keep_segments)
        tokenizer = self.id_rules if self.tokenizer is None else self.tokenizer
        self.how_counted = {
            "lowercase": self.lowercase,
            "tokenizer": tokenizer.signature,
            "reference_length": None
            if self.reference_length == "closest"
            else self.reference_length,
        }
        how = self.smoothing, smoothing_value, self.effective_order
        own = type(rules)._count is not Dialect._count or type(rules).adapt is not Dialect.adapt
        self._count = rules._count if own or rules.single_reference else count_input
        # Whether a corpus needs the rows of its segments, and not their sum alone.
        self.keeps_rows = self.keep_segments or rules.mean_of_sentences
        # Signatures of scores, by the number of references.
        self._signatures: dict[int | None, str] = {}
        self.options = rules.read_options(self.max_order, self.weights, *how)

    hashed = property(lambda self: self.rules.settings.get("hashed"))
    keywords = property(lambda self: self.rules.settings.get("keywords"))

    @property
    def signature(self) -> str:
        """Everything that a score depends on besides the text; a Score's signature adds `nrefs`."""
        return self._signature(None)

    def _signature(self, nrefs: int | None) -> str:
        found = self._signatures.get(nrefs)
        if found is None:
            how = self.options, nrefs, *self.how_counted.values()
            found = self._signatures[nrefs] = self.rules._signature(self.max_order, *how)
        return found

    def as_arguments(self) -> dict[str, Any]:
        """The arguments that give the same parameters."""
        values = {name: getattr(self, name) for name in self.NAMES}
        values["tokenize"] = values.pop("tokenizer")
        return values | dict(self.rules.settings)

    def count_options(self) -> CountOptions:
        """How to count segments."""
        return CountOptions(
            self.tokenizer,
            self.lowercase,
            self.max_order,
            self.threads,
            reference_length=self.rules._counted_length(self.reference_length),
            id_rules=self.id_rules,
            raise_totals=bool(self.rules.minimum_total),
        )

    def count(
        self,
        hypotheses: Any,
        references: Any,
        masks: tuple[Any, Any],
        options: CountOptions,
        operation: str = "",
        keep_rows: bool = True,
        progress: bool = False,
    ) -> Counted:
        """Check and count a batch by the dialect's rules; refuse an unsupported `operation`."""
        rules = self.rules
        if rules.unsupported:
            rules.require(operation)
        count = self._count
        return count(hypotheses, references, options, masks, keep_rows=keep_rows, progress=progress)

    def score(
        self,
        counts: Stats,
        nrefs: int | None,
        tokenized_periods: int,
        tokens: list[Segment] | None = None,
    ) -> Score:
        """The score of a corpus, with warnings about likely mistakes.

        `counts` is the sum of its adapted rows, or the rows if the score is the mean of their
        scores. `tokens` are those of the segments, for a dialect that counts them itself.
        """
        if tokenized_periods:
            self.warn_of_tokenized(tokenized_periods)
        rules, signature = self.rules, self._signature(nrefs)
        if rules.mean_of_sentences:
            score = rules._score_mean(rules.adapt(counts), self.options, signature)
        else:
            score = rules._score_row(counts, self.options, signature)
        if tokens is not None:
            changes = rules._refine(tokens, counts, self.options)
            changes["printed"] = rules.printed(changes["value"])
            score = score.__replace__(**changes)
        if score.value == 0 and score.hyp_len and not score.totals[-1]:
            fix = ""
            if "effective_order" in self.rules.options:
                fix = " For short ones effective_order=True"
            warn_input(
                f"no hypothesis has {self.max_order} tokens, so that the score is 0: is each entry "
                f"of hypotheses a whole segment, and no word?{fix}{self._advice}"
            )
        return score

    def score_counted(self, counted: Counted) -> Score:
        """The score of a corpus that was counted; see `score`."""
        if not counted.segments:
            raise ValueError("there are no segments to score: hypotheses is empty")
        periods = counted.tokenized_periods
        return self.score(counted.stats, counted.nrefs, periods, counted.tokens)

    def sentence_scores(self, stats: Stats) -> NDArray[numpy.float64]:
        """The score of each row by itself."""
        import numpy

        adapted = self.rules.adapt(stats)
        return numpy.asarray(self.rules._scores(adapted, self.options), numpy.float64)

    def equal_scores(self, adapted: Stats) -> array[float]:
        """The score of each adapted row, with equal weights for any max_order."""
        how = self.options.smoothing, self.options.smoothing_value, self.effective_order
        return self.rules._scores(adapted, Options(None, *how))

    def expected_scores(self, rows: Any) -> array[float]:
        """The score of each row of expected counts: see `Dialect.expected_scores`."""
        return self.rules._expected_scores(rows, self.max_order, self.options)

    def sentence_scores_counted(self, counted: Counted) -> NDArray[numpy.float64]:
        """`sentence_scores`, with a warning about segments that score 0 because they are short."""
        import numpy

        self.warn_of_tokenized(counted.tokenized_periods)
        rows, width = counted.rows, 2 + 2 * self.max_order
        short = rows[width - 1 :: width].count(0) - rows[::width].count(0)
        self.warn_of_short(short, counted.segments)
        if counted.tokens is not None:
            adapted = self.rules.adapt(counted.stats)
            pairs = zip(counted.tokens, adapted, strict=True)
            found = [self.rules._refine([segment], row, self.options) for segment, row in pairs]
            return numpy.array([changes["value"] for changes in found], numpy.float64)
        try:
            return self.sentence_scores(counted.stats)
        except (ValueError, ZeroDivisionError):
            for number, row in enumerate(counted.stats):
                try:
                    self.sentence_scores(row)
                except (ValueError, ZeroDivisionError) as error:
                    raise type(error)(f"segment {number}: {error}") from None
            raise

    def warn_of_tokenized(self, periods: int) -> None:
        """Warn of text that looks tokenized."""
        if periods and self.tokenizer is not None and self.tokenizer.name != "none":
            warn_tokenized(periods, 'tokenize="none"')

    def warn_of_short(self, short: int, hypotheses: int, max_order: int | None = None) -> None:
        """Warn of hypotheses, not empty, that are too short for a score of their own."""
        if short and "effective_order" in self.rules.options and not self.effective_order:
            warn_input(
                f"{short} of {hypotheses} hypotheses have fewer than "
                f"{self.max_order if max_order is None else max_order} tokens "
                "and score 0; with effective_order=True they are scored by the orders they have"
                f"{self._advice}"
            )

    @property
    def _advice(self) -> str:
        """What to do about short segments in scripts without spaces between words."""
        if self.tokenizer is None or self.tokenizer.compiled not in SPLIT_AT_SPACES:
            return ""
        return '; of Chinese or Japanese pass tokenize="zh", "ja-mecab" or "char"'


def taking(
    kind: Callable[P, Parameters],
) -> Callable[[Callable[[Any, Parameters], None]], Callable[Concatenate[Any, P], None]]:
    """Decorate a constructor of `Parameters` so that it takes their arguments instead."""

    def decorate(init: Callable[[Any, Parameters], None]) -> Callable[Concatenate[Any, P], None]:
        def __init__(self: Any, /, *arguments: P.args, **named: P.kwargs) -> None:
            init(self, kind(*arguments, **named))

        # For help() and inspect.signature().
        __init__.__wrapped__ = Parameters.__init__  # type: ignore[attr-defined]
        return __init__

    return decorate


def _checked_weights(weights: Any) -> tuple[float, ...]:
    """A copy of the weights: the caller's list may change, a generator can be read only once."""
    if isinstance(weights, (str, bytes)) or not is_iterable(weights):
        raise TypeError(f"weights is {weights!r}, expected a number for each order, as (0.5, 0.5)")
    return tuple(_as_double("weights", weight) for weight in weights)


def _as_double(name: str, value: Any) -> float:
    """A number as a Python float, because numpy's float32 compares equal to different doubles."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} has {value!r}, expected a number") from None
