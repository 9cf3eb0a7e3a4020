"""Run the benchmarks: other libraries and this one, in one run, with equal results.

    python bench/run.py                          all cases; then bench/table.py writes the documents
    python bench/run.py --only text              the cases of a kind, or whose names start so
    python bench/run.py --check                  whether results are equal, on few segments
    python bench/run.py --against HEAD~1         only compares with that revision
    python bench/run.py --history                appends instructions of HEAD to bench/history.tsv
    python bench/run.py --only hosts             as captions and engines, needs an environment

`cases.py` says how a case is checked and timed. Each runs in a process of its own. A whole run
writes build/bench.json.
"""

import argparse
import contextlib
import datetime
import importlib.metadata
import json
import logging
import os
import platform
import sys
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import against
import captions
import costs
import engines
import hosts
import instructions
import matrix
import significance
import text
import tokens
import training
import workloads
from table import RESULTS, tables_of

KINDS = (text, tokens, training, matrix, significance, costs)
#: They need other environments, and run only where they are asked for.
OTHER_KINDS = (captions, engines)
CASES = [case for kind in (*KINDS, *OTHER_KINDS) for case in kind.CASES]
LIBRARIES = (
    *("nltk", "sacrebleu", "bleuscore", "sacrebleu-mojo", "fast-bleu", "torchmetrics", "numpy"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the benchmarks.")
    only = {"metavar": "KIND", "nargs": "+", "default": [""]}
    parser.add_argument("--only", **only, help="kinds, or names' beginnings")
    parser.add_argument("--check", action="store_true", help="compare results of few segments")
    parser.add_argument("--repeat", type=int, metavar="N", default=7, help="rounds (default: 7)")
    parser.add_argument("--against", metavar="REVISION", help="compare with that revision")
    parser.add_argument("--history", action="store_true", help="count instructions of HEAD")
    parser.add_argument("--out", type=Path, help="where to write the results (JSON)")
    options = parser.parse_args()
    only = tuple(options.only)
    if only[0].startswith("hosts"):
        if options.check:
            return int(not hosts.check())
        hosts.report(only[0].removeprefix("hosts").removeprefix("-"))
        return 0
    chosen = [case for case in CASES if case.name.startswith(only)]
    if only == ("",):
        chosen = [case for kind in KINDS for case in kind.CASES]
    if options.against or options.history:
        chosen = [case for case in chosen if hasattr(case, "ours")]
    if not chosen:
        parser.error(f"no case starts so; there are {', '.join(case.name for case in CASES)}")
    if options.check:
        workloads.most_lines = 2_000
        return int(sum(map(is_wrong, chosen)) > 0)
    if options.against:
        return int(not against.compare(chosen, options.against, options.repeat))
    if options.history:
        commit = against.git("rev-parse", "HEAD")
        instructions.extend_history(chosen, against.build(commit), commit[:8])
        return 0
    results = {
        **apart(conditions),
        "clock": "by CPU time, and by the clock where threads or processes work",
        "cases": [apart(measure, case.name, options.repeat) for case in chosen],
    }
    out = options.out or (None if any(only) else RESULTS)
    if out:
        out.parent.mkdir(exist_ok=True)
        out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(tables_of(results))
    return int(any(case.get("wrong") for case in results["cases"]))


def apart(function, *arguments):
    """Call a function in a process of its own."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(function, *arguments).result()


def measure(name: str, repeat: int) -> dict:
    (case,) = [case for case in CASES if case.name == name]
    silence()
    print(f"{name} ...", file=sys.stderr, flush=True)
    try:
        found = case.measure(repeat)
    except Exception as error:  # the other cases go on
        found = {"not_run": left_out(error) or repr(error)}
        if not left_out(error):  # the documents are not written
            found["wrong"] = repr(error)
    return {"name": name, "title": case.title, **found}


def is_wrong(case) -> bool:
    """Check a case, and print what is wrong with it."""
    silence()
    try:
        wrong = case.check()
    except Exception as error:
        if why := left_out(error):
            print(f"{case.name} is left out: {why}")
            return False
        wrong = traceback.format_exc()
    print(f"{case.name}: {wrong or 'equal'}")
    return bool(wrong)


def left_out(error: Exception) -> str:
    """Return which library is missing, or "" if something else is wrong."""
    is_ours = getattr(error, "name", None) and error.name.startswith("fastbleu")
    return "" if is_ours or not isinstance(error, ModuleNotFoundError) else str(error)


def silence() -> None:
    warnings.simplefilter("ignore", UserWarning)  # nltk's, about orders without a match
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)


def conditions() -> dict:
    """Describe when and on what this was measured, without names or paths."""
    import fastbleu
    from fastbleu.core.runtime._process import active_simd

    processor = platform.processor() or platform.machine()
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.split(":")[1].strip() for line in lines if "model name" in line)
    versions = [f"fastbleu {fastbleu.__version__}"]
    for library in LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions.append(f"{library} {importlib.metadata.version(library)}")
    cores = f"{os.cpu_count()} cores, instructions {active_simd()}"
    return {
        "date": datetime.date.today().isoformat(),
        "machine": f"{processor} ({platform.machine()}, {cores}), {platform.system()}",
        "versions": f"Python {platform.python_version()}, {', '.join(versions)}",
    }


if __name__ == "__main__":
    sys.exit(main())
