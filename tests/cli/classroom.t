#!/bin/sh
# The nine stories of examples/classroom: each runs, and says the number that its text says.
. "$(dirname "$0")/lib.sh"
stories=$(dirname "$0")/../../examples/classroom

story() {
	status=0
	SOTTO=$SOTTO "$stories/$1/run" > "$out" 2> "$err" || status=$?
	status_is 0 "$1 runs"
	check "$1 has a text" test -s "$stories/$1/README.md"
}

story coin-toss
stdout_like '^ *0\.46 *0\.0316 ' "0.46 with standard error 0.0316"
stderr_like 'epsilon 1\.09862 for each person' "at epsilon ln 3"
story one-count
stdout_like '^laplace *0\.1 *10\.0000 *14\.1421 *10\.0000 .* 0\.3679$' "scale 10, deviation 14.14, one in e beyond 10"
story first-names
stdout_like '^laplace .* 12\.2061$' "every count within ln(10000/0.05)"
check "and the worst error was" awk '/^worst/ { exit !($NF <= 40) }' "$out"
stderr_like 'no value is off by more than 12$' "12 on whole numbers"
stderr_like '^cost: epsilon 1$' "at the cost of one count"
story hair-colour
stderr_like '^cost: epsilon 1$' "twelve cells cost epsilon once"
check "all twelve come out" test "$(grep -c '^-\{0,1\}[0-9]*$' "$out")" -ge 12
stdout_like '^add or remove one unit: k = 12 ' "overlapping counts would cost twelve times"
story total-debt
stdout_like '^add or remove one unit: max(|A|, |B|) = 10000000$' "the declared limit, not the largest debt"
stdout_like '^    on the grid: 1000000000 steps$' "in cents"
story salaries
stdout_like ' = 200000$' "200000 when a person is added"
stdout_like ' = 180000$' "180000 when one is replaced"
story average-age
stdout_like '^replace one unit: (B - A)/m = 1\.2$' "1.2 with a promise of 100"
stdout_like '^replace one unit: (B - A)/m = 120$' "120 without"
story auction
stdout_like '^4\.1,0\.0287836825' "price 4.1"
stdout_like '^1\.0,0\.0284430512' "price 1.0"
story meeting-city
# the same probabilities, from the definition
python3 - "$stories/meeting-city" > "$work/want" <<'PYTHON'
import csv, math, sys
rows = lambda f: list(csv.DictReader(open(f"{sys.argv[1]}/{f}")))
members, cities = rows("members.csv"), rows("cities.csv")
x = sum(float(m["x"]) for m in members) / len(members)
y = sum(float(m["y"]) for m in members) / len(members)
score = {c["city"]: round(1 / max(1, math.hypot(float(c["x"]) - x, float(c["y"]) - y) / 100), 6) for c in cities}
weight = {c: math.exp(8 * s / (2 * 1.000001)) for c, s in score.items()}
for c in weight:
    print(c, "%.9f" % (weight[c] / sum(weight.values())))
PYTHON
check "seven cities with the probabilities of the definition" python3 - "$work/want" "$out" <<'PYTHON'
import sys
want = dict(l.split() for l in open(sys.argv[1]))
have = dict(l.split() for l in open(sys.argv[2]) if len(l.split()) == 2 and l.split()[0] in want)
assert len(want) == 7 and all(abs(float(have[c]) - float(want[c])) < 1e-8 for c in want)
PYTHON
finish
