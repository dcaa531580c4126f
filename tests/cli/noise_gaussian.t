#!/bin/sh
# sotto noise gaussian: calibration, costs, refusals.
. "$(dirname "$0")/lib.sh"
p='sotto noise gaussian'

run noise gaussian --epsilon 1 --delta 1e-6 100
status_is 0 "a value is published"
stdout_like '^-\{0,1\}[0-9][0-9]*$' "as a whole number"
stderr_is 'cost: epsilon 1, delta 1e-6, rho 0.0279338
accuracy: with confidence 0.95 the value is not off by more than 8' "with cost and accuracy"

run noise gaussian -e 1 -d 1e-6 --format json 100
check "one value: the least sigma of the discrete law" python3 -c "
import json
d = json.load(open('$out'))
assert abs(float(d['sigma2_steps']) - 17.89949) < 1e-5
assert d['cost']['epsilon'] == 1 and d['cost']['delta'] == 0.000001
"
run noise gaussian -e 1 -d 1e-6 --format json 100 200
check "several values: the least sigma by zCDP" python3 -c "
import json
d = json.load(open('$out'))
assert abs(float(d['sigma2_steps']) - 4.53087711773 ** 2) < 1e-5
"
run noise gaussian -e 1 -d 1e-6 --step 0.001 --format json 1.5 2.5 3.5 4.5
check "on a grid: S/G + sqrt(k) steps" python3 -c "
import json
d = json.load(open('$out'))
assert d['sensitivity_steps'] == 1002 and len(d['values']) == 4
"

run noise gaussian --scale 10 5
stderr_like '^cost: rho 0.005$' "a sigma has a rho"
run noise gaussian --scale 10 -d 1e-6 5
stderr_like '^cost: epsilon 0.39679[0-9]*, delta 1e-6, rho 0.005$' "an epsilon at a delta"
run noise gaussian --scale 10 -e 0.4 5
stderr_like '^cost: epsilon 0.4, delta 8.784[0-9]*e-7, rho 0.005$' "and a delta at an epsilon"
run noise gaussian -e 1 -d 0.3 -n 5 5
stderr_like '^cost: epsilon 5, delta 1, rho .* (for 5 releases)$' "a delta is never beyond 1"

run noise gaussian -q --scale 3 -n 20000 1000
check "noise has the variance of the law" awk '
	{ d = $1 - 1000; s += d; q += d * d }
	END { m = s / NR; v = q / NR; exit !(m < 0.2 && m > -0.2 && v > 8.4 && v < 9.6) }' "$out"

refuses 1 "$p: --delta must be greater than 0: no Gaussian gives pure privacy; use sotto noise laplace" \
	noise gaussian -e 1 -d 0 5
refuses 1 "$p: --delta must be at least 0 and less than 1, not 1" noise gaussian -e 1 -d 1 5
refuses 1 "$p: --delta must be at least 0 and less than 1, not -0.1" noise gaussian -e 1 -d -0.1 5
refuses 1 "$p: --delta must be at least 0 and less than 1 and finite, not nan" noise gaussian -e 1 -d nan 5
refuses 1 "$p: --epsilon must be greater than 0, not 0" noise gaussian -e 0 -d 1e-6 5
refuses 1 "$p: --scale must be greater than 0, not 0" noise gaussian --scale 0 5
refuses 2 "$p: --epsilon E and --delta D are needed (or --scale B, or --rho R)" noise gaussian -e 1 5
refuses 2 "$p: --epsilon E and --delta D are needed (or --scale B, or --rho R)" noise gaussian -d 1e-6 5
refuses 2 "$p: with --scale give --epsilon or --delta, not both; the other follows" \
	noise gaussian --scale 1 -e 1 -d 1e-6 5
range="$p: sigma must be between 2^-10 and 2^48 grid steps, epsilon between 2^-60 and 2^20, delta at least 2^-1000; \
change --epsilon, --delta, --scale or --step"
refuses 1 "$range" noise gaussian --scale 1e-9 5
refuses 1 "$range" noise gaussian --scale 1e16 5
refuses 1 "$range" noise gaussian -e 1e-30 -d 1e-6 5
refuses 1 "$range" noise gaussian -e 1 -d 1e-400 5
refuses 1 "$p: --sensitivity must be a whole number for whole values; --step gives a finer grid" \
	noise gaussian -e 1 -d 1e-6 -s 0.5 5
refuses 1 "$p: operand 1: expected a whole number; --step gives a finer grid" noise gaussian -e 1 -d 1e-6 0.5
finish
