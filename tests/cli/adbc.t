#!/bin/sh
# engine: adbc: a driver that breaks every promise ends nothing but its question and its words
# are never seen; no value of a row makes a question fail.  Then real drivers: that of Flight SQL, with a
# moment for each table; SQLite's is refused.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
drivers=$root/.cache/adbc

# ---- a driver of our own --------------------------------------------------------------

gcc -std=gnu11 -shared -fPIC -I"$root/src" -I"$root/include" -o faulty.so "$root/tests/cli/faulty_driver.c" || exit 1
faulty() { # FAULT
	cat >sotto.yaml <<END
engine: adbc
driver: ./faulty.so
uri: $1
ledger: $1.db
log: $1.log
budget: { epsilon: 1e9, delta: 1e-6 }
tables:
  people:
    unit: id
    columns: { age: { bounds: [0, 100] }, pay: { bounds: [0, 1000] }, height: { bounds: [0, 3] }, city: { keys: [Rome, Paris] } }
  others: { unit: { column: id, via: others.id -> people.id } }
END
}
question="SELECT COUNT(*), COUNT(name), COUNT(city), SUM(age), SUM(pay), SUM(height), COUNT(date_trunc('year', seen)),
	COUNT(date_part('year', born)), COUNT(born + 1) FROM people WHERE name IS NULL OR name <> 'nobody'"
spent() { "$SOTTO" budget --format json | python3 -c "import json, sys; print(json.load(sys.stdin)['spent']['epsilon'])"; }

faulty none
run query -e 9 --diagnostics 0 --format json "$question"
check "a good driver is read" json "abs(a['rows'][0][0] - 1000) < 60 and abs(a['rows'][0][1] - 1000) < 60"
run tables --format json
check "a list is left out, a dictionary is its texts" json \
	"[(c['name'], c['type']) for t in a['tables'] if t['name'] == 'people' for c in t['columns']][6:] == [('height', 'number'), ('city', 'text')]"
run query -e 9 --diagnostics 0 --format json "SELECT city, COUNT(*) FROM people GROUP BY city"
check "by the dictionary's texts" json "sorted(r[0] for r in a['rows']) == ['Paris', 'Rome'] and all(abs(r[1] - 500) < 20 for r in a['rows'])"
run explain -e 1 "SELECT COUNT(*) FROM people"
stdout_like 'moment .*each table is read at a different moment' "an explanation says that there is no common moment"
before=$(spent)
run query -e 1 "SELECT COUNT(*) FROM (SELECT id FROM people UNION ALL SELECT id FROM people) AS twice"
stderr_like '^sotto query: the question reads table people more than once, and this ADBC driver has no snapshot' \
	"a table is not read twice without a common moment"
check "and nothing was charged" test "$(spent)" = "$before"
run query -e 9 --format json "SELECT COUNT(*) FROM people JOIN others USING (id)"
status_is 0 "two tables are read once each"

for fault in utf8 huge offsets dictionary values; do
	faulty $fault
	run query -e 9 --diagnostics 0 --format json "$question"
	check "one odd row ($fault) is answered" json "abs(a['rows'][0][0] - 1000) < 60"
	check "quietly" test ! -s "$err"
done
for fault in buffers short negative count nulls children stream schema crash execute; do
	faulty $fault
	run query -e 9 "$question"
	stderr_is "sotto query: the query was charged but could not be answered; nothing about the data follows from this" \
		"a driver that breaks its word ($fault) ends the question alone"
	status_is 1 "with a failure"
	check "no word of the driver is passed on ($fault)" sh -c "! grep -rq secret '$out' '$err' $fault.log"
done
check "the owner's log has the code of the error" grep -q XX000 execute.log
faulty connect
run query -e 9 "$question"
stderr_is "sotto query: the ADBC driver could not connect; check uri in the policy, and whether the server runs" \
	"no connection is a sentence of ours"
