"""Reports which row of the data cannot be scored."""

import sys
from typing import Any, NamedTuple

import fastbleu


class Problem(NamedTuple):
    """What a user is shown."""

    text: str
    row: int | None
    side: str | None
    file: str | None
    line: int | None


def problem_of(hypotheses: list[Any], references: list[Any]) -> Problem | None:
    try:
        fastbleu.BLEU().score(hypotheses, references)
    except fastbleu.InputError as error:
        return Problem(str(error), error.segment, error.side, error.file, error.line)
    return None


def main() -> None:
    for hypotheses, references in (
        (["a", "b"], ["a", None]),
        (["a", "b"], ["a"]),
        (["a", "b", "c"], [["a", "b", "c"], ["a", "b", "c"]]),
    ):
        problem = problem_of(hypotheses, references)
        if problem is None:
            sys.exit("no error")
        print(problem.row, problem.text)


if __name__ == "__main__":
    main()
