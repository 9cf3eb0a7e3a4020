"""Run the benchmarks; write times, memory, correctness, versions and machine to results.json.

    python bench/run.py                    all cases except those on request, under ten minutes
    python bench/run.py --quick            a smoke run on a twentieth of the segments
    python bench/run.py --only text        the cases whose names start with "text"
    python bench/run.py --only long-file --save     also saves these in results.json
    python bench/run.py --against HEAD~1            only compares with that revision (against.py)
    python bench/table.py                  writes README.md's tables and RESULTS.md from it

A full run writes results.json. `long-file`, which runs only on request (10 million segments, 2 GB
of temporary files), keeps its result of the last run with ``--save``.

All libraries of a case run in one process, in interleaved rounds (A B C, A B C, ...), each on
arguments made anew for that run, with the garbage collector in its default state. Each case has a
process of its own: tokens that lie scattered over the memory that other cases have left take a
fifth longer to read. The slowest skip
the later rounds, and some run on a part of the segments (`Prepared.part`). A time is the median of
its rounds, a ratio the ratio of two medians; on a shared machine only ratios are meaningful.
Every result is compared with the original's. Progress goes to standard error.
"""

from __future__ import annotations

import argparse
import datetime
import json
import logging
import statistics
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import matrix
import significance
import text
import tokens
import training
from against import compare_revisions, table_of
from cases import SUBJECT, Case, NotAvailable, Prepared
from checks import is_rounding, say_correct
from machine import describe_machine, find_versions
from probes import PROBES, Probe
from table import tables_of

RESULTS = Path(__file__).with_name("results.json")
# A library that took this many seconds in three rounds skips the others.
ENOUGH = 10
RUNNERS: tuple[Case | Probe, ...] = (
    *text.CASES,
    *tokens.CASES,
    *training.CASES,
    *matrix.CASES,
    *significance.CASES,
    *PROBES,
)


