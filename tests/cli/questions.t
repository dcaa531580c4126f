#!/bin/sh
# What a question is charged for, and when two questions are the same: cases that were once
# answered wrongly, charged and not answered, or that ended the program.
. "$(dirname "$0")/lib.sh"
export SOTTO_DUCKDB="${SOTTO_DUCKDB:-}"
[ -n "$SOTTO_DUCKDB" ] || unset SOTTO_DUCKDB
cd "$work" || exit 1
awk 'BEGIN { print "id,ward,x"; for (i = 0; i < 60; i++) for (k = 0; k < 4; k++)
	printf "p%02d,w%d,%d\n", i, (i + k) % 4, (i * 7 + k * 3) % 100 }' > visits.csv
policy() { # policy LIMITS TOP: a new folder with a policy of its own
	n=$((${n:-0} + 1))
	mkdir "case$n"
	cat > "case$n/sotto.yaml" <<END
ledger: ledger.db
budget: { epsilon: 10000, delta: 0.01, analysts: { ann: 1/2, bob: 1/2 } }
$2
tables:
  visits:
    source: ../visits.csv
    unit: id
$1
    columns: { ward: { keys: [w0, w1, w2, w3] }, x: { type: integer, bounds: [0, 100] } }
END
	p=case$n/sotto.yaml
}
fixed='    max_groups: 4
    max_rows: 4'
auto='    max_groups: auto
    max_rows: auto'
