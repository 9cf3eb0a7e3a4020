"""The gate: every part, and at the end one table.

python tests/trust/run.py [--long] [--seed N] [PART ...]

Exit status 1 if anything failed. build/trust-short.json and build/trust-long.json have the last run
of each part, with all that was said; record.py puts their figures into SECURITY.md.
FASTBLEU_REQUIRE_TOOLS=1 makes it a failure that something could not be tried for want of a tool.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import random
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

# `tests` in place of this directory, whose modules would stand for others of the same names.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from trust.part import LONG_ONLY, ROOT, SEED, Outcome, Part, say, together  # noqa: E402

# Parts that keep all processors busy; the others are gone through in lanes, side by side.
BUSY = ["memory", "hostile_objects", "fuzzing"]
LANES = [
    ["flooding", "sizes", "threads"],
    ["free_threading", "allocation", "interrupts", "files"],
]
NAMES = [*BUSY, *(name for lane in LANES for name in lane)]
FIXED_SEED = 20021
FORMS = ("short", "long")


def results_of(form: str) -> Path:
    """The file with the last run of each part."""
    return ROOT / "build" / f"trust-{form}.json"


def outcomes(name: str, long: bool) -> Iterator[Outcome]:
    """What a part tries; that it breaks down itself is a failure like any other."""
    try:
        part: Part = importlib.import_module(f"trust.{name}").PART
        say(f"--- {name}: {part.title}")
        yield from part.run(long)
    except Exception as error:
        import traceback

        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        yield Outcome("the part itself", failures=[trace])


def in_turn(names: list[str], long: bool) -> Iterator[tuple[str, Outcome]]:
    """What several parts try, one after the other."""
    for name in names:
        for outcome in outcomes(name, long):
            yield name, outcome


def gone_through(names: list[str], long: bool) -> Iterator[tuple[str, Outcome]]:
    """What all of these parts try."""
    yield from in_turn([name for name in BUSY if name in names], long)
    lanes = [[name for name in lane if name in names] for lane in LANES]
    yield from together(*(partial(in_turn, lane, long) for lane in lanes))


def verdict(outcome: Outcome, strict: bool) -> str:
    """The last column of the table."""
    if outcome.failures:
        return str(len(outcome.failures))
    if outcome.skipped:
        return "not tried" if outcome.skipped == LONG_ONLY or not strict else "NOT TRIED"
    return "0"


def failed(outcome: Outcome, strict: bool) -> bool:
    return verdict(outcome, strict) not in ("0", "not tried")


def table(found: list[tuple[str, Outcome]], strict: bool) -> str:
    rows = [("part", "what", "cases", "seconds", "failures")]
    for name, outcome in found:
        what = outcome.what + (f" ({outcome.skipped})" if outcome.skipped else "")
        count, seconds = f"{outcome.cases:,}", f"{outcome.seconds:.1f}"
        rows.append((name, what, count, seconds, verdict(outcome, strict)))
    count = sum(outcome.cases for _, outcome in found)
    seconds = sum(outcome.seconds for _, outcome in found)
    failures = sum(failed(outcome, strict) for _, outcome in found)
    rows.append(("all", "", f"{count:,}", f"{seconds:.1f}", str(failures)))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def note(form: str, seed: int, found: list[tuple[str, Outcome]]) -> None:
    """Write what these parts have found in place of what they found last time."""
    path = results_of(form)
    path.parent.mkdir(exist_ok=True)
    parts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    about = {
        "seed": seed,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
    }
    for name in {name for name, _ in found}:
        outcomes = [asdict(outcome) for part, outcome in found if part == name]
        parts[name] = {**about, "outcomes": outcomes}
    path.write_text(json.dumps(parts, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    # Where a shell has started this in the background, it and its children would ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true", help="without a limit of time")
    parser.add_argument("--seed", type=int, help="of all random trials; in the long form new")
    parser.add_argument("part", nargs="*", metavar="PART", help=f"of {', '.join(NAMES)}")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.part) - set(NAMES))
    if unknown:
        parser.error(f"no part is called {', '.join(unknown)}; there are {', '.join(NAMES)}")
    if arguments.seed is not None:
        os.environ[SEED] = str(arguments.seed)
    # A check before landing is the same each time; the long form looks where nobody has looked.
    new = random.randrange(2**31) if arguments.long else FIXED_SEED
    seed = os.environ.setdefault(SEED, str(new))
    strict = os.environ.get("FASTBLEU_REQUIRE_TOOLS", "0") not in ("", "0")
    form = "long" if arguments.long else "short"
    say(f"the {form} form; {SEED}={seed}")

    found: list[tuple[str, Outcome]] = []
    interrupted = False
    start = time.perf_counter()
    try:
        for name, outcome in gone_through(arguments.part or NAMES, arguments.long):
            found.append((name, outcome))
            state = f"{outcome.cases:,} cases, {outcome.seconds:.1f} s"
            say(f"{name}: {outcome.what}: {outcome.skipped or state}")
            for failure in outcome.failures:
                say(f"FAILED {name}: {outcome.what}: {failure}")
    except KeyboardInterrupt:
        interrupted = True
    seconds = time.perf_counter() - start
    found.sort(key=lambda pair: NAMES.index(pair[0]))

    what_failed = [(name, outcome) for name, outcome in found if failed(outcome, strict)]
    if not interrupted:
        note(form, int(seed), found)
    say(f"\n{table(found, strict)}\n")
    if interrupted:
        say(f"interrupted after {seconds:.0f} s")
        return 130
    if what_failed:
        say(f"failed: {', '.join(sorted({name for name, _ in what_failed}))}; {SEED}={seed}")
        return 1
    say(f"nothing failed in {seconds:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
