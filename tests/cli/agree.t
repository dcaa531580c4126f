#!/usr/bin/env python3
# With very little noise, what is answered privately is what DuckDB itself answers: NULL, three-valued logic, whole
# division, dates, text, joins of every kind, empty groups.  DuckDB is asked directly, with SQL that sotto never saw; where
# its dialect differs from PostgreSQL's, the second text says what is meant.
import ctypes, json, math, os, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
from conversation import Conversation, is_plain

sotto = os.environ.get("SOTTO", os.path.join(os.getcwd(), "build/sotto"))
library = os.environ.get("SOTTO_DUCKDB", os.path.join(here, "../../.cache/duckdb/libduckdb.so"))
work = tempfile.TemporaryDirectory()

POLICY = """
ledger: ledger.db
budget: { epsilon: 100000000, delta: 0.5 }
tables:
  people:
    source: people.csv
    unit: row
    columns:
      id: { type: integer, bounds: [0, 1000] }
      age: { type: integer, bounds: [-5, 120] }
      pay: { bounds: [-1000, 100000], step: 0.01 }
      city: { type: text }
      ok: { type: boolean }
      born: { type: date }
      seen: { type: timestamp }
  visits:
    source: visits.csv
    unit: who
    max_rows: 9
    max_groups: 9
    columns: { cost: { type: integer, bounds: [0, 100] }, day: { type: date } }
  towns: { source: towns.csv, public: true, columns: { size: { type: integer, bounds: [0, 1000] } } }
"""

