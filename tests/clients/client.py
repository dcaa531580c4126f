"""psycopg 3, psycopg 2 through SQLAlchemy, and pandas, against sotto serve.

    client.py PORT NAME KEY DATABASE
"""
import datetime
import decimal
import sys
import threading

import pandas
import psycopg
import sqlalchemy

port, name, key, database = sys.argv[1:]
dsn = dict(host="127.0.0.1", port=port, user=name, password=key, dbname=database)


def check(ok, what):
    if not ok:
        print("failed:", what)
        sys.exit(1)


# ---- psycopg 3 ------------------------------------------------------------------------------------
notices = []
c = psycopg.connect(autocommit=True, **dsn)
c.add_notice_handler(lambda d: notices.append(d.message_primary))
c.execute("SET sotto.epsilon = 0.1")
asked = "SELECT COUNT(*) FROM patients WHERE age > %s AND city = %s AND smoker = %s"
values = (30, "Padova", True)
first = c.execute(asked, values).fetchone()[0]
check(isinstance(first, int), "a count is an int")
check(any("cost epsilon 0.1" in n for n in notices), "the price is told")
for form, what in ((asked, "text"), (asked.replace("%s", "%b"), "binary")):
    cursor = c.cursor(binary=what == "binary")
    check(cursor.execute(form, values).fetchone()[0] == first, "the same question, %s" % what)
written = "SELECT COUNT(*) FROM patients WHERE age > 30 AND city = 'Padova' AND smoker = true"
check(c.execute(written).fetchone()[0] == first, "and with its values written")
for value in (2.5, decimal.Decimal("-1234567.000089"), decimal.Decimal("12300000000000000"), -7, 2**40):
    for mark in ("%s", "%b", "%t"):
        lines = c.execute("EXPLAIN SELECT COUNT(*) FROM patients WHERE weight_kg > " + mark, (value,)).fetchall()
        check(len(lines) > 3, "a number: %r as %s" % (value, mark))
by_list = c.execute("SELECT COUNT(*) FROM patients WHERE city = ANY(ARRAY['Padova', 'Lyon'])").fetchone()[0]
for mark in ("%s", "%b", "%t"):
    for prepare in (False, True):
        n = c.execute("SELECT COUNT(*) FROM patients WHERE city = ANY(" + mark + ")", (["Padova", "Lyon"],), prepare=prepare).fetchone()[0]
        check(n == by_list, "a list as %s, prepared %s" % (mark, prepare))
for value in ([40, 41], [2**40, None], [2.5], [True], ['a"b,}\\ NULL']):
    column = {bool: "smoker", str: "city"}.get(type(value[0]), "weight_kg")
    for mark in ("%s", "%b", "%t"):
        lines = c.execute("EXPLAIN SELECT COUNT(*) FROM patients WHERE %s <> ALL(%s)" % (column, mark), (value,)).fetchall()
        check(len(lines) > 3, "a list: %r as %s" % (value, mark))
day = datetime.date(2025, 3, 1)
by_value = None
for mark in ("%s", "%b", "%t"):
    n = c.execute("SELECT COUNT(*) FROM visits WHERE day >= " + mark, (day,)).fetchone()[0]
    check(by_value in (None, n), "a date as %s is the same question" % mark)
    by_value = n
check(c.execute("SELECT COUNT(*) FROM visits WHERE day >= '2025-03-01'").fetchone()[0] == by_value, "as is its text")
for mark in ("%s", "%b", "%t"):
    lines = c.execute("EXPLAIN SELECT COUNT(*) FROM visits WHERE day >= " + mark, (datetime.datetime(2025, 3, 1, 10, 11, 12, 500),))
    check(len(lines.fetchall()) > 3, "a moment as %s" % mark)
check(c.execute("SELECT COUNT(*) FROM patients WHERE city = %s", (None,)).description, "NULL is a value")
# Days before Christ, which Python has no dates for: as the server sends them, in either format.
for binary, want in ((False, (b"0044-03-15 BC", b"0044-03-15 10:00:00 BC")),
                     (True, ((-746117).to_bytes(4, "big", signed=True), (-64464472800000000).to_bytes(8, "big", signed=True)))):
    cursor = c.cursor(binary=binary)
    cursor.execute("SELECT CAST('0044-03-15 (BC)' AS DATE) AS d, CAST('0044-03-15 (BC) 10:00:00' AS TIMESTAMP) AS t FROM cities LIMIT 1")
    got = tuple(cursor.pgresult.get_value(0, i) for i in range(2))
    check(got == want, "a day before Christ, binary %s: %r" % (binary, got))
