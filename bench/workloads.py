"""The data that the benchmarks run on: lines of text, and token lists split from them.

WMT22 hypotheses and references if they are found (``FASTBLEU_DATA``, by default
``../shared/data`` beside the project), else seeded synthetic lines of the same shape.
"""

from __future__ import annotations

import os
import random
import sys
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
#: script -> language pair -> the references that its systems are scored against, a letter each
WMT22 = {
    "Latin": {"cs-en": "B", "de-en": "A", "en-de": "A", "liv-en": "A", "uk-cs": "A"},
    "Latin, two references": {"cs-en": "BC", "de-en": "AB", "en-de": "AB"},
    "Cyrillic": {"en-ru": "A", "sah-ru": "A"},
    "Chinese": {"en-zh": "A"},
    "Japanese": {"en-ja": "A"},
}
# For synthetic lines: letters, lengths of words, and separators.
_ALPHABETS = {
    "Latin": ("etaoinshrdlucmfwypvbgk", range(2, 12), " "),
    "Cyrillic": ("оеаинтсрвлкмдпуяыьгзбчй", range(2, 12), " "),
    "Chinese": ("的一是不了在人有我他这中大来上国个到说们", range(1, 3), ""),
    "Japanese": ("のにはをたがでてとしれさある日本人年大十", range(1, 4), ""),
}

#: What every library gets: ``(hypotheses, references)``. Their form (token lists, lines of text)
#: and the layout of the references are the case's.
Work = tuple[list, list]


@dataclass(frozen=True)
class Corpus:
    """Lines of text: ``references[k][i]`` belongs to ``hypotheses[i]``."""

    hypotheses: list[str]
    references: list[list[str]]
    source: str

    def __len__(self) -> int:
        return len(self.hypotheses)

    def take(self, segments: int) -> Corpus:
        """Return the first `segments` segments, cycling where there are fewer."""
        hypotheses, *references = (
            list(islice(cycle(stream), segments)) for stream in (self.hypotheses, *self.references)
        )
        return Corpus(hypotheses, references, self.source)


@cache
def load_corpus(script: str = "Latin") -> Corpus:
    """Return all WMT22 segments of a key of `WMT22`, or synthetic ones if the data is missing.

    For "Latin" they are 22,871. Do not change what is returned: it is returned again.
    """
    root = Path(os.environ.get("FASTBLEU_DATA") or PROJECT.parent / "shared" / "data") / "wmt22"
    if not root.is_dir():
        return synthetic_corpus(22_871 if script.startswith("Latin") else 6_111, script)
    pairs = WMT22[script]
    hypotheses: list[str] = []
    references: list[list[str]] = [[] for _ in next(iter(pairs.values()))]
    for pair, letters in pairs.items():
        streams = [_read_lines(root / "references" / f"{pair}.{letter}.txt") for letter in letters]
        for system in sorted((root / "systems").glob(f"{pair}.*.txt")):
            hypotheses += _read_lines(system)
            for reference, stream in zip(references, streams, strict=True):
                reference += stream
    if not hypotheses or any(len(stream) != len(hypotheses) for stream in references):
        raise ValueError(
            f"the WMT22 files hold {[len(stream) for stream in references]} references for "
            f"{len(hypotheses)} hypotheses"
        )
    return Corpus(hypotheses, references, "WMT22 " + ", ".join(pairs))


def _read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def synthetic_corpus(segments: int, script: str = "Latin", seed: int = 2022) -> Corpus:
    """Return seeded lines: frequencies of tokens as in a language, hypotheses near references."""
    rng = random.Random(seed)
    script, _, two_references = script.partition(",")
    letters, lengths, space = _ALPHABETS[script]
    words = ["".join(rng.choices(letters, k=rng.choice(lengths))) for _ in range(30_000)]
    weights = [1 / (rank + 2) for rank in range(len(words))]
    vocabulary = rng.choices(words, weights, k=1_000_000)  # drawing from it is cheap
    lines: list[list[str]] = [[], [], []] if two_references else [[], []]
    for _ in range(segments):
        length = max(1, min(90, round(rng.lognormvariate(2.6, 0.6))))
        original = rng.choices(vocabulary, k=length)
        lines[0].append(space.join(original) + ".")
        for stream in lines[1:]:
            stream.append(space.join(_changed(original, vocabulary, rng)) + ".")
    *references, hypotheses = lines
    return Corpus(hypotheses, references, f"synthetic, seed {seed} (WMT22 not found)")


def _changed(words: list[str], vocabulary: list[str], rng: random.Random) -> list[str]:
    changed = []
    for word in words:
        chance = rng.random()
        if chance < 0.72:
            changed.append(word)
        elif chance < 0.96:
            changed.append(rng.choice(vocabulary))
    return changed or words


