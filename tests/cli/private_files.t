#!/bin/sh
# What holds rows of people, what they sent, keys or the ledger is readable by its owner alone from the moment in which it
# is created, whatever the umask is: permissions that are taken away afterwards come too late for whoever has it open.
# created_files.c sees each file as it is created.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/serve.sh"
cd "$work" || exit 1
gcc -std=gnu11 -D_GNU_SOURCE -shared -fPIC -o created_files.so "$root/tests/cli/created_files.c" -ldl || exit 1
# The engine's process is given few variables, so it gets these by a program of its own.
real=$SOTTO
printf '#!/bin/sh\nLD_PRELOAD=%s CREATED_FILES=%s exec %s "$@"\n' "$work/created_files.so" "$work/created" "${SOTTO_WORKER:-$real}" > worker
printf '#!/bin/sh\nLD_PRELOAD=%s CREATED_FILES=%s exec %s "$@"\n' "$work/created_files.so" "$work/created" "$real" > sotto
chmod 755 worker sotto
export SOTTO_WORKER="$work/worker" SOTTO_HISTORY="$work/history" LC_ALL=C
SOTTO=$work/sotto sealing=no owning=no
umask 0
begin() { : > created; }
# alone NAME PATTERN...: files and folders that match each pattern were created since begin, all of them for their owner alone
alone() {
	name=$1 missing=
	shift
	for pattern; do
		grep -Eq "^[0-7]+ (.*/)?$pattern\$" created || missing="$missing $pattern"
	done
	grep -vE '^[0-7]?00 ' created | grep -vE " (.*/)?($shared)\$" > "$out"
	printf '%s\n' "not created:$missing" > "$err"
	check "$name" test ! -s "$out" -a -z "$missing"
}
# What others may read: the policy, pictures and released tables; and what the engine writes in a folder that they cannot enter.
shared='sotto.yaml|policy.yaml|rows(/.*)?'

# ---- tables of all kinds, and the ledger ----------------------------------------------------------------
PYTHONPATH="$here" python3 -B - "$real" <<'END'
import gzip, json
from engine_sql import sql
rows = [(i, i % 90, "n%d" % i) for i in range(200)]
text = "id,x,note\n" + "".join("%d,%d,%s\n" % r for r in rows)
open("a.csv", "w").write(text)
gzip.open("b.csv.gz", "wt").write(text)
open("c.ndjson", "w").write("".join(json.dumps(dict(zip(("id", "x", "note"), r))) + "\n" for r in rows))
open("d.json", "w").write(json.dumps([dict(zip(("id", "x", "note"), r)) for r in rows]))
sql("COPY (SELECT i AS id, i AS x, 'wxyz' || i AS note FROM range(1000) t(i)) TO 'e.parquet' (FORMAT parquet, COMPRESSION uncompressed)")
b = open("e.parquet", "rb").read()
at = b.index(b"wxyz501")
open("e.parquet", "wb").write(b[:at] + b"wx\xff" + b[at + 3:])
# Which unit a key has is stored when g is sealed.
sql("COPY (SELECT i AS id, i + 1000 AS stay FROM range(200) t(i)) TO 'g.parquet' (FORMAT parquet)")
sql("COPY (SELECT i + 1000 AS stay, i AS x FROM range(200) t(i)) TO 'h.parquet' (FORMAT parquet)")
sql("ATTACH 'f.duckdb' AS f; CREATE TABLE f.t AS SELECT i AS id, i AS x, 'n' || i AS note FROM range(200) t(i)")
END
{
	printf '%s\n' 'ledger: ledger.db' 'ledger-witness: witness' 'log: owner.log' 'budget: { epsilon: 1000, delta: 0.1 }' 'default: { epsilon: 1 }' 'tables:'
	for source in a.csv b.csv.gz c.ndjson d.json e.parquet; do
		printf '  %s: { source: %s, unit: id, max_groups: 1, max_rows: 1, columns: { x: { bounds: [0, 99] } } }\n' "${source%%.*}" $source
	done
	printf '  g: { source: g.parquet, unit: id, columns: { stay: { unique: true } } }\n'
	printf '  h: { source: h.parquet, unit: { column: id, via: h.stay -> g.stay }, max_groups: 1, max_rows: 1 }\n'
	printf '  f: { source: f.duckdb, table: t, unit: id, max_groups: 1, max_rows: 1, columns: { x: { bounds: [0, 99] } } }\n'
} > policy.yaml
begin
run seal --drop-malformed -p policy.yaml
status_is 0 "sources of all kinds are sealed"
alone "and their copies are the owner's alone from the start" sotto-sealed 'a-[^/]*parquet.new' 'b-[^/]*parquet.new' 'c-[^/]*parquet.new' \
	'd-[^/]*parquet.new' 'e-[^/]*parquet.new' 'manifest.json.new' 'g-[^/]*[.]owners[.]new'
