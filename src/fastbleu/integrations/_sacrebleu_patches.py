"""Replacements for sacreBLEU's BLEU, and for `MetricBLEU` of mbrs, which calls it.

Only sacreBLEU's counting of n-grams is replaced. The original code still handles metrics with
tokenizers that are not sacreBLEU's own, and all input that the fast code cannot read, so that
sacreBLEU raises its own errors. Objects, results and log messages are sacreBLEU's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import astuple
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..counting._counted import Counted
from ..counting.counter import Counter
from ..dialects._sacrebleu import LazyScore
from ..inputs._batch import Batch
from ..inputs.errors import TOKENIZED_PERIODS, without_input_warnings
from ..runtime._internals import Internals
from ..runtime.import_lock import lazy
from ..runtime.patching import PatchTarget, ReplacedError, UsedNames
from ..sacrebleu._sentence_score import score_known
from ..sacrebleu.metrics.bleu import tokenizer_of_lines
from ..sacrebleu.streams import by_reference, by_segment, count_references
from ..tokenizers._compiled import COMPILED
from ..tokenizers.tokenizer import Tokenizer
from ..tokenizers.tokenizer import get as get_tokenizer

if TYPE_CHECKING:
    from . import mbrs
else:
    mbrs = lazy("fastbleu.integrations.mbrs")

_OF_MBRS = "scores", "pairwise_scores", "expected_scores_reference_aggregation"
# What the sacreBLEU metric inside an mbrs metric takes from its configuration.
_SETTINGS = "lowercase", "smooth_method", "smooth_value", "max_ngram_order", "effective_order"


def targets(module: ModuleType) -> list[PatchTarget]:
    """What to replace in sacrebleu.compat, and in sacrebleu.metrics.bleu."""
    bleu = sys.modules["sacrebleu.metrics.bleu"]
    replacements = _Replacements(bleu)
    methods = [PatchTarget(bleu.BLEU, name, fast) for name, fast in replacements.methods.items()]
    return [*methods, PatchTarget(module, "sentence_bleu", replacements.sentence_bleu)]


def mbrs_targets(module: ModuleType) -> list[PatchTarget]:
    """What to replace in mbrs.metrics.bleu."""
    bleu = sys.modules["sacrebleu.metrics.bleu"]
    tokenizers = _OwnTokenizers(bleu)

    def is_as_configured(scorer: Any, config: Any) -> bool:
        default = bleu.BLEU._TOKENIZER_MAP.get(config.trg_lang, bleu.BLEU.TOKENIZER_DEFAULT)
        return (
            type(scorer) is bleu.BLEU
            and tokenizers.name_of(type(scorer.tokenizer)) == (config.tokenize or default)
            and all(getattr(scorer, name) == getattr(config, name) for name in _SETTINGS)
        )

    def fast_method(name: str) -> Callable[..., Any]:
        @without_input_warnings
        def method(metric: Any, *arguments: Any, **named: Any) -> Any:
            config: Any = metric.cfg
            kind: Any = type(config)
            if not is_as_configured(metric.scorer, config):
                return NotImplemented
            return getattr(_mbrs_metric(kind, astuple(config)), name)(*arguments, **named)

        return method

    return [
        PatchTarget(module.MetricBLEU, name, fast_method(name), [module.BLEU]) for name in _OF_MBRS
    ]


@lru_cache(maxsize=64)
def _mbrs_metric(kind: Any, fields: tuple[Any, ...]) -> Any:
    return mbrs.MetricBLEU(kind(*fields))


class _KeptReferences(Sequence["dict[str, Any]"]):
    """A metric's cached references as text, by segment: str, or tuples of str and None.

    As a sequence it holds sacreBLEU's own cache entries, created on demand for the original code.
    """

    def __init__(self, metric: Any, segments: Sequence[Any]) -> None:
        self.segments = segments
        self._metric = copy(metric)  # with the tokenizer that it has now
        self._metric._ref_cache = None

    def read_as(self, metric: Any) -> bool:
        """Whether the metric still reads text as it did when the references were kept."""
        then, now = (
            (id(m.tokenizer), bool(m.lowercase), m.max_ngram_order) for m in (self._metric, metric)
        )
        return then == now

    def __reduce__(self) -> Any:
        return list, (list(self),)  # so that unpickling needs no fastbleu

    def __len__(self) -> int:
        return len(self.segments)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        lines = [line for line in by_reference(self.segments[index]) if line is not None]
        lines = [self._metric._preprocess_segment(line) for line in lines]
        return self._metric._extract_reference_info(lines)


def _turn(references: object) -> Sequence[Any] | None:
    """References by segment; None if only sacreBLEU's own code can read them."""
    if not isinstance(references, (list, tuple)):
        return None
    if not all(isinstance(stream, (list, tuple)) for stream in references):
        return None
    return by_segment(references)


