#!/bin/sh
# sotto serve for owners and devices: the policy over HTTP, reports of devices, the API's description.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/serve.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
cp "$root"/examples/hospital/small/*.csv "$work" && cd "$work" || exit 1
"$SOTTO" local plan --n 10000 --d 4 --eps 2 --protocol grr --emit-params > grr || exit 1
cat > sotto.yaml <<-'END'
	ledger: l.db
	ledger-witness: seen
	budget: { epsilon: 40, delta: 1e-6 }
	time: { pad: 10ms }
	trusted_proxy: 127.0.0.1
	collections: { colours: { params: grr, store: colours }, shapes: { params: grr, store: shapes, max_reports: 499 } }
	tables:
	  patients: { source: patients.csv, unit: patient_id, columns: { age: { type: integer }, smoker: { keys: [true, false] } } }
	  visits: { source: visits.csv, unit: patient_id, columns: { ward: { keys: [surgery, emergency] } } }
END
"$SOTTO" seal > /dev/null && "$SOTTO" ledger create > /dev/null || exit 1
run user add alice
alice=$(cat "$out")
run user add phones --role device --collection colours
phones=$(cat "$out")
start_server
policy() { # policy TEXT_FILE [MEMBERS]: PUT it
	python3 -c "import json, sys; print(json.dumps({'text': open('$1').read()} | json.loads('{${2:-}}')))" > body
	ask "$owner" policy -X PUT --data-binary @body
}

# ---- the policy -----------------------------------------------------------------------------------
cp sotto.yaml good.yaml
sed 's/type: integer/type: integer, bounds: [0, 110]/' good.yaml > bounds.yaml
policy bounds.yaml '"look": true'
check "what would change is told" json "not a['saved'] and [c['weakens'] for c in a['changes']] == [False] and 'bounds' in a['changes'][0]['text']"
check "and nothing is saved" cmp -s good.yaml sotto.yaml
policy bounds.yaml
check "a harmless change is saved" json "a['saved'] and len(a['changes']) == 1"
check "in the file" cmp -s bounds.yaml sotto.yaml
ask "$alice" query -d '{"sql": "SELECT SUM(age) AS s FROM patients", "epsilon": 0.5}'
replied 200 '"cost":\{"epsilon":0.5' "and holds at once"
sed 's/epsilon: 40/epsilon: 80/' bounds.yaml > weak.yaml
policy weak.yaml
replied 409 '"needs-accept".*budget epsilon: 40 -> 80.*"weakens":true' "a weaker promise needs the owner's word"
check "and is not saved without" cmp -s bounds.yaml sotto.yaml
policy weak.yaml '"accept": true'
check "with it it is" json "a['saved']"
ask "$owner" budget
check "and holds" json "a['budget']['epsilon'] == 80 and a['spent']['epsilon'] > 0"
printf 'budget: { epsilon: 1 }\ntables: [\n' > broken.yaml
policy broken.yaml '"accept": true'
replied 422 'sotto.yaml:3: .*"bad-policy"' "a broken one is refused with its line"
check "and leaves the file" cmp -s weak.yaml sotto.yaml
ask "$owner" policy -X PUT -d '{}'
replied 400 '"no-text"' "so is none"
ask "$alice" policy -X PUT --data-binary @body
replied 403 '"wrong-role"' "and that of an analyst"
ask "$owner" history
check "changes stand in the ledger" json "any('budget epsilon' in e['query'] for e in a['entries'])"

# What was edited in the file and never accepted is not accepted by saving something harmless.
cp weak.yaml now.yaml
sed -i 's/epsilon: 80/epsilon: 160/' sotto.yaml
sed 's/epsilon: 80/epsilon: 160/; s/bounds: \[0, 110\]/bounds: [0, 111]/' now.yaml > edited.yaml
policy edited.yaml
replied 409 '"needs-accept".*budget epsilon: 80 -> 160.*"weakens":true' "a weaker promise that was edited into the file needs it too"
policy now.yaml '"accept": true'
check "and can be taken back" json "a['saved']"

# Without a word of the policy replies leave at whole seconds here, and at once on the command line.
question='{"sql": "SELECT COUNT(*) AS n FROM patients", "epsilon": 0.5}'
ask "$alice" explain -d "$question"
replied 200 '"sent at a multiple of 10 ms after the charge"' "the policy's pad holds"
sed '/time:/d' sotto.yaml > unpadded.yaml
policy unpadded.yaml '"accept": true'
ask "$alice" explain -d "$question"
replied 200 '"60 s; a question that takes longer .*"sent at a multiple of 1 s after the charge"' "a server pads to a second by itself"
"$SOTTO" explain -e 0.5 --format json "SELECT COUNT(*) AS n FROM patients" > "$out"
check "the command line does not" json "a['limits']['pad'] == 0 and a['limits']['time'] == 60"
policy now.yaml '"accept": true'

# ---- members of bodies ----------------------------------------------------------------------------
# Seen to fail: all of these were taken as if the member were not there, so that carol had no limit, a change that was
# only to be looked at was saved, and a question cost the default of the policy.
ask "$owner" users -d '{"name": "carol", "share": 0.25}'
replied 400 '"share must be a text".*"bad-member"' "a share that is a number is not no share"
ask "$owner" users -d '{"name": "carol", "limit": "1/4"}'
replied 400 'it may have name, role, share, collection".*"unknown-member"' "nor is one with another name"
ask "$owner" users
check "and nobody was added" json "all(u['name'] != 'carol' for u in a['users'])"
sed 's/epsilon: 80/epsilon: 79/' now.yaml > looked.yaml
policy looked.yaml '"look": "true"'
replied 400 '"look must be true or false"' "a change is not saved that was only to be looked at"
check "the policy is as it was" cmp -s sotto.yaml now.yaml
ask "$alice" query -d '{"sql": "SELECT COUNT(*) AS n FROM patients WHERE smoker", "epsilom": 0.01, "epsilon": 0.5}'
replied 400 'a member that means nothing here; it may have sql, epsilon, delta, error, diagnostics, mechanism, weights, fresh"' "a question says what it may have"
ask "$alice" query -d '{"sql": "SELECT COUNT(*) AS n FROM patients WHERE smoker", "epsilon": 0.5, "fresh": 1}'
replied 400 '"fresh must be true or false"' "and of what kind"
ask "$alice" logout -d '{"key": "x"}'
replied 400 'may have no members here' "where nothing is asked nothing is said"
ask "$alice" explain -d '{"sql": "SELECT COUNT(*) AS n FROM patients WHERE smoker", "epsilon": 0.5, "delta": null, "fresh": null}'
replied 200 '"cost"' "null is no value"

# ---- reports of devices ---------------------------------------------------------------------------
for i in 1 2 3; do yes $((i % 2)) | head -n 500 | "$SOTTO" local encode --params grr --each-device --out batch > "batch$i"; done
report() { ask "$1" "collections/$2/reports" --data-binary "@$3" -H 'Content-Type: application/octet-stream'; }
report "$phones" colours batch1
replied 202 '"accepted"' "a batch is accepted"
report "$phones" colours batch1
replied 200 '"duplicate"' "once"
report "$phones" shapes batch2
replied 403 '"wrong-collection"' "a device key is for one collection"
report "$alice" colours batch2
replied 403 '"wrong-role"' "an analyst sends none"
report "$phones" nosuch batch2
replied 403 '"wrong-collection"' "nor is another collection looked at"
head -c 300 batch2 > torn
report "$phones" colours torn
replied 400 '"bad-batch"' "a torn batch is rejected"
report "$owner" shapes batch2
replied 413 '"bad-batch"' "nor is a batch taken that poses as more devices than the owner allows"
yes 1 | head -n 65537 | "$SOTTO" local encode --params grr --each-device --out batch > many
report "$phones" colours many
replied 413 '"bad-batch"' "which are 65536 unless the policy says otherwise"
report "$phones" colours batch2
report "$phones" colours batch3
ask "$alice" collections/colours/estimates
check "estimates are told with intervals" json "a['reports'] == 1500 and len(a['estimates']) == 4 and all(e['low'] <= e['estimate'] <= e['high'] for e in a['estimates']) and a['estimates'][1]['estimate'] > 500"
ask "$phones" collections/colours/estimates
replied 403 '"wrong-role"' "not to devices"
ask "$phones" query -d '{"sql": "SELECT 1"}'
replied 403 '"wrong-role"' "which ask nothing"
kill -9 "$server"
wait "$server" 2> /dev/null
start_server
check "a later start says how to log in" grep -qx 'log in  *with your key; if it is lost, make a new one with: sotto user rotate NAME' serve.log
report "$phones" colours batch3
replied 200 '"duplicate"' "what was acknowledged survives kill -9"
ask "$alice" collections/colours/estimates
check "and is counted once" json "a['reports'] == 1500"

# ---- contribution limits ----------------------------------------------------------------------------
ask "$owner" limits -d '{"table": "visits", "by": "ward", "epsilon": 2}'
check "limits of a table are found, and their price is said" json "a['max_groups'] >= 1 and a['max_rows'] >= 1 and a['cost'] == 2 and not a['repeated']"
ask "$owner" limits -d '{"table": "visits", "by": "ward", "epsilon": 2, "write": true}'
check "free the second time" json "a['cost'] == 0 and a['repeated']"
check "and written into the policy" grep -q 'max_groups: ' sotto.yaml
# Seen to fail: the reply was a 422 without what was found, and without its price.
ask "$owner" limits -d '{"table": "visits", "by": "ward", "epsilon": 0.001, "write": true}'
check "limits that are not fit to be written are told with their price" json "a['cost'] == 0.001 and a['max_rows'] >= 1 and not a['written'] and 'not written' in a['reason']"
ask "$owner" limits -d '{"table": "nosuch"}'
replied 422 'the policy has no private table nosuch' "of no other table"
ask "$owner" limits -d '{}'
replied 400 '"no-table"' "nor of none"
ask "$alice" plan -d '{"users": 1e6, "values": 2.5, "epsilon": 1}'
replied 400 'values must be a whole number from 2 to' "a plan needs whole numbers"

# ---- addresses ------------------------------------------------------------------------------------
wrong=sk_1_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
for i in 1 2 3 4 5 6 7; do ask $wrong budget -H 'X-Forwarded-For: 1.2.3.4, 9.9.9.9'; done
replied 429 '"slow-down"' "guesses through a proxy slow the client behind it down"
ask "$alice" budget -H 'X-Forwarded-For: 9.9.9.9, 8.8.8.8'
replied 200 '"left"' "not another one: the last address counts"
ask $wrong budget -H 'X-Forwarded-For: 8.8.8.8' -H 'X-Forwarded-For: 9.9.9.9'
replied 429 '"slow-down"' "a proxy may add a header of its own behind the client's"
ask "$alice" budget -H 'X-Forwarded-For: 9.9.9.9' -H 'X-Forwarded-For: 8.8.8.8'
replied 200 '"left"' "and the client's own names nobody"

# cookie HEADER: that of alice, behind a proxy that says so
cookie() { curl -s -o /dev/null -D headers -H "$1" -d "{\"key\": \"$alice\"}" "$url/v1/login"; }
cookie 'X-Forwarded-Proto: https'
check "a cookie behind TLS is whole, and goes over TLS alone" grep -Eiq '^set-cookie: sotto-[0-9]+=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Strict; Max-Age=[0-9]+; Secure.?$' headers
cookie 'X-Forwarded-Proto: http'
check "in clear it is whole too" grep -Eiq '^set-cookie: sotto-[0-9]+=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Strict; Max-Age=[0-9]+.?$' headers

# ---- backup and restore ---------------------------------------------------------------------------
SOTTO=$SOTTO "$root/examples/serve/backup" sotto.yaml saved > "$out" 2> "$err"
verdict $? "a backup is made while the server runs"
ask "$alice" query -d '{"sql": "SELECT COUNT(*) FROM patients", "epsilon": 0.5}'

# ---- the description of the API ---------------------------------------------------------------------
python3 "$root/tests/cli/openapi_check.py" "$root/docs/openapi.json" "$root/src/server/route/route_table.c" "$url" "$owner" "$alice" > "$out" 2> "$err"
verdict $? "docs/openapi.json describes the routes and replies"
stop_server
check "SIGTERM ends it in good order" test $? = 0
keeper=$owner # run has a variable of that name
run budget --verify
status_is 0 "the ledger is whole"
SOTTO=$SOTTO "$root/examples/serve/restore" sotto.yaml saved > "$out" 2> "$err"
check "a ledger that is there is not replaced" test $? != 0
mkdir lost && mv l.db* lost
SOTTO=$SOTTO "$root/examples/serve/restore" sotto.yaml saved > "$out" 2> "$err"
stderr_like 'lacks entries that its witness seen has seen' "a lost one is, and its witness knows that it is older"
start_server
owner=$keeper
sed 's/bounds: \[0, 110\]/bounds: [0, 111]/' sotto.yaml > harmless.yaml
policy harmless.yaml
replied 409 '"needs-accept".*the witness .*has seen entries that this ledger lacks' "an older ledger is not vouched for by a harmless change"
policy harmless.yaml '"accept": true'
ask "$alice" budget
check "with its people, and what was spent before" json "a['releases'] == 1"
stop_server
run local collect --store colours --verify
status_is 0 "and the reports are"
finish
