"""Recipes: the BLEU of evaluation tools, by name.

Evaluation tools call a BLEU on tokens of their own, of some of the references, and average what it
returns. Their numbers have names here: ``fastbleu.BLEU(dialect="llamafactory")``.
"""

from __future__ import annotations

from .dialects import get
from .dialects.recipe import Recipe
from .dialects.recipe_table import LINES, NAMES
from .plots.tables import Table, Tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Description", "describe", "names"]


def names() -> tuple[str, ...]:
    """The names of all recipes; several names may be of the same.

    They are values of ``dialect`` wherever this package takes one. A name may be followed by "@"
    and the version of the original: "promptfoo@0.121", also a dialect's, "nltk@3.10".

    Examples
    --------
    >>> "llamafactory" in names(), "lighteval-bleu4" in names()
    (True, True)
    """
    return tuple(NAMES)


class Description(Tables):
    """What recipes compute; prints as a table.

    Attributes
    ----------
    rules : list of dict of str to str
        For each recipe its name, and how it computes: "recipe", "other names", "arithmetic",
        "tokens", "references", "corpus", "scale", "note", "original".
    """

    def __init__(self, rules: list[dict[str, str]]) -> None:
        self.rules = rules

    def to_dict(self) -> dict[str, Any]:
        """The attributes by their names."""
        return {"rules": self.rules}

    def _tables(self) -> list[Table]:
        if len(self.rules) == 1:
            [rules] = self.rules
            return [Table(rules["recipe"], ("rule", ""), list(rules.items())[1:])]
        shown = "recipe", "arithmetic", "tokens", "references", "corpus", "note"
        rows = [tuple(rules[name] for name in shown) for rules in self.rules]
        return [Table("Recipes", shown, rows)]


def describe(name: str | None = None) -> Description:
    """What a recipe computes, or all of them.

    Raises
    ------
    ValueError
        There is no recipe of this name.

    Examples
    --------
    >>> describe("llamafactory").rules[0]["tokens"]
    'characters'
    """
    lines: Any = LINES.values() if name is None else [get(name)]
    if not all(isinstance(line, Recipe) for line in lines):
        raise ValueError(f"{name!r} is a dialect, no recipe: see help(fastbleu.dialects.get(...))")
    return Description([_rules(line) for line in lines])


def _rules(line: Recipe) -> dict[str, str]:
    options = [f", {option} {value}" for option, value in line.changed.items()]
    of_corpus = "of its tokens" if line.tokens else "sums"
    return {
        "recipe": line.name,
        "other names": ", ".join(line.short),
        "arithmetic": "".join(
            ["its own" if line._arithmetic is line else line.base.name, *options]
        ),
        "tokens": "white space" if line.tokenizer == "none" else line.tokenizer,
        "references": line.references,
        "corpus": "made of sentences" if line.mean_of_sentences else of_corpus,
        "scale": f"0-{line.scale:g}",
        "note": line.about,
        "original": line.source,
    }
