"""Asking a policy: answers, prices, refusals, threads, forks, interrupts."""
import datetime
import os
import pickle
import signal
import json
import subprocess
import sys
import threading
from fractions import Fraction

import pytest
import sotto
from conftest import PROGRAM, make_hospital

GROUPS = "SELECT sex, COUNT(*) AS n, AVG(age) AS age FROM patients GROUP BY sex"


@pytest.fixture
def con(hospital):
    with sotto.connect(hospital) as connection:
        yield connection


def test_an_answer_has_rows_intervals_and_a_price(con):
    answer = con.sql(GROUPS, epsilon="0.5")
    assert [c.name for c in answer.columns] == ["sex", "n", "age"]
    assert answer["sex"] == ["F", "M"] and len(answer) == 2
    assert answer.interval("sex") == [None, None]
    for value, interval in zip(answer["n"], answer.interval("n")):
        assert interval.lower <= value <= interval.upper
    assert answer.cost == (Fraction(1, 2), 0) and answer.left.epsilon == Fraction(7, 2)
    assert not answer.repeated and con.budget.left.epsilon == Fraction(7, 2)


def test_asking_again_is_free_and_the_same(con):
    first, second = con.sql(GROUPS, epsilon="0.5"), con.sql(GROUPS, epsilon="0.5")
    assert second.repeated and second.cost.epsilon == 0 and second.rows == first.rows
    third = con.sql(GROUPS, epsilon="0.5", fresh=True)
    assert not third.repeated and con.budget.spent.epsilon == 1


