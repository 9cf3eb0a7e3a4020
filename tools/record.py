"""Record what an original returns for the texts of tests/recordings.

python tools/record.py nltk           # writes its numbers into the recordings
python tools/record.py nltk --check   # compares with them, writes nothing; exit status 1

To add an original, write its function in tools/originals.py and its row of origins.tsv. Numbers of
an original without a function there were recorded by hand.
On Python 3.12 or later, what differs from recorded values is written as `python312`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import warnings
from pathlib import Path
from typing import Any

from originals import ORIGINALS, Call, outcome

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from recordings import DIALECTS, FOLDER, TOOLS, recorded, recorded_tools, recorded_value


def result(call: Call, hypotheses: list[str], references: list[list[str]]) -> Any:
    """What a call returns, in the types that JSON has."""
    value = outcome(call, hypotheses, references)
    return json.loads(json.dumps(value, default=lambda number: number.item()))


def store(case: dict[str, Any], part: str, variant: str, value: Any) -> None:
    """Put a value into a case."""
    values = case.setdefault(part, {})
    if variant not in values or sys.version_info < (3, 12):
        values[variant] = value
        return
    if part == "sentences":
        pairs = enumerate(zip(value, values[variant], strict=True))
        value = {str(index): new for index, (new, old) in pairs if new != old}
    case.setdefault("python312", {}).setdefault(part, {})[variant] = value


def write(path: Path, cases: list[dict[str, Any]]) -> None:
    """Write the cases of a file; the line of an unchanged case stays as it is."""
    is_gzip = path.suffix == ".gz"
    data = gzip.decompress(path.read_bytes()) if is_gzip else path.read_bytes()
    lines = data.splitlines(keepends=True)
    new = [
        line
        if repr(json.loads(line)) == repr(case)
        else json.dumps(case, separators=(",", ":")).encode() + b"\n"
        for line, case in zip(lines, cases, strict=True)
    ]
    if new == lines:
        return
    # gzip.compress() writes another header on some versions of Python.
    with (
        path.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) if is_gzip else file as output,
    ):
        output.writelines(new)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name", choices=ORIGINALS)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    original = ORIGINALS[options.name]
    variants = original.make()
    if original.of_dialects:
        names = list(DIALECTS.values())
        cases = [(c["hypotheses"], c["references"], c) for name in names for c in recorded(name)]
    else:
        names, cases = [TOOLS], recorded_tools()
    values = differ = 0
    for hypotheses, references, case in cases:
        for variant, calls in variants.items():
            for part, call in calls.items():
                value, old = (
                    result(call, hypotheses, references),
                    recorded_value(case, part, variant),
                )
                values += 1
                if repr(value) != repr(old):  # NaN equals NaN, 0 is not 0.0
                    differ += 1
                    print(f"{case['id']}, {part}, {variant}: {value}, recorded: {old}")
                    store(case, part, variant, value)
    print(f"{differ} of {values} values differ")
    if not options.check and differ:
        for name in names:
            write(FOLDER / name, recorded(name))
    return int(options.check and differ > 0)


if __name__ == "__main__":
    sys.exit(main())
