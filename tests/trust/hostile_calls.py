"""Calls of every entry point with hostile arguments: `made` makes random ones of a world."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from entry_points import Corpus, Entry
from hostile import World
from metrics import from_state

from fastbleu import BLEU, Stats, matrix, nltk, sacrebleu, significance
from trust.calls import HERE

LENGTHS = [0, 1, 2, 3, 5, 5, 8, 8, 30, 64, 65, 140]
NAMES = ["13a", "intl", "zh", "char", "none"]
KINDS = ["token", "text", "id"]
Action = Callable[[], object]


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


def parameters(world: World, kind: str) -> dict[str, Any]:
    rng = world.rng
    made: dict[str, Any] = {
        "threads": rng.choice([1, 1, 1, 2]),
        "max_ngram_order": rng.choice([1, 2, 4]),
    }
    made["tokenize"] = None
    if kind == "text":

        def split(text: str) -> Any:
            world.act()
            return sequence(world, str.split(text))

        made["tokenize"] = rng.choice([*NAMES, split, split, split])
        made["lowercase"] = rng.random() < 0.3
    if kind == "id":
        made["ignore_ids"] = sequence(world, [leaf(world, "id")])
        made["stop_ids"] = rng.choice([(), 1, leaf(world, "id")])
    if rng.random() < 0.3:
        made["dialect"] = "nltk"
    if rng.random() < 0.3:
        made["weights"] = weights(world, made["max_ngram_order"])
    return made


# Arguments that no corpus has.


def nltk_call(world: World) -> list[Action]:
    some, one, by = sentences(world, "token"), sentence(world, "token"), weights(world, 4)
    number = leaf(world, "id")
    smoothing = nltk.SmoothingFunction(epsilon=0.1, k=number if world.poison else 5)

    def acting(p_n: Any, *arguments: Any, **keywords: Any) -> Any:
        world.act()
        return p_n

    functions = [None, acting, acting, *(getattr(smoothing, f"method{n}") for n in range(8))]
    function = world.rng.choice(functions)
    return [
        lambda: nltk.sentence_bleu(some, one, by, function, world.rng.random() < 0.2),
        lambda: nltk.modified_precision(some, one, number),
        lambda: nltk.closest_ref_length(some, number),
        lambda: nltk.brevity_penalty(number, one),
    ]


def sacrebleu_call(world: World) -> list[Action]:
    hypotheses, some = sentences(world, "text", 2), sentences(world, "text")
    streams, one = sequence(world, [sentences(world, "text", 2) for _ in "ab"]), leaf(world, "text")
    metric = sacrebleu.BLEU(lowercase=world.rng.random() < 0.3, tokenize=world.rng.choice(NAMES))
    return [
        lambda: sacrebleu.BLEU(references=streams).corpus_score(hypotheses, None),
        lambda: metric.corpus_score(hypotheses, streams, n_bootstrap=2),
        lambda: metric.compute_bleu(some, hypotheses, one, 7),
    ]


def rows_call(world: World) -> list[Action]:
    state, seed = sequence(world, [9, 9, 5, 4, 9, 8]), leaf(world, "id")
    rows = sequence(world, [sequence(world, [9, 9, 5, 4, 9, 8]) for _ in range(3)])
    bigrams = BLEU(max_ngram_order=2)
    texts = sequence(world, [leaf(world, "text") for _ in range(3)])
    systems = {"rows": Stats([[5, 6, 4, 3, 5, 4]] * 3), "texts": texts}
    return [
        lambda: from_state(state, max_ngram_order=2).compute(),
        lambda: significance.bootstrap(Stats(rows), metric=bigrams, seed=seed, samples=3),
        lambda: significance.compare(systems, texts, metric=bigrams, trials=3, samples=3),
        lambda: significance.compare(systems, texts, metric=bigrams, method="bootstrap", samples=3),
    ]


def metric_call(world: World, kind: str) -> list[Action]:
    """Scores with masks, and updates: hostile code may add to the very metric that is added to."""
    metric = BLEU(**parameters(world, kind), keep_stats=world.rng.random() < 0.5)
    both, its = corpus(world, kind), masks(world, kind)
    world.again += [lambda: metric.update(*both, **its), metric.compute]
    return [
        lambda: (metric.update(*both, **its), metric.compute(), metric.state),
        lambda: metric.sentence_scores(*both, **its),
        lambda: metric.count(*both, **its),
    ]


def pairs_call(world: World, kind: str) -> list[Action]:
    """Many against many; hostile code may ask the very index that is being asked."""
    rng, of, its = world.rng, parameters(world, kind), masks(world, kind)
    sides = sentences(world, kind, 3), sentences(world, kind, 2)
    by = weights(world, 2)
    orders = sequence(world, [2, 3, rng.choice([4, world.leaf("id")])])

    def ask_index() -> object:
        index = matrix.ReferenceIndex(sides[1], metric=BLEU(**of))
        world.again.append(lambda: index.score(sides[0]))
        return getattr(index, rng.choice(["score", "sentence_scores", "count"]))(sides[0])

    def write_into_out() -> object:
        out = np.zeros([len(side) if type(side) is list else 2 for side in sides])
        world.arrays.append(out)
        return matrix.pairwise(*sides, out=out, **its, metric=BLEU(**of))

    return [
        ask_index,
        write_into_out,
        lambda: matrix.mbr(
            *sides,
            reference_weights=by,
            aggregate=True,
            metric=BLEU(**of | {"dialect": "sacrebleu"}),
        ),
        lambda: matrix.self_bleu(sides[0], orders=orders, metric=BLEU(**of)),
    ]


def entry_call(world: World, entry: Entry, kind: str) -> list[Action]:
    return [partial(entry.call, BLEU(**parameters(world, kind)), Corpus(*corpus(world, kind)))]


# By name: what makes calls, of which one is chosen.
MAKERS: dict[str, Callable[[World], list[Action]]] = {
    "nltk": nltk_call,
    "sacrebleu": sacrebleu_call,
    "rows": rows_call,
}
for kind in KINDS:
    MAKERS[f"metric:{kind}"] = partial(metric_call, kind=kind)
    MAKERS[f"pairs:{kind}"] = partial(pairs_call, kind=kind)
    for entry in HERE:
        if not (entry.needs or entry.only or entry.alone):
            MAKERS[f"{entry.label}:{kind}"] = partial(entry_call, entry=entry, kind=kind)


def made(world: World, name: str) -> Action:
    return world.rng.choice(MAKERS[name](world))
