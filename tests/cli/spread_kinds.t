#!/bin/sh
# Kinds of questions and of tables, on one engine and on three workers: subqueries that are compared,
# limits that are found first, bounds, rows as units in several files, tables of a database file that are linked.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
if ! engine "ATTACH 'clinic.duckdb' AS clinic" "USE clinic" \
	"CREATE TABLE patients AS SELECT i AS pid, 'p' || (i % 400) AS person, (i * 7 % 90)::INTEGER AS age FROM range(900) AS r(i)" \
	"CREATE TABLE visits AS SELECT i * 31 % 950 AS patient, ['Bonn', 'Ulm', 'Linz'][1 + i % 3] AS city, (i % 97)::INTEGER AS cost FROM range(7000) AS r(i)" \
	"COPY (SELECT * FROM visits WHERE cost < 30) TO 'rows-1.parquet'" "COPY (SELECT * FROM visits WHERE cost BETWEEN 30 AND 60) TO 'rows-2.parquet'" \
	"COPY (SELECT * FROM visits WHERE cost > 60) TO 'rows-3.parquet'" \
	"COPY (SELECT p.person AS uid, v.city, v.cost FROM visits AS v JOIN patients AS p ON p.pid = v.patient) TO 'flat.parquet'"; then
	echo "1..0 # SKIP there is no library of DuckDB"
	exit 0
fi
cat > sotto.yaml <<'Y'
ledger: ledger.db
log: owner.log
budget: { epsilon: 1e12, delta: 0.1 }
default: { epsilon: 900 }
diagnostics: 0
auto_epsilon: 900
tables:
  flat:
    source: flat.parquet
    unit: uid
    max_rows: 12
    max_groups: 3
    columns: { city: { keys: [Bonn, Ulm, Linz] }, cost: { bounds: [0, 96] } }
  loose:
    source: flat.parquet
    unit: uid
    max_rows: auto
    max_groups: auto
    columns: { city: { keys: [Bonn, Ulm, Linz] }, cost: { bounds: [0, 96] } }
  unbounded: { source: flat.parquet, unit: uid, max_rows: 1 }
  rows:
    source: rows-*.parquet
    unit: row
    columns: { city: { keys: [Bonn, Ulm, Linz] }, cost: { bounds: [0, 96] } }
  patients:
    source: clinic.duckdb
    table: patients
    unit: person
    max_rows: 4
    columns: { age: { bounds: [0, 90] } }
  visits:
    source: clinic.duckdb
    table: visits
    unit: { column: person, via: visits.patient -> patients.pid }
    max_rows: 30
    columns: { city: { keys: [Bonn, Ulm, Linz] }, cost: { bounds: [0, 96] } }
Y
"$SOTTO" seal > sealed 2>&1 && "$SOTTO" ledger create > /dev/null 2>&1 || { sed 's/^/# /' sealed; exit 1; }

numbers() { python3 -c "import json; print(json.load(open('$out'))['rows'])" 2> /dev/null; }
# The noise of that epsilon is 0 but for a chance of 1e-20.
same() { # NAME SQL [EPSILON]: the same from three workers
	run query -e "${3:-900}" --fresh --format json "$2"
	one=$(numbers)
	run query -e "${3:-900}" --fresh --spread 3 --format json "$2"
	three=$(numbers)
	[ -n "$one" ] && [ "$one" = "$three" ]
	verdict $? "$1"
	[ "$one" = "$three" ] || echo "# $one against $three"
}
same "a subquery about the unit, compared" \
	"SELECT city, COUNT(*) FROM flat AS v WHERE cost >= (SELECT AVG(w.cost) FROM flat AS w WHERE w.uid = v.uid) GROUP BY city" 9000
same "a subquery about the unit, counted" \
	"SELECT COUNT(*) FROM flat AS v WHERE (SELECT COUNT(*) FROM flat AS w WHERE w.uid = v.uid AND w.cost > 50) > 5" 9000
same "EXISTS about the unit" "SELECT COUNT(*) FROM flat AS v WHERE NOT EXISTS (SELECT 1 FROM flat AS w WHERE w.uid = v.uid AND w.cost > 90)" 9000
same "units by what their rows add up to" "SELECT COUNT(*) FROM (SELECT uid, COUNT(*) FILTER (WHERE cost > 50) AS s FROM flat GROUP BY uid) WHERE s > 300"
same "limits that are found first" "SELECT COUNT(*) FROM loose" 1000
same "rows that are units, of three files" "SELECT city, COUNT(*) AS n, COUNT(*) FILTER (WHERE cost > 50) AS s FROM rows GROUP BY city"
same "a quantile of them" "SELECT MEDIAN(cost) FROM rows"
same "a table of a database file" "SELECT COUNT(*) AS n, COUNT(*) FILTER (WHERE age > 40) AS s FROM patients"
same "one that is linked to it" "SELECT city, COUNT(*) AS n, COUNT(*) FILTER (WHERE cost > 50) AS s FROM visits GROUP BY city" 9000
same "both, joined" "SELECT v.city, COUNT(*) AS n FROM visits AS v JOIN patients AS p ON p.pid = v.patient WHERE p.age > 30 GROUP BY v.city" 9000

# Another ledger: it would repeat the answer for nothing.
{ sed 's/ledger.db/three.db/' sotto.yaml && echo "spread: { launcher: local, buckets: 3 }"; } > three.yaml
loose="SELECT COUNT(*) FROM loose"
run query -e 1000 --fresh --format json "$loose"
one=$(numbers)
run query -p three.yaml -e 1000 --fresh --format json "$loose"
check "limits that workers find, in a ledger that knows none" test -n "$one" -a "$one" = "$(numbers)"
run bounds -e 900 unbounded.cost
head -1 "$out" > one
run bounds -p three.yaml -e 900 unbounded.cost
check "bounds are found, by workers too" sh -c "test -s one && grep -q 'bounds' one && test \"\$(head -1 '$out')\" = \"\$(cat one)\" && ! grep -q 'same answer as before' '$out'"
run bounds -e 900 --contributions unbounded
head -1 "$out" > one
run bounds -p three.yaml -e 900 --contributions unbounded
check "so are limits of a table" sh -c "test -s one && test \"\$(head -1 '$out')\" = \"\$(cat one)\" && ! grep -q 'same answer as before' '$out'"
check "and no worker was lost" test ! -s owner.log
finish
