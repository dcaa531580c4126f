#!/bin/sh
# A newcomer with js/README.md alone: its blocks, pasted in order into an empty folder, go from a
# plan to an estimate.
. "$(dirname "$0")/lib.sh"
source=$(cd "$(dirname "$0")/../.." && pwd)
if [ "${SOTTO_VARIANT:-release}" != release ]; then
	echo "1..0 # SKIP the package is tested in the release build"
	exit 0
fi
port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
mkdir "$work/new" "$work/bin"
ln -s "$SOTTO" "$work/bin/sotto"
cd "$work/new" || exit 1
block() { # block KIND N: the Nth block of that kind
	awk -v kind="$1" -v n="$2" '$0 == "```" { inside = 0 } inside && at == n { print } $0 == "```" kind { inside = 1; at++ }' \
		"$source/js/README.md" | sed "s/8080/$port/"
}
paste() { # paste N: runs the Nth shell block
	block sh "$1" > "$work/block"
	PATH="$work/bin:$PATH" SOTTO_SOURCE=$source npm_config_audit=false npm_config_fund=false npm_config_offline=true \
		timeout 300 sh -eu "$work/block" > "$out" 2> "$err"
}
paste 1
verdict $? "the plan is made and the package installed"
check "the parameters are a module" grep -q 'export default' params.mjs
block js 1 > app.mjs
check "the device is written down whole" grep -q 'client.send' app.mjs
# `wait` gives the collector's status, which must be 0
paste 2
verdict $? "twenty devices report and the estimates are printed"
stdout_like '^20 reports' "each of them once"
stdout_like '^3 ' "with the value that they hold"
check "every state is a file that only its owner reads" test "$(find . -name 'state*' -perm 600 | wc -l)" = 20
finish
