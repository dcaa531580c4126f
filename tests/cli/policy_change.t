#!/bin/sh
# A ledger is made on purpose and belongs to the people: the policy may grow, and what is not
# harmless needs the owner.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
owning=no sealing=no

printf 'id,x\n1,5\n2,6\n3,7\n' > t.csv
printf 'id,y\n1,5\n1,6\n2,7\n' > u.csv
cp t.csv w.csv
base() {
	cat > p.yaml <<'END'
ledger: p.db
budget: { epsilon: 4, delta: 1e-6, analysts: { ada: 0.5, bob: 0.25 }, renew: 30 days }
min_epsilon: 0.01
time: { pad: 10ms, limit: 60s }
tables:
  t:
    source: t.csv
    unit: id
    max_rows: 2
    columns:
      x: { type: integer, bounds: [0, 10] }
  w: { source: w.csv, public: true }
END
}
ask() { run query -p p.yaml --analyst ada -e "${1:-0.1}" --fresh "SELECT COUNT(*) FROM t"; }

# ---- making -----------------------------------------------------------------------------------------
base
run seal -p p.yaml
refuses 1 "sotto query: no ledger at p.db; create one with sotto ledger create --policy p.yaml, or restore it: a new ledger starts the budget again" \
	query -p p.yaml --analyst ada -e 0.1 "SELECT COUNT(*) FROM t"
refuses 1 "sotto explain: no ledger at p.db; create one with sotto ledger create --policy p.yaml, or restore it: a new ledger starts the budget again" \
	explain -p p.yaml --analyst ada -e 0.1 "SELECT COUNT(*) FROM t"
refuses 1 "sotto budget: no ledger at p.db; create one with sotto ledger create --policy p.yaml, or restore it: a new ledger starts the budget again" budget -p p.yaml
check "none was made" test ! -e p.db
run ledger create -p p.yaml
stdout_is "created the ledger p.db, for add-remove neighbours" "the owner makes one"
refuses 1 "sotto ledger create: p.db already exists; a ledger is never overwritten, because it records what was spent" ledger create -p p.yaml
ask 0.5
status_is 0 "now it is asked"
run policy accept -p p.yaml
stdout_is "nothing to accept: the ledger has this policy already" "there is nothing to accept"

# ---- harmless changes -------------------------------------------------------------------------------
spent() { run budget -p p.yaml --format json; python3 -c "import json; print(json.load(open('$out'))['spent']['epsilon'])"; }
harmless() { # harmless NAME SED: goes on without the owner, and stands in the history
	base
	sed -i "$2" p.yaml
	"$SOTTO" seal -p p.yaml > /dev/null
	run query -p p.yaml --analyst ada -e 0.02 --fresh "SELECT COUNT(*) FROM t"
	status_is 0 "harmless: $1"
	run budget -p p.yaml --history
	check "and recorded: $1" grep -q " policy .*$3" "$out"
	base
	"$SOTTO" seal -p p.yaml > /dev/null
	"$SOTTO" policy accept -p p.yaml > /dev/null
}
harmless "bounds" 's/bounds: .0, 10./bounds: [0, 20]/' 'column t.x bounds: \[0, 10\] -> \[0, 20\]'
harmless "a step" 's/bounds: .0, 10./bounds: [0, 10], step: 2/' 'column t.x step: added, 2'
harmless "keys" 's/bounds: .0, 10./keys: [5, 6]/' 'column t.x keys: added'
harmless "max_rows" 's/max_rows: 2/max_rows: 5/' 'table t max_rows: 2 -> 5'
harmless "max_groups" 's/max_rows: 2/max_rows: 2\n    max_groups: 3/' 'table t max_groups: 1 -> 3'
harmless "max_text" 's/max_rows: 2/max_rows: 2\n    max_text: 30/' 'table t max_text: 2000 -> 30'
harmless "a promise that sealing checks" 's/type: integer/type: integer, unique: true/' 'column t.x unique: added, true, checked by sealing'
harmless "a private table of the same unit" 's/^  w:/  u: { source: u.csv, unit: id, columns: { y: { type: integer } } }\n  w:/' 'table u: added, private'
harmless "comments and order" 's/^min_epsilon: 0.01/# a comment\nmin_epsilon: 0.010/' 'column t.x bounds'

