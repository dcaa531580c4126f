# postgres.sh - a PostgreSQL server of a test's own
#
#	. "$(dirname "$0")/lib.sh"
#	. "$(dirname "$0")/postgres.sh"
#	sql 'CREATE TABLE t (x int)'
#
# It listens on a socket in a folder of its own and nowhere else, as a user
# without rights where the test itself runs as root, and ends with the test.  PG*
# say where it is.

postgres_bin=
for folder in /usr/lib/postgresql/*/bin "$here"/../../.cache/postgres/usr/lib/postgresql/*/bin; do
	[ -x "$folder/initdb" ] && postgres_bin=$folder
done
if [ -z "$postgres_bin" ] || ! command -v psql >/dev/null; then
	echo "1..0 # SKIP there is no PostgreSQL server"
	exit 0
fi

server=$(mktemp -d /tmp/sotto-postgres.XXXXXX) # short enough for a socket, open to others
as_nobody=
if [ "$(id -u)" = 0 ]; then
	as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
	chown 65534:65534 "$server"
fi
if ! $as_nobody test -x "$postgres_bin/initdb"; then # the folder of the sources is closed to others
	cp -R "$here/../../.cache/postgres/usr" "$server"
	postgres_bin=$(echo "$server"/usr/lib/postgresql/*/bin)
fi

stop_server() {
	$as_nobody "$postgres_bin/pg_ctl" -D "$server/data" -m immediate -w stop >/dev/null 2>&1
	rm -rf "$server" "$work"
}
trap stop_server EXIT

start_server() {
	(
		cd "$server" || exit 1
		# Sanitizers are for our program, not for the server's.
		unset ASAN_OPTIONS UBSAN_OPTIONS
		$as_nobody "$postgres_bin/initdb" -D "$server/data" -U sotto -A trust -E UTF8 \
			--no-locale -N && $as_nobody "$postgres_bin/pg_ctl" -D "$server/data" \
			-l "$server/log" -w -o "-c listen_addresses= -c fsync=off \
			-c unix_socket_directories=$server" start
	) >"$server/start.log" 2>&1
}
start_server || { sed 's/^/# /' "$server/start.log" "$server/log"; exit 1; }

export PGHOST="$server" PGUSER=sotto PGDATABASE=postgres
unset PGPORT PGPASSWORD PGSERVICE PGOPTIONS

sql() { psql -q -X -v ON_ERROR_STOP=1 -At "$@"; }
