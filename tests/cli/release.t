#!/bin/sh
# sotto release: releases that add up, the same bytes on any number of threads and after a
# crash, charges, and everything that is refused, with its words and its exit status.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1
json() { python3 -c "import json, sys; a = json.load(open('$out')); sys.exit(0 if ($1) else 1)"; }

python3 - <<'PY'
import collections, random
random.seed(3)
rows, nodes = [], []
for s in range(3):
    for c in range(random.randint(1, 4)):
        for b in range(random.randint(1, 6)):
            nodes.append((f"s{s}", f"c{c}", f"b{b}"))
            for _ in range(int(random.expovariate(1 / 30))):
                rows.append(nodes[-1] + (random.choice(["home"] * 4 + ["prison", "dorm"]), random.choice("mf"), random.choice("abcde")))
open("nodes.csv", "w").write("st,cty,blk\n" + "".join(",".join(n) + "\n" for n in nodes))
open("people.csv", "w").write("st,cty,blk,gq,sex,race\n" + "".join(",".join(r) + "\n" for r in rows))
n = collections.Counter(r[:4] for r in rows)
open("fac.csv", "w").write("st,cty,blk,gq,n\n" + "".join(",".join(k) + f",{max(1, v // 4)}\n" for k, v in sorted(n.items())))
open("counts.csv", "w").write("st,cty,blk,gq,sex,race,n\n" + "".join(",".join(k) + f",{v}\n" for k, v in sorted(collections.Counter(rows).items())))
PY
plan() { # plan FILE [SED SCRIPT]: the plan, changed
	sed "${2-}" > "$1" <<'YAML'
input: {microdata: people.csv}
nodes: nodes.csv
hierarchy: [{level: US}, {level: State, column: st}, {level: County, column: cty}, {level: Block, column: blk}]
attributes:
  - {name: gq, categories: [home, prison, dorm]}
  - {name: sex, categories: [m, f]}
  - {name: race, categories: [a, b, c, d, e]}
queries: {inside: {gq: [[home, dorm], [prison]]}}
privacy: {model: zcdp, rho: 1, neighbours: replace-one}
budget:
  levels: {US: 1/10, State: 3/10, County: 3/10, Block: 3/10}
  queries:
    US: {total: 1/2, detailed: 1/2}
    State: {total: 1/2, detailed: 1/4, "gq*sex": 1/4}
    County: {total: 1/2, detailed: 1/4, "gq*race": 1/8, inside: 1/8}
    Block: {total: 1/4, detailed: 3/4}
invariants: [{level: State, query: total}]
bounds: [{level: Block, query: gq, lower: n, upper: 9999*n, table: fac.csv}]
estimate: {mode: gls}
output: {dir: rel, tables: [total, gq, "sex*race", detailed], microdata: people_dp.csv}
YAML
}
whole() { # whole NAME: the folder out is consistent
	check "$1" python3 "$here/release_check.py" rel people.csv State:st,County:cty,Block:blk gq,sex,race State fac.csv gq
	rm -rf rel
}

# ---- releases -----------------------------------------------------------------------------------
for mode in gls topdown; do
	for seed in 1 2 3; do
		plan p.yaml "s/mode: gls/mode: $mode/"
		run release p.yaml --test-seed $seed
		whole "$mode, seed $seed: everything adds up"
	done
	plan p.yaml "s/mode: gls/mode: $mode/; s/rho: 1,/rho: 1e-6,/"
	run release p.yaml --test-seed 1
	whole "$mode with hardly any budget: everything adds up"
	plan p.yaml "s/mode: gls/mode: $mode, rounding: unbiased/"
	run release p.yaml --test-seed 1
	mv rel once
	run release p.yaml --test-seed 1 --threads 2
	check "$mode, unbiased rounding is a function of the key too" diff -r once rel
	rm -rf once
	whole "$mode, unbiased rounding: everything adds up"
	plan p.yaml "s/mode: gls/mode: $mode, rounding: fast/; s/model: zcdp, rho: 1/model: pure, epsilon: 2/"
	run release p.yaml --test-seed 1
	whole "$mode, pure, fast rounding: everything adds up"
	plan p.yaml "s/mode: gls/mode: $mode/; s/County: 3/County: 0/; s/US: 1/US: 4/"
	run release p.yaml --test-seed 1
	whole "$mode, a level without a budget: everything adds up"
	plan p.yaml "s/mode: gls/mode: $mode/; s/rho: 1,/rho: 100000000,/; s/ microdata: people_dp.csv}/ intervals: 0.95}/"
	run release p.yaml --test-seed 1
	check "$mode with a huge budget gives the truth" python3 - <<'PY'
