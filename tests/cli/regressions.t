#!/usr/bin/env python3
# Ways in which other systems leaked that need the whole program to show; the whole
# list, with the test of each, is in tests/README.md.
import glob, json, os, subprocess, tempfile

sotto = os.environ.get("SOTTO", os.path.join(os.getcwd(), "build/sotto"))
work = tempfile.TemporaryDirectory()
os.chdir(work.name)
tests = 0


def test(ok, name, *notes):
	global tests
	tests += 1
	print(f"{'ok' if ok else 'not ok'} {tests} - {name}", flush=True)
	for n in notes if not ok else ():
		print(f"# {n}")


def policy(name, source, columns, unit="id", extra="", more=""):
	with open(f"{name}.yaml", "w") as f:
		f.write(f"ledger: {name}.db\nbudget: {{ epsilon: 1000000, delta: 0.5 }}\n{extra}tables:\n"
			f"  t: {{ source: {source}, unit: {unit}, max_rows: 3, max_groups: 2, columns: {columns} }}\n{more}")
	return f"{name}.yaml"


def seal(p):
	subprocess.run([sotto, "seal", "--drop-malformed", "--policy", p], capture_output=True)
	if subprocess.run([sotto, "policy", "accept", "--policy", p], capture_output=True).returncode:
		subprocess.run([sotto, "ledger", "create", "--policy", p], capture_output=True)


def run(command, p, sql, *more):
	seal(p)
	r = subprocess.run([sotto, command, "--policy", p, "--format", "json", *more, sql], capture_output=True,
			   text=True, stdin=subprocess.DEVNULL)
	return r.returncode, r.stdout, r.stderr


def ask(p, sql, *more, epsilon="900"):
	status, out, err = run("query", p, sql, "--epsilon", epsilon, *more)
	return json.loads(out) if status == 0 else {"rows": [], "error": err}


def write(name, rows, header="id,x,k"):
	with open(name, "w", newline="") as f:
		f.write(header + "\n" + "".join(",".join(map(str, r)) + "\n" for r in rows))


# ---- NaN and infinities ------------------------------------------------------------------------
# NaN is NULL, infinities are held at the bounds; both however the bounds are given.

write("odd.csv", [(i, x, "k") for i, x in enumerate(["nan", "NaN", "inf", "-inf", "Infinity", "5", "", "-3", "1e999", "x"])])
declared, open_ended = policy("declared", "odd.csv", "{ x: { bounds: [0, 10] } }"), policy("open", "odd.csv", "{ x: { type: number } }")
for p, x in ((declared, "x"), (open_ended, "clip(x, 0, 10)")):
	row = ask(p, f"SELECT COUNT(*), COUNT({x}), SUM({x}), AVG({x}) FROM t")["rows"][0]
	test(round(row[0]) == 10 and round(row[1]) == 6, f"NaN is NULL: COUNT({x})", row)
	test(abs(row[2] - 35) < 3 and abs(row[3] - 35 / 6) < 0.5, f"infinities are held at the bounds: SUM({x})", row)
row = ask(open_ended, "SELECT COUNT(*) FILTER (WHERE clip(x, 0, 10) = 10) FROM t")["rows"][0]
test(round(row[0]) == 3, "clip(NaN) is not the upper end", row)

# ---- keys with a NUL in them ----------------------------------------------------------------------

with open("nul.csv", "wb") as f:
	f.write(b"id,k\n" + b"".join(b"%d,a\0b\n" % i for i in range(50)) + b"".join(b"%d,a\n" % i for i in range(100, 160))
		+ b"".join(b"%d,a\0c\n" % i for i in range(200, 270)))
