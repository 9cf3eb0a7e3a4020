"""Write what is made from the package's own names: tables of documents, types of names.

python tools/generate_tables.py            # dialects and recipes: docs/reference, name_types.py
python tools/generate_tables.py --check    # compares these, writes nothing; exit status 1
python tools/generate_tables.py --scores   # docs/why-numbers-differ.md; needs WMT22 and PyTorch
"""

from __future__ import annotations

import inspect
import os
import re
import sys
import textwrap
from itertools import chain
from pathlib import Path

import fastbleu
from fastbleu import dialects, tokenizers
from fastbleu.core.scoring.names import get

PROJECT = Path(__file__).resolve().parent.parent
# Names with a version that users ask for.
WITH_VERSIONS = "nltk@3.10", "torcheval@0.0.7", "promptfoo@0.121"
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
        case = ", lowercased" if dialect.cases[0] else ""
        note = inspect.cleandoc(type(dialect).__doc__ or "").partition("\n")[0]
        summary = re.sub(r", 0-1(00)?|,? on whitespace tokens|\.$", "", note.replace("``", "`"))
        length = dialect.reference_lengths[0]
        rows.append([f"`{name}`", summary, tokens + case, length, rules["scale"]])
    return as_table("name | original | tokenizer | reference length | scale", rows)


def recipe_list() -> str:
    """One line for each tool: its recipes, and what is special about them."""
    tools: dict[str, list[dict[str, str]]] = {}
    for rules in dialects.describe().rules[len(dialects.names()) :]:
        tools.setdefault(rules["original"].split()[0], []).append(rules)
    lines = []
    for original, recipes in tools.items():
        names = [f"`{rules['other names'] or rules['dialect']}`" for rules in recipes]
        notes = dict.fromkeys(
            note for rules in recipes for note in rules["note"].split("; ") if rules["note"]
        )
        if len(names) > 3:
            names[2:] = [f"{len(names) - 2} more"]
        special = "; ".join(list(notes)[:2])
        lines.append(f"- {original}: {', '.join(names)}" + f" ({special})" * bool(special))
    return "\n".join(lines) + "\n"


def score_tables() -> tuple[str, str]:
    """One output of WMT22 as every dialect scores it, and the way from one score to another."""
    hypotheses, references = (
        (DATA / "wmt22" / name).read_text(encoding="utf-8").split("\n")[:-1]
        for name in ("systems/en-de.Online-B.txt", "references/en-de.A.txt")
    )
    overview = dialects.overview(hypotheses, references)
    if overview.failures:
        sys.exit(f"not all dialects have a score: {overview.failures}")
    lines = []
    for name, score in overview.scores.items():
        printed = score.printed or f"{score.value:.4f}"
        lines.append(f"{name:17}  {printed:6}  {overview.reasons.get(name, '')}".rstrip())
    path = str(fastbleu.explain(hypotheses, references, "nltk", "sacrebleu"))
    path = "\n\n".join(path.split("\n\n")[:2])  # without notes and findings
    return "\n".join(["```text", *lines, "```\n"]), f"```text\n{path}\n```\n"


def name_types() -> str:
    """The names as types, for type checkers."""
    parts = [
        '"""The names that `BLEU` takes, as types; made by tools/generate_tables.py."""\n',
        "from typing import Literal, TypeAlias\n",
    ]
    every, own = dialects.names(recipes=True), dialects.names()
    tokenizer_names, smoothings = [*tokenizers.names(), "ptb-all"], list[str]()
    for dialect in map(get, own):
        smoothings += dialect.smoothings
        tokenizer_names += dialect.tokenizer, *chain(*(dialect.tokenizers or {}).items())
    made = {
        "DialectName": own,
        "RecipeName": (*every[len(own) :], *WITH_VERSIONS),
        "SmoothingName": dict.fromkeys(smoothings),
        "TokenizerName": dict.fromkeys(tokenizer_names),
    }
    for alias, names in made.items():
        quoted = ", ".join(f'"{name}"' for name in names)
        lines = textwrap.wrap(quoted, 96, break_long_words=False, break_on_hyphens=False)
        parts.append(f"# fmt: off\n{alias}: TypeAlias = Literal[")
        parts += [f"    {line}" for line in lines]
        parts.append("]")
    return "\n".join([*parts, "# fmt: on"]) + "\n"


def write(page: str, block: str, made: str) -> None:
    """Put a table between the marks of its block, or compare it with what is there."""
    path = PROJECT / "docs" / page
    text = path.read_text(encoding="utf-8")
    marked = re.compile(rf"(<!-- {block}:begin -->\n).*(<!-- {block}:end -->)", re.DOTALL)
    put(path, marked.sub(lambda found: found[1] + made + found[2], text))


def put(path: Path, wanted: str) -> None:
    """Write a file, or compare it with what is there."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if "--check" not in sys.argv:
        path.write_text(wanted, encoding="utf-8")
    elif wanted != text:
        sys.exit(f"{path} is out of date: run tools/generate_tables.py")


if "--scores" in sys.argv:
    scores, path = score_tables()
    write("why-numbers-differ.md", "scores", scores)
    write("why-numbers-differ.md", "path", path)
else:
    put(PROJECT / "src" / "fastbleu" / "originals" / "name_types.py", name_types())
    write("reference/dialects.md", "dialects", dialect_table())
    write("reference/dialects.md", "recipes", recipe_list())
