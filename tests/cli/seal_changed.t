#!/bin/sh
# A Parquet or database file that was sealed and then changed is noticed, whatever part of it has changed.  The footer of the one and the
# headers of the other do not tell: a value in the middle of a page changes neither, and a database that is filled again by the same
# statements has the headers that it had.  What was never looked at would be asked: values that fail every question, keys that are there
# twice, a map from keys to the units of yesterday.
#
# An engine that runs on keeps a database file open: once another one has taken its place and is sealed, that one is asked.
#
# Seen to fail: with the digests of footer and headers alone, both files were asked, and sotto seal said that nothing had changed.  With
# catalogues named by the number of a table alone, a shell went on to answer from the old database file.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
sealing=no
make_files() {
	rm -f t.duckdb t.parquet
	PYTHONPATH="$here" python3 -B - "$SOTTO" "$1" <<'END'
import sys
from engine_sql import sql
rows = f"SELECT i AS id, CASE WHEN i = 17 THEN '{sys.argv[2]}' ELSE 'ab' || i % 90 + 10 END AS x FROM range(100) t(i)"
sql(f"COPY ({rows}) TO 't.parquet' (FORMAT parquet, COMPRESSION uncompressed)")
sql("ATTACH 't.duckdb' AS file"); sql("USE file")
sql(f"CREATE TABLE rows AS {rows}"); sql("CREATE VIEW seen AS FROM rows")
sql("USE memory"); sql("DETACH file")
END
}
cat > sotto.yaml <<'END'
ledger: ledger.db
budget: { epsilon: 1000 }
tables:
  file: { source: t.parquet, unit: id }
  rows: { source: t.duckdb, unit: id }
  seen: { source: t.duckdb, unit: id }
END
same_parts() { # whether what is looked at every time is the same in two files
	python3 -B - "$1" "$2" <<'END'
import struct, sys
a, b = (open(name, "rb").read() for name in sys.argv[1:])
footer = lambda file: file[-8 - struct.unpack("<I", file[-8:-4])[0]:]
part = footer if a[-4:] == b"PAR1" else lambda file: file[:12288]
sys.exit(len(a) != len(b) or part(a) != part(b) or a == b)
END
}

make_files ab33
run seal
status_is 0 "the files are sealed"
run ledger create
for table in file rows seen; do
	run query -e 1 "SELECT COUNT(*) FROM $table"
	status_is 0 "$table: it is asked"
done
cp -p t.parquet old.parquet && cp -p t.duckdb old.duckdb
make_files ab44
for kind in parquet duckdb; do
	check "the $kind file is another one, with the same size and head" same_parts old.$kind t.$kind
done
for table in file rows seen; do
	run query -e 1 "SELECT COUNT(*) FROM $table"
	status_is 1 "$table: a file in which one value is another is not asked"
	stderr_like "table $table has changed since it was sealed; the data owner runs: sotto seal" "$table: and the owner is told"
done
run seal
check "sealing looks at all of them again" test "$(grep -c ' sealed, 100 records' "$out")" = 3
for table in file rows seen; do
	run query -e 1 "SELECT COUNT(*) FROM $table"
	stdout_like 'the data have changed since this answer was given' "$table: a repeat says that the data have changed"
done
touch t.parquet t.duckdb
for table in file rows seen; do
	run query -e 1 "SELECT COUNT(*) FROM $table"
	status_is 0 "$table: another time alone is no change"
done
before=$(cat sotto-sealed/manifest.json)
run seal
check "which sealing takes note of, and nothing else" test "$(grep -c 'is sealed, nothing changed' "$out")" = 3 -a "$before" != "$(cat sotto-sealed/manifest.json)"

sed 's/1000/1e6/; s/ledger.db/talk.db/' sotto.yaml > talk.yaml
"$SOTTO" ledger create -p talk.yaml > "$out" 2> "$err"
PYTHONPATH="$here" python3 -B - "$SOTTO" > counts <<'END'
import json, os, subprocess, sys
from conversation import Conversation
from engine_sql import sql
talk = Conversation(sys.argv[1], "-p", "talk.yaml", "-e", "900")
tables = ("file", "rows", "seen")
def count():
    print(*(json.loads(talk.query(f"SELECT COUNT(*) FROM {t}")[1])["rows"][0][0] for t in tables))
count()
rows = "SELECT i AS id, 'other' AS x FROM range(37) t(i)"
sql(f"COPY ({rows}) TO 'new.parquet' (FORMAT parquet)")
sql("ATTACH 'new.duckdb' AS file"); sql("USE file")
sql(f"CREATE TABLE rows AS {rows}"); sql("CREATE VIEW seen AS FROM rows")
sql("USE memory"); sql("DETACH file")
os.replace("new.parquet", "t.parquet"); os.replace("new.duckdb", "t.duckdb")
print(*("has changed" in talk.query(f"SELECT COUNT(*) FROM {t}")[2] for t in tables))
subprocess.run([sys.argv[1], "seal", "-p", "talk.yaml"], check=True, stdout=subprocess.DEVNULL)
count()
END
check "a session asks what is sealed now, not what it has open" sh -c 'printf "100 100 100\nTrue True True\n37 37 37\n" | cmp - counts'

