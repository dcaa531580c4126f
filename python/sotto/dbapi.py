"""PEP 249, for tools that use databases, such as ``pandas.read_sql``.

>>> import sotto, warnings, pandas
>>> warnings.simplefilter("ignore")
>>> people = pandas.DataFrame({"id": range(100), "age": range(100)})
>>> con = sotto.dbapi.connect({"people": people}, unit="id", epsilon=3, question_epsilon=1)
>>> cursor = con.cursor()
>>> _ = cursor.execute("SELECT COUNT(*) AS n FROM people WHERE age < ?", (50,))
>>> [column[0] for column in cursor.description], len(cursor.fetchall())
(['n'], 1)
>>> list(pandas.read_sql("SELECT COUNT(*) AS n FROM people", con).columns)
['n']
>>> con.close()

Every statement is a question that is charged; ``question_epsilon`` is what each may cost.  There
are not transactions: what was charged stays charged.
"""
from __future__ import annotations

import datetime
import re
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple, TypeVar

from sotto import errors
from sotto._exact import Number
from sotto.answer import Answer
from sotto.connection import Connection as _Connection
from sotto.connection import connect as _connect

apilevel = "2.0"
threadsafety = 2  # threads may share the module and connections
paramstyle = "qmark"

T = TypeVar("T")


class Warning(Exception):  # noqa: A001 - the name is PEP 249's
    """For notes of importance."""


class Error(Exception):
    """The base of all failures."""


class InterfaceError(Error):
    """The module was used wrongly: a closed connection or cursor."""


class DatabaseError(Error):
    """The base of what the library says."""


class DataError(DatabaseError):
    """A parameter is not allowed."""


class OperationalError(DatabaseError):
    """The budget does not allow it, the ledger or a file is missing, reading failed."""


class IntegrityError(DatabaseError):
    """Stored data are damaged."""


class InternalError(DatabaseError):
    """The object is not in a state that allows this."""


class ProgrammingError(DatabaseError):
    """The SQL could not be understood, or its parameters do not fit it."""


class NotSupportedError(DatabaseError):
    """The question cannot be answered privately, or there is no such thing here."""


_CLASSES: Tuple[Tuple[type, type], ...] = (
    (errors.ParseError, ProgrammingError),
    (errors.ParameterError, DataError),
    (errors.BudgetError, OperationalError),
    (errors.RefusedError, NotSupportedError),
    (errors.DamagedError, IntegrityError),
    (errors.StateError, InternalError),
)


def _guarded(call: Callable[[], T]) -> T:
    """The library's exceptions under the names of PEP 249, with the same sentence."""
    try:
        return call()
    except errors.Error as error:
        for ours, theirs in _CLASSES:
            if isinstance(error, ours):
                raise theirs(str(error)) from error
        raise OperationalError(str(error)) from error


# ---- types, as PEP 249 wants them ---------------------------------------------------------------------


class _Kind(frozenset):  # type: ignore[type-arg]
    def __eq__(self, other: object) -> bool:
        return other in self if isinstance(other, str) else frozenset.__eq__(self, other)

    def __hash__(self) -> int:
        return frozenset.__hash__(self)


STRING = _Kind({"text"})
BINARY = _Kind()
NUMBER = _Kind({"integer", "number", "boolean"})
DATETIME = _Kind({"date", "timestamp"})
ROWID = _Kind()

Date = datetime.date
Time = datetime.time
Timestamp = datetime.datetime
DateFromTicks = datetime.date.fromtimestamp
TimestampFromTicks = datetime.datetime.fromtimestamp
Binary = bytes


def TimeFromTicks(ticks: float) -> datetime.time:
    """A time of the day."""
    return datetime.datetime.fromtimestamp(ticks).time()


# ---- parameters -----------------------------------------------------------------------------------------

# A text of any kind, a name, a comment, or the mark of a parameter.
_PIECE = re.compile(
    r"\b[eE]'(?:[^'\\]|\\.|'')*'"
    r"|'(?:[^']|'')*'"
    r"|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$"
    r'|"(?:[^"]|"")*"'
    r"|--[^\n]*"
    r"|/\*.*?\*/"
    r"|\?",
    re.DOTALL,
)


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)) or type(value).__module__ == "numpy":
        if value != value or value in (float("inf"), float("-inf")):
            raise ProgrammingError("a parameter must be a finite number")
        return repr(value.item() if hasattr(value, "item") else value)
    if isinstance(value, datetime.datetime):
        return "TIMESTAMP '%s'" % value.isoformat(sep=" ")
    if isinstance(value, datetime.date):
        return "DATE '%s'" % value.isoformat()
    if isinstance(value, str):
        if "\0" in value:
            raise ProgrammingError("a parameter must not hold a zero character")
        return "'%s'" % value.replace("'", "''")
    raise ProgrammingError("a parameter is a number, a text, a date or None, not %s" % type(value).__name__)