# ---- what needs the owner ----------------------------------------------------------------------------
weaker() { # weaker NAME SED DIFFERENCE: refused until it is accepted, and charged nothing
	base
	before=$(spent)
	sed -i "$2" p.yaml
	"$SOTTO" seal -p p.yaml > /dev/null
	run query -p p.yaml --analyst ada -e 0.02 --fresh "SELECT COUNT(*) FROM t"
	check "needs the owner: $1" sh -c "[ $status = 1 ] && grep -q 'sotto query: the policy is not the one that was accepted for the ledger (.*$3.*); the owner accepts it with: sotto policy accept' '$err'"
	run policy accept -p p.yaml
	stdout_like "^accepted: .*$3" "it is accepted: $1"
	run query -p p.yaml --analyst ada -e 0.02 --fresh "SELECT COUNT(*) FROM ${4:-t}"
	status_is 0 "then it is asked: $1"
	base
	"$SOTTO" seal -p p.yaml > /dev/null
	"$SOTTO" policy accept -p p.yaml > /dev/null
}
weaker "a larger budget" 's/epsilon: 4/epsilon: 5/' 'budget epsilon: 4 -> 5'
weaker "a smaller one is on no list" 's/epsilon: 4/epsilon: 3.5/' 'budget epsilon: 4 -> 3.5'
weaker "a larger delta" 's/1e-6/1e-5/' 'budget delta: 0.000001 -> 0.00001'
weaker "a larger share" 's/bob: 0.25/bob: 0.5/' 'share bob: 0.25 -> 0.5'
weaker "a new share" 's/bob: 0.25/bob: 0.25, eve: 0.1/' 'share eve: added, 0.1'
weaker "shorter renewal" 's/30 days/29 days/' 'budget renew: 2592000 seconds -> 2505600 seconds'
weaker "another unit" 's/unit: id/unit: row/' 'table t unit: id -> row'
weaker "public instead of private" 's/^    unit: id/    public: true/;/max_rows/d' 'table t: private -> public' w
weaker "a smaller pad" 's/pad: 10ms/pad: 5ms/' 'time pad: 10 ms -> 5 ms'
weaker "a smaller min_epsilon" 's/min_epsilon: 0.01/min_epsilon: 0.001/' 'min_epsilon: 0.01 -> 0.001'
weaker "a larger time limit" 's/limit: 60s/limit: 61s/' 'time limit: 60000 ms -> 61000 ms'
weaker "a private table of other people" 's/^  w:/  u: { source: u.csv, unit: row }\n  w:/' 'table u: added, private'
weaker "a new public table" 's/^  w:/  v: { source: u.csv, public: true }\n  w:/' 'table v: added, public'
weaker "a table that is gone" 's/^  t:/  s:/' 'table t: removed' s
weaker "another source" 's/source: t.csv/source: u.csv/;s/^      x:/      y:/' 'table t source: t.csv -> u.csv'
weaker "another type" 's/type: integer, //' 'column t.x type: removed, was integer'
weaker "memory" 's/^min_epsilon/memory: 1GiB\nmin_epsilon/' 'memory: added'
workers='spread: { launcher: ssh, hosts: [one], buckets: 2'
weaker_spread() { # NAME SETTING PATTERN: who gets to see exact values
	base
	sed -i "s/^min_epsilon/$workers }\nmin_epsilon/" p.yaml
	"$SOTTO" policy accept -p p.yaml > /dev/null
	sed -i "s/buckets: 2 }/buckets: 2, $2 }/" p.yaml
	ask
	check "needs the owner: $1" grep -q "not the one that was accepted for the ledger ($3" "$err"
}
weaker_spread "another program on the workers" 'program: \/opt\/other' 'spread program: added, /opt/other'
weaker_spread "another address to listen on" 'listen: 0.0.0.0' 'spread listen: added, 0.0.0.0'
weaker_spread "an option of the launcher" 'options: [-v]' 'spread option 1: added'
base
"$SOTTO" policy accept -p p.yaml > /dev/null
weaker "a default" 's/^min_epsilon/default: { epsilon: 0.1 }\nmin_epsilon/' 'default epsilon: added, 0.1'
base
sed -i 's/^min_epsilon/ledger-witness: w.txt\nmin_epsilon/' p.yaml
ask
stderr_is "sotto query: the witness of the ledger, w.txt, is missing; restore it, or, if the ledger is known to be the latest, the owner runs: sotto policy accept" "needs the owner: a witness"
run policy accept -p p.yaml
check "it is accepted, each change on a line of its own: a witness" test "$(tr '\n' '|' < "$out")" = "accepted: ledger-witness: added, w.txt|accepted: the witness was set to this ledger|"
sed -i 's/w.txt/v.txt/' p.yaml
cp w.txt v.txt
ask
stderr_like "not the one that was accepted for the ledger (ledger-witness: w.txt -> v.txt)" "needs the owner: another witness"
base
"$SOTTO" policy accept -p p.yaml > /dev/null
cp p.db q.db
weaker "another ledger" 's/ledger: p.db/ledger: q.db/' 'ledger: p.db -> q.db'

