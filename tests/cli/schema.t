#!/bin/sh
# JSON of every command: what is printed is what docs/schema says, and no command is left out.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
python=/usr/bin/python3 # Debian's, which has the package
if ! $python -c 'import jsonschema' 2> /dev/null; then
	echo "1..0 # SKIP python3-jsonschema is not installed"
	exit 0
fi
hospital=$top/examples/hospital/small
cp "$hospital"/*.csv "$hospital/sotto.yaml" "$work" && cd "$work" || exit 1
mkdir samples
: > "$out"
n=0
# sample ARGUMENT...: runs the command with --format json and keeps what it printed for the end.
sample() {
	n=$((n + 1))
	"$SOTTO" "$@" --format json < "$in" > samples/$n.json 2> "$err" || [ -s samples/$n.json ] || {
		verdict 1 "it answers: $*"
		return 0
	}
	echo "$*" > samples/$n.command
	: > "$in"
}

# ---- tables under a policy -------------------------------------------------------------------
sample seal
printf 'id,x\n1,2\n2\n' > broken.csv
printf 'ledger: broken.db\nbudget: { epsilon: 1, delta: 1e-6 }\ntables: { t: { source: broken.csv, unit: id } }\n' > broken.yaml
sample seal --policy broken.yaml
sample layout --by patient_id --buckets 3 "$(echo sotto-sealed/patients-*.parquet)" laid-out
sample layout --check laid-out
"$SOTTO" ledger create > /dev/null
sample tables
sample query -e 0.1 "SELECT city, COUNT(*) AS n, AVG(age) FROM patients GROUP BY city"
sample query -e 0.1 "SELECT city, COUNT(*) AS n, AVG(age) FROM patients GROUP BY city"
sample query -e 1/3 -d 1e-7 "SELECT day, COUNT(*) FROM visits GROUP BY day"
sample query -e 0.1 "SELECT MEDIAN(age), MAX(age), smoker IS NULL AS k FROM patients GROUP BY smoker IS NULL"
sample query "SELECT region, COUNT(*), AVG(CAST(population AS DOUBLE)) FROM cities GROUP BY region"
sample query -e 0.1 "SELECT city FROM patients GROUP BY city ORDER BY COUNT(*) DESC LIMIT 3"
sample explain -e 0.1 "SELECT city, COUNT(*) AS n, AVG(age) FROM patients GROUP BY city"
sample explain -e 1/3 -d 1e-7 "SELECT day, MEDIAN(cost), SUM(cost) FROM visits GROUP BY day"
sample explain -e 99 "SELECT COUNT(*) FROM visits"
sample explain "SELECT COUNT(*) FROM cities"
sample explain --preview -e 0.1 "SELECT city, COUNT(*) AS n FROM patients GROUP BY city"
sample bounds income -e 0.3
sample bounds visits.cost -e 0.0002
sample bounds --contributions visits --by ward -e 0.3
sample budget
sample budget --history
sample budget --verify
sample ledger verify
input '\\epsilon 0.1\nSELECT COUNT(*) FROM patients;'
sample shell
sed 's/epsilon: 4, delta: 1e-6/epsilon: 4, delta: 1e-6, renew: 30 days, analysts: { ann: 1\/3 }/; s/^ledger: .*/ledger: shares.db/' sotto.yaml > shares.yaml
"$SOTTO" ledger create --policy shares.yaml > /dev/null
"$SOTTO" query --policy shares.yaml --analyst ann -e 0.1 "SELECT city, COUNT(*) FROM patients GROUP BY CUBE(city)" > /dev/null 2>&1
sample budget --policy shares.yaml
"$SOTTO" user add alice --share 1/4 > /dev/null 2>&1
"$SOTTO" user add boss --role owner > /dev/null 2>&1
sample user list

# ---- noise -----------------------------------------------------------------------------------
sample noise laplace -e 1 5 7
for mechanism in laplace geometric staircase; do
	sample noise $mechanism -e 1 5
	sample noise $mechanism -e 1/3 --sensitivity 3 5
done
sample noise laplace --step 0.01 --error 3 2.5
sample noise gaussian -e 1 -d 1e-6 5 7
sample noise truncated-geometric -e 1 --range 0 3 1
sample noise truncated-geometric -e 1 --range 0 3 --value 1 --probabilities
sample noise truncated-laplace -e 1 --range 0 3 1
for mechanism in exponential permute-and-flip noisy-max; do
	sample noise $mechanism -e 1 a=3 b=2
done
sample noise exponential -e 1 --probabilities a=3 b=2
sample noise permute-and-flip -e 1 --probabilities a=3 b=2
sample noise noisy-max -e 1 --gap a=3 b=2
sample noise above-threshold -e 1 --threshold 5 1 2 9
sample noise sparse -e 1 -t 5 -c 2 1 2 9
sample noise numeric-sparse -e 1 -t 5 -c 2 1 2 9
sample noise randomized-response --p 3/4 yes no
sample noise randomized-response --epsilon 1 --k 4 3 0
sample noise randomized-response --coin 1/2 --estimate 520 480
sample noise randomized-response --epsilon 1 --k 3 --estimate 52 48 30
for i in 1 2 3 4 5 6 7 8 9 10; do seq 20 80; done > "$in"
sample noise bounds -e 20
sample noise accuracy -e 1
sample noise accuracy -e 1 -d 1e-6 -k 100
sample sensitivity average --range 0 120 --min 100
sample sensitivity percentage --min 6 --brute
sample sensitivity count

