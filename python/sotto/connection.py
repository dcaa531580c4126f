"""Connecting to a policy's file, to data frames, or to a server."""
from __future__ import annotations

import datetime
import os
import threading
from fractions import Fraction
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, TypeVar, Union

from sotto import _exact, _native, _terms, frames
from sotto._exact import Number
from sotto._wait import run
from sotto.answer import (
    Answer,
    Budget,
    Entry,
    Explanation,
    Table,
    TableColumn,
    bounds_of,
    budget_from,
    from_parts,
)
from sotto.errors import MissingError, ParameterError, StateError

T = TypeVar("T")
Parts = Dict[str, Any]  # what the library or a server says, by name


class Question(NamedTuple):
    """SQL and what it may cost, with exact numbers as texts."""

    sql: str
    epsilon: Optional[str]
    delta: Optional[str]
    error: Optional[str]
    diagnostics: Optional[str]
    mechanism: Optional[str]
    fresh: bool


def _question(
    sql: str,
    epsilon: Optional[Number],
    delta: Optional[Number],
    error: Optional[Number],
    diagnostics: Optional[Number],
    mechanism: Optional[str],
    fresh: bool = False,
) -> Question:
    if epsilon is not None and error is not None:
        raise ParameterError("give epsilon= or error=, which finds an epsilon; not both")
    return Question(
        sql,
        _exact.optional(epsilon, "epsilon"),
        _exact.optional(delta, "delta"),
        _exact.optional(error, "error"),
        _exact.optional(diagnostics, "diagnostics"),
        mechanism,
        fresh,
    )


class Connection:
    """Asks questions; the same for a policy's file, data frames and a server.

    Any number of threads may share one. After a fork the child must connect again.
    """

    # ---- what each kind of connection does in its own way: plain values that the others share ----

    def _query(self, question: Question) -> Parts:
        raise NotImplementedError

    def _preview(self, question: Question) -> Parts:
        raise NotImplementedError

    def _explain(self, question: Question) -> Parts:
        raise NotImplementedError

    def _totals(self) -> Parts:
        raise NotImplementedError

    def _entries(self) -> List[Parts]:
        raise NotImplementedError

    def _listed(self) -> List[Parts]:
        raise NotImplementedError

    def close(self) -> None:
        """Ends the connection; what was spent stays in the ledger."""
        raise NotImplementedError

    # ---- questions ---------------------------------------------------------------------------------

    def sql(
        self,
        query: str,
        *,
        epsilon: Optional[Number] = None,
        delta: Optional[Number] = None,
        error: Optional[Number] = None,
        diagnostics: Optional[Number] = None,
        mechanism: Optional[str] = None,
        fresh: bool = False,
    ) -> Answer:
        """Answers SQL privately and charges the ledger.

        Without epsilon the policy's default is spent; ``error`` finds the smallest epsilon with
        that 95 % error.  ``mechanism`` is laplace or gaussian; without it the one with the smaller error.
        ``diagnostics`` is the share of epsilon, up to 1/2, that is spent on estimating what the limits lost.
        Asking the same question again is free, unless ``fresh`` asks for a new answer.
        An interrupt (Ctrl-C) does not undo the charge; ask again to get the answer for free.
        """
        return from_parts(
            self._query(_question(query, epsilon, delta, error, diagnostics, mechanism, fresh))
        )

    def explain(
        self,
        query: str,
        *,
        epsilon: Optional[Number] = None,
        delta: Optional[Number] = None,
        error: Optional[Number] = None,
        diagnostics: Optional[Number] = None,
        mechanism: Optional[str] = None,
    ) -> Explanation:
        """What a question would do, what it would cost and its error. Nothing is charged or read."""
        return Explanation(
            self._explain(_question(query, epsilon, delta, error, diagnostics, mechanism))
        )

    def preview(
        self,
        query: str,
        *,
        epsilon: Optional[Number] = None,
        delta: Optional[Number] = None,
        error: Optional[Number] = None,
        diagnostics: Optional[Number] = None,
        mechanism: Optional[str] = None,
    ) -> Answer:
        """What an answer could look like: the question is asked about invented rows, with its noise.

        Nothing is charged and no private row is read.
        """
        return from_parts(
            self._preview(_question(query, epsilon, delta, error, diagnostics, mechanism))
        )

    # ---- what is known -----------------------------------------------------------------------------

    @property
    def budget(self) -> Budget:
        """What may be spent, what was spent, and what is left."""
        return budget_from(self._totals())

    def history(self) -> List[Entry]:
        """Every entry of the ledger that you may see."""
        return [
            Entry(
                e["number"],
                datetime.datetime.fromtimestamp(e["time"], datetime.timezone.utc),
                e["analyst"],
                e["query"],
                None if e["cost"][0] is None else Fraction(e["cost"][0]),
                Fraction(e["cost"][1]),
                e["answered"],
                e["kind"],
                Fraction(e["cost"][2]),
            )
            for e in self._entries()
        ]

    @property
    def tables(self) -> List[Table]:
        """What can be asked about."""
        return [
            Table(
                t["name"],
                t["public"],
                t["unit"],
                t["max_groups"],
                t["max_rows"],
                [
                    TableColumn(
                        c["name"],
                        c["type"],
                        c["nullable"],
                        bounds_of(c["low"], c["high"], c["days"]),
                        c["keys"],
                    )
                    for c in t["columns"]
                ],
            )
            for t in self._listed()
        ]

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()