# ---- answers from before ------------------------------------------------------------------------------
base
run query -p p.yaml --analyst ada -e 0.3 "SELECT SUM(x) FROM t"
sed -i 's/max_rows: 2/max_rows: 2\n    max_text: 2000/;s/^  w:/  u: { source: u.csv, unit: id }\n  w:/' p.yaml
"$SOTTO" seal -p p.yaml > /dev/null
run query -p p.yaml --analyst ada -e 0.3 --format json "SELECT SUM(x) FROM t"
check "an answer stays free while the question means the same" python3 -c "import json; exit(not json.load(open('$out'))['repeated'])"
sed -i 's/bounds: .0, 10./bounds: [0, 20]/' p.yaml
run query -p p.yaml --analyst ada -e 0.3 --format json "SELECT SUM(x) FROM t"
check "with other bounds it is another question" python3 -c "import json; exit(json.load(open('$out'))['repeated'])"

# ---- the same question in other words --------------------------------------------------------------------
base
"$SOTTO" seal -p p.yaml > /dev/null
"$SOTTO" policy accept -p p.yaml > /dev/null
same() { # same NAME SQL: free, since it was asked
	run query -p p.yaml --analyst ada -e 0.02 --format json "$2"
	check "the same: $1" python3 -c "import json; exit(not json.load(open('$out'))['repeated'])"
}
other() { # other NAME SQL: it costs
	run query -p p.yaml --analyst ada -e 0.02 --format json "$2"
	check "another: $1" python3 -c "import json; exit(json.load(open('$out'))['repeated'])"
}
other "the first" "SELECT COUNT(*) AS n FROM t WHERE x > 5 AND (id = 'a' OR x < 9) AND id <> 'b'"
same "AND commuted" "SELECT COUNT(*) AS n FROM t WHERE id <> 'b' AND x > 5 AND (id = 'a' OR x < 9)"
same "OR commuted" "SELECT COUNT(*) AS n FROM t WHERE x > 5 AND (x < 9 OR id = 'a') AND id <> 'b'"
same "other brackets" "SELECT COUNT(*) AS n FROM t WHERE x > 5 AND ((id = 'a' OR x < 9) AND (id <> 'b'))"
same "other names" "SELECT COUNT(*) AS m FROM t AS q WHERE q.x > 5 AND (q.id = 'a' OR q.x < 9) AND q.id <> 'b'"
other "another value" "SELECT COUNT(*) AS n FROM t WHERE x > 6 AND (id = 'a' OR x < 9) AND id <> 'b'"
other "OR for AND" "SELECT COUNT(*) AS n FROM t WHERE x > 5 OR (id = 'a' AND x < 9) OR id <> 'b'"
other "another type of a literal" "SELECT COUNT(*) AS n FROM t WHERE id = '5'"
other "the text, not the number" "SELECT COUNT(*) AS n FROM t WHERE id = '5.0'"

