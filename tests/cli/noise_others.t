#!/bin/sh
# sotto noise: truncated, staircase, streams, randomized response, bounds, accuracy; sotto sensitivity.
. "$(dirname "$0")/lib.sh"

near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d < 5e-11 && d > -5e-11) }'; }
# value PATH...: a member of the JSON printed
value() { python3 -c 'import json,sys
v = json.load(open(sys.argv[1]))
for key in sys.argv[2:]: v = v[int(key)] if isinstance(v, list) else v[key]
print(v if isinstance(v, str) else json.dumps(v))' "$out" "$@"; }

# ---- truncated ----
run noise truncated-geometric -e 1 --range 0 3 --value 1 --probabilities --format json
status_is 0 "a row of the truncated geometric"
check "at the lower end" near "$(value probabilities 0)" 0.268941421370
check "at the value" near "$(value probabilities 1)" 0.462117157260
check "beside it" near "$(value probabilities 2)" 0.170003401569
check "at the upper end" near "$(value probabilities 3)" 0.098938019801
run noise truncated-geometric -e 50 --range 0 6 --value 0 --probabilities --format json
check "a rare result has its probability, not 0" awk -v p="$(value probabilities 5)" 'BEGIN { d = p / 2.669190215541e-109 - 1; exit !(d < 1e-9 && d > -1e-9) }'
run noise truncated-geometric -q -e 1000 --range 9223372036854775805 9223372036854775807 --value 0 -p --format csv
status_is 0 "a row at the end of 64 bits"
run noise truncated-geometric -q -e 1000 --range 0:10 -5 5 50
stdout_is '0
5
10' "values outside come out at the ends"
run noise truncated-laplace -q -e 2000 --range -1 1 --step 0.25 0.3 7
stdout_is '0.25
1' "on a finer grid"
run noise truncated-geometric -e 1 --range 0 10 5
stderr_is 'cost: epsilon 1
accuracy: with confidence 0.95 a value that is within the range is off by at most 3' "cost and accuracy"
refuses 1 'sotto noise truncated-geometric: --range: the first number must not be above the second' noise truncated-geometric -e 1 --range 3 1 2
refuses 2 'sotto noise truncated-geometric: --range needs two numbers (A B)' noise truncated-geometric -e 1 2 --range 3
refuses 2 'sotto noise truncated-geometric: --probabilities needs --value Y' noise truncated-geometric -e 1 --range 0 3 -p 2
refuses 1 'sotto noise truncated-geometric: the upper end of --range must be on the grid; --step gives a finer one' noise truncated-geometric -e 1 --range 0 3.5 2

# ---- staircase ----
run noise staircase -q -e 600 -s 100 5
stdout_is 5 "staircase noise of a large epsilon is none"
refuses 1 'sotto noise staircase: staircase noise is for one value at a time; sotto noise laplace takes several' noise staircase -e 1 5 6
refuses 1 'sotto noise staircase: the tread must lie between 1 and the sensitivity' noise staircase -e 1 -s 3 --tread 4 5

# ---- streams ----
input '1\n2\n\n1000000\n5\n'
run noise above-threshold -q -e 10 -t 1000
stdout_is 'below
below
above' "a stream is answered until the first above"
input '1\n1000000\n1000000\n1\n1000000\n'
run noise sparse -q -e 100 -t 1000 -c 2 --format csv
stdout_is 'query,above
1,false
2,true
3,true' "or the second"
printf 'day,count\n1,3\n2,1000000\n3,5\n' > "$work/days.csv"
run noise above-threshold -q -e 10 -t 1000 --csv "$work/days.csv" --column count
stdout_is 'below
above' "a CSV column is a stream too"
refuses 2 'sotto noise above-threshold: --csv needs --column NAME' noise above-threshold -e 1 -t 1 --csv "$work/days.csv"
run noise numeric-sparse -e 1000 -t 10 -c 2 --format json 1 100 200 300
check "values come with it" test "$(value answers 1 above)" = true
check "near the truth" awk -v v="$(value answers 1 value)" 'BEGIN { exit !(v > 95 && v < 105) }'
check "scales are those of the book" near "$(value threshold_scale)" 0.0045
check "and it stopped" test "$(value answers 2 query)" = 3
run noise above-threshold -e 1 -t 10 1
stderr_like '^cost: epsilon 1 for the whole stream$' "cost is stated before"
stderr_like '^noise: scale 2.00000 on the threshold, 4.00000 on each value$' "and the noise"
refuses 1 'sotto noise sparse: with a delta, epsilon may be at most 8 ln(1/delta); leave delta out' noise sparse -e 200 -d 1e-6 -t 1 1
run noise above-threshold -q -e 1 -t 1000000 5 x
status_is 1 "a value that is not a number ends the stream"
stdout_is below "after the answers before it"
stderr_is 'sotto noise above-threshold: value 2: expected a number like 12, -0.5 or 1e6' "with a word"

# ---- randomized response ----
run noise randomized-response --coin 1/2 --estimate 520 480 --format json
check "480 of 1000 say 0.46" near "$(value share)" 0.46
check "with its standard error" near "$(value standard_error)" 0.0315974682530
cp "$out" "$work/coins"
run noise randomized-response --p 3/4 --estimate 520 480 --format json
check "two fair coins are an answer that is true with probability 3/4" cmp -s "$out" "$work/coins"
run noise randomized-response --coin 1/2 --estimate 900 100
stderr_like 'outside 0 .. 1' "an estimate outside is said"
run noise randomized-response -q --epsilon 700 --k 5 3 0 4
stdout_is '3
0
4' "k-ary response of a large epsilon is the truth"
run noise randomized-response --p 3/4 yes
stderr_like '^cost: epsilon 1.09862 for each person$' "ln 3, rounded up"
stderr_like 'an answer is true with probability 0.75$' "an answer is true with the probability that was asked for"
run noise randomized-response --coin 1/2 --yes 1/4 yes
stderr_like '^cost: epsilon 1.60944 for each person$' "an uneven second coin: 1 + (1/2) / (1/8) = 5, rounded up"
stderr_like 'an answer is true with probability at least 0.625$' "and says so"
"$SOTTO" noise randomized-response --epsilon 1 yes 2>&1 >/dev/null | grep -o '0\.[0-9]*' > "$work/kept"
check "--epsilon 1 keeps the truth with probability e / (e + 1)" grep -q '0.731059' "$work/kept"
refuses 2 'sotto noise randomized-response: give one of --p P, --coin C and --epsilon E' noise randomized-response --p 3/4 --epsilon 1 yes
refuses 2 'sotto noise randomized-response: --p is now the probability that an answer is true; two coins are --coin C and --yes Y' noise randomized-response --p 1/2 --r 1/2 yes
refuses 2 'sotto noise randomized-response: --yes belongs to --coin, the first of two coins' noise randomized-response --p 3/4 --yes 1/2 yes
refuses 1 'sotto noise randomized-response: --p must be above 1/2: at 1/2 an answer says nothing' noise randomized-response --p 1/2 yes
refuses 1 'sotto noise randomized-response: --p must be between 0 and 1, not 1' noise randomized-response --p 1 yes
refuses 1 'sotto noise randomized-response: each answer must be one of 0 .. 1' noise randomized-response --p 3/4 2
refuses 1 'sotto noise randomized-response: there must be at least two answers' noise randomized-response --epsilon 1 --k 1 0

# ---- bounds, accuracy, sensitivity ----
for i in 1 2 3 4 5 6 7 8 9 10; do seq 20 80; done > "$in"
run noise bounds -e 20 --format json
check "bounds are powers of two around the values" test "$(value low) $(value high)" = '16 128'
refuses 1 'sotto noise bounds: no bounds were found: too few values for this epsilon (the attempt costs epsilon all the same)' noise bounds -e 0.001 1 2 3
run noise accuracy -e 1 -k 10000 --format json
check "10000 names at 95 %" near "$(value mechanisms 0 error)" 12.2060726455302
run noise accuracy -e 0.1 --tail 10 --format json
check "scale 10" near "$(value mechanisms 0 scale)" 10
check "P beyond 10 is 1/e" near "$(value mechanisms 0 tail)" 0.367879441171
run noise accuracy -e 1 -d 1e-6 -k 1000 --l1 1000 --l2 31.7
stdout_like '^gaussian has the smaller error$' "the Gaussian wins for long vectors"
run noise gaussian -e 1.5 -d 1e-6 --calibration classical 5
stderr_is 'sotto noise gaussian: the classical calibration is proved only for epsilon below 1 and false for large ones; use the analytic calibration' "the classical formula is refused"
run noise gaussian --rho 1/2 -q --format json 5
check "zCDP is exact" test "$(value sigma2_steps)" = 1

run sensitivity average --range 0:120 --min 100 --format json
check "average age" test "$(value replace exact) $(value add_remove exact)" = '1.2 120/101'
run sensitivity sum --range 20000 200000 --format json
check "salaries" test "$(value add_remove l1) $(value replace l1)" = '200000 180000'
run sensitivity sum --range 0 10000000 --step 0.01 --format json
check "debt in cents" test "$(value add_remove steps)" = 1000000000
run sensitivity histogram
stdout_is 'add or remove one unit: 1
    because a record is in one cell only, whatever their number
replace one unit: 2 (L2: 1.414213562)
    because a record moves from one cell to another: two cells change' "a histogram, with the reason"
for query in max average median; do
	run sensitivity $query --range 0 120 --contributions 3 --format json
	check "$query moves no further than its range" test "$(value add_remove exact) $(value replace exact)" = '120 120'
done
run sensitivity variance --range 0 120 --contributions 3 --format json
check "nor does a variance" test "$(value add_remove exact) $(value replace exact)" = '3600 3600'
run sensitivity sum --range 20 120 --contributions 3 --factor 2
stdout_is 'add or remove one unit: |2| x (c max(|A|, |B|)) = 720
    because c records at the bound that is further from 0 are added
replace one unit: |2| x (c (B - A)) = 600
    because c records change from A to B' "formulas have their brackets"
refuses 1 'sotto sensitivity: there are at most 2^62 records' sensitivity average --range 0 1 --contributions 9223372036854775807
refuses 1 'sotto sensitivity: the bounds of a value are needed: without them one unit can move the answer without limit (--range A B)' sensitivity sum
refuses 2 'sotto sensitivity: no query is called summ; did you mean sum' sensitivity summ

# ---- confidence ----
# What is stated grows with the confidence and is never below 0, also where 1 - confidence is 0 or 1 in doubles.
cat > "$work/confidences.py" <<'EOF'
import json, subprocess, sys

sotto = sys.argv[1]
CONFIDENCES = ["1e-300", "1e-17", "0.5", "0.95", "0.99999999999999", "0.9999999999999999", "0." + 20 * "9", "0." + 300 * "9"]
FORMS = ["laplace -e 1 3", "gaussian -e 1 -d 1e-5 3", "truncated-laplace -e 1 --range 0 10 3", "staircase -e 1 3",
         "exponential -e 1 1 2 3", "permute-and-flip -e 1 3 4", "noisy-max -e 1 1 2 3", "above-threshold -e 1 -t 3 4",
         "sparse -e 1 -t 3 -g 0.5 4", "numeric-sparse -e 1 -t 3 4", "bounds -e 40 " + 400 * "5 ", "accuracy -e 1",
         "randomized-response --estimate -e 1 30 40"]


def stated(form, confidence):
	"""The widths that are stated, or the refusal."""
	r = subprocess.run([sotto, "noise", *form.split(), "--confidence", confidence, "--format", "json"], capture_output=True, text=True)
	if r.returncode:
		return r.stderr.strip()
	v = json.loads(r.stdout)
	if "rows" in v:
		return [w for a in v["rows"] for w in (a["count"] - a["low"], a["high"] - a["count"])]
	a = v["mechanisms"][0] if "mechanisms" in v else v["accuracy"]
	return [a["outside"] if "outside" in a else a["error"]]


for form in FORMS:
	last = None
	for c in CONFIDENCES:
		now = stated(form, c)
		if isinstance(now, str):
			print(form[:30], c[:30], now)
			continue
		if min(now) < 0 or (last and any(n < l for n, l in zip(now, last))):
			print(form[:30], c[:30], "says", now, "after", last)
		last = now
EOF
python3 "$work/confidences.py" "$SOTTO" > "$work/said" 2>&1
check "what is stated grows with the confidence" test ! -s "$work/said"
sed 's/^/# /' "$work/said"
refuses 1 'sotto noise sparse: the accuracy at this confidence is out of reach' noise sparse -e 1 -t 3 --confidence 0.$(printf '9%.0s' $(seq 400)) 4
refuses 1 'sotto noise exponential: the accuracy at this confidence is out of reach' noise exponential -e 1e-320 1 2
finish