def run_case(case: Case, quick: bool = False) -> dict:
    """Time every library of a case in interleaved rounds and compare the results.

    Returns
    -------
    dict
        The case's result: for each library ``time`` in `unit` (the median), ``slowest`` and
        ``fastest``, ``rounds``, ``part`` (how many segments were run, where these were not all; the
        times are those of all) and ``correct`` ("original", "yes", "yes, except for rounding",
        "no: ..." or why it is not compared); and the goals' standing.
    """
    data = case.select(max(1, case.segments // 20) if quick else case.segments)
    rounds = 3 if quick else case.rounds
    if not len(data):
        raise NotAvailable("the corpus is too small for this case")
    runs, missing = _load_libraries(case)
    if case.peer not in runs:
        raise NotAvailable(missing[case.peer])
    expected = None if isinstance(case.truth, str) else case.truth(*case.fresh(data))
    seconds: dict[str, list[float]] = {library: [] for library in runs}
    correct: dict[str, str] = {}
    for _ in range(rounds):
        for library, prepared in runs.items():
            if len(seconds[library]) >= 3 and sum(seconds[library]) > ENOUGH:
                continue
            run, work = prepared.run, prepared.prepare(*case.fresh(data))
            start = time.perf_counter()
            try:
                result = run(*work)
            except Exception as error:
                result = error
            seconds[library].append(time.perf_counter() - start)
            if library == case.truth and expected is None:
                expected = result
            if library not in correct or correct[library].startswith("yes"):
                correct[library] = _check(case, library, result, expected)
            del work, result
    unit, scale = "ms", 1e3
    if case.per:
        unit, scale = case.per.unit, case.per.scale / case.per.count(len(data))
    libraries: dict[str, dict] = {}
    for library, times in seconds.items():
        part = min(runs[library].part or len(data), len(data))
        whole = scale * len(data) / part
        libraries[library] = {
            "time": statistics.median(times) * whole,
            "fastest": min(times) * whole,
            "slowest": max(times) * whole,
            "rounds": len(times),
            "correct": correct[library],
            **({"part": part} if part < len(data) else {}),
        }
    reached = {}
    if SUBJECT in libraries:
        own = libraries[SUBJECT]["time"]
        for library in libraries.keys() - {SUBJECT}:
            ratio = libraries[library]["time"] / own
            reached[library] = {"ratio": ratio, "slowdown": 1 / ratio}
            if case.per:
                reached[library][case.per.quantity] = own
    measure = (lambda line: len(line.split())) if case.measured_in == "tokens" else len
    return {
        **_describe(case),
        "data": data.source,
        "segments": len(data),
        case.measured_in: sum(map(measure, data.hypotheses)),
        "unit": unit,
        "libraries": libraries,
        "missing": missing,
        **_stand(case, reached, libraries),
    }


def run_probe(probe: Probe, quick: bool = False) -> dict:
    """Measure what needs a process of its own; return a result like that of `run_case`."""
    found = probe.measure(quick)
    libraries = {
        probe.peer: {"time": found.pop("peer_time"), "correct": "original"},
        SUBJECT: {"time": found.pop("time"), "correct": found.pop("correct")},
    }
    reached = {probe.peer: found.pop("reached")}
    return {
        **_describe(probe),
        "libraries": libraries,
        "missing": {},
        **_stand(probe, reached, libraries),
        **found,
    }


def _describe(runner: Case | Probe) -> dict:
    return {field: getattr(runner, field) for field in ("name", "title", "section", "peer")}


def _load_libraries(case: Case) -> tuple[dict[str, Prepared], dict[str, str]]:
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
    said = case.unchecked.get(library)
    if isinstance(said, str):
        return said
    if library == case.truth:
        return "original"
    if expected is None or isinstance(expected, Exception):
        return "no: there is no original result to compare with"
    if said is not None:
        return said(result, expected)
    wrong = case.equal(result, expected)
    # only fastbleu promises the original's bits
    if wrong and library != SUBJECT and is_rounding(result, expected):
        return f"yes, except for rounding: {wrong}"
    return say_correct(wrong)


def _stand(
    runner: Case | Probe, reached: dict[str, dict[str, float]], libraries: dict[str, dict]
) -> dict:
    """Say for each goal what was reached; a wrong result reaches nothing."""
    standing = []
    for goal in runner.goals:
        peer = goal.peer or runner.peer
        value = reached.get(peer, {}).get(goal.quantity)
        if value is None:
            verdict = "not run"
        elif any(libraries[name]["correct"].startswith("no:") for name in (peer, SUBJECT)):
            verdict = "missed: the result is wrong"
        else:
            verdict = goal.verdict(value)
        standing.append({**vars(goal), "peer": peer, "reached": value, "verdict": verdict})
    return {"reached": reached, "goals": standing}


def main(arguments: list[str] | None = None) -> int:
    """Run the chosen cases, print the tables and, after a full run, write results.json."""
    parser = argparse.ArgumentParser(description="Run the benchmarks.")
    parser.add_argument("--quick", action="store_true", help="few segments, few rounds")
    parser.add_argument("--only", metavar="NAME", help="the cases whose names start with NAME")
    parser.add_argument(
        "--save", action="store_true", help="with --only: replace these results in results.json"
    )
    parser.add_argument(
        "--against",
        metavar="REVISION",
        help="build that revision and the working tree, and compare the two by CPU time",
    )
    parser.add_argument("--out", type=Path, help="where to write the results of this run (JSON)")
    chosen = parser.parse_args(arguments)
    if chosen.save and (chosen.quick or not chosen.only):
        parser.error("--save goes with --only and not with --quick")
    runners = [runner for runner in RUNNERS if _is_chosen(runner, chosen.only)]
    if not runners:
        names = ", ".join(runner.name for runner in RUNNERS)
        parser.error(f"no case starts with {chosen.only!r}; there are {names}")
    if chosen.against:
        return _compare_with(chosen.against, runners, chosen)
    results: dict = {
        "quick": chosen.quick,
        "machine": describe_machine(),
        "versions": find_versions(),
        "cases": [_run_apart(runner.name, chosen.quick) for runner in runners],
    }
    if chosen.out:
        _write(chosen.out, results)
    elif chosen.save or not (chosen.quick or chosen.only):
        _write(RESULTS, _merged(results, is_full=not chosen.only))
    print(tables_of(results))
    return 0


def _compare_with(revision: str, runners: list[Case | Probe], chosen: argparse.Namespace) -> int:
    """Print what changed in time since `revision`; return 1 if a result did."""
    cases = [runner for runner in runners if isinstance(runner, Case)]
    comparison = compare_revisions(cases, revision, chosen.quick)
    if chosen.out:
        _write(chosen.out, comparison)
    print(table_of(comparison))
    return int(any(case.get("equal", "yes") != "yes" for case in comparison["cases"]))


def _is_chosen(runner: Case | Probe, prefix: str | None) -> bool:
    if prefix is None:
        return not _is_on_request(runner)
    return runner.name.startswith(prefix)


def _run_apart(name: str, quick: bool) -> dict:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_run, name, quick).result()


def _run(name: str, quick: bool) -> dict:
    warnings.simplefilter("ignore", UserWarning)  # nltk's, about orders without a match
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    (runner,) = [runner for runner in RUNNERS if runner.name == name]
    print(f"{runner.name} ...", end=" ", file=sys.stderr, flush=True)
    start = time.perf_counter()
    try:
        result = run_case(runner, quick) if isinstance(runner, Case) else run_probe(runner, quick)
    except NotAvailable as error:
        result = {**_describe(runner), "not_run": str(error)}
    result["date"] = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    print(f"{_summary(result)} [{time.perf_counter() - start:.0f} s]", file=sys.stderr)
    return result


def _summary(result: dict) -> str:
    if "not_run" in result:
        return f"not run: {result['not_run']}"
    goals = [
        f"{goal['quantity']} {goal['reached']:.3g}: {goal['verdict']}"
        for goal in result["goals"]
        if goal["reached"] is not None
    ]
    return "; ".join(goals) or f"peer {result['libraries'][result['peer']]['time']:.4g}"


def _merged(results: dict, is_full: bool) -> dict:
    """Return what results.json becomes: new results, and old ones of cases that did not run.

    A full run keeps of the old ones only those on request; what another machine measured goes.
    """
    old = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    if old.get("machine") != results["machine"]:
        print("results.json was another machine's: its results are dropped", file=sys.stderr)
        old = {}
    by_name = {case["name"]: case for case in old.get("cases", [])}
    new = {case["name"]: case for case in results["cases"]}
    kept = [
        new.get(runner.name) or by_name.get(runner.name)
        for runner in RUNNERS
        if not is_full or runner.name in new or _is_on_request(runner)
    ]
    return {**results, **({} if is_full else old), "cases": [case for case in kept if case]}


def _is_on_request(runner: Case | Probe) -> bool:
    return isinstance(runner, Probe) and runner.on_request


def _write(path: Path, results: dict) -> None:
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
