#!/bin/sh
# What a query needs of PostgreSQL it has before the charge: locks, connections, one
# server.  Changes of tables in the middle of a query hang neither; what the server
# refuses is refused before the charge; no word of a connection string is shown.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/postgres.sh"
cd "$work" || exit 1

sql <<'END' || exit 1
CREATE TABLE people (id int, age int);
INSERT INTO people SELECT g, g % 90 FROM generate_series(1, 1000) AS g;
CREATE TABLE other (id int, age int);
-- a view that stops in the middle of a scan, after the charge, until somebody lets it go on
CREATE TABLE gate (open bool);
CREATE FUNCTION wait_for_gate(id int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF id = 500 THEN
		PERFORM pg_catalog.pg_advisory_lock_shared(7);
		PERFORM pg_catalog.pg_advisory_unlock_shared(7);
	END IF;
	RETURN id;
END $$;
CREATE VIEW slow AS SELECT public.wait_for_gate(id) AS id, age FROM public.people;
CREATE FUNCTION shout(id int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''patient %'', id; RETURN id; END';
CREATE VIEW loud AS SELECT public.shout(id) AS id, age FROM public.people WHERE id < 5;
CREATE ROLE few LOGIN CONNECTION LIMIT 2;
CREATE ROLE three LOGIN CONNECTION LIMIT 3;
GRANT pg_read_all_data TO few, three;
END
policy() { # FILE DSN TABLE...
	file=$1 dsn=$2
	shift 2
	printf '%s\n' 'engine: postgres' "ledger: $file.db" 'log: words.log' 'budget: { epsilon: 1e30 }' >"$file"
	[ -z "$dsn" ] || printf 'dsn: "%s"\n' "$dsn" >>"$file"
	echo 'tables:' >>"$file"
	for t in "$@"; do
		echo "  $t: { unit: id, max_rows: 2, columns: { age: { bounds: [0, 120] } } }" >>"$file"
	done
	"$SOTTO" ledger create --policy "$file" >/dev/null 2>&1 || "$SOTTO" policy accept --policy "$file" >/dev/null
}
twice() { echo "SELECT COUNT(*) FROM (SELECT id FROM $1 UNION ALL SELECT id FROM $1) AS b"; }
: >"$out" 2>"$err"
waits() { # SECONDS-AT-MOST CONDITION: until the server says so
	for _ in $(seq "$(($1 * 20))"); do
		[ "$(sql -c "SELECT $2")" = t ] && return
		sleep 0.05
	done
	return 1
}
charges() { "$SOTTO" budget --policy "$1" --format json --history 2>/dev/null | grep -c '"kind": "release"'; }

# ---- changes of a table in the middle of a query -----------------------------------------

policy moment.yaml "" people slow
sql -c "SELECT pg_advisory_lock(7)" -c "SELECT pg_sleep(100000)" >/dev/null 2>&1 &
waits 60 "EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted)"
timeout 300 "$SOTTO" query --policy moment.yaml -e 1000 --threads 1 --format csv "$(twice slow)" >answer 2>&1 &
query=$!
check "the query stands in the middle of a scan" waits 60 \
	"EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)"
sql -c "SET lock_timeout = '300s'" -c "ALTER TABLE people ADD COLUMN more int" >/dev/null 2>&1 &
ddl=$!
check "a change of its table waits for it" waits 60 "EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted
	AND relation = 'people'::regclass AND mode = 'AccessExclusiveLock')"
check "and every scan has its lock already" test "$(sql -c "SELECT COUNT(*) FROM pg_locks WHERE granted AND
	relation = 'people'::regclass AND mode = 'AccessShareLock'")" = 3
sql -c "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted" >/dev/null
wait $query
check "the query ends, with its answer" sh -c "sed 1d answer | grep -q '^\(199[0-9]\|20[01][0-9]\)'"
wait $ddl
verdict $? "and then the change is made"
check "no lock is left" test "$(sql -c "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'sotto'")" = 0

# A change that does not end: the query waits for some seconds and is refused.
sql -c "BEGIN; LOCK TABLE people IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(100000)" >/dev/null 2>&1 &
waits 60 "EXISTS (SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'people'::regclass)"
before=$(charges moment.yaml)
status=0
timeout 300 "$SOTTO" query --policy moment.yaml -e 1 "$(twice people)" >"$out" 2>"$err" || status=$?
status_is 1 "a table that others have locked is refused"
check "before the charge" test "$(charges moment.yaml)" = "$before"
sql -c "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND
	relation = 'people'::regclass" >/dev/null

# The server itself ends what takes too long, however the question's own process fares: as it is
# told in each transaction, of scans too.
sql -c "CREATE VIEW times AS SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement,
	current_setting('idle_in_transaction_session_timeout') AS idle, 1 AS id"
printf '%s\n' 'engine: postgres' 'ledger: times.db' 'time: { limit: 40s }' 'budget: { epsilon: 1 }' 'tables:' \
	'  times: { public: true }' '  people: { unit: id }' > times.yaml
"$SOTTO" ledger create --policy times.yaml > /dev/null 2>&1
run query --policy times.yaml --format csv "SELECT lock, statement, idle FROM times"
check "locks, statements and idle transactions have a limit" sh -c "sed 1d '$out' | grep -Eq '^[1-9][0-9]*s,[1-9][0-9]*(s|min),[1-9][0-9]*(s|min)\$'"

# A change that comes between the description and the scan's locks: it waits for the
# first lock, the second one for it.  One of the two gives way in bounded time.
for try in 1 2 3 4 5 6; do
	sql -c "SET lock_timeout = '300s'" -c "ALTER TABLE people ADD COLUMN x$try int; ALTER TABLE people DROP COLUMN x$try" &
	timeout 300 "$SOTTO" query --policy moment.yaml --fresh -e 1000 --format csv "$(twice people)" >answer$try 2>&1
	echo $? >>statuses
	wait
done
check "changes and queries at the same time both end" test "$(wc -l <statuses)" = 6
check "each query is answered, or refused before the charge" sh -c "! grep -l 'was charged' answer[1-6]"

# ---- connections ----------------------------------------------------------------------------

policy few.yaml "user=few" people
run query --policy few.yaml -e 1 "SELECT COUNT(*) FROM people"
status_is 0 "two connections are enough for one scan"
before=$(charges few.yaml)
refuses 1 "sotto query: the query needs 3 connections to PostgreSQL at once and got 2; raise the CONNECTION LIMIT of the role or max_connections, or ask about fewer tables at once" \
	query --policy few.yaml -e 1 "$(twice people)"
check "too few connections are refused before the charge" test "$(charges few.yaml)" = "$before"
policy three.yaml "user=three" people
run query --policy three.yaml -e 1000 --format csv "$(twice people)"
check "three are enough for two" sh -c "sed 1d '$out' | grep -q '^\(199[0-9]\|20[01][0-9]\)'"

# What an owner may have set for the role, in ways that would change texts, times and plans.
sql <<'END'
CREATE ROLE strange LOGIN;
GRANT SELECT ON people TO strange;
ALTER ROLE strange SET extra_float_digits = 0;
ALTER ROLE strange SET timezone = 'Asia/Kathmandu';
ALTER ROLE strange SET datestyle = 'SQL, DMY';
ALTER ROLE strange SET client_encoding = 'LATIN1';
ALTER ROLE strange SET standard_conforming_strings = off;
ALTER ROLE strange SET default_transaction_deferrable = on;
ALTER ROLE strange SET transform_null_equals = on;
ALTER ROLE strange SET enable_seqscan = off;
ALTER ROLE strange SET statement_timeout = '300ms';
END
policy strange.yaml "user=strange" people
run query --policy strange.yaml -e 1000 --format csv "$(twice people)"
check "settings of a role change nothing" sh -c "sed 1d '$out' | grep -q '^\(199[0-9]\|20[01][0-9]\)'"

# ---- what changed since the last look --------------------------------------------------------

policy gone.yaml "" other
run query --policy gone.yaml -e 1 "SELECT COUNT(*) FROM other"
status_is 0 "a table that is there is answered"
sql -c "DROP TABLE other"
before=$(charges gone.yaml)
run query --policy gone.yaml -e 1 --fresh "SELECT COUNT(*) FROM other"
status_is 1 "one that was dropped is refused"
check "and not charged" test "$(charges gone.yaml)" = "$before"

# ---- one session, many questions -----------------------------------------------------------------

talk() { # SQL EXPECTED NAME: what the session says to it
	lines=$(wc -l <said)
	echo "$1" >&3
	for _ in $(seq 1200); do [ "$(wc -l <said)" -gt "$lines" ] && break; sleep 0.05; done
	tail -n 1 said >"$out"
	check "$3" test "$(cat "$out")" = "$2"
}
library=$(dirname "$SOTTO")
if [ "${SOTTO_VARIANT:-release}" = release ] && [ -e "$library/libsotto.so" ]; then
	gcc -std=gnu11 -I"$root/include" -o session "$root/tests/cli/postgres_session.c" -L"$library" \
		-Wl,-rpath,"$library" -lsotto -lgmp || exit 1
	sql -c "CREATE TABLE long_lived AS SELECT * FROM people"
	policy session.yaml "" long_lived
	mkfifo questions
	: >said
	SOTTO_DUCKDB=${SOTTO_DUCKDB:-$root/.cache/duckdb/libduckdb.so} timeout 600 ./session session.yaml <questions >said 2>&1 &
	session=$!
	exec 3>questions
	count="SELECT COUNT(*) FROM long_lived"
	gone="a table in PostgreSQL is gone, has other columns than before, or may no longer be read"
	talk "$count" 1000 "a session answers"
	check "and then holds no lock" test "$(sql -c "SELECT COUNT(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
		WHERE application_name = 'sotto'")" = 0
	sql -c "INSERT INTO long_lived SELECT g, 1 FROM generate_series(2001, 2100) AS g"
	talk "$count" 1100 "the next question sees a later moment"
	sql -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sotto'" >/dev/null
	talk "$count" 1100 "a connection that was ended is opened again"
	(cd "$server" && $as_nobody "$postgres_bin/pg_ctl" -D "$server/data" -l "$server/log" -m fast -w restart) >/dev/null 2>&1 3>&-
	talk "$count" 1100 "also after the server was started again"
	sql -c "ALTER TABLE long_lived ALTER age TYPE text"
	before=$(charges session.yaml)
	talk "$count" "$gone" "a table with other columns is refused"
	sql -c "DROP TABLE long_lived"
	talk "$count" "$gone" "so is one that is gone"
	check "and neither is charged" test "$(charges session.yaml)" = "$before"
	exec 3>&-
	wait $session
	verdict $? "the session ends"
fi

# ---- what stands between ----------------------------------------------------------------------

cat >between.py <<'END'
# A proxy that answers for the server: as a pooler does, with a number of its own for
# the process, as an older server, or as two servers in turn.
import os, socket, struct, sys, threading

folder, kind = sys.argv[1:]
port = "/.s.PGSQL.5432"
os.mkdir(folder)
listener = socket.socket(socket.AF_UNIX)
listener.bind(folder + port)
listener.listen(8)

def forward(source, sink):
	try:
		while piece := source.recv(65536):
			sink.sendall(piece)
		sink.shutdown(socket.SHUT_WR)
	except OSError:
		pass  # the other direction has ended and closed both

def rewrite(source, sink):
	stream = source.makefile("rb")
	while head := stream.read(5):
		body = stream.read(struct.unpack(">I", head[1:])[0] - 4)
		if head[:1] == b"K" and kind == "pooler":
			body = struct.pack(">I", struct.unpack(">I", body[:4])[0] + 1) + body[4:]
		if body.startswith(b"server_version\0") and kind == "old":
			body = b"server_version\00014.9\0"
		sink.sendall(head[:1] + struct.pack(">I", len(body) + 4) + body)
	sink.close()

turns = 0
while True:
	client, _ = listener.accept()
	server = socket.socket(socket.AF_UNIX)
	server.connect(os.environ["OTHER" if kind == "two" and turns % 2 else "PGHOST"] + port)
	turns += 1
	threading.Thread(target=forward, args=(client, server), daemon=True).start()
	threading.Thread(target=rewrite, args=(server, client), daemon=True).start()
END
between() { # KIND STATUS SENTENCE
	folder=$server/$1
	python3 between.py "$folder" "$1" &
	proxy=$!
	for _ in $(seq 600); do [ -S "$folder/.s.PGSQL.5432" ] && break; sleep 0.05; done
	policy "$1.yaml" "host=$folder" people
	run query --policy "$1.yaml" -e 1 "SELECT COUNT(*) FROM people"
	check "$1: exit status $2" test "$status" = "$2"
	check "$1: what is said" test "$(cat "$err")" = "$3"
	kill $proxy
	wait $proxy 2>/dev/null
}
between nothing 0 ""
between pooler 1 "sotto query: a connection pooler is in front of PostgreSQL, and one snapshot cannot be shared through it; name the server itself in dsn"
between old 1 "sotto query: the PostgreSQL server has version 14; 15 or later is needed"
for refused in pooler old; do
	run budget --policy $refused.yaml --history --format csv
	check "$refused: nothing was charged" sh -c "test '$status' = 0 && ! grep -q SELECT '$out'"
done

# A copy of the server, with the same tables, that began at another time.
export OTHER="$server/other"
# It comes with the clients, which are installed; the server may have been unpacked elsewhere.
for basebackup in /usr/lib/postgresql/*/bin/pg_basebackup "$postgres_bin/pg_basebackup"; do
	[ -x "$basebackup" ] && break
done
(
	cd "$server" || exit 1
	unset ASAN_OPTIONS UBSAN_OPTIONS
	$as_nobody mkdir "$OTHER" && $as_nobody "$basebackup" -D "$OTHER/data" -c fast -X stream &&
		$as_nobody "$postgres_bin/pg_ctl" -D "$OTHER/data" -l "$OTHER/log" -w -o "-c listen_addresses= -c fsync=off \
			-c unix_socket_directories=$OTHER" start
) >"$out" 2>&1
verdict $? "there is a second server"
between two 1 "sotto query: the connections to PostgreSQL do not all lead to one server; name one server in dsn"
check "two servers are refused before the charge" test "$(charges two.yaml)" = 0
$as_nobody "$postgres_bin/pg_ctl" -D "$OTHER/data" -m immediate -w stop >/dev/null 2>&1

# ---- the words of the server and of libpq -----------------------------------------------------

policy loud.yaml "" loud
run query --policy loud.yaml -e 1 "SELECT COUNT(*) FROM loud"
status_is 0 "a view that warns is answered"
check "a warning with a row in it is not shown" sh -c "! grep -rq patient '$err' words.log"

secret=Geheim
hostile() { # NAME DSN
	policy hostile.yaml "$2" people
	run query --policy hostile.yaml -e 1 "SELECT COUNT(*) FROM people"
	verdict "$([ "$status" = 1 ] && ! grep -rqi "$secret" "$out" "$err" words.log hostile.yaml.db 2>/dev/null; echo $?)" \
		"no word of the connection string: $1"
}
hostile "a URI that does not parse" "postgresql://user:$secret@[host/db"
hostile "a port that is none" "postgresql://user:$secret@host:$secret/db"
hostile "an escape that is none" "postgresql://user:p%zz$secret@host/db"
hostile "an unknown option of a URI" "postgresql:///db?$secret=1"
hostile "an unknown option" "password=x $secret=y"
hostile "a quote without an end" "password='$secret host=x"
hostile "a value without a name" "host=x $secret"
hostile "a name without a value" "$secret"
hostile "a file for a key" "sslmode=verify-full sslrootcert=/$secret host=localhost"
hostile "a service" "service=$secret"
hostile "a mode" "sslmode=$secret"
hostile "a host" "host=/$secret/nowhere password=$secret"
hostile "a host without an address" "host=$secret.invalid password=$secret"
hostile "a role" "user=$secret password=$secret"
hostile "a database" "dbname=$secret"
hostile "a port" "port=$secret"
hostile "options for the server" "options='-c $secret=1'"
hostile "an attribute" "target_session_attrs=$secret"
printf '%s\n' "*:*:*:*:$secret" >"$work/$secret.pass"
chmod 644 "$work/$secret.pass"
hostile "a password file that others may read" "passfile=$work/$secret.pass user=nobody"
for name in PGPASSFILE:"$work/$secret.pass" PGSERVICE:$secret PGSERVICEFILE:/$secret PGPORT:$secret PGSSLMODE:$secret \
	PGOPTIONS:"-c $secret=1" PGUSER:$secret PGDATABASE:$secret PGHOSTADDR:$secret PGCONNECT_TIMEOUT:$secret; do
	(
		export "${name%%:*}=${name#*:}"
		export PGUSER="${PGUSER#sotto}x"
		hostile "${name%%:*}" "" | sed 's/^\(not \)\{0,1\}ok [0-9]*/\1ok/' >hostile.out
	)
	verdict "$(grep -q '^ok' hostile.out; echo $?)" "nor of the environment: ${name%%:*}"
done
policy away.yaml "host=$work/nowhere" people
refuses 1 "sotto query: PostgreSQL could not be reached: no server answers there; check host and port in dsn, or PGHOST and PGPORT" \
	query --policy away.yaml -e 1 "SELECT COUNT(*) FROM people"
policy malformed.yaml "host='x" people
refuses 1 "sotto query: PostgreSQL could not be reached: the connection string is malformed, or has an option that libpq does not know; write dsn like host=db.example dbname=clinic" \
	query --policy malformed.yaml -e 1 "SELECT COUNT(*) FROM people"
finish
