"""Count the instructions of cases by valgrind: unlike times, they are the same on a busy machine.

    python bench/run.py --history --only text-13a    the commit that is checked out
    python bench/instructions.py FOLDER CASE CALLS   what valgrind runs: a build, some calls

bench/history.tsv keeps what was counted. Counts of one commit in one folder differ by less than
1 %; they depend on Python, the compiler and the level of instructions, and say nothing of caches.
"""

import csv
import datetime
import gc
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

HISTORY = Path(__file__).resolve().parent / "history.tsv"
COLUMNS = "date", "commit", "conditions", "case", "instructions"
CHANGED = 1.05
#: Enough that what does not depend on their number is a small part; valgrind is 50 times slower.
SEGMENTS = 200


def count(folder: Path, case: str) -> float | None:
    """Return the instructions of one call of a case by this build; None without valgrind.

    They are the difference of processes that call it three times, and once.
    """
    program = shutil.which("valgrind")
    if not program:
        return None
    valgrind = [
        program,
        "--tool=cachegrind",
        "--cache-sim=no",
        "--cachegrind-out-file=/dev/null",
    ]
    # Addresses, and with them counts, depend on the size of the environment.
    environment = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    counts = []
    # The first process, which is not counted, writes the bytecode that the others read.
    for tool, calls in ([], 1), (valgrind, 1), (valgrind, 3):
        done = subprocess.run(
            [*tool, sys.executable, __file__, str(folder), case, str(calls)],
            env=environment,
            cwd=HISTORY.parent,
            capture_output=True,
            text=True,
        )
        found = re.search(r"I +refs: +([\d,]+)", done.stderr)
        if done.returncode or (tool and not found):
            raise RuntimeError(done.stderr[-500:])
        if found:
            counts.append(int(found[1].replace(",", "")))
    return (counts[1] - counts[0]) / 2


def extend_history(cases: list[Any], folder: Path, commit: str) -> None:
    """Count these cases, compare them with their last rows, and append new ones.

    A last line names the cases that have changed.
    """
    compiler = subprocess.run(["cc", "--version"], capture_output=True, text=True).stdout
    conditions = f"CPython {platform.python_version()}, {compiler.splitlines()[0]}"
    with HISTORY.open(newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    last = {row["case"]: row for row in rows if row["conditions"] == conditions}
    changed = []
    print("| case | before | now | ratio |\n|---|--:|--:|--:|")
    with HISTORY.open("a", newline="") as lines:
        writer = csv.writer(lines, delimiter="\t", lineterminator="\n")
        for case in cases:
            now = count(folder, case.name)
            if now is None:
                raise SystemExit("there is no valgrind")
            before = last.get(case.name)
            ratio = now / float(before["instructions"]) if before else 1.0
            if max(ratio, 1 / ratio) > CHANGED:
                changed.append(f"{case.title} {ratio:.2f}x since {before['commit']}")
            shown = f"{float(before['instructions']):,.0f}" if before else "-"
            print(f"| {case.title} | {shown} | {now:,.0f} | {ratio:.3f} |", flush=True)
            today = datetime.date.today().isoformat()
            writer.writerow([today, commit, conditions, case.name, f"{now:.0f}"])
    if changed:
        print(f"\nchanged: {', '.join(changed)}")


def call(folder: str, name: str, calls: int) -> None:
    from against import use_build

    use_build(folder)
    from run import CASES

    (case,) = [case for case in CASES if case.name == name]
    prepared = case.ours(*case.fresh(case.corpus(min(SEGMENTS, case.segments))))
    gc.disable()  # when it runs depends on the environment
    for _ in range(calls):
        prepared()


if __name__ == "__main__":
    call(sys.argv[1], sys.argv[2], int(sys.argv[3]))
