"""Write the tables of dialects and recipes in docs/reference, from docstrings and descriptions.

python tools/generate_dialect_table.py            # writes the tables
python tools/generate_dialect_table.py --check    # compares, writes nothing; exit status 1
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from fastbleu import recipes
from fastbleu.dialects import get, names

PAGES = Path(__file__).resolve().parent.parent / "docs" / "reference"
BLOCK = re.compile(r"(<!-- \w+:begin -->\n).*(<!-- \w+:end -->)", re.DOTALL)


def table() -> str:
    """One row for each dialect: the first sentence of its docstring, and its defaults."""
    rows = ["| `dialect=` | original | tokenizer, case | reference length | smoothing | scale |"]
    rows.append("|---|---|---|---|---|---|")
    for name in names():
        rules = get(name)
        first_line = (type(rules).__doc__ or "").partition("\n")[0]
        summary = re.sub(r", 0-1(00)?|\.$", "", first_line).replace("``", "`")
        case = "lowercased" if rules.lowercase else "cased"
        own = dict(map(reversed, (rules.tokenizers or {"whitespace": "none"}).items()))
        tokenizer = own.get(rules.tokenizer, rules.tokenizer)
        smoothing = ", ".join(rules.smoothings)
        rows.append(
            f"| `{name}` | {summary} | {tokenizer}, {case} "
            f"| {rules.reference_length} | {smoothing} | 0-{rules.scale:.0f} |"
        )
    return "\n".join(rows) + "\n"


def recipe_table() -> str:
    """One row for each tool: its recipes, and how they compute."""
    tools: dict[str, list[dict[str, str]]] = {}
    for rules in recipes.describe().rules:
        tools.setdefault(rules["original"].split()[0], []).append(rules)
    rows = ["| `dialect=` | original | arithmetic | tokens | references | to know |"]
    rows.append("|---|---|---|---|---|---|")
    for original, its in tools.items():
        named = [
            f"`{rules['recipe']}`" + f" ({rules['other names']})" * bool(rules["other names"])
            for rules in its
        ]
        arithmetic = dict.fromkeys(rules["arithmetic"].partition(",")[0] for rules in its)
        tokens, references, notes = (
            dict.fromkeys(rules[name] for rules in its if rules[name])
            for name in ("tokens", "references", "note")
        )
        cells = [named, [original], *map(list, (arithmetic, tokens, references)), list(notes)[:2]]
        rows.append("| " + " | ".join(", ".join(cell) for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, do not write")
    arguments = parser.parse_args()
    for page, made in (("dialects.md", table()), ("recipes.md", recipe_table())):
        path = PAGES / page
        text = path.read_text(encoding="utf-8")
        wanted = BLOCK.sub(lambda found, made=made: found[1] + made + found[2], text)
        if not arguments.check:
            path.write_text(wanted, encoding="utf-8")
        elif wanted != text:
            print(f"{path} is out of date", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
