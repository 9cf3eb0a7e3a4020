"""Input that needs checks, as a `Batch`: `Counter.read` calls `read_checked`."""

from __future__ import annotations

from ..runtime.import_lock import lazy
from ._batch import Batch, InputKind
from ._utf8_rows import is_object_array
from .arguments import a_type, check_choice, number_of, shown
from .checks import check_layout, check_lengths, listed_segments
from .errors import AmongGiven, InputError, InputTypeError, Place
from .ids import are_ids, id_rows
from .missing import CHOICES, without_missing
from .mistakes import warn_of_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import Any

    from . import columns
    from .types import Listed, Mask
else:
    columns = lazy("fastbleu.core.inputs.columns")


# An array of Python objects with at most this many segments becomes a list.
_SHORT_ARRAY = 1 << 10


def read_checked(
    hypotheses: Any,
    references: Any,
    kind: InputKind,
    hypothesis_mask: Mask | None,
    reference_mask: Mask | None,
    missing: str,
    join: Sequence[Hashable] | None,
) -> Batch:
    """`Counter.read` of input that needs checks."""
    if type(missing) is not str or missing != "error":  # an array compares element by element
        check_choice("missing", missing, CHOICES)
    is_text, by_filter = kind.is_text, kind.id_filter is not None
    masked = hypothesis_mask is not None or reference_mask is not None
    if join is not None:
        if masked or missing != "error":
            raise ValueError("join is for texts and tokens without masks and missing=")
        hypotheses, references = _by_document(hypotheses, references, join)
    if is_text and masked:
        raise InputTypeError("a mask needs token ids; for ids pass tokenize=False")
    if not type(hypotheses) is type(references) is list:
        sides = columns.columns_of(
            hypotheses, references, is_text, kind.reads_utf8, missing, masked
        )
        if isinstance(sides, Batch):
            return sides
        hypotheses, references = sides
    present = None
    if missing != "error" and not masked:
        empty = "" if is_text else []
        hypotheses, references, present = without_missing(hypotheses, references, missing, empty)
    if masked or by_filter or (not is_text and are_ids(hypotheses, references)):
        with AmongGiven(present):
            rows = id_rows(hypotheses, references, hypothesis_mask, reference_mask)
        return Batch(*rows, 0, present, True)
    plain = type(hypotheses) is type(references) is list and len(hypotheses) == len(references)
    if not plain:
        check_layout(hypotheses, references)
    warn_of_words(hypotheses, references, is_text)
    if not plain:
        arrays = _object_arrays(hypotheses, references) if kind.reads_utf8 else None
        hypotheses, references = arrays or listed_segments(hypotheses, references)
    return Batch(hypotheses, references, 0, present, True)


def _object_arrays(hypotheses: Any, references: Any) -> tuple[Listed, Listed] | None:
    """Both sides, to be read in place, if one is a long array or Series of Python objects."""
    if len(hypotheses) <= _SHORT_ARRAY:
        return None
    sides = _in_place(hypotheses), _in_place(references)
    if any(side is None for side in sides):
        return None
    check_lengths(*map(len, sides))
    return sides


def _in_place(value: Any) -> Any:
    """A list as it is, or the object array of an array or Series; None for anything else."""
    if type(value) in (list, tuple):
        return value
    dtype = str(getattr(value, "dtype", None))
    array = value.to_numpy() if dtype == "object" and hasattr(value, "to_numpy") else value
    return array if is_object_array(array) else None


def _by_document(hypotheses: Any, references: Any, join: Any) -> tuple[list[Any], list[Any]]:
    """One hypothesis and its references for each document, in the order of first appearance.

    Texts are joined by a space, lists of tokens one after the other. ValueError if lengths differ,
    or the segments of a document do not have the same number of references; TypeError if a segment
    is neither text nor a list of tokens, or a document has both.
    """
    sides = [hypotheses, references, join]
    for name, side in zip(("hypotheses", "references", "join"), sides, strict=True):
        if isinstance(side, (str, bytes)) or not hasattr(side, "__len__"):
            raise InputTypeError(f"{name} is {a_type(side)}, expected an entry for each segment")
    check_lengths(len(hypotheses), len(references))
    if len(join) != len(hypotheses):
        raise InputError(
            f"join has {number_of(len(join), 'entry', 'entries')}, hypotheses has "
            f"{len(hypotheses)}; join holds the document of each segment"
        )
    joined: dict[Any, tuple[list[Any], list[list[Any]]]] = {}
    for number, (hypothesis, several, document) in enumerate(zip(*sides, strict=True)):
        if isinstance(several, str):
            several = [several]
        elif not isinstance(several, (list, tuple)):
            raise InputTypeError.at(
                Place(number), f"references is {a_type(several)}, expected a list"
            )
        for segment in (hypothesis, *several):
            if not isinstance(segment, (str, list, tuple)):
                problem = f"a part is {a_type(segment)}; join= needs texts or lists of tokens"
                raise InputTypeError.at(Place(number), problem)
        try:
            if document not in joined:
                joined[document] = [], [[] for _ in several]
        except TypeError:
            problem = f"the document is {a_type(document)}, expected a str, an int or another "
            raise InputTypeError.at(Place(number), f"{problem}value that can be hashed") from None
        own, streams = joined[document]
        if len(several) != len(streams):
            problem = (
                f"it has {number_of(len(several), 'reference')}, but document {shown(document)} "
                f"begins with a segment that has {len(streams)}; all segments of a document need "
                "the same number"
            )
            raise InputError.at(Place(number), problem)
        own.append(hypothesis)
        for stream, reference in zip(streams, several, strict=True):
            stream.append(reference)
    pairs = joined.values()
    return [_joined(own) for own, _ in pairs], [[*map(_joined, parts)] for _, parts in pairs]


def _joined(segments: list[Any]) -> Any:
    texts = sum(isinstance(segment, str) for segment in segments)
    if texts == len(segments):
        return " ".join(segments)
    if texts:
        raise InputTypeError("a document has both texts and lists of tokens")
    return [token for segment in segments for token in segment]
