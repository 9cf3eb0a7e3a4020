"""`ChrfCounter`: counts batches for chrF; `ChrfSums`: what is added up and scored."""

from __future__ import annotations

from array import array
from functools import lru_cache, partial

from .._core import accumulate_rows
from ..core.counting._counted import joint_nrefs
from ..core.counting.counter import Counter
from ..core.inputs._batch import Batch
from ..core.inputs.checks import TextChecks
from ..core.tokenizers.tokenizer import Tokenizer
from ._chrf import PairPacker, best_rows, score_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Rule = tuple[float, bool]

_CHECKS = TextChecks()


def _units(name: str, of_words: bool, keeps_space: bool) -> Tokenizer:
    packer = partial(PairPacker, of_words=of_words, keeps_space=keeps_space)
    return Tokenizer(name, packer=packer)


# The units of n-grams, by whether white space counts.
_CHARACTERS = {
    True: _units("chrf-all-characters", of_words=False, keeps_space=True),
    False: _units("chrf-characters", of_words=False, keeps_space=False),
}
_WORDS = _units("chrf-words", of_words=True, keeps_space=False)


# Few, because each keeps the memory of its workers.
_counter_of = lru_cache(maxsize=8)(Counter)


class ChrfSums:
    """The counts of a corpus added up, `row` (see _chrf.pyx), and of how many segments.

    `nrefs` are the references of each segment, -1 if their number varies. `parts` are the rows of
    segments, if they were kept.
    """

    def __init__(self, row: array[int], segments: int, nrefs: int, parts: list[array[int]]) -> None:
        self.row, self.segments, self.nrefs, self.parts = row, segments, nrefs, parts

    def __add__(self, other: ChrfSums) -> ChrfSums:
        row = self.row[:]
        if row:
            accumulate_rows(other.row, 1, row)
        nrefs = joint_nrefs(self.nrefs, other.nrefs)
        segments = self.segments + other.segments
        return ChrfSums(row, segments, nrefs, self.parts + other.parts)

    def rows(self) -> array[int]:
        """The rows of all segments, if they were kept."""
        rows = array("q")
        for part in self.parts:
            rows += part
        return rows


class ChrfCounted:
    """The rows of a batch's segments, each that of its best reference."""

    def __init__(self, rows: array[int], segments: int, nrefs: int) -> None:
        self.rows, self.segments, self.nrefs = rows, segments, nrefs

    def sums(self, keep_rows: bool = False) -> ChrfSums:
        """The sum of all rows; OverflowError if a number does not fit into int64."""
        row = array("q", bytes(8 * (len(self.rows) // (self.segments or 1))))
        if row:
            accumulate_rows(self.rows, self.segments, row)
        return ChrfSums(row, self.segments, self.nrefs, [self.rows] if keep_rows else [])


class ChrfCounter:
    """Counts batches of text; keeps its workers' memory between calls.

    Parameters
    ----------
    char_order, word_order : int
        The longest n-grams of characters and of words; 0: none.
    rule : (beta, eps_smoothing)
        Which chooses the best of several references.
    lowercase, whitespace : bool
    threads : int, default 1
    """

    def __init__(
        self,
        char_order: int,
        word_order: int,
        rule: Rule,
        lowercase: bool = False,
        whitespace: bool = False,
        threads: int = 1,
    ) -> None:
        self.orders, self.order, self.rule = (char_order, word_order), char_order + word_order, rule
        units = (_CHARACTERS[whitespace], char_order), (_WORDS, word_order)
        self._counters = [
            _counter_of(unit, lowercase, order, threads) if order else None for unit, order in units
        ]

    def count(
        self, batch: Batch, keep_rows: bool = True, meanwhile: Callable[[], None] | None = None
    ) -> ChrfCounted:
        """Count a batch of texts and references by segment; those that are None are left out.

        `meanwhile` is called once while other threads count; `keep_rows` has no effect.
        """
        hypotheses, references = batch.lists()
        segments, ends, nrefs = len(hypotheses), None, 1
        if segments and not isinstance(references[0], str):
            hypotheses, references, ends, nrefs = _pairs(hypotheses, references, batch.before)
        pairs = Batch(hypotheses, references, batch.before)
        rows = []
        for counter in self._counters:
            counted = counter and counter.count(pairs, meanwhile=meanwhile)
            rows.append(counted.rows if counted else array("q"))
            meanwhile = meanwhile if counter is None else None
        (char_order, word_order), (characters, words) = self.orders, rows
        best = best_rows(characters, char_order, words, word_order, ends, segments, self.rule)
        return ChrfCounted(best, segments, nrefs)

    def score(self, row: array[int]) -> float:
        """The score of a row, 0-100."""
        if not self.order:  # as in sacreBLEU, a ZeroDivisionError with eps_smoothing
            return 100 * 0.0 / self.order if self.rule[-1] else 0.0
        return score_rows(row, self.order, self.rule)[0][0]

    def scores(self, counted: ChrfCounted) -> array[float]:
        """The scores of segments, 0-100."""
        if not self.order:
            return array("d", [self.score(counted.rows)] * counted.segments)
        return score_rows(counted.rows, self.order, self.rule)[0]


def _pairs(
    hypotheses: Sequence[Any], references: Sequence[Any], before: int
) -> tuple[list[str], list[str], array[int], int]:
    """Each hypothesis beside each of its references, the end of each segment, and their number."""
    repeated: list[str] = []
    flat: list[str] = []
    ends = array("q")
    numbers = set()
    for segment, (hypothesis, texts) in enumerate(zip(hypotheses, references, strict=True), before):
        present = [texts] if isinstance(texts, str) else [t for t in texts if t is not None]
        if not present:
            _CHECKS.refuse_no_references(segment)
        if {*map(type, present)} != {str}:
            for k, text in enumerate(texts):
                if text is not None and not isinstance(text, str):
                    _CHECKS.line(text, segment, k)
        if not isinstance(hypothesis, str):
            _CHECKS.line(hypothesis, segment, None)
        repeated += [hypothesis] * len(present)
        flat += present
        ends.append(len(flat))
        numbers.add(len(present))
    return repeated, flat, ends, numbers.pop() if len(numbers) == 1 else -1
