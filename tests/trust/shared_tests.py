"""A plugin of pytest: several processes share the tests, each of which is run by one of them.

Not pytest-xdist, whose workers keep threads that wait until the very end: what these refer to lies
in memory where LeakSanitizer does not look, so that it would be reported. FASTBLEU_TRUST_SHARE
names an empty directory in which the processes claim tests.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

SHARE = Path(os.environ["FASTBLEU_TRUST_SHARE"])


def claimed(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """The tests that no other process has taken yet."""
    for number, item in enumerate(items):
        try:
            (SHARE / str(number)).touch(exist_ok=False)
        except FileExistsError:
            continue
        yield item


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    if session.testsfailed:
        raise session.Interrupted(f"{session.testsfailed} errors during collection")
    mine = claimed(session.items)
    item = next(mine, None)
    while item is not None:
        following = next(mine, None)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        item = following
    return True
