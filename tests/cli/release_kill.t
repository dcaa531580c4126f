#!/bin/sh
# sotto release killed at its system calls, one after the other: at every point the release is
# continued, or begun anew if it had left nothing; it is charged once, and ends with the same bytes.
. "$(dirname "$0")/lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
if ! command -v strace > /dev/null || ! strace -o /dev/null true 2> /dev/null; then
	echo "1..0 # SKIP strace cannot run here"
	exit 0
fi
cp -r "$top/examples/census" "$work/tour" && cd "$work/tour" || exit 1
./make-country country
cat > policy.yaml <<'YAML'
ledger: ledger.db
budget: { epsilon: 30, delta: 1e-6 }
tables: { people: { source: country/people.csv, unit: row } }
YAML
"$SOTTO" ledger create --policy policy.yaml --neighbours replace-one > /dev/null
cp ledger.db fresh.db
run release plan.yaml --policy policy.yaml --test-seed 5
status_is 0 "a release that nobody kills"
mv country/out whole

killed() { # killed CALL N: at the Nth such call
	rm -rf country/out ledger.db*
	cp fresh.db ledger.db
	strace -o trace -e trace="$1" -e "inject=$1:signal=KILL:when=$2" \
		"$SOTTO" release plan.yaml --policy policy.yaml --test-seed 5 > /dev/null 2>&1
	grep -q 'killed by SIGKILL' trace || return 1
	if [ -e country/out/.release.key ]; then
		run release plan.yaml --policy policy.yaml --resume country/out
	elif [ ! -e country/out/release.json ]; then
		run release plan.yaml --policy policy.yaml --test-seed 5
	fi
	diff -rq whole country/out > differences && [ ! -s differences ] &&
		"$SOTTO" budget -p policy.yaml --format json | grep -q '"releases": 1,' && right=$((right + 1))
	tried=$((tried + 1))
}
step=3
[ "${SOTTO_VARIANT:-}" = asan ] && step=12
for call in fsync rename unlink write; do
	tried=0 right=0 n=1
	while killed $call $n && [ $tried -lt 60 ]; do
		n=$((n + step))
	done
	check "killed at $call: $tried times, all of them whole and charged once" test $tried -gt 0 -a $tried = $right
done
finish
