"""Check arguments in sacreBLEU's form, and transpose stream-major references.

Input that sacreBLEU refuses is refused with the same type of exception. A likely mistake that it
scores silently is scored too, with a warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice

from ..core.inputs._batch import Batch, count_blank
from ..core.inputs.arguments import a_type, list_or_tuple, number_of, shown, unknown_name
from ..core.inputs.errors import InputError, InputTypeError, Place, place, warn_input
from ..core.inputs.looks import is_phrase
from ..core.scoring.sacrebleu import SACREBLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Segments transposed at a time; signals are handled in between.
_PART = 1 << 16


def check_smoothing(method: str) -> None:
    """Refuse an unknown smoothing method as sacreBLEU does."""
    if method not in SACREBLEU.smoothings:
        raise AssertionError(unknown_name("smooth_method", method, SACREBLEU.smoothings))


def check_option(name: str, value: object, metric: str) -> None:
    """Refuse texts where a metric expects an option."""
    if type(value) in (list, tuple) or is_phrase(value):
        raise TypeError(
            f"{name} is {shown(value)}: {metric} takes options, and scores by a method: call "
            f"{metric}().corpus_score(hypotheses, references)"
        )


def check_corpus(hypotheses: object, references: object) -> None:
    """Raise TypeError unless this is a corpus, IndexError if empty; references may be None."""
    check_list("hypotheses", hypotheses, "; pass list(hypotheses)", entry="a str")
    if references is not None:
        stream = check_list("references", references, of="lists of str")
        check_list("references[0]", stream, "; pass [list(stream) for stream in references]")


def check_sentence(hypothesis: object, references: object) -> None:
    """Raise an error, like `check_corpus`, unless this is a single segment."""
    if not isinstance(hypothesis, str):
        raise InputTypeError(f"hypothesis is {a_type(hypothesis)}, expected a str")
    if isinstance(references, str):
        raise InputTypeError("references is a str, expected a list of str; pass [reference]")
    check_list("references", references)


def check_list(
    name: str, values: object, fix: str = "", *, of: str = "str", entry: str = "a str or None"
) -> object:
    """Check a list and return its first element; as in sacreBLEU, a str counts as a list.

    `entry` describes a valid element; `fix` is advice for iterators, arrays and Series.
    """
    if not isinstance(values, (list, tuple, Sequence)):
        fix = fix if hasattr(values, "__next__") or hasattr(values, "tolist") else ""
        raise InputTypeError(f"{name} is {a_type(values)}, expected a list of {of}{fix}")
    if len(values):
        with suppress(IndexError):  # another thread has emptied it since
            first: object = values[0]
            is_entry = isinstance(first, str) or (first is None and entry == "a str or None")
            if of == "str" and not is_entry:
                raise InputTypeError(f"{name}[0] is {a_type(first)}, expected {entry}")
            return first
    raise IndexError(f"{name} is empty: there is nothing to score")


def count_streams(
    hypotheses: Any,
    references: Any,
    cached: Sequence[Any] | None,
    counter: Any,
    keep_rows: bool = True,
) -> Any:
    """Count a corpus with stream-major references, or with `cached` ones from `segment_major`.

    `counter` is a Counter or a ChrfCounter; returns what its `count` does.
    """
    if references:
        streams = list(map(list_or_tuple, references))
        warn_of_layout(hypotheses, references, streams)
        segments = by_segment(streams)
    elif cached:
        warn_of_layout(hypotheses, (), [cached])
        segments = cached
    else:
        raise RuntimeError(
            "there are no references: pass them here, or references= to the constructor"
        )
    count = min(len(hypotheses), len(segments))
    if count == 0:
        raise IndexError("there are no segments to score: a stream of references is empty")
    lines, kept = list_or_tuple(hypotheses), segments
    if not len(lines) == len(segments) == count:
        # Beyond the last segment, sacreBLEU checks only for None.
        if None in lines[count:]:
            where = place(lines.index(None, count), None)
            raise InputTypeError.at(where, " is a NoneType, expected a str")
        lines, kept = lines[:count], kept[:count]
    try:
        counted = counter.count(Batch(lines, kept), keep_rows=keep_rows)
    except TypeError:
        refuse_missing(kept)
        raise
    if isinstance(kept[0], str) and count_blank(kept) < 0:  # not all are str: counters take lists
        for segment, line in enumerate(kept):
            if not isinstance(line, str):
                problem = f"a reference is {a_type(line)}, expected a str or None"
                raise InputTypeError.at(Place(segment, side="reference"), problem)
    if len(lines) < len(segments) and counted.nrefs != count_references(segments[len(lines) :]):
        counted.nrefs = -1
    return counted


def segment_major(references: Sequence[Sequence[str | None]]) -> list[Any]:
    """References by segment, to be kept: str for one stream, tuples for several."""
    streams = list(map(list_or_tuple, references))
    warn_of_layout(None, references, streams)
    return list(by_segment(streams))


def by_segment(streams: Sequence[Sequence[str | None]]) -> Sequence[Any]:
    """Streams transposed to segments: one stream as it is, several as tuples."""
    if len(streams) == 1:
        return streams[0]
    segments: list[Any] = []
    turned = zip(*streams, strict=False)
    while part := list(islice(turned, _PART)):
        segments += part
    return segments


def by_reference(lines: object) -> tuple[Any, ...]:
    """The references of one segment in the form of `by_segment`."""
    return lines if isinstance(lines, tuple) else (lines,)


def warn_of_layout(hypotheses: Any, references: Any, streams: Sequence[Sequence[Any]]) -> None:
    """Warn once about a layout that is a likely mistake; `hypotheses` is None if unknown."""
    if isinstance(hypotheses, str):
        problem = "hypotheses is a str, so each of its characters is scored as a segment"
        warn_input(f"{problem}; pass [hypothesis]")
        return
    for k, stream in enumerate(references):
        if isinstance(stream, str):
            warn_input(
                f"references[{k}] is a str, so each of its characters is taken for a segment; pass "
                "references[k][segment], or [references] for one reference per segment"
            )
            return
    lengths = list(map(len, streams))
    segments = lengths if hypotheses is None else [len(hypotheses), *lengths]
    if len(set(segments)) < 2:
        return
    fix = ""
    if hypotheses is not None and len(set(lengths)) == 1 and len(references) == len(hypotheses):
        fix = "; references[k][segment] is expected: pass list(zip(*references))"
        if len(references) == 1:
            fix = "; for several references for one segment pass [[reference] for each of them]"
    there = (
        "" if hypotheses is None else f"hypotheses has {number_of(len(hypotheses), 'segment')}, "
    )
    have = "references have" if len(lengths) == 1 else "the streams of references have"
    numbers = ", ".join(map(str, lengths[:8])) + (", ..." if len(lengths) > 8 else "")
    if len(lengths) > 1 and len(set(lengths)) == 1:
        have, numbers = f"the {len(lengths)} streams of references have", f"{lengths[0]} each"
    warn_input(
        f"{there}{have} {numbers}; scoring stops after {number_of(min(segments), 'segment')}{fix}"
    )


def count_references(segments: Sequence[Any]) -> int:
    """The number of references per segment that are not None, -1 if it varies; refuses non-str."""
    numbers = set()
    for segment, lines in enumerate(segments):
        present = 0
        for line in by_reference(lines):
            if isinstance(line, str):
                present += 1
            elif line is not None:
                problem = f"a reference is {a_type(line)}, expected a str or None"
                raise InputTypeError.at(Place(segment, side="reference"), problem)
        numbers.add(present)
    return numbers.pop() if len(numbers) == 1 else -1


def refuse_missing(segments: Sequence[Any]) -> None:
    """Raise ValueError if a single stream has a None: that segment has no reference."""
    for segment, line in enumerate(segments):
        if line is None:
            where = Place(segment, "its only reference", 0)
            fix = "every segment needs a reference (it may be empty)"
            raise InputError.at(where, f" is None; {fix}", is_missing=True)