# (what is asked, what DuckDB is asked if that differs)
CASES = [
	("SELECT COUNT(*), COUNT(age), COUNT(ok), COUNT(city), COUNT(born), COUNT(DISTINCT city) FROM people", None),
	("SELECT SUM(age), AVG(age), VAR_POP(age), STDDEV(age) FROM people", None),
	("SELECT SUM(pay), AVG(pay), AVG(pay) FILTER (WHERE ok) FROM people", None),
	("SELECT SUM(age) FROM people WHERE age > 1000", "SELECT 0"),
	("SELECT COUNT(*) FROM people WHERE age > 50 OR ok", None),
	("SELECT COUNT(*) FROM people WHERE NOT (age > 50 OR ok)", None),
	("SELECT COUNT(*) FROM people WHERE NOT (age > 50 AND ok)", None),
	("SELECT COUNT(*) FROM people WHERE ok IS NOT TRUE", None),
	("SELECT COUNT(*) FROM people WHERE NOT ok", None),
	("SELECT COUNT(*) FROM people WHERE (ok AND age > 50) IS NULL", None),
	("SELECT COUNT(*) FROM people WHERE age NOT IN (10, 20, 30)", None),
	("SELECT COUNT(*) FROM people WHERE age NOT IN (10, 20, NULL)", None),
	("SELECT COUNT(*) FROM people WHERE age IN (10, 20, NULL)", None),
	("SELECT COUNT(*) FROM people WHERE age NOT BETWEEN 10 AND 60", None),
	("SELECT COUNT(*) FROM people WHERE age IS DISTINCT FROM 30", None),
	("SELECT COUNT(*) FROM people WHERE age IS NOT DISTINCT FROM NULL", None),
	("SELECT COUNT(*) FROM people WHERE age <> 30", None),
	("SELECT COUNT(*) FROM people WHERE age = NULL", None),
	("SELECT COUNT(*) FROM people WHERE coalesce(age, 30) = 30", None),
	("SELECT COUNT(*) FROM people WHERE nullif(age, 30) IS NULL", None),
	("SELECT COUNT(*) FROM people WHERE CASE WHEN age > 50 THEN ok ELSE NULL END", None),
	("SELECT COUNT(*) FROM people WHERE CASE age WHEN 30 THEN TRUE WHEN NULL THEN TRUE END", None),
	("SELECT SUM(age / 7), SUM(age % 7), SUM(-age / 7) FROM people",
	 "SELECT SUM(trunc(age / 7)), SUM(age % 7), SUM(trunc(-age / 7)) FROM people"),
	("SELECT SUM(age / 7.0) FROM people", None),
	("SELECT SUM((age + 3) / 2 * 2) FROM people", "SELECT SUM(trunc((age + 3) / 2) * 2) FROM people"),
	("SELECT SUM(round(pay / 1000)), SUM(floor(pay / 1000)), SUM(ceil(pay / 1000)), SUM(trunc(pay / 1000)) FROM people", None),
	("SELECT SUM(pay::integer) FROM people", "SELECT SUM(round(pay)) FROM people"),
	("SELECT SUM(abs(pay)), SUM(sign(pay)), SUM(sqrt(abs(age))), SUM(ln(age + 10)) FROM people",
	 "SELECT SUM(abs(pay)), SUM(sign(pay)), SUM(sqrt(abs(age))), SUM(ln(age + 10)) FROM people"),
	("SELECT SUM(greatest(age, 40)), SUM(least(age, 40)) FROM people", None),
	("SELECT SUM(CASE WHEN age > 0 THEN pay / age END) FROM people", None),
	("SELECT AVG(age) FROM people WHERE age BETWEEN 20 AND 40 AND pay > 0", None),
	("SELECT COUNT(*) FROM people WHERE city = 'roma'", None),
	("SELECT COUNT(*) FROM people WHERE city < 'roma'", None),
	("SELECT COUNT(*) FROM people WHERE city >= 'R' AND city <= 'Z'", None),
	("SELECT COUNT(*) FROM people WHERE lower(city) = 'roma'", None),
	("SELECT COUNT(*) FROM people WHERE city LIKE 'R%' OR city ILIKE '%A'", None),
	("SELECT COUNT(*) FROM people WHERE city NOT LIKE '%o%'", None),
	("SELECT COUNT(*) FROM people WHERE city LIKE '_ürich' AND length(city) = 6 AND substr(city, 2, 1) = 'ü'", None),
	("SELECT COUNT(*) FROM people WHERE city || '!' = 'Roma!'", None),
	("SELECT COUNT(*) FROM people WHERE concat(city, '!') = '!'", None),
	("SELECT COUNT(*) FROM people WHERE position('o' IN city) = 2 AND replace(city, 'o', '0') = 'R0ma'", None),
	("SELECT COUNT(*) FROM people WHERE city ~ '^[RZ].*a$'", "SELECT COUNT(*) FROM people WHERE city LIKE 'R%a' OR city LIKE 'Z%a'"),
	("SELECT COUNT(*) FROM people WHERE born >= '1990-03-01'", None),
	("SELECT COUNT(*) FROM people WHERE born + 30 > DATE '1990-03-01'", None),
	("SELECT COUNT(*) FROM people WHERE born + INTERVAL '1 month' > DATE '1990-03-30'", None),
	("SELECT SUM(clip(DATE '2000-01-01' - born, 0, 20000)) FROM people",
	 "SELECT SUM(least(greatest(DATE '2000-01-01' - born, 0), 20000)) FROM people"),
	("SELECT SUM(extract(month FROM born)), SUM(extract(dow FROM born)), SUM(extract(doy FROM born)) FROM people", None),
	("SELECT COUNT(*) FROM people WHERE date_trunc('quarter', born) = DATE '1990-04-01'", None),
	("SELECT COUNT(*) FROM people WHERE seen >= '1995-06-01 12:00:00' AND extract(hour FROM seen) < 12", None),
	("SELECT COUNT(*) FROM people WHERE seen::date > born", None),
	("SELECT COUNT(*) FROM people WHERE born::text LIKE '199%'", None),
	("SELECT ok, COUNT(*), SUM(age) FROM people GROUP BY ok ORDER BY ok", None),
	("SELECT age > 50 AS old, ok, COUNT(*), AVG(pay) FROM people GROUP BY old, ok ORDER BY old, ok", None),
	("SELECT extract(quarter FROM born) AS q, COUNT(*) FROM people GROUP BY q ORDER BY q", None),
	("SELECT CASE WHEN age < 30 THEN 'young' WHEN age < 60 THEN 'mid' ELSE 'old' END AS k, COUNT(*), MAX(0) FROM people GROUP BY k ORDER BY k", None),
	("SELECT city, COUNT(*) AS n FROM people GROUP BY city HAVING COUNT(*) > 40 ORDER BY n DESC, city LIMIT 3", None),
	("SELECT city, COUNT(*) AS n FROM people GROUP BY 1 ORDER BY 1 NULLS FIRST", None),
	("SELECT upper(city) AS c, COUNT(*) FROM people GROUP BY c ORDER BY c", None),
	("SELECT COUNT(*) FROM people p JOIN towns t ON p.city = t.name", None),
	("SELECT COUNT(*), COUNT(t.name), SUM(t.size) FROM people p LEFT JOIN towns t ON p.city = t.name", None),
	("SELECT COUNT(p.id), COUNT(t.name) FROM people p LEFT JOIN towns t ON p.city = t.name AND t.size > 100", None),
	("SELECT COUNT(p.id) FROM people p RIGHT JOIN towns t ON p.city = t.name", None),
	("SELECT COUNT(p.id) FROM people p FULL JOIN towns t ON p.city = t.name WHERE t.name IS NULL", None),
	("SELECT t.land, COUNT(p.id) AS n FROM people p JOIN towns t ON p.city = t.name GROUP BY t.land HAVING COUNT(p.id) > 0 ORDER BY t.land", None),
	("SELECT COUNT(*) FROM people, towns WHERE city = name AND size BETWEEN 100 AND 500", None),
	("SELECT COUNT(*) FROM people WHERE city IN (SELECT name FROM towns WHERE size > 100)", None),
	("SELECT COUNT(*) FROM people WHERE city NOT IN (SELECT name FROM towns WHERE size > 100)", None),
	("SELECT COUNT(*) FROM people p WHERE NOT EXISTS (SELECT 1 FROM towns t WHERE t.name = p.city)", None),
	("SELECT COUNT(*) FROM people WHERE age > (SELECT MIN(size) FROM towns)", None),
	("SELECT 100.0 * COUNT(*) FILTER (WHERE ok) / COUNT(*), COUNT(*) - COUNT(ok) FROM people", None),
	("SELECT ROUND(AVG(pay), 1), CAST(AVG(age) AS integer), ABS(-COUNT(*)) FROM people", "SELECT ROUND(AVG(pay), 1), round(AVG(age)), COUNT(*) FROM people"),
	("SELECT COALESCE(AVG(age), 0) FROM people WHERE age > 30 AND ok", None),
	("WITH a AS (SELECT age, ok FROM people WHERE age > 20), b AS (SELECT * FROM a WHERE ok) SELECT COUNT(*), SUM(age) FROM b", None),
	("SELECT COUNT(*) FROM (SELECT age FROM people WHERE ok UNION ALL SELECT age FROM people WHERE NOT ok) AS t", None),
	("SELECT COUNT(*), AVG(n), SUM(s) FROM (SELECT who, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY who) AS t", None),
	("SELECT n, COUNT(*) FROM (SELECT who, COUNT(*) AS n FROM visits GROUP BY who) AS t GROUP BY n ORDER BY n",
	 "SELECT k.n, COUNT(t.who) FROM range(10) AS k(n) LEFT JOIN (SELECT who, COUNT(*) AS n FROM visits GROUP BY who) AS t "
	 "ON t.n = k.n GROUP BY k.n ORDER BY k.n"),
	("SELECT COUNT(DISTINCT who), COUNT(*) FROM visits WHERE cost > 50", None),
	("SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM visits w WHERE w.who = v.who AND w.day > v.day)", None),
	("SELECT COUNT(*) FROM visits WHERE who IN (SELECT who FROM visits GROUP BY who HAVING SUM(cost) > 150)", None),
	("SELECT COUNT(*), SUM(cost) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY who ORDER BY day, cost) AS r FROM visits) AS t WHERE r = 1", None),
	("SELECT SUM(clip(day - before, 0, 400)) FROM (SELECT day, LAG(day) OVER (PARTITION BY who ORDER BY day) AS before FROM visits) AS t",
	 "SELECT SUM(day - before) FROM (SELECT day, LAG(day) OVER (PARTITION BY who ORDER BY day) AS before FROM visits) AS t"),
	("SELECT COUNT(*) FROM (SELECT DISTINCT who, cost FROM visits) AS t", None),
	("SELECT MIN(cost), MAX(cost) FROM visits", None),
	("SELECT MAX(n) FROM (SELECT cost > 50 AS high, COUNT(*) AS n FROM visits GROUP BY high) AS t", None),
	("SELECT ok, COUNT(*), SUM(COUNT(*)) OVER () FROM people GROUP BY ok ORDER BY ok", None),
	("SELECT land, COUNT(*) FROM towns GROUP BY land ORDER BY land", None),
	("SELECT name, size / 7, size % 7 FROM towns WHERE size IS NOT NULL ORDER BY name", "SELECT name, trunc(size / 7), size % 7 FROM towns WHERE size IS NOT NULL ORDER BY name"),
]


