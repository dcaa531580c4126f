#!/bin/sh
# sotto layout keeps every row once and puts it into the bucket of its unit, whatever the unit's
# type; FOLDER is there whole or not at all; sealing refuses a layout that is not what it says, and a
# policy that says laid_out_by of one that is none.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

if ! engine "SELECT 1"; then
	echo "1..0 # SKIP there is no library of DuckDB"
	exit 0
fi
# NULL in every fiftieth row; about 600 units; a column that is called bucket
table() { # NAME UNIT
	engine "COPY (SELECT CASE WHEN i % 50 > 0 THEN $2 END AS uid, i AS bucket, 'n' || i % 10 || ', é' AS note,
		CASE i % 4 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN -0.0 ELSE i / 3 END AS x FROM range(5000) AS r(i)) TO '$1.parquet'"
}
u="(hash(i) % 600)::INTEGER - 300"
table whole "$u"
table small "((hash(i) % 100)::INTEGER - 50)::TINYINT"
table large "(hash(i) % 600)::UBIGINT + 18446744073709550000"
table texts "'person ' || ($u)"
table uuids "md5((($u)::VARCHAR))::UUID"
table dates "DATE '2020-01-01' + ($u)"
table times "TIMESTAMP '2020-01-01' + INTERVAL (($u)) SECOND"
table decimals "(($u) / 100)::DECIMAL(10, 2)"
table doubles "($u) / 8"
table nulls "NULL::INTEGER"
table single "7"
engine "COPY (SELECT 1 AS uid, 2 AS bucket WHERE false) TO 'empty.parquet'"

# ---- every row once, in its bucket ------------------------------------------------------------

same() { # SOURCE OTHER NAME: they have the same rows, which compare_rows finds out
	echo "$1 $2 $3" >>same
}
compare_rows() { # all sources are public tables of one policy, asked in one conversation
	PYTHONPATH="$here" python3 -B - "$SOTTO" 2>"$err" >checks <<'END'
import subprocess, sys
from conversation import Conversation
pairs = [line.rstrip("\n").split(" ", 2) for line in open("same")]
tables = {source: f"t{i}" for i, source in enumerate(sorted({s for p in pairs for s in p[:2]}))}
with open("rows.yaml", "w") as policy:
	policy.write("budget: { epsilon: 1 }\nledger: rows.db\nsealed: sealed-rows\ntables:\n")
	policy.writelines(f"  {name}: {{ source: {source}, public: true }}\n" for source, name in tables.items())
for command in ["seal", "--drop-malformed"], ["ledger", "create"]:
	subprocess.run([sys.argv[1], *command, "-p", "rows.yaml"], check=True, stdout=subprocess.DEVNULL)
talk = Conversation(sys.argv[1], "-p", "rows.yaml", "--format", "csv")
rows = {source: talk.say(f"SELECT uid, bucket, note, x FROM {name} ORDER BY bucket;") for source, name in tables.items()}
for source, other, name in pairs:
	print(int(rows[source] != rows[other]), name)
	print(int(rows[source].count("\n") != 5001), f"{name}: 5000 of them")
print(talk.end(), "nothing is refused")
END
	verdict $? "rows are compared in a conversation"
	verdicts checks
}
kinds="whole small large texts uuids dates times decimals doubles nulls single"
[ "${SOTTO_VARIANT:-}" = asan ] && kinds="whole texts nulls" # types are the engine's part
for units in $kinds; do
	run layout --by uid --buckets 7 --format json $units.parquet $units-7
	check "$units: as many rows" json "a['rows'] == 5000 and a['buckets'] == 7 and 1 <= a['files'] <= 7"
	run layout --check $units-7
	stdout_like 'each row is in its bucket$' "$units: is found right again"
	same $units.parquet $units-7/ "$units: the same rows"
