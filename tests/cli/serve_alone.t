#!/bin/sh
# An analyst gets the same words, prices and numbers from sotto serve whether or not others ask: limits that
# others have found, answers that they have paid for, and how many came leave no trace.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/serve.sh"
here=$(cd "$(dirname "$0")" && pwd)

# prepare FOLDER: 600 people with three rows in each of two wards, and a server for them
prepare() {
	mkdir "$work/$1" && cd "$work/$1" || exit 1
	cat > sotto.yaml <<-'END'
		name: clinic
		ledger: l.db
		budget: { epsilon: 1000, delta: 0.001 }
		auto_epsilon: 8
		diagnostics: 0
		time: { pad: 10ms }
		tables:
		  visits: { source: visits.csv, unit: id, max_groups: auto, max_rows: auto, columns: { x: { bounds: [0, 100], type: integer }, ward: { keys: [a, b, c, d, e, f] } } }
	END
	awk 'BEGIN { print "id,ward,x"; for (i = 0; i < 600; i++) for (j = 0; j < 6; j++) printf "%d,%s,%d\n", i, substr("abcdef", (i + j % 2) % 6 + 1, 1), j }' > visits.csv
	"$SOTTO" seal > /dev/null && "$SOTTO" ledger create > /dev/null || exit 1
	alice=$("$SOTTO" user add alice --share 1/2 2> /dev/null) bob=$("$SOTTO" user add bob --share 1/2 2> /dev/null)
	start_server
}
as_alice() { python3 "$here/serve_alone.py" "$url" "$port" alice "$alice" clinic > "$work/$1.seen" 2>&1; }
as_bob() { python3 "$here/serve_alone.py" "$url" "$port" bob "$bob" clinic "$@" > /dev/null 2>&1; }
number() { psql_as "$1" "$2" 'SELECT pg_backend_pid()' && cat "$out"; }

prepare alone
as_alice alone
first=$(number alice "$alice") second=$(number alice "$alice")
stop_server
prepare beside
as_bob
as_alice beside
"$SOTTO" budget --history --format json > "$work/beside.json"
stop_server
prepare otherwise
as_bob backwards
as_alice otherwise
"$SOTTO" budget --history --format json > "$work/otherwise.json"
stop_server
cd "$work" || exit 1
# shared KIND FOLDER: alice has an entry of that kind
shared() { python3 -c "import json, sys; sys.exit(not any(e['kind'] == '$1' and e['analyst'] == 'alice' for e in json.load(open('$2.json'))['history']))"; }

check "everything was asked" test "$(wc -l < alone.seen)" -gt 100
check "and answered" sh -c "! grep -q Traceback alone.seen && grep -q 'POST /v1/query.* 200 ' alone.seen"
for other in beside otherwise; do
	cmp -s alone.seen $other.seen || diff alone.seen $other.seen | head -20 | cut -c 1-1000 | sed 's/^/# /'
	check "an analyst sees the same $other as alone" cmp -s alone.seen $other.seen
done
check "although answers were shared" shared shared beside
check "and limits" shared 'partly shared' otherwise
check "connections are not numbered in a row" test "$first" -gt 0 -a "$second" -gt 0 -a "$second" -ne $((first + 1)) -a "$second" -ne "$first"
finish