nul = policy("nul", "nul.csv", "{}")
a = ask(nul, "SELECT k, COUNT(*) FROM t GROUP BY k", "--delta", "0.001")
test([[r[0], round(r[1])] for r in a["rows"]] == [["a", 60], ["a\u2400b", 50], ["a\u2400c", 70]], "a NUL does not end a key", a)
again = ask(nul, "SELECT k, COUNT(*) FROM t GROUP BY k", "--delta", "0.001")
test(again["repeated"] and again["rows"] == a["rows"], "nor in a stored answer", again)

# ---- a unit that changes all its rows ----------------------------------------------------------------
# Replacing a person is removing one and adding one: twice the sensitivity, never more.

others = [(i, 60, "k") for i in range(1, 40)]
shifts = []
for rows in ([(0, 0, "k")] * 50, [(0, 120, "k")] * 50, []):
	write("replaced.csv", rows + others)
	p = policy("replaced", "replaced.csv", "{ x: { type: integer, bounds: [0, 120] } }")
	plan = json.loads(run("explain", p, "SELECT SUM(x), AVG(x) FROM t", "--epsilon", "900")[1])
	shifts.append(ask(p, "SELECT SUM(x) FROM t", "--fresh")["rows"][0][0])
moved = plan["measures"][0]["sensitivity"]
test(moved == 360 and abs(shifts[1] - shifts[0]) <= 2 * moved + 20, "a person replaced in all rows moves a sum by twice the bound at most", shifts)
test(abs(shifts[1] - shifts[2]) <= moved + 20 and abs(shifts[0] - shifts[2]) <= moved + 20, "one removed by the bound at most", shifts)

# ---- the size of an answer ---------------------------------------------------------------------------

sizes = []
for people in (0, 1, 2000):
	write("size.csv", [(i, i % 7, "abc"[i % 3]) for i in range(people)])
	p = policy("size", "size.csv", "{ k: { keys: [a, b, c, d] }, x: { bounds: [0, 10] } }")
	a = ask(p, "SELECT k, x > 3 AS big, COUNT(*), SUM(x) FROM t GROUP BY k, x > 3", "--fresh")
	sizes.append((len(a["rows"]), [r[:2] for r in a["rows"]]))
test(sizes[0] == sizes[1] == sizes[2] and sizes[0][0] == 12, "rows of an answer depend on keys only", *sizes)

# ---- the owner's log -----------------------------------------------------------------------------------
# The data of the sealed copy are damaged, which only the engine finds, after the charge.

write("torn.csv", [(1, 2, "k"), (2, 3, "secret value")])


def damage():
	for name in glob.glob("sotto-sealed/t-*.parquet"):
		with open(name, "r+b") as f:
			f.seek(4)
			f.write(b"\xff" * 12)


sentence = "the query was charged but could not be answered; nothing about the data follows from this"
quiet = policy("quiet", "torn.csv", "{ x: { bounds: [0, 10] } }")
seal(quiet)
damage()
status, out, err = run("query", quiet, "SELECT COUNT(*) FROM t", "--epsilon", "1")
test(status == 1 and sentence in err and not out, "an engine's error is one fixed sentence", err)
test(not any("log" in f for f in os.listdir(".")), "and leaves no trace unless the owner wants one", os.listdir("."))
loud = policy("loud", "torn.csv", "{ x: { bounds: [0, 10] } }", extra="log: owner.log\n")
status, out, err = run("query", loud, "SELECT COUNT(*) FROM t", "--epsilon", "1")
test(status == 1 and err.endswith(sentence + "\n"), "with a log the analyst reads the same", err)
test(os.path.exists("owner.log") and os.path.getsize("owner.log") > 20, "and the owner the engine's words")
test(os.path.exists("owner.log") and os.stat("owner.log").st_mode & 0o077 == 0, "which nobody else may read")
spent = json.loads(subprocess.run([sotto, "budget", "--policy", loud, "--format", "json"], capture_output=True, text=True).stdout)
test(spent["releases"] == 1 and spent["spent"]["epsilon"] == 1 and not spent["history"][0]["answered"], "the charge stays", spent)

print(f"1..{tests}")
