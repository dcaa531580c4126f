#!/bin/sh
# Real clients of PostgreSQL against sotto serve: psql, psycopg, SQLAlchemy, pandas, node-postgres, pgjdbc.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/serve.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
cp "$root"/examples/hospital/small/*.csv "$work" && cd "$work" || exit 1
cat > sotto.yaml <<-'END'
	name: clinic
	ledger: l.db
	budget: { epsilon: 400, delta: 1e-6 }
	time: { pad: 200ms }
	tables:
	  patients:
	    source: patients.csv
	    unit: patient_id
	    columns: { patient_id: { type: integer }, age: { type: integer, bounds: [0, 110] }, weight_kg: { type: number }, income: { type: number }, smoker: { type: boolean, keys: [true, false] } }
	  visits: { source: visits.csv, unit: patient_id, max_rows: 10, columns: { day: { type: date } } }
	  cities: { source: cities.csv, public: true, columns: { population: { type: integer } } }
END
"$SOTTO" seal > /dev/null && "$SOTTO" ledger create > /dev/null || exit 1
for name in alice bob carol dora; do
	run user add $name
	eval "$name=$(cat "$out")"
done
start_server --questions 1

# ---- psql -----------------------------------------------------------------------------------------
describe() { psql_as alice "$alice" "$1"; }
describe '\d'
stdout_is 'public|cities|table|owner
public|patients|table|owner
public|visits|table|owner' "psql \\d lists the tables"
describe '\dt pat*'
stdout_is 'public|patients|table|owner' "psql \\dt takes a pattern"
describe '\d patients'
stdout_is 'patient_id|bigint|||
age|bigint|||
sex|text|||
city|text|||
smoker|boolean|||
weight_kg|double precision|||
income|double precision|||' "psql \\d shows columns and types"
describe '\d+ patients'
stdout_like '^age|bigint||||plain||[-]*|from 0 to 110$' "psql \\d+ shows bounds"
for c in '\l' '\dn' '\du' '\dp' '\df' '\di' '\dv' '\dT' '\db' '\dt+' '\dn+' '\dx' '\dL'; do
	describe "$c"
	check "psql \\$c is understood" sh -c "! grep -q ERROR '$err'"
done
describe '\d nosuch'
stderr_is 'Did not find any relation named "nosuch".' "what is not there is not found"
describe "SELECT relname, reltuples, relpages, pg_total_relation_size(oid) FROM pg_class WHERE relname = 'patients'"
stdout_is 'patients|-1|0|' "the catalog tells nothing of rows"
describe "SELECT count(*) FROM pg_class, patients"
stderr_like 'cannot be asked about in one question' "nor is it mixed with tables"
for sql in "SELECT pg_read_file('/etc/passwd')" "SELECT * FROM pg_catalog.sqlite_master" "SELECT load_extension('x') FROM pg_class" "SELECT readfile('x') FROM pg_type" "SELECT * FROM pg_shadow"; do
	describe "$sql"
	check "refused: $sql" sh -c "test $status != 0 && test ! -s '$out'"
done
describe "SELECT count(*) FROM pg_class a, pg_class b, pg_class c, pg_class d, pg_class e, pg_class f"
stderr_like 'takes too long or is too large' "a question about the catalog has an end"
# A server that does not get the processor for a while has not worked: nothing is refused for that.
(sleep 0.35; kill -STOP "$server"; sleep 6; kill -CONT "$server") &
stalled=$!
describe "SELECT count(*) > 1 FROM pg_type a, pg_type b, pg_type c, pg_attribute d, pg_namespace e, pg_namespace f WHERE a.oid + b.oid + c.oid > 1"
wait "$stalled"
stdout_is t "which is counted in work, not by the clock"
# What does not fit into the engine's caches is memory of a limited size, never a file.
wrote() { sed -n 's/^write_bytes: //p' "/proc/$server/io"; }
many() { printf %0100d 0 | tr 0 "$1"; }
long="replace(replace('$(many x)', 'x', '$(many y)'), 'y', '$(many z)') || a.oid || '-' || b.oid"
before=$(wrote)
for sql in "SELECT count(*) FROM (SELECT $long AS t FROM pg_type a, pg_type b ORDER BY 1) x" \
	"WITH t AS MATERIALIZED (SELECT $long AS t FROM pg_type a, pg_type b) SELECT count(*) FROM t x JOIN t y ON x.t = y.t"; do
	describe "$sql"
	stderr_like 'takes too long or is too large' "a question about the catalog has a limit of memory"
done
check "and writes no file" test "$(($(wrote) - before))" -lt 16000000
# Texts of a client's size: making the longest ones takes seconds under the sanitizers.
describe "SELECT count(*), count(DISTINCT t) FROM (SELECT substr(replace('$(many x)', 'x', '$(many y)'), 1, 900) || a.oid || '-' || b.oid AS t FROM pg_type a, pg_type b ORDER BY 1) x"
stdout_is '1600|1600' "which is enough for what clients ask"
describe "SELECT relname FROM pg_class WHERE relname ~ '(a{1,255}){1,255}'"
stderr_like 'this pattern is not understood' "also a pattern"
describe "SELECT current_user, current_database(), current_schema(), version() LIKE 'PostgreSQL 15%', 'patients'::regclass::oid = 16384"
stdout_is 'alice|clinic|public|t|t' "functions that clients call at their start"
# Power BI, pgAdmin, and whoever looks for statistics
describe "select character_set_name from INFORMATION_SCHEMA.character_sets"
stdout_is UTF8 "the set of characters"
describe "SELECT CASE WHEN usesuper AND pg_catalog.pg_is_in_recovery() THEN pg_is_wal_replay_paused() ELSE FALSE END FROM pg_catalog.pg_user WHERE usename = current_user"
stdout_is f "nothing is being recovered"
describe "SELECT attname, n_distinct, most_common_vals FROM pg_stats WHERE tablename = 'patients'"
check "there are no statistics of columns" sh -c "test $status = 0 && test ! -s '$out'"
describe 'SET LOCAL sotto.epsilon = 9'
stderr_is 'ERROR:  there are no transactions here; write SET sotto.epsilon, and RESET sotto.epsilon afterwards' "SET LOCAL would outlast its transaction"
describe 'SET LOCAL statement_timeout = 0'
stdout_is SET "but where it sets nothing that costs"
describe 'EXPLAIN SELECT COUNT(*) FROM nosuch'
stderr_like 'line 1, character 30' "a place in what is explained is one in the statement"
PGOPTIONS='-c sotto.epsilon=0.25' psql_as alice "$alice" 'SHOW sotto.epsilon' 'RESET ALL' 'SHOW sotto.epsilon'
stdout_is '0.25
RESET
default' "settings may come with the connection"
PGOPTIONS='-c sotto.epsilon=much' psql_as alice "$alice" 'SHOW sotto.epsilon'
check "and are checked" test "$status" != 0
sed -n '/^## Session parameters/,/^## /s/^| `\([^`]*\)`.*/\1/p' "$root/docs/wire.md" > listed
check "docs/wire.md lists parameters" test "$(wc -l < listed)" -gt 20
while read -r name; do
	describe "SHOW $name"
	[ "$status" = 0 ] || echo "$name" >> unknown
