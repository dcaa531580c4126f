#!/bin/sh
# Values outside their bounds: aggregates of several sums count them as the nearest bound too, and say so of what was asked.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
awk 'BEGIN { print "pid,age,income"
	for (i = 0; i < 600; i++) {
		age = 18 + i * 7 % 72; income = 1000 + 30 * age + i * 13 % 900
		if (i % 10 == 0) age = 200
		if (i % 15 == 0) income = 25000
		print i "," age "," income } }' > people.csv
cat > sotto.yaml <<'END'
ledger: l.db
budget: { epsilon: 1000000 }
default: { epsilon: 1000 }
tables:
  people: { source: people.csv, unit: pid, columns: { age: { type: integer, bounds: [18, 90] }, income: { type: integer, bounds: [1, 20000] } } }
END
"$SOTTO" seal > "$out" && "$SOTTO" ledger create > "$out" || exit 1
truth() { # truth FORMULA: of the values within their bounds
	awk -F, 'NR > 1 { a = $2 > 90 ? 90 : $2; y = $3 > 20000 ? 20000 : $3
		n++; sa += a; sy += y; saa += a * a; syy += y * y; say += a * y; l += log(y) }
		END { c = say / n - sa * sy / n / n; va = saa / n - sa * sa / n / n; vy = syy / n - sy * sy / n / n; print '"$1"' }' people.csv
}
near() { # near FORMULA: does the answer agree with the truth to half a percent?  Its 95 % interval is a tenth of that.
	awk -v t="$(truth "$1")" 'NR == 2 { fine = $1 > 0.995 * t && $1 < 1.005 * t } END { exit !fine }' "$out"
}
both='values of age outside 18 to 90 count as the nearest bound values of income outside 1 to 20000 count as the nearest bound '
while read -r aggregate formula; do
	run query "SELECT $aggregate FROM people"
	check "$aggregate holds each value within its bounds" near "$formula"
	check "and says so of the columns, once" test "$(grep '^values of' "$out" | sort | tr '\n' ' ')" = "$both"
done <<'END'
CORR(age,income) c/sqrt(va*vy)
COVAR_POP(age,income) c
REGR_SLOPE(income,age) c/va
REGR_SXY(age,income) n*c
END
run query "SELECT GEOMEAN(income) FROM people"
check "a geometric mean holds values within their bounds" near 'exp(l/n)'
check "and says so" grep -q '^values of income outside 1 to 20000 count as the nearest bound$' "$out"
run query "SELECT CORR(age * 2, income) AS r FROM people"
check "an expression is told with its columns and its own bounds" grep -q '^values of an expression of age outside 36 to 180 count' "$out"
run query "SELECT CORR(clip(age, 18, 90), income) AS r FROM people"
check "what cannot be outside is not told" test "$(grep -c '^values of' "$out")" = 1
finish
