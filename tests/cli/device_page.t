#!/bin/sh
# examples/device in a real browser and in C, from the plan to the estimate, over HTTP.
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
b=${SOTTO_BUILD:-$root/build}
if [ "${SOTTO_VARIANT:-release}" != release ]; then
	echo "1..0 # SKIP the browser is driven in the release build"
	exit 0
fi
if ! command -v chromium > /dev/null || [ ! -d "$root/.cache/web/node_modules/playwright-core" ]; then
	echo "1..0 # SKIP chromium or playwright-core is missing; tools/setup installs both"
	exit 0
fi

# plan: at epsilon 6 one hundred answers say enough for a test that never fails by chance
"$SOTTO" local plan -n 100 -d 8 -e 6 --memoize --emit text > "$work/params"
mkdir "$work/staged"
cp "$root"/examples/device/index.html "$root"/examples/device/page.* "$b/js/sotto-client.js" "$work/staged"
"$SOTTO" local params --to js "$work/params" > "$work/staged/params.js"
"$SOTTO" local params --to c "$work/params" > "$work/params.h"
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -I"$work" -I"$root/include" "$root/examples/device/device.c" \
	"$b/libsotto-client.a" -o "$work/device" || exit 1

"$SOTTO" local collect --store "$work/store" --params "$work/params" --http 127.0.0.1:0 \
	--snapshot "$work/all" > "$work/said" &
collector=$!
trap 'kill "$collector" 2>/dev/null; wait "$collector" 2>/dev/null; rm -rf "$work"' EXIT
while ! grep -q '^listening at' "$work/said"; do
	kill -0 "$collector" 2>/dev/null || exit 1
	sleep 0.05
done
DEVICE_COLLECTOR=$(sed -n 's/^listening at //p' "$work/said") DEVICE_STAGED="$work/staged" \
	DEVICE_PROGRAM="$work/device" CONSOLE_MODULES="$root/.cache/web/node_modules" \
	node "$root/tests/web/device.mjs" > "$work/tap" 2>&1
sed 's/^/# /' "$work/tap"
check "every step in the browser holds" test "$(grep -c '^ok' "$work/tap")" = 9
check "none fails" sh -c '! grep -q "^not ok" "$0" && grep -q "^1\.\.9$" "$0"' "$work/tap"
kill -TERM "$collector"
: > "$out" > "$err"
wait "$collector"
check "the collector ends in peace" test $? = 0
check "a batch came twice" grep -q '^batches known already  *1$' "$work/said"
check "it has 104 reports, each once" grep -q '^reports in the store  *104$' "$work/said"

# 60 people, one of them twice, one that was refused first, and one twice after a lost reply; 40 devices in C
run local decode --snapshot "$work/all" --alpha 1e-6 --format json
check "the estimates cover the truth" /usr/bin/python3 -c "
import json
e = json.load(open('$out'))['estimates']
truth = {2: 40 + 1 + 1 + 2 + 30, 5: 20 + 10}
for i, one in enumerate(e):
    assert one['low'] <= truth.get(i, 0) <= one['high'], (i, one)
assert [i for i, one in enumerate(e) if one['significant']] == [2, 5], e
"
finish