class Result(ctypes.Structure):
	_fields_ = [("a", ctypes.c_uint64), ("b", ctypes.c_uint64), ("c", ctypes.c_uint64), ("d", ctypes.c_void_p),
		    ("e", ctypes.c_void_p), ("f", ctypes.c_void_p)]


class DuckDB:
	def __init__(self):
		self.c = ctypes.CDLL(library)
		self.c.duckdb_value_varchar.restype = ctypes.c_char_p
		for name in ("duckdb_row_count", "duckdb_column_count"):
			getattr(self.c, name).restype = ctypes.c_uint64
		self.c.duckdb_result_error.restype = ctypes.c_char_p
		self.database, self.connection = ctypes.c_void_p(), ctypes.c_void_p()
		assert self.c.duckdb_open(None, ctypes.byref(self.database)) == 0
		assert self.c.duckdb_connect(self.database, ctypes.byref(self.connection)) == 0

	def rows(self, sql):
		r = Result()
		if self.c.duckdb_query(self.connection, sql.encode(), ctypes.byref(r)):
			raise RuntimeError(self.c.duckdb_result_error(ctypes.byref(r)).decode())
		return [[self.c.duckdb_value_varchar(ctypes.byref(r), ctypes.c_uint64(j), ctypes.c_uint64(i))
			 for j in range(self.c.duckdb_column_count(ctypes.byref(r)))]
			for i in range(self.c.duckdb_row_count(ctypes.byref(r)))]


