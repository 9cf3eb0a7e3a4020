"""Makes the BLEU metric of an installed sacreBLEU count with this package, in place.

Only the counting of n-grams is replaced. The original code still handles metrics with subclassed
rules or with tokenizers that are not sacreBLEU's own, and all input that the fast code
cannot read, so that sacreBLEU raises its own errors. Objects, results and log messages are
sacreBLEU's.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from copy import copy
from functools import wraps

from ..counting._counted import Counted
from ..counting.counter import Counter
from ..dialects._sacrebleu import LazyScore
from ..inputs.batch import Batch
from ..inputs.warnings import TOKENIZED_PERIODS
from ..runtime.patching import Patch
from ..tokenizers._compiled import COMPILED
from ..tokenizers.loaded import Tokenizer, get_tokenizer
from ._sentence_score import score_known
from .streams import by_reference, by_segment, count_references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import ExitStack
    from typing import Any

# Methods that a metric must not have overridden: how it reads and counts a segment.
RULES = (
    "_preprocess_segment",
    "_extract_reference_info",
    "_compute_segment_statistics",
    "_get_closest_ref_len",
)
REPLACED = (
    *("_aggregate_and_compute", "_cache_references", "_extract_corpus_statistics"),
    "sentence_score",
)
# Methods that `sentence_score` calls besides them.
SCORING = {*RULES, *REPLACED, "_compute_score_from_stats", "compute_bleu"}


class KeptReferences(Sequence["dict[str, Any]"]):
    """A metric's cached references as text, by segment: str, or tuples of str and None.

    As a sequence it has sacreBLEU's own cache entries, created on demand for the original code.
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

    def __len__(self) -> int:
        return len(self.segments)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        lines = [line for line in by_reference(self.segments[index]) if line is not None]
        lines = [self._metric._preprocess_segment(line) for line in lines]
        return self._metric._extract_reference_info(lines)


def turn(references: object) -> Sequence[Any] | None:
    """References by segment; None if only sacreBLEU's own code can read them."""
    if not isinstance(references, (list, tuple)):
        return None
    if not all(isinstance(stream, (list, tuple)) for stream in references):
        return None
    return by_segment(references)


class Replacements:
    """The methods to put into the class `BLEU` of `module`, sacrebleu.metrics.bleu."""

    def __init__(self, module: Any) -> None:
        self._module, self._metric = module, module.BLEU
        missing = [name for name in (*RULES, *REPLACED) if not hasattr(module.BLEU, name)]
        if missing or not hasattr(module, "_TOKENIZERS"):
            raise ImportError(
                "the installed sacreBLEU is built differently from version 2.6.0 and cannot be "
                "patched; install sacrebleu>=2.0"
            )
        self._score_kind = _lazy_kind(module.BLEUScore)
        self._names = module._TOKENIZERS  # "13a" -> "tokenizer_13a.Tokenizer13a"
        self._compiled: Any = {name: get_tokenizer(name).compiled for name in COMPILED}
        self._kinds: dict[type, str | None] = {}
        self._counters: dict[tuple[Tokenizer, bool, int], Counter] = {}
        self._rules = {name: getattr(module.BLEU, name) for name in RULES}
        self._originals = {name: getattr(module.BLEU, name) for name in REPLACED}

    def places(self) -> list[tuple[Any, str, Any]]:
        """The class, the names of its methods and what replaces them, for `Patch`."""
        # Functions, which a class binds to its objects, other than bound methods.
        replacements = [
            lambda metric, stats: self.aggregate(metric, stats),
            lambda metric, references: self.cache(metric, references),
            lambda metric, hypotheses, references: self.extract(metric, hypotheses, references),
            lambda metric, hypothesis, references: self.sentence(metric, hypothesis, references),
        ]
        pairs = zip(REPLACED, replacements, strict=True)
        return [(self._metric, name, replacement) for name, replacement in pairs]

    def tokenizer(self, metric: Any) -> Tokenizer | None:
        """The tokenizer of a metric with sacreBLEU's own rules; None for any other."""
        for method, rule in self._rules.items():
            if getattr(getattr(metric, method), "__func__", None) is not rule:
                return None
        name = self.name_of(type(metric.tokenizer))
        if name is None:
            return None
        if name in COMPILED:
            return get_tokenizer(name)

        def tokens(line: str) -> list[str]:
            words: list[str] = metric.tokenizer(line.rstrip()).split()
            return words

        return Tokenizer(name, function=tokens)

    def name_of(self, kind: type) -> str | None:
        """The name of a tokenizer class of sacreBLEU's."""
        if kind not in self._kinds:
            named = (name for name, at in self._names.items() if _class_at(at) is kind)
            self._kinds[kind] = next(named, None)
        return self._kinds[kind]

    def cache(self, metric: Any, references: object) -> Any:
        """Replaces `_cache_references`."""
        try:
            segments = turn(references)
            if segments is not None and self.tokenizer(metric) is not None:
                metric.num_refs = count_references(segments)
                return KeptReferences(metric, list(segments))
        except Exception:  # sacreBLEU raises the error
            pass
        return self._originals["_cache_references"](metric, references)

    def extract(self, metric: Any, hypotheses: object, references: object) -> Any:
        """Replaces `_extract_corpus_statistics`."""
        try:
            counted = self.count(metric, hypotheses, references)
        except Exception:  # sacreBLEU raises the error, or returns a score
            counted = None
        original = self._originals["_extract_corpus_statistics"]
        if counted is None:
            return original(metric, hypotheses, references)
        if counted.tokenized_periods >= TOKENIZED_PERIODS and not metric._force:
            original(Complaint(), [" ."] * TOKENIZED_PERIODS, None)
        rows = memoryview(counted.rows).cast("B")
        return rows.cast("q", [counted.segments, 2 + 2 * counted.max_order]).tolist()

    def count(self, metric: Any, hypotheses: object, references: Any) -> Counted | None:
        """Count a corpus; None if sacreBLEU's own code must do it."""
        tokenizer = self.tokenizer(metric)
        if tokenizer is None or not isinstance(hypotheses, (list, tuple)):
            return None
        kept, segments = metric._ref_cache, turn(references) if references else None
        if not references and isinstance(kept, KeptReferences) and kept.read_as(metric):
            segments = kept.segments
        if not segments or not hypotheses:
            return None
        count = min(len(hypotheses), len(segments))
        lowercase, order = bool(metric.lowercase), metric.max_ngram_order
        settings = tokenizer, lowercase, order
        counter = self._counters.get(settings)
        if counter is None:
            counter = Counter(*settings, skip_none=True)
            if tokenizer.function is None:  # few; a function belongs to one metric
                self._counters[settings] = counter
        counted = counter.count(Batch(hypotheses[:count], segments[:count]))
        if references:
            rest = segments[count:]
            same = not rest or counted.nrefs == count_references(rest)
            metric.num_refs = counted.nrefs if same else -1
        return counted

    def sentence(self, metric: Any, hypothesis: Any, references: Any) -> Any:
        """Replaces `sentence_score`."""
        score = None
        if type(metric) is self._metric and SCORING.isdisjoint(vars(metric)):
            tokenizer = self.tokenizer(metric)
            score = score_known(
                self._compiled,
                tokenizer.name if tokenizer is not None else None,
                metric.lowercase,
                metric.max_ngram_order,
                (metric.smooth_method, metric.smooth_value, metric.effective_order),
                hypothesis,
                references,
                self._score_kind,
            )
        if score is None:
            return self._originals["sentence_score"](metric, hypothesis, references)
        metric.num_refs = len(references) - references.count(None)
        return score

    def sentence_function(self, original: Any) -> Any:
        """What replaces the function `sentence_bleu`, without creating a metric."""
        namespace, own = original.__globals__, self._metric
        known, kind = self._compiled, self._score_kind

        @wraps(original)
        def sentence_bleu(
            hypothesis: Any,
            references: Any,
            smooth_method: Any = "exp",
            smooth_value: Any = None,
            lowercase: Any = False,
            tokenize: Any = self._metric.TOKENIZER_DEFAULT,
            use_effective_order: Any = True,
        ) -> Any:
            options = smooth_method, smooth_value, use_effective_order
            if namespace["BLEU"] is own:
                score = score_known(
                    known, tokenize, lowercase, 4, options, hypothesis, references, kind
                )
                if score is not None:
                    return score
            given = smooth_method, smooth_value, lowercase, tokenize, use_effective_order
            return original(hypothesis, references, *given)

        return sentence_bleu

    def aggregate(self, metric: Any, stats: object) -> Any:
        """Replaces `_aggregate_and_compute`."""
        if type(stats) is list and len(stats) > 1 and type(stats[0]) is list:
            total = [sum(column) for column in zip(*stats, strict=False)]
            # Sums of integers do not depend on the order.
            if len(total) == len(stats[0]) and all(type(number) is int for number in total):
                return metric._compute_score_from_stats(total)
        return self._originals["_aggregate_and_compute"](metric, stats)


