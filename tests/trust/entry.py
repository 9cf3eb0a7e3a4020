"""What an entry point is, as data, and the small inputs that entry points are called with here."""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import fastbleu

TEXTS = ["The cat sat on the mat.", "A dog, a cat & a mat!", "Ein kleiner Satz über Hügel."]
TEXT_REFERENCES = [
    ["The cat sat on a mat.", "On the mat sat the cat."],
    ["A dog, a cat and a mat!"],
    ["Ein kleiner Satz über die Hügel.", "Ein Satz."],
]
HYPOTHESIS = ["the", "cat", "sat", "on", "the", "mat", "of", "a token of more than fifteen"]
REFERENCES = [
    ["the", "cat", "sat", "on", "the", "mat"],
    ["a", "cat", "sat", "on", "a", "mat", "of", "a token of more than fifteen"],
]
HYPOTHESES = [HYPOTHESIS, ["a", "b", "c", "d", "e"], [1, 2, 3, "4", b"5"]]
LIST_OF_REFERENCES = [REFERENCES, [["a", "b", "c", "d", "x"]], [[1, 2, 3, "4"], [b"5"]]]
SENTENCES = [sentence for references in LIST_OF_REFERENCES for sentence in references]
IDS = np.array([[5, 6, 7, 8, 2, 0], [5, 9, 7, 8, 3, 2]])
REFERENCE_IDS = np.array([[[5, 6, 7, 8, 9, 2]], [[5, 9, 7, 8, 2, 0]]])
MASK = np.array([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 0]], bool)
ROWS = [[5, 6, 4, 3, 5, 4], [7, 7, 5, 2, 7, 6], [3, 4, 3, 1, 3, 2]]
UNHASHABLE = ["the", ["cat"]]


@dataclass(frozen=True)
class Entry:
    """One way to call a public name.

    Parameters
    ----------
    name : str
        As a user writes it, `fastbleu.BLEU.score`; where there are several ways to call it, with
        a colon and which one it is.
    call : callable
        Takes what `setup` returned; the same result each time, and nothing that grows.
    errors : tuple of callable
        The same, but each ends in an exception of the package's or of what the user passed in.
    setup : callable
        Made once, however often `call` and `errors` are called.
    threads : bool
        Whether several threads may call it at once with what one `setup` returned.
    """

    name: str
    call: Callable[[Any], object]
    errors: tuple[Callable[[Any], object], ...] = ()
    setup: Callable[[], Any] = lambda: None
    threads: bool = True

    @property
    def public_name(self) -> str:
        return self.name.partition(":")[0]


def entry(
    name: str,
    call: Callable[[Any], object],
    *errors: Callable[[Any], object],
    setup: Callable[[], Any] = lambda: None,
    threads: bool = True,
) -> Entry:
    return Entry(name, call, errors, setup, threads)


def plain(result: object) -> object:
    """A result as something that `==` compares bit for bit, and that can be printed."""
    if isinstance(result, np.ndarray):
        return "array", result.dtype.str, result.shape, result.tobytes()
    if isinstance(result, float):
        return result.hex()
    if isinstance(result, fastbleu.Stats):
        return "Stats", result.max_order, result._rows.tolist()
    if is_dataclass(result) and not isinstance(result, type):
        values = {field.name: getattr(result, field.name) for field in fields(result)}
        return type(result).__name__, plain(values)
    if isinstance(result, (list, tuple)):
        return type(result).__name__, [plain(part) for part in result]
    if isinstance(result, Mapping):
        return [(plain(key), plain(value)) for key, value in result.items()]
    if isinstance(result, fastbleu.sacrebleu.BLEUScore):
        return plain(vars(result))
    return re.sub(r" at 0x[0-9a-f]+", "", repr(result))


@cache
def scratch() -> Path:
    """A directory of this process, gone when it ends."""
    directory = tempfile.mkdtemp(prefix="fastbleu-trust-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return Path(directory)


def stats() -> fastbleu.Stats:
    return fastbleu.Stats(ROWS)
