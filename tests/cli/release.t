#!/bin/sh
# sotto release: releases that add up, the same bytes on any number of threads and after a
# crash, charges, and everything that is refused, with its words and its exit status.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/serve.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1

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
seeds="1 2 3"
[ "${SOTTO_VARIANT:-}" = asan ] && [ -z "${SOTTO_LONG:-}" ] && seeds=1 # other numbers take the same way
for mode in gls topdown; do
	for seed in $seeds; do
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
plan p.yaml 's/mode: gls/mode: naive/; s/microdata: people_dp.csv/intervals: 0.95/'
run release p.yaml --test-seed 1
check "naive numbers have intervals" grep -q 'value,estimate,sd,lo,hi,NOT_PRIVATE' rel/State.gq.csv
rm -rf rel
plan p.yaml 's/microdata: people_dp.csv/intervals: 0.95/'
run release p.yaml --test-seed 1
check "intervals lie within the bounds, and are points where a total is published" python3 - <<'PY'
import csv, sys
n = {tuple(r.values())[:4]: int(r["n"]) for r in csv.DictReader(open("fac.csv"))}
ok = all(r["lo"] == r["hi"] for r in csv.DictReader(open("rel/State.total.csv")))
for r in csv.DictReader(open("rel/Block.gq.csv")):
    k = n.get((r["State"], r["County"], r["Block"], r["gq"]), 0)
    ok &= k <= float(r["lo"]) <= float(r["hi"]) <= 9999 * k
sys.exit(0 if ok else 1)
PY
check "the report shows no cost below the exact one" python3 - <<'PY'
import json, re, sys
page, account = open("rel/report.html").read(), json.load(open("rel/release.json"))
shown = {n: (float(r), float(e)) for n, r, e in re.findall(r"<tr><td>(\w+)</td><td>([0-9.]+)</td><td>([0-9.]+)(?:, without[^<]*)?</td></tr>", page)}
exact = {**account["semantics"]["attribute"], **account["semantics"]["geography"]}
published = {name for name, x in exact.items() if x.get("published_exactly")}
value = lambda text: (lambda p, q=1: int(p) / int(q))(*text.split("/"))
ok = set(shown) == set(exact) and "delta&nbsp;1e-10 (rounded up)" in page
ok &= published == set(re.findall(r"<tr><td>(\w+)</td><td>[0-9.]+</td><td>[0-9.]+, without the invariants, which publish it exactly</td></tr>", page)) == {"US"}
for name, x in exact.items():
    ok &= x["epsilon"] <= shown[name][1] <= 1.001 * x["epsilon"] and value(x["rho"]) <= shown[name][0] <= 1.001 * value(x["rho"])
sys.exit(0 if ok else 1)
PY
check "the report has its charts" sh -c "test \$(grep -c '<svg' rel/report.html) = 2"
rm -rf rel
plan p.yaml 's/mode: gls/mode: naive/; s/dir: rel,/dir: naive,/; /microdata: people_dp/s/, microdata: people_dp.csv//'
run release p.yaml --test-seed 1
check "naive tables do not add up" sh -c "! python3 '$here/release_check.py' naive people.csv State:st,County:cty,Block:blk gq,sex,race"
check "a seed is stamped on every table" sh -c "! grep -L NOT_PRIVATE naive/*.csv | grep -q ."
check "and on the report" grep -q 'NOT PRIVATE' naive/release.json naive/report.html
plan p.yaml 's/dir: rel,/dir: secret,/'
run release p.yaml
stderr_is "note: secret has the tables, release.json with the cost, and report.html to look at
note: no policy was given, so no ledger was charged" "it is said where the tables are"
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
refuses 4 "sotto release: the ledger is for add-remove neighbours, but the plan states replace-one; change privacy.neighbours or use another ledger" \
	release p.yaml --policy policy.yaml
check "nothing is written" test ! -e rel
sed 's/ledger.db/replace.db/' policy.yaml > replace.yaml
"$SOTTO" ledger create --policy replace.yaml --neighbours replace-one > /dev/null
run release p.yaml --policy replace.yaml
status_is 0 "a ledger of replace-one neighbours takes it"
rm -rf rel
plan p.yaml 's/replace-one/add-remove/; s/^estimate/acknowledge_invariants: true\nestimate/'
refuses 4 "sotto release: the ledger is for replace-one neighbours, but the plan states add-remove; change privacy.neighbours or use another ledger" \
	release p.yaml --policy replace.yaml