def bind(sql: str, parameters: Sequence[Any]) -> str:
    """The statement with literals for its marks; marks inside texts and comments are none.

    >>> bind("SELECT '?' WHERE name = ?", ["O'Hara"])
    "SELECT '?' WHERE name = 'O''Hara'"
    """
    values = iter(parameters)
    used = 0

    def replace(match: "re.Match[str]") -> str:
        nonlocal used
        if match.group() != "?":
            if match.group().startswith("/*") and "/*" in match.group()[2:]:
                raise ProgrammingError("a comment inside a comment cannot stand beside parameters")
            return match.group()
        used += 1
        try:
            return _literal(next(values))
        except StopIteration:
            raise ProgrammingError("there are more marks than parameters") from None

    if re.search("['\"]|/\\*", _PIECE.sub("", sql)):
        raise ProgrammingError("a text, a name or a comment in the statement has no end")
    bound = _PIECE.sub(replace, sql)
    if used != len(parameters):
        raise ProgrammingError("there are %d parameters for %d marks" % (len(parameters), used))
    return bound


# ---- connections and cursors ------------------------------------------------------------------------------


class Cursor:
    """Asks, and hands the rows out."""

    arraysize = 1

    def __init__(self, connection: "Connection") -> None:
        self.connection = connection
        #: The answer itself, with intervals and cost; None before the first question.
        self.answer: Optional[Answer] = None
        self._next, self._closed = 0, False

    @property
    def description(self) -> Optional[List[Tuple[Any, ...]]]:
        if self.answer is None:
            return None
        return [(c.name, c.type, None, None, None, None, None) for c in self.answer.columns]

    @property
    def rowcount(self) -> int:
        return -1 if self.answer is None else len(self.answer)

    def _open(self) -> None:
        if self._closed or self.connection._closed:
            raise InterfaceError("the cursor was closed")

    def execute(self, operation: str, parameters: Sequence[Any] = ()) -> "Cursor":
        """Asks a question; it is charged."""
        self._open()
        sql = bind(operation, parameters) if parameters else operation
        inner, epsilon = self.connection._inner, self.connection._epsilon
        self.answer = _guarded(lambda: inner.sql(sql, epsilon=epsilon))
        self._next = 0
        return self

    def executemany(self, operation: str, parameters: Sequence[Sequence[Any]]) -> "Cursor":
        """Asks one question for each set of parameters; the last answer stays."""
        for one in parameters:
            self.execute(operation, one)
        return self

    def _answered(self) -> Answer:
        self._open()
        if self.answer is None:
            raise InterfaceError("nothing was asked yet")
        return self.answer

    def fetchone(self) -> Optional[Tuple[Any, ...]]:
        rows = self._answered().rows
        if self._next >= len(rows):
            return None
        self._next += 1
        return rows[self._next - 1]

    def fetchmany(self, size: Optional[int] = None) -> List[Tuple[Any, ...]]:
        rows = self._answered().rows[self._next : self._next + (size or self.arraysize)]
        self._next += len(rows)
        return rows

    def fetchall(self) -> List[Tuple[Any, ...]]:
        rows = self._answered().rows[self._next :]
        self._next += len(rows)
        return rows

    def __iter__(self) -> Iterator[Tuple[Any, ...]]:
        row = self.fetchone()
        while row is not None:
            yield row
            row = self.fetchone()

    def setinputsizes(self, sizes: Any) -> None:
        """Does nothing, as PEP 249 allows."""

    def setoutputsize(self, size: Any, column: Any = None) -> None:
        """Does nothing, as PEP 249 allows."""

    def close(self) -> None:
        self._closed = True

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()


class Connection:
    """A connection with cursors; ``sotto.connect`` has the richer one."""

    Warning, Error, InterfaceError, DatabaseError = Warning, Error, InterfaceError, DatabaseError
    DataError, OperationalError, IntegrityError = DataError, OperationalError, IntegrityError
    InternalError, ProgrammingError = InternalError, ProgrammingError
    NotSupportedError = NotSupportedError

    def __init__(self, inner: _Connection, epsilon: Optional[Number]) -> None:
        self._inner, self._epsilon, self._closed = inner, epsilon, False

    def cursor(self) -> Cursor:
        if self._closed:
            raise InterfaceError("the connection was closed")
        return Cursor(self)

    def commit(self) -> None:
        """Does nothing: a charge is durable before its answer comes."""

    def rollback(self) -> None:
        """Refuses: what was charged stays charged."""
        raise NotSupportedError("a charge cannot be taken back")

    def close(self) -> None:
        self._closed = True
        self._inner.close()

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()


def connect(source: Any, *, question_epsilon: Optional[Number] = None, **options: Any) -> Connection:
    """As ``sotto.connect``; ``question_epsilon`` is what each statement may cost."""
    return Connection(_guarded(lambda: _connect(source, **options)), question_epsilon)