def test_the_same_numbers_as_the_program_gives(con, hospital):
    answer = con.sql(GROUPS, epsilon="0.5")
    said = subprocess.run(
        [PROGRAM, "query", "--policy", hospital, "--epsilon", "0.5", "--format", "csv", GROUPS],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "F,%d," % answer["n"][0] in said and "M,%d," % answer["n"][1] in said


def test_explaining_is_free_and_tells_the_price(con):
    told = con.explain(GROUPS, epsilon="0.5")
    assert told.cost.epsilon == Fraction(1, 2) and told.affordable and not told.repeated
    assert 0 < told.error("n") < 50 and told.error("sex") is None
    assert "Price" in str(told) and con.budget.spent.epsilon == 0
    assert "SELECT" in told.sql and "SELECT" not in str(told)
    wanted = con.explain("SELECT COUNT(*) AS n FROM patients", error=20)
    assert wanted.error("n") <= 20
    with pytest.raises(sotto.ParameterError, match="no column"):
        told.error("nobody")


def test_an_explanation_tells_what_the_program_tells(con, hospital):
    told = con.explain(GROUPS, epsilon="0.5")
    said = json.loads(
        subprocess.run(
            [PROGRAM, "explain", "--policy", hospital, "--epsilon", "0.5", "--format", "json", GROUPS],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )
    assert told.fits == said["fits"] and told.assumes_limits is said["assumes_limits"]
    assert told.data_changed is False and told.groups == 1 and told.rows == 1
    assert told.threshold == (said["threshold"] or 0)
    assert con.sql(GROUPS, epsilon="0.5").fits == told.fits - 1


def test_a_preview_is_free_and_has_the_shape_of_the_answer(con):
    shown = con.preview(GROUPS, epsilon="0.5")
    assert shown["sex"] == ["F", "M"] and [c.name for c in shown.columns] == ["sex", "n", "age"]
    assert con.budget.spent.epsilon == 0


def test_tables_tell_what_the_policy_makes_public(con):
    tables = {t.name: t for t in con.tables}
    assert set(tables) == {"patients", "visits", "cities"}
    assert tables["cities"].public and tables["patients"].unit == "patient_id"
    columns = {c.name: c for c in tables["patients"].columns}
    assert columns["age"].bounds == (0, 110) and columns["age"].type == "integer"
    assert columns["sex"].keys == ["F", "M"] and not columns["age"].nullable


def test_history_lists_what_was_charged(con):
    con.sql("SELECT COUNT(*) FROM patients", epsilon="0.25")
    entry = [e for e in con.history() if e.kind == "release"][-1]
    assert entry.epsilon == Fraction(1, 4) and entry.answered and "COUNT" in entry.query.upper()


# ---- refusals: each with its exception, its sentence, and nothing charged --------------------------------------


@pytest.mark.parametrize(
    "sql, options, kind, words",
    [
        ("SELEC", {}, sotto.ParseError, ""),
        ("SELECT age FROM patients", {}, sotto.RefusedError, ""),
        ("SELECT COUNT(*) FROM nobody", {}, sotto.Error, "nobody"),
        ("SELECT COUNT(*) FROM patients", {"epsilon": 100}, sotto.BudgetError, "left"),
        ("SELECT COUNT(*) FROM patients", {"epsilon": 0}, sotto.Error, "epsilon"),
        ("SELECT COUNT(*) FROM patients", {"epsilon": "x"}, sotto.ParameterError, "epsilon must be a number"),
        ("SELECT COUNT(*) FROM patients", {"epsilon": True}, sotto.ParameterError, "epsilon must be a number"),
        ("SELECT COUNT(*) FROM patients", {"error": 3}, sotto.ParameterError, "not both"),
    ],
)
def test_refusals_are_exceptions_with_a_sentence(con, sql, options, kind, words):
    with pytest.raises(kind) as caught:
        con.sql(sql, **dict({"epsilon": "0.1"}, **options))
    assert words in str(caught.value) and len(str(caught.value)) > 10
    assert con.budget.spent.epsilon == 0
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value) and again.status == caught.value.status


def test_a_policy_that_is_not_there():
    with pytest.raises(sotto.MissingError, match="sotto init"):
        sotto.connect("/nowhere/sotto.yaml")


def test_a_closed_connection_says_so(hospital):
    con = sotto.connect(hospital)
    con.close()
    con.close()
    with pytest.raises(sotto.StateError, match="closed"):
        con.sql(GROUPS)


# ---- answers travel ----------------------------------------------------------------------------------------------------


def test_answers_can_be_pickled(con):
    answer = con.sql(GROUPS, epsilon="0.5")
    again = pickle.loads(pickle.dumps(answer))
    assert again.rows == answer.rows and again.cost == answer.cost
    assert again.interval("n") == answer.interval("n") and str(again) == str(answer)


def test_answers_become_frames(con):
    pandas = pytest.importorskip("pandas")
    frame = con.sql(GROUPS, epsilon="0.5").df(intervals=True)
    assert list(frame.columns) == ["sex", "n", "n_low", "n_high", "age", "age_low", "age_high"]
    assert frame["n"].dtype == "int64" and (frame["n_low"] <= frame["n"]).all()
    assert isinstance(frame, pandas.DataFrame)


@pytest.mark.parametrize("name, method", [("polars", "polars"), ("pyarrow", "arrow")])
def test_answers_become_frames_of_others(con, name, method):
    pytest.importorskip(name)
    table = getattr(con.sql(GROUPS, epsilon="0.5"), method)()
    assert table.shape == (2, 3)


def test_a_frame_of_a_missing_library_is_refused(con, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(sotto.MissingError, match="polars is not installed"):
        con.sql(GROUPS, epsilon="0.5").polars()


def test_answers_are_shown(con):
    answer = con.sql(GROUPS, epsilon="0.5")
    text = str(answer)
    assert "sex" in text and "+-" in text and "cost epsilon 0.5" in text and "left epsilon 3.5" in text
    html = answer._repr_html_()
    assert html.count("<svg") == 4 and html.count("<tr>") == 3 and "95 %" in html


def test_html_escapes_what_people_wrote():
    column = sotto.Column("<b>", "text", False)
    nothing = sotto.Amount(Fraction(0), Fraction(0))
    answer = sotto.Answer([column], [("<script>",)], [(None,)], [(None,)], nothing, nothing)
    assert "<script>" not in answer._repr_html_() and "<b>" not in answer._repr_html_()


def test_dates_and_times_are_pythons():
    columns = [sotto.Column("d", "date", False), sotto.Column("t", "timestamp", False)]
    nothing = sotto.Amount(Fraction(0), Fraction(0))
    row, none = ("2024-01-02", "2024-01-02 03:04:05"), (None, None)
    answer = sotto.Answer(columns, [row, none, ("99999-01-01", None)], [none] * 3, [none] * 3, nothing, nothing)
    assert answer["d"] == [datetime.date(2024, 1, 2), None, "99999-01-01"]
    assert answer["t"][0] == datetime.datetime(2024, 1, 2, 3, 4, 5)


def test_answers_are_drawn(con):
    pytest.importorskip("matplotlib")
    ax = con.sql(GROUPS, epsilon="0.5").plot("age")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["F", "M"]


# ---- threads, forks, interrupts ----------------------------------------------------------------------------------------------


def test_threads_share_a_connection_and_pay_once_each(con):
    questions = ["SELECT COUNT(*) AS n FROM patients WHERE age < %d" % (20 + 10 * i) for i in range(4)]
    answers = {}

    def ask(sql):
        answers[sql] = con.sql(sql, epsilon="0.1")

    threads = [threading.Thread(target=ask, args=(sql,)) for sql in questions]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(answers) == 4 and con.budget.spent.epsilon == Fraction(4, 10)


def test_the_lock_of_the_interpreter_is_free_while_a_question_runs(con):
    """Python goes on counting in another thread; with the lock held it could not."""
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counted[0]
        sotto._native.session_query(con._session, GROUPS, None, "1/2", None, None, None, None, False)
        after = counted[0]
    finally:
        done.set()
        thread.join()
    assert after - before > 100


def run_in_child(function):
    """The exit status of a forked child that ran a function."""
    child = os.fork()
    if child == 0:
        try:
            function()
            os._exit(0)
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_forked_child_connects_anew(con, hospital):
    con.sql(GROUPS, epsilon="0.5")

    def child():
        try:
            con.sql("SELECT COUNT(*) FROM patients", epsilon="0.1")
        except sotto.StateError:
            pass
        else:
            raise AssertionError("the parent's session answered in a child")
        with sotto.connect(hospital) as own:
            assert own.sql(GROUPS, epsilon="0.5").repeated

    assert run_in_child(child) == 0
    assert con.sql(GROUPS, epsilon="0.5").repeated


def test_noise_after_a_fork_differs():
    import numpy as np

    zeros = np.zeros(64, dtype=np.int64)
    sotto.laplace(zeros, epsilon="1/100")
    read, write = os.pipe()

    def child():
        os.write(write, sotto.laplace(zeros, epsilon="1/100").tobytes())

    assert run_in_child(child) == 0
    assert os.read(read, 4096) != sotto.laplace(zeros, epsilon="1/100").tobytes()


INTERRUPTED = """
import os, signal, sys, threading, time
import sotto
con = sotto.connect(sys.argv[1])
entered = threading.Event()
def slow(*question):
    where = threading.current_thread() is threading.main_thread()
    print("asking in the main thread" if where else "asking beside it", flush=True)
    entered.set()
    time.sleep(3600)
sotto._native.session_query = slow
def interrupt():
    entered.wait()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    con.sql("SELECT COUNT(*) AS n FROM patients", epsilon="0.1")
    print("answered")
except KeyboardInterrupt:
    print("interrupted")
    con.close()
"""


def test_an_interrupt_ends_the_waiting_at_once(hospital):
    said = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, hospital], capture_output=True, text=True, timeout=300
    )
    # A signal is handled in the main thread alone, which must not be in C at that time.
    assert said.stdout == "asking beside it\ninterrupted\n", said.stderr