check "before any draw" test ! -e rel
plan p.yaml 's/replace-one/add-remove/; s/^estimate/acknowledge_invariants: true\nestimate/'
run release p.yaml --policy policy.yaml
status_is 0 "a release is charged"
rm -rf rel
run budget -p policy.yaml --format json
check "once" json "a['releases'] == 1"
check "in rho, since no epsilon bounds its loss" json "a['spent'] == {'epsilon': None, 'rho': 1, 'delta': 0} and a['history'][-1]['epsilon'] is None and a['history'][-1]['rho'] == 1"
check "and was completed" json "a['history'][-1]['answered'] and a['history'][-1]['query'].startswith('release p.yaml, rho 1 (')"
run budget -p policy.yaml
stdout_like '^spent in all: rho 1.00000, which is epsilon 7.96116 at delta 5e-7$' "which is said in words"
start_server --policy policy.yaml
ask "$owner" budget
check "the server says it too" json "a['spent'] == {'epsilon': None, 'rho': 1, 'delta': 0}"
ask "$owner" history
check "also of the entry" json "a['entries'][-1]['cost'] == {'epsilon': None, 'rho': 1, 'delta': 0}"
stop_server
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

# One verified record per unit is as good as unit: row.
awk -F, 'NR == 1 { print "id," $0; next } { print NR "," $0 }' people.csv > registered.csv
sed 's/people.csv/registered.csv/; s/unit: row/unit: id/; s/ledger.db/one.db/' policy.yaml > one.yaml
plan p.yaml 's/people.csv/registered.csv/; s/replace-one/add-remove/; s/^estimate/acknowledge_invariants: true\nestimate/'
run release p.yaml --policy one.yaml
status_is 0 "a unit column whose values all differ is charged"
rm -rf rel
sed '3s/^3,/2,/' registered.csv > twice.csv
sed 's/registered.csv/twice.csv/; s/one.db/twice.db/' one.yaml > twice.yaml
sed -i 's/registered.csv/twice.csv/' p.yaml
refuses 4 "sotto release: the policy's table of twice.csv has a unit with several records; a release protects single records, so write unit: row there" \
	release p.yaml --policy twice.yaml
check "and leaves nothing behind" test ! -e rel
sed 's/people.csv/counts.csv/; s/ledger.db/counts.db/' policy.yaml > counts.yaml
plan p.yaml 's/microdata: people.csv/counts: counts.csv, count_column: n/; s/replace-one/add-remove/; s/^estimate/acknowledge_invariants: true\nestimate/'
refuses 4 "sotto release: the policy's table of counts.csv has a unit with several records; a release protects single records, so write unit: row there" \
	release p.yaml --policy counts.yaml

