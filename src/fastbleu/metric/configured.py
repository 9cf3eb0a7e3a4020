"""`Configured`: the parameters of a metric, as what counts and what scores by them."""

from __future__ import annotations

from operator import attrgetter

from ..counting._counted import RunningSums, Sums
from ..dialects.names import get
from ..dialects.scorer import Scorer, checked_weights
from ..inputs.arguments import DEFAULT, check_flag, check_positive
from ..inputs.ids import NO_IDS, IdFilter
from ..tokenizers.loaded import load_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Literal, NoReturn, Self, TypeAlias, Unpack

    from ..counting.counter import Counter
    from ..dialects.names import DialectName, RecipeName
    from ..inputs.arguments import Default
    from ..inputs.types import ReferenceLength, SmoothingName
    from ..tokenizers.loaded import TokenFunction, Tokenizer
    from ..tokenizers.table import TokenizerName
    from .keyword_types import OwnOptions

    # Parameters of some dialects only.
    OtherSmoothing: TypeAlias = Literal["add-1", "tiny"]

# The parameters that every BLEU has, besides `tokenize`.
_PARAMETERS = (
    *("lowercase", "max_order", "threads", "smoothing", "smoothing_value", "effective_order"),
    *("ignore_ids", "stop_id", "skip_ids", "dialect", "weights", "reference_length"),
    "keep_segments",
)
_NOTHING: tuple[int, ...] = ()


def _own_option(name: str) -> property:
    def value(self: Configured) -> Any:
        options = self.scorer.dialect.own_options
        if name not in options:
            raise AttributeError(f"dialect {self.dialect!r} has no option {name!r}")
        return options[name]

    return property(value)


class Configured:
    """Base of `fastbleu.BLEU`: its parameters, which cannot be changed, and its running sum."""

    __slots__ = ("_sums", "counter", "keep_segments", "reference_length", "scorer", "weights")

    counter: Counter
    scorer: Scorer
    keep_segments: bool
    weights: tuple[float, ...] | None
    _sums: RunningSums

    def __init__(
        self,
        tokenize: TokenizerName | TokenFunction | Tokenizer | Default | None = DEFAULT,
        lowercase: bool | None = None,
        max_order: int | None = None,
        weights: Sequence[float] | None = None,
        smoothing: SmoothingName | OtherSmoothing | None = None,
        smoothing_value: float | None = None,
        effective_order: bool | None = None,
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
        tokenizer = None if chosen is None else load_tokenizer(chosen)
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
        keep(self, "_sums", RunningSums(Sums.zero(max_order)))

    # Properties, because a `__getattr__` would slow down every attribute and method.
    tokenizer = property(attrgetter("counter.tokenizer"))
    lowercase = property(attrgetter("counter.lowercase"))
    max_order = property(attrgetter("counter.max_order"))
    threads = property(attrgetter("counter.threads"))
    ignore_ids = property(lambda self: (self.counter.id_filter or NO_IDS).ignore_ids)
    stop_id = property(lambda self: (self.counter.id_filter or NO_IDS).stop_id)
    skip_ids = property(lambda self: (self.counter.id_filter or NO_IDS).skip_ids)
    smoothing = property(attrgetter("scorer.smoothing"))
    smoothing_value = property(attrgetter("scorer.smoothing_value"))
    effective_order = property(attrgetter("scorer.given_effective_order"))
    dialect = property(attrgetter("scorer.dialect.name"))
    hashed, keywords = _own_option("hashed"), _own_option("keywords")

    def as_arguments(self) -> dict[str, Any]:
        """The arguments that make an equal metric, without segments."""
        values = {name: getattr(self, name) for name in _PARAMETERS}
        values["tokenize"] = self.counter.tokenizer
        return values | dict(self.scorer.dialect.own_options)

    @property
    def signature(self) -> str:
        """Everything that a score depends on besides the text; a Score's signature adds `nrefs`."""
        return self.scorer.signature()

    def _of_sentences(self) -> Self:
        """This metric without its segments, and with the scores of single sentences for all."""
        if self.scorer.of_sentences is self.scorer:
            return self
        made = object.__new__(type(self))
        for name in Configured.__slots__:
            object.__setattr__(made, name, getattr(self, name))
        object.__setattr__(made, "scorer", self.scorer.of_sentences)
        object.__setattr__(made, "_sums", RunningSums(Sums.zero(self.counter.max_order)))
        return made

    def _compared(self) -> dict[str, Any]:
        """The parameters that are compared: all except `threads`."""
        arguments = self.as_arguments()
        del arguments["threads"]
        # First, because other parameters follow from it.
        return {"dialect": arguments["dialect"]} | arguments

    def __setattr__(self, name: str, *value: object) -> NoReturn:
        raise AttributeError(f"a BLEU's parameters cannot be changed: make a new one for {name}")

    __delattr__ = __setattr__
