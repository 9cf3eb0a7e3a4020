"""What becomes of the package in sub-interpreters: a script for any CPython that has it.

    python subinterpreters.py "main first" (or "main last")

Prints a line for each kind of sub-interpreter: whether the package works there or is refused with
an ImportError; `not here` where this Python has none. Ends with status 1 if it is anything else, or
if the main interpreter does not work afterwards.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

CODE = """
import sys
sys.path[:] = {path!r}
try:
    import fastbleu, fastbleu.sacrebleu
    tokens = ["a", "b", "c", "d", "a token of more than fifteen"]
    score = fastbleu.sentence_bleu([tokens], tokens)
    row = fastbleu.count([tokens], [[tokens]]).__array__().tolist()[0]
    right = (score, row[:3], fastbleu.tokenize("a,b", "13a")) == (1.0, [5] * 3, ["a", ",", "b"])
    said = "works" if right else f"WRONG: {{score}}, {{row}}"
except ImportError as error:
    said = f"ImportError: {{error}}"
except BaseException as error:
    said = f"WRONG: {{type(error).__name__}}: {{error}}"
"""


def interpreters() -> tuple[Any, dict[str, Callable[[], Any]]]:
    """The module of sub-interpreters, and how to create each kind."""
    try:
        import _interpreters as module  # since 3.13

        own, shared = (lambda: module.create("isolated")), (lambda: module.create("legacy"))
    except ImportError:
        import _xxsubinterpreters as module

        own = lambda: module.create(isolated=True)  # noqa: E731
        shared = lambda: module.create(isolated=False)  # noqa: E731
    # Before 3.12 all share the GIL; the other kind may not import everything.
    kind = "own GIL" if sys.version_info >= (3, 12) else "isolated"
    return module, {kind: own, "shared GIL": shared}


def said_here() -> str:
    here: dict[str, Any] = {}
    exec(CODE.format(path=sys.path), here)
    return str(here["said"])


def said_in(module: Any, made: Any) -> str:
    """What the code says, run in a sub-interpreter; what is raised there counts as said."""
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


def main(order: str) -> int:
    try:
        module, kinds = interpreters()
    except ImportError:
        print("not here")
        return 0
    right = order == "main last" or said_here() == "works"
    for kind, create in kinds.items():
        for _ in range(2):
            made = create()
            said = said_in(module, made)
            module.destroy(made)
            right &= said.startswith(("works", "ImportError: "))
        print(f"{kind}, {order}: {said}")
    said = said_here()
    print(f"the main interpreter, {order}: {said}")
    return int(not right or said != "works")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