done
for buckets in 1 64 1000; do
	run layout --by UID --buckets $buckets --format json whole.parquet whole-$buckets
	check "in $buckets buckets" json "a['rows'] == 5000 and a['buckets'] == $buckets and a['files'] <= $buckets"
done
run layout --by uid --buckets 7 empty.parquet empty-7
stdout_like '^empty-7: 0 rows in 0 files of 7 buckets' "nothing is laid out as nothing"
run layout --by uid --buckets 7 empty.parquet slash-7/
stdout_like '^  spread: { buckets: 7, laid_out_by: uid }$' "what to write into the policy is said as it is written"
stdout_like '^  source: slash-7/  ' "with one slash"
run layout --by uid --buckets 5 whole-7/ whole-again
same whole.parquet whole-again/ "a layout is laid out again"

# One unit lies in one folder: its rows are in one file's worth of buckets.
python3 - >units.yaml <<'END'
import glob
print("budget: { epsilon: 1 }\nledger: units.db\nsealed: sealed-units\ntables:")
for i, f in enumerate(sorted(glob.glob("whole-7/bucket=*/"))):
	print(f"  b{i}: {{ source: {f}, public: true }}")
END
: >seen
for i in 0 1 2 3 4 5 6; do
	run query -p units.yaml --format csv "SELECT DISTINCT coalesce(uid, 9999) AS u FROM b$i ORDER BY 1"
	sed 1d "$out" >>seen
done
check "no unit is in two buckets, NULL neither" test "$(sort seen | uniq -d | wc -l)" = 0
check "and all are in one" test "$(sort -u seen | wc -l)" = 601

# ---- workers and slices --------------------------------------------------------------------------

mkdir halves
engine "COPY (FROM 'whole.parquet' WHERE bucket < 2000) TO 'halves/a.parquet'" \
	"COPY (SELECT uid::BIGINT AS uid, bucket, note, x FROM 'whole.parquet' WHERE bucket >= 2000) TO 'halves/b.parquet'" \
	"COPY (FROM 'whole.parquet' WHERE false) TO 'halves/c.parquet'"
ways=0
for how in "--spread 1 --slice 700" "--spread 3 --slice 700" "--spread 2 --slice 1" "--spread 2"; do
	[ "$how" = "--spread 2 --slice 1" ] && how="--spread 2 --slice 999"
	ways=$((ways + 1))
	# shellcheck disable=SC2086 # several words
	run layout --by uid --buckets 7 $how halves/ sliced-$ways
	same whole.parquet sliced-$ways/ "files of two types of unit, $how: the same rows"
	run layout --check sliced-$ways
	status_is 0 "$how: each in its bucket"
done
compare_rows
engine "COPY (SELECT i AS uid, i AS file_row_number, 'x' AS filename FROM range(3000) AS r(i)) TO 'names.parquet'"
run layout --by uid --buckets 3 --slice 500 names.parquet names-3
stdout_like '^names-3: 3000 rows in 3 files' "a column with the name of the engine's own number does no harm"

# ---- texts ---------------------------------------------------------------------------------------

python3 - <<'END'
import gzip, json
with open("people.csv", "w") as f, gzip.open("people.csv.gz", "wt") as g, gzip.open("people.ndjson.gz", "wt") as h:
	f.write("uid,note\n"), g.write("uid,note\n")
	for i in range(4000):
		line = '%d,"a, ""b""\nc %d"\n' % (i % 311, i)
		f.write(line), g.write(line)
		h.write(json.dumps({"note": 'a, "b"\nc %d' % i, "uid": i % 311}) + "\n")
