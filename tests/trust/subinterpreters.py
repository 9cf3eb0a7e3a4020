"""What becomes of the package in sub-interpreters: a script for any CPython that has them.

    python subinterpreters.py "main first" (or "main last")

Prints a line for each kind of sub-interpreter, with the ImportError that refuses the package, and
one for the main interpreter; `not here` where this Python has none. Ends with status 1 if the
package is not refused, or if it does not work in the main interpreter afterwards.
"""

import os
import sys

CODE = """
import sys
sys.path[:] = {path!r}
try:
    import fastbleu, fastbleu.sacrebleu
    tokens = ["a", "b", "c", "d", "a token of more than fifteen"]
    score = fastbleu.sentence_bleu([tokens], tokens)
    row = fastbleu.BLEU(tokenize=False).count([tokens], [[tokens]]).__array__().tolist()[0]
    words = fastbleu.tokenizers.tokenize("a,b", "13a")
    right = (score, row[:3], words) == (1.0, [5] * 3, ["a", ",", "b"])
    said = "works" if right else f"WRONG: {{score}}, {{row}}"
except ImportError as error:
    said = f"ImportError: {{error}}"
except BaseException as error:
    said = f"WRONG: {{type(error).__name__}}: {{error}}"
"""
try:
    import _interpreters as module  # since 3.13

    KINDS = {"own GIL": ["isolated"], "shared GIL": ["legacy"]}
    create = module.create
except ImportError:
    try:
        import _xxsubinterpreters as module
    except ImportError:
        print("not here")
        sys.exit()

    # Before 3.12 all share the GIL; the other kind may not import everything.
    KINDS = {"own GIL, or isolated": [True], "shared GIL": [False]}
    create = lambda isolated: module.create(isolated=isolated)  # noqa: E731


def main_interpreter() -> str:
    here: dict[str, str] = {}
    exec(CODE.format(path=sys.path), here)
    return here["said"]


def sub_interpreter(*kind: object) -> str:
    """What the code says, run in a sub-interpreter; what is raised there counts as said."""
    made = create(*kind)
    reader, writer = os.pipe()
    code = CODE.format(path=sys.path) + f"\nimport os\nos.write({writer}, said.encode())\n"
    try:
        problem = module.run_string(made, code)
    except Exception as error:  # before 3.13 it is raised again here
        problem = error
    module.destroy(made)
    os.close(writer)
    with open(reader, encoding="utf-8") as pipe:
        return pipe.read() or f"WRONG: {problem}"


order = sys.argv[1]
right = order == "main last" or main_interpreter() == "works"
for name, kind in KINDS.items():
    for _ in range(2):
        said = sub_interpreter(*kind)
        right &= said.startswith("ImportError: ")
    print(f"{name}, {order}: {said}")
said = main_interpreter()
print(f"the main interpreter, {order}: {said}")
sys.exit(not right or said != "works")
