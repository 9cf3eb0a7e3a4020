"""Write the tables of documents that are made from what the package says of itself.

python tools/generate_tables.py            # dialects and recipes, in docs/reference
python tools/generate_tables.py --check    # compares these, writes nothing; exit status 1
python tools/generate_tables.py --scores   # docs/why-numbers-differ.md; needs WMT22 and PyTorch
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from pathlib import Path

import fastbleu
from fastbleu import dialects
from fastbleu.dialects.names import get

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("FASTBLEU_DATA") or PROJECT.parent / "shared" / "data")


def as_table(heads: str, rows: list[list[str]]) -> str:
    columns = heads.count(" | ") + 1
    lines = [f"| {heads} |", "|" + "---|" * columns]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in rows)]) + "\n"


def dialect_table() -> str:
    """One row for each dialect: what it is, and its defaults."""
    rows = []
    for name in dialects.names():
        [rules] = dialects.describe(name).rules
        dialect = get(name)
        tokens = rules["tokens"].replace("white space", "whitespace")
        case = "lowercased" if dialect.lowercase else "cased"
        length, smoothing = dialect.reference_length, ", ".join(dialect.smoothings)
        note = docstring(name).partition("\n")[0]
        summary = re.sub(r", 0-1(00)?|\.$", "", note)
        rows.append([f"`{name}`", summary, f"{tokens}, {case}", length, smoothing, rules["scale"]])
    heads = "`dialect=` | original | tokenizer, case | reference length | smoothing | scale"
    return as_table(heads, rows)


def docstring(name: str) -> str:
    """What the class of a dialect says of it, in Markdown."""
    text = inspect.cleandoc(type(get(name)).__doc__ or "")
    return text.replace("``", "`").replace("<", "&lt;")


def dialect_rules() -> str:
    """One section for each dialect: all of its rules."""
    sections = []
    for name in dialects.names():
        sections.append(f"\n## {name}\n\n{docstring(name)}\n\nOriginal: {get(name).source}\n")
    return "".join(sections) + "\n"


def recipe_table() -> str:
    """One row for each tool: its recipes, and how they compute."""
    tools: dict[str, list[dict[str, str]]] = {}
    for rules in dialects.describe().rules[len(dialects.names()) :]:
        tools.setdefault(rules["original"].split()[0], []).append(rules)
    rows = []
    for original, recipes in tools.items():
        named = [
            f"`{rules['dialect']}`" + f" ({rules['other names']})" * bool(rules["other names"])
            for rules in recipes
        ]
        arithmetic = dict.fromkeys(rules["arithmetic"].partition(",")[0] for rules in recipes)
        tokens, references, notes = (
            dict.fromkeys(rules[name] for rules in recipes if rules[name])
            for name in ("tokens", "references", "note")
        )
        cells = [named, [original], *map(list, (arithmetic, tokens, references)), list(notes)[:2]]
        rows.append([", ".join(cell) for cell in cells])
    return as_table("`dialect=` | original | arithmetic | tokens | references | to know", rows)


def score_tables() -> tuple[str, str]:
    """One output of WMT22 as every dialect scores it, and the way from one score to another."""
    hypotheses, references = (
        (DATA / "wmt22" / name).read_text(encoding="utf-8").split("\n")[:-1]
        for name in ("systems/en-de.Online-B.txt", "references/en-de.A.txt")
    )
    found = fastbleu.dialects.overview(hypotheses, references)
    if found.failures:
        sys.exit(f"not all dialects have a score: {found.failures}")
    rows = []
    for name, score in found.scores.items():
        printed = score.printed or f"{score.value:.4f}"
        rows.append([f"`{name}`", printed, found.reasons.get(name, "")])
    os.environ["COLUMNS"] = "100"
    path = str(fastbleu.explain(hypotheses, references, "nltk", "sacrebleu"))
    heads = "`dialect=` | score | what sets it apart from `sacrebleu`, in points of 0-100"
    return as_table(heads, rows), f"```text\n{path.partition(chr(10) * 2 + 'Findings')[0]}\n```\n"


def write(page: str, block: str, made: str) -> None:
    """Put a table between the marks of its block, or compare it with what is there."""
    path = PROJECT / "docs" / page
    text = path.read_text(encoding="utf-8")
    marked = re.compile(rf"(<!-- {block}:begin -->\n).*(<!-- {block}:end -->)", re.DOTALL)
    wanted = marked.sub(lambda found: found[1] + made + found[2], text)
    if "--check" not in sys.argv:
        path.write_text(wanted, encoding="utf-8")
    elif wanted != text:
        sys.exit(f"{path} is out of date")


if "--scores" in sys.argv:
    scores, path = score_tables()
    write("why-numbers-differ.md", "scores", scores)
    write("why-numbers-differ.md", "path", path)
else:
    write("reference/dialects.md", "dialects", dialect_table())
    write("reference/dialect-rules.md", "rules", dialect_rules())
    write("reference/recipes.md", "recipes", recipe_table())
