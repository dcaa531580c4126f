"""Calls that may take long: Ctrl-C works at once, and after a second there is a sign of life.

The call runs in a thread of its own, without the interpreter's lock, and the main thread
waits for it.  An interrupt leaves it running: a question that was charged is answered into the
ledger and is free when it is asked again.
"""
from __future__ import annotations

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
    result: List[Any] = []
    failure: List[BaseException] = []

    def work(*kept: object) -> None:
        try:
            result.append(call())
        except BaseException as error:  # handed to who waits
            failure.append(error)

    worker = threading.Thread(target=work, args=keep, name="sotto", daemon=True)
    sign = Sign(what)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(TICK)
            sign.show(done() if done else None)
    finally:
        sign.end()
    if failure:
        raise failure[0]
    return result[0]  # type: ignore[no-any-return]