json() { check "$1" python3 -c "
import json
a = json.load(open('$out'))
assert $2"; }
spent() { "$SOTTO" budget -p "$p" --format json | python3 -c "
import json, sys
print(json.load(sys.stdin)['spent']['epsilon'])"; }

# a part of a question is all that is done to it
policy "$fixed" "diagnostics: 0"
for least in 0 1000; do
	run query -p $p --analyst ann -e 500 --format json \
		"SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM visits GROUP BY ward HAVING COUNT(*) > $least)"
	json "HAVING COUNT(*) > $least is a question of its own" "not a['repeated'] and abs(a['rows'][0][0] - (240 if $least == 0 else 0)) < 5"
done
for times in 0 1; do
	run query -p $p --analyst ann -e 500 --format json "SELECT COUNT(*) FROM visits WHERE x >= (SELECT COUNT(*) * $times FROM visits)"
	json "so is a value that is multiplied by $times" "not a['repeated'] and abs(a['rows'][0][0] - (240 if $times == 0 else 0)) < 5"
done
run query -p $p --analyst ann -e 500 --format json "SELECT COUNT(*) FROM visits WHERE x >= (SELECT COUNT(*) * 1 FROM visits)"
json "and the same question is the same" "a['repeated']"

# rows without a value have a group wherever the policy does not rule them out
run query -p $p --analyst ann -e 100 --format json "SELECT magnitude(nullif(x, 7)) AS m, COUNT(*) AS n FROM visits GROUP BY m"
json "magnitudes have one" "abs(sum(r[1] for r in a['rows'] if r[0] is None) - 3) < 2 and any(r[0] is None for r in a['rows'])"

# a subquery that needs no noise, inside one that does
run query -p $p --analyst ann -e 500 --format json \
	"SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM visits WHERE ward = 'w1' GROUP BY ward)"
json "a list of public keys is a condition" "abs(a['rows'][0][0] - 60) < 5"
run query -p $p --analyst ann -e 500 --format json "SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT ward FROM visits GROUP BY ward)"
json "and so is whether there are any" "abs(a['rows'][0][0] - 240) < 5"

# places of joined rows multiply: these are 1 modulo 2^64, and were taken for one row of each unit
mkdir many
awk 'BEGIN { print "id,x"; for (i = 0; i < 60; i++) for (k = 0; k < 8; k++) printf "%d,%d\n", i, k }' > many/visits.csv
cat > many/sotto.yaml <<END
ledger: ledger.db
budget: { epsilon: 10000, delta: 0.01 }
tables:
  visits:
    source: visits.csv
    unit: id
    max_groups: 3
    max_rows: 20
    columns: { id: { type: integer }, x: { type: integer, bounds: [0, 30], nullable: false } }
END
"$SOTTO" ledger create -p many/sotto.yaml > /dev/null
product() { python3 - "$@" <<'END'
import sys
def some(k, columns="id"):
    return f"(SELECT {columns} FROM (SELECT {columns}, ROW_NUMBER() OVER (PARTITION BY id) AS n FROM (SELECT {columns} FROM visits)) WHERE n <= {k})"
first, *others, last = sys.argv[1:]
joined = some(last)
for k in reversed(others):
    joined = f"(SELECT a.id FROM {some(k)} a JOIN {joined} b ON a.id = b.id)"
print(f"SELECT x, COUNT(*) AS n FROM {some(first, 'id, x')} a JOIN {joined} b ON a.id = b.id GROUP BY x")
END
}
run explain -p many/sotto.yaml -e 1 --format json "$(product 782351 999977 47917 29153 7027)"
check "a product that wraps is not one row" test "$status" = 1 -o "$(grep -c '"max_groups": *1[,}]' "$out")" = 0
run explain -p many/sotto.yaml -e 1 "$(product 1 1)"
stdout_like 'in at most 1 group, with at most 1 row in each' "one row and one row are one"
run explain -p many/sotto.yaml -e 1 "$(product 1 2)"
stdout_like 'in at most 2 groups, with at most 2 rows in each' "one row and two are two"

# rows of a unit in several tables, or joined: where the unit is unique in one, that says nothing of them
mkdir people
awk 'BEGIN { print "id,sex"; for (i = 0; i < 60; i++) printf "p%02d,%s\n", i, i % 2 ? "F" : "M" }' > people/people.csv
cat > people/sotto.yaml <<END
ledger: ledger.db
budget: { epsilon: 100000, delta: 0.01 }
diagnostics: 0
tables:
  people: { source: people.csv, unit: id, max_groups: 1, max_rows: 1, columns: { id: { unique: true }, sex: { keys: [F, M] } } }
  visits:
    source: ../visits.csv
    unit: { column: id, via: visits.id -> people.id }
    max_groups: 4
    max_rows: 4
    columns: { ward: { keys: [w0, w1, w2, w3] }, x: { type: integer, bounds: [0, 100] } }
END
"$SOTTO" ledger create -p people/sotto.yaml > /dev/null
p=people/sotto.yaml
rows_are() { # rows_are NUMBER FROM NAME [BEFORE]
	run query -p $p -e 100 --format json "$4 SELECT COUNT(*) FROM $2"
	json "$3" "abs(a['rows'][0][0] - $1) < 3"
}
joined='SELECT v.id, p.sex, v.ward FROM people p JOIN visits v ON v.id = p.id'
few="SELECT id, 1 AS n FROM people"
many="SELECT id, 2 AS n FROM visits"
rows_are 60 people "a table has one row of each unit"
rows_are 240 t "rows of a join that WITH names are all there" "WITH t AS ($joined)"
rows_are 240 "($joined) AS t" "or that stands in FROM"
rows_are 240 t "rows of two tables that WITH names, up to the larger limit" "WITH t AS ($few UNION ALL $many)"
rows_are 240 "($few UNION ALL $many) AS t" "that which allows fewer rows first"
rows_are 240 "($many UNION ALL $few) AS t" "or last"
rows_are 240 "($many EXCEPT ALL $few) AS t" "rows of one that the other does not have"

# limits that are still to be found: what could not be answered is refused before it is charged
policy "$auto" "auto_epsilon: 8
min_epsilon: 0.1"
refuses 1 "sotto query: max_groups and max_rows (auto) are not known yet, and the error depends on them: give --epsilon this time" \
	query -p $p --analyst ann --error 30 "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
refuses 1 "sotto query: a question costs at least epsilon 0.1 under this policy (min_epsilon); give a larger --epsilon" \
	query -p $p --analyst ann -e 0.001 "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
run query -p $p --analyst ann -e 2 "SELECT a.ward, COUNT(*) FROM visits a, visits b WHERE a.id = b.id GROUP BY a.ward"
check "so does a join by WHERE, which is not there when limits are found" grep -q 'same JOIN ... ON without WHERE' "$err"
run query -p $p --analyst ann -e 2 "SELECT ward, COUNT(*) FROM visits WHERE x > (SELECT AVG(x) FROM visits) GROUP BY ward"
status_is 1 "a comparison with private rows waits for the limits"
check "nothing was charged" test "$(spent)" = 0
refuses 1 "sotto bounds: a question costs at least epsilon 0.1 under this policy (min_epsilon); give a larger --epsilon" \
	bounds -p $p --analyst ann --contributions visits --by ward -e 0.001
run query -p $p --analyst ann -e 400 --format json "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
json "then they are found, which is told" "any('epsilon 8 of the cost' in s for s in a['notes']) and abs(a['cost']['epsilon'] - 408) < 1 and a['limits']['max_groups'] == 4"
run bounds -p $p --analyst ann --contributions visits --by ward -e 0.1
run query -p $p --analyst ann -e 400 --format json "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
json "and a cheap look at them changes nothing" "a['repeated'] and a['limits']['max_groups'] == 4"

# a ledger of other neighbours counts no limits
policy "$auto" "auto_epsilon: 8"
owning=no
"$SOTTO" seal -p $p > seal.out 2>&1
"$SOTTO" ledger create -p $p --neighbours replace-one > create.out 2>&1
refuses 1 "sotto bounds: the ledger is for replace-one neighbours, but a question needs add-remove neighbours; use another ledger" \
	bounds -p $p --analyst ann --contributions visits --by ward -e 5
owning=yes

# noise is not written into the policy as if it were a limit
policy "$auto" "auto_epsilon: 8"
cp $p before
run bounds -p $p --analyst ann --contributions visits --by ward -e 0.0002 --write
status_is 1 "limits that are noise are not written"
check "and which epsilon helps is said" grep -q 'not written; \(about epsilon [0-9.]* is needed\|use an epsilon ten times as large\)' "$err"
check "what was paid for is shown" grep -q '^max_rows: ' "$out"
check "the policy is as it was" cmp -s before $p
run bounds -p $p --analyst ann --contributions visits --by ward -e 20 --write
status_is 0 "limits that are none are written"
check "into the policy" grep -q 'max_groups: 4' $p

# the ledger's key is not shown
policy "    max_groups: 2
    max_rows: 1" ""
run explain -p $p --analyst ann -e 1 --sql "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
check "the key that chooses groups has a name only" grep -q 'hash(u, :key, k0)' "$out"
run explain -p $p --analyst ann -e 1 "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
check "the SQL is shown when it is asked for" test "$(grep -c 'WITH r AS' "$out")" = 0

# no rows: why, and what that cost
run query -p $p --analyst ann -e 1 --format json "SELECT ward, COUNT(*) FROM visits WHERE ward = 'nowhere' GROUP BY ward"
json "an answer that is empty whatever the data are is free" "a['cost']['epsilon'] == 0 and 'whatever the data are' in a['notes'][0]"
run query -p $p --analyst ann -e 1 --format json "SELECT ward, COUNT(*) FROM visits GROUP BY ward HAVING COUNT(*) > 1000000"
json "one that came out empty says why" "a['rows'] == [] and 'met the conditions on it' in a['notes'][-1]"

# what another analyst paid for does not come with an answer that pays less
policy "    max_groups: 1
    max_rows: 1" ""
run query -p $p --analyst ann -e 10 --diagnostics 50% --format json "SELECT COUNT(*), SUM(x) FROM visits"
run query -p $p --analyst bob -e 0.2 --diagnostics 50% --format json "SELECT COUNT(*) * 1.0, SUM(x) FROM visits"
cp "$out" bobs
run query -p $p --analyst bob -e 10 --diagnostics 50% --format json "SELECT COUNT(*), SUM(x) FROM visits"
json "the loss that bob is told is the one that bob paid for" \
	"abs(a['cost']['epsilon'] - 5) < 0.01 and a['limits']['loss']['units'] == json.load(open('bobs'))['limits']['loss']['units']"

# a public table may have changed when the question runs: what was counted in it is not relied on
printf 'ward,floor\nw0,1\nw1,1\n' > wards.csv
policy "    max_groups: 3
    max_rows: 1" "diagnostics: 0"
printf '  wards: { source: ../wards.csv, public: true }\n' >> $p
run explain -p $p --analyst ann -e 1 --format json "SELECT w.ward, COUNT(*) FROM visits JOIN wards w ON w.ward = visits.ward GROUP BY w.ward"
json "noise is for the two groups that there are, and no unit gets into more" \
	"a['unit']['max_groups'] == 2 and 'row_number() OVER (PARTITION BY u' in a['engine_sql'] and '<= 2' in a['engine_sql']"

# one unit under two lengths of its name is two values: it is not a unit any more
awk 'BEGIN { print "id,x"; for (i = 0; i < 40; i++) printf "personlongname%03d,%d\n", i, i % 3 }' > a.csv
awk 'BEGIN { print "id,x"; for (i = 0; i < 40; i++) printf "personlongname%03d,%d\n", i, 5 + i % 3 }' > b.csv
mkdir cut
cat > cut/sotto.yaml <<END
ledger: ledger.db
budget: { epsilon: 100000, delta: 0.01 }
diagnostics: 0
tables:
  a: { source: ../a.csv, unit: id, max_rows: 1, max_groups: 1, columns: { id: { max_text: 20 }, x: { type: integer, bounds: [0, 9] } } }
  b: { source: ../b.csv, unit: { column: id, via: b.id -> a.id }, max_rows: 1, max_groups: 1,
    columns: { id: { max_text: 8 }, x: { type: integer, bounds: [0, 9] } } }
END
run query -p cut/sotto.yaml -e 900 --format json \
	"SELECT m, COUNT(*) FROM (SELECT id, MAX(x) AS m FROM (SELECT id, x FROM a UNION ALL SELECT id, x FROM b) AS w GROUP BY id) AS q GROUP BY m"
if [ $status = 0 ]; then
	json "no unit counts in two groups" "sum(r[1] for r in a['rows']) <= 45"
else
	check "a unit of two lengths is refused" test $status = 1
fi
finish
