"""Data frames: what is in them is what is asked, whatever made them."""
import datetime
import os
import subprocess
import sys
import threading
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sotto
from arrow_producer import ArrowTable
from hypothesis import given, settings
from hypothesis import strategies as st

pandas = pytest.importorskip("pandas")

SURE = 900


def counted(frame, where="TRUE", **options):
    """How many rows satisfy something, with hardly any noise."""
    with sotto.connect({"t": frame}, unit="row", epsilon=10**6, **options) as con:
        return con.sql("SELECT COUNT(*) AS n FROM t WHERE %s" % where, epsilon=SURE).scalar()


FRAME = pandas.DataFrame(
    {
        "id": range(8),
        "small": np.array([1, 2, 3, 4, 5, 6, 7, 8], dtype="int8"),
        "unsigned": np.array([1, 2, 3, 4, 5, 6, 7, 200], dtype="uint8"),
        "real": [0.5, 1.5, np.nan, 3.5, 4.5, 5.5, 6.5, 7.5],
        "single": np.array([0.5] * 8, dtype="float32"),
        "text": ["a", "b'\"", None, "", "é\n,", "a", "a", "\U0001f600"],
        "truth": [True, False, True, True, False, True, True, True],
        "maybe": [True, None, False, True, None, True, True, True],
        "day": [datetime.date(2024, 1, d + 1) for d in range(8)],
        "when": pandas.date_range("2024-01-01 10:30", periods=8, freq="D"),
        "zone": pandas.date_range("2024-01-01 23:30", periods=8, freq="D", tz="Europe/Paris"),
        "kind": pandas.Categorical(["x", "y", "x", "x", None, "y", "x", "x"]),
        "nullable": pandas.array([1, None, 3, 4, 5, 6, 7, 8], dtype="Int64"),
        "flag": pandas.array([True, None, False, True, True, True, True, True], dtype="boolean"),
        "string": pandas.array(["p", None, "q", "p", "p", "p", "p", "p"], dtype="string"),
        "mixed": [1, 2.5, 3, 4, 5, 6, 7, 8],
    }
)


@pytest.fixture(scope="module")
def every_type():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sotto.LessonWarning)
        con = sotto.connect({"t": FRAME}, unit="row", epsilon=10**6)
    yield con
    con.close()


@pytest.mark.parametrize(
    "where, n",
    [
        ("small >= 5", 4),
        ("unsigned > 100", 1),
        ("real > 1", 6),
        ("real IS NULL", 1),
        ("single = 0.5", 8),
        ("text = 'a'", 3),
        ("text = ''", 1),
        ("text IS NULL", 1),
        ("text = 'b''\"'", 1),
        ("truth", 6),
        ("maybe", 5),
        ("maybe IS NULL", 2),
        ("day >= DATE '2024-01-05'", 4),
        ("\"when\" < TIMESTAMP '2024-01-03 11:00:00'", 3),
        ("zone < TIMESTAMP '2024-01-01 23:00:00'", 1),
        ("kind = 'x'", 5),
        ("nullable > 4", 4),
        ("nullable IS NULL", 1),
        ("flag", 6),
        ("string = 'p'", 6),
        ("mixed > 2.25", 7),
    ],
)
def test_every_type_of_pandas_arrives(every_type, where, n):
    answer = every_type.sql("SELECT COUNT(*) AS n FROM t WHERE %s" % where, epsilon=SURE)
    assert answer.scalar() == n


@settings(max_examples=4)
@given(st.lists(st.one_of(st.none(), st.text(max_size=8)), min_size=1, max_size=30), st.integers(0, 29))
def test_any_texts_arrive(texts, at):
    """Each text is in its own row, whatever stands in the others."""
    frame = pandas.DataFrame({"id": range(len(texts)), "x": pandas.Series(texts, dtype=object)})
    assert counted(frame, "x IS NULL") == sum(t is None for t in texts)
    assert counted(frame, "id >= 0") == len(texts)


