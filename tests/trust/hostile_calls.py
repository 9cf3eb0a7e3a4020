"""Calls of every entry point that takes objects, with arguments of which some are hostile.

Blocks as in entry_points.py: the setup makes the arguments, by the functions below without their
`world`, and the first expression is the call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import Any

import numpy as np

import fastbleu
from fastbleu import matrix, nltk, sacrebleu, significance, tokenizers
from trust.entry_points import blocks_of
from trust.hostility import World

LENGTHS = [0, 1, 2, 3, 5, 5, 8, 8, 30, 64, 65, 140]
NAMES = ["13a", "intl", "zh", "char", "none"]
BLOCKS = """
sentence_bleu
    some, one, by, how = sentences("token"), sentence("token"), weights(4), smoothing()
    nltk.sentence_bleu(some, one, by, how, rng.random() < 0.2)
corpus_bleu
    (hypotheses, references), by, how = corpus("token"), weights(4), smoothing()
    nltk.corpus_bleu(references, hypotheses, by, how)
modified_precision
    some, one, order = sentences("token"), sentence("token"), leaf("id")
    nltk.modified_precision(some, one, order)
closest_ref_length | some, length = sentences("token"), leaf("id")
    nltk.closest_ref_length(some, length)
brevity_penalty | some, other = leaf("id"), leaf("token"); nltk.brevity_penalty(some, other)
from_state | state = sequence([9, 9, 5, 4, 9, 8]); BLEU.from_state(state, max_order=2).compute()
bootstrap
    rows = sequence([sequence([9, 9, 5, 4, 9, 8]) for _ in range(3)])
    significance.bootstrap(Stats(rows), samples=3)
paired
    stats = Stats([[5, 6, 4, 3, 5, 4]] * 3); others, number = sequence([stats, stats]), leaf("id")
    function = pick("paired_bootstrap", "paired_approximate_randomization")
    getattr(significance, function)(stats, others, seed=number, samples=3)
sacrebleu
    hypotheses, streams = sentences("text", 2), sequence([sentences("text", 2) for _ in "ab"])
    one, some = sentence("text"), sentences("text")
    options = {"lowercase": rng.random() < 0.3, "tokenize": pick(*NAMES)}
    metric = sacrebleu.BLEU(**options)
    chosen = pick(
        lambda: sacrebleu.corpus_bleu(hypotheses, streams, **options),
        lambda: sacrebleu.sentence_bleu(one, some, **options),
        lambda: sacrebleu.BLEU(references=streams).corpus_score(hypotheses, None),
        lambda: metric.corpus_score(hypotheses, streams, n_bootstrap=2),
        lambda: metric.sentence_score(one, some),
        lambda: sacrebleu.raw_corpus_bleu(hypotheses, streams),
        lambda: metric.compute_bleu(some, hypotheses, one, 7),
    )
    chosen()
tokenize
    text, name = leaf("text"), pick(*NAMES)
    how = pick(lambda: name, lambda: tokenizers.get_tokenizer(name))
    tokenize(text, how())
count:{token,text,id}
    both, of = corpus("WORD"), parameters("WORD")
    chosen = {name: of[name] for name in ("tokenize", "threads", "max_order")}
    np.asarray(count(*both, **chosen))
score:{token,text,id}
    of, both, its = parameters("WORD"), corpus("WORD"), masks("WORD")
    method = pick("score", "sentence_scores", "statistics")
    getattr(BLEU(**of), method)(*both, **its)
update:{token,text,id}
    metric = BLEU(**parameters("WORD"), keep_segments=rng.random() < 0.5)
    both, its = corpus("WORD"), masks("WORD")
    # Hostile code may add to the very metric that is being added to.
    world.again += [lambda: metric.update(*both, **its), metric.compute]
    metric.update(*both, **its), metric.compute(), metric.state
pairwise:{token,text,id}
    of, sides, its = parameters("WORD"), (sentences("WORD"), sentences("WORD")), masks("WORD")
    chosen = pick(
        *[lambda: matrix.pairwise(*sides, **of, **its)] * 2,
        lambda: list(matrix.iter_blocks(*sides, rows=1, **of, **its)),
        lambda: matrix.pairwise(*sides, out=out_of(sides), **of, **its),
    )
    chosen()
