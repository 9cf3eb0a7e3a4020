"""Check arguments in sacreBLEU's form, and transpose stream-major references.

Input that sacreBLEU refuses is refused with the same type of exception. A likely mistake that it
scores silently is scored too, with a warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice

from ..counting._batch import Counted, count_batch
from ..counting.batch import CountOptions
from ..dialects.sacrebleu import SACREBLEU
from ..inputs.segments import list_or_tuple
from ..inputs.warnings import warn_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Segments that are transposed at a time, so that signals are handled in between.
_PART = 1 << 16


def check_smoothing(method: str) -> None:
    """Refuse an unknown smoothing method as sacreBLEU does."""
    if method not in SACREBLEU.smoothings:
        names = ", ".join(SACREBLEU.smoothings)
        raise AssertionError(f"smooth_method {method!r} is unknown; choose one of {names}")


def check_corpus(hypotheses: Any, references: Any) -> None:
    """Raise TypeError unless this is a corpus, IndexError if empty; references may be None."""
    if not is_sequence(hypotheses):
        fix = "; pass list(hypotheses)" if is_listable(hypotheses) else ""
        raise TypeError(f"hypotheses is a {type_of(hypotheses)}, expected a list of str{fix}")
    line = first(hypotheses, "hypotheses")
    if not isinstance(line, str):
        raise TypeError(f"hypotheses[0] is a {type_of(line)}, expected a str")
    if references is None:
        return
    if not is_sequence(references):
        raise TypeError(f"references is a {type_of(references)}, expected a list of lists of str")
    stream = first(references, "references")
    if not is_sequence(stream):
        fix = "; pass [list(stream) for stream in references]" if is_listable(stream) else ""
        raise TypeError(f"references[0] is a {type_of(stream)}, expected a list of str{fix}")
    line = first(stream, "references[0]")
    if not isinstance(line, str) and line is not None:
        raise TypeError(f"references[0][0] is a {type_of(line)}, expected a str or None")


def check_sentence(hypothesis: Any, references: Any) -> None:
    """Raise an error, as `check_corpus`, unless this is a single segment."""
    if not isinstance(hypothesis, str):
        raise TypeError(f"hypothesis is a {type_of(hypothesis)}, expected a str")
    if isinstance(references, str):
        raise TypeError("references is a str, expected a list of str; pass [reference]")
    if not is_sequence(references):
        raise TypeError(f"references is a {type_of(references)}, expected a list of str")
    line = first(references, "references")
    if not isinstance(line, str) and line is not None:
        raise TypeError(f"references[0] is a {type_of(line)}, expected a str or None")


def count_streams(
    hypotheses: Any,
    references: Any,
    cached: Sequence[Any] | None,
    options: CountOptions,
    keep_rows: bool = True,
) -> Counted:
    """Count a corpus with stream-major references, or with `cached` ones from `segment_major`."""
    if references:
        streams = [list_or_tuple(stream) for stream in references]
        warn_of_layout(hypotheses, references, streams)
        segments = by_segment(streams)
    elif cached:
        warn_of_layout(hypotheses, (), [cached])
        segments = cached
    else:
        fix = "pass them here, or references= to the constructor"
        raise RuntimeError(f"there are no references: {fix}")
    count = min(len(hypotheses), len(segments))
    if count == 0:
        raise IndexError("there are no segments to score: a stream of references is empty")
    lines, theirs = list_or_tuple(hypotheses), segments
    if not len(lines) == len(segments) == count:
        # Beyond the last segment sacreBLEU checks only for these.
        if None in lines[count:]:
            segment = lines.index(None, count)
            raise TypeError(f"segment {segment}: the hypothesis is a NoneType, expected a str")
        lines, theirs = lines[:count], theirs[:count]
    try:
        counted = count_batch(lines, theirs, options, keep_rows=keep_rows)
    except TypeError:
        refuse_missing(theirs)
        raise
    if len(lines) < len(segments) and counted.nrefs != count_references(segments[len(lines) :]):
        counted.nrefs = -1
    return counted


def segment_major(references: Sequence[Sequence[str | None]]) -> list[Any]:
    """References by segment, to be kept: str for one stream, tuples for several."""
    streams = [list_or_tuple(stream) for stream in references]
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


def by_reference(lines: Any) -> tuple[Any, ...]:
    """The references of one segment in the form of `by_segment`."""
    return lines if isinstance(lines, tuple) else (lines,)


def warn_of_layout(hypotheses: Any, references: Any, streams: Sequence[Sequence[Any]]) -> None:
    """Warn once about a layout that is a likely mistake; `hypotheses` is None if unknown."""
    if isinstance(hypotheses, str):
        problem = "hypotheses is a str, so that each of its characters is scored as a segment"
        warn_input(f"{problem}; pass [hypothesis]")
        return
    for k, stream in enumerate(references):
        if isinstance(stream, str):
            warn_input(
                f"references[{k}] is a str, so that each of its characters is taken for a segment; "
                "pass references[k][segment], for one reference per segment [references]"
            )
            return
    lengths = [len(stream) for stream in streams]
    segments = lengths if hypotheses is None else [len(hypotheses), *lengths]
    if len(set(segments)) < 2:
        return
    fix = ""
    if hypotheses is not None and len(set(lengths)) == 1 and len(references) == len(hypotheses):
        fix = "; references[k][segment] is expected: pass list(zip(*references))"
        if len(references) == 1:
            fix = "; for several references of one segment pass [[reference] for each of them]"
    there = "" if hypotheses is None else f"hypotheses has {len(hypotheses)} segments, "
    have = "references have" if len(lengths) == 1 else "the streams of references have"
    numbers = ", ".join(map(str, lengths[:8])) + (", ..." if len(lengths) > 8 else "")
    if len(lengths) > 1 and len(set(lengths)) == 1:
        have, numbers = f"the {len(lengths)} streams of references have", f"{lengths[0]} each"
    warn_input(f"{there}{have} {numbers}; only the first {min(segments)} are scored{fix}")


def count_references(segments: Sequence[Any]) -> int:
    """The number of references per segment that are not None, -1 if it varies; refuses non-str."""
    numbers = set()
    for segment, lines in enumerate(segments):
        present = 0
        for line in by_reference(lines):
            if isinstance(line, str):
                present += 1
            elif line is not None:
                problem = f"a reference is a {type_of(line)}, expected a str or None"
                raise TypeError(f"segment {segment}: {problem}")
        numbers.add(present)
    return numbers.pop() if len(numbers) == 1 else -1


def refuse_missing(segments: Sequence[Any]) -> None:
    """Raise ValueError if a single stream has a None: that segment has no reference."""
    for segment, line in enumerate(segments):
        if line is None:
            fix = "every segment needs a reference (it may be empty)"
            raise ValueError(f"segment {segment}: its only reference is None; {fix}")


def is_sequence(value: Any) -> bool:
    """Whether sacreBLEU regards the value as a sequence; a str is one."""
    return type(value) in (list, tuple) or isinstance(value, Sequence)


def is_listable(value: Any) -> bool:
    """Whether list(value) is probably intended, as for iterators, arrays and Series."""
    return hasattr(value, "__next__") or hasattr(value, "tolist")


def first(values: Any, name: str) -> Any:
    """The first element of a sequence; IndexError, which names it, if it is empty."""
    if len(values):
        with suppress(IndexError):  # another thread has emptied it since
            return values[0]
    raise IndexError(f"{name} is empty: there is nothing to score")


def type_of(value: Any) -> str:
    """The name of a value's type, for messages."""
    return type(value).__name__
