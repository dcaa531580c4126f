#!/bin/sh
# make demo: what a newcomer sees first works, and is plain text without a terminal.
. "$(dirname "$0")/lib.sh"
demo=$(dirname "$0")/../../examples/demo
SOTTO=$SOTTO "$demo/run" > "$out" 2> "$err"
verdict $? "the demo runs"
check "it complains about nothing" test ! -s "$err"
stdout_like '^  -\{0,1\}[0-9][0-9]*$' "a noisy count is shown"
stdout_like '^  cost: epsilon 0.5$' "with its cost"
check "eight public keys are shown" test "$(grep -c '#$' "$out")" = 8
stdout_like '^  checkup$' "the most frequent one is named"
check "no escape sequence without a terminal" sh -c "! grep -q $(printf '\033') '$out'"
"$demo/generate" > "$work/visits.csv"
check "the sample data are what the generator makes" cmp "$work/visits.csv" "$demo/visits.csv"
finish
