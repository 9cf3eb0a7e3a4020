"""`Dialect`: the rules of one implementation, from text to a `Score`.

A dialect differs from others in its attributes and in the methods that it overrides, in this order:
`tokenizer` and `cases` (text to tokens), `references`, `reference_lengths` and `counter` (tokens to
a row of counts for each segment), `adapt` (rows to what is added up), `_scores` (a row to its
score, with smoothing and `brevity_penalty`), `aggregation` and `_corpus_score` (the score of a
corpus), `printed` and `line` (digits). Its docstring has the formula, and `source` the code that it
reproduces.

Most are a formula in Python (formulas.py); a `Recipe` (recipes.py) takes the arithmetic of another
dialect or a function. A `Scorer` (scorer.py) is a dialect with its `ScoreOptions`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from math import exp, isfinite

from ..._core import MAX_ORDER, raise_totals
from ..counting._counted import Counted, Sums
from ..counting._prefixes import RowScorer
from ..counting.counter import Counter
from ..counting.stats import AdaptedRows, Stats
from ..inputs.arguments import known_name, shown
from ..runtime.caching import cached_property
from ..tokenizers.tokenizer import get as get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any

    from ..inputs.types import ReferenceLength
    from .score import Score


class Feature:
    """An option or operation that a dialect may support.

    Attributes
    ----------
    name : str
        The name in error messages.
    is_in : callable (Dialect -> bool)
        Whether a dialect supports it, which follows from what the dialect implements.
    reason : str
        Why a dialect does not support it, unless `Dialect.unsupported` has another reason.
    """

    def __init__(self, name: str, is_in: Callable[[Dialect], bool], reason: str) -> None:
        self.name = name
        self.is_in = is_in
        self.reason = reason

    def __repr__(self) -> str:
        return f"<Feature {self.name}>"


def _is_of_rows(dialect: Dialect) -> bool:
    """Whether the score of a corpus can be computed from rows of counts."""
    return dialect.aggregation is not None


def _is_of_sums(dialect: Dialect) -> bool:
    return dialect.aggregation == "sum"


_NO_SUMS = "its score cannot be computed from summed counts"
WEIGHTS = Feature("weights", lambda dialect: "weights" in dialect.options, "it uses equal weights")
EFFECTIVE_ORDER = Feature(
    "effective_order=True",
    lambda dialect: "effective_order" in dialect.options,
    "it averages over all orders",
)
TOKENS = Feature("tokenize=False", lambda dialect: True, "its tokens are not words")
COUNT = Feature("count", _is_of_rows, _NO_SUMS)
UPDATE = Feature("update", _is_of_rows, _NO_SUMS)
SUMS = Feature("sums", _is_of_sums, _NO_SUMS)
STATE = Feature("state", _is_of_sums, _NO_SUMS)
SIGNIFICANCE = Feature("significance", _is_of_sums, _NO_SUMS)
PREFIX_SCORES = Feature(
    "prefix_scores",
    lambda dialect: _is_of_rows(dialect) and dialect.counter is Counter,
    "its prefix scores cannot be computed from the positions of matches",
)
SEVERAL_REFERENCES = Feature(
    "several references",
    lambda dialect: dialect.references != "first",
    "it takes one reference for each segment",
)
# One tokenizer per segment.
SEGMENT_TOKENIZERS = Feature(
    "tokenizers",
    lambda dialect: _is_of_rows(dialect) and dialect.counter is Counter,
    "it does not count segments one by one",
)
MATRIX = Feature(
    "matrix",
    lambda dialect: dialect.separable is not None,
    "its scores of pairs may depend on more than their rows",
)
EXPECTED_COUNTS = Feature(
    "aggregate=True",
    lambda dialect: type(dialect)._expected_scores is not Dialect._expected_scores,
    "its rules are for integer counts, not for expected counts",
)
# Scoring the sentences of part of a corpus.
PARTS = Feature(
    "parts", lambda dialect: True, "the counts of a segment depend on all segments of the corpus"
)
FEATURES = (
    *(WEIGHTS, EFFECTIVE_ORDER, TOKENS, COUNT, UPDATE, SUMS, STATE, SIGNIFICANCE, PREFIX_SCORES),
    *(SEVERAL_REFERENCES, SEGMENT_TOKENIZERS, MATRIX, EXPECTED_COUNTS, PARTS),
)


class ScoreOptions:
    """The options of a score, checked, as the formulas of dialects read them; see `Scorer`."""

    effective_order: bool
    max_ngram_order: int
    smooth_method: str
    smooth_value: float | None
    weights: tuple[float, ...] | None  # None: equal weights


class Dialect(ABC):
    """The scoring rules of one implementation; immutable."""

    name: str  # the value of `dialect`
    version: str  # in signatures
    source: str  # the original: repository and commit, or package and version; file or function
    scale: float = 1.0  # the score of a perfect corpus: 1.0 or 100.0

    # The original's default, and its tokenizer names mapped to the names here; None: any tokenizer
    # is allowed. The tokenizer "none" splits at whitespace.
    tokenizer: str = "none"
    tokenizers: Mapping[str, str] | None = None
    # The values that `lowercase` and `reference_length` may take, the original's default first.
    cases: Sequence[bool] = (False, True)
    reference_lengths: Sequence[ReferenceLength] = ("closest",)
    # The default order, and all allowed ones.
    max_ngram_order: int = 4
    orders: Collection[int] = range(1, MAX_ORDER + 1)
    weights_set_order: bool = False  # max_ngram_order is the number of weights
    # Whether the original expects tokenized text, which then causes no warning.
    of_tokenized_text: bool = False

    # References used for a segment: "all", the "first", or the "fewest": as many as every segment
    # has.
    references: str = "all"

    # The supported options of `Scorer` and their defaults; smoothing methods and their default
    # values (None: takes no value); options of `fastbleu.BLEU` that only this dialect has, and
    # their values.
    options: Mapping[str, object]
    smoothings: Mapping[str, float | None]
    own_options: Mapping[str, object] = {}

    counter: type[Counter] = Counter  # the class that counts
    minimum_total: int = 0  # totals are raised to this before rows are summed: 0 or 1
    # How a corpus is scored: by the "sum" of its adapted rows, by the "mean" of the scores of its
    # segments, which needs their rows, or (None) by its tokens.
    aggregation: str | None = None
    # Whether a score is `brevity_penalty` times a function of the hypothesis length and the
    # matches, which makes the matrix of pairs faster; None: there is no matrix.
    separable: bool | None = None
    # Features, and smoothing methods of the original, that are not supported, and why.
    unsupported: Mapping[Feature | str, str] = {}
    # The format in which the original prints its score; None: not rounded.
    _printed: str | None = None

    @property
    def arithmetic(self) -> Dialect:
        """The dialect that has the counting, smoothing and brevity penalty."""
        return self

    def variant(self, reference_length: object, **own_options: object) -> Dialect:
        """The dialect with this reference length and with options that only it has."""
        for option in own_options:
            if option not in self.own_options:
                raise self.refusal(option, "its original has no such option")
        return type(self)(**own_options) if own_options else self

    def own_tokenizer(self, tokenize: Any) -> Any:
        """The tokenizer that has this name in the original."""
        if self.tokenizers is None:
            return known_name(tokenize, [self.tokenizer]) or get_tokenizer(tokenize)
        name = getattr(tokenize, "name", tokenize)
        if alias := known_name(name, self.tokenizers):
            return self.tokenizers[alias]
        if name in self.tokenizers.values():
            return tokenize
        names = any_of([*map(repr, self.tokenizers), "False for lists of tokens"])
        raise self.refusal(f"tokenize={shown(name)}", f"its tokenizers are {names}")

    # From counts to scores. `Scorer` calls these methods.

    def adapt(self, stats: Stats) -> AdaptedRows:
        """Each row as the dialect counts it, so that the sum of rows can be scored."""
        if not self.minimum_total:
            return AdaptedRows._own(stats._rows, stats.max_ngram_order)
        rows = stats._rows[:]
        raise_totals(rows, stats.max_ngram_order, self.minimum_total)
        return AdaptedRows._own(rows, stats.max_ngram_order)

    @abstractmethod
    def _scores(self, adapted: AdaptedRows, options: ScoreOptions) -> array[float]:
        """The score of each adapted row, in 0-`scale`."""

    def _row_scorer(self, options: ScoreOptions) -> RowScorer | None:
        """A compiled scorer of single rows with the results of `_scores`, if there is one."""
        return None

    def _segment_scores(self, counted: Counted, options: ScoreOptions) -> Iterable[float]:
        """The scores of segments one by one; `counted.extra` has their tokens if these are kept."""
        return self._scores(self.adapt(counted.stats), options)

    def _corpus_score(self, sums: Sums, options: ScoreOptions) -> dict[str, Any]:
        """`value` of a corpus, and other `Score` attributes that do not follow from its row."""
        return {"value": self._scores(sums.adapted(), options)[0]}

    def _expected_scores(self, rows: Any, options: ScoreOptions) -> array[float]:
        """See `Scorer.expected_scores`."""
        raise NotImplementedError

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        """The factor for hypotheses that are shorter than their references, 0-1."""
        if hyp_len >= ref_len:
            return 1.0
        return exp(1 - ref_len / hyp_len) if hyp_len > 0 else 0.0

    def printed(self, value: float) -> str | None:
        """A score with the digits that the original prints; None if it prints all."""
        return None if self._printed is None else self._printed % value

    def line(self, score: Score) -> str | None:
        """The line that the original prints; None if it prints none."""
        return None

    # What the dialect supports.

    @cached_property
    def features(self) -> frozenset[Feature]:
        """The options and operations that the dialect supports."""
        possible = [feature for feature in FEATURES if feature.is_in(self)]
        return frozenset(possible) - self.unsupported.keys()

    def require(self, feature: Feature) -> None:
        """Raise a ValueError if the dialect does not support an option or an operation."""
        if feature not in self.features:
            reason = self.unsupported.get(feature, feature.reason)
            raise self.refusal(feature.name, reason)

    def refusal(self, feature: str, reason: str) -> ValueError:
        """The error for an option that the original does not have."""
        return ValueError(f"dialect {self.name!r} does not support {feature}: {reason}")

    def _check_options(self, options: ScoreOptions) -> None:  # noqa: B027 (most have nothing to check)
        """Refuse weights and smoothing values that are out of range."""

    def _signature_fields(self, fields: dict[str, Any], options: ScoreOptions) -> dict[str, Any]:
        """The fields of a signature, in order, from the usual ones; None leaves a field out."""
        return fields | self._further_fields()

    def _further_fields(self) -> dict[str, str]:
        """Signature fields for `own_options`, and for arithmetic that depends on a version."""
        return {}


def any_of(values: Iterable[object]) -> str:
    """Values as a message lists them: "4", "closest, shortest or average"."""
    *others, last = map(str, values)
    return f"{', '.join(others)} or {last}" if others else last


def check_not_negative(weights: Sequence[float] | None) -> None:
    """Refuse weights that are negative, not finite or all 0."""
    if weights and not (any(weights) and all(isfinite(w) and w >= 0 for w in weights)):
        raise ValueError(f"weights is {weights}, but must be finite, at least 0 and not all 0")
