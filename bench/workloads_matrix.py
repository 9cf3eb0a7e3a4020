"""Sentences to compare with many others: unrelated ones, samples of one source, long lists.

Samples are what a translation model is made to say again and again for one source: here the outputs
of real systems with seeded edits.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import islice

from workloads import Corpus, Work, load_corpus, text

#: Tokens, about as 13a counts them.
LENGTHS = range(25, 29)
_TOKEN = re.compile(r"[\w'-]+|[^\w\s'-]")
_SEED = 2022


def unrelated(sentences: int) -> Corpus:
    """Return two sets of distinct references of about 26 tokens."""
    corpus = load_corpus()
    chosen = list(filter(_is_chosen, dict.fromkeys(corpus.references[0])))
    return Corpus(chosen[:sentences], [chosen[sentences : 2 * sentences]], corpus.source)


def samples_of_one_source(sentences: int) -> Corpus:
    """Return samples of one source as hypotheses and references, all of about the same length.

    The source has the most outputs of that length.
    """
    corpus = load_corpus()
    sources = _outputs_by_source()
    source = max(range(len(sources)), key=lambda i: sum(map(_is_chosen, sources[i])))
    samples = list(islice(_samples(source, random.Random(_SEED), _is_chosen), sentences))
    return Corpus(samples, [samples], corpus.source + ", with seeded edits")


def samples_of_many_sources(each: int) -> Callable[[int], Corpus]:
    """Return a function of the number of sources.

    Sample k of source i is ``references[k][i]`` of its result, whose hypotheses are the first ones.
    """
    return partial(_samples_of_many_sources, each)


@cache
def _samples_of_many_sources(each: int, sources: int) -> Corpus:
    rng = random.Random(_SEED)
    samples = [list(islice(_samples(source, rng), each)) for source in range(sources)]
    streams = list(map(list, zip(*samples, strict=True)))
    return Corpus(streams[0], streams, load_corpus().source + ", with seeded edits")


def many_lines(lines: int, seed: int = _SEED) -> list[str]:
    """Return distinct lines: all of the corpus, then edited ones (seeded)."""
    corpus = load_corpus()
    found = dict.fromkeys(
        line for stream in (*corpus.references, corpus.hypotheses) for line in stream
    )
    originals = list(found)
    rng = random.Random(seed)
    while len(found) < lines:
        found[_edited(rng.choice(originals), rng, _vocabulary())] = None
    return list(found)[:lines]


def two_sets(sentences: int) -> Corpus:
    """Return two sets of distinct lines."""
    lines = many_lines(2 * sentences)
    return Corpus(lines[::2], [lines[1::2]], load_corpus().source + ", some with seeded edits")


def one_list(corpus: Corpus) -> Work:
    """Split the hypotheses line by line: token strings without a cached hash."""
    return [line.split() for line in text(corpus)[0]], []


def _is_chosen(line: str) -> bool:
    return len(_TOKEN.findall(line)) in LENGTHS


@cache
def _outputs_by_source() -> list[list[str]]:
    """Return, for each reference, all lines that translate its source."""
    corpus = load_corpus()
    outputs: dict[str, list[str]] = {}
    for hypothesis, reference in zip(corpus.hypotheses, corpus.references[0], strict=True):
        outputs.setdefault(reference, [reference]).append(hypothesis)
    return [list(dict.fromkeys(lines)) for lines in outputs.values()]


def _samples(
    source: int, rng: random.Random, is_chosen: Callable[[str], bool] = bool
) -> Iterator[str]:
    """Yield edited outputs of a source without end, with words from them and nearby sources."""
    sources = _outputs_by_source()
    own = list(filter(is_chosen, sources[source])) or sources[source]
    around = [line for outputs in sources[max(0, source - 10) : source + 10] for line in outputs]
    pools = " ".join(own).split(), " ".join(around).split()
    while True:
        yield _edited(rng.choice(own), rng, *pools)


def _edited(line: str, rng: random.Random, *pools: list[str]) -> str:
    """Change about a word in seven: another one from any of the pools; left out; one put in."""
    words = []
    for word in line.split():
        chance = rng.random()
        if chance < 0.86 or chance > 0.985:
            words.append(word)
        if 0.86 <= chance < 0.97 or chance > 0.985:
            words.append(rng.choice(rng.choice(pools)))
    return " ".join(words) or line


@cache
def _vocabulary() -> list[str]:
    """Return all words of the corpus, each as often as it is there."""
    return " ".join(load_corpus().hypotheses).split()