END
printf 'budget: { epsilon: 1e9 }\nledger: n.db\nsealed: sealed-n\ntables: { p: { source: people.ndjson.gz, unit: uid, columns: { uid: { type: integer }, note: { type: text } } } }\n' >fields.yaml
for text in people.csv people.csv.gz people.ndjson.gz; do
	# shellcheck disable=SC2046 # two words or none
	run layout --by uid --buckets 4 --slice 1500 --format json $(case $text in *.ndjson.gz) echo "--policy fields.yaml" ;; esac) $text text-$text
	check "$text: as many records" json "a['rows'] == 4000 and a['buckets'] == 4"
	printf 'budget: { epsilon: 1 }\nledger: t.db\nsealed: sealed-t\ntables: { t: { source: text-%s/, public: true } }\n' "$text" >t.yaml
	rm -rf t.db* sealed-t
	run query -p t.yaml --format csv "SELECT uid, note FROM t ORDER BY note, uid"
	check "$text: with its values" sh -c "md5sum <'$out' >$text.sum && cmp people.csv.sum $text.sum && grep -q '^0,\"a, \"\"b\"\"' '$out'"
	check "$text: no copy is left" test -z "$(find "text-$text" -name 'source*')"
done
printf 'uid,note\n1,a\n2\n' >broken.csv
run layout --by uid broken.csv broken
stderr_like '^sotto layout: broken.csv:3: a record is malformed or can be read in two ways (1 in all); repair it' "a text with a broken record is refused with its line"
check "and nothing is left of it" test ! -e broken -a ! -e broken.unfinished

# ---- rows as units ---------------------------------------------------------------------------------

engine "COPY (SELECT i % 100 AS age, i AS n FROM range(30000) AS r(i)) TO 'flat.parquet'"
run layout --by row --buckets 6 --slice 7000 flat.parquet flat-6
stdout_like '^flat-6: 30000 rows in [0-9]* files of 6 buckets' "rows that are units are laid out, too"
stdout_like 'laid_out_by: row }' "what to write is said"
printf 'budget: { epsilon: 1e9 }\nledger: flat.db\nlog: flat.log\nsealed: sealed-flat\ndiagnostics: 0\nspread: { buckets: 6, laid_out_by: row }\ntables: { t: { source: flat-6/, unit: row, columns: { age: { type: integer, bounds: [0, 110] } } } }\n' >flat.yaml
run seal -p flat.yaml
status_is 0 "and sealed"
for workers in 6 3 1 4; do
	run query -p flat.yaml -e 900 --fresh --spread $workers --format json "SELECT COUNT(*), COUNT(*) FILTER (WHERE age < 50) FROM t"
	check "$workers workers count each row once" json "a['rows'] == [[30000, 15000]]"
