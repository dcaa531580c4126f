#!/bin/sh
# engine: adbc with the real driver for PostgreSQL: the answers of engine: postgres, at one
# moment, with what is missing told before the charge.
root=$(cd "$(dirname "$0")/../.." && pwd)
postgresql=$root/.cache/adbc/adbc-driver-postgresql/adbc_driver_postgresql/libadbc_driver_postgresql.so
if [ ! -e "$postgresql" ]; then
	echo "1..0 # SKIP there is no ADBC driver for PostgreSQL: tools/setup fetches it"
	exit 0
fi
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/postgres.sh"
cd "$work" || exit 1

sql <<'END' || exit 1
CREATE SCHEMA clinic;
CREATE TABLE clinic."Odd People" (id int, b bool, i2 int2, i8 int8, f4 float4, f8 float8, n numeric, n102 numeric(10,2),
	t text, d date, ts timestamp, tz timestamptz, u uuid, j jsonb, list int[], "We""ird n\me" text);
INSERT INTO clinic."Odd People" VALUES
(1, true, -32768, 9223372036854775807, 1.5, 'NaN', 'NaN', 12345678.91, 'Ünï "q"', '2024-02-29', '2024-02-29 12:00', '2024-02-29 12:00+02',
	'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"a": 1}', '{1,2}', 'w'),
(2, false, 32767, -9223372036854775808, 'infinity', '-infinity', '1e400', -0.01, '', '1900-01-01', '1900-01-01 23:59:59.999999',
	'1900-01-01', NULL, 'null', '{}', ''),
(3, NULL, NULL, NULL, NULL, NULL, 0.1, 0.1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE people AS SELECT i AS id, 20 + i % 50 AS age FROM generate_series(1, 20000) AS i;
END
both() { # what follows the engine's lines is the same
	printf 'engine: postgres\nledger: a.db\n%s\n' "$1" >postgres.yaml
	printf 'engine: adbc\ndriver: %s\nuri: "postgresql:///postgres?host=%s&user=sotto"\nledger: b.db\n%s\n' "$postgresql" "$PGHOST" "$1" >adbc.yaml
}
both 'budget: { epsilon: 1e9, delta: 1e-6 }
tables: { odd: { public: true, source: clinic."Odd People" }, people: { unit: id, columns: { age: { bounds: [0, 100] } } } }'
run query -p postgres.yaml --format csv "SELECT * FROM odd ORDER BY id"
cp "$out" want
run query -p adbc.yaml --format csv "SELECT * FROM odd ORDER BY id"
check "every type is what engine: postgres makes of it" cmp "$out" want
check "and there are rows to compare" test "$(wc -l <want)" = 4
sql <<'END' || exit 1
CREATE TABLE ends AS SELECT * FROM (VALUES (1, 'infinity'::date, 'infinity'::timestamp, '-infinity'::timestamptz),
	(2, '-infinity', '294276-12-31', 'infinity'), (3, '5874897-12-31', '4713-01-01 BC', '294246-12-31 00:00+00'),
	(4, '294246-12-31', '294246-12-31', '294247-01-01 00:00+00')) AS v(id, d, ts, tz);
END
sed 's/odd: .*, people/ends: { public: true }, people/; s/: b.db/: ends.db/' adbc.yaml >ends.yaml
run query -p ends.yaml --format csv "SELECT id, d, ts, tz FROM ends ORDER BY id"
sed 1d "$out" >got
printf '%s\n' 1,,, 2,,, '3,,4713-01-01 (BC) 00:00:00,294246-12-31 00:00:00' '4,294246-12-31,294246-12-31 00:00:00,' >want
check "times that the driver would change are NULL" cmp got want
sed 's/odd: .*, people: { unit: id,.*/ends: { unit: ts } }/; s/: b.db/: moments.db/' adbc.yaml >moments.yaml
run query -p moments.yaml -e 1 "SELECT COUNT(*) FROM ends"
stderr_like 'ends.ts says whose row it is, and its server sends it as a rounded number' "a timestamp, which a driver may round, is not a unit"
sed 's/ends: { unit: ts }/odd: { unit: j, source: clinic."Odd People" }/; s/: moments.db/: spelt.db/' moments.yaml >spelt.yaml
run query -p spelt.yaml -e 1 "SELECT COUNT(*) FROM odd"
stderr_like 'odd.j says whose row it is, and its server calls texts equal that differ' "nor is what may be spelt in two ways"
run query -p adbc.yaml -e 9 --diagnostics 0 --format json "SELECT COUNT(*), SUM(age) FROM people"
check "private rows are read" json "abs(a['rows'][0][0] - 20000) < 20 and abs(a['rows'][0][1] - 890000) < 900"
run query -p adbc.yaml -e 9 --diagnostics 0 --format json \
	"SELECT COUNT(*) FROM (SELECT id FROM people UNION ALL SELECT id FROM people) AS twice"
status_is 0 "a table is read twice, at one moment"
run explain -p adbc.yaml -e 1 "SELECT COUNT(*) FROM people"
stdout_like 'moment .*all tables are read as of one moment' "which an explanation says"
sql -c "BEGIN; LOCK TABLE people; SELECT pg_sleep(60)" >/dev/null 2>&1 &
locker=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ "$(sql -c "SELECT COUNT(*) FROM pg_locks WHERE relation = 'people'::regclass AND granted")" -gt 0 ] && break
	sleep 1
done
run query -p adbc.yaml -e 1 "SELECT COUNT(*) FROM people WHERE age > 30"
check "a table that others have locked is refused" grep -q 'nobody is changing it\|a change of a table is under way' "$err"
sql -c "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'people'::regclass AND granted" >/dev/null
wait $locker
check "no connection is left" test "$(sql -c "SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")" = 0
run init --unit id --driver "$postgresql" --uri "postgresql:///postgres?host=$PGHOST&user=sotto" -p - people 'clinic."Odd People"'
stdout_like '^  Odd People:\|^  "Odd People":' "a policy is proposed through the driver"
run init --unit id --dsn "host=$PGHOST user=sotto dbname=postgres" -p - people 'clinic."Odd People"'
stdout_like '^  Odd People:\|^  "Odd People":' "and through libpq"
refuses 1 "sotto init: a database behind an ADBC driver needs --driver and --uri, not --dsn" init --unit id --driver x -p - people
sed -i 's/user=sotto/user=nobody\&password=secret/' adbc.yaml
run query -p adbc.yaml -e 1 "SELECT COUNT(*) FROM people"
check "a wrong user is refused without the address" sh -c "grep -q 'the ADBC driver could not' '$err' && ! grep -q 'secret\|nobody' '$err'"
finish
