"""Data frames into files that a policy can name.

Whatever speaks Arrow's stream interface (polars, pyarrow, DuckDB) is written without a copy of
its own.  A DataFrame of pandas is taken apart column by column: numbers, truth values and texts
of Arrow where they lie, other texts into one buffer.

What stands in one row never decides how another one is read, nor whether the table is taken: in a
column of Python objects a cell that is not a value counts as missing.  If the column has terms (a
type, bounds, keys), every cell becomes its text, of which the terms make numbers or dates again;
without terms it has the type of its cells, and text where they are of several kinds.
"""
from __future__ import annotations

import datetime
import decimal
import sys
from fractions import Fraction
from typing import Any, Callable, Collection, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from sotto import _native
from sotto.errors import ColumnWarning, MissingError, ParameterError, warn

class Source:
    """A table on its way into a file: the names of its columns, and the writing."""

    def __init__(self, names: Sequence[Any]) -> None:
        self.columns = _checked(names)

    def prepare(self, terms: Collection[str]) -> "Callable[[str], None]":
        """What is to be done in Python; the writing itself needs only a path, in any thread.

        ``terms`` names the columns of which a policy says something.
        """
        raise NotImplementedError


def _checked(names: Sequence[Any]) -> List[str]:
    """Names that SQL can tell apart."""
    if not names:
        raise ParameterError("the table has no columns")
    seen: Dict[str, str] = {}
    for name in names:
        if not isinstance(name, str):
            raise ParameterError(
                "the names of columns must be texts, not %s; name them with "
                "frame.columns = [...]" % type(name).__name__
            )
        if not name or "\0" in name or not _is_unicode(name):
            raise ParameterError("a column has the name %r; give it another one" % name)
        if name.lower() in seen:
            raise ParameterError(
                "two columns of the table have the same name for SQL: %r and %r; rename one"
                % (seen[name.lower()], name)
            )
        seen[name.lower()] = name
    return list(names)


def _is_unicode(text: str) -> bool:
    return text.encode("utf-8", "replace").decode() == text


def source(frame: Any) -> Source:
    """What kind of table it is."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(frame, pandas.DataFrame):
        return _PandasSource(frame)
    if hasattr(frame, "fetch_arrow_table") and not hasattr(frame, "__arrow_c_stream__"):
        frame = frame.fetch_arrow_table()  # an older DuckDB
    if hasattr(frame, "__arrow_c_stream__"):
        return _StreamSource(frame)
    if hasattr(frame, "collect"):
        raise ParameterError("%s is not a table yet; give frame.collect()" % type(frame).__name__)
    raise ParameterError(
        "a table is a DataFrame of pandas or polars, an Arrow table or a DuckDB relation, not %s"
        % type(frame).__name__
    )


class _StreamSource(Source):
    """A stream of Arrow; it can be read once."""

    def __init__(self, frame: Any) -> None:
        try:
            self._stream = frame.__arrow_c_stream__()
        except Exception:  # whose words may hold what stands in a cell
            raise ParameterError(
                "%s could not be read through Arrow; make its columns numbers, texts, truth values, "
                "dates or times" % type(frame).__name__
            ) from None
        super().__init__(_native.frame_columns(self._stream))

    def prepare(self, terms: Collection[str]) -> Callable[[str], None]:
        stream = self._stream
        return lambda path: _native.frame_store_stream(stream, path)


class _PandasSource(Source):
    def __init__(self, frame: Any) -> None:
        super().__init__(list(frame.columns))
        self._frame = frame

    def prepare(self, terms: Collection[str]) -> Callable[[str], None]:
        columns = [
            _column(name, self._frame.iloc[:, at], name in terms)
            for at, name in enumerate(self.columns)
        ]
        described = tuple(
            (c.name, c.format, c.buffers, c.nulls, c.offset, *c.addresses) for c in columns
        )
        rows = len(self._frame)

        def store(path: str) -> None:
            _native.frame_store(described, rows, path)
            columns.clear()  # which held the memory until now

        return store


# ---- pandas, column by column -------------------------------------------------------------------------


class _Column(NamedTuple):
    """A column as Arrow describes it; ``keep`` holds the memory."""

    name: str
    format: str
    buffers: int
    nulls: int
    offset: int
    addresses: Tuple[int, int, int]
    keep: Tuple[Any, ...]


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise MissingError("numpy is not installed; a DataFrame needs it") from None
    return numpy


def _bits(valid: Any) -> Tuple[int, Any]:
    """How many values are missing, and Arrow's bitmap of those that are not."""
    np = _numpy()
    missing = int(len(valid) - valid.sum())
    packed = np.packbits(valid, bitorder="little") if missing else np.zeros(1, dtype=np.uint8)
    return missing, packed


def _address(values: Any) -> int:
    return int(values.__array_interface__["data"][0])


