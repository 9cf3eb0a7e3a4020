"""What messages advise: tables of cases in which it is typed, and what no case types."""

import ast
import re
import warnings
from collections.abc import Iterable
from typing import Any

from processes import ROOT

SOURCE = ROOT / "src/fastbleu"
# Where a message begins to say what to type.
ADVICE = re.compile(
    r"(^|[,:;(] |\b(or|and) )"
    r"((add|call|choose|pass|use) |name (all|another|it|one|the) |write (?!a|the))"
    r"|: it needs "
)


def cases(table: str) -> list[list[str]]:
    """The lines of each case.

    What is typed first; the advice in its message, as a pattern with groups; what is typed then,
    with the groups for {0}, {1}; and what that equals, unless it is the usual result.
    """
    return [[*map(str.strip, case.splitlines())] for case in re.split(r"\n(?! )", table.strip())]


def heard(call: str, names: dict[str, Any]) -> str:
    """The message of the error, or of the warnings, of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            eval(call, names)
        except Exception as error:
            return str(error)
    return "\n".join([str(warning.message) for warning in caught])


def follow(case: list[str], names: dict[str, Any], usual: str) -> None:
    """Assert that the advice of a case works; `usual` is the result if the case has none."""
    call, pattern, typed, *expected = case
    found = re.search(pattern, message := heard(call, names))
    assert found, message
    result = eval(typed.format(*found.groups()), names)
    assert result == eval((*expected, usual)[0].format(), names)


def untyped(said: str, folders: Iterable[str], known: tuple[str, ...] = ()) -> list[str]:
    """What the source of these folders says to type, except what is `said` by the cases.

    Parts that begin with a `known` text are left out, and known texts that no part begins with are
    added.
    """
    parts = []
    for path in [path for folder in folders for path in (SOURCE / folder).rglob("*.py")]:
        nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        texts = [n for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        for text in texts:
            if id(text) not in docstrings:
                parts += filter(ADVICE.search, re.split(r"\{\w*\}", str(text.value)))
    parts = [part for part in parts if part not in said]
    unused = [text for text in known if not any(part.startswith(text) for part in parts)]
    return unused + [part for part in parts if not part.startswith(known)]