def make_files():
	state = 4711

	def below(n):
		nonlocal state
		state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
		return (state >> 33) % n

	def maybe(x):
		return "" if below(11) == 0 else x

	cities = ["Roma", "roma", "Zürich", "Oslo", "Rimini", "Aa"]
	with open("people.csv", "w") as f:
		f.write("id,age,pay,city,ok,born,seen\n")
		for i in range(1000):
			f.write(f"{i},{maybe(below(110) - 5)},{maybe((below(10100000) - 100000) / 100)},{maybe(cities[below(6)])},"
				f"{maybe(['true', 'false'][below(2)])},{maybe(f'19{80 + below(20)}-{1 + below(12):02d}-{1 + below(28):02d}')},"
				f"{maybe(f'199{below(10)}-{1 + below(12):02d}-{1 + below(28):02d} {below(24):02d}:{below(60):02d}:00')}\n")
	with open("visits.csv", "w") as f:
		f.write("who,cost,day\n")
		for who in range(300):
			for k in range(1 + below(9)):
				f.write(f"w{who},{below(101)},2020-{1 + k:02d}-{1 + below(28):02d}\n")
	with open("towns.csv", "w") as f:
		f.write("name,land,size\nRoma,Italia,500\nZürich,Schweiz,120\nOslo,Norge,90\nBasel,Schweiz,70\nAa,,300\nRimini,Italia,\n")


def same(value, interval, right):
	right = None if right is None else right.decode()
	if value is None or right is None:
		return value is None and right is None
	if isinstance(value, bool):
		return right == str(value).lower()
	try:
		wanted = float(right)
	except ValueError:
		return str(value) == right
	slack = 0 if interval is None else 2 * max(interval[1] - float(value), float(value) - interval[0])
	return abs(float(value) - wanted) <= slack + 2e-3 * abs(wanted) + 1e-9 * (interval is not None)


def query(sql):
	if is_plain(sql):
		return conversation.query(sql)
	p = subprocess.run([sotto, "query", "--format", "json", *NOISE, sql], capture_output=True, text=True,
			   stdin=subprocess.DEVNULL)
	return p.returncode, p.stdout, p.stderr.strip()


def check(db, sql, reference):
	status, out, err = query(sql)
	if status:
		return err
	try:
		answer, truth = json.loads(out), db.rows(reference or sql)
	except RuntimeError as refusal:
		return f"DuckDB: {refusal}"
	if len(answer["rows"]) != len(truth):
		return f"{len(answer['rows'])} rows, DuckDB has {len(truth)}"
	for row, intervals, right in zip(answer["rows"], answer["intervals"], truth):
		for value, interval, exact in zip(row, intervals, right):
			if not same(value, interval, exact):
				return f"{row} {intervals}, DuckDB says {right}"
	return None


if not os.path.exists(library):
	print("1..0 # SKIP no libduckdb")
	sys.exit(0)
library, sotto = os.path.abspath(library), os.path.abspath(sotto)
os.chdir(work.name)
make_files()
open("sotto.yaml", "w").write(POLICY)
subprocess.run([sotto, "seal"], check=True, capture_output=True)
subprocess.run([sotto, "ledger", "create"], check=True, capture_output=True)
NOISE = ["--epsilon", "900", "--delta", "1e-5"]
conversation = Conversation(sotto, *NOISE)
db = DuckDB()
for table, types in (("people", "{'id': 'BIGINT', 'age': 'BIGINT', 'pay': 'DOUBLE', 'city': 'VARCHAR', 'ok': 'BOOLEAN', 'born': 'DATE', 'seen': 'TIMESTAMP'}"),
		     ("visits", "{'who': 'VARCHAR', 'cost': 'BIGINT', 'day': 'DATE'}"),
		     ("towns", "{'name': 'VARCHAR', 'land': 'VARCHAR', 'size': 'BIGINT'}")):
	db.rows(f"CREATE TABLE {table} AS SELECT * FROM read_csv('{table}.csv', header = true, columns = {types})")
tests = 0
for sql, reference in CASES:
	fault = check(db, sql, reference)
	tests += 1
	print(f"{'not ok' if fault else 'ok'} {tests} - {sql}")
	if fault:
		print(f"# {fault}")
# The test can fail: another question has another answer.
tests += 1
print(f"{'ok' if check(db, 'SELECT COUNT(*) FROM people', 'SELECT COUNT(age) FROM people') else 'not ok'} {tests} - a wrong answer is found")
tests += 1
print(f"{'ok' if conversation.end() == 0 else 'not ok'} {tests} - the conversation ends without a refusal")
print(f"1..{tests}")
