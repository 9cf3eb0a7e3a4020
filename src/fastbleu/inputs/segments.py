"""The checks: every check of the shape and type of what users pass in, and every message about it.

The compiled packers (_tokens.pyx, _text.pyx) read exact lists, tuples and str by themselves.
Whatever else they meet they hand to the checks, which answers with a list or raises the error that the
user sees. For tokens there are two: the native API's checks refuses what is probably a mistake, that
of nltk's API takes all that nltk takes.
"""

from __future__ import annotations

from itertools import islice

from .warnings import warn_input

# Segments that are read at a time from what is neither list nor tuple.
BATCH_SEGMENTS = 512

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn


def place(segment: int, reference: int | None) -> str:
    """Where a sequence of tokens stands, in the words of an error message."""
    if reference is None:
        return f"segment {segment}: the hypothesis"
    return f"segment {segment}: references[{reference}]"


def check_lengths(hypotheses: Any, references: Any) -> int:
    """Number of segments; ValueError where hypotheses and references disagree about it."""
    if _are_plain_lists(hypotheses, references):
        return len(hypotheses)
    check_segments("hypotheses", hypotheses)
    check_segments("references", references)
    if len(hypotheses) != len(references):
        raise ValueError(
            f"references has {len(references)} segments, hypotheses has {len(hypotheses)}; "
            "references[i] must hold the references of hypotheses[i]"
        )
    return len(hypotheses)


def _are_plain_lists(hypotheses: Any, references: Any) -> bool:
    """Whether there is nothing to check; of a small batch checks are what costs most."""
    both = type(hypotheses) is type(references) is list
    return both and len(hypotheses) == len(references)


def check_segments(name: str, value: Any, each: str = "segment") -> None:
    """Refuse what has not one entry for each segment."""
    # A set has no order, and of a dict the keys would be scored.
    wrong = isinstance(value, (str, bytes, set, frozenset, dict)) or hasattr(value, "columns")
    if wrong or not hasattr(value, "__len__"):
        fixes = {"__next__": "list({})", "isdisjoint": "sorted({})", "items": "list({}.values())"}
        if hasattr(value, "items") and "input_ids" in value:  # what a tokenizer returns
            fixes["items"] = '{}["input_ids"]'
        # What generate() of a transformer returns; a data frame, whose entries are its columns.
        fixes |= {"sequences": "its .sequences", "columns": "{}.values.tolist()"}
        found = [fix for attribute, fix in fixes.items() if hasattr(value, attribute)]
        fix = "; pass " + found[-1].format(name) if found else ""
        raise TypeError(
            f"{name} is a {type(value).__name__}, expected a list with one entry per {each}{fix}"
        )


def check_layout(hypotheses: Any, references: Any) -> None:
    """Recognise the usual wrong layouts by their lengths; an error that says how to turn them."""
    if _are_plain_lists(hypotheses, references):
        return
    for name, value in (("hypotheses", hypotheses), ("references", references)):
        if isinstance(value, str):
            raise TypeError(
                f"{name} is a str, expected a list with one entry per segment; "
                "for a single sentence pass [hypothesis] and [[reference, ...]]"
            )
    check_segments("hypotheses", hypotheses)
    segments = len(hypotheses)
    if not hasattr(references, "__len__") or len(references) == segments:
        return
    parts = list_or_tuple(references)
    if parts and all(is_collection(part) and len(part) == segments for part in parts):
        raise ValueError(
            f"references has {len(parts)} entries of {segments} each for {segments} hypotheses: "
            "it looks like references[k][segment], expected references[segment][k]; "
            "pass list(zip(*references))"
        )
    if segments == 1 and all(isinstance(part, str) for part in parts):
        raise ValueError(
            f"references has {len(parts)} segments, hypotheses has 1; "
            "for one hypothesis with several references pass [[reference, ...]]"
        )


def is_collection(value: Any) -> bool:
    """Whether a value holds several others, so that its length is not that of a text."""
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def is_iterable(value: Any) -> bool:
    """Whether iter(value) can be asked for; `collections.abc` is slow to import."""
    return hasattr(value, "__iter__") or hasattr(value, "__getitem__")


