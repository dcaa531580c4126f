"""Calls that may take long: Ctrl-C works at once, and after a second there is a sign of life.

The call runs in a thread of its own, without the interpreter's lock, and the main thread
waits for it.  An interrupt leaves it running: a question that was charged is answered into the
ledger and is free when it is asked again.
"""
from __future__ import annotations

import os
import queue
import sys
import threading
import time
from typing import Any, Callable, List, Optional, Tuple, TypeVar

T = TypeVar("T")

PATIENCE = 1.0  # seconds before anything is shown
TICK = 0.05


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return bool(shell and "ipykernel" in sys.modules and shell.get_ipython())


class Sign:
    """One line on a terminal or in a notebook, from the first second on; gone at the end."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.begun = time.monotonic()
        self.shown = False
        self.visible = _in_notebook() or (sys.stderr is not None and sys.stderr.isatty())

    def show(self, done: Optional[float] = None) -> None:
        passed = time.monotonic() - self.begun
        if not self.visible or passed < PATIENCE:
            return
        share = "" if done is None else " %3.0f %%" % (100 * done)
        sys.stderr.write("\r%s%s, %.0f s " % (self.what, share, passed))
        sys.stderr.flush()
        self.shown = True

    def end(self) -> None:
        if self.shown:
            sys.stderr.write("\r%s\r" % (" " * (len(self.what) + 20)))
            sys.stderr.flush()


class _Job:
    """A call, what became of it, and the memory that it works on."""

    def __init__(self, call: Callable[[], Any], keep: Tuple[object, ...]) -> None:
        self.call, self.keep = call, keep
        self.ended = threading.Event()
        self.result: Any = None
        self.failure: Optional[BaseException] = None

    def work(self) -> None:
        try:
            self.result = self.call()
        except BaseException as error:  # handed to who waits
            self.failure = error
        self.ended.set()


class _Worker:
    """A thread that does one job after the other: libraries keep things for each thread."""

    def __init__(self) -> None:
        self.jobs: "queue.SimpleQueue[_Job]" = queue.SimpleQueue()
        threading.Thread(target=self._loop, name="sotto", daemon=True).start()

    def _loop(self) -> None:
        while True:
            job = self.jobs.get()
            job.work()
            del job  # its memory is given back
            _idle.append(self)


_idle: List[_Worker] = []  # its operations are atomic
os.register_at_fork(after_in_child=_idle.clear)  # threads do not survive a fork


def _start(job: _Job) -> None:
    try:
        worker = _idle.pop()
    except IndexError:
        worker = _Worker()
    worker.jobs.put(job)


def run(
    call: Callable[[], T],
    what: str,
    done: Optional[Callable[[], float]] = None,
    keep: Tuple[object, ...] = (),
) -> T:
    """The result of a call, or its exception; interruptible in the main thread.

    ``keep`` is memory whose address the call works on: an interrupted caller is gone before the
    call ends.
    """
    if threading.current_thread() is not threading.main_thread():
        return call()
    job = _Job(call, keep)
    sign = Sign(what)
    _start(job)
    try:
        while not job.ended.wait(TICK):
            sign.show(done() if done else None)
    finally:
        sign.end()
    if job.failure is not None:
        raise job.failure
    return job.result  # type: ignore[no-any-return]
