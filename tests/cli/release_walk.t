#!/bin/sh
# docs/census.md and examples/census/README.md: every command of the walks runs, and what the texts say
# of the results holds.
. "$(dirname "$0")/lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
export TOP=Country
mkdir "$work/bin" && ln -s "$SOTTO" "$work/bin/sotto"
PATH=$work/bin:$PATH
cp -r "$top/examples" "$work/examples" && cd "$work" || exit 1
awk '/^```sh/ { on = 1; next } /^```/ { on = 0 } on' "$top/docs/census.md" > walk
status=0
sh -e walk > "$out" 2> "$err" || status=$?
status_is 0 "the walk runs"
consistent() { python3 "$top/tests/cli/release_check.py" "work/country/$1" work/country/people.csv State:state,County:county,Village:village living,age,sex $2; }
check "least squares adds up" consistent out State
check "so does top-down" consistent topdown State
check "independent noise does not" sh -c "! python3 '$top/tests/cli/release_check.py' work/country/naive work/country/people.csv State:state,County:county,Village:village living,age,sex"
check "epsilon of the census of 2020" grep -q '"epsilon": 17.14' work/us.json
check "no child is in prison" sh -c "! grep -q 'prison,child,.*,[1-9]' work/country/out/people_dp.csv"
check "a nation was made and released" test -s work/nation/out/Block.total.csv

# ---- the example's README -----------------------------------------------------------------------
cp -r examples/census tour && cd tour || exit 1
awk '/^```sh/ { on = 1; next } /^```/ { on = 0 } on' README.md > walk
status=0
sh -ex walk > "$out" 2> "$err" || status=$?
status_is 0 "the example's README runs"
sotto release plan.yaml --check > now
awk '/^```sh/ { code = 1; next } /^```/ { if (code) code = 0; else on = !on; next } on' README.md > printed
grep -v '^sotto release: \|^exit status' printed > table
check "it prints the table that the program prints" cmp table now
check "and the refusal" grep -qxF "$(grep '^sotto release: ' printed)" "$err"
consistent() { python3 "$top/tests/cli/release_check.py" "country/$1" country/people.csv State:state,County:county,Village:village living,age,sex $2; }
check "independent noise does not add up" sh -c "./adds-up country/naive | grep -q '^State: [1-3] of 3 differ'"
for way in topdown out free; do
	check "$way adds up" sh -c "test \$(./adds-up country/$way | grep -c '^[A-Z].*: 0 of') = 3"
done
check "states are exact in plan.yaml" consistent out State
check "they are not in free.yaml" sh -c "! cmp -s country/out/State.total.csv country/free/State.total.csv"
stdout_like '^0 children in prison$' "no child is in prison"
stdout_like '^exit status 3$' "a contradiction ends with status 3"
stderr_like '^sotto release: state[123]: the total contradicts' "and names the place"
sotto release free.yaml --check > free.txt
check "counties come out better without invariants" sh -c "awk '\$1 == \"County\" { v[FILENAME] = \$NF } END { exit !(v[\"free.txt\"] < v[\"now\"]) }' now free.txt"
finish
