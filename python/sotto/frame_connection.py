"""A connection to data frames: they are written to files of its own and sealed like any others."""
from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from typing import Any, Callable, Mapping, Optional, TypeVar

from sotto import _native, _terms, frames
from sotto._wait import run
from sotto.connection import LocalConnection
from sotto.errors import ColumnWarning, Error, LessonWarning, MissingError, RefusedError, make, warn

T = TypeVar("T")


class _Folder:
    """A folder that only its owner can read, and that goes with the connection.

    A step that was interrupted goes on for a while; when it ends, the folder goes again.
    """

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="sotto-")
        self._process, self._gone = os.getpid(), False

    def remove(self) -> None:
        if os.getpid() == self._process:  # a child leaves its parent's folder alone
            self._gone = True
            shutil.rmtree(self.path, ignore_errors=True)

    def step(self, call: Callable[[], T], what: str) -> T:
        def guarded() -> T:
            try:
                return call()
            finally:
                if self._gone:
                    self.remove()

        return run(guarded, what)


class FrameConnection(LocalConnection):
    """Data frames, as they were when the connection was made."""

    def __init__(
        self,
        tables: Mapping[str, frames.Source],
        policy: Mapping[str, Any],
        ledger: Optional[str],
        create: bool,
        accept: Optional[str],
        analyst: Optional[str],
    ) -> None:
        folder = _Folder()
        self._end = weakref.finalize(self, folder.remove)
        path = os.path.join(folder.path, "sotto.yaml")
        try:
            with open(path, "wb") as file:
                file.write(_terms.written(policy).encode("utf-8", "replace"))
            for name, source in tables.items():
                terms = policy["tables"][name].get("columns", {})
                _store(folder, name, source.prepare(terms))
            _seal(folder, path)
            _open_ledger(folder, path, ledger, create)
            if accept is not None:
                _native.policy_accept(path, accept)
            super().__init__(path, analyst)
        except Error as error:
            self._end()
            raise _placeless(error, path) from None
        except BaseException:
            self._end()
            raise
        self._tables, self._ledger = list(tables), ledger

    def __repr__(self) -> str:
        kept = self._ledger or "in memory, for lessons only"
        return "<sotto connection to %s; ledger %s>" % (", ".join(self._tables), kept)

    def _call(self, call: Callable[[], T], what: str) -> T:
        try:
            return super()._call(call, what)
        except Error as error:
            raise _placed(_placeless(error, self._policy)) from None

    def _finish(self) -> None:
        super()._finish()
        self._end()


def _placeless(error: Error, policy: str) -> Exception:
    """The error without a file that nobody wrote: not its line, not what to write into it, nor a command about it."""
    text = re.sub("^" + re.escape(policy) + r"(:\d+)?: ", "", str(error))
    text = re.sub(", write (.*), or find bounds with sotto bounds .* --policy " + re.escape(policy), r", or write \1", text)
    text = re.sub("(declare [^;,]*) in the policy", r"\1 in columns=", text)
    return error if text == str(error) else make(error.status, text)


def _placed(error: Exception) -> Exception:
    """What the policy's owner would write stands in the arguments of connect()."""
    if not isinstance(error, RefusedError) or "needs a delta" not in str(error):
        return error
    text = str(error).replace("of the budget and of the question (delta=)", "in connect(delta=) and here")
    return make(error.status, text.replace("in the policy", "in connect(columns=)"))


def _store(folder: _Folder, name: str, write: Callable[[str], None]) -> None:
    path = os.path.join(folder.path, name + ".parquet")
    folder.step(lambda: write(path), "copying %s" % name)


def _seal(folder: _Folder, path: str) -> None:
    """Frames are checked value by value, as files are; rows that are not texts are left out."""
    sealed = folder.step(lambda: _native.policy_seal(path, True), "checking the tables")
    for name, refused, malformed, flaws, unread in sealed:
        reasons = "; ".join(reason for _, reason in flaws)
        if refused:
            raise RefusedError("the table %s was not taken: %s" % (name, reasons))
        if malformed:
            warn("rows of %s were left out: %s" % (name, reasons), ColumnWarning)
        for column, type_ in unread:
            warn("values of %s.%s cannot be read as %s, and count as missing" % (name, column, type_), ColumnWarning)


def _open_ledger(folder: _Folder, path: str, ledger: Optional[str], create: bool) -> None:
    if ledger is None:
        warn(
            "the ledger is in memory and forgets what was spent: good for lessons, not for people; "
            "name a file with ledger=",
            LessonWarning,
        )
    elif os.path.exists(ledger):
        return
    elif not create:
        raise MissingError(
            "there is no ledger %s; if these people have none yet, make it once with "
            "create=True" % ledger
        )
    folder.step(lambda: _native.policy_create_ledger(path), "making the ledger")
