"""Random samples of chrF's rows, for confidence intervals and paired tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..significance.experiment import SacrebleuScoring
from ._chrf import score_rows

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..significance.results import Interval
    from .counter import Rule


class ChrfScoring(SacrebleuScoring):
    """Scores, 0-100, as in sacreBLEU's significance tests.

    Those of bootstrap samples are float32, as there, unless one has Python's type.
    """

    def __init__(self, order: int, rule: Rule) -> None:
        self._chrf = order, rule

    def _score(self, arithmetic: str, sums: NDArray[Any]) -> NDArray[Any]:
        scores, any_plain = score_rows(np.ascontiguousarray(sums), *self._chrf)
        kind = np.float32 if arithmetic == "float32" and not any_plain else np.float64
        return np.asarray(scores, kind).reshape(sums.shape[:-1])


def tables(systems: Sequence[array[int]], order: int) -> list[NDArray[np.int64]]:
    """The rows of systems as tables of shape (segments, 3 * order)."""
    return [np.frombuffer(rows, np.int64).reshape(-1, 3 * order) for rows in systems]


def half_width(interval: Interval) -> float:
    """The half width of an interval of float32 scores: in sacreBLEU a float32, too."""
    return float(np.float32(interval.high - interval.low)) / 2