done < listed
check "and each of them is known" test ! -s unknown

# ---- a wrong database -------------------------------------------------------------------------------
connect_to() { PGPASSWORD=$2 psql -X "host=127.0.0.1 port=$port user=$1 dbname=$3" -c 'SHOW sotto.epsilon' > "$out" 2> "$err"; }
connect_to bob "$bob" elsewhere
stderr_like 'connect to the database "clinic"' "who comes to a wrong database hears the right one"
connect_to bob "${bob%?}x" elsewhere
check "but only with a key" sh -c "grep -q 'the key is wrong' '$err' && ! grep -q clinic '$err'"

# ---- the others -----------------------------------------------------------------------------------
# client NAME COMMAND...: passes if its last line is "good"
client() {
	name=$1
	shift
	"$@" > "$out" 2> "$err"
	check "$name" test "$(tail -n 1 "$out")" = good
	[ "$(tail -n 1 "$out")" = good ] || tail -n 20 "$out" "$err" | sed 's/^/# /'
}
if /usr/bin/python3 -c 'import psycopg, psycopg2, sqlalchemy, pandas' 2>/dev/null; then
	client "psycopg, SQLAlchemy and pandas" /usr/bin/python3 "$root/tests/clients/client.py" "$port" bob "$bob" clinic
fi
modules=${SOTTO_TEST_MODULES:-$root/.cache/clients/node_modules}
if [ -d "$modules/pg" ]; then
	client "node-postgres" node "$root/tests/clients/client.js" "$modules" "$port" carol "$carol" clinic
fi
jar=/usr/share/java/postgresql.jar
if command -v javac > /dev/null && [ -f "$jar" ]; then
	javac -d "$work" "$root/tests/clients/Client.java" &&
		client "pgjdbc" java -cp "$jar:$work" Client "$port" dora "$dora" clinic
fi
run budget --verify
status_is 0 "the ledger is whole"
finish
