"""The argument `missing` of a metric's methods: counting the segments that are present."""

from __future__ import annotations

from ..counting._batch import Counted
from ..counting.batch import CountOptions
from ..inputs.arguments import check_choice
from ..inputs.column_pairs import columns_of
from ..inputs.missing import CHOICES, replace_missing
from ..inputs.segments import listed_segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy
    from numpy.typing import NDArray

    from ..dialects.parameters import Parameters


def count_present(
    hypotheses: Any,
    references: Any,
    missing: str,
    parameters: Parameters,
    masks: tuple[Any, Any],
    options: CountOptions,
    *how: Any,
) -> tuple[Counted, list[bool] | None]:
    """Count a batch, and tell which segments were counted; None if no value is missing.

    `options` and `how` are the further arguments of `Parameters.count`.
    """
    check_choice("missing", missing, CHOICES)
    is_text = options.tokenizer is not None
    columns = columns_of(hypotheses, references, is_text, options.reads_utf8, missing)
    if columns is not None:
        if not columns.is_mixed:
            return parameters.count(columns, None, masks, options, *how), columns.present
        hypotheses, references = columns.lists()
    try:
        return parameters.count(hypotheses, references, masks, options, *how), None
    except TypeError:  # the cause may be a missing value, checked only now
        if masks[0] is not None or masks[1] is not None:
            raise
        empty: Any = [] if options.tokenizer is None else ""
        listed = listed_segments(hypotheses, references)
        if (replaced := replace_missing(*listed, missing, empty)) is None:
            raise
    hypotheses, references, present = replaced
    return parameters.count(hypotheses, references, (None, None), options, *how), present


def with_gaps(scores: NDArray[numpy.float64], present: list[bool] | None) -> NDArray[numpy.float64]:
    """The scores of all segments, from those of the present ones; NaN for the others."""
    if present is None:
        return scores
    import numpy

    of_all = numpy.full(len(present), numpy.nan)
    of_all[present] = scores
    return of_all
