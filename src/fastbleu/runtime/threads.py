"""Threads and the workers that they use."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# Workers with memory for more tokens or references are not kept: 1 MB of ids is usually enough.
_LARGEST_IDLE = 1 << 18


class Pool:
    """Keeps at most `most` idle workers with their memory for the next use. Thread-safe."""

    __slots__ = ("_idle", "_most")

    def __init__(self, most: int) -> None:
        self._most = most
        self._idle: list[Any] = []

    def acquire(self, make: Callable[[], Any]) -> Any:
        """Return an idle worker, or a new one."""
        try:
            return self._idle.pop()
        except IndexError:
            return make()

    def release(self, worker: Any) -> None:
        """Keep a worker for the next use. Do not call this with a worker that failed."""
        if worker.capacity <= _LARGEST_IDLE and len(self._idle) < self._most:
            worker.reset()
            self._idle.append(worker)


def drain(left: list[Any]) -> Iterator[Any]:
    """Pop items from the end of a list that other threads drain, too.

    list.pop is atomic with and without the GIL, advancing an iterator only with it.
    """
    while True:
        try:
            item = left.pop()
        except IndexError:
            return
        yield item


def run_on_threads(work: Callable[[Any], None], workers: list[Any]) -> None:
    """Call `work` with each worker on a thread of its own; a single worker needs no thread.

    The first exception, including Ctrl-C in the main thread, cancels all workers and is raised.
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
            # Their tracebacks would keep the threads alive until garbage collection, whose Python
            # code would swallow a Ctrl-C that arrives at that moment.
            for future in futures:
                error = future.exception()
                if error is not None and error is not raised:
                    error.__traceback__ = None
            raise
