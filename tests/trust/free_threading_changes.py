"""Calls whose lists other threads change meanwhile: a child of test_free_threading.py.

    python -m trust.free_threading_changes FIRST COUNT

For CPython without the GIL, where each list has a lock and nothing else keeps threads apart. In a
trial three threads make the same call again and again, while another changes the lists. Every
outcome has to be a result or an exception with a message, and ordinary calls have to be right
afterwards. Arrays stay as they are, as numpy has no locks for them.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

from trust.children import SEED
from trust.hostile_calls import LENGTHS, MAKERS
from trust.hostile_trial import EXPECTED, is_of_the_originals, usual
from trust.hostility import World

CALLERS, CALLS, HANGS_AFTER = 3, 60, 600
# Such that a thread is now and then interrupted while it reads one.
LONG = [3, 30, 64, 300, 2000]


def fresh(value: Any) -> Any:
    """Another object that is equal, so that the one before is freed."""
    if type(value) is str:
        return "".join([*value])
    return list(value) if type(value) is list else value


# What leaves a list as it was, or nearly so; but what was in it, and its memory, is gone.
CHANGES: list[Callable[[list[Any], list[Any]], object]] = [
    lambda some, before: some.__setitem__(slice(None), [fresh(value) for value in before]),
    lambda some, before: some.__setitem__(0, fresh(before[0])),
    lambda some, before: (some.clear(), some.extend(map(fresh, before))),
    lambda some, before: (some.extend(before * 50), some.__delitem__(slice(len(before), None))),
    lambda some, before: (some.pop(), some.append(fresh(before[-1]))),
    lambda some, before: (some.insert(0, before[0]), some.pop()),
    lambda some, before: some.reverse(),
]


def change(world: World, stop: threading.Event) -> None:
    """Change lists, now and then for the worse, until there is no call left to see it."""
    before = [list(some) for some in world.lists]
    while not stop.is_set():
        place = world.rng.randrange(len(before))
        some = world.lists[place]
        try:
            world.rng.choice(CHANGES)(some, before[place])
            if world.rng.random() < 0.01:
                world.change(some)
                some[:] = before[place]
        except (IndexError, ValueError, TypeError):
            some[:] = before[place]


def attempt(number: int, notes: Counter[str]) -> list[str]:
    """Make one trial; what went wrong."""
    world = World(random.Random(f"{SEED} changes {number}"))
    world.poison, world.left = 0.0, 0  # nothing acts by itself
    name = sorted(MAKERS)[number % len(MAKERS)]
    made = MAKERS[name](world)
    stop, wrong = threading.Event(), []

    def call() -> None:
        for _ in range(CALLS):
            try:
                made()
                notes["results"] += 1
            except Exception as error:
                notes[type(error).__name__] += 1
                if not (isinstance(error, EXPECTED) or is_of_the_originals(error)):
                    wrong.append(f"{name}: {error!r}")
                    return

    callers = [threading.Thread(target=call) for _ in range(CALLERS)]
    changers = [threading.Thread(target=change, args=(world, stop))] if world.lists else []
    for thread in (*changers, *callers):
        thread.start()
    for thread in callers:
        thread.join()
    stop.set()
    for thread in changers:
        thread.join()
    return wrong


def main() -> int:
    first, count = int(sys.argv[1]), int(sys.argv[2])
    LENGTHS[:] = LONG
    warnings.simplefilter("ignore")
    expected, notes = usual(), Counter[str]()
    failures: list[Any] = []
    for number in range(first, first + count):
        os.write(2, f"trial {number}\n".encode())
        faulthandler.dump_traceback_later(HANGS_AFTER, exit=True)
        failures += [f"trial {number}: {wrong}" for wrong in attempt(number, notes)]
        if usual() != expected:
            failures.append(f"trial {number}: ordinary calls give something else afterwards")
    faulthandler.cancel_dump_traceback_later()
    print(json.dumps({"cases": sum(notes.values()), "notes": notes, "failures": failures}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
