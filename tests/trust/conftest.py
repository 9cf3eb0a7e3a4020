"""The options of the trust gate: `--long` is its long form, in which nothing is `long_only`.

FASTBLEU_REQUIRE_TOOLS=1 turns skips for missing tools into failures.
"""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

# Longest first, so that the workers are busy to the end, and two at a time: each has its build.
PARTS = [
    *("fuzzing", "memory", "hostile_objects", "interrupts", "sizes", "flooding"),
    *("allocation", "threads", "files", "free_threading"),
]
LONG_ONLY = "in the long form only"
STRICT = os.environ.get("FASTBLEU_REQUIRE_TOOLS", "0") not in ("", "0")


@pytest.fixture(scope="session")
def long(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("long"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="the long form of the trust gate")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long_only: runs in the long form only")
    config.addinivalue_line("filterwarnings", "ignore::UserWarning")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seen = Counter[str]()
    places = {}
    for item in items:
        part = item.path.stem.removeprefix("test_")
        seen[part] += 1
        places[item] = PARTS.index(part) // 2 if part in PARTS else -1, seen[part]
        if item.get_closest_marker("long_only") and not config.getoption("long"):
            item.add_marker(pytest.mark.skip(reason=LONG_ONLY))
    items.sort(key=places.__getitem__)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[None]:
    report: Any = yield
    if STRICT and report.skipped and LONG_ONLY not in str(report.longrepr):
        report.outcome = "failed"
    return report