def test_broken_characters_change_their_own_row_only():
    assert counted(pandas.DataFrame({"id": [1, 2], "x": pandas.Series(["\ud800", "fine"], dtype=object)}), "x = 'fine'") == 1


def test_empty_frames_and_keys_that_are_numbers():
    empty = pandas.DataFrame({"id": pandas.Series([], dtype="int64"), "x": pandas.Series([], dtype=object)})
    assert counted(empty) == 0
    wards = pandas.DataFrame({"id": range(6), "ward": [1, 1, 2, 2, 2, 9]})
    with sotto.connect({"t": wards}, unit="id", epsilon=10**6, columns={"ward": [1, 2, 3]}) as con:
        answer = con.sql("SELECT ward, COUNT(*) AS n FROM t GROUP BY ward ORDER BY ward", epsilon=SURE)
        assert [tuple(map(int, row)) for row in answer] == [(1, 2), (2, 3), (3, 0)]


@pytest.mark.parametrize(
    "frame, words",
    [
        (pandas.DataFrame([[1, 2]], columns=["x", "x"]), "same name for SQL"),
        (pandas.DataFrame([[1, 2]], columns=["id", "Id"]), "same name for SQL: 'id' and 'Id'"),
        (pandas.DataFrame({0: [1]}), "names of columns must be texts"),
        (pandas.DataFrame({"": [1]}), "give it another one"),
        (pandas.DataFrame({"a\0b": [1]}), "give it another one"),
        (pandas.DataFrame(index=range(3)), "no columns"),
        (pandas.DataFrame({"x": [1]}, index=pandas.Index([7], name="id")), "reset_index"),
    ],
)
def test_names_that_sql_cannot_use_are_refused(frame, words):
    with pytest.raises(sotto.ParameterError, match=words):
        sotto.connect({"t": frame}, unit="id", epsilon=1)


# ---- columns of objects: no cell decides how another one is read -----------------------------------------------------


class Nowhere(datetime.tzinfo):
    """A zone that cannot say where it is."""

    def utcoffset(self, when):
        raise ValueError("nowhere")