faulty connections
run query -e 9 "$question"
stderr_like 'the query needs 2 connections at once and got 1' "too few connections are told before the charge"
check "and nothing was charged for it" test "$(spent)" = 0
sed -i 's/others: .*/others: { unit: id, source: "people; DROP TABLE people" }/' sotto.yaml
sed -i 's/connections/none/' sotto.yaml
run query -e 1 "SELECT COUNT(*) FROM others"
stderr_like 'the ADBC driver gave no columns of people; DROP TABLE people' "only a name stands after FROM"
cp "$root/LICENSE" no.so
sed -i 's/faulty.so/no.so/' sotto.yaml
run query -e 1 "SELECT COUNT(*) FROM people"
stderr_like 'the ADBC driver .*no.so could not be loaded' "what is not a library is not loaded"
printf '%s\n' 'engine: adbc' 'uri: x' 'budget: { epsilon: 1 }' 'tables: { t: { unit: id } }' >bad.yaml
refuses 1 "sotto explain: bad.yaml: engine: adbc needs driver: LIBRARY and uri: ADDRESS" explain -p bad.yaml "SELECT COUNT(*) FROM t"
printf '%s\n' 'engine: postgres' 'uri: x' 'budget: { epsilon: 1 }' 'tables: { t: { unit: id } }' >bad.yaml
refuses 1 "sotto explain: bad.yaml: driver and uri are for engine: adbc; write that too, or leave them out" \
	explain -p bad.yaml "SELECT COUNT(*) FROM t"

# ---- SQLite, which takes types from rows ---------------------------------------------------

sqlite=$drivers/adbc-driver-sqlite/adbc_driver_sqlite/libadbc_driver_sqlite.so
if [ -e "$sqlite" ]; then
	python3 -c "import sqlite3; c = sqlite3.connect('rows.sqlite'); c.execute('CREATE TABLE people (id, age)'); c.commit()"
	run init --unit id --driver "$sqlite" --uri rows.sqlite -p - people
	stderr_like 'the ADBC driver of SQLite takes the types of columns from rows' "SQLite's driver is refused"
else
	echo "# there is no ADBC driver for SQLite: tools/setup fetches it"
fi

# ---- Flight SQL -----------------------------------------------------------------------------

flightsql=$drivers/adbc-driver-flightsql/adbc_driver_flightsql/libadbc_driver_flightsql.so
if [ -e "$flightsql" ] && PYTHONPATH=$drivers/pyarrow /usr/bin/python3 -c 'import pyarrow.flight' 2>/dev/null; then
	mkfifo hold
	PYTHONPATH=$drivers/pyarrow /usr/bin/python3 "$root/tests/cli/flight_server.py" <hold >port 2>flight.log &
	exec 9>hold # the server ends with this test
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		[ -s port ] && break
		sleep 1
	done
	run init --unit id --driver "$flightsql" --uri "grpc+tcp://127.0.0.1:$(cat port)" -p flight.yaml people
	status_is 0 "a policy is proposed from a Flight SQL server"
	check "with its columns, but for a list" sh -c "grep -q 'pay:' flight.yaml && grep -q 'seen:' flight.yaml && ! grep -q 'tags:' flight.yaml"
	sed -i -e 's/^ledger:/log: flight.log\n&/' -e 's/epsilon: 1,/epsilon: 1e9,/' -e 's/max_groups: auto/max_groups: 1/' -e 's/max_rows: auto/max_rows: 1/' \
		-e 's/# age: .*/age: { bounds: [0, 100] }/' -e 's/# pay: .*/pay: { bounds: [0, 100] }/' flight.yaml
	run query -p flight.yaml -e 9 --diagnostics 0 --format json \
		"SELECT COUNT(*), SUM(age), SUM(pay), COUNT(city), COUNT(note) FROM people WHERE born >= '1990-01-01' AND seen < '2025-01-01'"
	check "its rows are read" json "all(abs(x - y) < 1e-1 * y for x, y in zip(a['rows'][0], [3000, 133500, 44985, 2000, 3000]))"
	run explain -p flight.yaml -e 1 "SELECT COUNT(*) FROM people"
	stdout_like 'each table is read at a different moment' "each table at a moment of its own, which is said"
	exec 9>&-
else
	echo "# there is no ADBC driver for Flight SQL, or no pyarrow: tools/setup fetches them"
fi

finish
