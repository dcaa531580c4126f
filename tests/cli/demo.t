#!/bin/sh
# make demo: what a newcomer sees first works, and is plain text without a terminal.
. "$(dirname "$0")/lib.sh"
examples=$(dirname "$0")/../../examples
HOSPITAL=$examples/hospital/small SOTTO=$SOTTO "$examples/demo/run" > "$out" 2> "$err"
verdict $? "the demo runs"
check "it complains about nothing" test ! -s "$err"
stdout_like 'left afterwards *epsilon 3.5' "a question is explained with its price"
stdout_like '^  sex  *smokers  *+-[*]*  *age  *+-[*]*$' "answered with intervals"
check "and again, word for word" test "$(grep -c '^  F  ' "$out")" = 2 -a "$(grep '^  F  ' "$out" | sort -u | wc -l)" = 1
stdout_like 'the same answer as before, free' "for nothing"
stdout_like 'rows of a private table are not shown' "rows are refused"
stdout_like '^  all  *4  *1.5  *2.5 ' "the budget is what was spent less"
stdout_like '^  cost: epsilon 0.5$' "a mechanism says its cost"
stdout_like '^  best: epsilon 6.09720887' "and many releases theirs"
check "no escape sequence without a terminal" sh -c "! grep -q $(printf '\033') '$out'"
finish
