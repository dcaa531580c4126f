#!/bin/sh
# The lab's mathematics against the program's, and every command that a page of the lab states.
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ ! -d "$root/.cache/web/node_modules/esbuild" ]; then
	echo "1..0 # SKIP esbuild is missing; tools/setup fetches it"
	exit 0
fi
cd "$work" && SOTTO="$SOTTO" CONSOLE_MODULES="$root/.cache/web/node_modules" LAB_SOURCES="$root/web/src/lab" \
	CLIENT_WASM="$(dirname "$SOTTO")/sotto-client.wasm" node "$root/tests/web/lab.mjs"