# ---- account and channels ----------------------------------------------------------------------
sample account 'gaussian(sigma=10)*100' --delta 1e-6
sample account 'laplace(0.1)*10' --epsilon 1 --explain
sample account 'gaussian(sigma=?)*10' --delta 1e-6 --target-epsilon 1 --solve sigma
sample account 'shuffle(n=1000, epsilon0=1)' --delta 1e-6
sample account 'exponential(epsilon=0.1)*4' --delta 1e-6
sample audit --list
sample audit laplace gaussian local-grr --trials 1000
sample audit --broken half-sensitivity --trials 1000
printf '0.8,0.2\n0.3,0.7\n' > two.csv
sample verify two.csv
sample verify two.csv --epsilon 1
sample verify two.csv --derivable-from alpha=1/2
sample verify two.csv --derivable-from two.csv
sample utility --n 4 --epsilon 1
sample utility --n 4 --epsilon 'ln(2)' --compare
sample utility --n 6 --epsilon ln2 --target 4.5
sample utility --n 4 --epsilon 0.5 --prior uniform
sample optimal --n 4 --epsilon 1
sample optimal --n 4 --epsilon 1 --minimax

# ---- local -------------------------------------------------------------------------------------
printf 'protocol=grr\nepsilon=3\nsize=4\n' > grr
"$SOTTO" local plan -n 1000000 -d 4 -e 3 --protocol grr --emit text > grr
yes 2 | head -n 300 | "$SOTTO" local encode --params grr --each-device --out batch > batch
sample local collect --store store --params grr batch --snapshot all
sample local decode --snapshot all
data=$top/tests/vectors/google
[ -d "$data" ] || data=$(find "$top/tests/vectors" -type d -name google | head -n 1)
sample local decode --params "$data/params.csv" --counts "$data/counts.csv" --map "$data/map.csv" --mode google-py
sample local plan -n 1000 -d 10 -e 1
sample local presets
sample local privacy --params grr
sample local simulate --params grr --values 4 --clients 500
sample local simulate --params grr --values 4 --clients 500 --runs 3
sample local audit grr --trials 1000
sample local attack --params grr averaging --devices 20 --reports 20

python3 - <<'END'
import random
random.seed(5)
positions = lambda text, cohort, bits: [(len(text) * 7 + ord(text[0]) * 3 + cohort * 5 + k * 11) % bits for k in (0, 1)]
def bits(at, n):
    return "".join("1" if random.random() < (0.8 if n - 1 - i in at else 0.2) else "0" for i in range(n))
open("p.csv", "w").write("k,h,m,p,q,f\n8,2,4,0.2,0.8,0\n")
open("schema.csv", "w").write("metric, var, var_type, params\nhome,browser,string,p\nhome,flag,boolean,p\n")
with open("browser.csv", "w") as f:
    for v in ("firefox", "chrome"):
        f.write(v + "," + ",".join(str(c * 8 + x + 1) for c in range(4) for x in positions(v, c, 8)) + "\n")
with open("reports.csv", "w") as f:
    f.write("client,cohort,browser,flag\n")
    for i in range(400):
        c = random.randrange(4)
        f.write(f"{i},{c},{bits(positions(random.choice(('firefox', 'chrome')), c, 8), 8)},{bits([0] if i % 3 else [], 1)}\n")
open("graph", "w").write("num_partitions 2\nngram_size 2\nedge 0.ab 1.cd\n")
END
sample local associate --schema schema.csv --params-dir . --metric home --reports reports.csv --var browser --var flag --map browser=browser.csv
sample local ngrams --from-graph graph

# ---- releases ------------------------------------------------------------------------------------
sample release --convert 1 --delta 1e-10
sample release --convert-epsilon 1
printf '{"mode": "gls", "tree": {"value": 20, "variance": 4, "children": [{"name": "A", "value": 9, "variance": 1}, {"name": "B", "value": 14, "variance": 3}]}}' > tree.json
sample release --estimate tree.json
printf '{"attributes": [{"name": "A", "categories": 2}], "levels": [{"queries": {"total": 4, "detailed": 10}}]}' > one.json
sample release --variance one.json --exact
printf '{"cells": [["9/5", "6/5"], ["6/5", "4/5"]]}' > table.json
sample release --round table.json --exact
"$SOTTO" release --generate small --counties 1 --seed 4 > /dev/null
sample release small/plan.yaml --check
sample release small/plan.yaml --explain /

$python -W ignore "$here/schema.py" "$top/docs/schema" "$SOTTO" samples > "$out" 2> "$err"
verdict $? "what is printed is what the schemas say"
sed 's/^/# /' "$err"
check "every command that prints JSON was asked" test "$(grep -c '^not asked' "$out")" = 0
grep '^not asked' "$out" | sed 's/^/# /'
python3 - <<'END'
import glob, json
# A key that is not described, and one that is gone, must both be found out.
path = sorted(glob.glob("samples/*.command"), key=lambda p: not open(p).read().startswith("tables"))[0][:-8]
a = json.load(open(path + ".json"))
for name, change in ("more", lambda a: a.update(secret=1)), ("less", lambda a: a.pop("tables")):
    b = dict(a)
    change(b)
    import os
    os.makedirs(name, exist_ok=True)
    json.dump(b, open(f"{name}/1.json", "w"))
    open(f"{name}/1.command", "w").write("tables")
END
check "an undescribed key is found out" sh -c "! $python -W ignore '$here/schema.py' '$top/docs/schema' '$SOTTO' more"
check "and one that is missing" sh -c "! $python -W ignore '$here/schema.py' '$top/docs/schema' '$SOTTO' less"
finish
