#!/bin/sh
# The web console and the lab in a real browser: what people see, and that it asks no other host.
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ "${SOTTO_VARIANT:-release}" != release ]; then
	echo "1..0 # SKIP the browser is driven in the release build"
	exit 0
fi
if ! command -v chromium > /dev/null || [ ! -d "$root/.cache/web/node_modules/playwright-core" ]; then
	echo "1..0 # SKIP chromium or playwright-core is missing; tools/setup installs both"
	exit 0
fi
cp "$root"/examples/hospital/small/*.csv "$work" && cd "$work" || exit 1
cat > sotto.yaml <<-'END'
	ledger: l.db
	budget: { epsilon: 10, delta: 1e-6 }
	time: { pad: 10ms }
	collections: { emoji: { params: emoji.params, store: emoji } }
	tables:
	  order: { source: order.csv, unit: patient_id, columns: { 'Country/Region': { keys: [north, south] }, select: {}, year: { type: integer, bounds: [2005, 2024] }, cost: { type: integer, bounds: [0, 9] } } }
	  patients: { source: patients.csv, unit: patient_id, columns: { smoker: { keys: [true, false] } } }
	  visits: { source: visits.csv, unit: patient_id, columns: { ward: { keys: [surgery, emergency] } } }
	  stays: { source: visits.csv, unit: patient_id, max_groups: auto, max_rows: auto, columns: { ward: { keys: [surgery, emergency] }, day: { type: date, bounds: [2025-01-01, 2025-12-31] } } }
	  notes: { source: notes.csv, public: true }
END
printf '%s\n' id,note '1,<script>broken.push(2)</script>' '2,<img src=x onerror=broken.push(3)>' > notes.csv
printf '%s\n' 'patient_id,Country/Region,select,year,cost' 1,north,a,2023,5 2,south,b,2024,7 > order.csv
printf '%s\n' 'protocol cms' 'width 64' 'groups 64' 'epsilon 4' > emoji.params
"$SOTTO" seal > /dev/null && "$SOTTO" ledger create > /dev/null && "$SOTTO" user add alice --share 1/2 > alice &&
	"$SOTTO" user add phone --role device --collection emoji > /dev/null || exit 1
"$SOTTO" serve --http 127.0.0.1:0 --pg 127.0.0.1:0 > serve.log 2> serve.err &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; rm -rf "$work"' EXIT
while ! grep -q '^stop with' serve.log 2>/dev/null; do
	kill -0 "$server" 2>/dev/null || { sed 's/^/# /' serve.err; exit 1; }
	sleep 0.05
done
export CONSOLE_URL="$(sed -n 's/^console and API  *//p' serve.log)" CONSOLE_ANALYST="$(cat alice)"
export CONSOLE_OWNER="$(sed -n "s/^owner's key  *//p" serve.log)" CONSOLE_TOKEN="$(sed -n 's/.*#login=//p' serve.log)"
export CONSOLE_PG_PORT="$(sed -n 's/^PostgreSQL *[0-9.]*:\([0-9]*\),.*/\1/p' serve.log)" CONSOLE_DATABASE="$(basename "$work")"
export CONSOLE_PICTURES="$(dirname "$SOTTO")/screenshots" CONSOLE_MODULES="$root/.cache/web/node_modules"
mkdir -p "$CONSOLE_PICTURES"
node "$root/tests/web/console.mjs"
