#!/bin/sh
# The texts of an answer, its keys in every group, are held to 512 MiB before anything is charged: in groups, in
# what is computed from keys, in values that are chosen from a list, and in all parts of a question together.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

python3 - > sotto.yaml <<'EOF'
import json
def keys(count, letter, filling):
	return json.dumps([f"{letter}{i}{filling * (9990 // len(filling))}" for i in range(count)])
print(f"""ledger: ledger.db
budget: {{ epsilon: 100 }}
default: {{ epsilon: 1 }}
diagnostics: 0
tables:
  t:
    source: t.csv
    unit: pid
    columns:
      a: {{ keys: {keys(100, 'a', 'x')} }}
      b: {{ keys: {keys(100, 'b', 'x')} }}
      c: {{ keys: {keys(10, 'c', 'x')} }}
      quoted: {{ keys: {keys(100, 'q', chr(34))} }}
      d: {{ keys: [M, F] }}""")
EOF
printf 'pid,a,b,c,quoted,d\np1,a1,b1,c1,q1,M\n' > t.csv

refused() { # refused NAME SQL
	for command in explain query; do
		run $command "$2"
		status_is 1 "$command: $1 is refused"
		stderr_like 'more than 512 MiB of text.*group by fewer keys' "$command: with what to change"
	done
}
refused "three long keys" "SELECT a, b, c, COUNT(*) FROM t GROUP BY a, b, c"
refused "a longest value of each group" "SELECT a, b, d, MODE() WITHIN GROUP (ORDER BY c) FROM t GROUP BY a, b, d"
refused "parts that are long together" "SELECT a, b, d, COUNT(*) FROM t GROUP BY CUBE (a, b, d)"
refused "what takes more when it is written" "SELECT a, quoted, COUNT(*) FROM t GROUP BY a, quoted"
run query "SELECT a || c, COUNT(*) FROM t GROUP BY a, c"
status_is 0 "what is computed from keys is cut at 10000 characters"
run query "SELECT $(for i in 1 2 3 4; do printf "a || b || '%s', b || a || '%s', " $i $i; done) COUNT(*) FROM t GROUP BY a, b"
status_is 1 "and is counted"
stderr_like 'more than 512 MiB of text' "in bytes"
run query "SELECT left(a, 100), left(b, 100), COUNT(*) FROM t GROUP BY 1, 2"
status_is 0 "the advice helps"
run budget --format json
stdout_like '"spent": {"epsilon": 2,' "only what was answered is charged"
finish