class _OwnTokenizers:
    """The names of sacreBLEU's tokenizer classes, unless other code has changed these."""

    def __init__(self, module: Any) -> None:
        self._tokenizer_paths = module._TOKENIZERS  # "13a" -> "tokenizer_13a.Tokenizer13a"
        self._known: dict[Any, tuple[str | None, Callable[[], bool]]] = {}

    def name_of(self, kind: Any) -> str | None:
        """The name of a class; None for other classes, and if other code has changed it."""
        if kind not in self._known:
            self._known[kind] = self._look_up(kind)
        name, unchanged = self._known[kind]
        return name if unchanged() else None

    def _look_up(self, kind: Any) -> tuple[str | None, Callable[[], bool]]:
        with suppress(ReplacedError):
            for name, path in self._tokenizer_paths.items():
                if _class_at(path) is kind:
                    used = UsedNames(("sacrebleu",), kind, "__call__", [kind])
                    names = [*used.names.values(), (self._tokenizer_paths, name)]
                    return name, Internals(names).unchanged
        return None, bool

    def class_of(self, name: Any) -> Any:
        """The class of a name, if it is loaded."""
        return _class_at(self._tokenizer_paths.get(name, "."))


class _Replacements:
    """The methods for the class `BLEU` of `module`, sacrebleu.metrics.bleu, and `sentence_bleu`."""

    def __init__(self, module: Any) -> None:
        self._metric = module.BLEU
        self._score_kind = _lazy_kind(module.BLEUScore)
        self._tokenizers = _OwnTokenizers(module)
        self._compiled: Any = {name: get_tokenizer(name).compiled for name in COMPILED}
        self._counters: dict[tuple[Tokenizer, bool, int], Counter] = {}
        self.methods: dict[str, Callable[..., Any]] = {
            "_aggregate_and_compute": self.aggregate,
            "_cache_references": self.cache,
            "_extract_corpus_statistics": without_input_warnings(self.extract),
            "sentence_score": self.sentence,
        }

    def tokenizer(self, metric: Any) -> Tokenizer | None:
        """The tokenizer of a metric, None if it is not sacreBLEU's own."""
        name = self._tokenizers.name_of(type(metric.tokenizer))
        if name is None:
            return None
        return get_tokenizer(name) if name in COMPILED else tokenizer_of_lines(metric.tokenizer)

    def cache(self, metric: Any, references: Any) -> Any:
        """Replaces `_cache_references`."""
        segments = _turn(references)
        if segments is None or self.tokenizer(metric) is None:
            return NotImplemented
        metric.num_refs = count_references(segments)
        if len(references) == 1 and metric.num_refs != 1:  # a segment has none, or a tuple
            return NotImplemented
        return _KeptReferences(metric, list(segments))

    def extract(self, metric: Any, hypotheses: object, references: object) -> Any:
        """Replaces `_extract_corpus_statistics`."""
        counted = self.count(metric, hypotheses, references)
        if counted is None:
            return NotImplemented
        if counted.tokenized_periods >= TOKENIZED_PERIODS and not metric._force:
            complain = self._metric._extract_corpus_statistics
            complain(_Complaint(), [" ."] * TOKENIZED_PERIODS, None)
        rows = memoryview(counted.rows).cast("B")
        return rows.cast("q", [counted.segments, 2 + 2 * counted.max_order]).tolist()

    def count(self, metric: Any, hypotheses: object, references: Any) -> Counted | None:
        """Count a corpus; None if sacreBLEU's own code must do it."""
        tokenizer = self.tokenizer(metric)
        if tokenizer is None or not isinstance(hypotheses, (list, tuple)):
            return None
        kept, segments = metric._ref_cache, _turn(references) if references else None
        if not references and isinstance(kept, _KeptReferences) and kept.read_as(metric):
            segments = kept.segments
        if not segments or not hypotheses:
            return None
        count = min(len(hypotheses), len(segments))
        lowercase, order = bool(metric.lowercase), metric.max_ngram_order
        settings = tokenizer, lowercase, order
        counter = self._counters.get(settings)
        if counter is None:
            counter = Counter(*settings, skip_none=True)
            if tokenizer.compiled is not None:  # few; other tokenizers belong to one metric
                self._counters[settings] = counter
        counted = counter.count(Batch(hypotheses[:count], segments[:count]))
        if references:
            if len(references) == 1 and counted.nrefs != 1:  # a segment has a list
                return None
            rest = segments[count:]
            same = not rest or counted.nrefs == count_references(rest)
            metric.num_refs = counted.nrefs if same else -1
        return counted

    def sentence(self, metric: Any, hypothesis: Any, references: Any) -> Any:
        """Replaces `sentence_score`."""
        score = score_known(
            self._compiled,
            self._tokenizers.name_of(type(metric.tokenizer)),
            metric.lowercase,
            metric.max_ngram_order,
            (metric.smooth_method, metric.smooth_value, metric.effective_order),
            hypothesis,
            references,
            self._score_kind,
        )
        if score is None:
            return NotImplemented
        metric.num_refs = len(references) - references.count(None)
        return score

    def sentence_bleu(self, hypothesis: Any, references: Any, *others: Any) -> Any:
        """Replaces the function, without creating a metric."""
        smooth_method, smooth_value, lowercase, tokenize, use_effective_order = others
        if self._tokenizers.name_of(self._tokenizers.class_of(tokenize)) != tokenize:
            return NotImplemented
        options = smooth_method, smooth_value, use_effective_order
        kind = self._score_kind
        score = score_known(
            self._compiled, tokenize, lowercase, 4, options, hypothesis, references, kind
        )
        return NotImplemented if score is None else score

    def aggregate(self, metric: Any, stats: object) -> Any:
        """Replaces `_aggregate_and_compute`."""
        if type(stats) is list and type(stats[0]) is list:
            total = [sum(column) for column in zip(*stats, strict=False)]
            # Sums of integers do not depend on the order.
            if len(total) == len(stats[0]) and all(type(number) is int for number in total):
                return metric._compute_score_from_stats(total)
        return NotImplemented


def _lazy_kind(original: Any) -> Any:
    """Return a subclass of sacreBLEU's BLEUScore that formats its texts only when they are read.

    Formatting takes ten times as long as scoring. Copies and pickles have the original class.
    """

    def reduce(score: Any, protocol: int) -> Any:
        return original.__new__, (original,), vars(score)

    own = {"_original": original, "__reduce_ex__": reduce}
    own |= {key: getattr(original, key) for key in ("__module__", "__qualname__", "__doc__")}
    return type(original.__name__, (LazyScore, original), own)


def _class_at(path: str) -> Any:
    """One of sacreBLEU's tokenizers, such as "tokenizer_13a.Tokenizer13a", if it is loaded."""
    module, _, name = path.rpartition(".")
    return getattr(sys.modules.get(f"sacrebleu.tokenizers.{module}"), name, None)


class _Complaint:
    """A dummy metric for calling sacreBLEU's code that logs the warning about tokenized text."""

    _force = False

    def __init__(self) -> None:
        self._ref_cache: list[Any] = [{}] * TOKENIZED_PERIODS

    def _preprocess_segment(self, line: str) -> str:
        return line

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: Any) -> list[Any]:
        return []
