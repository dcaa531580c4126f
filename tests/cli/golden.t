#!/usr/bin/env python3
# The cases of tests/sql: accepted queries with their plans and answers, refused
# queries with the words.  The format is described in tests/sql/README.md.
#
# Most accepted questions are asked in one conversation of sotto shell, in which the engine starts once; every tenth by
# commands of their own, as are those that a conversation would read otherwise.
import csv, json, math, os, re, sqlite3, subprocess, sys, tempfile
from fractions import Fraction

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
from conversation import Conversation, is_plain

sotto = os.environ.get("SOTTO", os.path.join(os.getcwd(), "build/sotto"))
work = tempfile.TemporaryDirectory()
# The sanitizers are about our code, which other cases take the same way; make check-long asks all.
STRIDE = 6 if os.environ.get("SOTTO_VARIANT") == "asan" and "SOTTO_LONG" not in os.environ else 1

POLICY = """
ledger: ledger.db
budget: { epsilon: 100000000, delta: 0.5 }
default: { epsilon: 1 }
diagnostics: 0
tables:
  people:
    source: people.csv
    unit: pid
    max_groups: 4
    max_rows: 3
    columns:
      age: { type: integer, bounds: [0, 120] }
      sex: { keys: [M, F] }
      educ: { type: integer, bounds: [1, 16] }
      income: { bounds: [0, 500000], step: 1 }
      married: { type: boolean }
      smoker: { type: boolean }
      city: { keys: [Padova, Nantes, Bochum, Paris] }
      seen: { type: date }
      weight: { bounds: [30, 200], step: 0.1 }
  records:
    source: people.csv
    unit: row
    columns:
      age: { type: integer, bounds: [0, 120] }
      sex: { keys: [M, F] }
      educ: { type: integer, bounds: [1, 16], keys: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] }
      income: { bounds: [0, 500000], step: 1 }
      married: { type: boolean }
      seen: { type: date }
      weight: { bounds: [30, 200], step: 0.1 }
  spring:
    source: people.csv
    unit: pid
    max_groups: 4
    max_rows: 3
    columns: { seen: { bounds: [2024-02-01, 2024-05-31], nullable: false } }
  century:
    source: people.csv
    unit: pid
    columns: { seen: { bounds: [1925-01-01, 2024-12-31] } }
  moments:
    source: moments.csv
    unit: pid
    columns: { moment: { type: timestamp, bounds: [2024-03-01, 2024-03-31], nullable: false } }
  calls:
    source: moments.csv
    unit: pid
    max_groups: 4
    max_rows: 3
    columns: { pid: { unique: true }, moment: { type: timestamp, bounds: [2024-03-01, 2024-03-31], nullable: false } }
  brief:
    source: people.csv
    unit: pid
    max_groups: 4
    max_rows: 3
    columns: { pid: { max_text: 4 }, age: { type: integer, bounds: [0, 120] }, educ: { type: integer, bounds: [1, 16] } }
  visits:
    source: visits.csv
    unit: { column: pid, via: visits.who -> people.pid }
    max_groups: 4
    max_rows: 4
    columns:
      cost: { type: integer, bounds: [0, 100] }
      ward: { keys: [a, b] }
  items:
    source: items.csv
    unit: { column: pid, via: items.visit -> visits.visit }
    max_groups: 4
    max_rows: 8
    columns: { price: { type: integer, bounds: [0, 10] } }
  stays:
    source: visits.csv
    unit: { column: pid, via: stays.who -> people.pid }
    max_groups: 4
    max_rows: 4
    columns: { visit: { unique: true }, cost: { type: integer, bounds: [0, 100] }, ward: { keys: [a, b] } }
  goods:
    source: items.csv
    unit: { column: pid, via: goods.visit -> stays.visit }
    max_groups: 4
    max_rows: 8
    columns: { price: { type: integer, bounds: [0, 10] } }
  nobody:
    source: nobody.csv
    unit: pid
    columns: { age: { type: integer, bounds: [0, 120] }, sex: { keys: [M, F] } }
  clinic.nobody: { source: nobody.csv, unit: pid, columns: { age: { type: integer, bounds: [0, 120] } } }
  cities:
    source: cities.csv
    public: true
    columns: { population: { type: integer, bounds: [0, 10000000] } }
  places:
    source: cities.csv
    public: true
    columns: { population: { type: integer } }
"""
CITIES = [("Padova", "Veneto", 210000), ("Nantes", "Loire", 320000), ("Bochum", "Ruhr", 365000),
	  ("Paris", "Ile-de-France", 2100000), ("Lyon", "Rhone", 520000), ("Roma", "Lazio", 2800000)]
