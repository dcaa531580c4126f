#!/bin/sh
# Of a unit's rows at most 100 meet its other rows; an answer in which that can leave rows out says so.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
awk 'BEGIN { print "pid,day"; for (i = 0; i < 150; i++) print "1," i; for (i = 2; i < 9; i++) print i "," i }' > visits.csv
awk 'BEGIN { print "pid,age"; for (i = 1; i < 9; i++) print i "," i }' > people.csv
cat > sotto.yaml <<'END2'
ledger: l.db
budget: { epsilon: 10000000 }
default: { epsilon: 100000 }
tables:
  people: { source: people.csv, unit: pid, columns: { pid: { unique: true }, age: { type: integer } } }
  visits: { source: visits.csv, unit: { column: pid, via: visits.pid -> people.pid }, max_rows: 50000, columns: { day: { type: integer } } }
END2
"$SOTTO" seal > "$out" && "$SOTTO" ledger create > "$out" || exit 1
told='a row is joined or compared with at most 100 rows of visits of the same p\(id\|erson\); further ones are left out, and no estimate counts them'
says() { # says SQL NAME: the answer and its explanation
	run query "$1"
	check "$2" grep -q "^$told\$" "$out"
	run explain "$1"
	check "and its explanation too" sh -c 'tr -s " \n" " " < "$1" | grep -q "limit $2"' sh "$out" "$told"
}
says 'SELECT COUNT(*) FROM visits a JOIN visits b USING (pid)' 'a table joined with itself says which rows meet others'
check 'and has no others: 150 rows of a person meet 100' test "$("$SOTTO" query --diagnostics 0 --epsilon 2000000 'SELECT COUNT(*) FROM visits a JOIN visits b USING (pid)' | sed -n "2s/ .*//p")" = 15007
says 'SELECT COUNT(*) FROM visits a WHERE EXISTS (SELECT 1 FROM visits b WHERE a.pid = b.pid AND b.day > a.day)' \
	'so does a subquery that compares rows'
says 'SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM visits a JOIN visits b USING (pid)) AS t' 'and a query over such an answer'
run query --format json 'SELECT COUNT(*) FROM visits a JOIN visits b USING (pid)'
check 'programs read it among the limits' grep -q "$told" "$out"
run query 'SELECT COUNT(*) FROM people JOIN visits USING (pid)'
check 'a join along a unique key leaves no row out, and does not say so' sh -c '! grep -q "left out" "$1"' sh "$out"
run query 'SELECT COUNT(*) FROM visits JOIN (SELECT pid, COUNT(*) AS n FROM visits GROUP BY pid) AS t USING (pid)'
check 'nor does one with one row of each unit' sh -c '! grep -q "left out" "$1"' sh "$out"
finish
