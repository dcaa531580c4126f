#!/bin/sh
# engine: postgres, on a real server: the same answers as from files, every type
# without an error that depends on rows, one moment for all scans, clear refusals.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/postgres.sh"
hospital=$root/examples/hospital/small
cd "$work" || exit 1

# ---- the hospital, from files and from the server -------------------------------------

mkdir files server
cp "$hospital"/*.csv files
# Which groups of a person count when they are too many goes by the bits of the
# unit, a text in a file and a number in the server: so let there be enough.
sed -e 's/epsilon: 4,/epsilon: 1e30,/' -e 's/max_groups: 3 /max_groups: 12/' "$hospital/sotto.yaml" >files/sotto.yaml
sed -e 's/engine: duckdb/engine: postgres/' -e 's/source: patients.csv/source: patients/' \
	-e 's/source: visits.csv/source: clinic."Visits"/' -e 's/source: cities.csv, //' \
	files/sotto.yaml >server/sotto.yaml
sql <<END || exit 1
CREATE SCHEMA clinic;
CREATE TABLE patients (patient_id int, age smallint, sex char(3), city text, smoker bool,
	weight_kg numeric(5,1), income numeric);
CREATE TABLE clinic."Visits" (visit_id int, patient_id int, day date, ward varchar(20), diagnosis text,
	days int, cost numeric(12,2), readmitted bool);
CREATE TABLE cities (city text, region text, population bigint);
\\copy patients FROM '$hospital/patients.csv' CSV HEADER
\\copy clinic."Visits" FROM '$hospital/visits.csv' CSV HEADER
\\copy cities FROM '$hospital/cities.csv' CSV HEADER
END

# Both have noise: they may differ by a few of their intervals, which are narrow.
# False alarm: less than 1e-12.
same() { # NAME QUERY
	for side in files server; do
		run query --policy $side/sotto.yaml -e 1000 --diagnostics 0 --format json "$2"
		cp "$out" $side.json
	done
	check "$1" python3 -c "
import json, sys
a, b = (json.load(open(f'{side}.json')) for side in ('files', 'server'))
ok = len(a['rows']) == len(b['rows']) > 0
for x, y, i, j in zip(a['rows'], b['rows'], a['intervals'], b['intervals']):
	for u, v, p, q in zip(x, y, i, j):
		ok = ok and (u == v if p is None else abs(u - v) <= (10 if isinstance(u, int) else 0.01 * abs(u)) + 3 * (p[1] - p[0] + q[1] - q[0]) < 0.1 * abs(u) + 40)
sys.exit(not ok)"
}
same "counts and averages" "SELECT sex, COUNT(*), AVG(age), SUM(income), AVG(weight_kg) FROM patients GROUP BY sex"
same "users with many rows" "SELECT ward, COUNT(*), AVG(days) FROM visits GROUP BY ward"
same "exact digits" "SELECT SUM(cost) FROM visits"
same "dates" "SELECT date_part('month', day), COUNT(*) FROM visits WHERE day >= '2025-02-01' GROUP BY 1"
same "truth values and text" "SELECT COUNT(*) FROM visits WHERE diagnosis LIKE 'M%' AND NOT readmitted"
same "a join with a public table" \
	"SELECT region, COUNT(*) FROM patients JOIN cities USING (city) GROUP BY region ORDER BY region"
same "a table that is read twice" \
	"SELECT COUNT(*) FROM (SELECT patient_id FROM visits UNION ALL SELECT patient_id FROM visits) AS both_times"
same "rows that are only counted" "SELECT COUNT(*) FROM patients"
run query --policy server/sotto.yaml "SELECT SUM(population), COUNT(*) FROM cities" --format json
check "a public table is exact" json "a['mechanism'] == 'exact' and a['rows'][0][1] == 20"
run explain --policy server/sotto.yaml -e 1 "SELECT AVG(cost) FROM visits"
status_is 0 "a query is explained"

# ---- types ------------------------------------------------------------------------------

sql <<'END' || exit 1
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN digits AS numeric(10,2);
CREATE TABLE odd (id int, b bool, i2 int2, i8 int8, f4 float4, f8 float8, n numeric, n102 numeric(10,2),
	n1818 numeric(18,18), n20 numeric(20,3), thousands numeric(3,-3), t text, c char(5), d date, ts timestamp,
	tz timestamptz, ti time, u uuid, m mood, j jsonb, list int[], dom digits, bytes bytea,
	"We""ird n\me" text, gone int);
ALTER TABLE odd DROP COLUMN gone;
INSERT INTO odd VALUES
(1, true, -32768, 9223372036854775807, 1.5, 'NaN', 'NaN', 12345678.91, 0.123456789012345678,
	12345678901234567.891, -12300, 'Ünï "q"', 'ab', 'infinity', 'infinity', '-infinity', '12:34:56',
	'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'sad', '{"a": 1}', '{1,2}', -99.99, '\xdead', 'w'),
(2, false, 32767, -9223372036854775808, 'infinity', '-infinity', '1e400', 'NaN', -0.5, 'NaN', 'NaN', '', '',
	'4713-01-01 BC', '4713-01-01 BC', '2024-03-01 12:00+02', NULL, NULL, 'happy', NULL, NULL, 'NaN', NULL, NULL),
(3, NULL, NULL, NULL, NULL, NULL, '-1e400', NULL, NULL, NULL, NULL, NULL, NULL, '5874897-12-31',
	'294276-12-31 23:59:59.999999', '294276-12-31', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
(4, NULL, NULL, NULL, 1e-45, 1e-320, '1e-16000', 0, NULL, NULL, NULL, NULL, NULL, '1999-12-31',
	'1999-12-31 23:59:59.999999', 'infinity', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
END
cat >odd.yaml <<'END'
engine: postgres
ledger: odd.db
budget: { epsilon: 1e30 }
tables:
  odd: { public: true }
END
shows() { # COLUMNS EXPECTED...: rows as CSV
	columns=$1
	shift
	run query --policy odd.yaml --format csv "SELECT id, $columns FROM odd ORDER BY id"
	sed 1d "$out" >got
	printf '%s\n' "$@" >want
	check "what becomes of $columns" cmp got want
}
shows "b, i2, i8" 1,true,-32768,9223372036854775807 2,false,32767,-9223372036854775808 3,,, 4,,,
shows "f4, f8" 1,1.5,nan 2,inf,-inf 3,, 4,1.401298464324817e-45,9.99988867182683e-321
shows "n, n102, n1818" 1,,12345678.91,0.12345678901234568 2,inf,,-0.5 3,-inf,, 4,0,0,
shows "n20, thousands, dom" 1,12345678901234568,-12000,-99.99 2,,, 3,,, 4,,,
shows "t, c" '1,"Ünï ""q""",ab' '2,"",""' 3,, 4,,
shows "d, ts" 1,infinity,infinity '2,4713-01-01 (BC),4713-01-01 (BC) 00:00:00' 3,5874897-12-31, \
	4,1999-12-31,1999-12-31\ 23:59:59.999999
shows "tz, ti" 1,-infinity,12:34:56 '2,2024-03-01 10:00:00,' 3,, 4,infinity,
shows 'u, m, "We""ird n\me"' 1,a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,sad,w 2,,happy, 3,,, 4,,,
shows "j, list, bytes" '1,"{""a"": 1}","{1,2}",\xdead' 2,,, 3,,, 4,,,

# ---- decimals ---------------------------------------------------------------------------

sql <<'END' || exit 1
CREATE TABLE goods AS SELECT i AS id, ((i * 37 % 2001 - 1000) / 100.0)::numeric(6,2) AS price,
	((i * 7919 % 20001 - 10000) / 10000.0)::numeric(9,4) AS rate FROM generate_series(1, 3000) AS g(i);
END
cat >goods.yaml <<'END'
engine: postgres
ledger: goods.db
budget: { epsilon: 1 }
tables: { goods: { public: true } }
END
counts() { # CONDITION: sotto counts what PostgreSQL counts
	run query --policy goods.yaml --format csv "SELECT COUNT(*) FROM goods WHERE $1"
	sed 1d "$out" >got
	sql -At -c "SELECT COUNT(*) FROM goods WHERE $1" >want
	check "as many rows as in PostgreSQL have $1" cmp got want
}
counts "price <= 0.06 + 0.01"
counts "price * 10 = 0.7"
counts "price BETWEEN 0.1 + 0.2 AND 3 * 1.1"
counts "price * rate * 100 = round(price * rate * 100, 2)"
counts "price - 0.1 = rate + 0.2 - 0.3 OR price + rate = 0.3"
counts "floor(price * 100) % 7 = 0 AND price % 0.03 = 0"
counts "round(rate, 2) = trunc(rate, 2)"
counts "CASE WHEN price > rate THEN price - rate ELSE rate - price END <= abs(price) * 0.7"
counts "price * 3 IN (0.21, -0.3, 6.9 + 0.03)"

# ---- no row makes an error ----------------------------------------------------------------

cat >units.yaml <<'END'
engine: postgres
ledger: units.db
budget: { epsilon: 1e30 }
tables:
  odd:
    unit: id
    columns: { n: { bounds: [0, 9] }, n20: { bounds: [0, 9] }, f4: { bounds: [0, 9] }, f8: { bounds: [0, 9] },
		i8: { bounds: [0, 9] }, dom: { bounds: [0, 9] }, thousands: { bounds: [0, 9] } }
END
answers="SELECT COUNT(*), SUM(n), SUM(n20), SUM(f4), SUM(f8), SUM(i8), SUM(dom), SUM(thousands), COUNT(d + 1),
	COUNT(date_trunc('day', ts)), COUNT(date_part('year', tz)) FROM odd"
for row in 1 2 3 4; do
	sql -c "CREATE TABLE kept AS SELECT * FROM odd; DELETE FROM odd WHERE id = $row"
	run query --policy units.yaml --fresh -e 500 --format csv "$answers"
	status_is 0 "without row $row it is answered"
	sql -c "TRUNCATE odd; INSERT INTO odd SELECT * FROM kept; DROP TABLE kept"
done
run query --policy units.yaml --fresh -e 500 --format csv "$answers"
status_is 0 "with all rows it is answered"

# ---- large tables, parts of tables, views -----------------------------------------------------

sql <<'END' || exit 1
CREATE TABLE wide (id int, unit int, pad text);
INSERT INTO wide SELECT g, g % 1000, repeat('x', 500) FROM generate_series(1, 150000) AS g;
CREATE TABLE parent (id int, unit int) PARTITION BY RANGE (id);
CREATE TABLE low PARTITION OF parent FOR VALUES FROM (0) TO (100);
CREATE TABLE high PARTITION OF parent FOR VALUES FROM (100) TO (100000);
INSERT INTO parent SELECT g, g % 1000 FROM generate_series(0, 49999) AS g;
CREATE VIEW seen AS SELECT * FROM wide WHERE id <= 1000;
CREATE MATERIALIZED VIEW frozen AS SELECT * FROM wide WHERE id <= 2000;
CREATE TABLE old (id int, unit int); CREATE TABLE new () INHERITS (old);
INSERT INTO old SELECT g, g FROM generate_series(1, 10) AS g; INSERT INTO new SELECT g, g FROM generate_series(11, 30) AS g;
CREATE TABLE nothing (id int, unit int);
END
{
	echo 'engine: postgres'
	echo 'ledger: many.db'
	echo 'budget: { epsilon: 1e30 }'
	echo 'tables:'
	for t in wide parent seen frozen old nothing; do
		echo "  $t: { unit: unit, max_rows: 1000 }"
	done
} >many.yaml
counts() { # TABLE ROWS
	run query --policy many.yaml -e 1000 --format json "SELECT COUNT(*) FROM $1"
	check "$1 has $2 rows" json "abs(a['rows'][0][0] - $2) < 30"
}
check "the large table has more than one range" test "$(sql -c "SELECT pg_relation_size('wide') / 8192")" -gt 4096
counts wide 150000
counts parent 50000
counts seen 1000
counts frozen 2000
counts old 30
counts nothing 0
run query --policy many.yaml -e 1000 --format json --threads 1 --fresh "SELECT COUNT(*) FROM wide"
check "one thread reads all ranges" json "abs(a['rows'][0][0] - 150000) < 30"
check "no connection is left" test "$(sql -c "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'sotto'")" = 0

# ---- rows that are units, and numbers that name them --------------------------------------------------

# The server reads what one arm needs off the index, in its order, and what the other needs off the
# table, in the opposite one: a row's number in one reading is not its number in the other.
sql <<'END' || exit 1
CREATE EXTENSION citext;
CREATE TABLE event (id int PRIMARY KEY, city text, pad text);
INSERT INTO event SELECT i, 'c' || i % 2, repeat('x', 300) FROM generate_series(1000, 1, -1) AS g(i);
CREATE INDEX ON event (city);
VACUUM ANALYZE event;
CREATE TABLE person (id numeric, x int);
INSERT INTO person SELECT 10000000000000000000 + i, i FROM generate_series(1, 4) AS g(i);
CREATE TABLE visit (person numeric, x int);
CREATE TABLE home (id int, person numeric);
CREATE TABLE shift (moment timestamp PRIMARY KEY, person int);
INSERT INTO shift VALUES ('294270-01-01', 1), ('294271-01-01', 2), ('2024-01-01', 3);
CREATE TABLE deed AS SELECT moment, 1 AS x FROM shift;
CREATE COLLATION anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE DOMAIN mail AS text COLLATE anycase;
CREATE TYPE level AS ENUM ('low', 'high');
CREATE TABLE spelt (citext citext, domained mail, collated text COLLATE anycase, listed numeric(4,2)[], json jsonb, spent interval,
	plain text, level level, id uuid, padded char(5), bytes bytea, address inet);
INSERT INTO spelt SELECT x, x, x, ARRAY[1], '1.0', '1 day', x, 'low', gen_random_uuid(), x, '\xab', '10.0.0.1'
	FROM unnest(ARRAY['ann', 'Ann', 'ANN']) AS x;
CREATE VIEW named AS SELECT id::text AS id, x FROM person;
END
printf 'city,g\nc0,b\nc0,d\nc1,c\nc1,e\n' >parts.csv
cat >rows.yaml <<'END'
engine: postgres
ledger: rows.db
budget: { epsilon: 1e30 }
tables:
  event: { unit: row, columns: { id: { bounds: [0, 1000] } } }
  person: { unit: id }
  named: { unit: id }
  home: { unit: id }
  visit: { unit: { column: id, via: visit.person -> home.person } }
  shift: { unit: person, columns: { moment: { unique: true } } }
  deed: { unit: { column: person, via: deed.moment -> shift.moment } }
  parts: { source: ./parts.csv, public: true }
END
"$SOTTO" ledger create --policy rows.yaml >/dev/null && "$SOTTO" seal --policy rows.yaml >/dev/null
check "the server reads the table in two orders" test \
	"$(sql -c 'EXPLAIN SELECT id FROM event' -c 'EXPLAIN SELECT city, pad FROM event' | cut -d' ' -f1,2 | tr '\n' ' ')" = "Index Only Seq Scan "
run query --policy rows.yaml -e 900 \
	"SELECT COUNT(*) FROM (SELECT 1 AS x FROM event WHERE id % 2 = 0 UNION ALL SELECT 1 FROM event WHERE city = 'c0') AS s"
stderr_like 'each row of event is a unit of its own' "rows that are units are not looked for in a second reading"
run query --policy rows.yaml -e 900 --diagnostics 0 --format json \
	"SELECT g, COUNT(DISTINCT id), COUNT(*) FROM event JOIN parts USING (city) GROUP BY g"
check "nor when their groups are limited" json \
	"sorted(r[1] for r in a['rows']) == [0, 0, 500, 500] and all(r[1] == r[2] for r in a['rows'])"
run explain --policy rows.yaml -e 900 --sql "SELECT g, COUNT(DISTINCT id) FROM event JOIN parts USING (city) GROUP BY g"
check "because they are read once" grep -q 'r AS MATERIALIZED' "$out"
run seal --policy rows.yaml
check "the owner is told what nobody can check on a server" test "$(grep -c 'rows of table visit find their unit by column person: see to it on the server that each value has one unit' "$out")" = 1
sed 's/  home: { unit: id }/  home: { unit: id, columns: { person: { unique: true } } }/' rows.yaml >said.yaml
run seal --policy said.yaml
check "unless the policy says so" test "$(grep -c 'see to it' "$out")" = 0
for table in person visit; do
	run query --policy rows.yaml -e 900 "SELECT COUNT(*) FROM $table"
	stderr_like 'two units could become one' "a unit of $table that is sent as a rounded number is refused"
done
run query --policy rows.yaml -e 900 --format json "SELECT COUNT(*) FROM named"
check "as a text it is told apart" json "a['rows'] == [[4]]"
run explain --policy many.yaml -e 1 --format json "SELECT unit % 2 = 0, COUNT(*) FROM wide GROUP BY 1"
check "the key of the ledger is not shown" json \
	"'BIGINT), :key' in a['engine_sql'] and not __import__('re').search('[0-9]{15}', a['engine_sql'])"

run query --policy rows.yaml -e 900 --format json "SELECT COUNT(*) FROM deed"
check "keys beyond the engine's calendar do not become one" json "a['rows'] == [[1]]"

# Three spellings of one value would be three units; where texts are compared as they are, they are.
for unit in citext domained collated listed json spent; do
	printf '%s\n' 'engine: postgres' 'ledger: spelt.db' 'budget: { epsilon: 1e30 }' "tables: { spelt: { unit: $unit } }" >spelt.yaml
	run query --policy spelt.yaml -e 900 "SELECT COUNT(*) FROM spelt"
	stderr_like "spelt.$unit says whose row it is, and its server calls texts equal that differ" "a unit of the kind $unit is refused"
done
for unit in plain level id padded bytes address; do
	sed -i "s/unit: [a-z]*/unit: $unit/" spelt.yaml
	run explain --policy spelt.yaml -e 900 "SELECT COUNT(*) FROM spelt"
	status_is 0 "a unit of the kind $unit is taken"