def long_segments(corpus: Corpus, tokens: int = 1000) -> Corpus:
    """Join neighboring lines to hypotheses of exactly `tokens` tokens.

    Their references are cut to the same length, or are a little shorter.
    """
    hypotheses, references = [], []
    hypothesis: list[str] = []
    reference: list[str] = []
    for hypothesis_line, reference_line in zip(
        corpus.hypotheses, corpus.references[0], strict=True
    ):
        hypothesis += hypothesis_line.split()
        reference += reference_line.split()
        if len(hypothesis) >= tokens:
            hypotheses.append(" ".join(hypothesis[:tokens]))
            references.append(" ".join(reference[:tokens]))
            hypothesis, reference = [], []
    return Corpus(hypotheses, [references], corpus.source)


def cut_references(corpus: Corpus, tokens: int) -> Corpus:
    """Keep the segments whose reference is at least so long, and cut it to that length."""
    kept = _select(corpus, lambda _, reference: len(reference) >= tokens)
    (lines,) = kept.references
    return Corpus(
        kept.hypotheses, [[" ".join(line.split()[:tokens]) for line in lines]], corpus.source
    )


def segments_of_length(corpus: Corpus, tokens: int = 25) -> Corpus:
    """Return the segments whose hypothesis has exactly `tokens` tokens."""
    return _select(corpus, lambda hypothesis, _: len(hypothesis) == tokens)


def latin(segments: int) -> Corpus:
    """Return the first segments of the corpus."""
    return load_corpus().take(segments)


def of_25_tokens(segments: int) -> Corpus:
    """Return the first segments whose hypothesis has 25 tokens."""
    return segments_of_length(load_corpus(), 25).take(segments)


def scattered(segments: int) -> Corpus:
    """Take hypotheses from all over the corpus, so that they are unlike its first references."""
    corpus = load_corpus()
    step = max(1, len(corpus) // segments)
    return Corpus(corpus.hypotheses[::step][:segments], corpus.references, corpus.source)


def matched_segments(corpus: Corpus, max_order: int = 4) -> Corpus:
    """Return the segments that match at `max_order`, where nltk has no cause to warn."""

    def is_matched(hypothesis: list[str], reference: list[str]) -> bool:
        return not set(ngrams(hypothesis, max_order)).isdisjoint(ngrams(reference, max_order))

    return _select(corpus, is_matched)


def _select(corpus: Corpus, keep) -> Corpus:
    (reference_lines,) = corpus.references
    kept = [
        (hypothesis, reference)
        for hypothesis, reference in zip(corpus.hypotheses, reference_lines, strict=True)
        if keep(hypothesis.split(), reference.split())
    ]
    return Corpus([pair[0] for pair in kept], [[pair[1] for pair in kept]], corpus.source)


def ngrams(tokens: list[str], order: int):
    """Iterate over the n-grams of one order, as tuples."""
    return zip(*(tokens[start:] for start in range(order)), strict=False)


def text(corpus: Corpus) -> Work:
    """Make every line anew, as if just read from a file; references are ``[k][segment]``."""
    return _made_anew(corpus.hypotheses), [_made_anew(stream) for stream in corpus.references]


def _made_anew(lines: list[str]) -> list[str]:
    return "\n".join(lines).encode().decode().split("\n")


def split_fresh(corpus: Corpus) -> Work:
    """Split every line anew: token strings without a cached hash."""
    return (
        [line.split() for line in corpus.hypotheses],
        [
            [line.split() for line in of_segment]
            for of_segment in zip(*corpus.references, strict=True)
        ],
    )


def split_hashed(corpus: Corpus) -> Work:
    """Split every line anew and hash every token, as if the lists had been scored before."""
    hypotheses, references = split_fresh(corpus)
    for hypothesis, of_segment in zip(hypotheses, references, strict=True):
        for tokens in (hypothesis, *of_segment):
            for token in tokens:
                hash(token)
    return hypotheses, references


def split_interned(corpus: Corpus) -> Work:
    """Split every line into interned tokens: equal ones are one object, with its hash cached."""
    intern = sys.intern
    return (
        [[intern(token) for token in line.split()] for line in corpus.hypotheses],
        [
            [[intern(token) for token in line.split()] for line in of_segment]
            for of_segment in zip(*corpus.references, strict=True)
        ],
    )


def one_reference_set(corpus: Corpus, references: int = 100) -> Work:
    """Give the first distinct reference lines of the corpus, split, and all its hypotheses."""
    distinct = list(dict.fromkeys(corpus.references[0]))[:references]
    return [line.split() for line in corpus.hypotheses], [line.split() for line in distinct]


def token_ids(corpus: Corpus) -> Work:
    """Number the words of a corpus of one reference, from 1 on: two arrays, padded with 0."""
    import numpy as np

    vocabulary: dict[str, int] = {}
    sides = []
    for lines in (corpus.hypotheses, corpus.references[0]):
        rows = [
            [vocabulary.setdefault(word, len(vocabulary) + 1) for word in line.split()]
            for line in lines
        ]
        ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
        for row, padded in zip(rows, ids, strict=True):
            padded[: len(row)] = row
        sides.append(ids)
    return sides[0], sides[1]