import collections, csv, sys
true = collections.Counter(tuple(r.values()) for r in csv.DictReader(open("people.csv")))
for r in csv.DictReader(open("rel/Block.detailed.csv")):
    key = r["State"], r["County"], r["Block"], r["gq"], r["sex"], r["race"]
    if true[key] != int(r["value"]) or abs(float(r["estimate"]) - true[key]) > 0.1:
        sys.exit(1)
PY
	rm -rf rel
done
plan p.yaml 's/^invariants.*/invariants: [{level: State, query: total, nodes: [s0, s1]}]/'
run release p.yaml --test-seed 2
check "the sum of a union of nodes is exact" python3 - <<'PY'
import csv, sys
true = sum(r["st"] in ("s0", "s1") for r in csv.DictReader(open("people.csv")))
sys.exit(true != sum(int(r["value"]) for r in csv.DictReader(open("rel/State.total.csv")) if r["State"] in ("s0", "s1")))
PY
rm -rf rel
plan p.yaml 's/microdata: people.csv/counts: counts.csv, count_column: n/'
run release p.yaml --test-seed 1
cp -r rel first
whole "counts are input as well"
plan p.yaml
run release p.yaml --test-seed 1 --threads 2
check "microdata or counts, one thread or two: the same bytes" diff -r first rel
rm -rf rel
plan p.yaml 's/microdata: people_dp.csv/format: parquet/'
run release p.yaml --test-seed 1
check "Parquet is written" test -s rel/Block.detailed.parquet
rm -rf rel
plan p.yaml 's/mode: gls/mode: naive/; s/dir: rel,/dir: naive,/; /microdata: people_dp/s/, microdata: people_dp.csv//'
run release p.yaml --test-seed 1
check "naive tables do not add up" sh -c "! python3 '$here/release_check.py' naive people.csv State:st,County:cty,Block:blk gq,sex,race"
check "a seed is stamped on every table" sh -c "! grep -L NOT_PRIVATE naive/*.csv | grep -q ."
check "and on the report" grep -q 'NOT PRIVATE' naive/release.json naive/report.html
plan p.yaml 's/dir: rel,/dir: secret,/'
run release p.yaml
check "without a seed nothing is stamped" sh -c "! grep -rq NOT.PRIVATE secret"
check "the key is gone afterwards" test ! -e secret/.release.key
run release p.yaml
stderr_is "sotto release: secret holds a release already; choose another output.dir" "a release is not overwritten"
status_is 1 "with status 1"

# ---- a crash --------------------------------------------------------------------------------------
"$SOTTO" release --generate big --counties 3 --seed 4
sed -i 's/dir: out/dir: whole/' big/plan.yaml
run release big/plan.yaml --test-seed 7
sed -i 's/dir: whole/dir: broken/' big/plan.yaml
"$SOTTO" release big/plan.yaml --test-seed 7 2> "$err" &
tries=0
while [ ! -e big/broken/.release.key ] && [ $tries -lt 3000 ]; do
	tries=$((tries + 1))
	sleep 0.01
done
kill -9 $! 2> /dev/null
wait $! 2> /dev/null
check "a process killed in the middle leaves no table" sh -c "! ls big/broken/*.csv > /dev/null 2>&1"
check "its key is its owner's alone" test "$(stat -c %a big/broken/.release.key)" = 600
run release big/plan.yaml
stderr_is "sotto release: big/broken holds an interrupted release; continue it with --resume, or choose another output.dir" "it is not begun again"
sed 's/,1$/,2/' big/counts.csv > big/other.csv
sed 's/counts.csv/other.csv/' big/plan.yaml > big/other.yaml
run release big/other.yaml --resume big/broken
stderr_is "sotto release: big/broken: the plan or the data changed since the release was begun; with other data its noise must not be used again" "nor continued with other data"
run release big/plan.yaml --resume big/broken
status_is 0 "it is continued"
check "with the same noise, so with the same bytes, still stamped" diff -r big/whole big/broken
run release big/plan.yaml --resume big/broken
status_is 1 "once"
mkdir empty
plan p.yaml
run release p.yaml --resume empty
stderr_is "sotto release: empty holds no interrupted release; leave --resume out" "there must be something to continue"

