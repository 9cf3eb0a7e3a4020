"""Replacements for sacreBLEU's BLEU and chrF, and for `MetricBLEU` of mbrs, which calls it.

Only sacreBLEU's counting of n-grams is replaced. The original code still handles tokenizers that
are not as sacreBLEU made them, and all input but lists and tuples of str, so that sacreBLEU raises
its own errors. Objects, results and log messages are sacreBLEU's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import astuple
from functools import lru_cache, partial
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from ..core.counting._counted import Counted
from ..core.counting.counter import Counter
from ..core.inputs._batch import Batch
from ..core.inputs.errors import without_input_warnings
from ..core.inputs.mistakes import TOKENIZED_PERIODS
from ..core.runtime.import_lock import lazy
from ..core.scoring._sacrebleu import LazyScore
from ..core.tokenizers._compiled import COMPILED
from ..core.tokenizers.tokenizer import get as get_tokenizer
from ..sacrebleu._sentence_score import score_known
from ..sacrebleu.metrics.bleu import tokenizer_of_lines
from ..sacrebleu.metrics.chrf import CHRF, counter_of
from ..sacrebleu.streams import by_reference, by_segment, count_references
from ._internals import Internals, is_nested
from .replacing import PatchTarget, ReplacedError, UsedNames

if TYPE_CHECKING:
    from ..integrations import mbrs
else:
    mbrs = lazy("fastbleu.integrations.mbrs")

_OF_MBRS = "scores", "pairwise_scores", "expected_scores_reference_aggregation"
# What the sacreBLEU metric inside an mbrs metric takes from its configuration.
_SETTINGS = "lowercase", "smooth_method", "smooth_value", "max_ngram_order", "effective_order"


def targets(module: ModuleType) -> list[PatchTarget]:
    """What to replace in sacrebleu.compat, and in sacrebleu.metrics.bleu."""
    bleu = sys.modules["sacrebleu.metrics.bleu"]
    replacements = _Replacements(bleu)
    methods = [
        PatchTarget(bleu.BLEU, "_aggregate_and_compute", _aggregate),
        PatchTarget(bleu.BLEU, "_cache_references", replacements.cache),
        PatchTarget(bleu.BLEU, "_extract_corpus_statistics", replacements.extract),
        PatchTarget(bleu.BLEU, "sentence_score", replacements.sentence),
    ]
    chrf = sys.modules["sacrebleu.metrics.chrf"]
    methods += [
        PatchTarget(chrf.CHRF, "_extract_corpus_statistics", _extract_for_chrf),
        PatchTarget(chrf.CHRF, "sentence_score", partial(_sentence_chrf, chrf.CHRFScore)),
    ]
    return [*methods, PatchTarget(module, "sentence_bleu", replacements.sentence_bleu)]


def mbrs_targets(module: ModuleType) -> list[PatchTarget]:
    """What to replace in mbrs.metrics.bleu."""
    bleu = sys.modules["sacrebleu.metrics.bleu"]
    tokenizers = _OwnTokenizers(bleu)

    def is_as_configured(scorer: Any, config: Any) -> bool:
        default = bleu.BLEU._TOKENIZER_MAP.get(config.trg_lang, bleu.BLEU.TOKENIZER_DEFAULT)
        return (
            type(scorer) is bleu.BLEU
            and tokenizers.name_of(scorer.tokenizer) == (config.tokenize or default)
            and all(getattr(scorer, name) == getattr(config, name) for name in _SETTINGS)
        )

    def fast_method(name: str) -> Callable[..., Any]:
        @without_input_warnings
        def method(metric: Any, hypotheses: Any, references: Any, *others: Any) -> Any:
            config: Any = metric.cfg
            kind: Any = type(config)
            if not is_nested((hypotheses, references), 2):
                return NotImplemented
            if not is_as_configured(metric.scorer, config):
                return NotImplemented
            fast = _mbrs_metric(kind, *astuple(config))
            return getattr(fast, name)(hypotheses, references, *others)

        return method

    scorer = [(bleu, "BLEU")]
    return [PatchTarget(module.MetricBLEU, name, fast_method(name), scorer) for name in _OF_MBRS]


@lru_cache(maxsize=64, typed=True)
def _mbrs_metric(kind: Any, *fields: Any) -> Any:
    return mbrs.MetricBLEU(kind(*fields))


class _KeptReferences(Sequence["dict[str, Any]"]):
    """A metric's cached references as text, by segment: str, or tuples of str and None.

    As a sequence it holds sacreBLEU's own cache entries, created on demand for the original code.
    """

    def __init__(self, metric: Any, segments: Sequence[Any], settings: tuple[Any, ...]) -> None:
        self.segments, self.settings = segments, settings
        self._metric = copy(metric)
        self._metric.tokenizer, self._metric._ref_cache = settings[0], None

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


def _turn(references: Any) -> Sequence[Any] | None:
    """References by segment; None if only sacreBLEU's own code can read them."""
    return by_segment(references) if is_nested(references, 2) else None


