#!/bin/sh
# NaN and the two zeros are equal to numbers that they are not, or not equal to themselves.  What a file says about its parts (statistics,
# filters, dictionaries) treats them otherwise than the engine does, so that one record could hide the NaN or the zeros of all others.
# Tables that differ in one record give answers that differ by at most 1, wherever the rows lie.
#
# Seen to fail: read without `+ 0` (session_source_view.c), 0, 1000 or 2000 of 2000 rows were found, as the one record would have it.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
PYTHONPATH="$here" python3 -B - "$SOTTO" <<'END'
import struct, sys
from engine_sql import sql
sql("SET threads = 1")
sql("ATTACH 'all.duckdb' AS file"); sql("USE file")
policy = open("sotto.yaml", "w")
policy.write("ledger: ledger.db\nbudget: { epsilon: 10000000, delta: 0.1 }\ndiagnostics: 0\ntables:\n")
def table(name, source):
    policy.write(f"  {name}: {{ source: {source}, unit: id, max_groups: 1, max_rows: 1 }}\n")
# the marked value lies between the others; it becomes NaN behind the back of the statistics, which is what other writers write
def write(name, form, rows):
    sql(f"COPY ({rows}) TO '{name}.parquet' (FORMAT parquet, COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 0)")
    b = open(name + ".parquet", "rb").read()
    start = len(b) - 8 - struct.unpack("<i", b[-8:-4])[0]
    mark, nan = struct.pack(form, 3.25), struct.pack(form, float("nan"))
    if b[:start].count(mark) < 900: sys.exit("no marks in " + name)
    open(name + ".parquet", "wb").write(b[:start].replace(mark, nan) + b[start:])
    table(name, name + ".parquet")
# the one record, and everybody else: NaN or not, zeros or not
ones = {"five": "5", "six": "6", "nan": "'NaN'", "zero": "0.0", "minus": "-(0.0::DOUBLE)"}
for type, form in (("DOUBLE", "<d"), ("FLOAT", "<f")):
    for one, value in ones.items():
        for others, odd in (("nans", "3.25"), ("zeros", "-(0.0::DOUBLE)")):
            x = f"(CASE WHEN i = 0 THEN {value}::DOUBLE WHEN i % 2 = 0 THEN {odd} WHEN i % 4 = 1 THEN 3 ELSE 4 END)::{type}"
            rows = f"SELECT i AS id, {x} AS x, {{'f': {x}}} AS s FROM range(2000) t(i)"
            name = f"{type}_{one}_{others}".lower()
            if others == "nans":
                write(name + "_parquet", form, rows)
            else:
                sql(f"COPY ({rows}) TO '{name}.parquet' (FORMAT parquet)")
                table(name + "_parquet", name + ".parquet")
            sql(f"CREATE TABLE {name}_rows AS {rows.replace('3.25', chr(39) + 'NaN' + chr(39) + '::DOUBLE')}")
            sql(f"CREATE VIEW {name}_view AS FROM {name}_rows")
            table(name + "_rows", "all.duckdb"); table(name + "_view", "all.duckdb")
policy.close()
sql("USE memory"); sql("DETACH file")
END
"$SOTTO" seal > "$out" 2> "$err"
verdict $? "all files are sealed"
sealing=no owning=no
"$SOTTO" ledger create > "$out" 2> "$err"
cat > conditions <<'END'
@ > 4
@ > 5
@ < 5
@ <= 4
@ = 0
@ = 3
@ IN (0, 7)
NOT @ > 5
CAST(@ AS TEXT) LIKE '-%'
atan2(0, @) > 3
END
grep '^@ [<>=] ' conditions > where
# One question for each table and place: all conditions at once, so that the run stays short.
counts() # COLUMN
{
	while read -r condition; do
		printf ', COUNT(*) FILTER (WHERE %s)' "$condition"
	done < conditions | sed "s/^, //; s/@/$1/g"
}
near() # FILE...: no column of numbers differs by more than 1 between the files
{
	python3 - "$@" <<'END'
import csv, sys
rows = [next(csv.DictReader(open(f))) for f in sys.argv[1:]]
far = [k for k in rows[0] if not k.endswith(("_low", "_high")) and max(int(r[k]) for r in rows) - min(int(r[k]) for r in rows) > 1]
sys.exit("differ in " + ", ".join(far) if far else 0)
END
}
for type in double float; do
	for others in nans zeros; do
		for place in parquet rows view; do
			for column in x s.f; do
				[ $place$column = rowss.f ] && continue
				files=
				for one in five six nan zero minus; do
					run query -e 900 --format csv "SELECT $(counts $column) FROM ${type}_${one}_${others}_$place"
					cp "$out" "$one.csv"
					files="$files $one.csv"
				done
				check "$type, $others in $place, $column: one record moves each count by 1 at most" near $files
			done
		done
	done
done
# a condition of the question, not of an aggregate, is what reaches a file
for others in nans zeros; do
	while read -r condition; do
		files=
		for one in five six nan zero minus; do
			run query -e 900 --format csv "SELECT COUNT(*) FROM double_${one}_${others}_parquet WHERE $(echo "$condition" | sed 's/@/x/g')"
			cp "$out" "$one.csv"
			files="$files $one.csv"
		done
		check "$others in a file, WHERE $condition: one record moves the count by 1 at most" near $files
	done < where
done
finish
