#!/bin/sh
# docs/census.md: every command of the walk runs, and what the text says of its results holds.
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
finish