class _OwnTokenizers:
    """sacreBLEU's tokenizers, which other code may change: their classes, and single objects."""

    def __init__(self, module: Any) -> None:
        self._paths = dict(module._TOKENIZERS)  # "13a" -> "tokenizer_13a.Tokenizer13a"
        self._classes: dict[Any, Any] = {}  # by name
        # By class: its name, its internals, and an object that nobody changes.
        self._known: dict[Any, tuple[str | None, Internals, Any]] = {}

    def name_of(self, tokenizer: Any) -> str | None:
        """The name of a tokenizer; None for others, and if other code has changed it."""
        kind = type(tokenizer)
        name, internals, own = self._known.get(kind) or self._look_up(kind)
        return name if internals.unchanged_like(tokenizer, own or tokenizer) else None

    def own(self, tokenizer: Any) -> Any:
        """A tokenizer like this one, which nobody changes; the same one if it needs a model."""
        return self._known[type(tokenizer)][2] or tokenizer

    def are_named(self, name: Any) -> bool:
        """Whether `name` stands for a class that is loaded and unchanged."""
        kind = self._classes.get(name) or _class_at(self._paths.get(name, "."))
        known, internals, _ = self._known.get(kind) or self._look_up(kind)
        return known is not None and known == name and internals.unchanged()

    def _look_up(self, kind: Any) -> tuple[str | None, Internals, Any]:
        self._known[kind] = None, Internals([]), None
        with suppress(ReplacedError):
            for name, path in self._paths.items():
                if kind is not None and _class_at(path) is kind:
                    place = sys.modules[kind.__module__], kind.__name__
                    internals = Internals(UsedNames(("sacrebleu",), *place, [place]).names.values())
                    own = kind() if name in COMPILED else None
                    self._known[kind], self._classes[name] = (name, internals, own), kind
        return self._known[kind]


