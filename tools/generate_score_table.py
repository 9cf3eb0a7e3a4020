"""Write the tables in docs/why-numbers-differ.md: one WMT22 output, scored by every dialect.

FASTBLEU_DATA=DIR python tools/generate_score_table.py    # DIR has wmt22/; needs PyTorch
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import fastbleu

PROJECT = Path(__file__).resolve().parent.parent
PAGE = PROJECT / "docs" / "why-numbers-differ.md"
SYSTEM, REFERENCE = "systems/en-de.Online-B.txt", "references/en-de.A.txt"


def lines(name: str) -> list[str]:
    data = Path(os.environ.get("FASTBLEU_DATA") or PROJECT.parent / "shared" / "data") / "wmt22"
    return data.joinpath(name).read_text(encoding="utf-8").split("\n")[:-1]


def scores(hypotheses: list[str], references: list[str]) -> str:
    """A row for each dialect, the highest score first."""
    found = fastbleu.explain(hypotheses, references)
    if found.failures:
        sys.exit(f"not all dialects have a score: {found.failures}")
    rows = ["| `dialect=` | score | what sets it apart from `sacrebleu`, in points of 0-100 |"]
    rows.append("|---|---|---|")
    for name, score in found.scores.items():
        printed = score.printed or f"{score.value:.4f}"
        rows.append(f"| `{name}` | {printed} | {found.reasons.get(name, '')} |")
    return "\n".join(rows) + "\n"


def path(hypotheses: list[str], references: list[str]) -> str:
    found = fastbleu.explain(hypotheses, references, "nltk", "sacrebleu")
    return f"```text\n{str(found).partition(chr(10) * 2 + 'Findings')[0]}\n```\n"


def main() -> None:
    corpus = lines(SYSTEM), lines(REFERENCE)
    text = PAGE.read_text(encoding="utf-8")
    for name, block in (("scores", scores(*corpus)), ("path", path(*corpus))):
        marked = re.compile(rf"(<!-- {name}:begin -->\n).*(<!-- {name}:end -->)", re.DOTALL)
        text = marked.sub(lambda found, block=block: found[1] + block + found[2], text)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
