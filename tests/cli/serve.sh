# serve.sh - a server for shell tests, and ways to ask it
#
#	. "$(dirname "$0")/lib.sh"
#	. "$(dirname "$0")/serve.sh"
#	start_server                    # on sotto.yaml here; sets $server $url $port $database $owner $token
#	ask "$key" budget               # body in $out, $status
#	replied 200 '"left"' "the budget is told"
#	psql_as alice "$key" 'SELECT 1' # rows in $out, notices and errors in $err
#	stop_server

server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; [ -z "$server" ] || wait "$server" 2>/dev/null; rm -rf "$work"' EXIT

start_server() {
	: > serve.log
	"$SOTTO" serve --http 127.0.0.1:0 --pg 127.0.0.1:0 "$@" > serve.log 2> serve.err &
	server=$!
	while ! grep -q '^stop with' serve.log; do
		kill -0 "$server" 2>/dev/null || { cat serve.err; break; }
		sleep 0.05
	done
	url=$(sed -n 's/^console and API  *//p' serve.log)
	port=$(sed -n 's/^PostgreSQL *[0-9.]*:\([0-9]*\),.*/\1/p' serve.log)
	database=$(sed -n 's/^PostgreSQL.* database \([^ ]*\) .*/\1/p' serve.log)
	new=$(sed -n "s/^owner's key  *//p" serve.log)
	[ -z "$new" ] || owner=$new
	token=$(sed -n 's/.*#login=//p' serve.log)
}

stop_server() {
	kill "$server"
	wait "$server"
	ended=$?
	server=
	return $ended
}

# ask KEY PATH [CURL ARGUMENT...]: the body into $out, the status into $status
ask() {
	key=$1 path=$2
	shift 2
	status=$(curl -s -o "$out" -w '%{http_code}' -H "Authorization: Bearer $key" "$@" "$url/v1/$path")
}
replied() { check "$3" sh -c "test '$status' = '$1' && grep -Eq '$2' '$out'"; }

# psql_as NAME KEY SQL...: each a command of its own
psql_as() {
	name=$1 key=$2
	shift 2
	status=0
	for statement; do set -- "$@" -c "$statement"; shift; done
	PGPASSWORD=$key psql -X -A -t "host=127.0.0.1 port=$port user=$name dbname=$database" "$@" > "$out" 2> "$err" || status=$?
}
