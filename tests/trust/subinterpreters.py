"""What becomes of the package in sub-interpreters: a script for any CPython that has it.

    python subinterpreters.py "main first" (or "main last")

Prints a line for each kind of sub-interpreter: whether the package works there or is refused with
an ImportError; `not here` where this Python has none. Ends with status 1 if it is anything else, or
if the main interpreter does not work afterwards.
"""

from __future__ import annotations

import sys
from typing import Any

CODE = """
import sys
sys.path[:] = {path!r}
try:
    import fastbleu, fastbleu.sacrebleu
    tokens = ["a", "b", "c", "d", "a token of more than fifteen"]
    score = fastbleu.sentence_bleu([tokens], tokens)
    rows = list(fastbleu.count([tokens], [[tokens]])._rows)
    right = (score, rows[:3], fastbleu.tokenize("a,b", "13a")) == (1.0, [5] * 3, ["a", ",", "b"])
    said = "works" if right else f"WRONG: {{score}}, {{rows}}"
except ImportError as error:
    said = f"ImportError: {{error}}"
except BaseException as error:
    said = f"WRONG: {{type(error).__name__}}: {{error}}"
"""


def interpreters() -> tuple[Any, dict[str, Any]]:
    """The module of sub-interpreters, and how to create each kind."""
    try:
        import _interpreters as module  # since 3.13

        return module, {
            "own GIL": lambda: module.create("isolated"),
            "shared GIL": lambda: module.create("legacy"),
        }
    except ImportError:
        import _xxsubinterpreters as module

        # Before 3.12 all share the GIL; the other kind may not import everything.
        kind = "own GIL" if sys.version_info >= (3, 12) else "isolated"
        return module, {
            kind: lambda: module.create(isolated=True),
            "shared GIL": lambda: module.create(isolated=False),
        }


def said_in(module: Any, made: Any) -> str:
    """What the code says, run in a sub-interpreter; what is raised there counts as said."""
    import os

    reader, writer = os.pipe()
    code = CODE.format(path=sys.path) + f"\nimport os\nos.write({writer}, said.encode())\n"
    try:
        problem = module.run_string(made, code)
    except Exception as error:  # before 3.13 it is raised again here
        problem = error
    os.close(writer)
    with open(reader, encoding="utf-8") as pipe:
        text = pipe.read()
    return text or f"WRONG: {problem}"


def main() -> int:
    here: dict[str, Any] = {}
    order = sys.argv[1]
    try:
        module, kinds = interpreters()
    except ImportError:
        print("not here")
        return 0
    failed = False
    if order == "main first":
        exec(CODE.format(path=sys.path), here)
        failed |= here["said"] != "works"
    for kind, create in kinds.items():
        for _ in range(2):
            made = create()
            said = said_in(module, made)
            module.destroy(made)
            failed |= not said.startswith(("works", "ImportError: "))
        print(f"{kind}, {order}: {said}")
    exec(CODE.format(path=sys.path), here)
    print(f"the main interpreter, {order}: {here['said']}")
    return int(failed or here["said"] != "works")


if __name__ == "__main__":
    sys.exit(main())