# A release that fails after the charge is charged once, however it goes on.
releases() { run budget -p policy.yaml --format json; python3 -c "import json; print(json.load(open('$out'))['releases'])"; }
plan p.yaml 's/replace-one/add-remove/; s/^estimate/acknowledge_invariants: true\nestimate/; s/rho: 1,/rho: 1\/8,/'
before=$(releases)
mkdir -p rel/US.total.csv.part
run release p.yaml --policy policy.yaml
status_is 1 "a file that cannot be written"
check "was charged" test "$(releases)" = $((before + 1))
rmdir rel/US.total.csv.part
state() { python3 -c "
b = bytearray(open('rel/.release.key', 'rb').read())
b[81] = $1
open('rel/.release.key', 'wb').write(b)"; }
refuses 4 "sotto release: the release was charged to a ledger; continue it with --policy, so that the ledger records that it has ended" \
	release p.yaml --resume rel
state 1 # as if it had been killed between the charge and its note
refuses 4 "sotto release: the release was interrupted while it was charged; continue it with --policy, so that the ledger can be asked" \
	release p.yaml --resume rel
run release p.yaml --policy policy.yaml --resume rel
status_is 0 "it goes on"
check "and is not charged again" test "$(releases)" = $((before + 1))
rm -rf rel
mkdir -p rel/US.total.csv.part
run release p.yaml
rmdir rel/US.total.csv.part
state 1 # as if it had been killed just before the charge
run release p.yaml --policy policy.yaml --resume rel
status_is 0 "a release that was not charged goes on as well"
check "charged now" test "$(releases)" = $((before + 2))
rm -rf rel

# ---- a key is for one measurement --------------------------------------------------------------------
interrupted() { # interrupted NAME FILE SED: the release is not continued after the change
	cp "$2" kept
	mkdir -p rel/US.total.csv.part
	run release p.yaml --test-seed 1
	rmdir rel/US.total.csv.part
	sed -i "$3" "$2"
	refuses 2 "sotto release: rel: the plan or the data changed since the release was begun; with other data its noise must not be used again" \
		release p.yaml --resume rel
	cp kept "$2"
	run release p.yaml --resume rel
	status_is 0 "$1: continued when it is as it was"
	rm -rf rel
}
plan p.yaml 's/^bounds.*//'
interrupted "a partition" p.yaml 's/\[\[home, dorm\], \[prison\]\]/[[home], [dorm, prison]]/'
interrupted "the share of a query" p.yaml 's/Block: {total: 1\/4, detailed: 3\/4}/Block: {total: 3\/4, detailed: 1\/4}/'
interrupted "the mode" p.yaml 's/mode: gls/mode: topdown/'
printf 's9,c0,b0\n' >> nodes.csv
interrupted "the tree" nodes.csv '/^s9/d'
sed -i '/^s9/d' nodes.csv
plan p.yaml 's/^bounds.*//; s/^invariants.*//; s/microdata: people.csv/counts: counts.csv, count_column: n/; s/, microdata: people_dp.csv//'
sed -i '2s/[0-9]*$/5000000000/' counts.csv
interrupted "a count beyond 2^32" counts.csv '2s/[0-9]*$/6000000000/'

# ---- counts that are none --------------------------------------------------------------------------------
for n in 1.5 -1 x ''; do
	sed "2s/[0-9]*\$/$n/" counts.csv > odd.csv
	sed 's/counts.csv/odd.csv/' p.yaml > odd.yaml
	refuses 2 "sotto release: input: a count is negative or not a whole number" release odd.yaml
done
sed '2s/[0-9]*$/2000000000000000/' counts.csv > odd.csv
refuses 2 "sotto release: input: the counts add up to more than 2^50" release odd.yaml
check "and nothing is left behind" test ! -e rel

# Counts far beyond what fits in parts of a person.
sed -n '1p' counts.csv > huge.csv
sed '1d' counts.csv | awk -F, -v OFS=, '{ $7 = NR % 5 ? $7 : "70368744177664"; print } NR == 70 { exit }' >> huge.csv
for mode in gls topdown; do
	plan huge.yaml "s/^bounds.*//; s/microdata: people.csv/counts: huge.csv, count_column: n/; s/, microdata: people_dp.csv//; s/mode: gls/mode: $mode/"
	run release huge.yaml --test-seed 1
	status_is 0 "$mode: cells of 2^46 people"
	check "they are right to their noise, and add up" python3 - <<'PY'
import collections, csv, sys
true, have, states, blocks = (collections.Counter() for _ in range(4))
for r in csv.DictReader(open("huge.csv")):
    true[r["st"], r["cty"], r["blk"], r["gq"], r["sex"], r["race"]] += int(r["n"])
    states[r["st"]] += int(r["n"])
for r in csv.DictReader(open("rel/Block.detailed.csv")):
    have[r["State"], r["County"], r["Block"], r["gq"], r["sex"], r["race"]] = int(r["value"])
    blocks[r["State"]] += int(r["value"])
sys.exit(0 if +blocks == +states and all(abs(true[k] - v) < 100 for k, v in have.items()) else 1)
PY
	rm -rf rel
done

# ---- a node, and memory ------------------------------------------------------------------------------------
plan p.yaml
run release p.yaml --explain s0/c0
status_is 0 "a node is explained"
stdout_like '^s0/c0: a node of level County with ' "where it is"
stdout_like '^error of the total to expect: naive [0-9.]*, topdown [0-9.]*, gls [0-9.]*$' "and how wrong it will be"
run release p.yaml --explain / --format json
check "the whole, as JSON" json "a['level'] == 'US' and a['queries']['total']['sigma2'] == '20' and a['bounds'][0].get('exact')"
check "nothing is written" test ! -e rel
refuses 2 "sotto release: there is no node s0/nowhere; a path is written like s1/c2, and / is the whole" release p.yaml --explain s0/nowhere
if [ "${SOTTO_VARIANT:-}" != asan ]; then # which reserves more than any limit
	run release p.yaml --test-seed 1 --memory-limit 256MiB
	status_is 0 "little memory is enough"
	whole "with little memory: everything adds up"
fi
for size in 1 12MiB -5GiB 1TB much; do
	refuses 2 "sotto release: --memory-limit must be 256MiB or more, such as 512MiB or 2GiB, not $size" release p.yaml --memory-limit=$size
done

# ---- what is sealed ---------------------------------------------------------------------------------------
plan p.yaml
run release p.yaml --test-seed 1
mv rel from_csv
check "the sealed copy is the owner's alone" test "$(stat -c %a p.yaml.sealed)" = 700
sed '1s/$/,note/; 1!s/$/,"a ""quoted"", note"/' people.csv > noted.csv
gzip -k noted.csv
python3 -c "
import csv, json
for r in csv.DictReader(open('people.csv')): print(json.dumps(r))" > people.ndjson
for kind in noted.csv noted.csv.gz people.ndjson; do
	plan p.yaml "s/people.csv/$kind/"
	run release p.yaml --test-seed 1
	check "the same release from $kind" diff -r rel from_csv
	rm -rf rel
done
tac people.csv | grep -v '^st,' | sed '1i st,cty,blk,gq,sex,race' > turned.csv
plan p.yaml 's/people.csv/turned.csv/'
run release p.yaml --test-seed 1
check "the order of the records changes nothing" diff -r rel from_csv
rm -rf rel from_csv

# ---- columns with the names that statements for the engine use ---------------------------------------------
plan p.yaml
run release p.yaml --test-seed 1
mv rel plain
for file in people nodes fac; do
	sed '1s/st,cty,blk/l2,l1,leaf/; 1s/gq/cell/; 1s/sex/n/; 1s/,n$/,v0/' $file.csv > odd_$file.csv
done
plan p.yaml 's/people.csv/odd_people.csv/; s/nodes.csv/odd_nodes.csv/; s/fac.csv/odd_fac.csv/; s/column: st/column: l2/; s/column: cty/column: l1/
	s/column: blk/column: leaf/; s/name: gq/&, column: cell/; s/name: sex/&, column: n/; s/lower: n, upper: 9999\*n/lower: v0, upper: 9999*v0/'
run release p.yaml --test-seed 1
check "columns may have any name" diff -r plain rel
rm -rf plain rel

# ---- a table that was released before ---------------------------------------------------------------------
# Its 15 cells hold in every block of the next release, whatever noise that draws.
plan p.yaml 's/tables: \[total,/tables: [total, "gq*race",/'
run release p.yaml --test-seed 1
cut -d, -f1-6 rel/Block.gq-race.csv | sed '1s/.*/st,cty,blk,gq,race,value/' > given.csv
rm -rf rel
given='s/tables: \[total,/tables: [total, "gq*race",/; /^bounds/d; s/^invariants.*/invariants: [{level: Block, query: "gq*race", values: given.csv}]/'
for mode in gls topdown; do
	plan p.yaml "$given; s/mode: gls/mode: $mode/"
	run release p.yaml --test-seed 2
	cut -d, -f1-6 rel/Block.gq-race.csv | sed '1s/.*/st,cty,blk,gq,race,value/' > again.csv
	check "$mode: the given table holds in every block" cmp given.csv again.csv
	check "$mode: and everything adds up" python3 "$here/release_check.py" rel people.csv State:st,County:cty,Block:blk gq,sex,race
	rm -rf rel
done

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
no 2 "bad.yaml:18: a bound is a whole number, a column, or NUMBER*COLUMN" 's/9999\*n/99999999999999999999*n/'
no 2 "bad.yaml:11: a fraction must not be negative" 's/levels: {US: 1\/10/levels: {US: -1\/10/'
no 2 "bad.yaml: with neighbours add-remove an invariant reveals whether a person is counted; write acknowledge_invariants: true, or use replace-one" 's/replace-one/add-remove/'
no 2 "bad.yaml: the plan has no list of nodes; write nodes: FILE, or nodes: from-data-acknowledged if a node that exists only because of a record may be seen" '/^nodes/d'
no 2 "input: a record has a category that the plan does not list; complete the categories or correct the record" 's/^bounds.*//; s/, dorm\]}/]}/; s/\[home, dorm\]/[home]/'
no 2 "invariants and bounds on both race and gq cross; whether such tables exist is NP-complete to decide, so bounds may be on total and on one other query" 's/^invariants: \[/&{level: County, query: race}, {level: State, query: gq}, /; s/^bounds.*//'
no 2 "fac.csv: a value of gq is not a category of the plan" 's/, dorm\]}/]}/; s/\[home, dorm\]/[home]/'
no 2 "an invariant of more than 12 cells must be of the lowest level, whose counts all others follow from; gq*race is not" "$given; s/level: Block, query: \"gq/level: County, query: \"gq/"
{ cat given.csv; sed -n 's/,[0-9]*$/,77777/; 2p' given.csv; } > twice_given.csv
no 3 "s0/c0/b0: a cell of gq*race has two values in twice_given.csv" "$given; s/given.csv/twice_given.csv/"
{ cat given.csv; echo s0/c0/b0; } | sed '2s/,[0-9]*$/,9223372036854775807/; $d' > huge.csv
no 3 "s0/c0/b0: the constraints ask for more than 2^50 people" "$given; s/given.csv/huge.csv/"
no 2 "gq*race is given at the lowest level; bounds and invariants on gq besides would have to be compared with it: leave them out" "s/^invariants.*/invariants: [{level: Block, query: \"gq*race\", values: given.csv}]/"
no 2 "invariants: the union with s0 names it twice" 's/^invariants.*/invariants: [{level: State, query: total, nodes: [s0, s0]}]/'
sed '2s/^s[0-9]/s9/' fac.csv > else.csv
no 2 "else.csv: there is no node s9/c0/b0" 's/fac.csv/else.csv/'
sed '$s/^s[0-9]/s9/' people.csv > else.csv
no 2 "input: a record is in no node of the list; complete the list of nodes or correct the record" 's/people.csv/else.csv/'
sed '7s/,[a-z]*,/,"home,/' people.csv > torn.csv
no 2 "input: torn.csv, line 7: a quote is opened and not closed; correct or remove the record" 's/people.csv/torn.csv/'
sed '7s/$/,more/' people.csv > torn.csv
no 2 "input: torn.csv, line 7: too many cells; correct or remove the record" 's/people.csv/torn.csv/'
cp people.csv people.xml
no 2 "input: people.xml must end in .csv, .tsv, .json, .ndjson (each also with .gz) or .parquet" 's/people.csv/people.xml/'
no 2 "the file nowhere.csv could not be opened" 's/people.csv/nowhere.csv/'
no 2 "the file nowhere.csv could not be opened" 's/nodes: nodes.csv/nodes: nowhere.csv/'
sed '1s/st,/state,/' people.csv > people2.csv
no 2 "nodes.csv could not be read with the plan's columns; check that it is a table with the columns of the levels (state, cty, blk) and of what else the plan reads there" 's/column: st}/column: state}/; s/people.csv/people2.csv/'
no 2 "people.csv has no column state" 's/column: st}/column: state}/'
sed '1!s/,[0-9]*$/,999/' fac.csv > much.csv
no 3 "s2: the total contradicts the totals of the nodes below" 's/fac.csv/much.csv/'
printf 'st,cty,value\ns0,c0,100000\n' > fixed.csv
no 2 "bad.yaml:17: an invariant has nodes, which are one union, or values, one for each node; not both" 's/^invariants: \[/&{level: State, query: total, values: fixed.csv, nodes: [s0, s1]}, /'
no 2 "bad.yaml:16: so small a share makes noise of more than 2^30; raise the budget, or write 0 to leave the query out" 's/Block: {total: 1\/4, detailed: 3\/4}/Block: {total: 1e-30, detailed: 0.999999999999999999999999999999}/'
no 2 "bad.yaml: mode naive makes no tables that add up, so no microdata; leave output.microdata out" 's/mode: gls/mode: naive/'
no 2 "bad.yaml: output: two tables would be the file Block.gq.csv; list each table once" 's/tables: \[total, gq/tables: [total, gq, gq/'
no 2 "bad.yaml: output: tables would have two columns called sex; rename the level or the attribute" 's/level: County/level: sex/; s/County:/sex:/'
no 2 "bad.yaml:19: tol_slack is 0 or more, and below 0.5" 's/mode: gls/mode: gls, tol_slack: 1/' 
no 3 "s0: the total contradicts the totals of the nodes below" 's/^invariants: \[/&{level: County, query: total, values: fixed.csv}, /'
printf 'st,cty,value\ns0,c0,1.5\n' > fixed.csv
no 3 "fixed.csv: s0/c0: a value is negative, not a whole number or beyond 2^63" 's/^invariants: \[/&{level: County, query: total, values: fixed.csv}, /'
printf 'st,cty,value\ns0,c0,9007199254740993\n' > fixed.csv
no 3 "s0/c0: the constraints ask for more than 2^50 people" 's/^invariants: .*/invariants: [{level: County, query: total, values: fixed.csv}]/; s/^bounds.*//'
# Zeros that leave a whole group, or everybody, no cell: found without noise, and without the data.
grep -v prison people.csv > outside.csv
prisons='s/^estimate/structural_zeros: [{gq: prison, sex: m}, {gq: prison, sex: f}]\nestimate/; s/people.csv/outside.csv/'
first=$(grep prison fac.csv | sort | tail -n 1 | cut -d, -f1-3 | tr , /)
no 3 "$first: structural_zeros exclude gq (prison) but its lower bound is above 0" "$prisons"
refuses 3 "sotto release: $first: structural_zeros exclude gq (prison) but its lower bound is above 0" release bad.yaml --check
no 3 "$first: the lower bound of gq (home) is above the upper bound" 's/lower: n, upper: 9999\*n/lower: 5*n, upper: 4*n/'
grep -v prison fac.csv > open.csv
plan p.yaml "$prisons; s/fac.csv/open.csv/"
run release p.yaml --test-seed 1
check "where nobody need be in prison, nobody is" sh -c "! grep -q 'prison,.*,[1-9][0-9]*,NOT' rel/Block.detailed.csv"
rm -rf rel
head -n 1 people.csv > nobody.csv
printf 'st,value\ns1,5\n' > fixed.csv
no 3 "s1: structural_zeros exclude every cell, but the total is above 0" 's/people.csv/nobody.csv/; s/^bounds.*//; s/^estimate/structural_zeros: [{sex: m}, {sex: f}]\nestimate/; s/^invariants.*/invariants: [{level: State, query: total, values: fixed.csv}]/'
: > bad.yaml
refuses 2 "sotto release: bad.yaml: the file is empty" release bad.yaml
refuses 2 "sotto release: the plan nothing.yaml could not be opened" release nothing.yaml
refuses 2 "sotto release: give a plan, or one of --generate, --estimate, --variance, --round, --convert and --convert-epsilon" release

# ---- --check -----------------------------------------------------------------------------------------------
for profile in pl94-us-persons pl94-us-units pl94-pr-persons dhc-shape dhc-shape-units; do
	echo "profile: $profile" > c.yaml
	run release c.yaml --check --format json
	status_is 0 "profile $profile"
	cp "$out" "$profile.json"
done
check "budgets, noise and semantics of random plans and of the profiles agree with a second opinion" python3 "$here/release_account.py" "$SOTTO" 1 40
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
echo "profile: pl94-us-persons" > persons.yaml
echo "profile: pl94-us-units" > units.yaml
run release persons.yaml units.yaml --check --format json
check "costs of two releases are added as rhos; the sum of epsilons stands beside it" json "a['together']['rho'] == '46066969010197/17508174012729' and abs(a['together']['epsilon'] - 17.4351098) < 1e-6 and abs(a['together']['sum_of_epsilons'] - 19.6182218) < 1e-6 and len(a['plans']) == 2"
run release persons.yaml units.yaml --check
stdout_like '^together: rho 46066969010197/17508174012729: epsilon 17.4352 at the same delta, rounded up; adding the epsilons would say 19.6183, and that at a larger delta$' "and in words"
refuses 2 "sotto release: a release has one plan; only --check takes several" release persons.yaml units.yaml
sed 's/^/privacy: {model: zcdp, rho: 1, delta: 1e-10, neighbours: add-remove}\nacknowledge_invariants: true\n/' units.yaml > other.yaml
refuses 2 "sotto release: other.yaml has another privacy.neighbours than the first plan, so their costs do not add up" release persons.yaml other.yaml --check
printf 'profile: pl94-us-persons\nfanout: [51, 61.6, 26.9, 2.84, 24.6]\n' > c.yaml
run release c.yaml --check --format json
check "the error to expect on a regular tree" json "all(abs(a['levels'][l]['predicted_total_error'][m]['mae_linear'] - v) < 0.02 for l, m, v in [('County', 'naive', 1.725), ('County', 'topdown', 1.711), ('County', 'gls', 1.671), ('Block', 'naive', 39.17), ('Block', 'topdown', 38.37), ('Block', 'gls', 38.37)])"
cat > open.yaml <<'YAML'
hierarchy: [{level: Top}, {level: M, column: m}, {level: L, column: l}]
attributes: [{name: a, categories: 3}, {name: b, categories: 2}]
queries: {g: {a: [['0'], ['1', '2']]}}
privacy: {model: zcdp, rho: 1, neighbours: add-remove}
budget: {levels: {Top: 1/2, M: 1/2, L: 0}, queries: {Top: {total: 1/2, g: 1/2}, M: {total: 1/2, g: 1/2}}}
fanout: [3, 4]
YAML
run release open.yaml --check --format json
# A node: total 2, and two groups of 2 each, so 4/3. The top with three of them: 1/(3/4 + 1/4) = 1, and a child 4/3 2/3 + 1/9.
check "no error is predicted where nothing is measured, and the right one where only groups are" json "a['levels']['L']['predicted_total_error']['gls']['mae'] is None and all(abs(a['levels'][l]['predicted_total_error']['gls']['sd'] - 1) < 1e-12 for l in ('Top', 'M'))"
sed -i 's/M: 1\/2, L: 0/M: 0, L: 1\/2/; s/ M: {total/ L: {total/' open.yaml
run release open.yaml --check --format json
# Top-down looks below where a level has no budget: 4 leaves of 4/3 are 16/3; 16/3 2/3 + 4/27 with the top's 4/3.
check "a level without a budget is predicted from its children" json "abs(a['levels']['M']['predicted_total_error']['topdown']['sd'] ** 2 - 100 / 27) < 1e-9"
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
counties=2
[ "${SOTTO_VARIANT:-}" = asan ] && [ -z "${SOTTO_LONG:-}" ] && counties=1
for variant in chains empty wide one-cell quarters huge; do
	run release --generate "$variant" --variant "$variant" --counties $counties --seed 3
	sed -i 's/dir: out, tables: .*/dir: out, tables: [total]}/' "$variant/plan.yaml"
	run release "$variant/plan.yaml" --test-seed 1 --threads 2
	status_is 0 "a nation that is hard in one way: $variant"
	check "its states have their people" python3 - "$variant" <<'PY'
import collections, csv, sys
true, have = collections.Counter(), collections.Counter()
for r in csv.DictReader(open(sys.argv[1] + "/counts.csv")):
    true[r["state"]] += int(r["n"])
for level in ("State", "Block"):
    have = collections.Counter()
    for r in csv.DictReader(open(f"{sys.argv[1]}/out/{level}.total.csv")):
        have[r["State"]] += int(r["value"])
    if +have != +true:
        sys.exit(1)
PY
done
refuses 2 "sotto release: a nation has at most 3143 counties" release --generate many --counties 4000
refuses 2 "sotto release: a block group can have 30 to 100 cells that are not empty" release --generate thin --sparsity 3
run release --generate nation
status_is 1 "a nation is not overwritten"
run query -p policy.yaml -e 1 --delta 3e-7 "SELECT race, COUNT(*) AS n FROM people GROUP BY race"
run budget -p policy.yaml
stdout_like '^spent in all: rho [0-9.]*, which is epsilon [0-9.]* at delta 8e-7$' "what a threshold spent is part of delta"
finish