# ---- a policy on this machine -------------------------------------------------------------------------


class LocalConnection(Connection):
    """A session of the library on a policy's file."""

    def __init__(self, policy: str, analyst: Optional[str]) -> None:
        self._policy, self._analyst = policy, analyst
        self._session = _native.session_open(policy)
        self._lock = threading.Lock()
        self._calls, self._closing = 0, False
        self._process = os.getpid()

    def __repr__(self) -> str:
        return "<sotto connection to %s>" % self._policy

    def _call(self, call: Callable[[], T], what: str) -> T:
        """Counts calls, so that the session ends only when none is at work."""
        if os.getpid() != self._process:
            raise StateError("the connection is of the process before fork(); connect again")
        with self._lock:
            if self._closing:
                raise StateError("the connection was closed; connect again")
            self._calls += 1

        def counted() -> T:
            try:
                return call()
            finally:
                self._leave()

        return run(counted, what)

    def _leave(self) -> None:
        with self._lock:
            self._calls -= 1
            last = self._closing and self._calls == 0
        if last:
            self._finish()

    def close(self) -> None:
        if os.getpid() != self._process:
            return
        with self._lock:
            last = not self._closing and self._calls == 0
            self._closing = True
        if last:
            self._finish()

    def _finish(self) -> None:
        """Nobody is at work: the session ends."""
        _native.session_close(self._session)

    def _asked(self, ask: "Callable[..., Parts]", q: Question, what: str) -> Parts:
        return self._call(lambda: ask(self._session, q.sql, self._analyst, *q[1:]), what)

    def _query(self, question: Question) -> Parts:
        return self._asked(_native.session_query, question, "asking")

    def _preview(self, question: Question) -> Parts:
        return self._asked(_native.session_preview, question, "previewing")

    def _explain(self, question: Question) -> Parts:
        return self._asked(_native.session_explain, question, "explaining")

    def _totals(self) -> Parts:
        return self._call(
            lambda: _native.session_budget(self._session, None), "reading the ledger"
        )

    def _entries(self) -> List[Parts]:
        return self._call(lambda: _native.session_history(self._session), "reading the ledger")

    def _listed(self) -> List[Parts]:
        return self._call(lambda: _native.session_tables(self._session), "reading schemas")


# ---- connecting -------------------------------------------------------------------------------------------


