"""Answers as tables of others: Arrow without a copy, pandas without rounding, words of Python."""
import datetime
import gc
import pickle
import subprocess
import sys
import threading
from fractions import Fraction

import pytest
import sotto
from arrow_reader import read
from hypothesis import given
from hypothesis import strategies as st
from sotto import errors

NOTHING = sotto.Amount(Fraction(0), Fraction(0))
VALUES = {
    "integer": st.integers(-(2**63), 2**63 - 1),
    "number": st.floats(allow_nan=False),
    "boolean": st.booleans(),
    "text": st.text(max_size=12).filter(lambda t: t.encode("utf-8", "replace").decode() == t),
    "date": st.dates(),
    "timestamp": st.datetimes(),
}


def answer_of(columns):
    """An answer from {name: (type, values)}."""
    names, count = list(columns), len(next(iter(columns.values()))[1]) if columns else 0
    rows = [tuple(columns[n][1][i] for n in names) for i in range(count)]
    nothing = [(None,) * len(names)] * count
    said = [sotto.Column(n, columns[n][0], False) for n in names]
    return sotto.Answer(said, rows, nothing, nothing, NOTHING, NOTHING)


def test_a_missing_key_is_told_from_an_empty_text():
    answer = answer_of({"city": ("text", ["", None])})
    assert str(answer).splitlines()[1:3] == ["", "NULL"]
    assert "<td>NULL</td>" in answer._repr_html_()


def counted(value, kind):
    if value is None or kind not in ("date", "timestamp"):
        return value
    if kind == "date":
        return value.toordinal() - datetime.date(1970, 1, 1).toordinal()
    return (value - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)


@st.composite
def tables(draw):
    rows = draw(st.integers(0, 20))
    kinds = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=5))
    return {
        "c%d" % i: (kind, draw(st.lists(st.none() | VALUES[kind], min_size=rows, max_size=rows)))
        for i, kind in enumerate(kinds)
    }


@given(tables())
def test_every_value_comes_out_of_the_stream(columns):
    out, _ = read(answer_of(columns).__arrow_c_stream__())
    assert {n: values for n, (_, values) in out.items()} == {
        n: [counted(v, kind) for v in values] for n, (kind, values) in columns.items()
    }


def test_numbers_of_a_column_are_printed_with_the_same_decimals_and_no_exponents():
    said = [sotto.Column("s", "number", True), sotto.Column("n", "integer", True)]
    rows = [(1011260.44, 1234567), (58806.21, 7)]
    low, high = [[tuple(v + way * 2523456.7 for v in row) for row in rows] for way in (-1, 1)]
    lines = str(sotto.Answer(said, rows, low, high, NOTHING, NOTHING)).splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["s", "+-", "n", "+-"],
        ["1011260", "2523457", "1234567", "2523457"],
        ["58806", "2523457", "7", "2523457"],
    ]


def test_the_stream_has_the_types_of_the_answer():
    out, _ = read(answer_of({k: (k, [None]) for k in VALUES}).__arrow_c_stream__())
    assert {n: form for n, (form, _) in out.items()} == {
        "integer": "l", "number": "g", "boolean": "b", "text": "u", "date": "tdD", "timestamp": "tsu:"
    }


def test_days_beyond_the_calendar_of_python_come_out():
    """The engine's dates go on after 9999; they are texts in Python."""
    columns = {
        "d": ("date", ["10000-01-01", "2400-02-29", "12345-06-07"]),
        "t": ("timestamp", ["10000-01-01 00:00:01.5", None, "10000-01-01"]),
    }
    out, _ = read(answer_of(columns).__arrow_c_stream__())
    first = datetime.date(9999, 12, 31).toordinal() + 1 - datetime.date(1970, 1, 1).toordinal()
    assert out["d"][1][0] == first and out["d"][1][2] > first
    assert out["t"][1] == [first * 86400 * 10**6 + 1500000, None, first * 86400 * 10**6]


