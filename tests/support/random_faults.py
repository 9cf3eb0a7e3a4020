"""Random faults in Python files: ``python tests/support/random_faults.py ROOM [-n 10] [TEST ...]``.

Plants one at a time in a copy of the package: a comparison with its neighbour, + for -, n + 1 for
n, `and` for `or`, a `not` dropped. Runs the room's tests, then the TESTs, until one fails; prints
each fault that none of them notices. A survivor needs a test, or is equivalent.
"""

import argparse
import ast
import random
import shutil
import sys
from collections.abc import Iterator

from mutants import FAILED, ROOT, WORK, run_tests

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.Gt: ast.GtE,
    ast.Eq: ast.NotEq,
    ast.Add: ast.Sub,
    ast.And: ast.Or,
}
SWAPS |= {value: key for key, value in SWAPS.items()}


def candidates(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions below a node that can be made wrong; annotations are none."""
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and field not in ("annotation", "returns"):
                yield from candidates(child)
    match node:
        case ast.Compare(ops=[op]) | ast.BinOp(op=op) | ast.BoolOp(op=op) if type(op) in SWAPS:
            yield node
        case ast.UnaryOp(op=ast.Not()) | ast.Constant(value=int()):
            if not isinstance(getattr(node, "value", None), bool):
                yield node


def make_wrong(node: ast.expr) -> None:
    match node:
        case ast.Compare():
            node.ops = [SWAPS[type(node.ops[0])]()]
        case ast.BinOp() | ast.BoolOp():
            node.op = SWAPS[type(node.op)]()
        case ast.UnaryOp():
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        case ast.Constant():
            node.value += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("room")
    parser.add_argument("tests", nargs="*")
    parser.add_argument("-n", "--number", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=300, help="for the tests of a fault")
    arguments = parser.parse_intermixed_args()
    package = ROOT / "src" / "fastbleu"
    room = package / arguments.room
    files = sorted(room.rglob("*.py")) if room.is_dir() else [room.with_suffix(".py")]
    places = [
        (file, number)
        for file in files
        for number, _ in enumerate(candidates(ast.parse(file.read_text(encoding="utf-8"))))
    ]
    places = random.Random(arguments.seed).sample(places, min(arguments.number, len(places)))
    name = f"random-{arguments.room.replace('/', '-')}"
    shutil.rmtree(WORK / name, ignore_errors=True)
    shutil.copytree(package, WORK / name / "fastbleu")
    own = f"tests/{arguments.room}"
    tests = [*[own] * (ROOT / own).is_dir(), *arguments.tests]
    status, output = run_tests(name, tests, sys.executable, 4 * arguments.seconds)
    if status:
        sys.exit(f"{output}\nthe tests fail without a fault, status {status}")
    survivors = 0
    for file, number in places:
        source = file.read_text(encoding="utf-8")
        tree = ast.parse(source)
        node = list(candidates(tree))[number]
        statement = source.splitlines()[node.lineno - 1].strip()
        before = ast.unparse(node)
        make_wrong(node)
        place = f"{file.relative_to(package)}:{node.lineno}:{node.col_offset + 1}"
        where = f"{place}: {before} -> {ast.unparse(node)}"
        copy = WORK / name / "fastbleu" / file.relative_to(package)
        copy.write_text(ast.unparse(tree), encoding="utf-8")
        status, output = run_tests(name, tests, sys.executable, arguments.seconds)
        copy.write_text(source, encoding="utf-8")
        found = FAILED.search(output)
        caught = "the tests hang" if status is None else found[1] if found else "a crash"
        print(f"{where}  [{statement}] {'SURVIVED' if status == 0 else caught}", flush=True)
        survivors += status == 0
    shutil.rmtree(WORK / name)
    print(f"{arguments.room}: {len(places)} faults, {survivors} survived")


if __name__ == "__main__":
    main()
