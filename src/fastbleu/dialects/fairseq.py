"""fairseq's libbleu."""

from __future__ import annotations

from array import array
from collections import defaultdict
from itertools import count
from math import exp, inf, log

from ..counting._batch import count_batch
from ..counting.batch import CountOptions
from ..counting.stats import Stats
from ._fairseq import hashed_rows
from .base import Options
from .plain import EQUAL_WEIGHTS, SUM, PlainDialect, Row, count_with_tokens
from .score import Score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..counting._batch import Counted
    from ..counting.batch import Segment

_SPECIAL = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
_UNKNOWN_IN_REFERENCE = -999
_ORDER = (
    "n-grams are counted by a hash of ids that are given out as the corpus is read, so that counts "
    "depend on all earlier segments; pass hashed=False"
)


class FairseqDialect(PlainDialect):
    """``Scorer`` of fairseq's scoring/bleu.py with its libbleu, with one reference, 0-100.

    min(1, exp(1 - ref_len / hyp_len)) * exp(sum of log(matches / totals) / 4); 0 if an order has no
    match. ``smoothing="add-k"``, its ``one_init``, adds 1 to matches and totals of the orders above
    1. The sum is the running Python's, which is compensated from 3.12 on.

    Text is split at whitespace; an empty text is the token "</s>", "<pad>" at the ends is removed,
    and "<unk>" in a reference matches nothing. libbleu compares n-grams by a 64-bit hash that
    collides, so it finds more matches than there are. Ids are assigned in the order of first
    occurrence, each hypothesis before its reference; `sentence_scores` restarts for each segment.
    ``hashed=False`` counts exactly.

    References
    ----------
    facebookresearch/fairseq 3d262bb2 (PyPI 0.12.2), fairseq/scoring/bleu.py, clib/libbleu.
    """

    name = "fairseq"
    scale = 100.0
    version = "fairseq-0.12.2"
    orders = (4,)
    single_reference = True
    smoothings = {"none": None, "add-k": None}
    options = {"smoothing": "none"}
    _printed = "%.2f"

    def __init__(self, hashed: bool = True) -> None:
        if not isinstance(hashed, bool):
            raise TypeError(f"hashed is {hashed!r}, expected True or False")
        self.settings = {"hashed": hashed}
        of_hash = dict.fromkeys(("update", "matrix"), _ORDER) if hashed else {}
        self.unsupported = {
            **EQUAL_WEIGHTS,
            **({"matrix": "it counts '</s>', which the matrix does not"} | of_hash),
        }

    def _count(
        self, hypotheses: Any, references: Any, options: CountOptions, *masks: Any, **how: Any
    ) -> Counted:
        """Count a batch with libbleu's tokens and hash."""
        keep_rows = how.pop("keep_rows", True)
        counted = count_with_tokens(self, hypotheses, references, options, *masks, **how)
        ids = _ids(counted.tokens or [])
        if self.settings["hashed"]:
            rows = _hashed_rows(ids)
        else:
            rows = _rows(ids, CountOptions(None, threads=options.threads))
            counted.tokens = None
        counted.stats = rows if keep_rows else rows.sum()
        return counted

    def _refine(self, tokens: list[Segment], sums: Stats, options: Options) -> dict[str, Any]:
        """The score of a corpus, or of a single segment with ids that start there."""
        if len(tokens) == 1:
            sums = _hashed_rows(_ids(tokens))
        return {"value": self._scores(sums, options)[0]}

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        """The factor for hypotheses that are shorter than their references, 0-1."""
        return min(1.0, exp(1 - ref_len / hyp_len))

    def line(self, score: Score) -> str:
        """The line that fairseq prints."""
        precisions = "/".join([f"{100 * precision:2.1f}" for precision in score.precisions])
        ratio = score.hyp_len / score.ref_len
        return (
            f"BLEU4 = {score.printed}, {precisions} (BP={score.bp:.3f}, ratio={ratio:.3f}, "
            f"syslen={score.hyp_len}, reflen={score.ref_len})"
        )

    def _further_fields(self) -> dict[str, str]:
        return {"hashed": "yes" if self.settings["hashed"] else "no", **SUM}

    def _score(self, row: Row, options: Options) -> float:
        hyp_len, ref_len, matches, totals = row
        logarithms = []
        for order, (matched, ngrams) in enumerate(zip(matches, totals, strict=True)):
            added = int(order > 0 and options.smoothing == "add-k")
            m, t = matched + added, ngrams + added
            logarithms.append(log(m / t) if m and t else -inf)
        return self.brevity_penalty(hyp_len, ref_len) * exp(sum(logarithms) / 4) * 100


def _ids(segments: list[Segment]) -> list[tuple[list[int], list[int]]]:
    """Hypothesis and reference of each segment as fairseq's Dictionary numbers them."""
    numbers: dict[Any, int] = defaultdict(count(len(_SPECIAL)).__next__, _SPECIAL)

    def numbered(tokens: list[Any]) -> list[int]:
        return _without_padding([*map(numbers.__getitem__, tokens), 2])

    found = []
    for hypothesis, references in segments:
        ours, its = numbered(hypothesis), numbered(references[0])
        found.append((ours, [_UNKNOWN_IN_REFERENCE if number == 3 else number for number in its]))
    return found


def _without_padding(ids: list[int]) -> list[int]:
    """Ids without "<pad>" at both ends and without the further "</s>" at the end."""
    start, end = 0, len(ids)
    while start < end - 1 and ids[start] == 1:
        start += 1
    while end > start + 1 and ids[end - 1] in (1, 2):
        end -= 1
    return ids[start:end]


def _rows(segments: list[tuple[list[int], list[int]]], options: CountOptions) -> Stats:
    hypotheses, references = zip(*segments, strict=True) if segments else ((), ())
    return count_batch(hypotheses, [[one] for one in references], options).stats


def _hashed_rows(segments: list[tuple[list[int], list[int]]]) -> Stats:
    """The rows by libbleu's hash."""
    ids = array("i", [number for segment in segments for side in segment for number in side])
    lengths = array("q", [len(side) for segment in segments for side in segment])
    return Stats._own(hashed_rows(ids, lengths), 4)


FAIRSEQ = FairseqDialect()