def test_a_stream_that_nobody_reads_is_given_back():
    answer = answer_of({"n": ("integer", list(range(1000))), "s": ("text", ["x" * 100] * 1000)})
    before = _resident()
    for _ in range(2000):
        answer.__arrow_c_stream__()
    assert _resident() - before < 30 << 20  # 2000 of them hold over 200 MiB


def _resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_a_batch_is_released_in_any_thread_and_after_the_answer():
    answer = answer_of({"s": ("text", ["a", None, "é"])})
    capsule, seen = answer.__arrow_c_stream__(), []
    del answer
    gc.collect()
    thread = threading.Thread(target=lambda: seen.append(read(capsule)[0]))
    thread.start()
    thread.join()
    assert seen == [{"s": ("u", ["a", None, "é"])}]


def test_an_answer_can_be_asked_as_a_frame():
    """What comes out goes in again: the library reads its own stream."""
    answer = answer_of({"id": ("integer", [1, 2, 3]), "s": ("text", ["a", None, "a"])})
    with sotto.connect({"t": answer}, unit="id", epsilon=10**6) as con:
        assert con.sql("SELECT COUNT(*) AS n FROM t WHERE s = 'a'", epsilon=900).scalar() == 2


def test_intervals_are_columns():
    columns = [sotto.Column("k", "text", False), sotto.Column("n", "integer", True)]
    answer = sotto.Answer(columns, [("a", 5)], [(None, 1)], [(None, 9.5)], NOTHING, NOTHING)
    out, _ = read(answer._stream(True))
    assert out == {"k": ("u", ["a"]), "n": ("l", [5]), "n_low": ("g", [1.0]), "n_high": ("g", [9.5])}
    assert answer.dict(intervals=True) == {"k": ["a"], "n": [5], "n_low": [1], "n_high": [9.5]}


def test_two_columns_of_one_name_are_refused_and_none_is_lost():
    columns = [sotto.Column("n", "integer", True)] * 2
    answer = sotto.Answer(columns, [(1, 2)], [(0, 0)], [(3, 3)], NOTHING, NOTHING)
    assert answer.rows == [(1, 2)]
    for call in (answer.dict, answer.__arrow_c_stream__):
        with pytest.raises(sotto.ParameterError, match="AS"):
            call()


def test_pandas_keeps_whole_numbers_whole():
    pandas = pytest.importorskip("pandas")
    columns = {
        "n": ("integer", [2**62 + 1, None]),
        "b": ("boolean", [True, None]),
        "t": ("timestamp", ["2024-01-01 10:00:00", None]),
        "far": ("timestamp", ["9000-01-01 10:00:00", None]),
    }
    frame = answer_of(columns).df()
    assert frame["n"].dtype == "Int64" and frame["n"][0] == 2**62 + 1 and frame["n"][1] is pandas.NA
    assert frame["b"].dtype == "boolean" and str(frame["t"].dtype) == "datetime64[ns]"
    assert frame["far"][0] == datetime.datetime(9000, 1, 1, 10)
    empty = answer_of({"n": ("integer", []), "x": ("number", [])}).df()
    assert [str(t) for t in empty.dtypes] == ["int64", "float64"]


def test_frames_of_others_share_the_memory_of_the_stream():
    pyarrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    answer = answer_of({k: (k, [None]) for k in VALUES})
    assert [str(t) for t in answer.arrow().schema.types] == [
        "int64", "double", "bool", "string", "date32[day]", "timestamp[us]"
    ]
    assert answer.polars().dtypes == [
        polars.Int64, polars.Float64, polars.Boolean, polars.String, polars.Date, polars.Datetime("us")
    ]
    assert pyarrow.table(answer).equals(answer.arrow())


# ---- sentences name arguments as Python spells them ------------------------------------------------------------------------


