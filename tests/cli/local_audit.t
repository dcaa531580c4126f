#!/bin/sh
# The audit proves something of every protocol and never more than is stated; foreign encoders
# are judged by their outputs, and the broken ones are found.
. "$(dirname "$0")/lib.sh"

# proves STATED LEAST: the table has one row, with what was stated and what was proved
proves() {
	awk -F, -v stated="$1" -v least="$2" 'NR == 2 {
		exit !($3 - stated < 1e-6 && stated - $3 < 1e-6 && $4 >= least * stated && $4 <= $3) }' "$out"
}

while IFS=: read -r name stated params; do
	printf "protocol $params" > "$work/audited"
	run local audit --trials 20000 --alpha 1e-9 --format csv "$work/audited"
	status_is 0 "$name is not accused"
	check "and 60 % of its epsilon is proved" proves "$stated" .6
done <<'END'
rr:1.0986123:rr\ntruth .5\nyes .5\n
grr:1:grr\nsize 4\nepsilon 1\n
sue:1:sue\nsize 16\nepsilon 1\n
oue:1:oue\nsize 16\nepsilon 1\n
olh:1:olh\nsize 16\nepsilon 1\n
flh, its default:1:flh\nsize 16\nepsilon 1\n
hr:1:hr\nsize 16\nepsilon 1\n
ss:1:ss\nsize 16\nepsilon 1\n
cms:2:cms\nwidth 64\ngroups 64\nepsilon 2\n
cms, large:2:cms\nwidth 1024\ngroups 65536\nepsilon 2\n
hcms:2:hcms\nwidth 64\ngroups 64\nepsilon 2\n
sfp:4:sfp\nsize 6\nwidth 64\nhashes 2\ngroups 8\nepsilon 2\nsecond 2\n
1bitmean:2:1bitmean\nsize 1000\nepsilon 2\n
dbitflip:2:dbitflip\nsize 16\nhashes 16\nepsilon 2\n
rappor:2.0433025:rappor\nwidth 16\nhashes 2\ngroups 8\nf .5\np .25\nq .75\n
rappor of numbers:1.0216512:rappor\nsize 16\nf .5\np .25\nq .75\n
pem:2:pem\nsize 32\nhashes 8\ngroups 4\nepsilon 2\n
treehist:4:treehist\nsize 32\ngrain 8\nwidth 64\ngroups 16\nepsilon 2\nsecond 2\n
END

# our own reports as a file: the format is known, or is not
printf 'protocol oue\nsize 4\nepsilon 1\n' > "$work/oue"
{
	echo value,report
	for v in 0 3; do
		yes $v | head -n 12000 | "$SOTTO" local encode --params "$work/oue" --each-device | tail -n +2 | sed "s/^/$v,/"
	done
} > "$work/known"
run local audit --alpha 1e-9 --reports "$work/known" --format csv "$work/oue"
status_is 0 "reports of a known collection are not accused"
check "and most of their epsilon is proved" proves 1 .5
run local audit --alpha 1e-9 --reports "$work/known" --epsilon 1 --format csv
status_is 0 "nor are they as reports of unknown format"
check "and half of their epsilon is proved" proves 1 .5

# foreign encoders: one that keeps its word, and three that do not
/usr/bin/python3 - "$work" <<'PY'
import random, sys
work, rng = sys.argv[1], random.Random(7)

def write(name, encode, values, n=9000):
    with open(f"{work}/{name}", "w") as f:
        f.write("value,report\n")
        for i in range(n * len(values)):
            v = values[i % len(values)]
            f.write(f"{v},{encode(v)}\n")

# ln 3: the classic coin toss
coin = lambda v: v if rng.random() < .5 else rng.choice(["yes", "no"])
write("coin", coin, ["yes", "no"])
# it says ln 3, but keeps 9 answers in 10
write("eager", lambda v: v if rng.random() < .9 else rng.choice(["yes", "no"]), ["yes", "no"])
# sixty-four bits, of which the own one is never turned off: no two reports are equal
bits = lambda v: "".join("1" if i == int(v) or rng.random() < .3 else "0" for i in range(64))
write("sticky", bits, ["3", "40", "63"])
# a rare report that only one value sends
write("rare", lambda v: "odd" if v == "b" and rng.random() < .1 else coin("yes"), ["a", "b"])
PY
run local audit --reports "$work/coin" --epsilon 1.0986123 --alpha 1e-9 --format csv
status_is 0 "a coin toss is not accused"
check "and is seen through" proves 1.0986123 .6
for name in eager sticky rare; do
	run local audit --reports "$work/$name" --epsilon 1.0986123 --alpha 1e-9 --format csv
	status_is 1 "an encoder that does not keep its word is found: $name"
	stderr_is 'sotto local audit: the reports leak more than is stated' "and that is said"
done

# reports of 12 KB: as long as a collection may make them
printf 'protocol oue\nsize 100000\nepsilon 1\n' > "$work/wide"
{
	echo value,report
	for v in 0 99999; do
		yes $v | head -n 300 | "$SOTTO" local encode --params "$work/wide" --each-device | tail -n +2 | sed "s/^/$v,/"
	done
} > "$work/long"
run local audit --alpha 1e-9 --reports "$work/long" --format csv "$work/wide"
status_is 0 "long reports are audited too"

echo value,report > "$work/few"
refuses 1 'sotto local audit: an audit needs two values or more, with 300 reports of each' \
	local audit --reports "$work/few" --epsilon 1
printf 'value,report\n0,xyz\n' > "$work/wrong"
refuses 1 'sotto local audit: line 2: a report of this collection is 2 hexadecimal digits' \
	local audit --reports "$work/wrong" "$work/oue"
for value in 4 x ''; do
	printf 'value,report\n%s,01\n' "$value" > "$work/wrong"
	refuses 1 'sotto local audit: line 2: the value is outside the domain' local audit --reports "$work/wrong" "$work/oue"
done
printf 'v,r\n' > "$work/wrong"
refuses 1 'sotto local audit: line 1: the header must be value,report' local audit --reports "$work/wrong" --epsilon 1
printf 'value,report\nabc\n' > "$work/wrong"
refuses 1 'sotto local audit: line 2: a line is VALUE,REPORT' local audit --reports "$work/wrong" --epsilon 1
usage='sotto local audit: give PARAMS, or two values as well, or --reports with PARAMS or --epsilon'
refuses 2 "$usage" local audit
refuses 2 "$usage" local audit --reports "$work/known"
refuses 2 "$usage" local audit "$work/oue" 1
refuses 2 'sotto local audit: this collection takes numbers' local audit "$work/oue" one two
finish