# ---- the ledger -------------------------------------------------------------------------------------
cat > policy.yaml <<'YAML'
ledger: ledger.db
budget: { epsilon: 30, delta: 1e-6 }
tables: { people: { source: people.csv, unit: row } }
YAML
plan p.yaml
refuses 4 "sotto release: the ledger counts add-remove neighbours and the plan replace-one ones; the two do not add up: change privacy.neighbours or use another ledger" \
	release p.yaml --policy policy.yaml
check "nothing is written" test ! -e rel
sed 's/ledger.db/replace.db/' policy.yaml > replace.yaml
"$SOTTO" ledger create --policy replace.yaml --neighbours replace-one > /dev/null
run release p.yaml --policy replace.yaml
status_is 0 "a ledger of replace-one neighbours takes it"
rm -rf rel
plan p.yaml 's/replace-one/add-remove/; s/^estimate/acknowledge_invariants: true\nestimate/'
refuses 4 "sotto release: the ledger counts replace-one neighbours and the plan add-remove ones; the two do not add up: change privacy.neighbours or use another ledger" \
	release p.yaml --policy replace.yaml
check "before any draw" test ! -e rel
plan p.yaml 's/replace-one/add-remove/; s/^estimate/acknowledge_invariants: true\nestimate/'
run release p.yaml --policy policy.yaml
status_is 0 "a release is charged"
rm -rf rel
run budget -p policy.yaml --format json
check "once" json "a['releases'] == 1"
plan p.yaml 's/replace-one/add-remove/; s/^estimate/acknowledge_invariants: true\nestimate/; s/rho: 1,/rho: 100,/'
run release p.yaml --policy policy.yaml
status_is 4 "beyond the budget it is refused"
check "and nothing is written" test ! -e rel
run budget -p policy.yaml --format json
check "or charged" json "a['releases'] == 1"

sed 's/unit: row/unit: race/' policy.yaml > many.yaml
plan p.yaml 's/replace-one/add-remove/; s/^estimate/acknowledge_invariants: true\nestimate/'
sed -i 's/ledger.db/many.db/' many.yaml
refuses 4 "sotto release: the policy's table of people.csv has a unit with several records; a release protects single records, so write unit: row there" \
	release p.yaml --policy many.yaml
sed 's/source: people.csv/source: counts.csv/; s/ledger.db/other.db/' policy.yaml > other.yaml
refuses 4 "sotto release: the policy has no table of people.csv; add it with unit: row" release p.yaml --policy other.yaml

