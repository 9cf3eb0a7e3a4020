"""The lines that the benchmarks run on, and what is made of them for each run.

WMT22 hypotheses and references if they are found (``FASTBLEU_DATA``, by default
``../shared/data`` beside the project), else seeded synthetic lines of the same shape.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from itertools import cycle, islice, zip_longest
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
#: script -> language pair -> the references that its systems are scored against, a letter each
WMT22 = {
    "Latin": {"cs-en": "B", "de-en": "A", "en-de": "A", "liv-en": "A", "uk-cs": "A"},
    "Latin, two references": {"cs-en": "BC", "de-en": "AB", "en-de": "AB"},
    "German, two references": {"en-de": "AB"},
    "English": {"cs-en": "B", "de-en": "A", "liv-en": "A"},
    "Cyrillic": {"en-ru": "A", "sah-ru": "A"},
    "Chinese": {"en-zh": "A"},
    "Japanese": {"en-ja": "A"},
}
# For synthetic lines: letters, lengths of words, and separators.
ALPHABETS = {
    "Latin": ("etaoinshrdlucmfwypvbgk", range(2, 12), " "),
    "Cyrillic": ("оеаинтсрвлкмдпуяыьгзбчй", range(2, 12), " "),
    "Chinese": ("的一是不了在人有我他这中大来上国个到说们", range(1, 3), ""),
    "Japanese": ("のにはをたがでてとしれさある日本人年大十", range(1, 4), ""),
}

#: How many synthetic lines there are at most; to check results, fewer do.
most_lines = 22_871

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
        segments = 22_871 if script.startswith("Latin") else 6_111
        return synthetic_corpus(min(segments, most_lines), script)
    pairs = WMT22[script]
    hypotheses: list[str] = []
    references: list[list[str]] = [[] for _ in next(iter(pairs.values()))]
    for pair, letters in pairs.items():
        streams = [read_lines(root / "references" / f"{pair}.{letter}.txt") for letter in letters]
        for system in sorted((root / "systems").glob(f"{pair}.*.txt")):
            hypotheses += read_lines(system)
            for reference, stream in zip(references, streams, strict=True):
                reference += stream
    return Corpus(hypotheses, references, "WMT22")


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def synthetic_corpus(segments: int, script: str = "Latin", seed: int = 2022) -> Corpus:
    """Return seeded lines: frequencies of tokens as in a language, hypotheses near references."""
    rng = random.Random(seed)
    script, _, two_references = script.partition(",")
    letters, lengths, space = ALPHABETS.get(script, ALPHABETS["Latin"])
    words = ["".join(rng.choices(letters, k=rng.choice(lengths))) for _ in range(30_000)]
    weights = [1 / (rank + 2) for rank in range(len(words))]
    drawn = min(1_000_000, 200 * segments)
    vocabulary = rng.choices(words, weights, k=drawn)  # drawing from it is cheap
    lines: list[list[str]] = [[], [], []] if two_references else [[], []]
    for _ in range(segments):
        length = max(1, min(90, round(rng.lognormvariate(2.6, 0.6))))
        original = rng.choices(vocabulary, k=length)
        lines[0].append(space.join(original) + ".")
        for stream in lines[1:]:
            others = rng.choices(vocabulary, k=length)
            pairs = zip(original, others, strict=True)
            stream.append(space.join(rng.choices(pair, (3, 1))[0] for pair in pairs) + ".")
    *references, hypotheses = lines
    return Corpus(hypotheses, references, f"synthetic, seed {seed} (WMT22 not found)")


# Corpora: the number of segments -> lines.


def in_script(script: str, segments: int) -> Corpus:
    return load_corpus(script).take(segments)


latin = partial(in_script, "Latin")


def selected(keep: Callable[[list[str], list[str]], bool]) -> Corpus:
    """Return the segments of which `keep(hypothesis, reference)` is true."""
    corpus = load_corpus()
    kept = [
        pair
        for pair in zip(corpus.hypotheses, corpus.references[0], strict=True)
        if keep(*(line.split() for line in pair))
    ]
    hypotheses, references = map(list, zip(*kept, strict=True))
    return Corpus(hypotheses, [references], corpus.source)


def ngrams(tokens: list[str], order: int) -> set[tuple[str, ...]]:
    return set(zip(*(tokens[start:] for start in range(order)), strict=False))


def matched_segments(tokens: int) -> Corpus:
    """Return segments with a match at every order, where nltk has no cause to warn."""
    return selected(
        lambda hypothesis, reference: (
            len(hypothesis) == tokens and not ngrams(hypothesis, 4).isdisjoint(ngrams(reference, 4))
        )
    )


def of_25_tokens(segments: int) -> Corpus:
    return selected(lambda hypothesis, _: len(hypothesis) == 25).take(segments)


def of_25_tokens_matched(segments: int) -> Corpus:
    return matched_segments(25).take(segments)


def of_25_tokens_both(segments: int) -> Corpus:
    """The references are cut to 25 tokens, too, so that no row of ids is padded."""
    corpus = selected(lambda hypothesis, ref: len(hypothesis) == 25 and len(ref) >= 25)
    cut = [" ".join(line.split()[:25]) for line in corpus.references[0]]
    return Corpus(corpus.hypotheses, [cut], corpus.source).take(segments)


def long_segments(segments: int, tokens: int) -> Corpus:
    """Join neighboring lines to hypotheses of exactly `tokens` tokens.

    Their references are cut to the same length, or are a little shorter.
    """
    corpus = load_corpus()
    joined: list[tuple[str, str]] = []
    sides: tuple[list[str], list[str]] = ([], [])
    for pair in zip(corpus.hypotheses, corpus.references[0], strict=True):
        for side, line in zip(sides, pair, strict=True):
            side += line.split()
        if len(sides[0]) >= tokens:
            joined.append(tuple(" ".join(side[:tokens]) for side in sides))
            sides = ([], [])
    hypotheses, references = map(list, zip(*joined, strict=True))
    return Corpus(hypotheses, [references], corpus.source).take(segments)


def scattered(segments: int) -> Corpus:
    """Take hypotheses from all over the corpus, so that they are unlike its first references."""
    corpus = load_corpus()
    step = max(1, len(corpus) // segments)
    return Corpus(corpus.hypotheses[::step][:segments], corpus.references, corpus.source)


# Corpora to compare many with many. Samples are what a translation model is made to say again and
# again for one source: here the outputs of real systems with seeded edits.


def unrelated(sentences: int) -> Corpus:
    """Return two sets of distinct references of about 26 tokens, as 13a counts them."""
    corpus = load_corpus()
    chosen = [
        line
        for line in dict.fromkeys(corpus.references[0])
        if 25 <= len(re.findall(r"[\w'-]+|[^\w\s'-]", line)) <= 28
    ]
    return Corpus(chosen[:sentences], [chosen[sentences : 2 * sentences]], corpus.source)


def two_sets(sentences: int) -> Corpus:
    """Return two sets of distinct lines."""
    corpus = load_corpus()
    lines = list(dict.fromkeys(corpus.hypotheses))[: 2 * sentences]
    return Corpus(lines[::2], [lines[1::2]], corpus.source)


@cache
def samples_of_many_sources(each: int, sources: int) -> Corpus:
    """Return samples: ``references[k][i]`` is number k of source i."""
    corpus, rng = load_corpus(), random.Random(2022)
    outputs: dict[str, dict[str, None]] = {}
    for hypothesis, reference in zip(corpus.hypotheses, corpus.references[0], strict=True):
        outputs.setdefault(reference, {reference: None})[hypothesis] = None
    by_source = [list(lines) for lines in outputs.values()]
    samples = []
    for source, own in enumerate(by_source[:sources]):
        around = [line for lines in by_source[max(0, source - 10) : source + 10] for line in lines]
        pools = " ".join(own).split(), " ".join(around).split()
        samples.append([edited(rng.choice(own), rng, *pools) for _ in range(each)])
    streams = list(map(list, zip(*samples, strict=True)))
    return Corpus(streams[0], streams, corpus.source + ", with seeded edits")


def edited(line: str, rng: random.Random, *pools: list[str]) -> str:
    """Change about a word in seven: another one from any of the pools; left out; one put in."""
    words = []
    for word in line.split():
        chance = rng.random()
        if chance < 0.86 or chance > 0.985:
            words.append(word)
        if 0.86 <= chance < 0.97 or chance > 0.985:
            words.append(rng.choice(rng.choice(pools)))
    return " ".join(words) or line


# What each run of a library gets: new objects, made of the lines.


def text(corpus: Corpus) -> Work:
    """Make every line anew, as if just read from a file; references are ``[k][segment]``."""
    hypotheses, *references = (
        "\n".join(lines).encode().decode().split("\n")
        for lines in (corpus.hypotheses, *corpus.references)
    )
    return hypotheses, references


def split_fresh(corpus: Corpus) -> Work:
    """Split every line anew, without cached hashes; references are ``[segment][k]``."""
    by_segment = zip(*corpus.references, strict=True)
    return (
        [line.split() for line in corpus.hypotheses],
        [[line.split() for line in lines] for lines in by_segment],
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
        rows = [[vocabulary.setdefault(w, len(vocabulary) + 1) for w in x.split()] for x in lines]
        columns = zip_longest(*rows, fillvalue=0)
        sides.append(np.ascontiguousarray(np.array(list(columns), np.int64).T))
    return sides[0], sides[1]