done
printf '%s\n' 'engine: postgres' 'ledger: spellings.db' 'budget: { epsilon: 1 }' "tables: { spelt: { public: true } }" >spelt.yaml
run query --policy spelt.yaml --format csv "SELECT citext, lower(collated), domained || 'x', json FROM spelt WHERE citext LIKE 'A%' ORDER BY citext"
check "what is not a unit is a text like others" test "$(sed 1d "$out" | tr '\n' ' ')" = "ANN,ann,ANNx,1.0 Ann,ann,Annx,1.0 "

# ---- one moment ------------------------------------------------------------------------------------

# Each scan tells the snapshot it saw, while others commit thousands of times a second.
sql -c "CREATE VIEW moment AS SELECT pg_catalog.txid_current_snapshot()::text AS seen"
sql -c "DO 'BEGIN LOOP PERFORM txid_current(); COMMIT; END LOOP; END'" >/dev/null 2>&1 &
printf '%s\n' 'engine: postgres' 'ledger: moment.db' 'budget: { epsilon: 1 }' 'tables: { moment: { public: true } }' >moment.yaml
moments() {
	run query --policy moment.yaml --format json "SELECT COUNT(DISTINCT seen), COUNT(*) FROM (SELECT seen FROM moment
		UNION ALL SELECT seen FROM moment UNION ALL SELECT seen FROM moment) AS scans"
}
moments
check "three scans see one moment" json "a['rows'] == [[1, 3]]"
first=$(sql -c "SELECT seen FROM moment")
sleep 0.1
check "while time goes on" test "$first" != "$(sql -c "SELECT seen FROM moment")"
sql -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'DO %'" >/dev/null
wait