STRANGE = [
    {"a": 1},
    [1, 2],
    object(),
    b"bytes",
    1j,
    10**30,
    10**5000,
    float("inf"),
    Decimal("sNaN"),
    Decimal("1E+9999999"),
    Fraction(1, 3),
    "\ud800",
    "a\0b",
    "'; DROP TABLE t; --",
    datetime.datetime.min,
    datetime.datetime.max.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=-12))),
    datetime.date.max,
    datetime.time(1, 2),
    datetime.timedelta.max,
    True,
    np.float16(2),
    np.longdouble("1e4000"),
    np.longdouble(1.5),
    np.datetime64("2024-01-01"),
    np.timedelta64(1, "s"),
    datetime.datetime(2024, 1, 1, tzinfo=Nowhere()),
]
COLUMNS = {
    "texts": (["x", "y", "x"] * 3, "c = 'x'", 6, None),
    "whole numbers": ([1, 2, 1] * 3, "c = 1", 6, [1, 2]),
    "bounded": ([1.5, 2.5, 1.5] * 3, "c < 2", 6, (0, 9)),
    "truth": ([True, False, True] * 3, "c", 6, {"type": "boolean"}),
    "days": ([datetime.date(2024, 1, 1)] * 9, "c = DATE '2024-01-01'", 9, {"type": "date"}),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_one_strange_cell_changes_its_own_row_only(name):
    """Each strange object in a table of its own, as a second table that shares the ledger's terms."""
    cells, where, n, terms = COLUMNS[name]
    tables = {}
    for i, strange in enumerate(STRANGE):
        column = pandas.Series([None] * (len(cells) + 1), dtype=object)
        column[:] = cells + [None]
        column.iat[len(cells)] = strange
        tables["t%d" % i] = pandas.DataFrame({"id": range(len(column)), "c": column})
    said = {} if terms is None else {"t%d.c" % i: terms for i in range(len(STRANGE))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sotto.ColumnWarning)
        con = sotto.connect(tables, unit="row", epsilon=10**6, columns=said)
    with con:
        for table, strange in zip(tables, STRANGE):
            found = con.sql(
                "SELECT COUNT(*) AS n FROM %s WHERE id < %d AND %s" % (table, len(cells), where), epsilon=SURE
            ).scalar()
            assert found == n, strange


def test_strange_cells_are_warned_of_without_their_values():
    frame = pandas.DataFrame({"id": range(3), "x": ["secret", 5, {}]})
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        sotto.connect({"t": frame}, unit="row", epsilon=1).close()
    told = [w for w in seen if w.category is sotto.ColumnWarning]
    assert [str(w.message).split(";")[0] for w in told] == [
        "column 'x' holds objects that no table has",
        "column 'x' holds values of several kinds",
    ]
    assert {w.filename for w in told} == {__file__}
    assert not any("secret" in str(w.message) for w in told)


def test_texts_that_are_not_of_the_declared_type_are_warned_of():
    frame = pandas.DataFrame({"id": range(3), "height": ["1,63", "1,70", "1,81"]})
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        sotto.connect({"t": frame}, unit="row", epsilon=1, columns={"height": (0, 3)}).close()
    told = [w for w in seen if w.category is sotto.ColumnWarning]
    assert [str(w.message) for w in told] == ["values of t.height cannot be read as number, and count as missing"]
    assert {w.filename for w in told} == {__file__}


def test_equal_numbers_are_one_person_whatever_they_are_made_of():
    """Were 1 and 1.0 two people because somebody wrote a text, each would count twice."""
    ids = pandas.Series([1, 1.0, Decimal("1.00"), "x", np.int8(1), Fraction(1)], dtype=object)
    frame = pandas.DataFrame({"id": ids})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        con = sotto.connect({"t": frame}, unit="id", epsilon=10**6)
    with con:
        assert con.sql("SELECT COUNT(DISTINCT id) AS n FROM t", epsilon=SURE).scalar() == 2


@pytest.mark.parametrize(
    "values, where, n",
    [
        (pandas.array([1.5, None, 2.5], dtype="Float32"), "x = 1.5", 1),
        (np.array([1, 2, 3], dtype="float16"), "x = 2", 1),
        (np.array([1, 2, 3], dtype="longdouble"), "x = 2", 1),
        (np.array([1, 2, 3], dtype=">i4"), "x = 2", 1),
        (np.arange(6)[::2], "x = 4", 1),
        (pandas.arrays.SparseArray([0, 0, 7]), "x = 7", 1),
        (pandas.Categorical([1, 2, 1]), "x = 1", 2),
        (pandas.Series([Decimal("1.5"), None, Decimal(2)], dtype=object), "x = 1.5", 1),
        (pandas.Series([datetime.time(1), None, datetime.time(2)], dtype=object), "x = '01:00:00'", 1),
        (pandas.to_datetime(["2024-01-01", None, "2024-01-02"]), "x IS NULL", 1),
        (
            pandas.Series(
                [pandas.Timestamp("2024-01-01", tz="UTC"), pandas.Timestamp("2024-01-01", tz="Asia/Tokyo"), None],
                dtype=object,
            ),
            "x < TIMESTAMP '2024-01-01 00:00:00'",
            1,
        ),
    ],
)
def test_more_types_of_pandas_arrive(values, where, n):
    assert counted(pandas.DataFrame({"id": range(3), "x": values}), where) == n


@pytest.mark.parametrize("values", [[2**62 + 1, 2**62], [2**62 + 1, None]])
def test_whole_numbers_of_pandas_stay_whole(values):
    """Over 2^53 a double would round them."""
    column = sotto.frames._column("x", pandas.Series(values, dtype="Int64"), True)
    assert column.format == "l" and column.keep[1][0] == 2**62 + 1


def test_bounds_may_be_days():
    frame = pandas.DataFrame({"id": range(9), "day": [datetime.date(2024, 1, d + 1) for d in range(9)]})
    bounds = (datetime.date(2024, 1, 1), datetime.datetime(2024, 12, 31))
    sotto.connect({"t": frame}, unit="id", epsilon=9, columns={"day": ("2024-01-01", "2024-12-31")}).close()
    with sotto.connect({"t": frame}, unit="id", epsilon=9, columns={"day": bounds}) as con:
        column = con.tables[0].columns[1]
        assert column.bounds == (datetime.date(2024, 1, 1), datetime.date(2024, 12, 31))


# ---- Arrow -----------------------------------------------------------------------------------------------------


def test_a_stream_of_arrow_is_read_batch_by_batch():
    table = ArrowTable("x", [[1, 2, 3], [], [4, 5]])
    assert counted(table, "x >= 3") == 3


def test_a_stream_that_fails_is_refused_and_nothing_is_left():
    with pytest.raises(sotto.RefusedError):
        sotto.connect({"t": ArrowTable("x", [[1]], fail=True)}, unit="row", epsilon=1)


@pytest.mark.parametrize("name", ["polars", "pyarrow", "duckdb"])
def test_frames_of_others_arrive(name):
    module = pytest.importorskip(name)
    if name == "polars":
        frame = module.DataFrame({"x": [1, 2, 3], "s": ["a", None, "b"]})
    elif name == "pyarrow":
        frame = module.table({"x": [1, 2, 3], "s": ["a", None, "b"]})
    else:
        frame = module.sql("SELECT * FROM (VALUES (1, 'a'), (2, NULL), (3, 'b')) t(x, s)")
    assert counted(frame, "x >= 2 AND s IS NOT NULL") == 1


def test_the_words_of_a_producer_are_not_repeated():
    class Leaking:
        def __arrow_c_stream__(self, requested_schema=None):
            raise ValueError("could not convert 'secret'")

    with pytest.raises(sotto.ParameterError, match="Leaking could not be read") as caught:
        sotto.connect({"t": Leaking()}, unit="row", epsilon=1)
    assert "secret" not in str(caught.value) and caught.value.__cause__ is None


def test_an_unfinished_query_of_polars_is_refused():
    class LazyFrame:
        def collect(self):
            raise AssertionError("not asked for")

    with pytest.raises(sotto.ParameterError, match="frame.collect"):
        sotto.connect({"t": LazyFrame()}, unit="row", epsilon=1)


def test_an_interrupted_copy_leaves_nothing_behind(monkeypatch):
    """The writing goes on after Ctrl-C; what it leaves is removed when it ends."""
    from sotto import _wait, frame_connection

    before, real, ended = folders(), sotto._native.frame_store, threading.Event()
    left = []

    def slow(described, rows, path):
        while not left:
            pass  # until the folder was removed
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            return real(described, rows, path)
        finally:
            ended.set()

    def interrupted(call, what, *rest):
        _wait._start(_wait._Job(call, ()))
        raise KeyboardInterrupt

    monkeypatch.setattr(sotto._native, "frame_store", slow)
    monkeypatch.setattr(frame_connection, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sotto.connect({"t": FRAME}, unit="row", epsilon=1)
    left.append(True)
    ended.wait()
    while folders() - before:
        pass


def test_what_is_no_table_is_refused():
    with pytest.raises(sotto.ParameterError, match="at least one table"):
        sotto.connect({}, unit="row", epsilon=1)
    with pytest.raises(sotto.ParameterError, match="not to int"):
        sotto.connect(5)
    with pytest.raises(sotto.ParameterError, match="a table is a DataFrame"):
        sotto.connect({"t": [1, 2]}, unit="row", epsilon=1)
    with pytest.raises(sotto.ParameterError, match="give the table a name"):
        sotto.connect(FRAME, unit="row", epsilon=1)


# ---- terms -------------------------------------------------------------------------------------------------------


def test_bounds_keys_and_limits_are_the_policys():
    frame = pandas.DataFrame({"id": range(100), "age": range(100), "sex": ["F", "M"] * 50})
    with sotto.connect(
        {"p": frame}, unit="id", epsilon=3, delta=1e-6, columns={"age": (0, 120), "p.sex": ["F", "M", "X"]}
    ) as con:
        table = con.tables[0]
        columns = {c.name: c for c in table.columns}
        assert columns["age"].bounds == (0, 120) and columns["sex"].keys == ["F", "M", "X"]
        assert table.unit == "id" and table.max_groups == 1
        assert con.budget.budget == (3, Fraction(1, 10**6))
        assert con.sql("SELECT sex, COUNT(*) AS n FROM p GROUP BY sex", epsilon=1)["sex"] == ["F", "M", "X"]


def test_a_second_table_belongs_to_the_same_people():
    people = pandas.DataFrame({"id": range(50), "sex": ["F", "M"] * 25})
    visits = pandas.DataFrame({"id": [i % 50 for i in range(200)], "cost": [1.0] * 200})
    with sotto.connect(
        {"people": people, "visits": visits}, unit="id", epsilon=10**6, max_rows=4, columns={"sex": ["F", "M"]}
    ) as con:
        sql = "SELECT sex, COUNT(*) AS n FROM visits JOIN people ON visits.id = people.id GROUP BY sex"
        assert con.sql(sql, epsilon=SURE)["n"] == [100, 100]


def test_a_private_key_without_a_delta_says_where_to_give_it():
    people = pandas.DataFrame({"id": range(500), "sex": ["F", "M"] * 250})
    sql = "SELECT sex, COUNT(*) AS n FROM p GROUP BY sex"
    with sotto.connect({"p": people}, unit="id", epsilon=10) as con:
        for given in ({}, {"delta": 0}):
            with pytest.raises(sotto.RefusedError, match=r"in connect\(delta=\) and here; or declare the keys in columns="):
                con.sql(sql, epsilon=1, **given)
        with pytest.raises(sotto.RefusedError, match=r"in connect\(delta=\) and here; or leave the mechanism out"):
            con.sql("SELECT COUNT(*) FROM p", epsilon=1, delta=0, mechanism="gaussian")
    with sotto.connect({"p": people}, unit="id", epsilon=10, delta="1e-6") as con:
        assert sorted(con.sql(sql, epsilon=5)["sex"]) == ["F", "M"]
    with sotto.connect({"p": people}, unit="id", epsilon=10, columns={"sex": ["F", "M"]}) as con:
        assert con.sql(sql, epsilon=5)["sex"] == ["F", "M"]


@pytest.mark.parametrize(
    "options, words",
    [
        ({}, "need unit="),
        ({"unit": "id"}, "need unit="),
        ({"unit": "nobody", "epsilon": 1}, "no column nobody"),
        ({"unit": "row", "epsilon": 1, "columns": {"nothing": (0, 1)}}, "which no table has"),
        ({"unit": "row", "epsilon": 1, "columns": {"small": (0, 1, 2)}}, "a pair"),
        ({"unit": "row", "epsilon": 1, "public": ["t"]}, "every table is public"),
        ({"unit": "row", "epsilon": 1, "public": ["nobody"]}, "which is not a table"),
        ({"unit": "row", "epsilon": 0}, "epsilon must be greater than 0"),
        ({"unit": "row", "epsilon": "1/3"}, "decimal"),
    ],
)
def test_terms_that_make_no_sense_are_refused(options, words):
    with pytest.raises(sotto.ParameterError, match=words):
        sotto.connect({"t": FRAME}, **options)


def test_a_refusal_of_frames_says_what_python_can_change():
    frame = pandas.DataFrame({"id": [1], "Net Income": [1.5]})
    with sotto.connect({"t": frame}, unit="id", epsilon=1) as con:
        with pytest.raises(sotto.RefusedError) as caught:
            con.sql('SELECT AVG("Net Income") FROM t', epsilon=1)
    assert "declare bounds in columns=, or write clip(x, lowest, highest) (line 1" in str(caught.value)


def test_a_refusal_names_no_file_that_nobody_wrote():
    frame = pandas.DataFrame({"id": [1], "a.b": [1]})
    with sotto.connect({"t": frame}, unit="id", epsilon=1, columns={"a.b": {"type": "boolean"}}) as con:
        with pytest.raises(sotto.Error, match="^the column a.b is integer"):
            con.sql("SELECT COUNT(*) AS n FROM t", epsilon=1)


def test_a_promise_that_does_not_hold_is_refused():
    frame = pandas.DataFrame({"id": [1, 1, 2], "x": [1.0, np.nan, 2.0]})
    with pytest.raises(sotto.RefusedError, match="the table t was not taken"):
        sotto.connect({"t": frame}, unit="id", epsilon=1, columns={"x": {"nullable": False}})


# ---- the ledger ------------------------------------------------------------------------------------------------------


def test_a_ledger_in_memory_says_so():
    frame = pandas.DataFrame({"id": [1]})
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        con = sotto.connect({"t": frame}, unit="id", epsilon=1)
    assert [w.category for w in seen] == [sotto.LessonWarning] and "forgets what was spent" in str(seen[0].message)
    assert seen[0].filename == __file__
    assert "for lessons only" in repr(con)
    con.close()


def test_a_ledger_is_made_once_and_remembers(tmp_path):
    frame = pandas.DataFrame({"id": range(100)})
    ledger = tmp_path / "people.db"
    options = dict(unit="id", epsilon=2, ledger=ledger)
    with pytest.raises(sotto.MissingError, match="create=True"):
        sotto.connect({"t": frame}, **options)
    assert not ledger.exists()
    with sotto.connect({"t": frame}, create=True, **options) as con:
        con.sql("SELECT COUNT(*) AS n FROM t", epsilon=1)
    with sotto.connect({"t": frame}, **options) as con:
        assert con.budget.left.epsilon == 1
        with pytest.raises(sotto.BudgetError):
            con.sql("SELECT COUNT(*) AS n FROM t WHERE id < 50", epsilon="1.1")
    with pytest.raises(sotto.Error):  # a larger budget is the owner's to accept
        with sotto.connect({"t": frame}, unit="id", epsilon=20, ledger=ledger) as con:
            con.sql("SELECT COUNT(*) AS n FROM t WHERE id < 5", epsilon=1)
    with sotto.connect({"t": frame}, unit="id", epsilon=20, ledger=ledger, accept="ann") as con:
        assert con.budget.left.epsilon == 19
        assert [e.analyst for e in con.history() if e.kind == "policy"][-1] == "ann"


def folders():
    import tempfile

    return {n for n in os.listdir(tempfile.gettempdir()) if n.startswith("sotto-")}


def test_the_copy_is_the_owners_alone_and_goes_with_the_connection():
    before = folders()
    con = sotto.connect({"t": FRAME}, unit="row", epsilon=1)
    folder = os.path.dirname(con._policy)
    assert os.stat(folder).st_mode & 0o777 == 0o700
    assert os.stat(os.path.join(folder, "t.parquet")).st_mode & 0o777 == 0o600
    child = os.fork()
    if child == 0:
        con._end()
        os._exit(0)
    os.waitpid(child, 0)
    assert os.path.exists(folder)
    con.close()
    assert not os.path.exists(folder)
    with pytest.raises(sotto.ParameterError):
        sotto.connect({"t": FRAME}, unit="nobody", epsilon=1)
    assert folders() <= before


def test_the_copy_goes_when_the_program_ends():
    code = (
        "import sotto, pandas, warnings, os\n"
        "warnings.simplefilter('ignore')\n"
        "con = sotto.connect({'t': pandas.DataFrame({'id': [1]})}, unit='id', epsilon=1)\n"
        "print(os.path.dirname(con._policy))\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() and not os.path.exists(said.stdout.strip())


def test_a_wrong_declaration_is_refused_without_the_line_of_a_file_that_nobody_wrote():
    frame = pandas.DataFrame({"id": range(3), "age": [1, 2, 3]})
    with pytest.raises(sotto.errors.ParseError) as told:
        sotto.connect({"t": frame}, unit="row", epsilon=1, columns={"age": (100, 0)})
    assert str(told.value).startswith("the lower bound of age is above the upper one")
