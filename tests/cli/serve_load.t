#!/bin/sh
# sotto serve under load: analysts race for the last epsilon; kill -9 loses nothing that was acknowledged.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/serve.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
cp "$root/examples/hospital/small/patients.csv" "$work" && cd "$work" || exit 1
"$SOTTO" local plan --n 10000 --d 4 --eps 2 --protocol grr --emit-params > grr || exit 1
cat > sotto.yaml <<-'END'
	ledger: l.db
	budget: { epsilon: 40, delta: 1e-6 }
	time: { pad: 10ms }
	collections: { colours: { params: grr, store: colours } }
	tables:
	  patients: { source: patients.csv, unit: patient_id, columns: { age: { type: integer } } }
END
"$SOTTO" seal > /dev/null && "$SOTTO" ledger create > /dev/null || exit 1
python3 "$root/tests/cli/serve_load.py" crash "$SOTTO" "$([ -n "${SOTTO_LONG:-}" ] && echo 500 || echo 6)" > "$out" 2> "$err"
sed 's/^/# /' "$out"
check "kill -9 under load loses nothing that was acknowledged" test "$(tail -n 1 "$out")" = good
run budget --verify
status_is 0 "the ledger is whole afterwards"
run local collect --store colours --verify
status_is 0 "and so are the reports"
"$SOTTO" user rotate owner > "$out" 2> /dev/null
owner=$(cat "$out")
start_server
python3 "$root/tests/cli/serve_load.py" race "$url" "$owner" 200 > "$out" 2> "$err"
check "200 analysts who race for the last epsilon never overspend it" test "$(tail -n 1 "$out")" = good
stop_server
run budget --verify
status_is 0 "and the ledger is whole"
finish