# ---- what the server does not give ---------------------------------------------------------------

sql <<'END' || exit 1
CREATE ROLE analyst LOGIN;
GRANT USAGE ON SCHEMA public TO analyst;
GRANT SELECT (id, unit) ON wide TO analyst;
CREATE ROLE clerk;
GRANT SELECT ON wide TO clerk;
CREATE VIEW lost AS SELECT unit FROM wide;
ALTER VIEW lost OWNER TO clerk;
REVOKE SELECT ON wide FROM clerk;
CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0;
END
refused_policy() { # FILE DSN SOURCE
	printf '%s\n' 'engine: postgres' "dsn: $2" 'ledger: refused.db' 'budget: { epsilon: 1 }' 'tables:' \
		"  t: { source: $3, unit: row }" >"$1"
}
unreadable() { # POLICY TABLE
	echo "sotto query: $1:6: PostgreSQL gave no columns of $2; check that it exists, that it is a table or a view (not a foreign table), that you may read it, and that nobody is changing it; for a file write ./$2"
}
refused_policy latin.yaml dbname=latin t
refused_policy none.yaml dbname=postgres '"no(where"'
refused_policy away.yaml "'host=$work/nowhere password=geheim'" t
export PGUSER=analyst
run query --policy many.yaml -e 1 "SELECT COUNT(*) FROM wide"
status_is 0 "columns that may be read can be asked about"
refuses 1 "sotto query: there is no column pad; the columns are id, unit (line 1, character 14)" \
	query --policy many.yaml -e 1 "SELECT COUNT(pad) FROM wide"
refuses 1 \
	"$(unreadable many.yaml parent)" \
	query --policy many.yaml -e 1 "SELECT COUNT(*) FROM parent"
export PGUSER=sotto
refuses 1 "sotto query: the PostgreSQL database is encoded in LATIN1; only databases in UTF8 can be asked" \
	query --policy latin.yaml -e 1 "SELECT COUNT(*) FROM t"
refuses 1 "$(unreadable none.yaml 'no(where')" \
	query --policy none.yaml -e 1 "SELECT COUNT(*) FROM t"
refused_policy lost.yaml dbname=postgres lost
refuses 1 "$(unreadable lost.yaml lost)" \
	query --policy lost.yaml -e 1 "SELECT COUNT(*) FROM t"
run query --policy away.yaml -e 1 "SELECT COUNT(*) FROM t"
stderr_like 'PostgreSQL could not be reached: ' "a server that is not there is said"
check "and not with the password" sh -c "! grep -q geheim '$err'"
check "nothing of this was charged" test "$("$SOTTO" budget -p away.yaml --format json | grep -c '"kind": "release"')" = 0
finish
