"""Threads, and what they work with."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# Memory for more tokens or references is not kept: 1 MB of ids, more than all but odd input needs.
_LARGEST_IDLE = 1 << 18


class Pool:
    """Workers that are not in use, kept with their memory for the next time; for any thread.

    Parameters
    ----------
    most : int
        How many are kept.
    """

    __slots__ = ("_idle", "_most")

    def __init__(self, most: int) -> None:
        self._most = most
        self._idle: list[Any] = []

    def acquire(self, make: Callable[[], Any]) -> Any:
        """A worker that nobody else has."""
        try:
            return self._idle.pop()
        except IndexError:
            return make()

    def release(self, worker: Any) -> None:
        """Keep a worker that did not fail."""
        if worker.capacity <= _LARGEST_IDLE and len(self._idle) < self._most:
            worker.reset()
            self._idle.append(worker)


def drain(left: list[Any]) -> Iterator[Any]:
    """Take items from the end of a list from which other threads take, too.

    To pop one is a single step with the GIL and without; of iterators that holds with the GIL only.
    """
    while True:
        try:
            item = left.pop()
        except IndexError:
            return
        yield item


def run_on_threads(work: Callable[[Any], None], workers: list[Any]) -> None:
    """Call `work` with each worker, on a thread for each; with a single one right here.

    The first exception, Ctrl-C in the main thread included, sets `cancelled` of each and is raised.
    """
    if len(workers) < 2:
        for worker in workers:
            work(worker)
        return
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

    futures = []
    with ThreadPoolExecutor(len(workers)) as pool:
        try:
            for worker in workers:
                futures.append(pool.submit(work, worker))
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
        except BaseException as raised:
            for worker in workers:
                worker.cancelled = True
            wait(futures)
            # Their tracebacks would keep the threads until garbage is collected, which calls Python
            # code then: a Ctrl-C that comes meanwhile is raised there, and ignored.
            for future in futures:
                error = future.exception()
                if error is not None and error is not raised:
                    error.__traceback__ = None
            raise
