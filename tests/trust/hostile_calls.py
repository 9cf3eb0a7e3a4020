"""Calls of every entry point that takes objects, with arguments of which some are hostile.

A maker takes a `World` and returns a function without parameters: the call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import fastbleu
import fastbleu.nltk as nltk
import fastbleu.sacrebleu as sacrebleu
from fastbleu import matrix, significance, tokenizers
from trust.hostility import World

Call = Callable[[], object]
LENGTHS = [0, 1, 2, 3, 5, 5, 8, 8, 30, 64, 65, 140]
NAMES = ["13a", "intl", "zh", "char", "none"]


def sequence(world: World, values: list[Any]) -> Any:
    """The values in a list that hostile code may change, or in a hostile sequence."""
    if world.rng.random() < world.poison:
        return world.container(values)
    world.lists.append(values)
    return values


def leaf(world: World, kind: str) -> Any:
    rng = world.rng
    if rng.random() < world.poison / 4:
        return world.leaf(kind)
    if kind == "id":
        return rng.choice([1, 2, 3, 4, 5, 0, -100, 2**40])
    if kind == "text":
        return " ".join(rng.choice(["the", "cat", "a.b", "&amp;", "Ж", "猫"]) for _ in range(6))
    return rng.choice(["a", "b", "c", 1, 2, b"x", "a token of more than 15", 2**70, 1.0, True])


def sentence(world: World, kind: str) -> Any:
    """One hypothesis or reference."""
    if kind == "text":
        return leaf(world, kind)
    values = [leaf(world, kind) for _ in range(world.rng.choice(LENGTHS))]
    if kind == "id" and world.rng.random() < 0.2:
        array = np.arange(len(values))
        world.arrays.append(array)
        return array
    return sequence(world, values)


def sentences(world: World, kind: str, count: int | None = None) -> Any:
    count = world.rng.randint(1, 4) if count is None else count
    return sequence(world, [sentence(world, kind) for _ in range(count)])


def corpus(world: World, kind: str) -> tuple[Any, Any]:
    """Hypotheses and references[segment][k]."""
    if kind == "id" and world.rng.random() < 0.3:
        arrays = np.arange(24).reshape(4, 6), np.arange(48).reshape(4, 2, 6) // 2
        world.arrays += arrays
        return arrays
    count = world.rng.randint(1, 3)
    references = [sentences(world, kind) for _ in range(count)]
    return sentences(world, kind, count), sequence(world, references)


def masks(world: World, kind: str) -> dict[str, Any]:
    if kind != "id" or world.rng.random() < 0.5:
        return {}
    mask = np.ones(world.rng.choice([(4, 6), (1, 24), (24,)]), bool)
    world.arrays.append(mask)
    hostile = world.container([1] * 6)
    return {"hypothesis_mask": world.rng.choice([mask, [mask] * 4, hostile, [hostile] * 3])}


def weights(world: World, count: int) -> Any:
    values = [1 / count] * count
    if world.rng.random() < world.poison:
        values[world.rng.randrange(count)] = world.leaf("token")
    return sequence(world, values)


def split(world: World) -> Any:
    """A tokenizer: by name, or a function that acts."""
    if world.rng.random() < 0.6:
        return world.rng.choice(NAMES)

    def function(text: str) -> Any:
        world.act()
        return sequence(world, str.split(text))

    return function


def parameters(world: World, kind: str) -> dict[str, Any]:
    rng = world.rng
    made: dict[str, Any] = {"threads": rng.choice([1, 1, 1, 2]), "max_order": rng.choice([1, 2, 4])}
    made["tokenize"] = split(world) if kind == "text" else None
    if kind == "text":
        made["lowercase"] = rng.random() < 0.3
    if kind == "id":
        made["ignore_ids"] = sequence(world, [leaf(world, "id")])
        made["stop_id"] = rng.choice([None, 1, leaf(world, "id")])
    if rng.random() < 0.3:
        made["dialect"] = "nltk"
    if rng.random() < 0.3:
        made["weights"] = weights(world, made["max_order"])
    return made


def of_kind(make: Callable[[World, str], Call]) -> dict[str, Callable[[World], Call]]:
    """A maker for each kind of sentences."""
    return {
        f"{make.__name__}:{kind}": lambda world, kind=kind: make(world, kind)
        for kind in ("token", "text", "id")
    }


def smoothing(world: World) -> Any:
    """A smoothing function: nltk's, of a number that is hostile, or one that acts."""
    if world.rng.random() < 0.3:

        def function(p_n: Any, *arguments: Any, **keywords: Any) -> Any:
            world.act()
            return p_n

        return function
    of = nltk.SmoothingFunction(epsilon=0.1, k=world.leaf("id") if world.poison else 5)
    return world.rng.choice([None, *(getattr(of, f"method{n}") for n in range(8))])


def sentence_bleu(world: World) -> Call:
    arguments = (sentences(world, "token"), sentence(world, "token"), weights(world, 4))
    how = smoothing(world)
    return lambda: nltk.sentence_bleu(*arguments, how, world.rng.random() < 0.2)


def corpus_bleu(world: World) -> Call:
    hypotheses, references = corpus(world, "token")
    arguments = references, hypotheses, weights(world, 4), smoothing(world)
    return lambda: nltk.corpus_bleu(*arguments)


def modified_precision(world: World) -> Call:
    arguments = sentences(world, "token"), sentence(world, "token"), leaf(world, "id")
    return lambda: nltk.modified_precision(*arguments)


def lengths(world: World) -> Call:
    references, length, other = sentences(world, "token"), leaf(world, "id"), leaf(world, "token")
    if world.rng.random() < 0.5:
        return lambda: nltk.closest_ref_length(references, length)
    return lambda: nltk.brevity_penalty(length, other)


