"""Trials with hostile objects or changed lists, one after the other: a child of other tests.

    python -m trust.hostile_trial KIND FIRST COUNT

KIND is "hostile": a call with hostile objects; or "changed": several threads make an ordinary call
while another changes its lists, which is for CPython without the GIL, where each list has a lock
and nothing else keeps threads apart. Arrays stay as they are then, as numpy has no locks for them.
Every outcome has to be a result, what the hostile code raised, or an exception with a message, and
ordinary calls have to be right afterwards.

Trial n depends on FASTBLEU_TEST_SEED and n only, so that one can be made again by itself. Its
number is written before it begins; what went wrong as FAILED; at the end, "done".
"""

import faulthandler
import os
import random
import re
import sys
import time
import traceback
import warnings
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from hostile import Hostile, World
from metrics import count
from threads import again_and_again, at_once

import fastbleu
from fastbleu import matrix
from trust.children import SEED
from trust.hostile_calls import LENGTHS, MAKERS, made

HANGS_AFTER = {"hostile": 60, "changed": 600}  # ThreadSanitizer takes its time
CALLERS, CALLS = 3, 60
# What the package raises of itself, or lets through of numpy's and Python's own refusals.
EXPECTED = (
    *(TypeError, ValueError, OverflowError, MemoryError, ZeroDivisionError, AssertionError),
    *(RuntimeError, UserWarning, BufferError, RecursionError),
)
TEXT = (["the cat sat on the mat"], [["the cat sat on a mat"]])
TOKENS = ([["a", "b", "d", 2**70]], [[["a", "b", "c", 2**70], ["a", "c"]]])
IDS = (np.arange(12).reshape(2, 6), np.arange(12).reshape(2, 6)[:, ::-1])


def usual() -> list[object]:
    """What ordinary calls give."""
    return [
        np.asarray(count(*TOKENS)).tolist(),
        fastbleu.sentence_bleu(TOKENS[1][0], TOKENS[0][0], (0.5, 0.5)),
        fastbleu.BLEU().score(*TEXT).value,
        np.asarray(fastbleu.BLEU(tokenize=False).count(*IDS)).tolist(),
        matrix.pairwise(TEXT[0], TEXT[1][0], metric=fastbleu.BLEU(effective_order=True)).tolist(),
    ]


def is_theirs(error: BaseException, world: World) -> bool:
    """Whether hostile code has raised it, on purpose or because it has a fault by now."""
    if isinstance(error, SystemError):
        return False
    frames = traceback.extract_tb(error.__traceback__)
    where = Path(frames[-1].filename).name if frames else ""
    # Entry points of the tests slice and join what is hostile.
    planned = any(error is raised for raised in world.raised)
    return planned or where in ("hostile.py", "entry_points.py")


def is_a_refusal(error: BaseException) -> bool:
    """Whether the package may raise it: an IndexError of no segments, as nltk and sacreBLEU."""
    last = traceback.extract_tb(error.__traceback__)[-1].name
    said = re.search("is empty|row 0 of 0 rows", str(error)) or last == "method6"
    return isinstance(error, EXPECTED) or bool(isinstance(error, IndexError) and said)


def change_anything(world: World) -> None:
    time.sleep(0)
    with suppress(BaseException):  # a hostile list's own
        if world.arrays and world.rng.random() < 0.2:
            world.change_array(world.rng.choice(world.arrays))
        elif world.lists:
            world.change(world.rng.choice(world.lists))


def hostile_trial(number: int) -> str:
    """Make a call with hostile objects; what went wrong, or ""."""
    seed = f"{SEED} hostile {number}"
    world, other = World(random.Random(seed)), World(random.Random(seed))
    other.lists, other.arrays, other.raised = world.lists, world.arrays, world.raised
    name, ignored = "", list[Any]()
    strict, changed = (world.rng.random() < 0.1 for _ in "ab")
    sys.unraisablehook = ignored.append
    with warnings.catch_warnings():
        warnings.simplefilter("error" if strict else "ignore")
        try:
            name, *others = world.rng.sample(sorted(MAKERS), 3)
            call = made(world, name)
            world.again += [*(made(world, again) for again in others), call]
            change = partial(change_anything, other)
            with again_and_again(change) if changed else nullcontext():
                call()
        except BaseException as error:
            if not is_theirs(error, world) and not is_a_refusal(error):
                return f"{name}: {traceback.format_exc()}"
    world.left = 0
    # But their destructors' own: CPython 3.15 does not tell the object.
    for one in ignored:
        trace = one.exc_traceback
        if not (trace and trace.tb_frame.f_code is Hostile.__del__.__code__):
            return f"{name}: an exception was ignored in {one.object!r}: {one.exc_value!r}"
    return ""


def fresh(value: Any) -> Any:
    """Another object that is equal, so that the one before is freed."""
    if type(value) is str:
        return "".join([*value])
    return list(value) if type(value) is list else value


def change_for_a_moment(world: World, before: list[list[Any]]) -> None:
    """What is in a list, and its memory, is gone; then it is as it was."""
    if not before:
        return
    place = world.rng.randrange(len(before))
    some, how = world.lists[place], world.rng.random()
    with suppress(IndexError, ValueError, TypeError):
        if how < 0.01:
            world.change(some)
        elif how < 0.3:
            some.extend(before[place] * 50)
        elif how < 0.5:
            some.clear()
    some[:] = map(fresh, before[place])


def changed_trial(number: int) -> str:
    """Make the same call on several threads while its lists are changed; what went wrong, or ""."""
    world = World(random.Random(f"{SEED} changes {number}"))
    world.poison, world.left = 0.0, 0  # nothing acts by itself
    name = sorted(MAKERS)[number % len(MAKERS)]
    call, wrong = made(world, name), list[str]()

    def repeat(_: int) -> None:
        for _ in range(CALLS):
            try:
                call()
            except Exception as error:
                if not is_theirs(error, world) and not is_a_refusal(error):
                    wrong.append(f"{name}: {error!r}")

    change = partial(change_for_a_moment, world, [*map(list, world.lists)])
    with again_and_again(change):
        at_once(repeat, CALLERS, timeout=None)
    return "".join(wrong[:1])


def main(kind: str, first: int, count: int) -> None:
    faulthandler.enable()
    sys.setswitchinterval(1e-4)
    trial = hostile_trial
    if kind == "changed":
        trial = changed_trial
        warnings.simplefilter("ignore")
        # Such that a thread is now and then interrupted while it reads a list.
        LENGTHS[:] = [3, 30, 64, 300, 2000]
    expected, failed = usual(), False
    for number in range(first, first + count):
        os.write(1, f"{number}\n".encode())
        faulthandler.dump_traceback_later(HANGS_AFTER[kind], exit=True)
        wrong = trial(number)
        if not wrong and usual() != expected:
            wrong = "ordinary calls give something else afterwards"
        if wrong:
            failed = True
            print(f"FAILED trial {number}: {wrong}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    print("done", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
