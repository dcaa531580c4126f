#!/bin/sh
# examples/local: the walk of docs/local.md runs and says what its text says.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")/../..
status=0
SOTTO=$SOTTO "$here/examples/local/run" > "$out" 2> "$err" || status=$?
status_is 0 "the walk runs"
stdout_like '^grr .* best$' "eight values at epsilon 2: randomized response is best"
stdout_like '^all reports of one value  *2.000000000$' "thirty memoized reports cost what one does"
check "a device repeats itself" sh -c "sed -n '/^3\./,/^4\./p' '$out' | grep -E '^[0-9a-f]{2}\$' | sort -u | wc -l | grep -qx 1"
stdout_like '^batches known already  *1$' "an upload that comes twice counts once"
stdout_like '^reports in the store  *20000$' "and nothing is lost"
check "estimates are within seven errors of the truth" awk '
	/^5\./ { n = split("9000 5000 3000 1600 800 400 200 0", t); on = 1 }
	/^6\./ { on = 0 }
	on && $1 ~ /^[0-7]$/ { d = $2 - t[$1 + 1]; if (d < 0) d = -d; if (d > 7 * $3) bad = 1; seen++ }
	END { exit bad || seen != 8 }' "$out"
check "all four pages are found" sh -c "sed -n '/^6\./,/^7\./p' '$out' | grep -c '^[nmws].*example .* yes ' | grep -qx 4"
stdout_like 'strings are missing from the candidates' "a list that lacks a page is noticed"
for step in 'sotto local plan -n 20000 -d 8 -e 2 --memoize' 'sotto local privacy --params params --reports 30' \
	'sotto local decode --snapshot all'; do
	check "docs/local.md has: $step" grep -qF "$step" "$here/docs/local.md"
done
finish
