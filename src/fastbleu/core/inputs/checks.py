"""Checks of hypotheses and references given as text or tokens, and their error messages.

The compiled packers of counting/ read exact lists, tuples and str themselves and pass any other
object to a `Checks`, which returns a list or raises the error that the user sees. There are two for
tokens: `TokenChecks` refuses likely mistakes, `NltkTokenChecks` accepts what nltk accepts.
"""

from __future__ import annotations

from collections.abc import Mapping

from .arguments import (
    a_type,
    is_array,
    is_collection,
    is_iterable,
    list_or_tuple,
    number_of,
    shape_of,
)
from .errors import InputError, InputTypeError, Place, place, warn_input
from .looks import look_like_one_reference
from .missing import UNORDERED, are_segments, refuse_missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


def _part_of(mapping: Mapping[Any, Any], split: str = ", split into tokens") -> str:
    """How to fix a dict, which is a chat message or the output of a tokenizer."""
    if "input_ids" in mapping:
        return 'pass its ["input_ids"]'
    return f"pass the messages' content{split}"


def refuse_scalar(where: str | Place, value: object, each: str) -> None:
    """Raise TypeError if a value is an array or a tensor of a single number."""
    if shape_of(value) == ():
        problem = f" has no dimension, expected a list with one entry per {each}"
        raise InputTypeError.at(where, problem)


def check_segments(name: str, value: Any, each: str = "segment") -> None:
    """Raise TypeError unless `value` is a sized, ordered collection with one entry per segment."""
    refuse_scalar(name, value, each)
    if not are_segments(value):
        in_order = "a list in the order of the other side"
        fixes = {
            "__next__": "list({})",
            "isdisjoint": f"{in_order}, which a set does not keep",
            "items": f"{in_order}, as [{{}}[key] for key in keys]",
        }
        if hasattr(value, "items") and "input_ids" in value:  # the output of a tokenizer
            fixes["items"] = '{}["input_ids"]'
        # The output of a transformer's generate(); a data frame, which iterates over its columns.
        fixes |= {"sequences": "its .sequences", "columns": "a column, as {}"}
        if hasattr(value, "columns"):
            fixes["columns"] += f"[{next(iter(value.columns), '')!r}]"
        fitting = [fix for attribute, fix in fixes.items() if hasattr(value, attribute)]
        fix = "; pass " + fitting[-1].format(name) if fitting else ""
        raise InputTypeError(
            f"{name} is {a_type(value)}, expected a list with one entry per {each}{fix}"
        )


def check_layout(hypotheses: Any, references: object) -> None:
    """Recognize common wrong layouts by their lengths, and say how to fix them."""
    for name, value in (("hypotheses", hypotheses), ("references", references)):
        if isinstance(value, str):
            raise InputTypeError(
                f"{name} is a str, expected a list with one entry per segment; "
                "for a single sentence pass [hypothesis] and [[reference, ...]]"
            )
    check_segments("hypotheses", hypotheses)
    segments = len(hypotheses)
    if not hasattr(references, "__len__") or len(references) == segments:
        return
    parts = list_or_tuple(references)
    if parts and all(is_collection(part) and len(part) == segments for part in parts):
        raise InputError(
            f"references has {number_of(len(parts), 'entry', 'entries')} of {segments} each for "
            f"{segments} hypotheses: "
            "it looks like references[k][segment], expected references[segment][k]; "
            "pass list(zip(*references))"
        )
    if segments == 1 and all(isinstance(part, str) for part in parts):
        raise InputError(
            f"references has {len(parts)} segments, hypotheses has 1; "
            "for one hypothesis with several references pass [[reference, ...]]"
        )


def listed_segments(hypotheses: Any, references: Any) -> tuple[Any, Any]:
    """Both sides as lists or tuples of the same length."""
    check_segments("hypotheses", hypotheses)
    check_segments("references", references)
    segments = len(hypotheses)
    check_lengths(segments, len(references))
    listed = list_or_tuple(hypotheses), list_or_tuple(references)
    for part in listed:
        if len(part) != segments:
            raise changed_while_read(segments, len(part), hypotheses, references)
    return listed


def check_lengths(segments: int, others: int) -> None:
    """Raise ValueError unless there are as many hypotheses as lists of references."""
    if segments != others:
        raise InputError(
            f"references has {number_of(others, 'segment')}, hypotheses has {segments}; "
            "references[i] must hold the references of hypotheses[i]"
            f"{fix_of_samples(segments, others)}"
        )


def fix_of_samples(segments: int, others: int, references: object = None) -> str:
    """How to repeat references if there may be several samples for each; "" if there are not."""
    samples, rest = divmod(segments, others or segments)
    if rest or samples < 2:
        return ""
    repeated = f"[texts for texts in references for _ in range({samples})]"
    if hasattr(references, "repeat_interleave"):  # a PyTorch tensor
        repeated = f"references.repeat_interleave({samples}, 0)"
    elif is_array(references):
        repeated = f"references.repeat({samples}, axis=0)"
    return f"; for {samples} samples of each, one after the other, pass {repeated}"


