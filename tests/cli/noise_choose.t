#!/bin/sh
# sotto noise exponential, permute-and-flip and noisy-max: laws, sources, formats, refusals.
. "$(dirname "$0")/lib.sh"

# near VALUE WANT: equal to ten decimals
near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d < 5e-11 && d > -5e-11) }'; }
field() { python3 -c 'import json,sys; print(repr(json.load(open(sys.argv[1]))["probabilities"][sys.argv[2]]))' "$out" "$1"; }

printf 'outcome,score\na,3\nb,2\nc,0\n' > "$work/scores.csv"
run noise exponential -e 1 --probabilities --format json "$work/scores.csv"
status_is 0 "the distribution is printed"
check "a as published" near "$(field a)" 0.546549387266
check "b as published" near "$(field b)" 0.331498960424
check "c as published" near "$(field c)" 0.12195165231
run noise exponential -e 1 -p --format json --min a=-3 b=-2 c=0
check "--min turns the order around" near "$(field a)" 0.546549387266
run noise exponential -e 0.5 -p --format json --monotone a=3 b=2 c=0
check "--monotone drops the factor 2" near "$(field b)" 0.331498960424
for mechanism in exponential permute-and-flip; do # half of it for permute-and-flip: b comes first
	run noise $mechanism -e 50 -p --format json a=0 b=10
	check "$mechanism: a rare outcome has its probability, not 0" awk -v p="$(field a)" 'BEGIN { d = p / 2.669190215541e-109; exit !(d > .499 && d < 1.001) }'
done
run noise permute-and-flip -e 1 -p --format json a=0 b=0
check "permute-and-flip of equal scores" near "$(field b)" 0.5

# the auction: revenue at each price, one bid of 4.10 and three of 1.00
awk 'BEGIN { print "outcome,score"
	for (p = 1; p <= 42; p++) printf "%.1f,%.1f\n", p/10, p/10 * (p <= 10 ? 4 : p <= 41) }' > "$work/auction.csv"
run noise exponential -e 1 -s 4.2 -p --format json "$work/auction.csv"
check "price 4.1" near "$(field 4.1)" 0.0287836825
check "price 1.0" near "$(field 1.0)" 0.0284430512
check "price 4.2" near "$(field 4.2)" 0.0176672635

for mechanism in exponential permute-and-flip noisy-max; do
	run noise $mechanism -q -e 1000 low=1 high=9 middle=5
	stdout_is high "$mechanism finds the best when epsilon is large"
	run noise $mechanism -q -e 1000 --min low=1 high=9 middle=5
	stdout_is low "and with --min the least"
	input 'outcome,score\n"a, b",7\nc,1\n'
	run noise $mechanism -q -e 1000
	stdout_is 'a, b' "from standard input"
	input '1\n7\n3\n'
	run noise $mechanism -q -e 1000 --csv -
	stdout_is 1 "scores without names are numbered from 0"
	run noise $mechanism -e 1 --format json x=1
	stdout_like '"outcome": "x"' "one outcome is chosen for sure"
	refuses 1 "sotto noise $mechanism: --epsilon must be greater than 0, not 0" noise $mechanism -e 0 1 2
	refuses 1 "sotto noise $mechanism: --epsilon must be greater than 0 and finite, not nan" noise $mechanism -e nan 1 2
	refuses 2 "sotto noise $mechanism: --epsilon E is needed (or --error T)" noise $mechanism 1 2
	refuses 1 "sotto noise $mechanism: --sensitivity must be greater than 0, not -1" noise $mechanism -e 1 -s -1 1 2
	refuses 1 "sotto noise $mechanism: there is no outcome to choose from" noise $mechanism -e 1
	refuses 1 "sotto noise $mechanism: the outcome \"a\" is given twice" noise $mechanism -e 1 a=1 a=2
	refuses 1 "sotto noise $mechanism: operand 2: expected a score like 12, -0.5, 1e6 or 1/3" noise $mechanism -e 1 a=1 b=x
	refuses 1 "sotto noise $mechanism: operand 1: expected a score like 12, -0.5, 1e6 or 1/3" noise $mechanism -e 1 a=nan b=2
	refuses 1 "sotto noise $mechanism: the score of \"b\" is off the grid; --step gives a finer one" noise $mechanism -e 1 -g 0.5 a=1 b=0.7
	refuses 1 "sotto noise $mechanism: the score of \"a\" is beyond 2^63 steps; a larger --step is needed" noise $mechanism -e 1 a=1e30 b=1
	refuses 1 "sotto noise $mechanism: nothing.csv could not be opened" noise $mechanism -e 1 nothing.csv
done

run noise exponential -e 1 a=3 b=2
stderr_is 'cost: epsilon 1
accuracy: with confidence 0.95 the chosen score is within 7.37776 of the best' "cost and accuracy are stated"
run noise exponential --error 7.3778 a=3 b=2
stderr_like '^cost: epsilon 0.99999' "and epsilon follows from an error"

refuses 1 'sotto noise noisy-max: the score of "0" is off the grid; --step gives a finer one' noise noisy-max -e 1 1.5 2
run noise noisy-max -q -e 1000 -g 0.5 1.5 2
stdout_is 1 "with --step scores may be fractions"
run noise noisy-max -q -e 10000 --top 3 a=1 b=9 c=5 d=7
stdout_is 'b
d
c' "--top gives them in order"
refuses 1 'sotto noise noisy-max: --top asks for more outcomes than there are' noise noisy-max -e 1 --top 3 1 2
run noise noisy-max -e 100000 --gap --format json a=100 b=0
check "the gap is near the difference" python3 -c 'import json,sys; g=json.load(open(sys.argv[1]))["gap"]; assert 99 < g < 101' "$out"
refuses 1 'sotto noise noisy-max: --gap is for the best of at least two outcomes, without --top' noise noisy-max -e 1 --gap 5
finish