WATCHED = """
import gc, os, signal, sys, threading, weakref
import sotto
from sotto import accounting, local
real, held = local.array, []
class watched(real):
    def __init__(self, *arguments):
        held.append(weakref.ref(self))
local.array = accounting.array = watched
entered, go, ended = threading.Event(), threading.Event(), threading.Event()
def slow(*arguments):
    entered.set()
    go.wait()
    ended.set()
    return b""
native = sotto._native
native.account_curve = native.local_encode = native.local_simulate = slow
def interrupt():
    entered.wait()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
p = local.params("grr", size=4, epsilon=1)
jobs = {
    "curve": lambda: sotto.Accountant("laplace(epsilon=1)").curve([1.0]),
    "encode": lambda: local.encode(p, [1, 2]),
    "simulate": lambda: local.simulate(p, [1, 2]),
}
try:
    jobs[sys.argv[1]]()
except KeyboardInterrupt:
    pass
gc.collect()
print(len(held) > 0, all(there() is not None for there in held))
go.set()
ended.wait()
"""


@pytest.mark.parametrize("job", ["curve", "encode", "simulate"])
def test_memory_outlives_an_interrupted_call(job):
    """The thread goes on with addresses; what lies there must not be given back."""
    said = subprocess.run([sys.executable, "-c", WATCHED, job], capture_output=True, text=True, timeout=300)
    assert said.stdout == "True True\n", said.stdout + said.stderr