# ---- refusals ------------------------------------------------------------------------------------------
no() { # no STATUS SENTENCE SED-SCRIPT: the changed plan is refused and leaves nothing behind
	plan bad.yaml "$3"
	refuses "$1" "sotto release: $2" release bad.yaml
	check "and leaves nothing behind" test ! -e rel
}
no 2 "bad.yaml: the fractions of budget.levels add up to 10000000001/10000000000, not 1" 's/levels: {US: 1\/10/levels: {US: 0.1000000001/'
no 2 "bad.yaml: the fractions of budget.queries.Block add up to 3/4, not 1" 's/Block: {total: 1\/4/Block: {total: 0/'
no 2 "bad.yaml:8: the category \"dorm\" of gq is in no group; a query must count everybody exactly once" 's/home, dorm\]/home]/'
no 2 "bad.yaml:8: the category \"home\" is in two groups; groups that overlap would count a person twice" 's/\[prison\]\]/[prison, home]]/'
no 2 "bad.yaml:9: rho must be positive" 's/rho: 1,/rho: 0,/'
no 2 "bad.yaml:11: a fraction must not be negative" 's/levels: {US: 1\/10/levels: {US: -1\/10/'
no 2 "bad.yaml: with neighbours add-remove an invariant reveals whether a person is counted; write acknowledge_invariants: true, or use replace-one" 's/replace-one/add-remove/'
no 2 "bad.yaml: the plan has no list of nodes; write nodes: FILE, or nodes: from-data-acknowledged if a node that exists only because of a record may be seen" '/^nodes/d'
no 2 "input: a record has a category that the plan does not list; complete the categories or correct the record" 's/, dorm\]}/]}/; s/\[home, dorm\]/[home]/'
no 2 "invariants and bounds on both race and gq cross; whether such tables exist is NP-complete to decide, so bounds may be on total and on one other query" 's/^invariants: \[/&{level: County, query: race}, {level: State, query: gq}, /; s/^bounds.*//'
no 2 "the file nowhere.csv could not be opened" 's/nodes: nodes.csv/nodes: nowhere.csv/'
sed '1!s/,[0-9]*$/,999/' fac.csv > much.csv
no 3 "s2: the total contradicts the totals of the nodes below" 's/fac.csv/much.csv/'
printf 'st,cty,value\ns0,c0,100000\n' > fixed.csv
no 3 "s0: the total contradicts the totals of the nodes below" 's/^invariants: \[/&{level: County, query: total, values: fixed.csv}, /'
printf 'st,cty,value\ns0,c0,1.5\n' > fixed.csv
no 3 "fixed.csv: a value is negative or not a whole number" 's/^invariants: \[/&{level: County, query: total, values: fixed.csv}, /'
refuses 2 "sotto release: the plan nothing.yaml could not be opened" release nothing.yaml
refuses 2 "sotto release: give a plan, or one of --generate, --estimate, --variance, --round, --convert and --convert-epsilon" release

# ---- --check -----------------------------------------------------------------------------------------------
for profile in pl94-us-persons pl94-us-units pl94-pr-persons dhc-shape; do
	echo "profile: $profile" > c.yaml
	run release c.yaml --check --format json
	status_is 0 "profile $profile"
	cp "$out" "$profile.json"
done
check "the published budgets" python3 - <<'PY'
import json, sys
p, u = json.load(open("pl94-us-persons.json")), json.load(open("pl94-us-units.json"))
c = p["levels"]["County"]["queries"]["total"]
ok = p["rho"] == "293764/114921" and abs(p["epsilon"] - 17.1435507) < 1e-6 and abs(p["epsilon_bun_steinke"] - 17.9001846) < 1e-6
ok &= abs(u["epsilon"] - 2.4746711) < 1e-6 and c["sigma2"] == "214437516707/45609211112" and c["cells"] == 1
ok &= p["cells"] == 2016 and len(p["levels"]["Block"]["queries"]) == 11
ok &= p["semantics"]["geography"]["Block"]["rho"] == "0"
sys.exit(0 if ok else 1)
PY
printf 'profile: pl94-us-persons\nfanout: [51, 61.6, 26.9, 2.84, 24.6]\n' > c.yaml
run release c.yaml --check --format json
check "the error to expect on a regular tree" json "all(abs(a['levels'][l]['predicted_total_error'][m]['mae_linear'] - v) < 0.02 for l, m, v in [('County', 'naive', 1.725), ('County', 'topdown', 1.711), ('County', 'gls', 1.671), ('Block', 'naive', 39.17), ('Block', 'topdown', 38.37), ('Block', 'gls', 38.37)])"
plan p.yaml
run release p.yaml --check
status_is 0 "a plan with data is checked without reading them"
stdout_like '^rho 1: epsilon 10.0344 at delta 1e-10, rounded up; neighbours replace-one; 30 cells$' "and its cost is said"
stdout_like '^County  *[0-9]' "and a line for each level"
check "and nothing is written" test ! -e rel

# ---- the made-up nation --------------------------------------------------------------------------------------
run release --generate nation --counties 1 --seed 9
status_is 0 "a nation is made up"
run release nation/plan.yaml --test-seed 1
status_is 0 "and released"
check "with its tables" test -s nation/out/Block.hispanic-cenrace.csv
run release --generate nation
status_is 1 "a nation is not overwritten"
finish