def _fixed(name: str, kind: str, values: Any, valid: Any) -> _Column:
    """A column of numbers that lie one after the other."""
    missing, packed = _bits(valid)
    values = _numpy().ascontiguousarray(values)
    addresses = (_address(packed) if missing else 0, _address(values), 0)
    return _Column(name, kind, 2, missing, 0, addresses, (packed, values))


def _truths(name: str, values: Any, valid: Any) -> _Column:
    return _fixed(name, "b", _numpy().packbits(values, bitorder="little"), valid)


_NUMBERS = {
    ("i", 1): "c",
    ("i", 2): "s",
    ("i", 4): "i",
    ("i", 8): "l",
    ("u", 1): "C",
    ("u", 2): "S",
    ("u", 4): "I",
    ("u", 8): "L",
    ("f", 4): "f",
    ("f", 8): "g",
}


def _column(name: str, series: Any, has_terms: bool) -> _Column:
    np = _numpy()
    if hasattr(series.dtype, "fill_value") and hasattr(series.dtype, "subtype"):  # sparse
        series = series.sparse.to_dense()
    of_arrow = _arrow_texts(name, series)
    if of_arrow is not None:
        return of_arrow
    if str(series.dtype) == "category":
        return _categories(name, series, has_terms)
    kind = getattr(series.dtype, "kind", "O")
    if hasattr(series.dtype, "pyarrow_dtype") and kind not in "biuf":
        kind = "O"
    if kind not in "Mbiuf":
        return _objects(name, series.to_numpy(dtype=object), has_terms)
    valid = series.notna().to_numpy().astype(bool)
    if kind == "M":
        if getattr(series.dtype, "tz", None) is not None:
            series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        stamps = series.to_numpy().astype("datetime64[us]").view(np.int64)
        return _fixed(name, "tsu:", stamps, valid)
    if kind == "b":
        return _truths(name, series.fillna(False).to_numpy().astype(bool), valid)
    width = int(series.dtype.itemsize)
    if kind == "f":
        width = 4 if width < 4 else min(width, 8)
    wanted = np.dtype("%s%d" % (kind, width))
    if not valid.all() and kind in "iu":  # pandas' own integers with missing values
        series = series.fillna(0)
    values = series.to_numpy()
    if values.dtype != wanted:
        values = _to(series, wanted, np)
    return _fixed(name, _NUMBERS[kind, width], values, valid)


def _to(series: Any, wanted: Any, np: Any) -> Any:
    if wanted.kind == "f":
        return series.to_numpy(dtype=wanted, na_value=np.nan)
    return series.to_numpy(dtype=wanted)


def _arrow_texts(name: str, series: Any) -> Optional[_Column]:
    """Texts that pandas keeps in Arrow, where they lie; None for anything else."""
    held = series.dtype
    if getattr(held, "storage", None) != "pyarrow" and not hasattr(held, "pyarrow_dtype"):
        return None
    pyarrow = sys.modules["pyarrow"]
    values = series.array.__arrow_array__()
    if isinstance(values, pyarrow.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pyarrow.ChunkedArray):  # more than fits into one
        return None
    formats = {pyarrow.string(): "u", pyarrow.large_string(): "U"}
    if values.type not in formats:
        return None
    buffers = values.buffers()
    addresses = tuple(0 if buffer is None else int(buffer.address) for buffer in buffers)
    return _Column(
        name,
        formats[values.type],
        3,
        int(values.null_count),
        int(values.offset),
        (addresses[0], addresses[1], addresses[2]),
        (buffers,),
    )


def _categories(name: str, series: Any, has_terms: bool) -> _Column:
    """Each category is looked at once."""
    np = _numpy()
    categories = series.cat.categories.to_numpy(dtype=object)
    codes = series.cat.codes.to_numpy()
    if all(isinstance(category, str) for category in categories):
        encoded = [_encoded(category) for category in categories] + [b""]  # -1: missing
        return _joined(name, [encoded[code] for code in codes.tolist()], codes >= 0)
    cells = np.empty(len(categories) + 1, dtype=object)
    cells[:-1] = categories
    return _objects(name, cells[codes], has_terms)


# ---- columns of Python objects --------------------------------------------------------------------------

_EPOCH = datetime.datetime(1970, 1, 1)
_LEAST, _MOST = -(2**63), 2**63 - 1
_DIGITS = 40  # of a whole number whose text is kept


def _family(kind: type) -> Optional[str]:
    """What a Python type is in a table; None: nothing."""
    np = _numpy()
    if issubclass(kind, (bool, np.bool_)):
        return "boolean"
    if issubclass(kind, np.timedelta64):  # which numpy counts among whole numbers
        return None
    if issubclass(kind, (int, np.integer)):
        return "integer"
    if issubclass(kind, (float, np.floating, decimal.Decimal, Fraction)):
        return "number"
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, datetime.datetime):
        return "timestamp"
    if issubclass(kind, datetime.date):
        return "date"
    return "time" if issubclass(kind, datetime.time) else None


