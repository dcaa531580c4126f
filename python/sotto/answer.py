"""The answer to a question: rows with 95 % intervals, what it cost, what is left."""
from __future__ import annotations

import datetime
import textwrap
from fractions import Fraction
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from sotto import _exact, _native
from sotto.accounting import Interval
from sotto.errors import MissingError, ParameterError, words

Value = Any  # None, bool, int, float, str, datetime.date or datetime.datetime


class Amount(NamedTuple):
    """An epsilon and a delta, exactly."""

    epsilon: Fraction
    delta: Fraction

    def said(self, up: bool) -> str:
        return "epsilon %s, delta %s" % (
            _exact.short(self.epsilon, up),
            _exact.short(self.delta, up),
        )


class Column(NamedTuple):
    """A column of an answer; one that is not noisy is a key or a constant.

    ``biased``: the limits made it wrong by more than its interval shows.
    """

    name: str
    type: str
    noisy: bool
    biased: bool = False


class Answer:
    """A private answer.  Everything in it is free to show, to keep and to send on.

    Iterating gives the rows; ``answer["n"]`` is a column; printing it gives a table with
    intervals, and notebooks show whiskers.  It can be pickled, and whatever reads Arrow's stream
    interface (polars, pyarrow, DuckDB, pandas from 3.0 on) takes it as a table.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Sequence[Tuple[Value, ...]],
        lows: Sequence[Tuple[Value, ...]],
        highs: Sequence[Tuple[Value, ...]],
        cost: Amount,
        left: Amount,
        repeated: bool = False,
        data_changed: bool = False,
        mechanism: Optional[str] = None,
        notes: Sequence[str] = (),
        made_up: bool = False,
        fits: Optional[int] = None,
    ) -> None:
        self.columns = list(columns)
        self.rows = [_typed(row, self.columns) for row in rows]
        self._lows, self._highs = list(lows), list(highs)
        #: What this call was charged.
        self.cost = cost
        #: What is left afterwards.
        self.left = left
        #: An earlier answer to the same question, for nothing.
        self.repeated = repeated
        #: The data changed since that earlier answer was given.
        self.data_changed = data_changed
        #: So many more questions like this one fit into what is left; None: it is free.
        self.fits = fits
        #: From invented rows: a preview.
        self.made_up = made_up
        self.mechanism = mechanism
        self.notes = list(notes)

    # ---- rows, columns, intervals ----------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Tuple[Value, ...]]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> List[Value]:
        at = self._place(name)
        return [row[at] for row in self.rows]

    def _place(self, name: str) -> int:
        for at, column in enumerate(self.columns):
            if column.name == name:
                return at
        raise ParameterError(
            "there is no column %r; the columns are %s"
            % (name, ", ".join(column.name for column in self.columns))
        )

    def interval(self, name: str) -> List[Optional[Interval]]:
        """The 95 % interval of the noise for each row; the notes say what the limits dropped."""
        at = self._place(name)
        return [
            None if low[at] is None or high[at] is None else Interval(low[at], high[at])
            for low, high in zip(self._lows, self._highs)
        ]

    def scalar(self) -> Value:
        """The one value of an answer with one row and one noisy column."""
        noisy = [column.name for column in self.columns if column.noisy]
        if len(self.rows) != 1 or len(noisy) != 1:
            raise ParameterError("the answer has more than one noisy value; use rows")
        return self[noisy[0]][0]

    # ---- as something else -------------------------------------------------------------------------

    def _columns(self, intervals: bool) -> List[Tuple[str, str, List[Value]]]:
        """(name, type, values) of each column; with intervals also ``n_low`` and ``n_high``."""
        out: List[Tuple[str, str, List[Value]]] = []
        for at, column in enumerate(self.columns):
            out.append((column.name, column.type, [row[at] for row in self.rows]))
            if intervals and column.noisy:
                for side, bounds in (("low", self._lows), ("high", self._highs)):
                    values = [_date(row[at], column.type) for row in bounds]
                    out.append(("%s_%s" % (column.name, side), _bound_type(column.type), values))
        names = [name for name, _, _ in out]
        for name in names:
            if names.count(name) > 1:
                raise ParameterError("two columns are called %s; name them with AS" % name)
        return out

    def dict(self, intervals: bool = False) -> Dict[str, List[Value]]:
        """Columns by name; with intervals also ``n_low`` and ``n_high``."""
        return {name: values for name, _, values in self._columns(intervals)}

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The answer as a stream of one batch, for whatever reads Arrow; intervals not included."""
        return self._stream(False)

    def _stream(self, intervals: bool) -> object:
        columns = [
            (name, _ARROW[kind], [_arrow(value, kind) for value in values])
            for name, kind, values in self._columns(intervals)
        ]
        return _native.export_stream(tuple(columns), len(self.rows))

    def df(self, intervals: bool = False) -> Any:
        """A pandas DataFrame.  Whole numbers stay whole, also where some are missing."""
        pandas = _module("pandas")
        columns = {
            name: pandas.Series(values, dtype=_pandas_type(kind, values))
            for name, kind, values in self._columns(intervals)
        }
        return pandas.DataFrame(columns, columns=list(columns))

    def arrow(self, intervals: bool = False) -> Any:
        """A pyarrow Table, on the memory that this writes: nothing is copied."""
        return _module("pyarrow").RecordBatchReader.from_stream(_Stream(self, intervals)).read_all()

    def polars(self, intervals: bool = False) -> Any:
        """A polars DataFrame."""
        return _module("polars").DataFrame(_Stream(self, intervals))

    def plot(self, name: Optional[str] = None, ax: Any = None) -> Any:
        """Draws one noisy column (the first if none is named) with error bars; returns the axes."""
        from sotto import _pictures

        return _pictures.answer(self, name, ax)

    # ---- for people ----------------------------------------------------------------------------------

    def __str__(self) -> str:
        from sotto import _pictures

        return _pictures.answer_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from sotto import _pictures

        return _pictures.answer_html(self)

    def summary(self) -> str:
        """One line: mechanism, cost, what is left."""
        paid = "cost %s" % self.cost.said(up=True)
        if self.repeated:
            paid = "an earlier answer, free"
        if self.made_up:
            paid = "made up from invented rows, free"
        return "%s; +- is the 95 %% interval; %s; left %s" % (
            self.mechanism or "no noise",
            paid,
            self.left.said(up=False),
        )


