"""``python -m fastbleu.run``: run a program as if `fastbleu.patch` were its first line.

    python -m fastbleu.run script.py arguments ...
    python -m fastbleu.run -m lm_eval arguments ...

Python processes that the program starts are patched, too: subprocesses, and the workers of
multiprocessing whatever their start method. FASTBLEU_PATCH=0 in a child's environment turns it off;
a child that ignores PYTHONPATH (``python -I``, ``python -E``) is not patched.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from .integrations import patching

_STARTUP = Path(__file__).parent / "integrations" / "startup"


def main(argv: Sequence[str] | None = None) -> None:
    """Run the program that `argv` (default: ``sys.argv[1:]``) names; it ends as by itself."""
    parser = argparse.ArgumentParser(
        prog="python -m fastbleu.run",
        usage="%(prog)s (SCRIPT | -m MODULE) [ARGUMENT ...]",
        description="Run a program whose BLEU is computed by fastbleu, with the same results.",
    )
    rest = argparse.REMAINDER
    parser.add_argument("-m", dest="module", nargs=rest, metavar="MODULE", help="run a module")
    parser.add_argument("program", nargs=rest, metavar="SCRIPT", help="run a file")
    options = parser.parse_args(argv)
    program = options.module or options.program
    if not program:
        parser.error("name a script, or a module after -m")
    if not options.module and not Path(program[0]).exists():
        parser.error(f"there is no script {program[0]!r}; for a module: -m {program[0]}")

    os.environ["FASTBLEU_PATCH"] = "1"
    paths = [str(_STARTUP), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    patching.patch()
    sys.argv[:] = program
    if options.module:
        # `-m fastbleu.run` put the current folder first, where Python looks for a module, too.
        runpy.run_module(program[0], run_name="__main__", alter_sys=True)
    else:
        if not getattr(sys.flags, "safe_path", False):
            sys.path[0] = str(Path(program[0]).resolve().parent)
        # Absolute, as python makes `__file__`.
        runpy.run_path(str(Path(program[0]).absolute()), run_name="__main__")


if __name__ == "__main__":
    main()
