"""The calls that the trust gate makes of each entry point: with sound corpora, and damaged ones."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from entry_points import ENTRIES, Corpus, Entry
from plain import plain

from fastbleu import BLEU

TEXTS = ["The cat sat on the mat.", "A dog, a cat & a mat!", "Ein kleiner Satz über Hügel."]
REFERENCES = [["The cat sat on a mat."], ["A dog, a cat and a mat!"], ["Ein kleiner Satz."]]
TOKENS = [["the", "cat", "sat", "on", "a token of more than fifteen"], [1, 2, 3, "4", b"5"]]
TOKEN_REFERENCES = [[["the", "cat", "sat", "on", "a", "mat"], TOKENS[0]], [[1, 2, 3, "4"]]]
IDS = np.array([[5, 6, 7, 8, 2, 0], [5, 9, 7, 8, 3, 2]])


class Raising:
    """A token whose hash raises."""

    def __hash__(self) -> int:
        raise KeyError("no hash")


OF_TEXT = [
    (TEXTS, REFERENCES),
    (TEXTS, REFERENCES[:1]),
    ([*TEXTS[:2], None], REFERENCES),
    (TEXTS, [*REFERENCES[:2], []]),
    ([*TEXTS[:2], b"x"], REFERENCES),
]
OF_TOKENS = [
    (TOKENS, TOKEN_REFERENCES),
    ([TOKENS[0], ["a", ["b"]]], TOKEN_REFERENCES),
    ([TOKENS[0], [Raising()]], TOKEN_REFERENCES),
]
OF_IDS = [(IDS, IDS[::-1]), (IDS / 2, IDS), (IDS, IDS[:1])]
# By the options of the metric; the first corpus of each is sound.
CORPORA: list[tuple[dict[str, Any], list[tuple[Any, Any]]]] = [
    ({}, OF_TEXT),
    ({"tokenize": False}, OF_TOKENS),
    ({"tokenize": False, "ignore_ids": (0,), "stop_ids": 2}, OF_IDS),
]
# Without what takes long.
HERE = [
    entry
    for entry in ENTRIES
    if entry.installed
    and set(entry.needs) <= {"narwhals", "pyarrow"}
    and entry.label not in ("identify", "overview")
]


@dataclass(frozen=True)
class Call:
    """An entry with its arguments; threads may share these unless the entry is `alone`."""

    name: str
    entry: Entry
    metric: BLEU
    corpus: Corpus

    def __call__(self) -> object:
        return self.entry.call(self.metric, self.corpus)

    def outcome(self) -> tuple[str, object]:
        """The exception of a call, or "", and its result."""
        try:
            return "", plain(self())
        except Exception as error:
            return f"{type(error).__name__}: {error}", None


def calls(libraries: bool = False) -> Iterator[Call]:
    """Every call with a metric and a corpus of its own.

    Without `libraries` only of what needs none, whose memory and faults would be counted, too.
    """
    for entry in HERE:
        if entry.needs and not libraries:
            continue
        for options, corpora in CORPORA:
            if options and (entry.needs or entry.only):
                continue
            arguments = {"dialect": entry.only[0]} if entry.only else options
            for number, sides in enumerate(corpora):
                name = f"{entry.label} {arguments or ''} {number or ''}".strip()
                yield Call(name, entry, BLEU(**arguments), Corpus(*sides))


def call_all(times: int) -> None:
    """Make every call so often."""
    warnings.simplefilter("ignore")
    for call in calls():
        for _ in range(times):
            call.outcome()
