"""Work on several threads, which are kept between calls."""

from __future__ import annotations

import atexit
import os
from _thread import allocate_lock

from .import_lock import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import queue
    import threading
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any
else:
    queue = lazy("queue")
    threading = lazy("threading")

_MOST_THREADS = 1024


def pop_until_empty(left: list[Any]) -> Iterator[Any]:
    """Pop items from the end of a list that other threads pop from, too.

    list.pop is atomic with and without the GIL, advancing an iterator only with it.
    """
    while True:
        try:
            item = left.pop()
        except IndexError:
            return
        yield item


def share_out(work: Callable[[Any, Any], None], items: Sequence[Any], workers: list[Any]) -> None:
    """Call `work(worker, item)` for each item, in order, on the threads of `run_on_threads`."""
    left = [*reversed(items)]

    def work_until_none_is_left(worker: Any) -> None:
        for item in pop_until_empty(left):
            if worker.cancelled:
                return
            work(worker, item)

    run_on_threads(work_until_none_is_left, workers)


def run_on_threads(work: Callable[[Any], None], workers: list[Any]) -> None:
    """Call `work` with all workers at the same time: the first in this thread, others in kept ones.

    `work` must return once nothing is left to do, and any worker must be able to do everything: a
    worker is left out if no thread can be started for it. The first exception, including Ctrl-C,
    cancels all workers and is raised.
    """
    if len(workers) < 2:
        for worker in workers:
            work(worker)
        return
    first, *others = workers
    tasks: list[_Task] = []
    errors: list[BaseException] = []

    def cancel() -> None:
        for worker in workers:
            worker.cancelled = True

    def work_or_cancel(worker: object) -> None:
        try:
            work(worker)
        except BaseException as error:
            errors.append(error)
            cancel()

    try:
        for worker in others[:_MOST_THREADS]:
            task, kept = _Task(work_or_cancel, worker), _kept_thread()
            if kept is None:
                break
            tasks.append(task)
            kept.begin(task)
        work(first)
        _wait_for(tasks, errors)
        if errors:
            raise errors[0]
    except BaseException as raised:
        # A cancelled worker raises, too, after the error that cancelled it.
        cause = errors[0] if errors else raised
        cancel()
        _wait_for(tasks, errors)
        # Their tracebacks would keep what they refer to alive until garbage collection, whose
        # Python code would swallow a Ctrl-C that arrives at that moment.
        for error in errors:
            if error is not cause:
                error.__traceback__ = None
        if cause is raised:
            raise
        raise cause from None


class _Task:
    """A call on a kept thread. `error` is one that the call itself had no memory to record."""

    __slots__ = ("call", "error", "finished", "worker")

    def __init__(self, call: Callable[[object], None], worker: object) -> None:
        self.call, self.worker = call, worker
        self.error: BaseException | None = None
        self.finished = allocate_lock()
        self.finished.acquire()


def _wait_for(tasks: list[_Task], errors: list[BaseException]) -> None:
    for task in tasks:
        with task.finished:
            if task.error is not None:
                errors.append(task.error)


class _KeptThread:
    """A thread that waits for another task when one is done.

    Not one of concurrent.futures: its import adds hooks to os.fork, and a fork that is waiting for
    `import_lock` would call only half of them.
    """

    def __init__(self) -> None:
        self.tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self.run, name="fastbleu", daemon=True)
        self.thread.start()

    def begin(self, task: _Task) -> None:
        try:
            self.tasks.put(task)
        except BaseException:
            task.finished.release()
            raise

    def run(self) -> None:
        # Only `append` allocates here: whatever fails, `finished` is released.
        while task := self.tasks.get():
            try:
                task.call(task.worker)
            except BaseException as error:
                task.error = error
            finished = task.finished
            del task  # it refers to the input
            try:
                _idle.append(self)
            except MemoryError:
                return
            finally:
                finished.release()


_idle: list[_KeptThread] = []


def _kept_thread() -> _KeptThread | None:
    """An idle thread; None if the system cannot start one."""
    try:
        return _idle.pop()
    except IndexError:
        try:
            return _KeptThread()
        except RuntimeError:
            return None


def _end_idle() -> None:
    """End the kept threads, whose objects would otherwise never be freed."""
    for kept in pop_until_empty(_idle):
        kept.tasks.put(None)
        kept.thread.join()


atexit.register(_end_idle)
if hasattr(os, "register_at_fork"):
    # A forked child has only the thread that forked.
    os.register_at_fork(after_in_child=_idle.clear)
