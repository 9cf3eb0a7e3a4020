"""``python -m fastbleu.run``: run a program as if `fastbleu.patch` were its first line.

    python -m fastbleu.run script.py arguments ...
    python -m fastbleu.run -m lm_eval arguments ...

What follows is a command line of Python. Python processes that the program starts are patched, too:
subprocesses, and the workers of multiprocessing whatever their start method. FASTBLEU_PATCH=0 in a
child's environment turns it off; ``python -I``, ``-E`` and ``-S`` are not patched.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_STARTUP = Path(__file__).parent / "patching" / "startup"


def main() -> None:
    """Become Python with the rest of the command line, in an environment that patches it."""
    if sys.flags.ignore_environment or sys.flags.no_site:
        sys.exit("fastbleu.run: Python's options -I, -E and -S prevent patching; leave them out")
    os.environ["FASTBLEU_PATCH"] = "1"
    paths = [str(_STARTUP), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    arguments = sys.argv[1:]
    *options, last = sys.orig_argv[1 : len(sys.orig_argv) - len(arguments)]
    if not last.startswith("-"):  # "-m" and "fastbleu.run" are two arguments
        last = options.pop()
    others = last.removesuffix("fastbleu.run").removesuffix("m")  # such as "-u" of "-um"
    command = [sys.executable, *options, *([others] if others != "-" else []), *arguments]
    if sys.platform == "win32":  # where the shell does not wait for the new process
        sys.exit(subprocess.run(command, check=False).returncode)
    os.execv(sys.executable, command)


if __name__ == "__main__":
    main()