def list_or_tuple(segments: Any) -> Any:
    """The argument if it is an exact list or tuple, else a list of its elements."""
    return segments if type(segments) in (list, tuple) else list(segments)


def batches(hypotheses: Any, references: Any) -> Iterator[tuple[Any, Any, int]]:
    """Segments as pairs of lists, with the number of segments that came before.

    Lists and tuples pass as they are; of any other iterables only one batch is held at a time.
    """
    if type(hypotheses) in (list, tuple) and type(references) in (list, tuple):
        yield hypotheses, references, 0
        return
    pairs = zip(references, hypotheses, strict=False)
    before = 0
    while batch := list(islice(pairs, BATCH_SEGMENTS)):
        yield [pair[1] for pair in batch], [pair[0] for pair in batch], before
        before += len(batch)


class Checks:
    """What all checks have."""

    def place(self, segment: int, reference: int | None) -> str:
        return place(segment, reference)

    def refuse_no_references(self, segment: int) -> NoReturn:
        """Refuse a segment that nothing can be compared with."""
        raise ValueError(
            f"segment {segment}: no references; every segment needs at least one (it may be empty)"
        )


class TokenChecks(Checks):
    """The native API's checks for tokens: strict."""

    def tokens(self, sequence: Any, segment: int, reference: int | None) -> list[Any]:
        """A hypothesis, or reference number `reference`, as a list of tokens."""
        where = self.place(segment, reference)
        if isinstance(sequence, (str, bytes, bytearray)):
            kind = type(sequence).__name__
            fix = (
                'split it into tokens first, or pass tokenize="13a" if the input is text'
                if reference is None
                else "did you mean references=[[...]]? references[segment][k] is a list of tokens; "
                "and hypotheses come before references"
            )
            raise TypeError(f"{where} is a {kind}, expected a list of tokens; {fix}")
        if not is_iterable(sequence) or isinstance(sequence, (set, frozenset, dict)):
            fix = "" if reference is None else "; did you mean references=[[...]]?"
            kind = type(sequence).__name__
            raise TypeError(f"{where} is a {kind}, expected a list of tokens{fix}")
        if not hasattr(sequence, "tolist"):
            return list(sequence)
        # Arrays and tensors: their own elements may compare by identity, their values do not.
        tokens = sequence.tolist()
        if not isinstance(tokens, list):
            fix = "" if reference is None else "; did you mean references=[[...]]?"
            raise TypeError(f"{where} has no dimension, expected a list of tokens{fix}")
        return tokens

    def references(self, references: Any, segment: int) -> list[Any]:
        """The references of one segment as a list."""
        if isinstance(references, (str, bytes)) or not is_iterable(references):
            text = isinstance(references, str)
            fix = '; pass tokenize="13a" if the input is text' if text else ""
            raise TypeError(
                f"segment {segment}: references is a {type(references).__name__}, "
                f"expected a list of references, each a list of tokens{fix}"
            )
        return list(references)

    def tensor_value(self, token: Any, segment: int, reference: int | None, position: int) -> Any:
        """The number that a tensor of PyTorch holds, which itself equals nothing but itself."""
        if token.numel() != 1:
            where = self.place(segment, reference)
            raise TypeError(
                f"{where}[{position}] is a {type(token).__name__} of the shape "
                f"{tuple(token.shape)}, and a token must be a single number"
            )
        return token.item()

    def refuse_unhashable(
        self, error: TypeError, token: Any, segment: int, reference: int | None, position: int
    ) -> None:
        """Name the token that has no hash; return where a token's own code raised the error."""
        if not is_unhashable(token):
            return
        name = type(token).__name__
        inside = "" if type(token).__hash__ is None else " with an unhashable element"
        where = self.place(segment, reference)
        nested = isinstance(token, list) and reference is None
        fix = "; are hypotheses and references swapped?" if nested else ""
        raise TypeError(
            f"{where}[{position}] is a {name}{inside}, and a token must be "
            f"hashable (a str, an int, ...): {error}{fix}"
        ) from error


