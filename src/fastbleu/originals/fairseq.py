"""fairseq's libbleu."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable
from itertools import count
from math import exp, inf, log

from ..core.counting._counted import Counted
from ..core.counting.stats import Stats
from ..core.inputs.arguments import shown
from ..core.scoring.base import MATRIX, UPDATE, ScoreOptions
from ..core.scoring.score import NoScoreError
from ._fairseq import hashed_rows
from .counters import CountingDialect
from .formulas import ONE_REFERENCE, SUM, FormulaDialect, Row, moses_line, rows_of_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.scoring.score import Score
    from .counters import Segment

_SPECIAL = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
_UNKNOWN_IN_REFERENCE = -999
_ORDER = (
    "n-grams are counted by a hash of ids that are assigned as the corpus is read, so counts "
    "depend on all earlier segments; pass hashed=False"
)


class FairseqDialect(CountingDialect, FormulaDialect):
    """``Scorer`` of fairseq's scoring/bleu.py with its libbleu, with one reference, 0-100.

    min(1, exp(1 - ref_len / hyp_len)) * exp(sum of log(matches / totals) / 4); 0 if an order has no
    match. ``smooth_method="add-k"``, its ``one_init``, adds 1 to matches and totals of the orders
    above 1. The sum is Python's sum(), which is compensated since 3.12.

    Text is split at whitespace; an empty text is the token "</s>", "<pad>" at the ends is removed,
    and "<unk>" in a reference matches nothing. libbleu compares n-grams by a 64-bit hash that
    collides, so it finds more matches than there are. Ids are assigned in the order of first
    occurrence, each hypothesis before its reference; `sentence_scores` restarts with each segment.
    ``hashed=False`` counts exactly.
    """

    name = "fairseq"
    scale = 100.0
    version = "fairseq-0.12.2"
    source = "facebookresearch/fairseq@3d262bb2 scoring/bleu.py, clib/libbleu; PyPI 0.12.2"
    orders = (4,)
    smoothings = {"none": None, "add-k": None}
    options = {"smooth_method": "none"}
    _printed = "%.2f"

    def __init__(self, hashed: bool = True) -> None:
        if not isinstance(hashed, bool):
            raise TypeError(f"hashed is {shown(hashed)}, expected True or False")
        self.own_options = {"hashed": hashed}
        self.keeps_tokens = hashed
        self.unsupported = {**ONE_REFERENCE, MATRIX: "it counts '</s>', which the matrix does not"}
        if hashed:
            self.unsupported = {**ONE_REFERENCE, UPDATE: _ORDER, MATRIX: _ORDER}

    def count_tokens(self, segments: list[Segment]) -> Stats:
        """The rows of ids from fairseq's Dictionary."""
        pairs = _ids(segments)
        if not self.keeps_tokens:
            return rows_of_tokens((hypothesis, [reference]) for hypothesis, reference in pairs)
        ids = array("i", [number for pair in pairs for side in pair for number in side])
        lengths = array("q", [len(side) for pair in pairs for side in pair])
        return Stats._own(hashed_rows(ids, lengths), 4)

    def _segment_scores(self, counted: Counted, options: ScoreOptions) -> Iterable[float]:
        if not self.keeps_tokens:
            return super()._segment_scores(counted, options)
        if counted.extra is None:
            raise NoScoreError(f"sentences cannot be scored by their Stats: {_ORDER}")
        # Ids restart with each segment.
        alone = [self.count_tokens([segment]) for segment in counted.extra]
        return self._scores(self.adapt(Stats.concatenate([Stats.zeros(0), *alone])), options)

    def line(self, score: Score) -> str:
        return moses_line(score, "BLEU4", "syslen", "reflen")

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        return min(1.0, exp(1 - ref_len / hyp_len))

    def _further_fields(self) -> dict[str, str]:
        return {"hashed": "yes" if self.own_options["hashed"] else "no", **SUM}

    def _score(self, row: Row, options: ScoreOptions) -> float:
        hyp_len, ref_len, matches, totals = row
        logarithms = []
        for order, (matched, ngrams) in enumerate(zip(matches, totals, strict=True)):
            added = int(order > 0 and options.smooth_method == "add-k")
            m, t = matched + added, ngrams + added
            logarithms.append(log(m / t) if m and t else -inf)
        return self.brevity_penalty(hyp_len, ref_len) * exp(sum(logarithms) / 4) * 100


def _ids(segments: list[Segment]) -> list[tuple[list[int], list[int]]]:
    """The ids of each hypothesis and reference in fairseq's Dictionary."""
    numbers: dict[Any, int] = defaultdict(count(len(_SPECIAL)).__next__, _SPECIAL)

    def numbered(tokens: list[Any]) -> list[int]:
        return _without_padding([*map(numbers.__getitem__, tokens), 2])

    pairs = []
    for hypothesis, references in segments:
        numbers_of_hypothesis = numbered(hypothesis)  # numbered before the reference
        reference = [_UNKNOWN_IN_REFERENCE if n == 3 else n for n in numbered(references[0])]
        pairs.append((numbers_of_hypothesis, reference))
    return pairs


def _without_padding(ids: list[int]) -> list[int]:
    """Ids without "<pad>" at both ends and "</s>" at the end; at least one id is left."""
    start, end = 0, len(ids)
    while start < end - 1 and ids[start] == 1:
        start += 1
    while end > start + 1 and ids[end - 1] in (1, 2):
        end -= 1
    return ids[start:end]


FAIRSEQ = FairseqDialect()