class _Stream:
    """What a library of data frames reads from."""

    def __init__(self, answer: Answer, intervals: bool) -> None:
        self._answer, self._intervals = answer, intervals

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._answer._stream(self._intervals)


_ARROW = {
    "integer": "l",
    "number": "g",
    "boolean": "b",
    "text": "u",
    "date": "tdD",
    "timestamp": "tsu:",
}
_EPOCH = datetime.datetime(1970, 1, 1)


def _bound_type(kind: str) -> str:
    """What the ends of an interval are: those of whole numbers may lie between two."""
    return "number" if kind == "integer" else kind


def _arrow(value: Value, kind: str) -> Value:
    """As Arrow counts: dates in days, times in microseconds since 1970."""
    if value is None or kind not in ("date", "timestamp"):
        return value
    if isinstance(value, str):
        return _far(value, kind)
    if kind == "date":
        return (value - _EPOCH.date()).days
    return (value - _EPOCH) // datetime.timedelta(microseconds=1)


def _far(text: str, kind: str) -> int:
    """A date beyond the year 9999: the calendar repeats itself every 400 years."""
    day, _, time = text.partition(" ")
    year, month, of_month = (int(part) for part in day.rsplit("-", 2))
    turns, year = divmod(year - 2000, 400)
    near = datetime.date(2000 + year, month, of_month)
    days = (near - _EPOCH.date()).days + turns * 146097
    if kind == "date":
        return days
    moment = datetime.time.fromisoformat(time) if time else datetime.time()
    passed = datetime.datetime.combine(_EPOCH.date(), moment) - _EPOCH
    return days * 86400 * 10**6 + passed // datetime.timedelta(microseconds=1)


