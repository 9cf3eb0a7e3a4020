"""Threads that begin together, and threads that change something while a test looks at it."""

import threading
import time
from contextlib import contextmanager

HANGS = 60  # seconds


def started(target, count):
    """Daemons, which do not keep a process that hangs."""
    threads = [threading.Thread(target=target, args=(n,), daemon=True) for n in range(count)]
    for thread in threads:
        thread.start()
    return threads


def join(threads, timeout):
    stop = None if timeout is None else time.monotonic() + timeout
    for thread in threads:
        thread.join(None if stop is None else max(stop - time.monotonic(), 0))
    assert not any(thread.is_alive() for thread in threads), "threads wait for each other"


def at_once(work, threads=8, timeout=HANGS):
    """Call `work` with 0, 1, ... on threads that begin together; raises what one of them raises."""
    together, errors = threading.Barrier(threads), []

    def run(number):
        together.wait()
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    join(started(run, threads), timeout)
    if errors:
        raise errors[0]


@contextmanager
def again_and_again(action, threads=1):
    """Repeat an action in other threads as long as the block runs."""
    stop = threading.Event()

    def repeat(_):
        while not stop.is_set():
            action()

    running = started(repeat, threads)
    try:
        yield
    finally:
        stop.set()
        join(running, HANGS)