# A pipe in the place of a source would wait for somebody who writes into it, and everybody who asks with it.
printf 'id,x\n1,2\n' > text.csv
printf '  text: { source: text.csv, unit: id }\n' >> sotto.yaml
run policy accept
run seal
status_is 0 "a text is sealed too"
for source in t.parquet t.duckdb text.csv; do
	table=$(sed -n "s/^  \([a-z]*\): { source: $source,.*/\1/p" sotto.yaml | head -n 1)
	mv $source kept && mkfifo $source
	timeout 20 "$SOTTO" query -e 1 "SELECT COUNT(*) FROM $table" > "$out" 2> "$err"
	check "$source: a pipe in its place is a change" grep -q "table $table has changed since it was sealed" "$err"
	rm $source && mv kept $source
done
mkfifo pipe.csv
timeout 20 "$SOTTO" init -p other.yaml --unit id pipe.csv > "$out" 2> "$err"
check "and no source to begin with" grep -q 'pipe.csv could not be read' "$err"

# ---- what a database has in its log -------------------------------------------------------------------
# A row that was written and not yet moved into the file is a change, although the file is as it was.
PYTHONPATH="$here" python3 -B -c "
from engine_sql import sql
sql(\"ATTACH 'logged.duckdb' AS f; CREATE TABLE f.t AS SELECT i AS id FROM range(200) t(i)\")" "$SOTTO"
printf '%s\n' 'ledger: logged.db' 'budget: { epsilon: 10000 }' 'tables: { logged: { source: logged.duckdb, table: t, unit: id } }' > logged.yaml
"$SOTTO" seal -p logged.yaml > "$out" 2> "$err"
"$SOTTO" ledger create -p logged.yaml > "$out" 2> "$err"
run query -p logged.yaml -e 900 --format csv "SELECT COUNT(*) FROM logged"
stdout_like '^200,' "a database file is asked"
cp logged.duckdb before.duckdb
PYTHONPATH="$here" python3 -B -c "
import os
from engine_sql import sql
sql('PRAGMA disable_checkpoint_on_shutdown')
sql(\"ATTACH 'logged.duckdb' AS f\")
sql('INSERT INTO f.t VALUES (777)')
os._exit(0)" "$SOTTO"
check "what was written is in the log alone" sh -c 'test -s logged.duckdb.wal && cmp -s logged.duckdb before.duckdb'
sealing=no
refuses 1 "sotto query: logged.yaml:3: table logged has changed since it was sealed; the data owner runs: sotto seal --policy logged.yaml" \
	query -p logged.yaml -e 900 "SELECT COUNT(*) FROM logged"

# A question that has begun reads the copy that it found: sealing takes it away when the question is answered.
# Seen to fail: the copy went between the charge and the reading, and the question was charged for nothing.
printf 'id,x\n1,2\n2,3\n' >held.csv
printf '%s\n' 'ledger: held.db' 'budget: { epsilon: 1000 }' 'time: { pad: 1s }' 'tables:' \
	'  held: { source: held.csv, unit: id, max_groups: 1, max_rows: 1 }' >held.yaml
rm -rf sotto-sealed
"$SOTTO" seal -p held.yaml >/dev/null && "$SOTTO" ledger create -p held.yaml >/dev/null
old=$(echo sotto-sealed/held-*.parquet)
is_held() { ! python3 -c "import fcntl, sys; fcntl.flock(open('sotto-sealed/manifest.json'), fcntl.LOCK_EX | fcntl.LOCK_NB)" 2>/dev/null; }
"$SOTTO" query -p held.yaml -e 1 "SELECT COUNT(*) FROM held" >"$out" 2>"$err" &
asked=$! seen=no
while kill -0 $asked 2>/dev/null; do is_held && seen=yes; done
wait $asked
check "a question holds it until it is answered" test $seen = yes
check "and not any longer" sh -c "python3 -c \"import fcntl; fcntl.flock(open('sotto-sealed/manifest.json'), fcntl.LOCK_EX | fcntl.LOCK_NB)\""
number() { stat -c %i sotto-sealed/manifest.json; }
before=$(number)
exec 9<sotto-sealed/manifest.json
python3 -c "import fcntl; fcntl.flock(9, fcntl.LOCK_SH)"
echo 3,4 >>held.csv
"$SOTTO" seal -p held.yaml >/dev/null 9<&- &
sealer=$!
while [ "$(number)" = "$before" ] && kill -0 $sealer; do sleep 0.02; done
run query -p held.yaml -e 1 "SELECT COUNT(*) FROM held"
status_is 0 "a new question does not wait for the old one"
check "whose copy is still there" test -e "$old"
exec 9<&-
wait $sealer
check "and goes when it is answered" test ! -e "$old" -a -e sotto-sealed/held-*.parquet
finish
