#!/bin/sh
# docs/local.md: every command runs as it stands there, in order, and prints what its text says.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")/../.." && pwd)
if ! command -v curl > /dev/null; then
	echo "1..0 # SKIP curl is not installed"
	exit 0
fi
port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
status=0
SOTTO=$SOTTO PORT=$port "$here/examples/local/run" > "$out" 2> "$err" || status=$?
status_is 0 "the walk runs"
check "and nothing is said on standard error" test ! -s "$err"
stdout_like '^grr .* best$' "eight values at epsilon 2: randomized response is best"
stdout_like '^all reports of one value  *2.000000000$' "thirty memoized reports cost what one does"
check "a device repeats itself" test "$(grep -cE '^[0-9a-f]{2}$' "$out")" = 3 -a "$(grep -E '^[0-9a-f]{2}$' "$out" | sort -u | wc -l)" = 1
stdout_like '^batches known already  *1$' "an upload that comes twice counts once"
stdout_like '^reports in the store  *20000$' "and nothing is lost"
stdout_like '^{"verdict":"duplicate"}$' "over HTTP a batch that is known is known"
check "estimates are within seven errors of the truth" awk '
	/decode --snapshot all/ { n = split("9000 5000 3000 1600 800 400 200 0", t); on = 1 }
	/^\$ sotto local collect --store east/ { on = 0 }
	on && $1 ~ /^[0-7]$/ { d = $2 - t[$1 + 1]; if (d < 0) d = -d; if (d > 7 * $3) bad = 1; seen++ }
	END { exit bad || seen != 8 }' "$out"
check "all four pages are found" sh -c "sed -n '/--candidates list/,/short-list/p' '$out' | grep -c '^[nmws].*example .* yes ' | grep -qx 4"
stdout_like 'strings are missing from the candidates' "a list that lacks a page is noticed"

# what stands below a command has the shape of what it prints: the same lines, numbers aside
shape() { sed 's/127\.0\.0\.1:[0-9]*/ADDRESS/; s/-*[0-9][0-9.e+-]*/N/g; s/  */ /g; s/ *$//; /^$/d' "$1" | cut -c1-60; }
awk '/^```/ { on = !on; next } on' "$here/docs/local.md" > "$work/printed"
shape "$work/printed" | grep -v '^[0-9a-f]\{2\}$' > "$work/doc.shape"
shape "$out" | grep -v '^[0-9a-f]\{2\}$' > "$work/out.shape"
check "the document shows what is printed" sh -c "grep '^\\$\|^[a-z].*N.*N.*N' '$work/doc.shape' | cut -d' ' -f1-2 > '$work/a'
	grep '^\\$\|^[a-z].*N.*N.*N' '$work/out.shape' | cut -d' ' -f1-2 > '$work/b'; diff '$work/a' '$work/b'"
finish
