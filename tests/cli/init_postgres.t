#!/bin/sh
# sotto init on a PostgreSQL server: what it declares about its tables becomes words of the policy.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/postgres.sh"
cd "$work" || exit 1
sql <<'END'
CREATE SCHEMA clinic;
CREATE TABLE people (id integer PRIMARY KEY, age integer NOT NULL CHECK (age >= 0 AND age <= 110),
	weight double precision CHECK (weight BETWEEN 0.5 AND 300.25), height numeric(5,2) CHECK (height > -3 AND height < 2.5),
	either integer CHECK (either > 0 OR either < 5), least integer CHECK (least >= -5),
	shifted integer CHECK (shifted + 1 >= 0 AND shifted <= 9), name text UNIQUE, nick text, code text CHECK (code >= 'a' AND code <= 'b'));
CREATE UNIQUE INDEX ON people (nick) WHERE age > 3;
CREATE TABLE a_visits (id integer PRIMARY KEY, person integer NOT NULL REFERENCES people (id), two integer, more integer, UNIQUE (two, more));
CREATE TABLE a_lines (visit integer REFERENCES a_visits (id), what text);
CREATE TABLE clinic.notes (person integer REFERENCES public.people (id), note text);
CREATE TABLE clinic.people (id integer PRIMARY KEY, pay double precision);
INSERT INTO people SELECT i, i % 100, 50, 1, 1, 1, 1, 'p' || i, 'n' || i, 'a' FROM generate_series(1, 500) i;
INSERT INTO a_visits SELECT i, 1 + i % 500, i, i FROM generate_series(1, 1500) i;
INSERT INTO a_lines SELECT 1 + i % 1500, 'x' FROM generate_series(1, 3000) i;
END
run init --unit id --dsn '' --policy named.yaml a_lines a_visits people clinic.notes
status_is 0 "a policy from named tables"
cp named.yaml "$out"
stdout_like '^      age:  *{ bounds: \[0, 110\], nullable: false }' "CHECK and NOT NULL"
stdout_like '^      weight:  *{ bounds: \[0.5, 300.25\] }' "CHECK with BETWEEN"
stdout_like '^      height:  *{ bounds: \[-3, 2.5\] }' "CHECK of a numeric with < and a number below 0"
stdout_like '^      id:  *{ nullable: false, unique: true }' "a primary key"
stdout_like '^      name:  *{ unique: true }' "UNIQUE"
stdout_like '^      # nick:' "an index over some rows makes nothing unique"
stdout_like '^      # either:' "a CHECK with OR gives no bounds"
stdout_like '^      # least:' "nor does one with one end"
stdout_like '^      # shifted:' "nor one about an expression"
stdout_like '^      # code:' "nor one about texts"
stdout_like '^      # two:' "UNIQUE of two columns together is none of one"
stdout_like '^    unit: { column: id, via: a_visits.person -> people.id }' "a foreign key is a path to the unit"
stdout_like '^    unit: { column: id, via: a_lines.visit -> a_visits.id }' "over two tables, in whatever order they are named"
stdout_like '^    unit: { column: id, via: notes.person -> people.id }' "and from another schema"
sed -i 's/max_groups: auto/max_groups: 1/; s/max_rows: auto/max_rows: 1/' named.yaml
run query --policy named.yaml -e 0.3 --format json "SELECT COUNT(*) FROM a_lines"
check "people are counted through both keys" python3 -c "import json; assert abs(json.load(open('$out'))['rows'][0][0] - 500) < 120"
run init --unit id --dsn '' --policy all.yaml
status_is 0 "a policy from all tables of the server"
cp all.yaml "$out"
stdout_like '^  clinic.people:\|^  "clinic.people":' "two tables of one name are told apart"
stdout_like '^    source: clinic.notes' "tables of other schemas are seen"
check "and the system's are not" test "$(grep -c 'pg_' all.yaml)" = 0
# Seen to fail: the policy could be read by everybody, and the address stood in the list of processes.
check "a policy with an address is the owner's alone" test "$(stat -c %a all.yaml)" = 600
python3 - >silent.port <<'END2' &
import os, socket, sys
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
os.close(1)
c = s.accept()[0]
while c.recv(1000): pass
END2
silent=$!
while [ ! -s silent.port ]; do sleep 0.05; done
"$SOTTO" init --unit id --dsn "host=127.0.0.1 password=open-sesame port=$(cat silent.port)" --policy never.yaml >"$out" 2>"$err" &
started=$!
words() { tr '\0' ' ' <"/proc/$started/cmdline"; }
seen=yes
for i in $(seq 100); do words | grep -q open-sesame || { seen=no && break; }; sleep 0.05; done
check "a password goes from the list of processes" test $seen = no -a -n "$(words)"
kill $started $silent
wait $started $silent 2>/dev/null
run init --unit id --policy none.yaml
status_is 2 "without files and without a server there is nothing to start from"
finish
