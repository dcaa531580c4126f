#!/usr/bin/env python3
# account answers or refuses within two seconds, whatever the workload: each kind of list or parameter that once took longer, within
# a limit of processor time that the system holds.  The limit of the short set is ten seconds, so that a slow machine does not fail;
# make check-long allows three, and prints what each took.
#
# Faults seen to fail: all cells compared with all others (event_simplify.c), sums of fractions never rounded (real.c), the mean of
# a draw taken to the end (wanted_line.c).
import os, random, resource, subprocess

sotto = os.environ.get("SOTTO", os.path.join(os.getcwd(), "build/sotto"))
long = "SOTTO_LONG" in os.environ
SECONDS = 3 if long else 10
if os.environ.get("SOTTO_VARIANT") == "asan":
	print("1..0 # SKIP the sanitizers take their own time")
	raise SystemExit
chance = random.Random(11)


def lines(count, text):
	"""One event for each number; a function makes its text."""
	return "\n".join(text(i) for i in range(count)) + "\n"


def fraction(digits):
	below = chance.randrange(10 ** (digits - 1), 10 ** digits) | 1
	return f"{chance.randrange(1, below)}/{below}"


def share():
	return f"{chance.random() / 10:.6g}"


WORKLOADS = {
	"20,000 cells of which none dominates another":
		("parallel(" + ",".join(f"randomized-response(epsilon={1 + i / 1e4},k={i + 2})" for i in range(20000)) + ")", ["--delta", "1e-6"]),
	"20,000 cells between which a person moves":
		("parallel(" + ",".join(f"laplace(epsilon={share()})" for _ in range(20000)) + ")", ["--delta", "1e-6", "--neighbours", "replace-one"]),
	"4,000 fractions of 400 digits": (lines(4000, lambda i: f"gaussian(sigma={fraction(400)})"), ["--delta", "1e-6"]),
	"4,000 deltas of 600 digits":
		(lines(4000, lambda i: f"approx(epsilon=0.001,delta=1/{chance.randrange(10 ** 600, 10 ** 601)})"), ["--delta", "1e-6"]),
	"no noise beside a nested sample":
		("sampled(rate=0.1,gaussian(sigma=1e-20))*2\nsampled(rate=0.1,sampled(rate=0.1,gaussian(sigma=2))*3)\n", ["--delta", "1e-6"]),
	"each of 5,000 groups of samples explained":
		(lines(5000, lambda i: f"group(k=3,sampled(rate={share()},exponential(epsilon={share()})*5)*28)"), ["--epsilon", "10", "--explain"]),
}


def limit():
	resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def processor_time():
	used = resource.getrusage(resource.RUSAGE_CHILDREN)
	return used.ru_utime + used.ru_stime


def complaint_of(workload, options):
	p = subprocess.run([sotto, "account", "--workload", "-", *options], input=workload, capture_output=True, text=True,
			   preexec_fn=limit)
	if p.returncode == 0:
		return "" if "best: " in p.stderr else "no bound is best"
	return f"exit status {p.returncode}: {p.stderr[:200]}"


for number, (name, (workload, options)) in enumerate(WORKLOADS.items(), 1):
	before = processor_time()
	complaint = complaint_of(workload, options)
	print(f"{'not ok' if complaint else 'ok'} {number} - {name}")
	if complaint:
		print(f"# {complaint}")
	if long:
		print(f"# {processor_time() - before:.2f} s of processor time")
print(f"1..{len(WORKLOADS)}")