def _there(values: Any, kinds: Set[type]) -> Any:
    """Where something stands: not None, NaN, NaT or NA."""
    pandas = sys.modules["pandas"]
    missing = pandas.isna
    if any(issubclass(kind, decimal.Decimal) for kind in kinds):  # which may raise when compared
        missing = _numpy().frompyfunc(
            lambda v: v.is_nan() if isinstance(v, decimal.Decimal) else v is None or _is_na(v), 1, 1
        )
    return ~missing(values).astype(bool)


def _is_na(value: Any) -> bool:
    return bool(sys.modules["pandas"].api.types.is_scalar(value)) and bool(
        sys.modules["pandas"].isna(value)
    )


def _together(families: Set[Optional[str]]) -> Optional[str]:
    """The type of a column whose cells are of these; None: they do not go together."""
    for whole, kind in (
        ({"boolean"}, "boolean"),
        ({"integer"}, "integer"),
        ({"integer", "number"}, "number"),
        ({"date"}, "date"),
        ({"date", "timestamp"}, "timestamp"),
        ({"text"}, "text"),
        ({"time"}, "text"),
    ):
        if families <= whole:
            return kind
    return None


def _objects(name: str, values: Any, has_terms: bool) -> _Column:
    """A column of Python objects: of one kind, or each as its text."""
    np = _numpy()
    valid = _there(values, set(map(type, values)))
    families = {kind: _family(kind) for kind in set(map(type, values[valid]))}
    known = set(families.values()) - {None}
    if None in families.values():
        warn(
            "column %r holds objects that no table has; they count as missing" % name, ColumnWarning
        )
    kind = "text" if has_terms or not known else _together(known)
    if kind is None:
        warn(
            "column %r holds values of several kinds; each counts as its text, unless columns= says "
            "bounds or a type" % name,
            ColumnWarning,
        )
        kind = "text"
    if set(families) <= {str}:
        return _joined(name, [_encoded(v) if t else b"" for v, t in zip(values, valid)], valid)
    convert = _CONVERT[kind]
    named = {kind: family for kind, family in families.items() if family is not None}
    cells = [
        _converted(convert, value, named[type(value)]) if there and type(value) in named else None
        for value, there in zip(values, valid)
    ]
    there = np.array([cell is not None for cell in cells], dtype=bool)
    if kind == "text":
        return _joined(name, [cell or b"" for cell in cells], there)
    filled = [0 if cell is None else cell for cell in cells]
    if kind == "boolean":
        return _truths(name, np.array(filled, dtype=bool), there)
    code, dtype = {
        "integer": ("l", "i8"),
        "number": ("g", "f8"),
        "date": ("tdD", "i4"),
        "timestamp": ("tsu:", "i8"),
    }[kind]
    return _fixed(name, code, np.array(filled, dtype=dtype), there)


def _converted(convert: Callable[[Any, str], Any], value: Any, family: str) -> Any:
    """A cell in the type of its column; one that cannot be is missing, whatever it raises."""
    try:
        return convert(value, family)
    except Exception:  # which would refuse the table for the sake of one cell
        return None


def _whole(value: Any, _: str) -> Optional[int]:
    return int(value) if _LEAST <= value <= _MOST else None


def _real(value: Any, _: str) -> float:
    return float(value)


def _day(value: Any, _: str) -> int:
    return int((value - _EPOCH.date()).days)


def _moment(value: Any, family: str) -> int:
    """Microseconds since 1970, in UTC where there is a zone."""
    if family == "date":
        return _day(value, family) * 86400 * 10**6
    if value.tzinfo is not None:
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return int((value - _EPOCH) // datetime.timedelta(microseconds=1))


def _encoded(text: str) -> bytes:
    """What is not a character becomes a '?'."""
    return text.encode("utf-8", "replace")


def _text(value: Any, family: str) -> Optional[bytes]:
    """A cell as its text: equal numbers have equal texts, and huge ones none."""
    if family == "text":
        return _encoded(value)
    if family == "boolean":
        return b"true" if value else b"false"
    if family in ("date", "timestamp", "time"):
        return str(value).encode()
    if hasattr(value, "item"):  # numpy's, which may overflow below; its long double stays one
        value = float(value) if family == "number" else value.item()
    if not -(10**_DIGITS) < value < 10**_DIGITS:
        return None
    if value == int(value):
        return b"%d" % int(value)
    return str(value if isinstance(value, decimal.Decimal) else float(value)).encode()


_CONVERT: Dict[str, Callable[[Any, str], Any]] = {
    "boolean": lambda value, _: bool(value),
    "integer": _whole,
    "number": _real,
    "date": _day,
    "timestamp": _moment,
    "text": _text,
}


def _joined(name: str, encoded: List[bytes], valid: Any) -> _Column:
    """Texts one after the other, with where each begins."""
    np = _numpy()
    starts = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)), out=starts[1:])
    data = np.frombuffer(b"".join(encoded) or b"\0", dtype=np.uint8)
    missing, packed = _bits(valid)
    addresses = (_address(packed) if missing else 0, _address(starts), _address(data))
    return _Column(name, "U", 3, missing, 0, addresses, (packed, starts, data))
