#!/bin/sh
# Tables in PostgreSQL: whole `sotto query` processes against the server's own answers
# and against reading the same columns, on 4 million rows of 200,000 units.
set -u
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
. tests/cli/postgres.sh
echo "== tables in PostgreSQL: whole processes, best of 3"
rows=4000000
sql <<END || exit 1
CREATE TABLE visits AS SELECT (g * 7919::bigint) % 200000 AS unit, (g % 50)::int AS ward, (g % 1000)::float8 / 10 AS cost
FROM generate_series(1, $rows) AS g;
ANALYZE visits;
END
cat >"$work/sotto.yaml" <<'END'
engine: postgres
ledger: bench.db
budget: { epsilon: 1e9, delta: 0.1 }
tables:
  visits: { unit: unit, max_groups: 50, max_rows: 20, columns: { cost: { bounds: [0, 100], step: 0.1 },
	ward: { keys: [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,
	35,36,37,38,39,40,41,42,43,44,45,46,47,48,49] } } }
END
sed -e 's/unit: unit, max_groups: 50, max_rows: 20/source: visits, unit: row/' -e 's/bench.db/bench-row.db/' \
	"$work/sotto.yaml" >"$work/row.yaml"

# milliseconds COMMAND...: the best of three
milliseconds() {
	best=
	for i in 1 2 3; do
		from=$(date +%s%N)
		"$@" >/dev/null || exit 1
		took=$((($(date +%s%N) - from) / 1000000))
		if [ -z "$best" ] || [ $took -lt $best ]; then best=$took; fi
	done
	echo "$best"
}
ask() { build/sotto query --policy "$work/$1" --fresh -e 1 "SELECT ward, COUNT(*), SUM(cost), AVG(cost) FROM visits GROUP BY ward"; }
row() { # NAME MILLISECONDS AGAINST
	awk -v name="$1" -v ms="$2" -v base="$3" 'BEGIN { printf "%-52s %8d ms  %6.2f\n", name, ms, ms / base }'
}

copy=$(milliseconds sql -c '\copy (SELECT unit, ward, cost FROM visits) TO /dev/null (FORMAT binary)')
plain=$(milliseconds sql -c 'SELECT ward, COUNT(*), SUM(cost), AVG(cost) FROM visits GROUP BY ward')
levels=$(milliseconds sql -c 'SELECT ward, SUM(LEAST(n, 20)), SUM(s * LEAST(n, 20) / n) FROM (SELECT unit, ward, COUNT(*) AS n,
	SUM(round(cost * 10)::bigint) AS s FROM visits GROUP BY unit, ward) AS u GROUP BY ward')
printf '%-52s %11s  %6s\n' 'what' 'time' 'ratio'
row 'reading three columns (binary COPY), one connection' "$copy" "$copy"
row 'server: plain GROUP BY' "$plain" "$plain"
row 'sotto query, unit: row, against it' "$(milliseconds ask row.yaml)" "$plain"
row 'server: two-level aggregate by hand' "$levels" "$levels"
row 'sotto query, unit: column, against it' "$(milliseconds ask sotto.yaml)" "$levels"
