#!/usr/bin/env python3
# explain takes no longer than a second, whatever the question: the longest that each construct can make is explained or refused
# with one sentence, within a limit of processor time that the system holds.  The limit of the short set is ten seconds, so that a
# slow machine does not fail; make check-long allows one, and prints what each took.
import os, resource, shutil, subprocess, tempfile

here = os.path.dirname(os.path.abspath(__file__))
sotto = os.environ.get("SOTTO", os.path.join(os.getcwd(), "build/sotto"))
long = "SOTTO_LONG" in os.environ
SECONDS = 1 if long else 10
if os.environ.get("SOTTO_VARIANT") == "asan":
	print("1..0 # SKIP the sanitizers take their own time")
	raise SystemExit


def repeat(count, text, separator=", "):
	"""`text` for each number below `count`, which replaces #."""
	return separator.join(text.replace("#", str(i)) for i in range(count))


def count_where(condition):
	return f"SELECT COUNT(*) FROM patients WHERE {condition}"


def outputs(count, text, table="patients"):
	return f"SELECT {repeat(count, text)} FROM {table}"


def nested(depth, layer, core):
	return "SELECT COUNT(*) FROM " + f"({layer} FROM " * depth + core + ") t" * depth


LADDER = "CASE " + repeat(900, "WHEN age < # THEN #", " ") + " END"
ADULTS = "a# AS (SELECT sex, COUNT(*) AS n FROM patients WHERE age > # GROUP BY sex)"
QUESTIONS = {
	"a list of 20,000 numbers": count_where(f"age IN ({repeat(20000, '#')})"),
	"a list of 3,800 numbers": count_where(f"age IN ({repeat(3800, '#')})"),
	"a list of 3,800 texts": count_where(f"city IN ({repeat(3800, chr(39) + '#' + chr(39))})"),
	"8,000 alternatives": count_where(repeat(8000, "age = #", " OR ")),
	"2,000 alternatives": count_where(repeat(2000, "age = #", " OR ")),
	"2,000 conditions": count_where(repeat(2000, "age <> #", " AND ")),
	"conditions on keys": f"SELECT age, COUNT(*) FROM patients WHERE {repeat(4, LADDER + ' <> #', ' AND ')} GROUP BY age",
	"400 patterns": count_where(repeat(400, "city LIKE '%a#%'", " OR ")),
	"two ladders as keys": f"SELECT {LADDER}, {LADDER} + 1, COUNT(*) FROM patients GROUP BY 1, 2",
	"5 computed keys": "SELECT age, age + 1, age * 2, age % 7, age / 3, COUNT(*) FROM patients GROUP BY 1, 2, 3, 4, 5",
	"100 keys": f"SELECT COUNT(*) FROM visits GROUP BY {repeat(100, 'days + #')}",
	"dates as keys": "SELECT day, date_trunc('week', day), extract(dow FROM day), COUNT(*) FROM visits GROUP BY 1, 2, 3",
	"CUBE of 5 keys": "SELECT ward, age % 3, sex, smoker, age % 5, AVG(age) FROM visits JOIN patients USING (patient_id) "
			  "GROUP BY CUBE (1, 2, 3, 4, 5)",
	"80 sets of keys": f"SELECT AVG(age) FROM patients GROUP BY GROUPING SETS ({repeat(80, '()')})",
	"2,500 averages": outputs(2500, "AVG(age + #)"),
	"1,000 averages": outputs(1000, "AVG(age + #)"),
	"900 ratios": outputs(900, "AVG(age + #) / COUNT(*)"),
	"900 sums": outputs(900, "SUM(age * #)"),
	"100 ratios of sums": outputs(100, "(SUM(age + #) + SUM(income)) / (COUNT(*) + SUM(weight_kg))"),
	"400 filters": outputs(400, "COUNT(*) FILTER (WHERE age BETWEEN # AND # + 1)"),
	"300 medians": outputs(300, "MEDIAN(income + #)"),
	"300 quantiles": outputs(300, "QUANTILE_CONT(income, # / 300)"),
	"100 windows": f"SELECT ward, {repeat(100, 'SUM(n) OVER (ORDER BY ward ROWS # PRECEDING)')} "
		       "FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) t",
	"800 conditions on groups": "SELECT ward FROM visits GROUP BY ward HAVING " + repeat(800, "COUNT(*) > #", " AND "),
	"500 orders": f"SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY {repeat(500, 'n + #')}",
	"100 parts of a union": repeat(100, "SELECT # AS i, COUNT(*) AS n FROM patients WHERE age > #", " UNION ALL "),
	"100 grouped parts": repeat(100, "(SELECT city, COUNT(*) FROM patients WHERE age = # GROUP BY city)", " UNION "),
	"100 subqueries": count_where(repeat(100, "income > (SELECT AVG(income) FROM patients WHERE age > #)", " AND ")),
	"30 correlated ones": "SELECT COUNT(*) FROM patients p WHERE " + repeat(
		30, "income > (SELECT AVG(income) + # FROM patients q WHERE q.city = p.city)", " AND "),
	"60 times EXISTS": "SELECT COUNT(*) FROM patients p WHERE " + repeat(
		60, "EXISTS (SELECT 1 FROM visits v WHERE v.patient_id = p.patient_id AND v.days > #)", " AND "),
	"30 answers joined": f"WITH {repeat(30, ADULTS)} SELECT * FROM a0 NATURAL JOIN " + repeat(30, "a#", " NATURAL JOIN "),
	"12 self-joins": "SELECT COUNT(*) FROM patients p " + repeat(12, "JOIN patients p# ON p.patient_id = p#.patient_id", " "),
	"12 public joins": "SELECT c0.region, COUNT(*) FROM patients p " +
			   repeat(12, "JOIN cities c# ON p.city = c#.city", " ") + " GROUP BY 1",
	"a doubled join": "WITH c0 AS (SELECT patient_id, age FROM patients)" + "".join(
		f", c{i} AS (SELECT a.patient_id, a.age + b.age AS age FROM c{i - 1} a JOIN c{i - 1} b ON a.patient_id = b.patient_id)"
		for i in range(1, 9)) + " SELECT AVG(age) FROM c8",
	"30 doubled texts": nested(30, "SELECT patient_id, city || city AS city", "patients"),
	"50 layers": nested(50, "SELECT patient_id, age + 1 AS age", "patients"),
	"200 layers": nested(200, "SELECT patient_id, age + 1 AS age", "patients"),
	"3,000 summands": f"SELECT SUM({repeat(3000, 'age', ' + ')}) FROM patients",
	"a hundred factors": f"SELECT SUM({repeat(100, 'age', ' * ')}) FROM patients",
	"2,000 brackets": count_where("(" * 2000 + "age > 3" + ")" * 2000),
	"a name of 60,000 letters": f"SELECT COUNT(*) AS {'a' * 60000} FROM patients",
}


