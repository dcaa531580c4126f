#!/bin/sh
# sotto noise laplace and geometric: values, formats, sources, refusals.
. "$(dirname "$0")/lib.sh"
number='^-\{0,1\}[0-9][0-9]*$'

run noise laplace --epsilon 1 100
status_is 0 "a value is published"
stdout_like "$number" "as a whole number"
check "on one line" test "$(wc -l < "$out")" = 1
stderr_is 'cost: epsilon 1
accuracy: with confidence 0.95 the value is not off by more than 3' "with cost and accuracy"

run noise laplace -q -e 1000 -3 -0 7 -- -12
stdout_is '-3
0
7
-12' "negative values are values, also after --"
check "--quiet is quiet" test ! -s "$err"

run noise geometric -qe1000 5
stdout_is 5 "geometric is the same mechanism"

run noise laplace -q -e 1000 -n 3 1 2
stdout_is '1
1
1
2
2
2' "--count repeats each value"
run noise laplace -e 1/3 -n 6 1
stderr_like '^cost: epsilon 2 (for 6 releases)$' "and its cost, exactly"

input '4\n 5\t6\r\n'
run noise laplace -q -e 1000
stdout_is '4
5
6' "values come from standard input"

printf '\357\273\277name,"age, in years"\r\n"O""Hara",41\r\nB,"7"\r\n' > "$work/people.csv"
run noise laplace -q -e 1000 --csv "$work/people.csv" --column 'age, in years'
stdout_is '41
7' "values come from a CSV column"
input 'a,b\n1,2\n'
run noise laplace -q -e 1000 --csv - --column b
stdout_is 2 "also of standard input"

run noise laplace -q -e 1000000 -s 1000 --step 0.25 0.3 -0.3 100
stdout_is '0.25
-0.25
100' "values go to the nearest grid point"
run noise laplace -q -e 1000000 -s 1000 --step 1/3 1
stdout_is 1 "a step may be a fraction"
run noise laplace -e 1 --sensitivity 3 --step 1/524288 1
stderr_like '^grid: values are rounded to multiples of 0.0*19073486328125; with that, a sensitivity of 3 is 1572865 steps$' \
	"the sensitivity on the grid is stated"
run noise laplace -e 1 --step 0.5 1 2 3
stderr_like 'a sensitivity of 1 is 5 steps' "k values on a grid: floor(S/G) + k"

run noise laplace -e 0.1 --format json 12
check "JSON is JSON" python3 -c "
import json
d = json.load(open('$out'))
assert d['mechanism'] == 'laplace' and isinstance(d['values'][0], int)
assert d['cost'] == {'epsilon': 0.1, 'delta': 0, 'releases': 1}
assert d['scale_steps'] == 10 and d['sensitivity_steps'] == 1 and d['step'] == 1
assert d['accuracy']['confidence'] == 0.95 and d['accuracy']['error'] == 30
assert abs(d['accuracy']['standard_deviation'] - 14.1362) < 1e-4
"
run noise laplace -e 1/3 --format json 9223372036854775807
check "what a double cannot hold is a string" python3 -c "
import json
d = json.load(open('$out'))
assert d['cost']['epsilon'] == '1/3'
assert d['values'][0] in ('9223372036854775807',) or int(d['values'][0]) > 2**62
"
run noise laplace -qe 1 --format csv 1 2
check "CSV has a header" test "$(head -n 1 "$out")" = value
check "and a line a value" test "$(wc -l < "$out")" = 3

run noise laplace --scale 10 -s 2 5
stderr_like '^cost: epsilon 0.2$' "a scale has a cost"

run noise laplace --error 12 -s 2 5
stderr_like '^accuracy: .* the value is not off by more than 12$' "an error that is wanted is kept"
check "at the least epsilon" awk '/^cost: epsilon/ { found = $3 > 0.4781 && $3 < 0.4782 } END { exit !found }' "$err"

run noise laplace -qe 0.5 -n 20000 1000
check "noise has the variance of the law" awk '
	{ d = $1 - 1000; s += d; q += d * d }
	END { m = s / NR; v = q / NR; exit !(m < 0.2 && m > -0.2 && v > 6.9 && v < 8.8) }' "$out"
run noise laplace -qe 1 -n 5 0
cp "$out" "$work/first"
run noise laplace -qe 1 -n 100 0
check "noise differs from run to run" sh -c "! head -n 100 '$work/first' | cmp -s - '$out'"

