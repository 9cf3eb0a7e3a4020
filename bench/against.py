"""Compare the package with an older revision of itself: these cases, in turns.

Both are built alike, from what git knows of them, into folders of their own under build/against,
and each runs in a process of its own. Times of the same code built twice differ by up to 6 %, so
smaller differences say nothing; where valgrind is installed, instructions show them.
"""

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import instructions

ROOT = Path(__file__).resolve().parent.parent
CHANGED = 1.06  # more than times of two builds of the same code differ by


def compare(cases: list[Any], revision: str, repeat: int) -> bool:
    """Print a row for each case; return whether all results are equal.

    The least time of each is shown, after one run that is not counted, and the ratio of the
    instructions. A last line names the cases where one of both has changed.
    """
    before = git("rev-parse", "--verify", f"{revision}^{{commit}}")
    # What has been changed and not committed, too.
    after = git("stash", "create") or git("rev-parse", "HEAD")
    folders = [build(commit) for commit in (before, after)]
    print(f"**{described(after)} against {described(before)}**\n")
    print("| case | before | after | ratio | instructions | equal |\n|---|--:|--:|--:|--:|---|")
    all_equal, changed = True, []
    for case in cases:
        pools = [
            ProcessPoolExecutor(1, get_context("spawn"), use_build, [str(folder)])
            for folder in folders
        ]
        try:
            rounds = [
                [pool.submit(run, case.name).result() for pool in pools] for _ in range(repeat + 1)
            ]
        except Exception as error:
            print(f"| {case.title} | | | | | not run: {error} |", flush=True)
            continue
        finally:
            for pool in pools:
                pool.shutdown()
        is_equal = rounds[0][0][1] == rounds[0][1][1]
        all_equal &= is_equal
        old, new = (1e3 * min(round_[side][0] for round_ in rounds[1:]) for side in (0, 1))
        counts = [instructions.count(folder, case.name) for folder in folders]
        less = counts[0] / counts[1] if counts[0] and counts[1] else None
        most = instructions.CHANGED
        if max(old / new, new / old) > CHANGED or (less and not 1 / most <= less <= most):
            changed.append(f"{case.title} {old / new:.2f}x")
        ratio = f"{less:.3f}x" if less else "no valgrind"
        times = f"{old:.4g} ms | {new:.4g} ms | {old / new:.2f}x | {ratio}"
        print(f"| {case.title} | {times} | {'yes' if is_equal else 'NO'} |", flush=True)
    if changed:
        print(f"\nchanged: {', '.join(changed)}")
    return all_equal


# In the processes, each of which has one build on its path.


def use_build(folder: str) -> None:
    sys.path.insert(0, folder)


@cache
def loaded(name: str) -> tuple[Any, Any]:
    from run import CASES

    (case,) = [case for case in CASES if case.name == name]
    return case, case.corpus(case.segments)


def run(name: str) -> tuple[float, str]:
    """Return the seconds of one run, and a digest of its result."""
    import numpy as np

    import fastbleu

    if not fastbleu.__file__.startswith(sys.path[0]):
        raise RuntimeError(f"{fastbleu.__file__} was imported, not what lies in {sys.path[0]}")
    case, lines = loaded(name)
    seconds, result = case.seconds(case.ours, lines)
    return seconds, hashlib.sha256(np.asarray(result, float).tobytes()).hexdigest()


def build(commit: str) -> Path:
    """Build a commit into a folder named after its files and this Python, if that is not there."""
    tree = git("rev-parse", f"{commit}^{{tree}}")
    folder = ROOT / "build" / "against" / f"{tree[:12]}-{sys.implementation.cache_tag}"
    if (folder / "built").exists():
        return folder
    print(f"building {described(commit)} ...", file=sys.stderr)
    folder.mkdir(parents=True, exist_ok=True)
    sources = str(folder / "sources.tar.gz")
    git("archive", "--prefix=sources/", "-o", sources, commit)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    built = subprocess.run(
        [*pip, "--no-deps", "--upgrade", "--target", folder, sources],
        env={k: v for k, v in os.environ.items() if not k.startswith("FASTBLEU_")},
        check=False,
    )
    if built.returncode:
        raise SystemExit(f"{described(commit)} does not build")
    (folder / "built").touch()
    return folder


def described(commit: str) -> str:
    return git("log", "-1", "--format=%h %s", commit)


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()
