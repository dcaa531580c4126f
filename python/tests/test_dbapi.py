"""PEP 249 as pandas and others use it."""
import datetime

import pytest
import sotto
from hypothesis import given
from hypothesis import strategies as st
from sotto import dbapi


def test_the_module_says_what_pep_249_asks():
    assert (dbapi.apilevel, dbapi.paramstyle) == ("2.0", "qmark") and dbapi.threadsafety >= 1
    for name in ("Warning", "Error", "InterfaceError", "DatabaseError", "DataError", "OperationalError",
                 "IntegrityError", "InternalError", "ProgrammingError", "NotSupportedError"):
        assert issubclass(getattr(dbapi, name), Exception)
        assert getattr(dbapi.Connection, name) is getattr(dbapi, name)
    assert "integer" == dbapi.NUMBER and "text" != dbapi.NUMBER and "date" == dbapi.DATETIME


def test_cursors_hand_rows_out(hospital):
    with dbapi.connect(hospital, question_epsilon="0.1") as con, con.cursor() as cursor:
        assert cursor.description is None and cursor.rowcount == -1
        cursor.execute("SELECT city, COUNT(*) AS n FROM patients GROUP BY city")
        assert [d[0] for d in cursor.description] == ["city", "n"] and cursor.rowcount == 20
        first, two, rest = cursor.fetchone(), cursor.fetchmany(2), cursor.fetchall()
        assert len([first] + two + rest) == 20 and cursor.fetchone() is None and cursor.fetchall() == []
        assert cursor.answer.cost.epsilon == sotto._exact.fraction("0.1")
        cursor.execute("SELECT COUNT(*) FROM patients WHERE sex = ? AND age > ?", ("F", 30))
        assert len(list(cursor)) == 1
        con.commit()
        with pytest.raises(dbapi.NotSupportedError, match="taken back"):
            con.rollback()


def test_pandas_reads_sql(hospital):
    pandas = pytest.importorskip("pandas")
    import warnings

    with dbapi.connect(hospital, question_epsilon="0.1") as con, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = pandas.read_sql("SELECT sex, COUNT(*) AS n FROM patients GROUP BY sex", con)
        assert list(frame.columns) == ["sex", "n"] and len(frame) == 2
        frame = pandas.read_sql("SELECT COUNT(*) AS n FROM patients WHERE age < ?", con, params=(40,))
        assert frame.shape == (1, 1)


@pytest.mark.parametrize(
    "sql, kind",
    [
        ("SELEC", dbapi.ProgrammingError),
        ("SELECT age FROM patients", dbapi.NotSupportedError),
    ],
)
def test_exceptions_have_the_names_of_pep_249(hospital, sql, kind):
    with dbapi.connect(hospital, question_epsilon="0.1") as con:
        with pytest.raises(kind) as caught:
            con.cursor().execute(sql)
        assert isinstance(caught.value, dbapi.DatabaseError) and isinstance(caught.value.__cause__, sotto.Error)
    with dbapi.connect(hospital, question_epsilon=100) as con:
        with pytest.raises(dbapi.OperationalError, match="left"):
            con.cursor().execute("SELECT COUNT(*) FROM patients")
    with pytest.raises(dbapi.InterfaceError):
        con.cursor()


@given(st.text(alphabet="a'\"?\\\0\n"))
def test_a_text_stays_one_text(value):
    if "\0" in value:
        with pytest.raises(dbapi.ProgrammingError):
            dbapi.bind("?", [value])
        return
    bound = dbapi.bind("?", [value])
    assert bound[0] == bound[-1] == "'" and bound[1:-1].replace("''", "") .count("'") == 0
    assert bound[1:-1].replace("''", "'") == value


@given(st.lists(st.integers(-5, 5), max_size=4), st.integers(0, 4))
def test_marks_and_parameters_are_counted(values, marks):
    sql = "SELECT '?', \"?\" -- ?\n /* ? */ " + ", ".join("?" * marks)
    if len(values) == marks:
        assert dbapi.bind(sql, values).endswith(", ".join(map(str, values)))
    else:
        with pytest.raises(dbapi.ProgrammingError):
            dbapi.bind(sql, values)


def test_marks_inside_texts_and_comments_are_none():
    for text in (r"E'it\'s ?'", "$$ ? ' $$", "$a$ ? $$ $a$", "/* ' ? */", "-- ? '\n", "'? '' ?'", '"?"'):
        assert dbapi.bind("SELECT " + text + " , ?", [1]) == "SELECT " + text + " , 1"
    for wrong in ("/* /* */ ? */", "'no end ?", '"no end ?', "/* no end ?"):
        with pytest.raises(dbapi.ProgrammingError):
            dbapi.bind(wrong, ["*/ x"])


def test_literals_of_every_kind():
    when = datetime.datetime(2024, 1, 2, 3, 4, 5)
    assert dbapi.bind("?,?,?,?,?", [None, True, 1.5, when.date(), when]) == (
        "NULL,TRUE,1.5,DATE '2024-01-02',TIMESTAMP '2024-01-02 03:04:05'"
    )
    for wrong in (float("nan"), object(), b"x"):
        with pytest.raises(dbapi.ProgrammingError):
            dbapi.bind("?", [wrong])