def count(world: World, kind: str) -> Call:
    arguments, of = corpus(world, kind), parameters(world, kind)
    chosen = {name: of[name] for name in ("tokenize", "threads", "max_order")}
    return lambda: np.asarray(fastbleu.count(*arguments, **chosen))


def score(world: World, kind: str) -> Call:
    of, arguments, its_masks = parameters(world, kind), corpus(world, kind), masks(world, kind)
    method = world.rng.choice(["score", "sentence_scores", "statistics"])
    return lambda: getattr(fastbleu.BLEU(**of), method)(*arguments, **its_masks)


def update(world: World, kind: str) -> Call:
    metric = fastbleu.BLEU(**parameters(world, kind), keep_segments=world.rng.random() < 0.5)
    arguments, its_masks = corpus(world, kind), masks(world, kind)
    # Hostile code may add to the very metric that is being added to.
    world.again.append(lambda: metric.update(*arguments, **its_masks))
    world.again.append(metric.compute)
    return lambda: (metric.update(*arguments, **its_masks), metric.compute(), metric.state)


def pairwise(world: World, kind: str) -> Call:
    of, arguments = parameters(world, kind), (sentences(world, kind), sentences(world, kind))
    its_masks = masks(world, kind)
    if world.rng.random() < 0.3:
        return lambda: list(matrix.iter_blocks(*arguments, rows=1, **of, **its_masks))
    if world.rng.random() < 0.7:
        return lambda: matrix.pairwise(*arguments, **of, **its_masks)
    shape = [len(side) if type(side) is list else 2 for side in arguments]

    def into_an_array() -> object:
        out = np.zeros(shape)  # one for each call, because a trial may make it on several threads
        world.arrays.append(out)
        return matrix.pairwise(*arguments, out=out, **of, **its_masks)

    return into_an_array


def mbr(world: World, kind: str) -> Call:
    of, arguments = parameters(world, kind), (sentences(world, kind, 3), sentences(world, kind, 2))
    of.pop("dialect", None)
    options = {"aggregate": world.rng.random() < 0.4, "matrix": world.rng.random() < 0.4}
    given = world.rng.choice([arguments, arguments[:1], (*arguments, weights(world, 2))])
    return lambda: matrix.mbr(*given, **of, **options)


def self_bleu(world: World, kind: str) -> Call:
    of, some = parameters(world, kind), sentences(world, kind, world.rng.randint(2, 5))
    of.pop("max_order")
    of.pop("weights", None)
    orders = sequence(world, [2, 3, world.rng.choice([4, world.leaf("id")])])
    return lambda: matrix.self_bleu(some, orders, **of)


def index(world: World, kind: str) -> Call:
    of, references = parameters(world, kind), sentences(world, kind)
    some = sentences(world, kind)
    method = world.rng.choice(["score", "sentence_scores", "statistics"])

    def call() -> object:
        made = matrix.ReferenceIndex(references, **of)
        # Hostile code may ask the very index that is being asked.
        world.again.append(lambda: getattr(made, method)(some))
        return getattr(made, method)(some)

    return call


def from_state(world: World) -> Call:
    state = sequence(world, [9, 9, 5, 4, 9, 8])
    if world.rng.random() < 0.5:
        return lambda: fastbleu.BLEU.from_state(state, max_order=2).compute()
    rows = sequence(world, [sequence(world, [9, 9, 5, 4, 9, 8]) for _ in range(3)])
    return lambda: significance.bootstrap(fastbleu.Stats(rows), samples=3)


def paired(world: World) -> Call:
    stats = fastbleu.Stats([[5, 6, 4, 3, 5, 4]] * 3)
    others = sequence(world, [stats, stats])
    number = leaf(world, "id")
    function = world.rng.choice(
        [significance.paired_bootstrap, significance.paired_approximate_randomization]
    )
    return lambda: function(stats, others, seed=number, samples=3)


def of_sacrebleu(world: World) -> Call:
    hypotheses = sentences(world, "text", 2)
    streams = sequence(world, [sentences(world, "text", 2) for _ in range(2)])
    text, references = sentence(world, "text"), sentences(world, "text")
    options = {"lowercase": world.rng.random() < 0.3, "tokenize": world.rng.choice(NAMES)}
    metric = sacrebleu.BLEU(**options)
    return world.rng.choice(
        [
            lambda: sacrebleu.corpus_bleu(hypotheses, streams, **options),
            lambda: sacrebleu.sentence_bleu(text, references, **options),
            lambda: sacrebleu.BLEU(references=streams).corpus_score(hypotheses, None),
            lambda: metric.corpus_score(hypotheses, streams, n_bootstrap=2),
            lambda: metric.sentence_score(text, references),
            lambda: sacrebleu.raw_corpus_bleu(hypotheses, streams),
            lambda: metric.compute_bleu(references, hypotheses, text, 7),
        ]
    )


def tokenize(world: World) -> Call:
    text, name = leaf(world, "text"), world.rng.choice(NAMES)
    if world.rng.random() < 0.5:
        return lambda: fastbleu.tokenize(text, name)
    return lambda: fastbleu.tokenize(text, tokenizers.get_tokenizer(name))


MAKERS: dict[str, Callable[[World], Call]] = {
    make.__name__: make
    for make in (
        sentence_bleu,
        corpus_bleu,
        modified_precision,
        lengths,
        from_state,
        paired,
        of_sacrebleu,
        tokenize,
    )
}
for make in (count, score, update, pairwise, mbr, self_bleu, index):
    MAKERS |= of_kind(make)


def calls(world: World, number: int) -> list[tuple[str, Call]]:
    """Some calls, of which the first is the one that is tried."""
    return [(name, MAKERS[name](world)) for name in world.rng.sample(sorted(MAKERS), number)]