nearest:{token,text,id}
    of, sides, its = parameters("WORD"), (sentences("WORD"), sentences("WORD")), masks("WORD")
    matrix.nearest(*sides, rng.randint(1, 3), **of, **its)
mbr:{token,text,id}
    of, sides = parameters("WORD"), (sentences("WORD", 3), sentences("WORD", 2))
    of |= {"aggregate": rng.random() < 0.4, "matrix": rng.random() < 0.4, "dialect": "sacrebleu"}
    given = pick(sides, sides[:1], (*sides, weights(2)))
    matrix.mbr(*given, **of)
self_bleu:{token,text,id}
    of, some = parameters("WORD"), sentences("WORD", rng.randint(2, 5))
    orders = sequence([2, 3, pick(4, world.leaf("id"))])
    of = {name: of[name] for name in of if name not in ("max_order", "weights")}
    matrix.self_bleu(some, orders, **of)
index:{token,text,id}
    of, references, some = parameters("WORD"), sentences("WORD"), sentences("WORD")
    method = pick("score", "sentence_scores", "statistics")
    def ask():
        made = matrix.ReferenceIndex(references, **of)
        # Hostile code may ask the very index that is being asked.
        world.again.append(lambda: getattr(made, method)(some))
        return getattr(made, method)(some)
    ask()
"""


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


def out_of(world: World, sides: tuple[Any, Any]) -> Any:
    """An array for `out`: one for each call, because a trial may make it on several threads."""
    out = np.zeros([len(side) if type(side) is list else 2 for side in sides])
    world.arrays.append(out)
    return out


def weights(world: World, count: int) -> Any:
    values = [1 / count] * count
    if world.rng.random() < world.poison:
        values[world.rng.randrange(count)] = world.leaf("token")
    return sequence(world, values)


def parameters(world: World, kind: str) -> dict[str, Any]:
    rng = world.rng
    made: dict[str, Any] = {"threads": rng.choice([1, 1, 1, 2]), "max_order": rng.choice([1, 2, 4])}
    made["tokenize"] = None
    if kind == "text":

        def split(text: str) -> Any:
            world.act()
            return sequence(world, str.split(text))

        made["tokenize"] = rng.choice([*NAMES, split, split, split])
        made["lowercase"] = rng.random() < 0.3
    if kind == "id":
        made["ignore_ids"] = sequence(world, [leaf(world, "id")])
        made["stop_id"] = rng.choice([None, 1, leaf(world, "id")])
    if rng.random() < 0.3:
        made["dialect"] = "nltk"
    if rng.random() < 0.3:
        made["weights"] = weights(world, made["max_order"])
    return made


def smoothing(world: World) -> Any:
    """A smoothing function: nltk's, of a number that is hostile, or one that acts."""
    if world.rng.random() < 0.3:

        def function(p_n: Any, *arguments: Any, **keywords: Any) -> Any:
            world.act()
            return p_n

        return function
    of = nltk.SmoothingFunction(epsilon=0.1, k=leaf(world, "id") if world.poison else 5)
    return world.rng.choice([None, *(getattr(of, f"method{n}") for n in range(8))])


MODULES = {
    "np": np,
    "matrix": matrix,
    "nltk": nltk,
    "sacrebleu": sacrebleu,
    "NAMES": NAMES,
    "significance": significance,
    "tokenizers": tokenizers,
    "tokenize": fastbleu.tokenize,
    "BLEU": fastbleu.BLEU,
    "Stats": fastbleu.Stats,
    "count": fastbleu.count,
}
FUNCTIONS = (sequence, leaf, sentence, sentences, corpus, masks, out_of, weights, parameters)


def made(code: CodeType, world: World) -> Callable[[], object]:
    """The call of a block, whose arguments are made."""
    state: dict[str, Any] = {**MODULES, "world": world, "rng": world.rng}
    state |= {function.__name__: partial(function, world) for function in (*FUNCTIONS, smoothing)}
    state["pick"] = lambda *some: world.rng.choice(some)
    exec(code, state)
    call: Callable[[], object] = state["CALLS"][0]
    return call


MAKERS = {name: partial(made, code) for name, code, _ in blocks_of(BLOCKS)}


def calls(world: World, number: int) -> list[tuple[str, Callable[[], object]]]:
    """Some calls, of which the first is the one that is tried."""
    return [(name, MAKERS[name](world)) for name in world.rng.sample(sorted(MAKERS), number)]