def test_no_sentence_names_an_option_of_the_program(tmp_path, hospital):
    text = open(hospital).read()
    open(hospital, "w").write(text.replace("default_epsilon:", "#"))
    with sotto.connect(hospital) as con:
        with pytest.raises(sotto.Error) as caught:
            con.sql("SELECT COUNT(*) FROM patients")
        assert "epsilon=" in str(caught.value) and "--" not in str(caught.value)
        con.sql("SELECT COUNT(*) FROM patients", epsilon="0.1")
        told = str(con.explain("SELECT COUNT(*) FROM patients", epsilon="0.1"))
        assert "fresh=True" in told and "--" not in told


@pytest.mark.parametrize(
    "said, wanted",
    [
        ("give --epsilon, like 0.1, or --error", "give epsilon=, like 0.1, or error="),
        ("--mechanism gaussian takes it", 'mechanism="gaussian" takes it'),
        ("a higher --memory-limit", "a higher memory_limit="),
        ("ask again with --fresh", "ask again with fresh=True"),
        ("x--y and -- z", "x--y and -- z"),
        ("sotto bounds 't.x' --policy p.yaml", "sotto bounds 't.x' --policy p.yaml"),
    ],
)
def test_options_become_arguments(said, wanted):
    assert errors.words(said) == wanted
    assert str(errors.make("SOTTO_EINVAL", said)) == wanted


def test_a_mechanism_can_be_chosen(hospital):
    with sotto.connect(hospital) as con:
        sql = "SELECT COUNT(*) AS n FROM patients"
        assert "Gauss" in con.explain(sql, epsilon=1, delta="1e-7", mechanism="gaussian").mechanism
        assert "Laplace" in con.explain(sql, epsilon=1, mechanism="laplace").mechanism
        with pytest.raises(sotto.Error, match="mechanism"):
            con.explain(sql, epsilon=1, mechanism="cauchy")


def test_a_preview_says_that_it_is_one(hospital):
    with sotto.connect(hospital) as con:
        shown = con.preview("SELECT COUNT(*) AS n FROM patients", epsilon=1)
        assert shown.made_up and "made up" in str(shown) + shown.summary()
        assert pickle.loads(pickle.dumps(shown)).made_up
        assert not con.sql("SELECT COUNT(*) AS n FROM patients", epsilon="0.1").made_up


# ---- threads, connections and garbage under load -------------------------------------------------------------------------------

LOAD = """
import gc, random, sys, threading, warnings
warnings.simplefilter("ignore")
import numpy, pandas, sotto
frame = pandas.DataFrame({"id": range(200), "x": [0, 1] * 100})
accountant, failures, barrier = sotto.Accountant(), [], threading.Barrier(6)
def asks(seed):
    for i in range(3):
        with sotto.connect({"t": frame}, unit="id", epsilon=10) as con:
            con.sql("SELECT COUNT(*) AS n FROM t WHERE x = %d" % (i % 2), epsilon=1).df()
        sotto.connect({"t": frame}, unit="id", epsilon=10)  # left to the collector
        gc.collect()
def prices(seed):
    for i in range(30):
        accountant.add("gaussian(sigma=%d)" % (seed * 1000 + i + 1))
        accountant.epsilon(delta="1e-6", method="zcdp")
        accountant.events
def noises(seed):
    for i in range(30):
        sotto.laplace(numpy.zeros(50000, dtype="int64"), epsilon=1)
        sotto.noisy_max([1, 2, 3], epsilon=1)
def guarded(job, seed):
    barrier.wait()
    try:
        job(seed)
    except BaseException as error:
        failures.append(repr(error))
threads = [threading.Thread(target=guarded, args=(job, i)) for i, job in enumerate([asks, asks, prices, prices, noises, noises])]
for t in threads: t.start()
for t in threads: t.join()
print(failures, len(accountant.events))
"""


def test_threads_connections_and_the_collector_under_load():
    pytest.importorskip("pandas")
    said = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, timeout=300)
    assert said.stdout == "[] 60\n", said.stdout + said.stderr
