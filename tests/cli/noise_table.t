#!/usr/bin/env python3
# The table of mechanisms: each one under "sotto noise" states its privacy and its error, has
# options, is called in the tests and is measured by a benchmark.  tools/check-docs compares
# the statements with the manual.
import glob, os, re, subprocess

sotto = os.environ.get("SOTTO", os.path.join(os.getcwd(), "build/sotto"))
dump = subprocess.run([sotto, "help", "--dump"], check=True, capture_output=True, text=True).stdout
tests = "".join(open(f).read() for f in glob.glob("tests/cli/noise*.t") if not f.endswith("noise_table.t"))
benchmarks = "".join(open(f).read() for f in glob.glob("bench/bench_*.c"))


def missing(name, lines):
	"""What the mechanism lacks, by the lines of the table."""
	path = "sotto noise " + name
	mine = [line.split("\t") for line in lines if "\t" + path + "\t" in line]
	stated = {about: text for kind, _, about, text, *_ in (m + [""] * 4 for m in mine) if kind == "statement"}
	lacks = [about for about in ("privacy", "error") if not stated.get(about, "").endswith(".")]
	if not any(m[0] == "option" for m in mine):
		lacks.append("an option")
	if not re.search(r"noise " + name + r"\b(?!-)", tests):
		lacks.append("a test")
	touches_data = "no data" not in stated.get("privacy", "")
	if touches_data and not re.search(name.replace("-", "[ _-]"), benchmarks, re.I):
		lacks.append("a benchmark")
	return lacks


lines = dump.splitlines()
names = [m.group(1) for m in (re.match(r"command\tsotto noise (\S+)\t", line) for line in lines) if m]
number = 0


def report(good, what):
	global number
	number += 1
	print(("ok" if good else "not ok"), number, "-", what)


for name in names:
	lacks = missing(name, lines)
	report(not lacks, name + (" lacks " + ", ".join(lacks) if lacks else " is complete"))
report(len(names) >= 15, "the table has all mechanisms")
report(missing("laplace", [l for l in lines if "\tprivacy\t" not in l]) == ["privacy"],
       "a mechanism without its privacy would be found")
report(missing("cauchy", ["option\tsotto noise cauchy\t--epsilon"]) == ["privacy", "error", "a test", "a benchmark"],
       "an unknown one lacks the rest")
print(f"1..{number}")
