"""Counts the cases of each test, and shows them by part: a part is a module test_*.py.

A test that makes many cases takes the fixture `cases`; any other is one case. `--long` is the long
form, in which `long` is true and nothing is `long_only`; `--record` updates RESULTS.md.
FASTBLEU_REQUIRE_TOOLS=1 turns skips for missing tools into failures.
"""

from __future__ import annotations

import json
import os
import platform
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from trust.children import ROOT, SEED, WORK

# Longest first, so that the workers are busy to the end, and two at a time: each has its build.
PARTS = [
    *("fuzzing", "memory", "hostile_objects", "interrupts", "sizes", "flooding"),
    *("allocation", "threads", "files", "free_threading"),
]
LONG_ONLY = "in the long form only"
STRICT = os.environ.get("FASTBLEU_REQUIRE_TOOLS", "0") not in ("", "0")
RESULTS = Path(__file__).with_name("RESULTS.md")


class Cases:
    """What a test has tried: how often, what went wrong, and what else the table should say."""

    def __init__(self) -> None:
        self.count = 0
        self.failures: list[str] = []
        self.note = ""

    def check(self, right: object, message: str = "") -> None:
        """Count a case, which has failed unless `right`."""
        self.count += 1
        if not right:
            self.failures.append(message)

    def equal(self, found: object, expected: object, what: str) -> None:
        self.check(found == expected, f"{what}: {str(found)[:200]}, not {str(expected)[:200]}")

    def raises(self, kind: type[Exception], action: Callable[[], object], what: str) -> None:
        try:
            self.check(False, f"{what} gave {str(action())[:200]}")
        except kind:
            self.check(True)


@pytest.fixture
def cases() -> Cases:
    return Cases()


@pytest.fixture(scope="session")
def long(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("long"))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("trust")
    group.addoption("--long", action="store_true", help="the long form of the trust gate")
    group.addoption("--record", action="store_true", help="put the figures into RESULTS.md")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long_only: runs in the long form only")
    config.addinivalue_line("filterwarnings", "ignore::UserWarning")


def part_of(nodeid: str) -> str:
    return re.sub(r".*test_(\w+)\.py::.*", r"\1", nodeid)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seen = Counter[str]()
    places = {}
    for item in items:
        part = part_of(item.nodeid)
        seen[part] += 1
        places[item] = PARTS.index(part) // 2, seen[part]
        if item.get_closest_marker("long_only") and not config.getoption("long"):
            item.add_marker(pytest.mark.skip(reason=LONG_ONLY))
    items.sort(key=places.__getitem__)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Iterator[None]:
    cases = item.funcargs.get("cases")
    if cases is None:
        cases = Cases()
        cases.count = 1
    try:
        yield
        if cases.failures:
            pytest.fail("\n".join(cases.failures[:50]), pytrace=False)
    finally:
        item.user_properties += [("cases", cases.count), ("note", cases.note)]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[None]:
    report: Any = yield
    if STRICT and report.skipped and LONG_ONLY not in str(report.longrepr):
        report.outcome = "failed"
    return report


def rows_of(reporter: Any) -> list[dict[str, Any]]:
    """A row for each test function: its cases, seconds and failures, whatever its parameters."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for outcome, reports in reporter.stats.items():
        for report in reports:
            if not isinstance(report, pytest.TestReport):
                continue
            name = report.nodeid.partition("::test_")[2].partition("[")[0]
            part = part_of(report.nodeid)
            row = rows.setdefault(
                (part, name), {"cases": 0, "seconds": 0.0, "failures": 0, "notes": {}}
            )
            row |= {"part": part, "what": name.replace("_", " ")}
            row["seconds"] += report.duration
            row["failures"] += outcome in ("failed", "error")
            if report.when == "call" or report.skipped:
                said = dict(report.user_properties)
                row["cases"] += said.get("cases", 0)
                row["notes"] |= dict.fromkeys(filter(None, [said.get("note")]))
            if outcome == "skipped" and not row["cases"]:
                row["notes"][report.longrepr[2].removeprefix("Skipped: ")] = None
    return sorted(rows.values(), key=lambda row: (PARTS.index(row["part"]), row["what"]))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    rows = rows_of(terminalreporter)
    form = "long" if config.getoption("long") else "short"
    path = ROOT / "build" / f"trust-{form}.json"
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    tried = {row["part"] for row in rows}
    kept = [row for row in kept if row["part"] not in tried] + rows
    if not config.option.keyword:  # whole parts only
        WORK.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    terminalreporter.section(f"the trust gate, {form} form, FASTBLEU_TEST_SEED={SEED}")
    terminalreporter.write_line(table(rows))
    if config.getoption("record") and not any(row["failures"] for row in kept):
        record(form, kept)


def table(rows: list[dict[str, Any]]) -> str:
    """The figures as Markdown."""
    lines = ["| part | what | cases | seconds | failures |", "|---|---|--:|--:|--:|"]
    for row in rows:
        note = f" ({'; '.join(row['notes'])})" if row["notes"] else ""
        figures = f"{row['cases']:,} | {row['seconds']:.1f} | {row['failures']} |"
        lines.append(f"| {row['part']} | {row['what']}{note} | {figures}")
    cases, seconds, failures = (
        sum(row[name] for row in rows) for name in ("cases", "seconds", "failures")
    )
    return "\n".join([*lines, f"| all | | {cases:,} | {seconds:.1f} | {failures} |"])


def record(form: str, rows: list[dict[str, Any]]) -> None:
    """Put the last figures of each part into RESULTS.md, in place of those of an earlier run."""
    command = {"short": "make trust", "long": "make trust-long"}[form]
    about = f"CPython {platform.python_version()}, {platform.system()} {platform.machine()}"
    about += f", {os.cpu_count()} processors"
    if absent := [part for part in PARTS if part not in {row["part"] for row in rows}]:
        about += f"; not run: {', '.join(absent)}"
    begin, end = f"<!-- trust-{form}:begin -->\n", f"<!-- trust-{form}:end -->"
    text = RESULTS.read_text(encoding="utf-8")
    head, _, rest = text.partition(begin)
    tail = rest.partition(end)[2]
    rows = sorted(rows, key=lambda row: PARTS.index(row["part"]))
    figures = f"`{command}` ({about}):\n\n{table(rows)}\n"
    RESULTS.write_text(head + begin + figures + end + tail, encoding="utf-8")
