"""What the originals returned: the files of tests/recordings, whose README has their sources."""

from __future__ import annotations

import functools
import gzip
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "recordings"


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
    texts = {
        f"{name}:{case['id']}": case
        for name, file in (("edge", "edge.jsonl"), ("fuzz", "fuzz.jsonl.gz"))
        for case in recorded(file)
    }
    results = recorded("tools.jsonl.gz")
    return [(texts[r["id"]]["hypotheses"], texts[r["id"]]["references"], r) for r in results]
