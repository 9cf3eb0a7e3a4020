"""The argument `metric=` of the hosts that keep sums of batches."""

from __future__ import annotations

from ..dialects.base import STATE
from ..metric.argument import as_metric
from ..metric.bleu import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..metric.argument import Metric


def summing_metric(metric: Metric | None) -> BLEU:
    """A new BLEU with the metric's arguments, whose counts the host will keep.

    Raises
    ------
    TypeError, ValueError
        As `as_metric`, the metric keeps segments, or its dialect does not score sums.
    """
    bleu = as_metric(metric)
    if bleu.keep_stats:
        raise ValueError(
            "keep_stats=True cannot be had here: a host's metric keeps sums and no rows; use "
            "fastbleu.BLEU(keep_stats=True) with its own update and all_reduce"
        )
    bleu._scorer.dialect.require(STATE)
    return BLEU(**bleu.get_params())


def refuse_options(**is_given: bool) -> None:
    """Raise a ValueError if options of the host are given beside a metric."""
    names = [name for name in is_given if is_given[name]]
    if names:
        raise ValueError(
            f"metric is given, and {', '.join(names)} too: a metric has all options, so pass these "
            "to fastbleu.BLEU, in its words"
        )
