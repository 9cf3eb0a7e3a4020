"""`read`: what a user passes in, checked once, as a `Batch` of segments to be counted."""

from __future__ import annotations

from ..runtime.import_lock import lazy
from ._id_rows import plain_rows
from ._utf8_rows import is_object_array
from .arguments import check_choice
from .batch import Batch
from .checks import check_layout, check_lengths, listed_segments
from .ids import are_ids, id_rows
from .missing import CHOICES, without_missing
from .mistakes import warn_of_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import Any, Protocol

    from . import column_pairs, documents
    from .ids import IdFilter
    from .types import Listed, Mask

    class InputKind(Protocol):
        """What `read` must know of the `Counter` that will count the batch."""

        @property
        def is_text(self) -> bool: ...
        @property
        def reads_utf8(self) -> bool: ...
        @property
        def id_filter(self) -> IdFilter | None: ...
else:
    documents = lazy("fastbleu.inputs.documents")
    column_pairs = lazy("fastbleu.inputs.column_pairs")


# Segments of an array of Python's objects up to which it becomes a list.
_SHORT_ARRAY = 1 << 10


def read(
    hypotheses: Any,
    references: Any,
    kind: InputKind,
    hypothesis_mask: Mask | None = None,
    reference_mask: Mask | None = None,
    missing: str = "error",
    join: Sequence[Hashable] | None = None,
) -> Batch:
    """Check hypotheses and references, and find out how they can be counted.

    Parameters
    ----------
    hypotheses, references, hypothesis_mask, reference_mask, missing, join
        As for `fastbleu.BLEU.score`, with its errors.
    kind : Counter
        What will count the batch: text or tokens, which ids.

    Returns
    -------
    Batch
        Columns are read when they are counted, so errors in them may be raised there.
    """
    check_choice("missing", missing, CHOICES)
    is_text, by_filter = kind.is_text, kind.id_filter is not None
    masked = hypothesis_mask is not None or reference_mask is not None
    if join is not None:
        if masked or missing != "error":
            raise ValueError("join is for texts and tokens without masks and missing=")
        hypotheses, references = documents.by_document(hypotheses, references, join)
    if not (is_text or masked or missing == "ragged"):
        rows = plain_rows(hypotheses, references, by_filter)
        if rows is not None:
            return Batch(*rows, 0, None, True)
    if not type(hypotheses) is type(references) is list:
        columns = column_pairs.columns_of(hypotheses, references, is_text, kind.reads_utf8, missing)
        if columns is not None:
            in_blocks = is_text and missing == "error" if columns.is_mixed else missing != "ragged"
            if in_blocks and not masked:
                return columns
            hypotheses, references = columns.lists()
    present = None
    if missing != "error" and not masked:
        empty = "" if is_text else []
        hypotheses, references, present = without_missing(hypotheses, references, missing, empty)
    if masked or by_filter or (not is_text and are_ids(hypotheses, references)):
        if is_text:
            raise TypeError("a mask needs token ids; for these pass tokenize=False")
        rows = id_rows(hypotheses, references, hypothesis_mask, reference_mask)
        return Batch(*rows, present=present, warns=True)
    plain = type(hypotheses) is type(references) is list and len(hypotheses) == len(references)
    if not plain:
        check_layout(hypotheses, references)
    # A text, or up to two in a list, are no words of one reference.
    first = references[:1] if plain and is_text else ()
    if not (first and (type(first[0]) is str or (type(first[0]) is list and len(first[0]) < 3))):
        warn_of_words(hypotheses, references, is_text)
    if not plain:
        arrays = _object_arrays(hypotheses, references) if kind.reads_utf8 else None
        hypotheses, references = arrays or listed_segments(hypotheses, references)
    return Batch(hypotheses, references, 0, present, True)


def _object_arrays(hypotheses: Any, references: Any) -> tuple[Listed, Listed] | None:
    """Both sides, if one is a long array or Series of Python objects, to be read in place."""
    if len(hypotheses) <= _SHORT_ARRAY:
        return None
    sides = _in_place(hypotheses), _in_place(references)
    if any(side is None for side in sides):
        return None
    check_lengths(*map(len, sides))
    return sides


def _in_place(value: Any) -> Any:
    """A list as it is, or the array of objects of an array or Series; None for all else."""
    if type(value) in (list, tuple):
        return value
    dtype = str(getattr(value, "dtype", None))
    array = value.to_numpy() if dtype == "object" and hasattr(value, "to_numpy") else value
    return array if is_object_array(array) else None
