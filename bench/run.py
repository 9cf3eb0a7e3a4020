"""Run the benchmarks: time, memory, correct?, versions and machine -> results.json.

    python bench/run.py                  all cases, about four minutes; writes bench/results.json
    python bench/run.py --quick          a smoke run on a twentieth of the segments; writes nothing
    python bench/run.py --only sentence  the cases whose names start so; writes nothing
    python bench/table.py                writes the README's table from results.json

All libraries of a case run in one process, in interleaved rounds (A B C, A B C, ...), each on
arguments made anew for that run, with the garbage collector in its default state. A time is the
median of its rounds, a ratio the ratio of two medians; on a shared machine only ratios mean
anything. Every result is compared with the original's. Progress goes to standard error.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib
import importlib.metadata
import json
import os
import platform
import statistics
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from adapters import NotAvailable, Run
from cases import CASES, SUBJECT, Case, Goal
from checks import is_rounding, say_correct
from probes import PROBES, Probe
from table import table_of
from workloads import Corpus, load_corpus

RESULTS = Path(__file__).with_name("results.json")
DISTRIBUTIONS = ("nltk", "sacrebleu", "fast-bleu", "torchmetrics", "numpy", "pyfastbleu")


def run_case(case: Case, corpus: Corpus, quick: bool = False) -> dict:
    """Time every library of a case in interleaved rounds and compare the results.

    Returns
    -------
    dict
        The case's result: for each library ``time`` in `unit` (the median), ``slowest`` and
        ``fastest``, ``rounds``, and ``correct`` ("original", "yes", "yes, but for rounding",
        "no: ..." or why it is not compared); and the goals' standing.
    """
    segments = max(1, case.segments // 20) if quick else case.segments
    rounds = 3 if quick else case.rounds
    data = case.select(corpus, segments)
    if not len(data):
        raise NotAvailable("the corpus is too small for this case")
    runs, missing = _load_libraries(case)
    if case.peer not in runs:
        raise NotAvailable(missing[case.peer])
    expected = None if isinstance(case.truth, str) else case.truth(*case.fresh(data))
    seconds: dict[str, list[float]] = {library: [] for library in runs}
    correct: dict[str, str] = {}
    for _ in range(rounds):
        for library, run in runs.items():
            hypotheses, references = case.fresh(data)
            start = time.perf_counter()
            try:
                result = run(hypotheses, references)
            except Exception as error:
                result = error
            seconds[library].append(time.perf_counter() - start)
            if library == case.truth and expected is None:
                expected = result
            if library not in correct or correct[library].startswith("yes"):
                correct[library] = _check(case, library, result, expected)
            del hypotheses, references, result
    unit, scale = ("us per call", 1e6 / len(data)) if case.per_call else ("ms", 1e3)
    libraries: dict[str, dict[str, Any]] = {
        library: {
            "time": statistics.median(times) * scale,
            "fastest": min(times) * scale,
            "slowest": max(times) * scale,
            "rounds": rounds,
            "correct": correct[library],
        }
        for library, times in seconds.items()
    }
    reached = {}
    if SUBJECT in libraries:
        ratio = libraries[case.peer]["time"] / libraries[SUBJECT]["time"]
        reached = {"ratio": ratio, "slowdown": 1 / ratio}
        if case.per_call:
            reached["microseconds"] = libraries[SUBJECT]["time"]
    return {
        "name": case.name,
        "title": case.title,
        "segments": len(data),
        "tokens": sum(len(line.split()) for line in data.hypotheses),
        "unit": unit,
        "peer": case.peer,
        "libraries": libraries,
        "missing": missing,
        **_stand(case.goals, reached, libraries.get(SUBJECT, {}).get("correct")),
    }


def run_probe(probe: Probe, quick: bool = False) -> dict:
    """Measure what needs a process of its own; return a result like that of `run_case`."""
    found = probe.measure(quick)
    correct = found.pop("correct")
    libraries = {
        probe.peer: {"time": found.pop("peer_time"), "correct": "original"},
        SUBJECT: {"time": found.pop("time"), "correct": correct},
    }
    return {
        "name": probe.name,
        "title": probe.title,
        "peer": probe.peer,
        "libraries": libraries,
        "missing": {},
        **_stand(probe.goals, found.pop("reached"), correct),
        **found,
    }


def _load_libraries(case: Case) -> tuple[dict[str, Run], dict[str, str]]:
    """Return the runs of the libraries that are there, the truth first, and why others are not."""
    runs, missing = {}, {}
    for library in sorted(case.adapters, key=lambda name: name != case.truth):
        try:
            runs[library] = case.adapters[library]()
        except (ImportError, NotAvailable) as error:
            missing[library] = str(error)
    return runs, missing


def _check(case: Case, library: str, result: object, expected: object) -> str:
    if isinstance(result, Exception):
        return f"no: {result!r}"
    if library in case.unchecked:
        return case.unchecked[library]
    if library == case.truth:
        return "original"
    if expected is None or isinstance(expected, Exception):
        return "no: there is no original result to compare with"
    wrong = case.equal(result, expected)
    # only the drop-in promises the original's bits
    if wrong and library != SUBJECT and is_rounding(result, expected):
        return f"yes, but for rounding: {wrong}"
    return say_correct(wrong)


def _stand(goals: tuple[Goal, ...], reached: dict[str, float], correct: str | None) -> dict:
    """Say for each goal what was reached; a wrong result reaches nothing."""
    standing = []
    for goal in goals:
        value = reached.get(goal.quantity)
        verdict = "not run" if value is None else goal.verdict(value)
        if value is not None and correct != "yes":
            verdict = "missed: the result is wrong"
        standing.append({**vars(goal), "reached": value, "verdict": verdict})
    return {"reached": reached, "goals": standing}


def describe_machine() -> dict:
    """Return what a reader needs to place the numbers: processor, Python, no names or paths."""
    processor = platform.processor() or platform.machine()
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.split(":")[1].strip() for line in lines if "model name" in line)
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "system": platform.system(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def find_versions() -> dict[str, str]:
    """Return the versions of the libraries that are installed."""
    versions = {}
    for distribution in DISTRIBUTIONS:
        try:
            versions[distribution] = importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    if "pyfastbleu" not in versions:  # on the path, but not installed
        with contextlib.suppress(ImportError, AttributeError):
            versions["pyfastbleu"] = importlib.import_module(SUBJECT).__version__
    return versions


def main(arguments: list[str] | None = None) -> int:
    """Run the chosen cases, print the table and, after a full run, write results.json."""
    parser = argparse.ArgumentParser(description="Run the benchmarks.")
    parser.add_argument("--quick", action="store_true", help="few segments, few rounds")
    parser.add_argument("--only", metavar="NAME", help="the cases whose names start with NAME")
    parser.add_argument("--out", type=Path, help="where to write the results (JSON)")
    chosen = parser.parse_args(arguments)
    runners: list[Case | Probe] = [*CASES, *PROBES]
    if chosen.only:
        names = [runner.name for runner in runners]
        runners = [runner for runner in runners if runner.name.startswith(chosen.only)]
        if not runners:
            parser.error(f"no case starts with {chosen.only!r}; there are {', '.join(names)}")
    warnings.simplefilter("ignore", UserWarning)  # nltk's, about orders without a match
    corpus = load_corpus()
    results: dict = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "quick": chosen.quick,
        "data": corpus.source,
        "machine": describe_machine(),
        "versions": find_versions(),
        "cases": [],
    }
    for runner in runners:
        print(f"{runner.name} ...", end=" ", file=sys.stderr, flush=True)
        start = time.perf_counter()
        try:
            if isinstance(runner, Case):
                result = run_case(runner, corpus, chosen.quick)
            else:
                result = run_probe(runner, chosen.quick)
        except NotAvailable as error:
            result = {"name": runner.name, "title": runner.title, "not_run": str(error)}
        results["cases"].append(result)
        print(f"{_summary(result)} [{time.perf_counter() - start:.0f} s]", file=sys.stderr)
    out = chosen.out or (None if chosen.quick or chosen.only else RESULTS)
    if out:
        out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(table_of(results))
    return 0


def _summary(result: dict) -> str:
    if "not_run" in result:
        return f"not run: {result['not_run']}"
    goals = [
        f"{goal['quantity']} {goal['reached']:.3g}: {goal['verdict']}"
        for goal in result["goals"]
        if goal["reached"] is not None
    ]
    return "; ".join(goals) or f"peer {result['libraries'][result['peer']]['time']:.4g}"


if __name__ == "__main__":
    sys.exit(main())