for m in laplace geometric; do
	p="sotto noise $m"
	refuses 2 "$p: --epsilon E is needed (or --scale B or --error T)" noise $m 5
	refuses 2 "$p: give one of --epsilon, --scale and --error" noise $m -e 1 -b 1 5
	refuses 2 "$p: give one of --epsilon, --scale and --error" noise $m --error 3 -b 1 5
	refuses 1 "$p: --error must be at least 0, not -1" noise $m --error -1 5
	refuses 1 "$p: the noise would have a scale outside 2^-10 .. 2^50 grid steps; change --error or --step" \
		noise $m --error 1e19 5
	refuses 1 "$p: --epsilon must be greater than 0, not 0" noise $m --epsilon 0 5
	refuses 1 "$p: --epsilon must be greater than 0, not -1" noise $m --epsilon -1 5
	refuses 1 "$p: --epsilon must be greater than 0 and finite, not nan" noise $m --epsilon nan 5
	refuses 1 "$p: --epsilon must be greater than 0 and finite, not inf" noise $m --epsilon inf 5
	refuses 1 "$p: --epsilon must be greater than 0 and finite, not -Infinity" noise $m --epsilon=-Infinity 5
	refuses 2 "$p: --epsilon: \"0.1x\" is not a number (character 4); write it like 0.5, 1e-6 or 1/3" \
		noise $m --epsilon 0.1x 5
	refuses 1 "$p: --sensitivity must be greater than 0, not 0" noise $m -e 1 -s 0 5
	refuses 1 "$p: --sensitivity must be a whole number for whole values; --step gives a finer grid" \
		noise $m -e 1 -s 1.5 5
	refuses 1 "$p: --sensitivity must be below 2^63" noise $m -e 1 -s 1e19 5
	refuses 1 "$p: --sensitivity is beyond 2^63 steps; a larger --step is needed" \
		noise $m -e 1 -s 1e19 --step 0.5 5
	refuses 1 "$p: --scale must be greater than 0, not -2" noise $m -b -2 5
	refuses 1 "$p: the noise would have a scale outside 2^-10 .. 2^50 grid steps; change --scale or --step" \
		noise $m -b 1e16 5
	refuses 1 "$p: the noise would have a scale outside 2^-10 .. 2^50 grid steps; change --epsilon or --step" \
		noise $m -e 1e-16 5
	refuses 1 "$p: the noise would have a scale outside 2^-10 .. 2^50 grid steps; change --epsilon or --step" \
		noise $m -e 1025 5
	refuses 1 "$p: --step must be greater than 0, not 0" noise $m -e 1 --step 0 5
	refuses 1 "$p: --count must be at least 1, not 0" noise $m -e 1 --count 0 5
	refuses 1 "$p: --count must be at least 1, not -1" noise $m -e 1 --count -1 5
	refuses 2 "$p: --count must be a whole number, not \"1.5\"" noise $m -e 1 --count 1.5 5
	refuses 1 "$p: --count is too large for this many values" noise $m -e 1 -n 9223372036854775807 1 2 3
	refuses 1 "$p: --confidence must be between 0 and 1, not 1" noise $m -e 1 --confidence 1 5
	refuses 1 "$p: operand 2: expected a number like 12, -0.5, 1e6 or 1/3" noise $m -e 1 5 4711x
	refuses 1 "$p: operand 1: expected a number like 12, -0.5, 1e6 or 1/3" noise $m -e 1 nan
	refuses 1 "$p: operand 1: expected a whole number; --step gives a finer grid" noise $m -e 1 47.5
	refuses 1 "$p: operand 1: the value is beyond 2^63 steps; a larger --step is needed" \
		noise $m -e 1 9223372036854775808
	refuses 1 "$p: operand 1: the value is beyond 2^63 steps; a larger --step is needed" \
		noise $m -e 1 --step 0.001 9223372036854775807
	refuses 1 "$p: there is no value to read" noise $m -e 1
	input '1\n\n47x\n'
	refuses 1 "$p: standard input, line 3: expected a number like 12, -0.5, 1e6 or 1/3" noise $m -e 1
	refuses 2 "$p: --csv needs --column NAME" noise $m -e 1 --csv x.csv
	refuses 2 "$p: --column needs --csv FILE" noise $m -e 1 --column x 5
	refuses 2 "$p: values come from --csv or as operands, not both" noise $m -e 1 --csv x --column y 5
	refuses 1 "$p: /nonexistent.csv could not be opened" noise $m -e 1 --csv /nonexistent.csv --column y
	input 'name,age\nA,4711x\n'
	refuses 1 "$p: -, line 2, column age: expected a number like 12, -0.5, 1e6 or 1/3" \
		noise $m -e 1 --csv - --column age
	input 'name,age\n'
	refuses 1 "$p: - has no column agee; did you mean age?" noise $m -e 1 --csv - --column agee
done
finish