def changed_while_read(
    segments: int, found: int, hypotheses: object, references: object
) -> ValueError:
    """The error for a number of segments that changed while they were read."""
    return InputError(
        f"{number_of(segments, 'segment')} became {found} while they were counted: hypotheses is "
        f"{a_type(hypotheses)}, references is {a_type(references)}; pass lists that nothing else "
        "changes"
    )


class Checks:
    """Base class of the checks of text and of tokens."""

    # Iterable types that do not hold references, and what messages say is expected instead.
    _not_references: tuple[type, ...]
    _expected_references: str

    def place(self, segment: int, reference: int | None) -> str | Place:
        """How messages name a hypothesis, or reference number `reference`."""
        return place(segment, reference)

    def references(self, references: Any, segment: int) -> list[Any]:
        """The references of one segment as a list."""
        if getattr(references, "ndim", 0) == 1:  # an array or a Series
            listed: list[Any] = list_or_tuple(references)
            return listed
        where = Place(segment, "references", 0)
        refuse_missing(Place(segment, "the reference", 0), references)
        refuse_scalar(where, references, "reference")
        if isinstance(references, self._not_references) or not is_iterable(references):
            is_text = isinstance(references, str)
            fix = '; pass tokenize="13a" if the input is text' if is_text else ""
            problem = f" is {a_type(references)}, expected {self._expected_references}{fix}"
            raise InputTypeError.at(where, problem)
        return list(references)

    def refuse_no_references(self, segment: int) -> NoReturn:
        """Raise the error for a segment without references."""
        problem = "no references; every segment needs at least one (it may be empty)"
        raise InputError.at(Place(segment, side="reference"), problem)


class TokenChecks(Checks):
    """Strict checks of token lists, for everything but the nltk drop-in."""

    # Whether lists may become shorter while they are read.
    lists_may_change = False
    _not_references: tuple[type, ...] = (str, bytes, Mapping)
    _expected_references = "a list of references, each a list of tokens"
    _fix_of_nested = "; are hypotheses and references swapped?"

    def tokens(self, sequence: Any, segment: int, reference: int | None) -> list[Any]:
        """A hypothesis, or reference number `reference`, as a list of tokens."""
        where = self.place(segment, reference)
        refuse_missing(where, sequence)
        fix = "" if reference is None else "; did you mean references=[[...]]?"
        is_text = isinstance(sequence, (str, bytes, bytearray))
        if is_text and reference is None:
            fix = '; split it into tokens first, or pass tokenize="13a" if the input is text'
        elif is_text:
            fix += (
                " references[segment][k] is a list of tokens, and hypotheses come before references"
            )
        elif isinstance(sequence, Mapping):
            fix = f"; {_part_of(sequence)}"
        if is_text or not is_iterable(sequence) or isinstance(sequence, UNORDERED):
            problem = f" is {a_type(sequence)}, expected a list of tokens{fix}"
            raise InputTypeError.at(where, problem)
        if not hasattr(sequence, "tolist"):
            return list(sequence)
        # The elements of arrays and tensors may compare by identity; Python numbers do not.
        tokens = sequence.tolist()
        if not isinstance(tokens, list):
            problem = f" has no dimension, expected a list of tokens{fix}"
            raise InputTypeError.at(where, problem)
        return tokens

    def token_lists(self, references: tuple[Any, ...], segment: int) -> list[Any]:
        """The references of one segment, each as a list or tuple of tokens."""
        return [
            reference if type(reference) in (list, tuple) else self.tokens(reference, segment, k)
            for k, reference in enumerate(references)
        ]

    def tensor_value(self, token: Any, segment: int, reference: int | None, position: int) -> Any:
        """Return the number in a PyTorch tensor; tensors themselves compare by identity."""
        if token.numel() != 1:
            where = self.place(segment, reference)
            problem = f"[{position}] is {a_type(token)} of the shape {tuple(token.shape)}; a token "
            raise InputTypeError.at(where, f"{problem}must be a single number")
        return token.item()

    def refuse_unhashable(
        self, error: TypeError, token: object, segment: int, reference: int | None, position: int
    ) -> None:
        """Name an unhashable token; do nothing if the token's own code raised the error."""
        if not is_unhashable(token):
            return
        where = self.place(segment, reference)
        inside = "" if type(token).__hash__ is None else " with an unhashable element"
        fix = ""
        if isinstance(token, list):
            fix = self._fix_of_nested if reference is None else "; it is nested too deeply"
            fix = fix_of_logits(token) or fix
        if isinstance(token, Mapping):
            fix = f"; {_part_of(token)}"
        problem = (
            f"[{position}] is {a_type(token)}{inside}; a token must be hashable "
            f"(a str, an int, ...): {error}{fix}"
        )
        raise InputTypeError.at(where, problem) from error


