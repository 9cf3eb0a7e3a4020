"""Compare the package with an older revision of itself: same cases, interleaved, by CPU time.

Both are built alike, from what git knows of them, into folders of their own under build/against,
and each runs in a process of its own, which imports nothing else of this package. In every round
each of the two runs once on arguments made anew; the first is left out, because it warms up. The
same code built twice differs by up to 6 %, so smaller differences say nothing.

Called by ``python bench/run.py --against REVISION``; this file run by itself is one of the two
processes.
"""

from __future__ import annotations

import os
import pickle
import statistics
import subprocess
import sys
import tarfile
import time
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import Any

from cases import SUBJECT, Case
from checks import say_correct

ROOT = Path(__file__).resolve().parent.parent
#: Seconds of CPU time of one build after which a case has no more rounds, once it has three.
ENOUGH = 6
ROUNDS = 15


def compare_revisions(cases: list[Case], revision: str, quick: bool = False) -> dict:
    """Time this package's part of each case with `revision` and with the working tree.

    Returns
    -------
    dict
        ``revision`` and ``with`` (what was compared, as git names it), and for each case its
        ``name``, ``title``, and either ``error`` or: ``before`` and ``after`` (the least CPU time
        in seconds), ``ratio`` of these, ``ratio_of_medians``, ``rounds``, ``equal`` ("yes" or
        "no: ...").

    Raises
    ------
    SystemExit
        If git does not know the revision, or it cannot be built.
    """
    before = _commit_of(revision)
    # What has been changed and not committed, too; nothing where there is nothing of the kind.
    after = _git("stash", "create").strip() or _commit_of("HEAD")
    with ExitStack() as stack:
        builds = [stack.enter_context(_Build(commit)) for commit in (before, after)]
        results = []
        for case in cases:
            result = {"name": case.name, "title": case.title, **_compare(case, builds, quick)}
            results.append(result)
            print(_row(result), file=sys.stderr)
    return {"revision": _describe(before), "with": _describe(after), "cases": results}


def table_of(comparison: dict) -> str:
    """Return the comparison as a Markdown table."""
    header = ["| case | before | after | ratio | of medians | equal |", "|---|--:|--:|--:|--:|---|"]
    title = f"**{comparison['with']} against {comparison['revision']}**"
    return "\n".join([title, "", *header, *map(_row, comparison["cases"])])


def _row(result: dict) -> str:
    if "error" in result:
        return f"| {result['title']} | | | | | not run: {result['error']} |"
    return (
        f"| {result['title']} | {1e3 * result['before']:.4g} ms | {1e3 * result['after']:.4g} ms"
        f" | {result['ratio']:.2f}x | {result['ratio_of_medians']:.2f}x | {result['equal']} |"
    )


class _Build:
    """A process with one revision of the package, which runs cases on request."""

    def __init__(self, commit: str) -> None:
        folder = _build(commit)
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(folder)},
        )

    def __enter__(self) -> _Build:
        return self

    def __exit__(self, *raised: object) -> None:
        self._process.kill()
        self._process.wait()

    def run(self, name: str, quick: bool) -> Any:
        """Return CPU seconds and the result of one run of the case, or the error it ended with."""
        try:
            pickle.dump((name, quick), self._process.stdin)
            self._process.stdin.flush()
            return pickle.load(self._process.stdout)
        except (EOFError, BrokenPipeError) as error:
            raise SystemExit(f"{name} ended the process that ran it") from error


def _compare(case: Case, builds: list[_Build], quick: bool) -> dict:
    seconds: tuple[list[float], list[float]] = ([], [])
    equal = "yes"
    for number in range((3 if quick else ROUNDS) + 1):
        results = []
        for build, times in zip(builds, seconds, strict=True):
            answer = build.run(case.name, quick)
            if isinstance(answer, str):
                return {"error": answer}
            spent, result = answer
            results.append(result)
            if number:
                times.append(spent)
        if equal == "yes":
            equal = say_correct(case.equal(results[1], results[0]))
        if number >= 3 and sum(seconds[0]) > ENOUGH:
            break
    before, after = seconds
    return {
        "before": min(before),
        "after": min(after),
        "ratio": min(before) / min(after),
        "ratio_of_medians": statistics.median(before) / statistics.median(after),
        "rounds": len(before),
        "equal": equal,
    }


def _build(commit: str) -> Path:
    """Build a commit into a folder named after its files, if that is not there, and return it."""
    tree = _git("rev-parse", f"{commit}^{{tree}}").strip()
    folder = ROOT / "build" / "against" / tree[:12]
    done = folder / "built"
    if done.exists():
        return folder
    print(f"building {_describe(commit)} ...", file=sys.stderr)
    sources = folder / "sources"
    archive = subprocess.run(
        ["git", "archive", commit], cwd=ROOT, capture_output=True, check=True
    ).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as packed:
        packed.extractall(sources, filter="data")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FASTBLEU_")}
    install = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    built = subprocess.run(
        [*install, "--no-deps", "--upgrade", "--target", str(folder), str(sources)],
        env=environment,
        check=False,
    )
    if built.returncode:
        raise SystemExit(f"{_describe(commit)} does not build")
    done.touch()
    return folder


def _commit_of(revision: str) -> str:
    return _git("rev-parse", "--verify", f"{revision}^{{commit}}").strip()


def _describe(commit: str) -> str:
    return _git("log", "-1", "--format=%h %s", commit).strip()


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def _serve() -> None:
    """Run cases as they are asked for on standard input; the data of the last one is kept."""
    import logging
    import warnings

    import run as runner

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get among the answers
    warnings.simplefilter("ignore")
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    cases = {case.name: case for case in runner.RUNNERS if isinstance(case, Case)}
    current: Any = None
    while True:
        try:
            name, quick = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        case = cases[name]
        answer: Any
        try:
            if current is None or current[0] != name:
                data = case.select(max(1, case.segments // 20) if quick else case.segments)
                current = name, data, case.adapters[SUBJECT]()
            _, data, prepared = current
            work = prepared.prepare(*case.fresh(data))
            start = time.process_time()
            result = prepared.run(*work)
            spent = time.process_time() - start
            answer = pickle.dumps((spent, result))
            del work, result
        except Exception as error:
            answer = pickle.dumps(f"{type(error).__name__}: {error}")
        answers.write(answer)
        answers.flush()


if __name__ == "__main__":
    _serve()