def _lazy_kind(original: Any) -> Any:
    """A subclass of sacreBLEU's BLEUScore, which formats its texts when they are read.

    Formatting takes ten times as long as scoring. Copies and pickles are of the original class.
    """

    def reduce(score: Any, protocol: int) -> Any:
        return original.__new__, (original,), vars(score)

    own = {"_original": original, "__reduce_ex__": reduce}
    own |= {key: getattr(original, key) for key in ("__module__", "__qualname__", "__doc__")}
    return type(original.__name__, (LazyScore, original), own)


def _class_at(place: str) -> object:
    """One of sacreBLEU's tokenizers, such as "tokenizer_13a.Tokenizer13a", if it is loaded."""
    module, _, name = place.rpartition(".")
    return getattr(sys.modules.get(f"sacrebleu.tokenizers.{module}"), name, None)


class Complaint:
    """A dummy metric for calling sacreBLEU's code that logs the warning about tokenized text."""

    _force = False

    def __init__(self) -> None:
        self._ref_cache: list[Any] = [{}] * TOKENIZED_PERIODS

    def _preprocess_segment(self, line: str) -> str:
        return line

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: Any) -> list[Any]:
        return []


_patch: Patch | None = None


def patch() -> ExitStack:
    """Make the BLEU metric of the installed sacreBLEU fast, for code that cannot be edited.

    This also affects its command line, `PairedTest` and all users of `sacrebleu.metrics.BLEU`;
    results, errors and log messages do not change. Not thread-safe: patch before threads start. The
    result may be used as a context manager that undoes this call.

    Raises
    ------
    ImportError
        sacreBLEU is not installed, or its code is organized differently.

    Examples
    --------
    >>> import sacrebleu
    >>> with patch():
    ...     sacrebleu.corpus_bleu(["The cat sat."], [["A cat sat."]]).format(score_only=True)
    '59.46'
    """
    global _patch
    if _patch is None:
        from sacrebleu.metrics import bleu

        _patch = Patch(Replacements(bleu).places())
    return _patch.apply()


def unpatch() -> None:
    """Restore sacreBLEU's own methods; does nothing if they are in place."""
    if _patch is not None:
        _patch.undo()
