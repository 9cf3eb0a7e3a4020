"""Work on several threads."""

from __future__ import annotations

import os
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future, ThreadPoolExecutor
    from threading import Lock
    from typing import Any

_MOST_THREADS = 1024


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


def run_on_threads(
    work: Callable[[Any], None], workers: list[Any], release: Callable[[], None] | None = None
) -> None:
    """Call `work` with each worker at the same time: the first in this thread, others in kept ones.

    `work` must return once nothing is left to do, by whichever worker: one that no thread was free
    for is left out. The first exception, including Ctrl-C, cancels all workers and is raised;
    `release` then frees those that wait for others. With it `work` is over for all of them when it
    is for the first: nobody waits for their return, which takes as long as a thousand segments do.
    """
    if len(workers) < 2:
        for worker in workers:
            work(worker)
        return
    first, *others = workers
    futures: list[tuple[Future[None], Lock]] = []
    errors: list[BaseException] = []
    over = False

    def cancel() -> None:
        for worker in workers:
            worker.cancelled = True
        if release is not None:
            release()

    def work_or_cancel(worker: Any, finished: Lock) -> None:
        try:
            work(worker)
        except BaseException as error:
            if not over:
                errors.append(error)
                cancel()
        finally:
            finished.release()

    try:
        for worker in others:
            finished = allocate_lock()
            finished.acquire()
            futures.append((_executor().submit(work_or_cancel, worker, finished), finished))
        work(first)
        if release is None:
            _finish(futures)
        over = True
        if errors:
            raise errors[0]
    except BaseException as raised:
        # A cancelled worker raises, too; what cancelled it came before.
        cause = errors[0] if errors else raised
        cancel()
        _finish(futures)
        # Their tracebacks would keep what they refer to alive until garbage collection, whose
        # Python code would swallow a Ctrl-C that arrives at that moment.
        for error in errors:
            if error is not cause:
                error.__traceback__ = None
        if cause is raised:
            raise
        raise cause from None


def _finish(futures: list[tuple[Future[None], Lock]]) -> None:
    """Wait for what has begun and give up the rest.

    Not by waiting for futures, which are done only when their thread has run more of Python.
    """
    for future, finished in futures:
        if not future.cancel():
            with finished:
                pass


_kept_executor: ThreadPoolExecutor | None = None


def _executor() -> ThreadPoolExecutor:
    """Return the threads that are kept until the interpreter exits; they are made as needed."""
    global _kept_executor
    if _kept_executor is None:
        from concurrent.futures import ThreadPoolExecutor

        _kept_executor = ThreadPoolExecutor(_MOST_THREADS, "fastbleu")
    return _kept_executor


def _forget_executor() -> None:
    """In a forked child there are no threads but the one that forked."""
    global _kept_executor
    _kept_executor = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_executor)
