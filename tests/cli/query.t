#!/bin/sh
# sotto query, explain, budget, bounds, init: what they answer, and refuse in which words.
. "$(dirname "$0")/lib.sh"
hospital=$(cd "$(dirname "$0")/../../examples/hospital/small" && pwd)
cp "$hospital"/*.csv "$hospital/sotto.yaml" "$work" && cd "$work" || exit 1
ledger=hospital-ledger.db

run explain -e 0.5 "SELECT city, COUNT(*), AVG(age) FROM patients WHERE smoker GROUP BY city"
status_is 0 "a query is explained"
stdout_like 'public, 20 values (the policy declares its values)' "public keys are counted"
stdout_like 'one patient_id moves it by at most 55 in a group' "an average is taken around the middle of its bounds"
stdout_like 'epsilon 3.5' "what would be left"

run query -e 0.5 --format json "SELECT city, COUNT(*) AS n, AVG(age) FROM patients WHERE smoker GROUP BY city ORDER BY n DESC"
status_is 0 "a query is answered"
cp "$out" first
check "JSON has what it must" json "set(a) >= {'columns', 'rows', 'intervals', 'cost', 'remaining', 'repeated', 'mechanism'}"
check "all public keys are shown" json "len(a['rows']) == 20 and len(a['intervals']) == 20"
check "columns say what they are" json "a['columns'][0] == {'name': 'city', 'type': 'text', 'kind': 'key'} and a['columns'][1]['kind'] == 'noisy'"
check "intervals hold their values, keys have none" json "all(i[0] is None and i[1][0] <= r[1] <= i[1][1] for r, i in zip(a['rows'], a['intervals']))"
check "the result is sorted" json "[r[1] for r in a['rows']] == sorted((r[1] for r in a['rows']), reverse=True)"
check "cost and what is left are exact" json "a['cost'] == {'epsilon': 0.5, 'delta': 0} and a['remaining']['epsilon'] == 3.5"
run query -e 0.5 --format json "SELECT city, COUNT(*) AS n, AVG(age) FROM patients WHERE smoker GROUP BY city ORDER BY n DESC"
check "the same again is the same, free" json "a['repeated'] and a['rows'] == json.load(open('first'))['rows'] and a['cost']['epsilon'] == 0"
# Keys that JSON has no numbers for: texts there, and the answer and its repeat are whole.
python3 -c "
print('id,x')
for i in range(400): print('%d,%s' % (i, ['inf', '-inf', 'nan', '1.5'][i % 4]))" > special.csv
printf '%s\n' 'ledger: special.db' 'budget: { epsilon: 1000, delta: 1e-6 }' 'tables:' \
	'  special: { source: special.csv, unit: id, max_groups: 1, max_rows: 1, columns: { x: { type: number } } }' > special.yaml
for time in first second; do
	run query -p special.yaml -e 100 --format json "SELECT x, COUNT(*) AS n FROM special GROUP BY x"
	check "infinite keys and NaN are texts in JSON, the $time time" json "sorted(str(r[0]) for r in a['rows']) == ['-inf', '1.5', 'inf', 'nan'] and all(abs(r[1] - 100) < 5 for r in a['rows'])"
done
run query -p special.yaml -e 100 --format csv "SELECT x, COUNT(*) AS n FROM special GROUP BY x"
stdout_like '^nan,' "and words in CSV"
input 'SELECT COUNT(*) FROM patients -- from standard input\n'
run query -e 0.25 --format csv
stdout_like '^count,count_low,count_high$' "SQL comes from standard input, answers as CSV"
# Numbers as people and programs want them, in a ledger of their own.
sed 's/hospital-ledger.db/numbers.db/; s/epsilon: 4,/epsilon: 1000,/' sotto.yaml > numbers.yaml
run query -p numbers.yaml -e 3 --format csv "SELECT city, SUM(weight_kg) AS kg FROM patients GROUP BY city"
check "a sum on a grid of 0.1 and its interval end there" sh -c "! grep -q '[.][0-9][0-9]' '$out' && grep -q '[.][1-9]' '$out'"
run query -p numbers.yaml -e 3 --format csv "SELECT city, SUM(weight_kg) / 7 AS kg FROM patients GROUP BY city"
check "no number has more than 15 digits" python3 -c "
import sys
cells = [c for line in open('$out').read().split()[1:] for c in line.split(',')[1:]]
sys.exit(any(len(c.strip('-').replace('.', '').lstrip('0')) > 15 for c in cells) or not cells)"
run query -p numbers.yaml -e 3 "SELECT city, COUNT(*) AS n, AVG(age) AS age FROM patients WHERE city IN ('Padova', 'Cork', 'Graz') GROUP BY city"
check "a column has one number of decimals, counts and their margins none" python3 -c "
import sys
rows = [line.split() for line in open('$out').read().split('\n\n')[0].split('\n')[1:] if line]
decimals = [{len(cell.partition('.')[2]) for cell in column} for column in list(zip(*rows))[1:]]
sys.exit(not (len(rows) == 3 and decimals[0] == decimals[1] == {0} and len(decimals[2]) == 1 and decimals[2] == decimals[3]))"
named="SELECT CASE WHEN smoker THEN 'x' WHEN NOT smoker THEN '' END AS k, COUNT(*) AS n FROM patients GROUP BY 1"
run query -p numbers.yaml -e 1 "$named"
check "people see NULL beside an empty text" sh -c "grep -q '^NULL  ' '$out' && grep -q '^  ' '$out'"
run query -p numbers.yaml -e 1 --format csv "$named"
check "programs see nothing and an empty text" sh -c "grep -q '^,' '$out' && grep -q '^\"\",' '$out'"
run query -p numbers.yaml -e 1 --delta 4e-7 "SELECT diagnosis, COUNT(*) FROM visits GROUP BY diagnosis"
stdout_like 'cost epsilon 1, delta 4e-7; left epsilon [0-9.]*, delta 1e-7' "small amounts have an exponent"
run budget -p numbers.yaml
stdout_like ' 1e-6  *4e-7  *1e-7 ' "in the budget too"
run query -p numbers.yaml -e 0.01 "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
# Noise alone finds a loss in one run of forty; no run may say "0 to 80 %".
check "an estimate that says nothing is not shown" sh -c "grep -q 'this epsilon is too small to estimate what these limits lose; a larger --epsilon shows it\\|estimated loss: the limits lost at least\\|could not be distinguished from noise' '$out' && ! grep -q '(0 to \\([5-9][1-9]\\|[6-9]0\\|100\\) %' '$out'"

run query "SELECT region, COUNT(*) AS n FROM cities GROUP BY region ORDER BY region LIMIT 2" --format json
check "public tables are exact and free" json "a['mechanism'] == 'exact' and a['cost']['epsilon'] == 0 and a['rows'][0][1] == 1"

refuses 1 "sotto query: rows of a private table are not shown; ask for COUNT, SUM, AVG or another aggregate, with GROUP BY if you like (line 1, character 8)" \
	query -e 1 "SELECT age FROM patients"
refuses 1 "sotto query: the privacy unit patient_id cannot be a key: each group would be one unit; group by what many of them share, or have patient_id as the key of a subquery and AVG, MAX or COUNT around it (line 1, character 40)" \
	query -e 1 "SELECT COUNT(*) FROM patients GROUP BY patient_id, patient_id"
refuses 1 "sotto query: only SELECT is answered; statements that change data, settings or tables are not" \
	query -e 1 "SET noise = 0"
refuses 1 "sotto query: write one statement at a time; this text has several" \
	query -e 1 "SELECT COUNT(*) FROM patients; SELECT 1"
refuses 1 "sotto query: the function random is not on the list of reviewed functions: it is not deterministic; write the value (line 1, character 37)" \
	query -e 1 "SELECT COUNT(*) FROM patients WHERE random() < 1"
refuses 1 "sotto query: the function now is not on the list of reviewed functions: it is not deterministic; write the value, like DATE '2025-12-31' (line 1, character 41)" \
	query -e 1 "SELECT COUNT(*) FROM visits WHERE day > now()"
refuses 1 "sotto query: the scale of the noise would be below 2^-10 steps; choose a smaller epsilon, or declare a finer step" \
	query -e 1e6 "SELECT COUNT(*) FROM patients"
sed 's/special.db/fine.db/; s/type: number/type: number, bounds: [0, 2000000000], step: 1/; s/max_rows: 1/max_rows: 1000000/' special.yaml > fine.yaml
refuses 1 "sotto explain: the scale of the noise would be above 2^50 steps; choose a larger epsilon, or declare closer bounds or a coarser step" \
	explain -p fine.yaml -e 0.0002 "SELECT SUM(x) FROM special"
refuses 1 "sotto query: how much may this cost? give --epsilon, like 0.1, or --error, or write a default into the policy" \
	query "SELECT COUNT(*) FROM patients"
refuses 1 "sotto query: there is no table nowhere in the policy; the tables are patients, visits, cities (line 1, character 22)" \
	query -e 1 "SELECT COUNT(*) FROM nowhere"
run query -e 1 "SELECT SUM(sex::numeric) FROM patients"
stderr_like 'has no bounds' "a sum without bounds is refused"
stderr_like 'clip(x, lowest, highest)' "and told how to bound it"
run query -e 100 "SELECT COUNT(*) FROM patients"
status_is 1 "what the budget does not have is refused"
stderr_is "sotto query: the epsilon left does not cover this release; epsilon 3.25 and delta 5e-7 are left, and the largest epsilon that would still fit is 3.25" "with what is left"
refuses 2 "sotto query: give --epsilon or --error, not both" query -e 1 --error 5 "SELECT COUNT(*) FROM patients"

run budget --format json
check "refusals cost nothing" json "a['spent']['epsilon'] == 0.75 and a['releases'] == 2 and len(a['history']) == 3"
run query -e 0.25 --format json "SELECT ward, COUNT(*) AS n, SUM(cost) FROM visits GROUP BY ward"
cp "$out" first.json
run query -e 3.5 "SELECT ward, COUNT(*) AS n, SUM(cost) FROM visits GROUP BY ward"
stderr_like ' epsilon 3 and delta 5e-7 are left, and the largest epsilon that would still fit is 3\.1[0-9]*, and less than that would be charged$' \
	"an epsilon above what is left is not a riddle: estimates that are known are not paid again"
cp first.json "$out"
check "JSON says what limits one unit" json "a['limits']['max_groups'] == 3 and a['limits']['max_groups_can_bind'] and a['limits']['max_rows'] == 20 and a['limits']['unit'] == 'patient_id'"
check "and which values are clipped" json "[c for c in a['limits']['clips'] if c['can_bind']]"
check "and what that lost, with intervals" json "a['limits']['loss']['rows_kept']['interval'][0] <= a['limits']['loss']['rows_kept']['value'] <= a['limits']['loss']['rows_kept']['interval'][1]"
check "groups have intervals of the noise only" json "a['columns'][1]['interval'] == 'noise only'"
run query -e 0.25 --format csv --header full "SELECT ward, COUNT(*) AS n, SUM(cost) FROM visits GROUP BY ward"
stdout_like '^# each patient counts in at most 3 groups by ward; further groups are dropped$' "CSV has the limits as comments"
run query -e 0.25 --format csv "SELECT ward, COUNT(*) AS n, SUM(cost) FROM visits GROUP BY ward"
check "if they are asked for" sh -c "! grep -q '^#' '$out'"
run query -e 0.25 "SELECT ward, COUNT(*) AS n, SUM(cost) FROM visits GROUP BY ward"
stdout_like 'each patient counts with at most 20 rows in each group; more are scaled down' "the footer has them too"
stdout_like 'estimated loss: the limits lost at least\|could not be distinguished from noise (\|too small to estimate' "with what they lost, or that noise hides it"
run explain -e 0.25 "SELECT ward, COUNT(*) FROM visits WHERE cost > 1 GROUP BY ward"
stdout_like 'what these limits lose is estimated for epsilon 0.0125 of the price, to' "explain says how well the loss will be known"
run explain -e 0.25 --diagnostics 0 "SELECT ward, COUNT(*) FROM visits WHERE cost > 1 GROUP BY ward"
stdout_like 'what these limits lose is not estimated' "it can be switched off"
refuses 2 "sotto explain: --diagnostics must be a share like 5% or 0.05, or 0 for none" \
	explain -e 1 --diagnostics some "SELECT COUNT(*) FROM visits"
run bounds income -e 0.5
stdout_like 'income: { bounds: \[' "bounds are found and written as a line for the policy"
run init --unit patient_id --policy new.yaml patients.csv --public cities.csv
status_is 0 "a policy to start from"
refuses 1 "sotto init: new.yaml already exists; name another file with --policy" \
	init --unit patient_id --policy new.yaml patients.csv
run query --policy new.yaml -e 0.1 "SELECT COUNT(*) FROM patients"
status_is 0 "and it works as it is"

# Names as tables of the world have them.
printf '%s\n' 'Customer ID,Order Date,Größe,Country/Region' 1,2024-01-02,M,north > orders.csv
run init --unit 'Customer ID' --policy odd.yaml orders.csv
check "the columns of a starter stand below each other, quotes and accents or not" python3 -c "
at = {line.index('{ type') for line in open('odd.yaml', encoding='utf-8') if '{ type' in line}
assert len(at) == 1, at"
refuses 1 'sotto explain: there is no column country; write "Country/Region" in double quotes, because its name is not a plain word (line 1, character 8)' \
	explain --policy odd.yaml "SELECT Country/Region, COUNT(*) FROM orders GROUP BY 1"
input '\\price on\nSELECT COUNT(*) AS n FROM orders;\n'
run shell --policy odd.yaml
stdout_like '^price: .*; n +- 32, more if one unit may count' "a price whose limits are not found yet says that its error may grow"
input ''
mkdir -p folder
refuses 1 "sotto init: folder is a folder; write folder/, with a slash at its end, for the Parquet files in it" \
	init --unit uid --policy other.yaml folder

refuses 1 "sotto init: . is a folder; write ./, with a slash at its end, for the Parquet files in it" \
	init --unit uid --policy other.yaml .
refuses 1 "sotto init: orders.xlsx must end in .csv, .tsv, .json, .ndjson (each also with .gz), .parquet or .duckdb, or in / for a folder of Parquet files" \
	init --unit uid --policy other.yaml orders.xlsx

# Nobody reads private values out of a core file: the process may not leave one.
mkfifo pipe
"$SOTTO" query -e 0.1 < pipe > /dev/null 2>&1 &
exec 3> pipe
for i in $(seq 600); do
	grep -q 'Max core file size *0 *0' /proc/$!/limits 2>/dev/null && break
	sleep 0.1
done
check "no core file" grep -q 'Max core file size *0 *0' /proc/$!/limits
exec 3>&-
wait

# Pictures: tried before the charge, whole afterwards, and text stays text.
picture() { python3 - "$1" "$2" <<'END'
import sys, xml.etree.ElementTree as ET
root = ET.parse(sys.argv[1]).getroot()
ns = "{http://www.w3.org/2000/svg}"
bars = len(root.findall(f".//{ns}rect")) - 1
whiskers = len([p for p in root.iter(ns + "path") if p.get("class") == "whisker"])
lines = len([p for p in root.iter(ns + "path") if p.get("class") == "line"])
texts = [t.text for t in root.iter(ns + "text")]
sys.exit(0 if eval(sys.argv[2]) else f"{bars} {whiskers} {lines} {texts}")
END
}
# What is clipped has its bounds as they are written: dates as dates, times as times, beside intervals of the same kind.
printf '%s\n' 'ledger: dated.db' 'budget: { epsilon: 100 }' 'tables:' '  v:' '    source: dated.csv' '    unit: id' '    columns:' \
	'      d: { bounds: [2021-01-01, 2021-12-31] }' '      t: { type: timestamp, bounds: [2021-01-01, 2021-01-31] }' \
	'      x: { bounds: [0, 9] }' > dated.yaml
printf 'id,d,t,x\n1,2021-05-05,2021-01-09 10:00:00,3\n2,2021-06-05,2021-01-08 10:00:00,4\n' > dated.csv
run seal --policy dated.yaml
run ledger create --policy dated.yaml
run query --policy dated.yaml -e 50 --format json "SELECT MEDIAN(d), MEDIAN(t), AVG(x) FROM v"
status_is 0 "medians of dates are answered"
check "bounds of dates are dates, those of numbers are numbers" json "[c['bounds'] for c in a['limits']['clips']] == [[0, 9], ['2021-01-01', '2021-12-31'], ['2021-01-01 00:08:32', '2021-01-31 23:57:52']]"
run explain --policy dated.yaml -e 50 --format json "SELECT MEDIAN(d), MEDIAN(t), AVG(x) FROM v"
check "also in explain" json "a['contributions']['clips'][1]['bounds'] == ['2021-01-01', '2021-12-31']"

run query -e 0.01 --svg ward.svg "SELECT ward, COUNT(*) AS n, AVG(days) AS d FROM visits GROUP BY ward"
status_is 0 "an answer is drawn"
check "a bar with a whisker for each group of each number" picture ward.svg "bars == 16 and whiskers == 16 and 'n by ward' in texts and 'surgery' in texts"
run query --svg day.svg "SELECT CAST(d AS DATE) AS day, n FROM (VALUES ('2024-03-01', 5), ('2024-01-01', 3), ('2024-02-01', 4)) AS v(d, n)"
status_is 0 "dates are drawn"
check "as a line" picture day.svg "lines == 1 and bars == 0 and '2024-02-12' in texts"
run query --svg text.svg "SELECT '<b>&' AS k, COUNT(*) AS n FROM cities GROUP BY 1"
check "text is not markup" picture text.svg "'<b>&' in texts"
before=$("$SOTTO" budget --format json | python3 -c 'import json, sys; print(json.load(sys.stdin)["spent"]["epsilon"])')
refuses 1 "sotto query: no/such/folder.svg could not be written" query -e 0.1 --svg no/such/folder.svg "SELECT COUNT(*) FROM visits WHERE days > 1"
refuses 1 "sotto query: there is no table nowhere in the policy; the tables are patients, visits, cities (line 1, character 22)" \
	query -e 0.1 --svg none.svg "SELECT COUNT(*) FROM nowhere"
check "a refused question leaves no picture" test ! -e none.svg
check "and a picture that cannot be written costs nothing" test "$before" = "$("$SOTTO" budget --format json | python3 -c 'import json, sys; print(json.load(sys.stdin)["spent"]["epsilon"])')"
run query --svg words.svg "SELECT city FROM cities ORDER BY city LIMIT 3"
status_is 1 "an answer without numbers cannot be drawn"
stderr_is "sotto query: there is no number to draw, so words.svg was not written" "which is said"
stdout_like '^Aarhus' "and it is printed all the same"

# kill -9 at any moment: what was charged stays, and the ledger opens again.
run budget --format json
before=$(python3 -c "import json; print(json.load(open('$out'))['releases'])")
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$SOTTO" query -e 0.001 --fresh "SELECT COUNT(*) FROM visits" > answer.$i 2> /dev/null &
	sleep "0.0$i"
	kill -9 $! 2> /dev/null
	wait $! 2> /dev/null
done
run budget --format json
status_is 0 "the ledger opens after twelve kills"
answers=$(cat answer.* | grep -c 'cost epsilon')
check "no answer was given without its charge" json "a['releases'] >= $before + $answers"

run budget --verify
status_is 0 "the ledger is verified"
stdout_like 'the chain of hashes holds' "and says so"
cp $ledger kept.db
python3 - $ledger <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE answer SET text = replace(text, '0', '1') WHERE number = 2")
db.commit()
PY
run budget --verify
status_is 1 "an exchanged answer is found"
stderr_is "sotto budget: the ledger $ledger is damaged; restore it from a backup, nothing is answered until then" "and the owner told what to do"
cp kept.db $ledger
rm -f $ledger-wal $ledger-shm
run budget --verify --format json
check "and only that" json "a['verified'] and a['entries'] >= a['answers'] >= 2"

run explain -e 0.25 "SELECT ward, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS r FROM visits GROUP BY ward"
stdout_like 'each patient counts in at most 3 groups by ward' "beside windows too, limits name the keys as the analyst does"
# Noise moves one divisor so far from 0 that it seems surely above in 1 of 40 answers: of eight, never all of them.
ratios=
for least in 1 2 3 4 5 6 7 8; do
	ratios="${ratios}SUM(cost) / SUM(CASE WHEN cost > $least THEN cost - $least ELSE 0 END) AS r$least, "
done
run query -e 0.001 "SELECT ${ratios}COUNT(*) AS n FROM visits"
stdout_like 'for a number without +- no interval could be found' "a quotient by what may be 0 comes with a warning"
check "each limit is said once" sh -c "test -z \"\$(sort '$out' | grep . | uniq -d)\""
# One digit of one stored cost is changed: the chain of hashes does not match any more.
python3 - $ledger <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
    for column in [c[1] for c in db.execute(f"PRAGMA table_info({table})")]:
        db.execute(f"UPDATE {table} SET {column} = replace({column}, 'patients', 'patientz') WHERE typeof({column}) = 'text'")
db.commit()
PY
run query -e 0.1 "SELECT COUNT(*) FROM patients WHERE age > 50"
status_is 1 "a damaged ledger answers nothing"
check "not even a part" test ! -s "$out"
stderr_like '^sotto query: .*ledger.*damaged' "and says so"
finish
