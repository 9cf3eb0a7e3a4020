"""What a metric is made with: checked once, never changed, the same in every process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .. import dialects
from .._core import REFERENCE_LENGTHS
from ..counting.stats import Stats
from ..inputs.arguments import check_choice, check_flag, check_positive, closest
from ..inputs.ids import IdRules
from ..inputs.segments import is_iterable
from ..tokenizers.table import Tokenizer, get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from ..inputs.types import DialectName, ReferenceLength, SmoothingName
    from ..tokenizers.table import TokenFunction, TokenizerName

# What other libraries call a parameter.
_NAMES_ELSEWHERE = {
    "max_ngram_order": "max_order",
    "n_jobs": "threads",
    "num_workers": "threads",
    "pad_id": "ignore_ids",
    "pad_token_id": "ignore_ids",
    "eos_token_id": "stop_id",
    "ngram": "max_order",
    "smooth": "smoothing",
    "smooth_method": "smoothing",
    "smooth_value": "smoothing_value",
    "smoothing_function": "smoothing",
    "tokenizer": "tokenize",
}


class Parameters:
    """The parameters of `fastbleu.BLEU`, which documents them; a base of it for its size alone."""

    __slots__ = (
        "_id_rules",
        "_scoring",
        "dialect",
        "effective_order",
        "ignore_ids",
        "keep_segments",
        "lowercase",
        "max_order",
        "reference_length",
        "skip_ids",
        "smoothing",
        "smoothing_value",
        "stop_id",
        "threads",
        "tokenizer",
        "weights",
    )

    tokenizer: Tokenizer | None
    lowercase: bool
    max_order: int
    weights: tuple[float, ...] | None
    smoothing: str
    smoothing_value: float | None
    effective_order: bool
    threads: int
    dialect: str
    reference_length: str
    ignore_ids: tuple[int, ...]
    stop_id: int | tuple[int, ...] | None
    skip_ids: tuple[int, ...]
    keep_segments: bool
    _id_rules: IdRules
    _scoring: dict[str, Any]

    def __init__(
        self,
        tokenize: TokenizerName | TokenFunction | Tokenizer | None = "13a",
        lowercase: bool = False,
        max_order: int = 4,
        weights: Sequence[float] | None = None,
        smoothing: SmoothingName = "exp",
        smoothing_value: float | None = None,
        effective_order: bool = False,
        threads: int = 1,
        *,
        dialect: DialectName = "sacrebleu",
        reference_length: ReferenceLength = "closest",
        ignore_ids: Iterable[int] = (),
        stop_id: int | Iterable[int] | None = None,
        skip_ids: Iterable[int] = (),
        keep_segments: bool = False,
        **unknown: NoReturn,
    ) -> None:
        for name in unknown:
            _refuse(name)
        check_choice("dialect", dialect, dialects.names())
        check_choice("reference_length", reference_length, REFERENCE_LENGTHS)
        id_rules = IdRules(ignore_ids, stop_id, skip_ids)
        if id_rules and tokenize is not None:
            raise ValueError(
                "ignore_ids, stop_id and skip_ids are for token ids, which need tokenize=None"
            )
        max_order = check_positive("max_order", max_order)
        lowercase = check_flag("lowercase", lowercase)
        effective_order = check_flag("effective_order", effective_order)
        if weights is not None:
            weights = _checked_weights(weights)
        if smoothing_value is not None and type(smoothing_value) is not int:
            smoothing_value = _as_double("smoothing_value", smoothing_value)
        scoring: dict[str, Any] = {
            "weights": weights,
            "smoothing": smoothing,
            "smoothing_value": smoothing_value,
        }
        if dialect == "sacrebleu":
            scoring["effective_order"] = effective_order
        elif effective_order:
            raise ValueError("effective_order is sacreBLEU's; nltk's dialect has none")
        for name, value in (
            ("tokenizer", None if tokenize is None else get_tokenizer(tokenize)),
            ("lowercase", lowercase),
            ("max_order", max_order),
            ("weights", weights),
            ("smoothing", smoothing),
            ("smoothing_value", smoothing_value),
            ("effective_order", effective_order),
            ("threads", check_positive("threads", threads)),
            ("dialect", dialect),
            ("reference_length", reference_length),
            ("ignore_ids", id_rules.ignore_ids),
            ("stop_id", id_rules.stop_id),
            ("skip_ids", id_rules.skip_ids),
            ("keep_segments", check_flag("keep_segments", keep_segments)),
            ("_id_rules", id_rules),
            ("_scoring", scoring),
        ):
            object.__setattr__(self, name, value)
        # So that a wrong option is told here and not when everything has been counted.
        self._rules.sentence_scores(Stats.zeros(0, max_order), **scoring)
        self._begin()

    def _begin(self) -> None:
        """What a metric does once its parameters are known."""

    @property
    def signature(self) -> str:
        """All that a score depends on besides the text; a Score's signature adds `nrefs`."""
        signature: str = self._rules.signature(self.max_order, **self._scoring, **self._how_counted)
        return signature

    @property
    def _rules(self) -> Any:
        return dialects.get(self.dialect)

    @property
    def _how_counted(self) -> dict[str, Any]:
        """What a signature says of how rows were counted, in a dialect's keywords."""
        how = self.reference_length
        tokenizer = self._id_rules if self.tokenizer is None else self.tokenizer
        return {
            "lowercase": self.lowercase,
            "tokenizer": tokenizer.signature,
            "reference_length": None if how == "closest" else how,
        }

    def _as_dict(self) -> dict[str, Any]:
        """The arguments that make the same parameters."""
        values = {name: getattr(self, name) for name in Parameters.__slots__ if name[0] != "_"}
        values["tokenize"] = values.pop("tokenizer")
        return values

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a BLEU's parameters cannot be changed: make a new one for {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a BLEU's parameters cannot be changed, so {name} stays")


def _refuse(unknown: str) -> NoReturn:
    """Refuse the name of what is no parameter of `fastbleu.BLEU`, and say which one is meant."""
    names = [name for name in Parameters.__slots__ if name[0] != "_" and name != "tokenizer"]
    meant = _NAMES_ELSEWHERE.get(unknown) or closest(unknown, ["tokenize", *names])
    raise TypeError(
        f"fastbleu.BLEU has no parameter {unknown!r}"
        + (f"; did you mean {meant!r}?" if meant else "")
    )


def _checked_weights(weights: Any) -> tuple[float, ...]:
    """A copy of the weights: the caller's list may change, a generator can be read only once."""
    if isinstance(weights, (str, bytes)) or not is_iterable(weights):
        raise TypeError(f"weights is {weights!r}, expected a number for each order, as (0.5, 0.5)")
    return tuple(_as_double("weights", weight) for weight in weights)


def _as_double(name: str, value: Any) -> float:
    """A number as Python's float: numpy's of single precision equal doubles that they are not."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} has {value!r}, expected a number") from None
