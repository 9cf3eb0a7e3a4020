"""Threads on shared objects, and processes that are made meanwhile."""

import json
import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from first_call_fork import CALLS

from trust.children import SEED, environment, finish, python

FIRST_CALLS, LONG_FIRST_CALLS = 50, 1000
SUB_INTERPRETERS = Path(__file__).with_name("subinterpreters.py")


def no_failures(child):
    """A child ended well, and its last line says that nothing was wrong."""
    assert child.status == 0, child.why()
    assert json.loads(child.output.splitlines()[-1]) == []


def test_eight_threads_on_shared_objects(long):
    no_failures(python("shared_calls", 2 if long else 0.01, timeout=14_400 if long else 300))


def test_fork_spawn_and_forkserver_while_threads_count(long):
    no_failures(python("forking", *((1000, 50) if long else (50, 4)), timeout=3600))


def test_forks_while_another_thread_is_in_its_first_call(long):
    """At random moments; the modules that a call imports were locked for ever in the child."""
    moments = random.Random(SEED)
    count = LONG_FIRST_CALLS if long else FIRST_CALLS

    def fork(name, delay):
        command = sys.executable, "-m", "first_call_fork", name, delay
        child = finish(command, 60, env=environment())
        return "" if child.status == 0 else f"{name} after {delay:.4f} s: {child.why()}"

    names = moments.choices(sorted(CALLS), k=count)
    delays = [moments.uniform(0, 0.2) for _ in names]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        assert [*filter(None, pool.map(fork, names, delays))] == []
