#!/bin/sh
# sotto tables and sotto explain --preview: what can be asked, and what an answer could look like.
. "$(dirname "$0")/lib.sh"
hospital=$(cd "$(dirname "$0")/../../examples/hospital/small" && pwd)
cp "$hospital"/*.csv "$hospital/sotto.yaml" "$work" && cd "$work" || exit 1

run tables
status_is 0 "tables are listed"
stdout_like '^patients: private, each patient_id is protected; it counts in at most 1 group, with 1 row in each$' "who is protected"
stdout_like '^age  *integer  *0 to 110  *never NULL$' "a column with its type and bounds"
stdout_like 'Padova, Nantes, .* (20 keys)' "the first of many keys, and how many there are"
stdout_like '^cities: public, answers are exact and free$' "public tables"
run tables visits --format json
check "one table as JSON" json "[t['name'] for t in a['tables']] == ['visits'] and a['tables'][0]['unit'] == 'patient_id' and a['tables'][0]['max_groups'] == 3"
check "with bounds and keys" json "{c['name']: c for c in a['tables'][0]['columns']}['days']['bounds'] == [0, 30] and len({c['name']: c for c in a['tables'][0]['columns']}['ward']['keys']) == 8"
check "and the unit" json "[c['name'] for c in a['tables'][0]['columns'] if c['unit']] == ['patient_id']"
run tables --format csv
check "CSV has one line for each column" test "$(head -n 1 "$out")" = table,column,type,bounds,keys,note
refuses 1 "sotto tables: there is no table nowhere in the policy; sotto tables lists them" tables nowhere
check "nothing is charged" test "$("$SOTTO" budget --format json | python3 -c 'import json, sys; print(json.load(sys.stdin)["releases"])')" = 0
cat > reach.yaml <<'Y'
budget: { epsilon: 1, delta: 1e-6 }
tables:
  patients: { source: patients.csv, unit: row }
Y
run tables --policy reach.yaml
stdout_like '^patients: private, each row is protected$' "each row is protected"

# Previews.  The small hospital has 2000 patients; what is shown is about 1000 invented ones.
run explain --preview -e 1 --format json "SELECT COUNT(*) FROM patients"
status_is 0 "a preview"
check "it is marked" json "a['made_up'] is True"
check "of 1,000 rows, not of those that are there" json "abs(a['rows'][0][0] - 1000) < 100"
check "with the interval of the real question" json "a['intervals'][0][0][1] - a['intervals'][0][0][0] == 6"
check "free" json "a['cost']['epsilon'] == 0 and a['remaining']['epsilon'] == 4"
run explain --preview -e 1 "SELECT ward, COUNT(*), AVG(cost) FROM visits GROUP BY ward"
stdout_like '^MADE-UP ROWS: ' "people see it first"
check "all public keys are there" test "$(grep -c '^[a-z]\{1,\} \{1,\}-\{0,1\}[0-9]' "$out")" = 8
sed 's/^  patients:/  patients:\n    rows: 50000/' sotto.yaml > many.yaml
run explain --policy many.yaml --preview -e 1 --format json "SELECT COUNT(*) FROM patients"
check "as many as the policy says" json "abs(a['rows'][0][0] - 50000) < 100"
run explain --preview -e 1 --format json "SELECT c.region, COUNT(*) AS n FROM patients p JOIN cities c ON p.city = c.city GROUP BY c.region"
check "public tables are themselves" json "'veneto' in str(a['rows']).lower() or len(a['rows']) > 1"
run explain --preview -e 1 --format json "SELECT COUNT(*) FROM visits v JOIN patients p ON v.patient_id = p.patient_id WHERE p.age >= 0"
check "linked tables meet" json "a['rows'][0][0] > 500"
run explain --preview -e 1 --format csv "SELECT COUNT(*) FROM patients"
stderr_is "the rows behind these numbers are made up" "beside CSV it is said"
run budget --format json
check "nothing was charged" json "a['releases'] == 0 and a['history'][1:] == [] or all(h['kind'] != 'release' for h in a['history'])"

# No private row is read: the copies that queries read are broken, and only real questions notice.
sealing=no
for file in $(find sotto-sealed -name '*.parquet'); do
	touch -r "$file" stamp
	chmod u+w "$file"
	python3 - "$file" <<'END'
import struct, sys
with open(sys.argv[1], "r+b") as f:
    f.seek(-8, 2)
    rows_end = f.tell() - struct.unpack("<I4x", f.read(8))[0]
    f.seek(4)
    f.write(bytes(rows_end - 4))
END
	touch -r stamp "$file"
done
run explain --preview -e 1 --format json "SELECT COUNT(*) FROM patients"
check "a preview does not open the private copy" json "abs(a['rows'][0][0] - 1000) < 100"
run query -e 0.1 "SELECT COUNT(*) FROM patients"
status_is 1 "which a question does"
printf 'tables:\n  t: { source: patients.csv, unit: row, rows: 99999999 }\nbudget: { epsilon: 1, delta: 1e-6 }\n' > large.yaml
run tables --policy large.yaml
stderr_like 'rows must be a whole number from 1 to 1000000' "rows has an end"
finish