COLUMNS = "pid age sex educ income married city smoker seen weight note".split()

MOMENTS = [(f"m{i}", f"2024-03-{1 + i % 31:02d} {i % 24:02d}:30:00") for i in range(200)]


def make_people():
	"""Up to three rows a person, all in one city and of one sex."""
	state = 12345

	def below(n):
		nonlocal state
		state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
		return (state >> 33) % n

	rows = []
	for person in range(500):
		city = ["Padova", "Nantes", "Bochum", "Paris", "Lyon", None][below(6)]
		sex = "MF"[below(2)]
		for _ in range(1 + below(3)):
			smoker = [True, False, None][below(3)]
			rows.append((f"p{person:03d}", None if below(20) == 0 else below(100), sex, 1 + below(16),
				     below(300000), below(2) == 0, city, smoker,
				     f"2024-{1 + below(12):02d}-{1 + below(28):02d}", 30 + below(1200) / 10,
				     f"note {below(40)}"))
	return rows


def make_visits():
	"""Up to four visits a person, each with up to two items; and one of nobody known."""
	visits, items = [], []
	for person in range(0, 500, 2):
		for k in range(1 + person % 4):
			visit = f"v{len(visits)}"
			visits.append((visit, f"p{person:03d}", (person * 7 + k * 13) % 101, "ab"[(person + k) // 2 % 2]))
			items += [(visit, (person + j) % 11) for j in range(person % 3)]
	return visits, items


def write_csv(name, header, rows):
	with open(name, "w", newline="") as f:
		w = csv.writer(f)
		w.writerow(header)
		for row in rows:
			w.writerow(["" if v is None else str(v).lower() if isinstance(v, bool) else v for v in row])


class Spread:
	def __init__(self, sample, root):
		self.values, self.sample, self.root = [], sample, root

	def step(self, x):
		if x is not None:
			self.values.append(x)

	def finalize(self):
		n = len(self.values)
		m = sum(self.values) / n
		v = sum((x - m) ** 2 for x in self.values) / (n - self.sample)
		return math.sqrt(v) if self.root else v


class Geomean:
	def __init__(self):
		self.logarithms = []

	def step(self, x):
		if x is not None:
			self.logarithms.append(math.log(x))

	def finalize(self):
		return math.exp(sum(self.logarithms) / len(self.logarithms))


class Quantile:
	"""PERCENTILE_CONT as PostgreSQL has it, or PERCENTILE_DISC."""

	def __init__(self, of_values):
		self.values, self.of_values, self.q = [], of_values, 0

	def step(self, x, q):
		self.q = q
		if x is not None:
			self.values.append(x)

	def finalize(self):
		v, n = sorted(self.values), len(self.values)
		if self.of_values:
			return v[max(0, math.ceil(n * self.q) - 1)]
		at = self.q * (n - 1)
		low, high = v[math.floor(at)], v[math.ceil(at)]
		return low + (at - math.floor(at)) * (high - low)


class Pairs:
	"""Aggregates of two columns."""
	def __init__(self, what):
		self.what, self.pairs = what, []

	def step(self, y, x):
		if x is not None and y is not None:
			self.pairs.append((y, x))

	def finalize(self):
		n = len(self.pairs)
		my, mx = (sum(p[i] for p in self.pairs) / n for i in (0, 1))
		sxy, sxx, syy = (sum((p[i] - m) * (p[j] - k) for p in self.pairs)
				 for i, m, j, k in ((0, my, 1, mx), (1, mx, 1, mx), (0, my, 0, my)))
		return {"covar_pop": sxy / n, "covar_samp": sxy / (n - 1), "corr": sxy / math.sqrt(sxx * syy),
			"regr_sxx": sxx, "regr_syy": syy, "regr_sxy": sxy,
			"regr_slope": sxy / sxx, "regr_intercept": my - sxy / sxx * mx, "regr_r2": sxy**2 / sxx / syy}[self.what]


def make_sqlite(rows):
	db = sqlite3.connect(":memory:")
	for table, data in (("people", rows), ("records", rows), ("brief", rows), ("nobody", [])):
		db.execute(f"CREATE TABLE {table}({', '.join(COLUMNS)})")
		db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(COLUMNS))})", data)
	visits, items = make_visits()
	db.execute("CREATE TABLE visits(visit, who, cost, ward)")
	db.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", visits)
	db.execute("CREATE TABLE items(visit, price)")
	db.executemany("INSERT INTO items VALUES (?, ?)", items)
	db.execute("CREATE VIEW stays AS SELECT * FROM visits")
	db.execute("CREATE VIEW goods AS SELECT * FROM items")
	db.execute("CREATE TABLE moments (pid, moment)")
	db.executemany("INSERT INTO moments VALUES (?, ?)", MOMENTS)
	db.execute("CREATE VIEW calls AS SELECT * FROM moments")
	db.execute("CREATE TABLE cities(city, region, population)")
	db.executemany("INSERT INTO cities VALUES (?, ?, ?)", CITIES)
	db.execute("PRAGMA case_sensitive_like = ON")
	db.create_function("clip", 3, lambda x, lo, hi: None if x is None else min(max(x, lo), hi))
	for name, sample, root in (("var_pop", 0, 0), ("var_samp", 1, 0), ("variance", 1, 0),
				   ("stddev", 1, 1), ("stddev_samp", 1, 1), ("stddev_pop", 0, 1)):
		db.create_aggregate(name, 1, type(name, (Spread,), {
			"__init__": lambda self, s=sample, r=root: Spread.__init__(self, s, r)}))
	for name, of_values in (("quantile", False), ("quantile_disc", True)):
		db.create_aggregate(name, 2, type(name, (Quantile,), {
			"__init__": lambda self, v=of_values: Quantile.__init__(self, v)}))
	for name in ("geomean", "geometric_mean"):
		db.create_aggregate(name, 1, Geomean)
	for name in ("covar_pop", "covar_samp", "corr", "regr_slope", "regr_intercept", "regr_r2", "regr_sxx", "regr_syy",
		     "regr_sxy"):
		db.create_aggregate(name, 2, type(name, (Pairs,), {"__init__": lambda self, n=name: Pairs.__init__(self, n)}))
	return db


