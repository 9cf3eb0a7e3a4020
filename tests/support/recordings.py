"""What the originals returned: the files of tests/recordings, whose README has their sources."""

import functools
import gzip
import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "recordings"
# By the kind of text, which the ids of TOOLS begin with.
DIALECTS = {"edge": "edge.jsonl", "fuzz": "fuzz.jsonl.gz"}
TOOLS = "tools.jsonl.gz"


def read_cases(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSON Lines file."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@functools.cache
def recorded(name: str) -> list[dict[str, Any]]:
    """The cases of a file of `FOLDER`."""
    return read_cases(FOLDER / name)


@functools.cache
def recorded_tools() -> list[tuple[list[str], list[list[str]], dict[str, Any]]]:
    """Hypotheses, references and the results of evaluation tools for each case."""
    texts = {f"{kind}:{case['id']}": case for kind in DIALECTS for case in recorded(DIALECTS[kind])}
    results = recorded(TOOLS)
    return [(texts[r["id"]]["hypotheses"], texts[r["id"]]["references"], r) for r in results]


def recorded_value(case: dict[str, Any], part: str, variant: str) -> Any:
    """A recorded value; that of the running Python's sum(), where it differs."""
    values = case.get(part, {}).get(variant)
    newer = case.get("python312", {}).get(part, {}) if sys.version_info >= (3, 12) else {}
    if variant in newer and part == "sentences":
        return [newer[variant].get(str(i), value) for i, value in enumerate(values)]
    return newer.get(variant, values)