def limit():
	resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def processor_time():
	used = resource.getrusage(resource.RUSAGE_CHILDREN)
	return used.ru_utime + used.ru_stime


def complaint_of(name, sql):
	options = ["--preview"] if name in PREVIEWS else []
	p = subprocess.run([sotto, "explain", "--epsilon", "0.5", *options], input=sql, capture_output=True, text=True, preexec_fn=limit)
	if p.returncode == 0:
		return "" if ("MADE-UP ROWS" if options else "cost ") in p.stdout else "no cost is told"
	if p.returncode != 1:
		return f"exit status {p.returncode}"
	return "" if p.stderr.startswith("sotto explain: ") and p.stderr.count("\n") == 1 else f"it says {p.stderr[:200]}"


# A wide table, and one whose key has many values: each layer of a question looks up all columns of the one below, and a preview
# invents all of them.  Planted: a search through all columns for each; SQL that is copied for each value that is added to it.
WIDE = 1500
KEYS = ", ".join(f"k{i}" for i in range(10000))
POLICY = f"""
  wide: {{ source: wide.csv, unit: pid, columns: {{ {repeat(WIDE, "c#: { type: integer, bounds: [0, 49] }")} }} }}
  keyed: {{ source: keyed.csv, unit: pid, columns: {{ code: {{ keys: [{KEYS}] }}, day: {{ type: date, bounds: [1950-01-01, 1950-12-31] }} }} }}
"""
LAYERS = {
	"40 parts of a wide union": "SELECT COUNT(*) FROM (" + repeat(40, "SELECT * FROM wide", " UNION ALL ") + ") t",
	"50 wide layers": nested(50, "SELECT *", "wide"),
	"wide tables joined on all columns": "SELECT COUNT(*) FROM wide NATURAL JOIN wide b",
	"20 wide names": f"WITH {repeat(20, 'a# AS (SELECT * FROM wide)')} SELECT COUNT(*) FROM a0",
	"80 subqueries over a wide table": "SELECT COUNT(*) FROM wide w WHERE " + repeat(
		80, "EXISTS (SELECT 1 FROM wide v WHERE v.pid = w.pid AND v.c# > 3)", " AND "),
	"60 numbers of a wide table": "SELECT COUNT(*) FROM wide w WHERE " + repeat(60, "c1 > (SELECT AVG(c#) FROM wide v)", " AND "),
}
PREVIEWS = {
	"a preview of a wide table": "SELECT AVG(c1) FROM wide",
	"a preview of 10,000 keys": "SELECT code, COUNT(*) FROM keyed GROUP BY code",
	"a preview of dates within their bounds": "SELECT COUNT(*) FROM keyed WHERE day < '1951-01-01'",
	"a preview of a million values": f"SELECT code, {repeat(100, 'COUNT(*) FILTER (WHERE day > DATE ~1950-01-01~ + #)').replace('~', chr(39))} "
					"FROM keyed GROUP BY code",
	"a preview of 300 medians": outputs(300, "MEDIAN(income + #)"),
	"a preview of 100 subqueries": count_where(repeat(100, "income > (SELECT AVG(income) FROM patients WHERE age > #)", " AND ")),
}
QUESTIONS |= LAYERS | PREVIEWS


with tempfile.TemporaryDirectory() as folder:
	shutil.copytree(os.path.join(here, "../../examples/hospital/small"), folder, dirs_exist_ok=True)
	os.chdir(folder)
	with open("sotto.yaml", "a") as policy, open("wide.csv", "w") as wide, open("keyed.csv", "w") as keyed:
		policy.write(POLICY)
		wide.write(f"pid, {repeat(WIDE, 'c#')}\n1, {repeat(WIDE, '#')}\n".replace(" ", ""))
		keyed.write("pid,code,day\n1,k1,1950-02-01\n")
	for act in ["seal"], ["ledger", "create"]:
		subprocess.run([sotto, *act], check=True, capture_output=True)
	for number, (name, sql) in enumerate(QUESTIONS.items(), 1):
		before = processor_time()
		complaint = complaint_of(name, sql)
		print(f"{'not ok' if complaint else 'ok'} {number} - {name}")
		if complaint:
			print(f"# {complaint}")
		if long:
			print(f"# {processor_time() - before:.2f} s of processor time")
	os.chdir("/")
print(f"1..{len(QUESTIONS)}")