# ---- rollback -------------------------------------------------------------------------------------------
mkdir back && cd back && cp ../t.csv . || exit 1
printf 'ledger: l.db\nledger-witness: ../witness\nbudget: { epsilon: 4 }\ntables:\n  t: { source: t.csv, unit: id }\n' > p.yaml
run ledger create -p p.yaml
run seal -p p.yaml
run query -p p.yaml -e 1 "SELECT COUNT(*) FROM t"
status_is 0 "a ledger with a witness is asked"
cp l.db old.db
run query -p p.yaml -e 1 --fresh "SELECT COUNT(*) FROM t"
cp old.db l.db
refuses 1 "sotto query: the ledger l.db lacks entries that its witness ../witness has seen: an older copy was put back; restore the latest, or, if it is lost, the owner runs: sotto policy accept" \
	query -p p.yaml -e 1 "SELECT COUNT(*) FROM t"
run policy accept -p p.yaml
stdout_is "accepted: the witness was set to this ledger" "the owner can vouch for it"
run query -p p.yaml -e 1 --fresh "SELECT COUNT(*) FROM t"
status_is 0 "and it goes on"
run budget -p p.yaml --history
stdout_like "the witness was set to this ledger; entries that only the witness knew of are lost" "the history says so"
cd .. || exit 1

# ---- how much fits ---------------------------------------------------------------------------------------
printf 'ledger: f.db\nbudget: { epsilon: 1 }\ndiagnostics: 0\ntables:\n  t: { source: t.csv, unit: id }\n' > f.yaml
run ledger create -p f.yaml
run seal -p f.yaml
run explain -p f.yaml -e 0.3 "SELECT COUNT(*) FROM t"
stdout_like '  how often        3 questions like this one fit into what is left' "explain says how many fit"
stdout_like '  time    60 s; a question that takes longer is charged and fails' "and what a question may use"
run query -p f.yaml -e 0.3 "SELECT COUNT(*) FROM t"
stdout_like 'left epsilon 0.7, delta 0; 2 more questions like it fit$' "query too"
run budget -p f.yaml
stdout_like '^2 more questions like the last one fit$' "and budget"
refuses 1 "sotto query: the epsilon left does not cover this release; epsilon 0.7 and delta 0 are left, and the largest epsilon that would still fit is 0.7" \
	query -p f.yaml -e 0.8 "SELECT COUNT(*) FROM t"
run explain -p f.yaml -e 0.8 "SELECT COUNT(*) FROM t"
stdout_like '  largest epsilon  0.7 would still fit' "explain as well"
sed 's/f.db/shared.db/' f.yaml > shared.yaml
run ledger create -p shared.yaml
run query -p shared.yaml -e 0.3 "SELECT COUNT(*) FROM t"
run query -p shared.yaml -e 0.3 --analyst bob "SELECT COUNT(*) FROM t"
refuses 1 "sotto query: the epsilon left does not cover this release; epsilon 0.4 and delta 0 are left, and the largest epsilon that would still fit is 0.4" \
	query -p shared.yaml -e 0.8 "SELECT COUNT(*) FROM t WHERE id <> '1'"
run explain -p shared.yaml -e 0.8 --analyst bob "SELECT COUNT(*) FROM t WHERE id <> '1'"
stdout_like '  largest epsilon  0.4 would still fit' "what others share shows nowhere"
run query -p f.yaml -e 0.7 --fresh "SELECT COUNT(*) FROM t"
status_is 0 "and it does fit"

# ---- neighbours --------------------------------------------------------------------------------------------
printf 'ledger: r.db\nbudget: { epsilon: 1 }\ntables:\n  t: { source: t.csv, unit: id }\n' > r.yaml
run ledger create -p r.yaml --neighbours replace-one
stdout_is "created the ledger r.db, for replace-one neighbours" "a ledger states its neighbours"
run seal -p r.yaml
refuses 1 "sotto query: the ledger is for replace-one neighbours, but a question needs add-remove neighbours; use another ledger" \
	query -p r.yaml -e 0.1 "SELECT COUNT(*) FROM t"
finish