class NltkTokenChecks(TokenChecks):
    """nltk's checks: any sized iterable is a list of tokens; a str is a list of its characters.

    Create one for each call: it warns about a str once.
    """

    lists_may_change = True
    _fix_of_nested = (
        "; is it nested too deeply, or are hypotheses and references swapped? Call "
        "sentence_bleu([tokens], tokens) or corpus_bleu([[tokens], ...], [tokens, ...])"
    )
    _not_references = (str, bytes)
    _warned = False

    def _warn(self, message: str) -> None:
        if not self._warned:
            self._warned = True
            warn_input(message)

    def tokens(self, sequence: Any, segment: int, reference: int | None) -> list[Any]:
        """A hypothesis or a reference as a list of tokens; its len() must be correct."""
        if isinstance(sequence, (str, bytes)):
            self._warn(
                f"{place(segment, reference)} is {a_type(sequence)} and is scored "
                "character by character; pass a list of tokens, or list(text) if that is intended"
            )
        try:
            length = len(sequence)
        except TypeError as error:
            if hasattr(sequence, "__len__"):
                raise
            where = place(segment, reference)
            raise InputTypeError.at(where, f": {error}") from error
        tokens = list(sequence)
        if len(tokens) != length:
            problem = f" has len() {length} but yields {number_of(len(tokens), 'token')}"
            raise InputError.at(place(segment, reference), problem)
        return tokens

    def check_hashable(self, tokens: Any, reference: int) -> None:
        """Raise TypeError at the first token of a reference that is not hashable."""
        for position, token in enumerate(tokens):
            try:
                hash(token)
            except TypeError as error:
                self.refuse_unhashable(error, token, 0, reference, position)
                raise

    def references(self, references: object, segment: int) -> list[Any]:
        """The references of one segment as a list; each character of a str is a reference."""
        if isinstance(references, (str, bytes)):
            self._warn(
                f"segment {segment}: references is {a_type(references)}, and each of its "
                "characters is scored as a reference; pass lists of tokens, as in "
                "sentence_bleu([reference.split()], hypothesis.split()). For text, with hypotheses "
                "first, call fastbleu.sacrebleu.corpus_bleu(hypotheses, [references])"
            )
            return list(references)
        return super().references(references, segment)

    def token_lists(self, references: tuple[Any, ...], segment: int) -> list[Any]:
        """The references of one segment as lists; warns about one that is not in a list."""
        if look_like_one_reference(references):
            self._warn(
                f"segment {segment}: references is one flat list of tokens, and each token is "
                "scored as a reference, character by character; pass [reference]: "
                "sentence_bleu([reference], hypothesis) or corpus_bleu([[reference], ...], ...)"
            )
        return super().token_lists(references, segment)


class TextChecks(Checks):
    """Checks of raw text: a hypothesis is a str, references are one str or several."""

    _not_references: tuple[type, ...] = (bytes, bytearray, *UNORDERED)
    _expected_references = "a str or a list of str"

    def line(self, text: Any, segment: int, reference: int | None) -> NoReturn:
        """Raise the error for a value that is not a str."""
        where = self.place(segment, reference)
        refuse_missing(where, text)
        index = ""
        if type(text) in (list, tuple):
            for position, part in enumerate(text):
                if isinstance(part, Mapping):
                    text, index = part, f"[{position}]"
                    break
        if isinstance(text, Mapping):
            fix = _part_of(text, "")
        elif hasattr(text, "shape"):
            fix = "for token ids pass tokenize=False; for text decode them first"
        elif is_collection(text):
            fix = "join it, or pass tokenize=False if all segments are lists of tokens"
            if reference is None and any(isinstance(part, str) and " " in part for part in text):
                fix = (
                    "are hypotheses and references swapped? hypotheses come first; if these are "
                    "several outputs, pass one of each, as [texts[0] for texts in hypotheses]"
                )
        elif isinstance(text, (bytes, bytearray)):
            fix = "decode it first"
        else:
            fix = "convert it first"
        raise InputTypeError.at(where, f"{index} is {a_type(text)}, expected a str; {fix}")


def fix_of_logits(token: Any) -> str:
    """How to fix a list of floats given instead of ids; "" for anything else."""
    is_row = isinstance(token, list) and token and isinstance(token[0], float)
    return "; turn logits into ids by numpy.argmax(hypotheses, -1)" if is_row else ""


def is_unhashable(token: Any) -> bool:
    """Whether a token, or an element of a tuple or frozenset, has an unhashable type."""
    if type(token) in (tuple, frozenset):
        return any(is_unhashable(element) for element in token)
    return type(token).__hash__ is None
