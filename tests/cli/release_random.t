#!/bin/sh
# sotto release on random plans and small trees, judged with no tolerance (release_random.py): what can
# hold is released and holds, what cannot is refused.  SOTTO_LONG: a thousand of them.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
count=40
[ "${SOTTO_VARIANT:-}" = asan ] && count=10
[ -n "${SOTTO_LONG:-}" ] && count=1000
duckdb=$top/.cache/duckdb/libduckdb.so
check "$count random plans" python3 "$here/release_random.py" "$SOTTO" 5000 $count "$duckdb"
finish
