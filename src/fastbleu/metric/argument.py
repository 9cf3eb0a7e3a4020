"""The argument `metric=` of all functions: a BLEU, or the name of a dialect or recipe."""

from __future__ import annotations

from ..inputs.arguments import a_type
from .bleu import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from ..dialects.name_types import DialectName, RecipeName

    Metric: TypeAlias = BLEU | DialectName | RecipeName


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
