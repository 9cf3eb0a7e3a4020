"""`describe`: what a dialect or a recipe computes."""

from __future__ import annotations

import re
from inspect import cleandoc

from ..core.scoring.base import SEVERAL_REFERENCES, Dialect
from ..core.scoring.names import get, names
from ..plots.text import Table, Tables
from .counters import CountingDialect
from .recipes import LINES, Recipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Description(Tables):
    """What dialects compute; prints as a table.

    Attributes
    ----------
    rules : list of dict of str to str
        The name and the rules of each dialect or recipe: "dialect", "other names", "arithmetic",
        "tokens", "references", "corpus", "scale", "note", "original", and "details" ("" for
        recipes).
    """

    def __init__(self, rules: list[dict[str, str]]) -> None:
        self.rules = rules

    def to_dict(self) -> dict[str, Any]:
        """The attributes by name."""
        return {"rules": self.rules}

    def _tables(self) -> list[Table]:
        if len(self.rules) == 1:
            [rules] = self.rules
            paragraphs = [" ".join(part.split()) for part in rules["details"].split("\n\n")]
            return [
                Table(rules["dialect"], ("rule", ""), list(rules.items())[1:-1], paragraphs[1:])
            ]
        shown = "dialect", "arithmetic", "tokens", "references", "corpus", "note"
        rows = [tuple(rules[name] for name in shown) for rules in self.rules]
        return [Table("Dialects and recipes", shown, rows)]


def describe(name: str | None = None) -> Description:
    """Describe what a dialect or a recipe computes; by default all of them.

    Raises
    ------
    ValueError
        There is no dialect or recipe with this name.

    Examples
    --------
    >>> describe("llamafactory").rules[0]["tokens"]
    'characters'
    >>> describe("tf-nmt").rules[0]["note"]
    'compute_bleu of tensorflow/nmt, on whitespace tokens'
    """
    if name is not None:
        return Description([_rules(get(name))])
    return Description([_rules(dialect) for dialect in (*map(get, names()), *LINES.values())])


def _rules(dialect: Dialect) -> dict[str, str]:
    original_names = {ours: original for original, ours in (dialect.tokenizers or {}).items()}
    tokenizer = original_names.get(dialect.tokenizer, dialect.tokenizer)
    rules = {
        "dialect": dialect.name,
        "other names": "",
        "arithmetic": dialect.name,
        "tokens": "white space" if tokenizer == "none" else tokenizer,
        "references": dialect.references if SEVERAL_REFERENCES in dialect.features else "first",
        "corpus": "sums",
        "scale": f"0-{dialect.scale:g}",
        "note": "",
        "original": dialect.source,
        "details": "",
    }
    keeps_tokens = isinstance(dialect, CountingDialect) and dialect.keeps_tokens
    if dialect.aggregation == "mean":
        rules["corpus"] = "made of sentences"
    elif dialect.aggregation is None and keeps_tokens:
        rules["corpus"] = "of its tokens"
    if isinstance(dialect, Recipe):
        options = [f", {option} {value}" for option, value in dialect.changed.items()]
        base = "its own" if dialect.arithmetic is dialect else dialect.base.name
        return rules | {
            "other names": ", ".join(dialect.short),
            "arithmetic": "".join([base, *options]),
            "note": dialect.about,
        }
    details = cleandoc(type(dialect).__doc__ or "").replace("``", "")
    note = re.sub(r", 0-1(00)?|\.$", "", details.partition("\n")[0])
    return rules | {"note": note, "details": details}
