#!/bin/sh
# docs/utility.md: every command runs and prints what stands below it.
. "$(dirname "$0")/lib.sh"
page=$(cd "$(dirname "$0")/../.." && pwd)/docs/utility.md
mkdir "$work/bin" "$work/walk"
ln -s "$SOTTO" "$work/bin/sotto"
if ! has_solver; then
	echo "1..0 # SKIP COIN-OR Clp is not installed"
	exit 0
fi
# step N COMMAND: its output in $out, what the page has in $work/want.N
python3 - "$page" "$work" <<'PYTHON'
import sys
page, work = sys.argv[1:]
inside, n = False, 0
for line in open(page):
    if line.startswith("```"):
        inside = not inside
    elif inside and line.startswith("$ "):
        n += 1
        open(f"{work}/command.{n}", "w").write(line[2:])
        open(f"{work}/want.{n}", "w").close()
    elif inside:
        open(f"{work}/want.{n}", "a").write(line)
PYTHON
n=1
while [ -e "$work/command.$n" ]; do
	(cd "$work/walk" && PATH=$work/bin:$PATH sh "$work/command.$n" 2> "$err" | sed 's/ *$//' > "$out")
	check "$(cat "$work/command.$n")" diff -u "$work/want.$n" "$out"
	n=$((n + 1))
done
check "the walk has steps" test "$n" -gt 15
finish
