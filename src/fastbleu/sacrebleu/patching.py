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

from ..counting._batch import Counted, count_batch
from ..counting.batch import CountOptions
from ..inputs.warnings import TOKENIZED_PERIODS
from ..runtime.patching import Patch, Restore
from ..tokenizers._compiled import COMPILED
from ..tokenizers.table import Tokenizer, get_tokenizer
from .arguments import by_reference, by_segment, count_references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Methods that a metric must not have overridden: how it reads and counts a segment.
RULES = (
    "_preprocess_segment",
    "_extract_reference_info",
    "_compute_segment_statistics",
    "_get_closest_ref_len",
)
REPLACED = ("_aggregate_and_compute", "_cache_references", "_extract_corpus_statistics")


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


def turn(references: Any) -> Sequence[Any] | None:
    """References by segment; None if only sacreBLEU's own code can read them."""
    if not isinstance(references, (list, tuple)):
        return None
    if not all(isinstance(stream, (list, tuple)) for stream in references):
        return None
    return by_segment(references)


class Replacements:
    """The methods to put into the class `BLEU` of `module`, sacrebleu.metrics.bleu."""

    def __init__(self, module: Any) -> None:
        self._names = module._TOKENIZERS  # "13a" -> "tokenizer_13a.Tokenizer13a"
        self._rules = {name: getattr(module.BLEU, name) for name in RULES}
        self._originals = {name: getattr(module.BLEU, name) for name in REPLACED}

    def functions(self) -> dict[str, Any]:
        """By name."""

        def method(replacement: Callable[..., Any]) -> Callable[..., Any]:
            # A function, which a class binds to its objects, other than a bound method.
            return lambda *arguments, **named: replacement(*arguments, **named)

        replacements: list[Callable[..., Any]] = [self.aggregate, self.cache, self.extract]
        return dict(zip(REPLACED, map(method, replacements), strict=True))

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
        for name, place in self._names.items():
            module, _, cls = place.rpartition(".")
            if getattr(sys.modules.get(f"sacrebleu.tokenizers.{module}"), cls, None) is kind:
                return str(name)
        return None

    def cache(self, metric: Any, references: Any) -> Any:
        """Replaces `_cache_references`."""
        try:
            segments = turn(references)
            if segments is not None and self.tokenizer(metric) is not None:
                metric.num_refs = count_references(segments)
                return KeptReferences(metric, list(segments))
        except Exception:  # sacreBLEU raises the error
            pass
        return self._originals["_cache_references"](metric, references)

    def extract(self, metric: Any, hypotheses: Any, references: Any) -> Any:
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

    def count(self, metric: Any, hypotheses: Any, references: Any) -> Counted | None:
        """Count a corpus; None if sacreBLEU's own code must do it."""
        tokenizer = self.tokenizer(metric)
        if tokenizer is None or not isinstance(hypotheses, (list, tuple)):
            return None
        kept = metric._ref_cache
        segments: Sequence[Any] | None
        if references:
            segments = turn(references)
        elif isinstance(kept, KeptReferences) and kept.read_as(metric):
            segments = kept.segments
        else:
            return None
        if not segments or not hypotheses:
            return None
        count = min(len(hypotheses), len(segments))
        rules = bool(metric.lowercase), metric.max_ngram_order
        options = CountOptions(tokenizer, *rules, missing=True)
        counted = count_batch(hypotheses[:count], segments[:count], options)
        if references:
            rest = segments[count:]
            same = not rest or counted.nrefs == count_references(rest)
            metric.num_refs = counted.nrefs if same else -1
        return counted

    def aggregate(self, metric: Any, stats: Any) -> Any:
        """Replaces `_aggregate_and_compute`."""
        if type(stats) is list and len(stats) > 1 and type(stats[0]) is list:
            total = [sum(column) for column in zip(*stats, strict=False)]
            # Sums of integers do not depend on the order.
            if len(total) == len(stats[0]) and all(type(number) is int for number in total):
                return metric._compute_score_from_stats(total)
        return self._originals["_aggregate_and_compute"](metric, stats)


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


def patch() -> Restore:
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

        missing = [name for name in (*RULES, *REPLACED) if not hasattr(bleu.BLEU, name)]
        if missing or not hasattr(bleu, "_TOKENIZERS"):
            raise ImportError(
                "the installed sacreBLEU is built differently from version 2.6.0 and cannot be "
                "patched; install sacrebleu>=2.0"
            )
        functions = Replacements(bleu).functions()
        _patch = Patch([(bleu.BLEU, name, value) for name, value in functions.items()])
    return _patch.apply()


def unpatch() -> None:
    """Restore sacreBLEU's own methods; does nothing if they are in place."""
    if _patch is not None:
        _patch.undo()
