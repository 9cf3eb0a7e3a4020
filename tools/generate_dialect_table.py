"""Write the table of dialects in docs/reference/dialects.md, from the dialects' docstrings.

python tools/generate_dialect_table.py            # writes the table
python tools/generate_dialect_table.py --check    # compares, writes nothing; exit status 1
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from fastbleu.dialects import get, names

PROJECT = Path(__file__).resolve().parent.parent
PAGE = PROJECT / "docs" / "reference" / "dialects.md"
BLOCK = re.compile(r"(<!-- dialects:begin -->\n).*(<!-- dialects:end -->)", re.DOTALL)


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, do not write")
    arguments = parser.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    wanted = BLOCK.sub(lambda found: found[1] + table() + found[2], text)
    if not arguments.check:
        PAGE.write_text(wanted, encoding="utf-8")
    elif wanted != text:
        print(f"{PAGE} is out of date", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
