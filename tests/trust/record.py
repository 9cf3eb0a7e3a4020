"""Puts the figures of the last runs into SECURITY.md: `python tests/trust/record.py`.

Short and long forms stand there one below the other, with the parts that were never run named. Of a
form that failed anywhere nothing is recorded.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from trust.part import ROOT  # noqa: E402
from trust.run import FORMS, NAMES, results_of  # noqa: E402

COMMANDS = {"short": "make trust", "long": "make trust-long"}


def table(form: str, parts: dict[str, Any]) -> str:
    """The figures as Markdown."""
    rows = ["| part | what | cases | seconds | failures |", "|---|---|--:|--:|--:|"]
    names = [name for name in NAMES if name in parts]
    outcomes = [(name, outcome) for name in names for outcome in parts[name]["outcomes"]]
    for name, outcome in outcomes:
        failures = outcome["skipped"] or len(outcome["failures"])
        figures = f"{outcome['cases']:,} | {outcome['seconds']:.1f} | {failures}"
        rows.append(f"| {name} | {outcome['what']} | {figures} |")
    cases, seconds = (sum(outcome[of] for _, outcome in outcomes) for of in ("cases", "seconds"))
    rows.append(f"| all | | {cases:,} | {seconds:.1f} | 0 |")
    first = parts[names[0]]
    about = f"CPython {first['python']}, {first['machine']}"
    if absent := [name for name in NAMES if name not in parts]:
        about += f"; not run: {', '.join(absent)}"
    return f"`{COMMANDS[form]}` ({about}):\n\n" + "\n".join(rows)


def recorded(text: str, form: str, parts: dict[str, Any]) -> str:
    """The text of SECURITY.md with these figures in place of those of an earlier run."""
    begin, end = f"<!-- trust-{form}:begin -->\n", f"<!-- trust-{form}:end -->"
    block = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    text, count = block.subn(lambda _: f"{begin}{table(form, parts)}\n{end}", text)
    if count != 1:
        raise SystemExit(f"SECURITY.md needs the lines {begin.strip()} and {end}, in this order")
    return text


def main() -> int:
    security = ROOT / "SECURITY.md"
    text = security.read_text(encoding="utf-8")
    problems = []
    for form in FORMS:
        path = results_of(form)
        parts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        failed = [n for n in parts if any(o["failures"] for o in parts[n]["outcomes"])]
        if failed or not parts:
            problems.append(f"{form}: not recorded; failed: {', '.join(failed) or 'none, not run'}")
        else:
            text = recorded(text, form, parts)
    security.write_text(text, encoding="utf-8")
    print("\n".join(problems) or "recorded", file=sys.stderr)
    return len(problems)


if __name__ == "__main__":
    sys.exit(main())
