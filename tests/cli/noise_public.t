#!/bin/sh
# What sotto noise says beside its result follows from its options: it is the same for all values.
. "$(dirname "$0")/lib.sh"
: > "$out" > "$err"

cat > "$work/public.py" <<'EOF'
import itertools, json, subprocess, sys

sotto = sys.argv[1]
# Ways to write numbers that an option allows; the first of each is the plain one.
WHOLE = ["7", "-0", "0", "007", "+7", "7.000", "7e0", "21/3", "1e18", "-1e18", "9223372036854775807", "-9223372036854775808"]
FRACTION = ["7", "-0", "1/3", "1/7", "22/7", "0.1", "1e-300", "-1e-300", "0." + 300 * "3", "7." + 299 * "0" + "1", "1/" + 200 * "9",
            "8999999"]
FORMS = [
	("laplace -e 1", WHOLE), ("laplace -e 1 -g 0.001", FRACTION), ("laplace -g 0.1 --error 5", FRACTION), ("laplace -b 3 -g 1/3", FRACTION),
	("geometric -e 1/3 -s 2", WHOLE), ("gaussian -e 1 -d 1e-6", WHOLE), ("gaussian --rho 1/8 -g 0.001", FRACTION),
	("gaussian -b 3 -d 1e-6 -g 1/7", FRACTION), ("staircase -e 3 -s 5", WHOLE), ("staircase -e 3 -s 5 -g 0.25", FRACTION),
	("truncated-geometric -e 1 --range 0 10", WHOLE), ("truncated-laplace -e 1 --range 0 10 -g 0.5", FRACTION),
	("exponential -e 0.7 -s 1/3", FRACTION), ("exponential --error 5 -s 0.3 -m", FRACTION), ("exponential -e 1 -s 4.2 --min", FRACTION),
	("exponential -e 1 -g 1", WHOLE),
	("permute-and-flip -e 0.7 -s 1/3", FRACTION), ("permute-and-flip --error 2 -s 1/7", FRACTION), ("permute-and-flip -e 1 -g 1", WHOLE),
	("noisy-max -e 1", WHOLE), ("noisy-max -e 1 --gap", WHOLE), ("noisy-max --error 30 --top 2", WHOLE),
	("above-threshold -e 1 -t 3", WHOLE), ("sparse -e 1 -t 3 --positives 3", WHOLE), ("sparse -e 1 -t 3 -g 0.5", FRACTION),
	("randomized-response -e 1", ["1", "0", "-0", "1.0", "1e0", "yes", "no"]), ("randomized-response --p 0.7", ["1", "0", "yes", "02/2"]),
	("bounds -e 40", WHOLE), ("bounds -e 40 -g 0.001", FRACTION),
	("numeric-sparse -e 1 -d 1e-6 -t 0 -g 1/8 --positives 2", FRACTION),
]
RESULTS = {"values", "value", "outcome", "outcomes", "index", "gap", "answers", "low", "high"}


def said(form, values, options):
	"""What is printed beside the result."""
	r = subprocess.run([sotto, "noise", *form.split(), *options, "--", *values], capture_output=True, text=True)
	stopped = "stopped: that was the last value above the threshold that was paid for\n" # the result says so too
	public = {k: v for k, v in json.loads(r.stdout).items() if k not in RESULTS} if r.returncode == 0 and options else None
	return r.returncode, r.stderr.replace(stopped, ""), json.dumps(public)


for form, ways in FORMS:
	plain = [ways[0]] * {"staircase": 1, "bounds": 400}.get(form.split()[0], 3)
	for options in ([], ["--format", "json"]):
		want = said(form, plain, options)
		if want[0]:
			print(form, "is refused:", want[1])
		for way in ways[1:]:
			now = said(form, [way] + plain[1:], options)
			if now != want:
				print(form, *options, "with", way[:30], "says", now, "and not", want)
EOF
python3 "$work/public.py" "$SOTTO" > "$work/said" 2>&1
check "what is said of the result does not depend on how large or how long a value is" test ! -s "$work/said"
sed 's/^/# /' "$work/said"

# A score that the options' grid cannot hold is refused, however it is written; one beside it is not.
for mechanism in exponential permute-and-flip; do
	run noise $mechanism -q -e 1e15 a=1 b=1.000000001
	stdout_is b "$mechanism tells scores apart that differ by a thousand-millionth of the sensitivity"
	run noise $mechanism -q -e 1e15 -s 1e-6 a=1 b=1.000000000000001
	stdout_is b "$mechanism goes by the sensitivity"
	run noise $mechanism -e 1 --probabilities --format csv -q a=0 b=1e-12
	check "$mechanism rounds scores to the step, also where it shows its law" test "$(cut -d, -f2 "$out" | sort -u | wc -l)" = 2
	refuses 1 "sotto noise $mechanism: the score of \"a\" is beyond 2^63 steps; a larger --step is needed" noise $mechanism -e 1 a=1e10 b=1
	run noise $mechanism -q -e 1000 -g 1 a=1e10 b=1
	stdout_is a "$mechanism takes larger scores on a larger --step"
done
finish
