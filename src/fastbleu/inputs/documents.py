"""Segments joined to documents, for d-BLEU."""

from __future__ import annotations

from .arguments import a_type, shown
from .checks import check_lengths
from .errors import LocatedTypeError, LocatedValueError, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def by_document(hypotheses: Any, references: Any, join: Any) -> tuple[list[Any], list[Any]]:
    """One hypothesis and its references for each document, in the order of first appearance.

    Texts are joined by a space, lists of tokens one after the other. ValueError if lengths differ,
    or the segments of a document do not have the same number of references; TypeError if a segment
    is neither text nor a list of tokens, or a document has both.
    """
    sides = [hypotheses, references, join]
    for name, side in zip(("hypotheses", "references", "join"), sides, strict=True):
        if isinstance(side, (str, bytes)) or not hasattr(side, "__len__"):
            raise TypeError(f"{name} is {a_type(side)}, expected an entry for each segment")
    check_lengths(len(hypotheses), len(references))
    if len(join) != len(hypotheses):
        raise ValueError(
            f"join has {len(join)} entries, hypotheses has {len(hypotheses)}; join holds the "
            "document of each segment"
        )
    joined: dict[Any, tuple[list[Any], list[list[Any]]]] = {}
    for number, (hypothesis, several, document) in enumerate(zip(*sides, strict=True)):
        if isinstance(several, str):
            several = [several]
        elif not isinstance(several, (list, tuple)):
            problem = f"references is {a_type(several)}, expected a list"
            raise LocatedTypeError.at(Place(number), problem)
        for segment in (hypothesis, *several):
            if not isinstance(segment, (str, list, tuple)):
                problem = (
                    f"a part is {a_type(segment)}; with join= all are texts or lists of tokens"
                )
                raise LocatedTypeError.at(Place(number), problem)
        try:
            own, streams = joined.setdefault(document, ([], [[] for _ in several]))
        except TypeError:
            problem = f"the document is {a_type(document)}, expected a str, an int or another "
            raise LocatedTypeError.at(Place(number), f"{problem}value that can be hashed") from None
        if len(several) != len(streams):
            problem = (
                f"it has {len(several)} references, but document {shown(document)} begins with a "
                f"segment that has {len(streams)}; all of a document need as many"
            )
            raise LocatedValueError.at(Place(number), problem)
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
        raise TypeError("a document has both texts and lists of tokens")
    return [token for segment in segments for token in segment]
