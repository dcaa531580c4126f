#!/bin/sh
# Devices in C and JavaScript make batches that the collector takes; the walk of examples/device.
. "$(dirname "$0")/lib.sh"
b=${SOTTO_BUILD:-build}

"$SOTTO" local plan -n 1000 -d 8 -e 3 --memoize --emit text > "$work/numbers"
printf 'protocol olh\nepsilon 2\nhashes 8\n' > "$work/texts"
"$SOTTO" local params --to js "$work/numbers" > "$work/numbers.mjs"
"$SOTTO" local params --to js "$work/texts" > "$work/texts.mjs"
"$SOTTO" local params --to bytes "$work/numbers" > "$work/numbers.bytes"
check "the canonical parameters are 84 bytes" test "$(wc -c < "$work/numbers.bytes")" = 84
run local plan -n 1000 -d 8 -e 3 --memoize --emit js
check "plan emits what params prints" cmp "$out" "$work/numbers.mjs"

node tests/cli/device_client.mjs "$b/js/sotto-client.js" "$work/numbers.mjs" "$work/texts.mjs" > "$work/js.tap" 2>&1
node_status=$?
sed 's/^/# /' "$work/js.tap"
check "the JavaScript package keeps what it promises" test "$node_status" = 0
check "all its tests ran" grep -q '^1\.\.51$' "$work/js.tap"
mkdir -p "$work/typed/node_modules"
cp tests/cli/device_types.mts "$work/typed/app.mts"
ln -s "$(cd "$b/js" && pwd)" "$work/typed/node_modules/sotto-client"
for resolution in nodenext:nodenext es2020:bundler; do
	check "its types are right for programs that resolve modules as ${resolution#*:} does" \
		.cache/web/node_modules/.bin/tsc --strict --noEmit --target es2020 --lib es2020,dom \
		--module "${resolution%:*}" --moduleResolution "${resolution#*:}" "$work/typed/app.mts"
done
check "it is at most 25 kB compressed" test "$(gzip -9c "$b/js/sotto-client.js" | wc -c)" -le 25000

# 400 texts from one program each, counted by the collector
cat > "$work/many.mjs" <<'JS'
import { writeFileSync } from "node:fs";
const [library, params, out] = process.argv.slice(2);
const { Client } = await import(library);
const { default: p } = await import(params);
for (let i = 0; i < 400; i++) {
  const client = await Client.open(p, null);
  client.encode(i % 4 ? "often" : "rare");
  writeFileSync(`${out}/${i}`, client.batch());
}
JS
mkdir "$work/batches"
check "four hundred devices report texts" node "$work/many.mjs" "$(realpath "$b/js/sotto-client.js")" "$work/texts.mjs" "$work/batches"
run local collect --params "$work/texts" --store "$work/store" --snapshot "$work/all" "$work"/batches/*
status_is 0 "the collector takes them"
printf 'often\nrare\nnever\n' > "$work/list"
run local decode --snapshot "$work/all" --candidates "$work/list" --format csv
stdout_like '^often,[23][0-9][0-9]' "and finds what is frequent"

SOTTO_BUILD=$b SOTTO=$SOTTO examples/device/run > "$work/walk" 2>&1
check "the walk of examples/device runs" test $? = 0
check "its 270 devices are counted once" grep -q '^270 reports' "$work/walk"
finish