done
rm flat-6/bucket=2/*.parquet
run seal -p flat.yaml
stdout_like 'the files are not those that sotto-layout.json names' "a file that is gone is found"
rm -rf flat-6 && run layout --by row --buckets 40 flat.parquet flat-6
sed -i 's/buckets: 6/buckets: 40/; s/flat.db/flat40.db/; s/sealed-flat/sealed-40/' flat.yaml
run query -p flat.yaml -e 900 --fresh --format json "SELECT COUNT(*), COUNT(*) FILTER (WHERE age < 50) FROM t"
check "also where buckets are empty" json "a['rows'] == [[30000, 15000]]"

# ---- folders as columns -------------------------------------------------------------------------

mkdir -p cities/city=Rome/_logs cities/city=Paris
cp whole.parquet cities/city=Rome/a.parquet
cp whole.parquet cities/city=Paris/b.parquet
cp "$root/LICENSE" cities/city=Rome/_logs/x.parquet
printf 'budget: { epsilon: 1e9, delta: 1e-6 }\nledger: cities.db\nsealed: sealed-cities\ntables: { t: { source: cities/, unit: uid, max_rows: 100, max_groups: 2 } }\n' >cities.yaml
run query -p cities.yaml -e 9 --diagnostics 0 --format json "SELECT city, COUNT(*) FROM t GROUP BY city"
check "a folder of folders is a table, and they are a column" json \
	"[x[0] for x in a['rows']] == ['Paris', 'Rome'] and all(abs(x[1] - 4900) < 400 for x in a['rows'])"
run layout --by uid --buckets 3 cities/ cities-3
printf 'budget: { epsilon: 1 }\nledger: c3.db\nsealed: sealed-c3\ntables: { t: { source: cities-3/, public: true } }\n' >c3.yaml
run query -p c3.yaml --format csv "SELECT city, COUNT(*) FROM t GROUP BY city ORDER BY city"
check "which is kept when it is laid out" sh -c "sed 1d '$out' | tr '\n' ' ' | grep -q 'Paris,5000 Rome,5000'"
run init --unit uid -p - cities/
stdout_like '^  cities:$' "a policy for a folder is proposed under its name"

# ---- folders that are none of the table's ---------------------------------------------------------

# A folder called like the unit, above the files or behind a link, must not take its place.
mkdir -p here/uid=1 here/uid=2 here/links
engine "COPY (SELECT i % 100 AS uid, 1 AS x FROM range(400) AS r(i)) TO 'here/uid=1/a.parquet'"
cp here/uid=1/a.parquet here/uid=2/
ln -s ../uid=1/a.parquet here/links/1.parquet
ln -s ../uid=2/a.parquet here/links/2.parquet
{ echo uid,x && seq 0 99 | sed 's/$/,1/'; } >here/uid=1/c.csv
of() { printf 'budget: { epsilon: 1e9, delta: 1e-6 }\nledger: l.db\nsealed: s\ndefault: { epsilon: 900 }\ndiagnostics: 0\ntables: { t: { source: %s, unit: uid, max_rows: 1 } }\n' "$1"; }
of a.parquet >here/uid=1/p.yaml
of c.csv >here/uid=1/c.yaml
sed -i 's/l.db/c.db/' here/uid=1/c.yaml
of links/ >here/p.yaml
counts() { # FOLDER POLICY NAME: a hundred units, asked from there, on one engine and on two
	for spread in "" "--spread 2"; do
		# shellcheck disable=SC2086 # no word, or two
		(cd "$1" && "$SOTTO" query -p "$2" --fresh $spread --format json "SELECT COUNT(*) FROM t") >"$out" 2>"$err"
		check "$3${spread:+, spread}" json "a['rows'][0][0] == 100"
	done
}
for policy in here/uid=1/p.yaml here/uid=1/c.yaml here/p.yaml; do
	(cd "${policy%/*}" && "$SOTTO" seal -p "${policy##*/}" && "$SOTTO" ledger create -p "${policy##*/}") >/dev/null 2>&1
done
counts here/uid=1 p.yaml "a folder above is not a column, asked from inside"
counts . here/uid=1/p.yaml "nor asked from outside"
counts . here/uid=1/c.yaml "nor of a copy"
counts here p.yaml "nor where a link leads"
mkdir -p here/uid=1/f/city=Rome && cp here/uid=1/a.parquet here/uid=1/f/city=Rome/
of f/ >here/uid=1/f.yaml
refuses 1 "sotto seal: here/uid=1/f.yaml:6: folders of table t are columns, and a folder above the policy has = in its name as well, which would be one more column: rename that folder, or write the whole path as source" \
	seal -p here/uid=1/f.yaml

# ---- whole or not at all ------------------------------------------------------------------------

refuses 1 "sotto layout: whole-7 already exists; name another folder, or remove it" layout --by uid whole.parquet whole-7
refuses 1 "sotto layout: whole.parquet has no column nobody; --by names the column that says who a row is about" \
	layout --by nobody whole.parquet fresh
refuses 1 "sotto layout: there is no Parquet file at nowhere.parquet" layout --by uid nowhere.parquet fresh
refuses 1 "sotto layout: there is no file at nowhere.csv" layout --by uid nowhere.csv fresh
refuses 1 "sotto layout: nothing says which fields of lines.ndjson are columns: give --policy FILE, with a table that has this source and names its columns" \
	layout --by uid lines.ndjson fresh
refuses 1 "sotto layout: clinic.duckdb must be .parquet, .csv, .tsv, .json, .jsonl or .ndjson (texts also with .gz), a pattern of them, or a folder of Parquet files with a / at its end" \
	layout --by uid clinic.duckdb fresh
refuses 1 "sotto layout: --spread must be at least 1, not 0" layout --by uid --spread 0 whole.parquet fresh
refuses 1 "sotto layout: --spread must be at most 1000" layout --by uid --spread 1001 whole.parquet fresh
refuses 2 "sotto layout: --by names the column that says who a row is about" layout whole.parquet fresh
refuses 2 "sotto layout: with --check give the folder, and nothing else" layout --check a b
refuses 1 "sotto layout: whole.parquet has no sotto-layout.json" layout --check whole.parquet
head -c 3000 whole.parquet >cut.parquet
run layout --by uid cut.parquet fresh
status_is 1 "half a file is refused"
check "and nothing is left of any of these" test ! -e fresh -a ! -e fresh.unfinished
engine "COPY (SELECT i AS uid, md5(i::VARCHAR) AS t FROM range(100000) AS r(i)) TO 'long.parquet'"
(trap '' XFSZ && ulimit -f 1000 && exec "$SOTTO" layout --by uid --buckets 2 long.parquet full) >"$out" 2>"$err"
stderr_like 'could not be written to full.unfinished; check that there is room' "a disk without room is told"
check "and nothing is left of it" test ! -e full -a ! -e full.unfinished

# Killed in the middle: what was whole is kept, and the next one goes on from there.
cat >deadly <<END
#!/bin/sh
echo >>$work/starts
if [ \$(wc -l <$work/starts) -eq \$(cat $work/last) ]; then
	if [ -e $work/shoots ]; then kill -9 \$PPID; else kill -9 \$\$; fi
fi
exec "$SOTTO" "\$@"
END
chmod +x deadly
interrupted() { # LAST OPTION...: the worker that is started as the LAST kills the coordinator
	echo "$1" >last && : >starts && : >shoots
	shift
	SOTTO_WORKER=$work/deadly "$SOTTO" layout --by uid --buckets 2 --slice 20000 "$@" >"$out" 2>"$err"
}
part() { echo killed.unfinished/job-*/slice-0/rows/sotto_bucket=0/part-0.parquet; }
interrupted 4 long.parquet killed
check "a layout that is killed leaves nothing under the name" test ! -e killed -a -e killed.unfinished
check "but slices that are whole" test "$(echo killed.unfinished/job-*/slice-* | wc -w)" -ge 2
kept=$(stat -c %i $(part))
rm -f shoots
SOTTO_WORKER=$work/deadly "$SOTTO" layout --by uid --buckets 2 --slice 20000 long.parquet killed >"$out" 2>"$err"
status=$?
status_is 0 "the next one goes on"
check "with the file that was there" test "$(stat -c %i killed/bucket=0/part-0-0.parquet)" = "$kept"
check "and nothing is left over" sh -c "test ! -e killed.unfinished && test -z \"\$(find killed -name 'job-*' -o -name 'attempt-*' -o -name 'slice-*' -o -name 'source*')\""
run layout --check killed
stdout_like '^killed: 100000 rows in 10 files of 2 buckets' "all rows are there, once"
rm -r killed
# Killed while whole slices are put into their buckets: the next one moves the rest.
if [ "${SOTTO_VARIANT:-}" != asan ]; then # whose runtime wants to be loaded first
	cat >fatal.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int renameat(int from, const char *name, int to, const char *other)
{
	static int calls;
	if (++calls == atoi(getenv("FATAL_CALL")))
		kill(getpid(), SIGKILL);
	return syscall(SYS_renameat2, from, name, to, other, 0);
}
END
	${CC:-cc} -shared -fPIC -o fatal.so fatal.c
	for call in 1 2 6 10; do
		FATAL_CALL=$call LD_PRELOAD=$work/fatal.so "$SOTTO" layout --by uid --buckets 2 --slice 20000 long.parquet killed >"$out" 2>"$err"
		status=$?
		status_is 137 "a layout is killed at file $call of 10 that goes into its bucket"
		check "nothing is under the name yet" sh -c "test ! -e killed && test -e killed.unfinished/job-*/_gathered"
		check "$((call - 1)) files are in their buckets" test "$(find killed.unfinished/bucket=* -name '*.parquet' | wc -l)" -eq $((call - 1))
		run layout --by uid --buckets 2 --slice 20000 long.parquet killed
		status_is 0 "the next one moves the rest"
		run layout --check killed
		stdout_like '^killed: 100000 rows in 10 files of 2 buckets' "all rows are there, once"
		rm -r killed
	done
fi
interrupted 4 long.parquet killed
ln $(part) kept # so that no other file gets its number
kept=$(stat -c %i kept)
rm -f shoots && echo 0 >last
"$SOTTO" layout --by uid --buckets 3 --slice 20000 long.parquet killed >"$out" 2>"$err"
check "another number of buckets begins again" sh -c "test \"\$(stat -c %i killed/bucket=0/part-0-0.parquet)\" != $kept && grep -q 'of 3 buckets' '$out'"
rm -r killed
interrupted 4 long.parquet killed
find killed.unfinished -name 'part-0.parquet' -path '*slice-0/*bucket=1*' -exec cp whole.parquet {} \;
run layout --by uid --buckets 2 --slice 20000 long.parquet killed
stderr_like 'what was written is not what long.parquet holds\|could not be written' "a slice that somebody changed meanwhile is found"
check "and not kept" test ! -e killed
rm -rf killed.unfinished
interrupted 4 long.parquet killed
cp long.parquet longer.parquet
engine "COPY (SELECT i AS uid, md5((i + 1)::VARCHAR) AS t FROM range(100000) AS r(i)) TO 'long.parquet'"
run layout --by uid --buckets 2 --slice 20000 long.parquet killed
status_is 0 "a source that is another one now is laid out anew"
check "all of it" sh -c "test -e killed/sotto-layout.json && '$SOTTO' layout --check killed"
cp longer.parquet long.parquet
# A worker that dies, or one that is slow and comes twice, changes nothing.
rm -rf killed shoots && echo 3 >last && : >starts
SOTTO_WORKER=$work/deadly "$SOTTO" layout --by uid --buckets 2 --slice 20000 --spread 2 long.parquet killed >"$out" 2>"$err"
check "a worker that is killed is started again" sh -c "grep -q '^killed: 100000 rows' '$out' && '$SOTTO' layout --check killed"

mkdir -p fresh.unfinished/bucket=1
: >fresh.unfinished/bucket=1/part-0.parquet
run layout --by uid --buckets 2 whole.parquet fresh
status_is 0 "what a crash left is replaced"
check "and gone" test ! -e fresh.unfinished
mkdir mine.unfinished
: >mine.unfinished/diary
run layout --by uid --buckets 2 whole.parquet mine
stderr_like 'has files that no sotto layout wrote; move them away' "what others left is not"
check "and stays" test -e mine.unfinished/diary
check "only its owner can read it" test "$(stat -c %a fresh)" = 700 -a "$(stat -c %a fresh/bucket=0/part-0-0.parquet)" = 600

# ---- sealing --------------------------------------------------------------------------------------

policy() { # SOURCE UNIT
	printf 'budget: { epsilon: 9 }\nledger: spread.db\nsealed: sealed-spread\nspread: { launcher: local, buckets: 7, laid_out_by: %s }\ntables: { t: { source: %s, unit: uid, max_rows: 100 } }\n' \
		"$2" "$1" >spread.yaml
}
sealing=no
policy whole-7/ uid
run seal -p spread.yaml
status_is 0 "a layout is sealed"
check "and pinned" grep -q '"laid_out_by": "uid"' sealed-spread/manifest.json
check "with its buckets" grep -q '"buckets": 7' sealed-spread/manifest.json
run seal -p spread.yaml
stdout_like 'is sealed, nothing changed' "once"
broken() { # NAME REASON: a layout that was spoilt is refused by both
	run layout --check spoilt
	status_is 1 "$1: found by the check"
	policy spoilt/ uid
	run seal -p spread.yaml
	stdout_like "$2" "$1: refused when it is sealed"
	status_is 1 "$1: with a failure"
	check "$1: nothing is pinned" sh -c "! grep -q spoilt sealed-spread/manifest.json"
	rm -rf spoilt
}
spoil() { rm -rf spoilt && cp -R whole-7 spoilt; }
spoil && mv spoilt/bucket=0 spoilt/bucket=9 && broken "a folder with another name" 'the files are not those that sotto-layout.json names'
spoil && rm spoilt/bucket=3/part-0-0.parquet && broken "a file that is gone" 'the files are not those that sotto-layout.json names'
spoil && cp spoilt/bucket=3/part-0-0.parquet spoilt/bucket=3/part-0-1.parquet && broken "a file too many" 'the files are not those that sotto-layout.json names'
spoil && cp spoilt/bucket=1/part-0-0.parquet spoilt/bucket=2/part-0-0.parquet && broken "a file of another bucket" 'the files are not those that sotto-layout.json names'
spoil && sed -i 's/"buckets": 7/"buckets": 14/' spoilt/sotto-layout.json && broken "a changed number" 'sotto-layout.json is damaged'
spoil && sed -i 's/"hash": "0"/"hash": "1"/' spoilt/sotto-layout.json && broken "another hash" 'sotto-layout.json is damaged'
# Right in all its checksums, and false: only the rows tell.
lie() { # CHANGE
	spoil && python3 - "$1" <<'END'
import hashlib, json, os, sys
m = json.load(open("spoilt/sotto-layout.json"))
l = m["layout"]
if sys.argv[1] == "swap":
	os.rename("spoilt/bucket=0", "spoilt/x"); os.rename("spoilt/bucket=1", "spoilt/bucket=0"); os.rename("spoilt/x", "spoilt/bucket=1")
	l["files"][0]["name"], l["files"][1]["name"] = l["files"][1]["name"], l["files"][0]["name"]
	l["files"].sort(key=lambda f: f["name"])
elif sys.argv[1] == "unit":
	l["unit"] = "bucket"
elif sys.argv[1] == "number":
	l["buckets"] = 14
elif sys.argv[1] == "rows":
	l["rows"] += 1
m["checksum"] = hashlib.sha256(json.dumps(l, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()).hexdigest()
json.dump(m, open("spoilt/sotto-layout.json", "w"))
END
}
lie swap && broken "two folders that changed places" 'but not all do'
lie unit && broken "a layout by another column" 'rows lie in buckets of bucket, but not all do'
lie number && broken "another number of buckets" 'but not all do'
lie rows && broken "another number of rows" 'but not all do'
lie nothing && run layout --check spoilt
status_is 0 "the same without a lie is right"
policy whole.parquet uid
run seal -p spread.yaml
stdout_like 'the policy says laid_out_by: uid, but these files do not lie in its buckets; make them with sotto layout --by uid' \
	"laid_out_by of files that are not laid out is refused"
policy whole-7/ someone
run seal -p spread.yaml
stderr_like 'laid_out_by: someone is not the unit of any table$' "and of a unit that no table has"
check "nothing of all this was charged" test ! -e spread.db

# ---- asking -----------------------------------------------------------------------------------------

# Each unit counts once, so noise of epsilon 500 is 0 but for a chance of 1e-200.
policy whole-7/ uid
sed -i 's/epsilon: 9/epsilon: 1e9/; s/max_rows: 100/max_rows: 1/; $a diagnostics: 0' spread.yaml
"$SOTTO" seal -p spread.yaml >/dev/null && "$SOTTO" ledger create -p spread.yaml >/dev/null
for workers in 7 1 3; do
	run query -p spread.yaml -e 500 --fresh --spread $workers --format csv "SELECT COUNT(DISTINCT uid) FROM t"
	check "$workers workers count every unit once" sh -c "sed 1d '$out' | grep -q '^600,'"
done
# Had a false layout been pinned: a row in the wrong folder is dropped, quietly, with its unit.
lie swap && rm spoilt/sotto-layout.json
sed -e 's/ laid_out_by: uid,*//; s/whole-7/spoilt/; s/spread.db/false.db/; s/sealed-spread/sealed-false/; s/7, *}/7 }/; $a log: owner.log' spread.yaml >false.yaml
"$SOTTO" seal -p false.yaml >/dev/null && "$SOTTO" ledger create -p false.yaml >/dev/null
run query -p false.yaml -e 500 --fresh --spread 7 --format csv "SELECT COUNT(DISTINCT uid) FROM t"
check "without a layout every worker reads all" sh -c "sed 1d '$out' | grep -q '^600,'"
python3 - <<'END'
import hashlib, json
m = json.load(open("sealed-false/manifest.json"))
m["tables"][0].update(laid_out_by="uid", buckets=7)
m["checksum"] = hashlib.sha256(json.dumps(m["tables"], separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()).hexdigest()
json.dump(m, open("sealed-false/manifest.json", "w"))
END
run query -p false.yaml -e 500 --fresh --spread 7 --format csv "SELECT COUNT(DISTINCT uid) FROM t"
check "a worker reads its own folder alone, and of it what is its own" sh -c "n=\$(sed 1d '$out' | cut -d, -f1); test \$n -gt 300 -a \$n -lt 560"
check "quietly" test ! -s "$err"
cp "$out" missing
check "the owner is told how many rows were left out" grep -q ' spread: [1-9][0-9]* rows were in a wrong bucket and were left out: a file was changed' owner.log
strays=$(sed -n 's/.* spread: \([0-9]*\) rows were in.*/\1/p' owner.log)
check "all of those that lay in the two folders" test "$strays" = "$(
	"$SOTTO" query -p units.yaml --format csv "SELECT (SELECT COUNT(*) FROM b0) + (SELECT COUNT(*) FROM b1)" | tail -1)"
check "and nobody else is" sh -c "! grep -q 'wrong bucket\|left out' missing"
: >owner.log
sed 's/7 }/7 }\nlog: owner.log/' spread.yaml >true.yaml
"$SOTTO" policy accept -p true.yaml >/dev/null 2>&1
run query -p true.yaml -e 500 --fresh --spread 7 "SELECT COUNT(DISTINCT uid) FROM t"
check "of a true layout nothing is told" sh -c "test $status = 0 && ! test -s owner.log"

# ---- workers that do not divide the buckets -----------------------------------------------------------

run explain -p spread.yaml -e 1 --spread 3 "SELECT COUNT(*) FROM t"
check "explain says when a layout is of no use" sh -c "tr -s ' \n' ' ' <'$out' | grep -q 'table t is laid out in 7 buckets, which 3 does not divide, so every worker reads all of it'"
run explain -p spread.yaml -e 1 --spread 7 "SELECT COUNT(*) FROM t"
check "and only then" sh -c "! grep -q 'does not divide' '$out'"
sed 's/buckets: 7/buckets: 4/' spread.yaml >odd.yaml
run seal -p odd.yaml
stdout_like '^  it is laid out in 7 buckets, which buckets: 4 of the policy does not divide, so every worker reads all of it; write a divisor of 7$' "so does seal"
run seal -p spread.yaml --format json
check "which has nothing to note otherwise" json "a['tables'][0]['note'] is None"
finish
