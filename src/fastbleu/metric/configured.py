"""`Configured`: the parameters of a metric, as what counts and what scores by them."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import compress

from ..counting._counted import RunningTotals, Totals
from ..dialects import get
from ..dialects.scorer import Scorer, checked_weights
from ..inputs.arguments import DEFAULT, a_type, check_flag, check_positive
from ..inputs.checks import is_iterable
from ..inputs.ids import NO_IDS, IdFilter
from ..inputs.missing import is_missing
from ..tokenizers.loaded import Tokenizer, get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Literal, NoReturn, TypeAlias, Unpack

    from ..counting.counter import Counter
    from ..dialects.names import DialectName, RecipeName
    from ..inputs.arguments import Default
    from ..inputs.types import ReferenceLength, SmoothingName
    from ..tokenizers.loaded import TokenFunction
    from ..tokenizers.table import TokenizerName
    from .keyword_types import OwnOptions

    # Parameters of some dialects only.
    OtherSmoothing: TypeAlias = Literal["add-1", "tiny"]

# The parameters of a BLEU, and which of its parts has them.
_OF_COUNTER = ("tokenizer", "lowercase", "max_order", "threads")
_OF_SCORER = ("smoothing", "smoothing_value", "effective_order")
_OF_IDS = ("ignore_ids", "stop_id", "skip_ids")
_NOTHING: tuple[int, ...] = ()


class Configured:
    """Base of `fastbleu.BLEU`: its parameters, which cannot be changed, and its running sum."""

    __slots__ = ("_totals", "counter", "keep_segments", "reference_length", "scorer", "weights")

    counter: Counter
    scorer: Scorer
    keep_segments: bool
    weights: tuple[float, ...] | None
    _totals: RunningTotals

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
        dialect: DialectName | RecipeName = "sacrebleu",
        reference_length: ReferenceLength | Literal["average"] | None = None,
        ignore_ids: Iterable[int] = _NOTHING,
        stop_id: int | Iterable[int] | None = None,
        skip_ids: Iterable[int] = _NOTHING,
        keep_segments: bool = False,
        **own_options: Unpack[OwnOptions],
    ) -> None:
        found = get(dialect, reference_length, **own_options)
        if weights is not None:
            weights = checked_weights(weights)
        if max_order is not None:
            max_order = check_positive("max_order", max_order)
        elif weights and found.weights_set_order:
            max_order = len(weights)
        chosen, lowercase, max_order, length = found._read_text_options(
            tokenize, lowercase, max_order, reference_length
        )
        id_filter = None
        if stop_id is not None or ignore_ids is not _NOTHING or skip_ids is not _NOTHING:
            id_filter = IdFilter(ignore_ids, stop_id, skip_ids)
            if id_filter and chosen is not None:
                raise ValueError(
                    "ignore_ids, stop_id and skip_ids are for token ids, which need tokenize=None"
                )
        tokenizer = None if chosen is None else get_tokenizer(chosen)
        threads = check_positive("threads", threads)
        counter = found._make_counter(tokenizer, lowercase, max_order, threads, length, id_filter)
        scorer = Scorer(
            found,
            max_order,
            weights,
            smoothing,
            smoothing_value,
            effective_order,
            lowercase=lowercase,
            tokenizer=tokenizer or id_filter or NO_IDS,
            reference_length=length,
        )
        keep = object.__setattr__
        keep(self, "counter", counter)
        keep(self, "scorer", scorer)
        keep(self, "weights", weights)
        keep(self, "reference_length", length)
        if type(keep_segments) is not bool:
            keep_segments = check_flag("keep_segments", keep_segments)
        keep(self, "keep_segments", keep_segments)
        keep(self, "_totals", RunningTotals(Totals.zero(max_order)))

    def __getattr__(self, name: str) -> Any:
        if name in _OF_COUNTER:
            return getattr(self.counter, name)
        if name in _OF_SCORER:
            return getattr(self.scorer, name)
        if name in _OF_IDS:
            return getattr(self.counter.id_filter or NO_IDS, name)
        if name == "dialect":
            return self.scorer.dialect.name
        if name in self.scorer.dialect.own_options:
            return self.scorer.dialect.own_options[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def as_arguments(self) -> dict[str, Any]:
        """The arguments that make an equal metric, without segments."""
        own = "dialect", "weights", "reference_length", "keep_segments"
        names = *_OF_COUNTER, *_OF_SCORER, *_OF_IDS, *own
        values = {name: getattr(self, name) for name in names}
        values["tokenize"] = values.pop("tokenizer")
        return values | dict(self.scorer.dialect.own_options)

    def _tokenizers_of(self, tokenize: Any, present: list[bool]) -> list[Tokenizer]:
        """The tokenizer of each segment that is present: see `fastbleu.BLEU.score`."""
        own, dialect = self.counter.tokenizer, self.scorer.dialect
        if own is None:
            raise ValueError("tokenize= is for text, but this metric takes tokens (tokenize=None)")
        dialect.require("tokenize")
        if isinstance(tokenize, (str, Tokenizer)) or callable(tokenize):
            tokenize = [tokenize] * len(present)
        elif not is_iterable(tokenize):
            raise TypeError(f"tokenize is {a_type(tokenize)}, expected a tokenizer or several")
        listed = tokenize.to_pylist() if hasattr(tokenize, "to_pylist") else list(tokenize)
        if len(listed) != len(present):
            raise ValueError(
                f"tokenize has {len(listed)} entries, hypotheses has {len(present)}; tokenize "
                "holds the tokenizer of each segment, or is one for all"
            )
        found: dict[Any, Tokenizer] = {}
        for one in listed:
            if not isinstance(one, Hashable):
                raise TypeError(f"tokenize holds {a_type(one)}, expected names or functions")
            if one not in found:
                chosen = own if is_missing(one) else dialect._own_tokenizer(one)
                found[one] = get_tokenizer(chosen)
        return [found[one] for one in compress(listed, present)]

    @property
    def signature(self) -> str:
        """Everything that a score depends on besides the text; a Score's signature adds `nrefs`."""
        return self.scorer.signature()

    def _compared(self) -> dict[str, Any]:
        """The parameters that are compared: all except `threads`."""
        arguments = self.as_arguments()
        del arguments["threads"]
        # First, because other parameters follow from it.
        return {"dialect": arguments["dialect"]} | arguments

    def __setattr__(self, name: str, *value: object) -> NoReturn:
        raise AttributeError(f"a BLEU's parameters cannot be changed: make a new one for {name}")

    __delattr__ = __setattr__