def read_cases(path):
	cases, case = [], None
	for number, line in enumerate(open(path), 1):
		line = line.rstrip("\n")
		if line.startswith("#") or not line.strip():
			continue
		if line.startswith("[") and line.endswith("]"):
			case = {"name": line[1:-1], "line": number, "sql": "", "facts": {}, "refused": None,
				"reference": None}
			cases.append(case)
		elif line.startswith("= "):
			key, _, value = line[2:].partition(":")
			case["facts"][key.strip()] = value.strip()
		elif line.startswith("~"):
			case["reference"] = line[1:].strip() or "same"
		elif line.startswith("! "):
			case["refused"] = line[2:].strip()
		else:
			case["sql"] += line + "\n"
	return cases


def run(*arguments):
	p = subprocess.run([sotto, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
	return p.returncode, p.stdout, p.stderr.strip()


def explain(case):
	if case["talk"]:
		case["talk"].set("default", case["facts"].get("delta", "default"))
		return case["talk"].explain(case["sql"])
	return run("explain", "--format", "json", *options(case), case["sql"])


def query(case):
	if case["talk"]:
		case["talk"].set("900", case["facts"].get("delta", "default"))
		return case["talk"].query(case["sql"])
	return run("query", "--fresh", "--format", "json", "--epsilon", "900", *options(case), case["sql"])


def options(case):
	delta = case["facts"].get("delta")
	return ["--delta", delta] if delta else []


def split_list(text):
	return [part.strip() for part in text.split(",")]


def number(x):
	return f"{float(x):.6g}"


def measures_of(plan):
	return [f"{m['what']} {exact(m['sensitivity'])}" for m in plan["measures"]]


def exact(x):
	return str(int(x)) if x == int(x) else str(x)


def keys_of(plan):
	return [f"{k['name']} {k['kind']}" + ("" if k["values"] is None else f" {k['values']}") for k in plan["keys"]]


def check_plan(case, complaints):
	status, out, err = explain(case)
	if status != 0:
		complaints.append(f"explain: {err}")
		return
	plan, facts = json.loads(out), case["facts"]
	got = {
		"columns": [c["name"] + (" key" if c["kind"] == "key" else "") for c in plan["columns"]],
		"measures": measures_of(plan),
		"scales": [number(m["scale"]) for m in plan["measures"]],
		"keys": keys_of(plan),
		"groups": [str(plan["unit"]["max_groups"]) if plan["unit"] else "1"],
		"mechanism": [plan["mechanism"]],
		"cost": [number(plan["cost"]["epsilon"]), number(plan["cost"]["delta"])],
	}
	for name in got:
		if name in facts and got[name] != split_list(facts[name]):
			complaints.append(f"{name}: {', '.join(got[name])}, expected {facts[name]}")
	if "free" in facts and (float(plan["cost"]["epsilon"]) != 0 or float(plan["cost"]["delta"]) != 0):
		complaints.append("it is not free")


def close(value, interval, truth, decimals=9):
	if interval is not None and isinstance(value, str):
		value = float(Fraction(value))  # more digits than a double has
	if isinstance(truth, bool) or isinstance(value, bool):
		return bool(truth) == bool(value)
	if truth is None or isinstance(truth, str) or isinstance(value, str):
		return value == truth
	if interval is None:
		return math.isclose(value, truth, rel_tol=1e-9)
	low, high = interval
	return value is not None and abs(value - truth) <= 5 * max(high - value, value - low) + 10**-decimals


# Noise misses by chance: each value must lie in its own interval in one of 12 answers, since an interval of width 0 is missed
# once in twenty (2e-16 in all), and a noisy value without an interval must be right in one of 100: it is right more often than
# once in five, or the case needs another question (2e-10).
ANSWERS, ANSWERS_WITHOUT_INTERVAL = 12, 100


def check_answer(case, db, complaints):
	missed = None
	for asked in range(1, ANSWERS_WITHOUT_INTERVAL + 1):
		wrong = compare_answer(case, db, complaints)
		missed = wrong if missed is None else {place: wrong[place] for place in missed if place in wrong}
		if complaints or not missed:
			return
		if asked >= ANSWERS and any(has_interval for _, has_interval in missed.values()):
			break
	complaints.extend(what for what, _ in missed.values())


def check_ends(answer, complaints):
	"""A value and its interval must be about the same number: it lies between its ends."""
	for row, intervals in zip(answer["rows"], answer["intervals"]):
		for column, value, interval in zip(answer["columns"], row, intervals):
			if interval is None or isinstance(interval[0], str):
				continue
			if value is None or not interval[0] - 1e-9 <= float(Fraction(value)) <= interval[1] + 1e-9:
				complaints.append(f"{column['name']} is {value}, outside of {interval}")


def compare_answer(case, db, complaints):
	"""Values outside their intervals, by row and column; what is wrong with the whole goes to complaints."""
	status, out, err = query(case)
	if status != 0:
		complaints.append(f"query: {err}")
		return {}
	answer = json.loads(out)
	wanted = case["facts"].get("rows")
	if wanted and len(answer["rows"]) != int(wanted):
		complaints.append(f"{len(answer['rows'])} rows, expected {wanted}")
	if "intervals" in case["facts"]:
		for row, intervals in zip(answer["rows"], answer["intervals"]):
			for column, value, interval in zip(answer["columns"], row, intervals):
				if column["kind"] == "noisy" and isinstance(value, (int, float)) and interval is None:
					complaints.append(f"{column['name']} is {value} without an interval")
	check_ends(answer, complaints)
	if not case["reference"]:
		return {}
	truth = db.execute(case["sql"] if case["reference"] == "same" else case["reference"]).fetchall()
	if "ORDER BY" not in case["sql"].upper():
		order = lambda row: [(v is None, str(v) if isinstance(v, str) else "", v if isinstance(v, (int, float)) else 0)
				     for v, c in zip(row, answer["columns"]) if c["kind"] != "noisy"]
		pairs = sorted(zip(answer["rows"], answer["intervals"]), key=lambda p: order(p[0]))
		answer["rows"], answer["intervals"] = [p[0] for p in pairs], [p[1] for p in pairs]
		truth = sorted(truth, key=order)
	if len(truth) != len(answer["rows"]):
		complaints.append(f"{len(answer['rows'])} rows, SQLite has {len(truth)}")
		return {}
	wrong = {}
	for i, (row, intervals, right) in enumerate(zip(answer["rows"], answer["intervals"], truth)):
		for j, (column, value, interval, exact) in enumerate(zip(answer["columns"], row, intervals, right)):
			if not close(value, interval, exact):
				has_interval = interval is not None or column["kind"] != "noisy"
				wrong[i, j] = f"{column['name']} is {value} {interval}, SQLite says {exact}", has_interval
	return wrong


def check_refusal(case, complaints):
	for command in ("explain", "query"):
		status, out, err = run(command, *options(case), case["sql"])
		if status != 1 or out:
			complaints.append(f"{command} leaves with {status}: {out[:100]}{err[:100]}")
		elif case["refused"] not in err:
			complaints.append(f"{command} says: {err}")
		elif "\n" in err:
			complaints.append("the refusal is not one line")


def spent():
	status, out, err = run("budget", "--format", "json")
	return json.loads(out)["releases"] if status == 0 else err


def write_questions(folder):
	"""The accepted questions, each after its delta, with a NUL behind either: for test_spread_golden."""
	with open("questions", "w") as f:
		for name in sorted(os.listdir(folder)):
			if name.endswith(".case"):
				for case in read_cases(os.path.join(folder, name)):
					if not case["refused"] and "todo" not in case["facts"]:
						f.write(case["facts"].get("delta", "") + "\0" + case["sql"] + "\0")


# golden.t --world FOLDER: only makes the rows, the policy and the list of questions there.
only_world = len(sys.argv) > 2 and sys.argv[1] == "--world"
os.chdir(sys.argv[2] if only_world else work.name)
open("sotto.yaml", "w").write(POLICY)
rows = make_people()
write_csv("people.csv", COLUMNS, rows)
write_csv("nobody.csv", COLUMNS, [])
write_csv("moments.csv", ("pid", "moment"), MOMENTS)
visits, items = make_visits()
write_csv("visits.csv", ("visit", "who", "cost", "ward"), visits)
write_csv("items.csv", ("visit", "price"), items)
write_csv("cities.csv", ("city", "region", "population"), CITIES)
subprocess.run([sotto, "seal"], check=True, capture_output=True)
subprocess.run([sotto, "ledger", "create"], check=True, capture_output=True)
folder = os.path.join(here, "../sql")
if only_world:
	write_questions(folder)
	sys.exit(0)
db = make_sqlite(rows)
conversation = Conversation(sotto)
before = None  # what was spent, until the next question that is charged
tests = 0
for name in sorted(os.listdir(folder)):
	if not name.endswith(".case") or (len(sys.argv) > 1 and sys.argv[1] not in name):
		continue
	for case in read_cases(os.path.join(folder, name))[::STRIDE]:
		complaints = []
		if case["refused"]:
			before = before or spent()
			check_refusal(case, complaints)
			if spent() != before:
				complaints.append("the refusal was charged")
		else:
			before = None
			case["talk"] = conversation if tests % 10 and is_plain(case["sql"]) else None
			check_plan(case, complaints)
			check_answer(case, db, complaints)
		tests += 1
		todo = f" # TODO {case['facts']['todo']}" if "todo" in case["facts"] else ""
		print(f"{'not ok' if complaints else 'ok'} {tests} - {name[:-5]}: {case['name']}{todo}")
		for c in complaints[:5]:
			print(f"# line {case['line']}: {c}")
tests += 1
status = conversation.end()
print(f"{'ok' if status in (0, 1) else 'not ok'} {tests} - the conversation ends as it should: {status}")
print(f"1..{tests}")
