"""Data frames into files that a policy can name.

Whatever speaks Arrow's stream interface (polars, pyarrow, pandas from 2.2 on, DuckDB) is written
without a copy of its own.  An older pandas is taken apart column by column: numbers and
truth values where they lie, texts into one buffer.
"""
from __future__ import annotations

from typing import Any, List, NamedTuple, Tuple

from sotto import _native
from sotto.errors import MissingError, ParameterError


class _Column(NamedTuple):
    """A column as Arrow describes it; ``keep`` holds the memory."""

    name: str
    format: str
    buffers: int
    nulls: int
    addresses: Tuple[int, int, int]
    keep: Tuple[Any, ...]


def columns_of(frame: Any) -> List[str]:
    """The names of a frame's columns."""
    names = getattr(frame, "columns", None)
    if names is not None and not callable(names):
        listed = [getattr(name, "name", name) for name in names]
        if all(isinstance(name, str) for name in listed):
            if len(set(listed)) < len(listed):
                raise ParameterError("two columns of the table have the same name")
            return list(listed)
    for attribute in ("column_names",):
        if hasattr(frame, attribute):
            return [str(name) for name in getattr(frame, attribute)]
    raise ParameterError(
        "a table is a DataFrame of pandas or polars, an Arrow table or a DuckDB relation, "
        "with texts as names of columns, not %s" % type(frame).__name__
    )


def store(frame: Any, path: str) -> None:
    """Writes a frame into a new Parquet file."""
    if type(frame).__module__.split(".")[0] == "duckdb" and hasattr(frame, "fetch_arrow_table"):
        frame = frame.fetch_arrow_table() if not hasattr(frame, "__arrow_c_stream__") else frame
    if hasattr(frame, "__arrow_c_stream__"):
        _native.frame_store_stream(frame.__arrow_c_stream__(), path)
        return
    if type(frame).__module__.split(".")[0] != "pandas":
        columns_of(frame)  # refuses what is no table
        raise ParameterError(
            "%s has no Arrow stream; give a DataFrame, or install pyarrow" % type(frame).__name__
        )
    columns = [_column(str(name), frame[name]) for name in columns_of(frame)]
    described = tuple(
        (c.name, c.format, c.buffers, c.nulls, *c.addresses) for c in columns
    )
    _native.frame_store(described, len(frame), path)


# ---- pandas without Arrow ---------------------------------------------------------------------------


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
    return _Column(name, kind, 2, missing, addresses, (packed, values))


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


def _column(name: str, series: Any) -> _Column:
    np = _numpy()
    if str(series.dtype) == "category":
        series = series.astype(object)
    valid = series.notna().to_numpy()
    kind = getattr(series.dtype, "kind", "O")
    if kind == "M":  # nanoseconds, without a zone
        if getattr(series.dtype, "tz", None) is not None:
            series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        stamps = series.to_numpy().astype("datetime64[us]").view(np.int64)
        return _fixed(name, "tsu:", stamps, valid)
    if kind == "b":
        plain = series.fillna(False).to_numpy().astype(bool)
        return _fixed(name, "b", np.packbits(plain, bitorder="little"), valid)
    if kind in "iu" and not valid.all():  # pandas' own integers with missing values
        width = int(series.dtype.itemsize)
        filled = series.fillna(0).to_numpy(dtype="%s%d" % (kind, width))
        return _fixed(name, _NUMBERS[kind, width], filled, valid)
    if kind in "iuf":
        values = series.to_numpy()
        if values.dtype == object:
            values = series.to_numpy(dtype="f8", na_value=np.nan)
        values = values.astype("f4") if values.dtype == np.float16 else values
        return _fixed(name, _NUMBERS[values.dtype.kind, values.dtype.itemsize], values, valid)
    return _objects(name, series, valid)


def _objects(name: str, series: Any, valid: Any) -> _Column:
    """A column of Python objects: texts, truth values or dates, one kind only."""
    import datetime

    np = _numpy()
    values = series.to_numpy(dtype=object)
    kinds = {type(value) for value, there in zip(values, valid) if there}
    if kinds <= {str}:
        return _texts(name, values, valid)
    if kinds <= {bool, np.bool_}:
        plain = np.array([bool(v) if t else False for v, t in zip(values, valid)], dtype=bool)
        return _fixed(name, "b", np.packbits(plain, bitorder="little"), valid)
    if kinds == {datetime.date}:
        epoch = datetime.date(1970, 1, 1)
        days = [(v - epoch).days if t else 0 for v, t in zip(values, valid)]
        return _fixed(name, "tdD", np.array(days, dtype=np.int32), valid)
    if kinds <= {int}:
        try:
            whole = np.array([v if t else 0 for v, t in zip(values, valid)], dtype=np.int64)
        except OverflowError:
            raise ParameterError("column %r has a whole number of more than 63 bits" % name) from None
        return _fixed(name, "l", whole, valid)
    if kinds <= {int, float}:
        real = np.array([float(v) if t else 0.0 for v, t in zip(values, valid)], dtype="f8")
        return _fixed(name, "g", real, valid)
    raise ParameterError(
        "column %r holds objects of several kinds, or of one that no table has; make it numbers, "
        "texts, truth values or dates" % name
    )


def _texts(name: str, values: Any, valid: Any) -> _Column:
    """Texts one after the other, with where each begins.  What is no character becomes a '?'."""
    np = _numpy()
    encoded = [v.encode("utf-8", "replace") if t else b"" for v, t in zip(values, valid)]
    starts = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=starts[1:])
    data = np.frombuffer(b"".join(encoded) or b"\0", dtype=np.uint8)
    missing, packed = _bits(valid)
    addresses = (_address(packed) if missing else 0, _address(starts), _address(data))
    return _Column(name, "U", 3, missing, addresses, (packed, starts, data))
