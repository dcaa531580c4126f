#!/bin/sh
# The twenty stories of examples/classroom: each runs, and says the number that its text says.
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
story percentage
stdout_like '^replace one unit: (B - A)/m = 0\.1$' "a tenth of a percent"
stdout_like '= 5 epsilon e^(-10 epsilon |z - y|)$' "the density"
stdout_like '^replace one unit: B - A = 100000$' "no minimum helps a median"
stdout_like 'all datasets of 3 to 6 records .* the same$' "and small datasets agree"
story zero-to-hundred
stdout_like '^0,0\.00354' "0 is rare at 50"
stdout_like '^100,0\.3049' "100 is not at 95"
story whole-numbers
stdout_like '^1/3,1/3,1/3$' "the matrix"
stdout_like '^epsilon  *0\.69314718056 = ln(2)$' "its exact epsilon"
story bell-curve
stdout_like '^sigma  *4\.22467' "one number"
stdout_like '^sigma  *42\.2467' "a hundred"
story many-questions
stdout_like '^basic  *10\.00000000 ' "they add up to 10"
stderr_like '^best: epsilon 4\.692667415 by pld$' "and cost 4.69 at a small delta"
story asking-again
check "the average gives it away" awk '/^average/ { exit !($NF > 206 && $NF < 220) }' "$out"
stdout_like '^basic  *40\.00000000 ' "and costs 40"
story alarm
check "two alarms" test "$(grep -c '^above$' "$out")" = 2
check "at the right hours" test "$(sed -n 3p "$out")" = above
stderr_like '^cost: epsilon 1 for the whole stream$' "for the price of one"
story best-guess
stdout_like '^utility  *0\.444444444444 = 4/9$' "4/9 for the exact number"
stdout_like '^utility  *4\.10416666667 = 197/48$' "197/48 for being close"
stdout_like '^best guess by output  1 1 1$' "at epsilon 0.1 the output is not the best guess"
stdout_like '^  without a remap  *1\.08009451296$' "and believing it costs"
story same-epsilon
stdout_like '^k-rr .* 0\.2857142857 ' "randomized response"
stdout_like '^found by  *closed form$' "which is the best on the complete graph"
story afterwards
stdout_like '^utility  *0\.388888888889 = 7/18$' "clamping loses"
stdout_like '^private  *yes, at epsilon ln2$' "but not privacy"
stdout_like '^derivable  *yes, from the geometric mechanism at alpha=1/3$' "the weaker from the stronger"
stdout_like '^derivable  *no, from the geometric mechanism at alpha=1/2' "not the other way round"
story census
stdout_like '^topdown: the villages of every state add up to it$' "from the top down tables add up"
stdout_like '^"rho": "1"$' "for the budget of the plan"
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
