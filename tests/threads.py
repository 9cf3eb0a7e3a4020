"""Threads that begin together, and threads that change something while a test looks at it."""

import threading
from contextlib import contextmanager


def at_once(work, threads=8, timeout=120):
    """Call `work` with 0, 1, ... on threads that begin together; raises what one of them raises."""
    together, errors = threading.Barrier(threads), []

    def run(number):
        together.wait()
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    running = [threading.Thread(target=run, args=(n,), daemon=True) for n in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(timeout)
    assert not any(thread.is_alive() for thread in running), "threads wait for each other"
    if errors:
        raise errors[0]


@contextmanager
def again_and_again(action, threads=1):
    """Repeat an action in other threads as long as the block runs."""
    stop = threading.Event()

    def repeat():
        while not stop.is_set():
            action()

    running = [threading.Thread(target=repeat) for _ in range(threads)]
    for thread in running:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in running:
            thread.join()
