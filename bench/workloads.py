"""The data that the benchmarks run on: lines of text, and token lists split from them.

WMT22 hypotheses and references in Latin script where they are found (``FASTBLEU_DATA``, by default
``../shared/data`` beside the project), else seeded synthetic lines of the same shape.
"""

from __future__ import annotations

import os
import random
import sys
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
#: language pair -> the reference that its systems are scored against
PAIRS = {"cs-en": "B", "de-en": "A", "en-de": "A", "liv-en": "A", "uk-cs": "A"}

#: What every library gets: ``(hypotheses, references)``, segment by segment. Their form (token
#: lists, lines of text) is the case's.
Work = tuple[list, list]


@dataclass(frozen=True)
class Corpus:
    """Lines of tokens separated by whitespace: ``hypotheses[i]`` has one reference, its line."""

    hypotheses: list[str]
    references: list[str]
    source: str

    def __len__(self) -> int:
        return len(self.hypotheses)

    def take(self, segments: int) -> Corpus:
        """Return the first `segments` segments, cycling where there are fewer."""
        return Corpus(
            list(islice(cycle(self.hypotheses), segments)),
            list(islice(cycle(self.references), segments)),
            self.source,
        )


def load_corpus() -> Corpus:
    """Return all Latin-script WMT22 segments (22,871), or synthetic ones if the data is missing."""
    root = Path(os.environ.get("FASTBLEU_DATA") or PROJECT.parent / "shared" / "data") / "wmt22"
    if not root.is_dir():
        return synthetic_corpus(22_871)
    hypotheses: list[str] = []
    references: list[str] = []
    for pair, reference in PAIRS.items():
        reference_lines = _read_lines(root / "references" / f"{pair}.{reference}.txt")
        for system in sorted((root / "systems").glob(f"{pair}.*.txt")):
            hypotheses += _read_lines(system)
            references += reference_lines
    if len(hypotheses) != len(references) or not hypotheses:
        raise ValueError(
            f"the WMT22 files hold {len(references)} references for {len(hypotheses)} hypotheses"
        )
    return Corpus(hypotheses, references, "WMT22 " + ", ".join(PAIRS))


def _read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def synthetic_corpus(segments: int, seed: int = 2022) -> Corpus:
    """Return seeded lines: frequencies of tokens as in a language, hypotheses near references."""
    rng = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(rng.choices(letters, k=rng.randint(2, 11))) for _ in range(30_000)]
    weights = [1 / (rank + 2) for rank in range(len(words))]
    vocabulary = rng.choices(words, weights, k=1_000_000)  # drawing from it is cheap
    hypotheses, references = [], []
    for _ in range(segments):
        length = max(1, min(90, round(rng.lognormvariate(2.6, 0.6))))
        reference = rng.choices(vocabulary, k=length)
        hypothesis = []
        for token in reference:
            chance = rng.random()
            if chance < 0.72:
                hypothesis.append(token)
            elif chance < 0.96:
                hypothesis.append(rng.choice(vocabulary))
        hypotheses.append(" ".join(hypothesis or reference))
        references.append(" ".join(reference))
    return Corpus(hypotheses, references, f"synthetic, seed {seed} (WMT22 not found)")


def long_segments(corpus: Corpus, tokens: int = 1000) -> Corpus:
    """Join neighbouring lines to hypotheses of exactly `tokens` tokens.

    Their references are cut to the same length, or are a little shorter.
    """
    hypotheses, references = [], []
    hypothesis: list[str] = []
    reference: list[str] = []
    for hypothesis_line, reference_line in zip(corpus.hypotheses, corpus.references, strict=True):
        hypothesis += hypothesis_line.split()
        reference += reference_line.split()
        if len(hypothesis) >= tokens:
            hypotheses.append(" ".join(hypothesis[:tokens]))
            references.append(" ".join(reference[:tokens]))
            hypothesis, reference = [], []
    return Corpus(hypotheses, references, corpus.source)


def segments_of_length(corpus: Corpus, tokens: int = 25) -> Corpus:
    """Return the segments whose hypothesis has exactly `tokens` tokens."""
    return _select(corpus, lambda hypothesis, _: len(hypothesis) == tokens)


def matched_segments(corpus: Corpus, max_order: int = 4) -> Corpus:
    """Return the segments that match at `max_order`, where nltk has no cause to warn."""

    def is_matched(hypothesis: list[str], reference: list[str]) -> bool:
        return not set(ngrams(hypothesis, max_order)).isdisjoint(ngrams(reference, max_order))

    return _select(corpus, is_matched)


def _select(corpus: Corpus, keep) -> Corpus:
    kept = [
        (hypothesis, reference)
        for hypothesis, reference in zip(corpus.hypotheses, corpus.references, strict=True)
        if keep(hypothesis.split(), reference.split())
    ]
    return Corpus([pair[0] for pair in kept], [pair[1] for pair in kept], corpus.source)


def ngrams(tokens: list[str], order: int):
    """Iterate over the n-grams of one order, as tuples."""
    return zip(*(tokens[start:] for start in range(order)), strict=False)


def split_fresh(corpus: Corpus) -> Work:
    """Split every line anew: token strings that nobody has hashed yet."""
    return (
        [line.split() for line in corpus.hypotheses],
        [[line.split()] for line in corpus.references],
    )


def split_hashed(corpus: Corpus) -> Work:
    """Split every line anew and hash every token, as whoever scored these lists before did."""
    hypotheses, references = split_fresh(corpus)
    for hypothesis, (reference,) in zip(hypotheses, references, strict=True):
        for tokens in (hypothesis, reference):
            for token in tokens:
                hash(token)
    return hypotheses, references


def split_interned(corpus: Corpus) -> Work:
    """Split every line into interned tokens: equal ones are one object, with its hash cached."""
    intern = sys.intern
    return (
        [[intern(token) for token in line.split()] for line in corpus.hypotheses],
        [[[intern(token) for token in line.split()]] for line in corpus.references],
    )


def lines_of_text(corpus: Corpus) -> Work:
    """Give the lines as they are: every library splits them itself."""
    return corpus.hypotheses, corpus.references


def one_reference_set(corpus: Corpus, references: int = 100) -> Work:
    """Give the first distinct reference lines of the corpus, split, and all its hypotheses."""
    distinct = list(dict.fromkeys(corpus.references))[:references]
    return [line.split() for line in corpus.hypotheses], [line.split() for line in distinct]