def connect(
    source: Union[str, "os.PathLike[str]", Mapping[str, Any]],
    *,
    key: Optional[str] = None,
    analyst: Optional[str] = None,
    unit: Any = None,
    epsilon: Optional[Number] = None,
    delta: Number = 0,
    columns: Optional[Mapping[str, Any]] = None,
    max_groups: int = 1,
    max_rows: int = 1,
    public: Sequence[str] = (),
    ledger: Union[None, str, "os.PathLike[str]"] = None,
    create: bool = False,
    accept: Optional[str] = None,
    timeout: Optional[float] = None,
) -> Connection:
    """Connects to a policy's file, to data frames, or to a server.

    ``connect("sotto.yaml")`` opens a policy; ``connect("https://host:7654", key=...)`` a server;
    ``connect({"visits": frame}, unit="patient_id", epsilon=3, ...)`` data frames of pandas, polars,
    pyarrow or DuckDB.  For frames:

    ``unit``        the column that names the person who is protected, or ``"row"``; a second
                    table belongs to the people of the first one by the same column
    ``epsilon``, ``delta``   the budget for everything that is ever answered
    ``columns``     what is public about columns: ``(low, high)`` bounds, ``["F", "M"]`` keys, or a
                    dictionary as in a policy; ``"table.column"`` where names are not enough
    ``max_groups``, ``max_rows``   in how many groups, and with how many rows in each, a person counts
    ``public``      names of tables in which nothing is private
    ``ledger``      a file that remembers what was spent; ``create=True`` makes it, once.  Without
                    one the ledger is in memory, which protects nobody, and says so.
    ``accept``      the owner's name, to accept terms that changed since the ledger was made

    >>> import sotto, warnings
    >>> warnings.simplefilter("ignore", sotto.LessonWarning)
    >>> import pandas
    >>> people = pandas.DataFrame({"id": range(1000), "age": [20, 30, 40, 50] * 250})
    >>> con = sotto.connect({"people": people}, unit="id", epsilon=3, columns={"age": (0, 100)})
    >>> answer = con.sql("SELECT COUNT(*) AS n, AVG(age) AS age FROM people", epsilon=1)
    >>> [column.name for column in answer.columns], answer.cost.epsilon, con.budget.left.epsilon
    (['n', 'age'], Fraction(1, 1), Fraction(2, 1))
    >>> con.close()
    """
    if isinstance(source, Mapping):
        if not source:
            raise ParameterError('give at least one table: connect({"visits": frame}, ...)')
        if unit is None or epsilon is None:
            raise ParameterError("data frames need unit= (who is protected) and epsilon= (the budget)")
        kept = None if ledger is None else os.path.abspath(os.fspath(ledger))
        budget = {
            "epsilon": _terms.Raw(_terms.decimal(_exact.positive(epsilon, "epsilon"), "epsilon")),
            "delta": _terms.Raw(_terms.decimal(delta, "delta")),
        }
        limits = {
            "max_groups": _exact.whole(max_groups, "max_groups"),
            "max_rows": _exact.whole(max_rows, "max_rows"),
        }
        tables = {name: frames.source(frame) for name, frame in source.items()}
        policy = _terms.policy(
            tables, unit, budget, columns or {}, limits, public, kept or "lesson-ledger.db"
        )
        from sotto.frame_connection import FrameConnection

        return FrameConnection(tables, policy, kept, create, accept, analyst)
    if hasattr(source, "columns") or hasattr(source, "__arrow_c_stream__"):
        raise ParameterError('give the table a name: connect({"visits": frame}, ...)')
    if not isinstance(source, (str, os.PathLike)):
        raise ParameterError(
            'connect to the file of a policy, to "https://host" or to {"visits": frame}, not to %s'
            % type(source).__name__
        )
    path = os.fspath(source)
    if path.startswith(("http://", "https://")):
        from sotto.server import ServerConnection

        return ServerConnection(path, key, timeout)
    if not os.path.exists(path):
        raise MissingError("there is no policy %s; sotto init makes one" % path)
    return LocalConnection(os.path.abspath(path), analyst)
