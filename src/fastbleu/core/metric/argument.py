"""The argument `metric=` of all functions: a BLEU, or the name of a dialect or recipe."""

from __future__ import annotations

from operator import attrgetter

from ..inputs.arguments import a_type
from ..scoring.base import SUMS
from .bleu import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from ..counting._counted import Sums
    from ..counting.counter import Counter
    from ..scoring.scorer import Scorer

    Metric: TypeAlias = BLEU | str


def as_metric(metric: Metric | None) -> BLEU:
    """The metric itself, or a BLEU with a dialect's defaults; None means sacreBLEU's.

    Raises
    ------
    TypeError
        `metric` is neither a BLEU nor a name.
    ValueError
        No dialect or recipe has this name.
    """
    if isinstance(metric, BLEU):
        return metric
    if metric is None:
        return BLEU()
    if isinstance(metric, str):
        return BLEU(metric)
    if isinstance(metric, type) and issubclass(metric, BLEU):
        raise TypeError("metric is the class BLEU, expected a BLEU: write BLEU()")
    raise TypeError(
        f"metric is {a_type(metric)}, expected a fastbleu.BLEU or the name of a dialect"
    )


# What the rest of the package uses of a metric besides its public methods: what turns a batch into
# counts, and what turns counts into scores.
counter_of: Callable[[BLEU], Counter] = attrgetter("_counter")
scorer_of: Callable[[BLEU], Scorer] = attrgetter("_scorer")


def sums_of_batch(metric: BLEU, hypotheses: Any, references: Any, *masks: Any) -> Sums:
    """The sums that `BLEU.update` would add for a batch; masks as for `update`."""
    scorer = metric._scorer
    scorer.dialect.require(SUMS)
    return scorer.sums(metric._count(hypotheses, references, scorer.keep_rows, *masks))