class _Replacements:
    """The methods for the class `BLEU` of `module`, sacrebleu.metrics.bleu, and `sentence_bleu`."""

    def __init__(self, module: Any) -> None:
        self._metric = module.BLEU
        self._score_kind = _lazy_kind(module.BLEUScore)
        self._tokenizers = _OwnTokenizers(module)
        self._compiled: Any = {name: get_tokenizer(name).compiled for name in COMPILED}
        self._counters: dict[tuple[Any, bool, int], Counter] = {}

    def settings(self, metric: Any) -> tuple[Any, bool, int] | None:
        """How a metric reads text; None if only sacreBLEU's own code can do so."""
        order = metric.max_ngram_order
        if self._tokenizers.name_of(metric.tokenizer) is None or type(order) is not int:
            return None
        return self._tokenizers.own(metric.tokenizer), bool(metric.lowercase), order

    def cache(self, metric: Any, references: Any) -> Any:
        """Replaces `_cache_references`."""
        segments, settings = _turn(references), self.settings(metric)
        if segments is None or settings is None:
            return NotImplemented
        num_refs = count_references(segments)
        if len(references) == 1 and num_refs != 1:  # a segment has none
            return NotImplemented
        metric.num_refs = num_refs
        return _KeptReferences(metric, list(segments), settings)

    def extract(self, metric: Any, hypotheses: object, references: object) -> Any:
        """Replaces `_extract_corpus_statistics`."""
        counted = self.count(metric, hypotheses, references)
        if counted is None:
            return NotImplemented
        if counted.signs.tokenized_periods >= TOKENIZED_PERIODS and not metric._force:
            # sacreBLEU's own code logs its warnings about a corpus of which it counts nothing.
            steps = {"_preprocess_segment": str, "_compute_segment_statistics": lambda *_: []}
            dummy = SimpleNamespace(_force=False, _ref_cache=[{}] * TOKENIZED_PERIODS, **steps)
            self._metric._extract_corpus_statistics(dummy, [" ."] * TOKENIZED_PERIODS, None)
        rows = memoryview(counted.rows).cast("B")
        return rows.cast("q", [counted.segments, 2 + 2 * counted.max_order]).tolist()

    def count(self, metric: Any, hypotheses: Any, references: Any) -> Counted | None:
        """Count a corpus; None if sacreBLEU's own code must do it."""
        settings = self.settings(metric)
        if settings is None:
            return None
        kept, segments = metric._ref_cache, _turn(references) if references else None
        if not references and isinstance(kept, _KeptReferences) and kept.settings == settings:
            segments = kept.segments
        if not (segments and hypotheses and is_nested(hypotheses, 1)):
            return None
        count = min(len(hypotheses), len(segments))
        counter = self._counters.get(settings)
        if counter is None:
            own, lowercase, order = settings
            name, is_kept = self._tokenizers.name_of(own), own is not metric.tokenizer
            tokenizer = get_tokenizer(str(name)) if is_kept else tokenizer_of_lines(own)
            counter = Counter(tokenizer, lowercase, order, skip_none=True)
            if is_kept:  # few; other tokenizers belong to one metric
                self._counters[settings] = counter
        counted = counter.count(Batch(hypotheses[:count], segments[:count]))
        if references:
            if len(references) == 1 and counted.nrefs != 1:  # a segment has none
                return None
            rest = segments[count:]
            same = not rest or counted.nrefs == count_references(rest)
            metric.num_refs = counted.nrefs if same else -1
        return counted

    def sentence(self, metric: Any, hypothesis: Any, references: Any) -> Any:
        """Replaces `sentence_score`."""
        score = score_known(
            self._compiled,
            self._tokenizers.name_of(metric.tokenizer),
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
        if not self._tokenizers.are_named(tokenize):
            return NotImplemented
        options = smooth_method, smooth_value, use_effective_order
        kind = self._score_kind
        score = score_known(
            self._compiled, tokenize, lowercase, 4, options, hypothesis, references, kind
        )
        return NotImplemented if score is None else score


def _aggregate(metric: Any, stats: object) -> Any:
    """Replaces `_aggregate_and_compute`."""
    if type(stats) is list and type(stats[0]) is list:
        total = [sum(column) for column in zip(*stats, strict=False)]
        # Sums of integers do not depend on the order.
        if len(total) == len(stats[0]) and all(type(number) is int for number in total):
            return metric._compute_score_from_stats(total)
    return NotImplemented


def _chrf_like(metric: Any) -> CHRF | None:
    """The drop-in's metric with these options; None if sacreBLEU's own code must score."""
    orders = metric.char_order, metric.word_order
    if {*map(type, (*orders, metric.order))} != {int} or min(orders) < 0:
        return None
    if type(metric.beta) not in (int, float) or not metric.order == sum(orders) > 0:
        return None
    options = bool(metric.lowercase), bool(metric.whitespace), bool(metric.eps_smoothing)
    return CHRF(*orders, metric.beta, *options)


def _extract_for_chrf(metric: Any, hypotheses: Any, references: Any) -> Any:
    """Replaces `_extract_corpus_statistics` of chrF, unless references are cached as n-grams."""
    own, segments = _chrf_like(metric), _turn(references) if references else None
    if own is None or not segments or not (hypotheses and is_nested(hypotheses, 1)):
        return NotImplemented
    num_refs = count_references(segments)
    count = min(len(hypotheses), len(segments))
    counter = counter_of(own)
    rows = counter.count(Batch(hypotheses[:count], segments[:count])).rows
    metric.num_refs = num_refs
    return memoryview(rows).cast("B").cast("q", [count, 3 * counter.order]).tolist()


def _sentence_chrf(kind: Any, metric: Any, hypothesis: Any, references: Any) -> Any:
    """Replaces `sentence_score` of chrF, whose results are of the class `kind`."""
    own = _chrf_like(metric)
    if own is None or type(hypothesis) is not str or not is_nested([references], 2):
        return NotImplemented
    score = own.sentence_score(hypothesis, references)
    metric.num_refs = own.num_refs
    return kind(score.score, score.char_order, score.word_order, score.beta)


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
