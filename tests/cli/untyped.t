#!/bin/sh
# A column without a type that a question takes for a number or a date: the answer says that it may be missing;
# and where it is compared with a date in quotes, that this is a comparison of texts.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
printf 'id,cost,day,word,size\n1,"1.200,50",01.02.2024,a,3\n2,7,2024-02-01,b,4\n' > t.csv
cat > sotto.yaml <<'END'
ledger: l.db
budget: { epsilon: 1000 }
default: { epsilon: 1 }
tables:
  t: { source: t.csv, unit: id, columns: { size: { type: integer } } }
END
"$SOTTO" seal > "$out" && "$SOTTO" ledger create > "$out" || exit 1
missing='has no type in the policy; values that cannot be read as'
says() { # says FROM SENTENCE...: exactly these, of all that the answer says of types
	from=$1
	shift
	run query "SELECT COUNT(*) FROM $from"
	grep "$missing" "$out" > found
	for sentence; do printf '%s\n' "$sentence"; done > expected
	check "$# columns without a type are read as something else in $from" cmp expected found
}
says "t WHERE cost > 5" "cost $missing number count as missing"
says "t WHERE cost BETWEEN 1 AND 5 OR cost = 9" "cost $missing number count as missing"
says "t WHERE day < DATE '2024-03-01' AND cost > 5" "day $missing date count as missing" "cost $missing number count as missing"
says "(SELECT id, COUNT(*) AS n FROM t WHERE cost > 5 GROUP BY id) AS u WHERE n > 0" "cost $missing number count as missing"
says "t WHERE size > 3"
says "t WHERE word = 'a' AND cost = '7'"
says "t WHERE CAST(cost AS DOUBLE) > 5"
letters='has no type in the policy and is compared with a date in quotes letter by letter; write DATE before the quotes to compare days'
compares() { # compares FROM COLUMN...: such columns are named, and no others
	from=$1
	shift
	run query "SELECT COUNT(*) FROM $from"
	grep "$letters" "$out" > found
	for column; do printf '%s %s\n' "$column" "$letters"; done > expected
	check "$# columns without a type are compared with dates in quotes in $from" cmp expected found
}
compares "t WHERE day < '2024-03-01'" day
compares "t WHERE '2024-03-01 12:00:00' >= day AND word = 'a'" day
compares "t WHERE day BETWEEN '2024-01-01' AND '2024-03-01' OR word IN ('b', '2024-01-01')" day word
compares "t WHERE day < DATE '2024-03-01' AND word < 'b' AND word <> '2024' AND day <> '2024-1-1'"
compares "t WHERE CAST(day AS DATE) < '2024-03-01' AND CAST(word AS TEXT) < '2024-03-01'"
run explain "SELECT AVG(clip(cost, 0, 9)) FROM t"
check "explain says it before anything is paid" grep -q "limit   cost has no type in the policy; values that cannot be read as number" "$out"
# A number made from a text has no bounds that a policy could declare: what is advised must work.
sed 's/size: { type: integer }/size: { type: integer }, cost: { type: text }/; s/l.db/text.db/' sotto.yaml > text.yaml
"$SOTTO" seal -p text.yaml > "$out" && "$SOTTO" ledger create -p text.yaml > "$out" || exit 1
read='CAST(replace(cost, ",", ".") AS DOUBLE)'
read=$(echo "$read" | tr '"' "'")
run query -p text.yaml "SELECT AVG($read) FROM t"
check "a number made from a text is bounded in the question" grep -qF "$read in avg has no bounds, so one unit could move the result without limit; write clip(x, lowest, highest) around it (line 1, character " "$err"
run query -p text.yaml "SELECT AVG(clip($read, 0, 9)) FROM t"
check "which works" test "$status" = 0
run query -p text.yaml "SELECT AVG($(echo "$read" | sed s/cost/day/)) FROM t"
check "so is one made from a column without a type" grep -qF "so one unit could move the result without limit; write clip(x, lowest, highest) around it" "$err"
run query -p text.yaml "SELECT AVG(day * 2) FROM t"
check "where only numbers are computed with, bounds of the column help" grep -qF "find bounds with sotto bounds 't.day'" "$err"
finish
