#!/bin/sh
# README.md: every command can be pasted in the hospital's folder, in order, and works.
. "$(dirname "$0")/lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$work/tree/build" && cp -r "$top/examples" "$work/tree/examples"
cp -r "$top/examples/hospital/small" "$work/tree/build/hospital"
ln -s "$SOTTO" "$work/tree/build/sotto"
cd "$work/tree/build/hospital" || exit 1
PATH=$work/tree/build:$PATH
sotto seal > /dev/null && sotto ledger create > /dev/null
# A line that begins with `$ ` is a command; one that is followed by "sotto COMMAND: ..." is refused.
# serve.t and serve_clients.t start servers and connect clients to them.
awk '/^```/ { on = !on; next }
	on && /^\$ / { if (n) print kind, line; line = substr($0, 3); kind = "works"; n++; next }
	on && /^sotto [a-z ]*: / { kind = "refused" }
	END { print kind, line }' "$top/README.md" > "$work/commands"
commands=0
while read -r kind line; do
	case $line in cd\ * | 'sotto serve' | psql\ *) continue ;; esac
	status=0
	sh -c "$line" > "$out" 2> "$err" < /dev/null || status=$?
	if [ "$kind" = works ]; then status_is 0 "$line"; else status_is 1 "refused: $line"; fi
	commands=$((commands + 1))
done < "$work/commands"
check "the page has commands" test "$commands" -gt 15
check "the page says where they are pasted" grep -q '^\$ cd build/hospital' "$top/README.md"
finish