def test_a_stream_of_questions_is_not_shared_with_a_child():
    stream = sotto.SparseVector(epsilon=1, threshold=0)

    def child():
        with pytest.raises(sotto.StateError, match="fork"):
            stream.ask(1)

    assert run_in_child(child) == 0 and stream.left == 1


def test_an_interrupt_ends_a_block_of_noise():
    code = (
        "import os, signal, sotto, numpy, threading\n"
        "real, n = sotto._native.publish, [0]\n"
        "def publish(*a):\n"
        "    n[0] += 1\n"
        "    if n[0] == 2: os.kill(os.getpid(), signal.SIGINT)\n"
        "    return real(*a)\n"
        "sotto._native.publish = publish\n"
        "try:\n"
        "    sotto.laplace(numpy.zeros(1 << 24, dtype='int64'), epsilon=1)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', n[0])\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert said.stdout == "interrupted 2\n", said.stderr


def test_calls_share_one_thread_and_a_child_has_its_own():
    from sotto import _wait

    first = _wait.run(threading.get_ident, "")
    assert first != threading.get_ident()
    while not _wait._idle:
        pass
    assert _wait.run(threading.get_ident, "") == first

    def child():
        assert _wait.run(lambda: 7, "") == 7

    assert run_in_child(child) == 0
    with pytest.raises(ZeroDivisionError):
        _wait.run(lambda: 1 // 0, "")


def test_after_an_hour_there_is_a_sign_of_life_and_it_goes_away(monkeypatch, capsys):
    from sotto import _wait

    clock = [0.0]
    monkeypatch.setattr(_wait.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(_wait, "_in_notebook", lambda: True)
    sign = _wait.Sign("asking")
    clock[0] = 0.9
    sign.show()
    assert capsys.readouterr().err == ""
    clock[0] = 3600
    sign.show(0.5)
    assert capsys.readouterr().err == "\rasking  50 %, 3600 s "
    sign.end()
    assert capsys.readouterr().err.strip() == ""


def test_two_connections_share_one_ledger(hospital):
    with sotto.connect(hospital, analyst="ann") as ann, sotto.connect(hospital, analyst="bob") as bob:
        ann.sql("SELECT COUNT(*) FROM patients", epsilon=1)
        bob.sql("SELECT AVG(age) FROM patients", epsilon=1)
        assert ann.budget.spent.epsilon == 2 == bob.budget.spent.epsilon


def test_signals_are_as_they_were(con):
    before = signal.getsignal(signal.SIGINT)
    con.sql(GROUPS, epsilon="0.1")
    assert signal.getsignal(signal.SIGINT) is before
    assert make_hospital is not None