class NltkTokenChecks(TokenChecks):
    """nltk's checks: any sized iterable of tokens, a str as its characters. One per call."""

    def __init__(self) -> None:
        self.warned = False

    def tokens(self, sequence: Any, segment: int, reference: int | None) -> list[Any]:
        """A hypothesis or a reference as a list of tokens, of the length that len() gives."""
        if isinstance(sequence, (str, bytes)) and not self.warned:
            self.warned = True
            warn_input(
                f"{place(segment, reference)} is a {type(sequence).__name__} and is scored "
                "character by character; pass a list of tokens, or list(text) if that is meant"
            )
        try:
            length = len(sequence)
        except TypeError as error:
            if hasattr(sequence, "__len__"):
                raise
            raise TypeError(f"{place(segment, reference)}: {error}") from error
        tokens = list(sequence)
        if len(tokens) != length:
            raise ValueError(
                f"{place(segment, reference)} has len() {length} but yields {len(tokens)} tokens"
            )
        return tokens

    def references(self, references: Any, segment: int) -> list[Any]:
        """The references of one segment as a list; a generator is read once."""
        if not is_iterable(references):
            raise TypeError(
                f"segment {segment}: references is a {type(references).__name__}, "
                "expected a list of references, each a list of tokens"
            )
        return list(references)


class TextChecks(Checks):
    """The checks for raw text: a hypothesis is a str, references are a str or several."""

    def line(self, text: Any, segment: int, reference: int | None) -> str:
        """Refuse what stands in the place of a str."""
        where = self.place(segment, reference)
        if hasattr(text, "shape"):
            fix = "for token ids pass tokenize=None; for text decode them first"
        elif is_collection(text):
            fix = "join it, or pass tokenize=None if all segments are lists of tokens"
            if reference is None and any(isinstance(part, str) and " " in part for part in text):
                fix = "are hypotheses and references swapped? hypotheses come first"
        elif isinstance(text, (bytes, bytearray)):
            fix = "decode it first"
        elif text is None and reference is not None:
            fix = "leave a missing reference out"
        else:
            fix = "convert it first"
        raise TypeError(f"{where} is a {type(text).__name__}, expected a str; {fix}")

    def references(self, references: Any, segment: int) -> list[Any]:
        """The references of one segment as a list."""
        if isinstance(references, (bytes, bytearray, set, frozenset, dict)) or not is_iterable(
            references
        ):
            raise TypeError(
                f"segment {segment}: references is a {type(references).__name__}, "
                "expected a str or a list of str"
            )
        return list(references)


def lists_of_tokens(
    hypotheses: Any,
    references: Any,
    split: Any,
    lowercase: bool,
    missing: bool,
    checks: TextChecks,
    before: int,
) -> tuple[list[list[str]], list[list[list[str]]]]:
    """Lines as lists of tokens, by a function of one line; `before` is for messages."""

    def tokens(text: Any, segment: int, reference: int | None) -> list[str]:
        if not isinstance(text, str):
            text = checks.line(text, segment, reference)
        tokens: list[str] = split(text.lower() if lowercase else text)
        return tokens

    split_hypotheses, split_references = [], []
    for segment, (hypothesis, its) in enumerate(zip(hypotheses, references, strict=True), before):
        split_hypotheses.append(tokens(hypothesis, segment, None))
        lines = [its] if isinstance(its, str) else its
        if type(lines) not in (list, tuple):
            lines = checks.references(its, segment)
        kept = [
            tokens(line, segment, k)
            for k, line in enumerate(lines)
            if line is not None or not missing
        ]
        if not kept:
            checks.refuse_no_references(segment)
        split_references.append(kept)
    return split_hypotheses, split_references


def is_unhashable(token: Any) -> bool:
    """Whether hash(token) fails by the token's type, or by that of something inside a tuple."""
    if type(token) in (tuple, frozenset):
        return any(is_unhashable(element) for element in token)
    return type(token).__hash__ is None