with c.cursor("some") as cursor_by_name:
    try:
        cursor_by_name.execute("SELECT city FROM cities")
        check(False, "DECLARE CURSOR is refused")
    except psycopg.Error as e:
        check("only SELECT" in str(e), "with a sentence: %s" % e)
rows = c.execute("SELECT city, population FROM cities ORDER BY city").fetchall()
check(len(rows) > 3 and rows == sorted(rows), "rows of a public table")
with c.transaction():
    c.execute("SHOW sotto.budget")
try:
    c.execute("SELECT patient_id FROM patients")
    check(False, "rows are refused")
except psycopg.errors.FeatureNotSupported as e:
    check(e.diag.statement_position == "8", "at their place")

# ---- cancelling -----------------------------------------------------------------------------------
# One thread answers questions, and its answers leave late: a second question waits.
before = c.execute("SHOW sotto.budget").fetchone()
other = psycopg.connect(autocommit=True, **dsn)
other.execute("SET sotto.epsilon = 0.1")
busy = threading.Thread(target=lambda: other.execute("SELECT SUM(age) FROM patients"))
busy.start()
waiting = psycopg.connect(autocommit=True, **dsn)
waiting.execute("SET sotto.epsilon = 50")
timer = threading.Timer(0.05, waiting.cancel)
timer.start()
try:
    waiting.execute("SELECT AVG(age) FROM patients")
    outcome = "answered"
except psycopg.errors.QueryCanceled as e:
    outcome = "cancelled"
busy.join()
timer.join()
check(waiting.execute("SHOW sotto.epsilon").fetchone()[0] == "50", "the connection lives on after a wish to cancel")
left = float(waiting.execute("SHOW sotto.budget").fetchone()[0].split()[2].rstrip(","))
spent = float(before[0].split()[2].rstrip(",")) - left
check(outcome == "answered" and spent > 50 or outcome == "cancelled" and spent < 1,
      "what was cancelled was not charged: %s, %s" % (outcome, spent))
print("cancel:", outcome)

# ---- SQLAlchemy and pandas --------------------------------------------------------------------------
engine = sqlalchemy.create_engine("postgresql+psycopg2://%s:%s@127.0.0.1:%s/%s?options=-csotto.epsilon%%3D0.1"
                                  % (name, key, port, database))
look = sqlalchemy.inspect(engine)
check(look.get_table_names() == ["cities", "patients", "visits"], "tables are reflected")
columns = {x["name"]: str(x["type"]) for x in look.get_columns("patients")}
check(columns["age"] == "BIGINT" and columns["smoker"] == "BOOLEAN" and columns["weight_kg"] == "DOUBLE_PRECISION"
      and columns["city"] == "TEXT", "with their types")
check(look.get_table_comment("cities")["text"] == "public", "and comments")
check(not look.get_pk_constraint("patients")["constrained_columns"] and not look.get_foreign_keys("patients")
      and not look.get_indexes("patients") and not look.get_unique_constraints("patients")
      and not look.get_check_constraints("patients"), "and no keys")
check(look.has_table("patients") and not look.has_table("nope"), "a table is there or not")
tables = sqlalchemy.MetaData()
tables.reflect(engine)
patients = tables.tables["patients"]
with engine.connect() as connection:
    query = sqlalchemy.select(patients.c.smoker, sqlalchemy.func.count()).where(patients.c.age > 30).group_by(patients.c.smoker)
    check(len(connection.execute(query).fetchall()) == 2, "a query that SQLAlchemy wrote")
    frame = pandas.read_sql(sqlalchemy.text("SELECT smoker, COUNT(*) AS n FROM patients WHERE age > :a GROUP BY smoker"),
                            connection, params={"a": 30})
    check(list(frame.columns) == ["smoker", "n"] and len(frame) == 2 and str(frame.n.dtype) == "int64", "pandas reads it")
    frame = pandas.read_sql_table("cities", connection)
    check(len(frame) > 3, "and a public table")
print("good")