begin
run ledger create -p policy.yaml
run ledger backup -p policy.yaml copy.db
run query -p policy.yaml "SELECT AVG(x) FROM a"
status_is 0 "a question is answered"
run query -p policy.yaml --spread 2 "SELECT AVG(x) FROM b"
status_is 0 "by several workers too"
run bounds -p policy.yaml -e 0.1 note -q
run policy accept -p policy.yaml
alone "so are the ledger, its copy and what stands beside them" 'ledger.db.*' 'copy.db.*' witness
begin
run init --unit id a.csv
alone "and what init makes" sotto.yaml 'sotto-ledger.db.*'
for part in sotto-sealed/c-*.parquet; do printf '\377\377\377\377\377\377\377\377' | dd of="$part" bs=1 seek=4 conv=notrunc 2> /dev/null; done
begin
run query -p policy.yaml "SELECT SUM(x) FROM c"
status_is 1 "a question fails in the engine"
alone "whose words are in a log for its owner alone" owner.log
begin
run layout --by id --buckets 3 a.csv laid
status_is 0 "a table is laid out"
alone "and its folders and list are the owner's alone" 'laid[^/]*' '.*sotto-layout.json'
check "with all that the engine wrote" test -z "$(find laid \( -perm /077 \) -print)"

# ---- tables of programs ---------------------------------------------------------------------------------
table=${root}/build/tests/unit/central/seal/test_arrow_table
[ -z "${SOTTO_VARIANT:-}" ] || [ "$SOTTO_VARIANT" = release ] || table=$root/build/$SOTTO_VARIANT/tests/unit/central/seal/test_arrow_table
if [ -x "$table" ]; then
	begin
	LD_PRELOAD=$work/created_files.so CREATED_FILES=$work/created "$table" > "$out" 2>&1
	grep 'parquet' created > kept
	mv kept created
	alone "a table that a program gives is stored for its owner alone" '.*parquet.new'
fi

# ---- reports, people, questions ---------------------------------------------------------------------------
begin
printf 'protocol grr\nsize 4\nepsilon 1\n' > params
yes 1 | head -n 300 | "$SOTTO" local encode --params params --each-device --out batch > reports
run local collect --store reports.store --params params reports
status_is 0 "reports are collected"
alone "in a folder for its owner alone" reports.store 'reports.store/.*'
printf '%s\n' 'collections: { colours: { params: params, store: colours } }' >> policy.yaml
run policy accept -p policy.yaml
cp policy.yaml sotto.yaml
begin
start_server
ask "$owner" users -d '{"name": "ada"}'
ask "$owner" collections/colours/reports --data-binary @reports -H 'Content-Type: application/octet-stream'
stop_server
alone "the server's register of people and its collections too" 'ledger.db.people' colours 'colours/.*'
begin
printf 'expect sotto> \nsend SELECT 1 AS a;\\n\nexpect sotto> \nsend \\\\q\\n\nend\n' > script
python3 "$here/talk.py" script "$SOTTO" shell > "$out" 2>&1
[ ! -e history ] || alone "and the history of a shell" history

# ---- releases ---------------------------------------------------------------------------------------------
"$real" release --generate small --counties 2 --seed 4 > /dev/null
begin
"$SOTTO" release small/plan.yaml > "$out" 2> "$err"
shared="$shared|small/.*csv.*|[.]release[.]progress.*|release.json.*|report.html.*|small/out"
alone "a release's key and its sealed rows" '[.]release[.]key.*' 'plan.yaml.sealed' 'plan.yaml.sealed/.*'
finish