def _pandas_type(kind: str, values: Sequence[Value]) -> str:
    """Types that hold every value as it is."""
    missing = any(value is None for value in values)
    if kind == "integer":
        return "Int64" if missing else "int64"
    if kind == "boolean":
        return "boolean" if missing else "bool"
    if kind == "timestamp" and not any(isinstance(value, str) for value in values):
        within = all(v is None or 1678 < v.year < 2262 for v in values)
        return "datetime64[ns]" if within else "object"
    return "float64" if kind == "number" else "object"


def _typed(row: Sequence[Value], columns: Sequence[Column]) -> Tuple[Value, ...]:
    """Dates and times as Python has them."""
    return tuple(_date(value, column.type) for value, column in zip(row, columns))


def _date(value: Value, kind: str) -> Value:
    if not isinstance(value, str) or kind not in ("date", "timestamp"):
        return value
    try:
        if kind == "date":
            return datetime.date.fromisoformat(value)
        return datetime.datetime.fromisoformat(value)
    except ValueError:  # a year beyond 9999
        return value


def _module(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingError("%s is not installed; install it, or use .rows or .dict()" % name) from None


def amount(pair: Sequence[Any]) -> Amount:
    return Amount(Fraction(pair[0]), Fraction(pair[1]))


def from_parts(parts: Dict[str, Any]) -> Answer:
    """An answer from what the library or the server says."""
    return Answer(
        [Column(*column) for column in parts["columns"]],
        parts["rows"],
        parts["lows"],
        parts["highs"],
        amount(parts["cost"]),
        amount(parts["left"]),
        parts["repeated"],
        parts["data_changed"],
        parts["mechanism"],
        [words(note) for note in parts["notes"]],
        parts["made_up"],
        parts.get("fits"),
    )


class Expected(NamedTuple):
    """The expected error of a column: 95 % of errors are no larger; None if it depends on data."""

    name: str
    type: str
    noisy: bool
    error: Optional[float]
    #: Of an average: divided by the number of values it is the error.
    error_times_count: Optional[float]
    #: Of averages, ratios and other computed numbers, for a group of ``typical_group`` units.
    typical_error: Optional[float]


_TITLES = {
    "protected": "Who is protected",
    "groups": "Groups",
    "noise": "What is counted, and its noise",
    "answer": "The answer, with 95 % confidence",
    "price": "Price",
    "limits": "What it may use",
}


class Explanation:
    """Everything that can be known before a question is paid for."""

    def __init__(self, parts: Dict[str, Any]) -> None:
        self.lines: List[Tuple[str, str, str]] = [
            (a, b, words(c or "")) for a, b, c in parts["lines"]
        ]
        #: What the database will be asked; None from a server, which does not tell it.
        self.sql: Optional[str] = next(
            (c for a, b, c in parts["lines"] if (a, b) == ("engine", "sql")), None
        )
        self.columns = [Expected(*(_number(v) for v in column)) for column in parts["columns"]]
        self.cost = amount(parts["cost"])
        #: What would be left; what is left now, if it is not affordable.
        self.left = amount(parts["left"])
        self.affordable: bool = parts["affordable"]
        self.repeated: bool = parts["repeated"]
        #: The data changed since the earlier answer was given.
        self.data_changed: bool = parts.get("data_changed", False)
        #: So many questions like this one fit, this one included; None: it is free.
        self.fits: Optional[int] = parts.get("fits")
        #: One unit counts in so many groups, with so many rows in each.
        self.groups: Optional[int] = parts.get("groups")
        self.rows: Optional[int] = parts.get("rows")
        #: Noisy units from which a private key is shown; 0: none.
        self.threshold: Optional[int] = parts.get("threshold")
        #: Units in the group for which typical errors are told.
        self.typical_group: int = parts["typical_group"]
        #: The limits are found when it is asked (``auto``): the errors are those of 1 group and
        #: 1 row, and may grow.
        self.assumes_limits: bool = parts.get("assumes_limits", False)
        self.mechanism: Optional[str] = parts["mechanism"]

    def error(self, name: str) -> Optional[float]:
        """The expected 95 % error of a column."""
        for column in self.columns:
            if column.name == name:
                return column.error
        raise ParameterError("there is no column %r" % name)

    def __str__(self) -> str:
        out: List[str] = []
        section = None
        for here, name, text in self.lines:
            if here == "engine":  # for whoever asks: self.sql
                continue
            if here != section:
                out += ([""] if out else []) + [_TITLES.get(here, here)]
                section = here
            width = max(len(n or "") for s, n, _ in self.lines if s == here)
            lines = textwrap.wrap(text or "", 92 - width) or [""]
            out.append(("  %-*s  %s" % (width, name or "", lines[0])).rstrip())
            out += [" " * (width + 4) + line for line in lines[1:]]
        return "\n".join(out)

    __repr__ = __str__


def _number(value: Any) -> Any:
    """NaN, which means unknown, as None."""
    return None if isinstance(value, float) and value != value else value


class Budget(NamedTuple):
    """What may be spent, what was spent, and what is left."""

    budget: Amount
    spent: Amount
    left: Amount
    releases: int
    renews: Optional[datetime.datetime]
    #: What all releases spent in zCDP, if one of them has no epsilon of its own (Gaussian noise);
    #: ``spent`` is then what is no longer left.
    spent_rho: Optional[Fraction] = None

    def __str__(self) -> str:
        gaussian = "" if self.spent_rho is None else ", rho " + _exact.short(self.spent_rho, up=True)
        lines = [
            "budget  " + self.budget.said(up=False),
            "spent   " + self.spent.said(up=True) + gaussian,
            "left    " + self.left.said(up=False),
        ]
        return "\n".join(lines)


def budget_from(parts: Dict[str, Any]) -> Budget:
    when, rho = parts.get("renews"), parts.get("rho")
    whole, spent, left = (amount(parts[name]) for name in ("budget", "spent", "left"))
    if rho is not None:
        spent = Amount(whole.epsilon - left.epsilon, spent.delta)
    return Budget(
        whole,
        spent,
        left,
        parts["releases"],
        datetime.datetime.fromtimestamp(when, datetime.timezone.utc) if when else None,
        None if rho is None else Fraction(rho),
    )


class Entry(NamedTuple):
    """One line of the history; an entry that is not a release cost nothing."""

    number: int
    time: datetime.datetime
    analyst: str
    query: str
    epsilon: Optional[Fraction]
    delta: Fraction
    answered: bool
    kind: str = "release"
    #: The same in zCDP; of Gaussian noise, whose epsilon is None, all there is.
    rho: Fraction = Fraction(0)


class TableColumn(NamedTuple):
    """A column that can be asked about; bounds and keys are what the policy makes public."""

    name: str
    type: str
    nullable: bool
    bounds: Optional[Tuple[Any, Any]]
    keys: Optional[List[Optional[str]]]


def bounds_of(low: Any, high: Any, days: bool) -> Optional[Tuple[Any, Any]]:
    """Numbers as fractions, days as dates."""
    if low is None:
        return None
    if days:
        return datetime.date.fromisoformat(low), datetime.date.fromisoformat(high)
    return _exact.fraction(low), _exact.fraction(high)


class Table(NamedTuple):
    """A table that can be asked about."""

    name: str
    public: bool
    unit: Optional[str]
    max_groups: int
    max_rows: int
    columns: List[TableColumn]
