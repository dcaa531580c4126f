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
# One question for each table and place: all conditions at once, so that the run stays short.
PYTHONPATH="$here" python3 -B - "$SOTTO" > checks 2> "$err" <<'END'
import json, sys
from conversation import Conversation
conditions = ["@ > 4", "@ > 5", "@ < 5", "@ <= 4", "@ = 0", "@ = 3", "@ IN (0, 7)", "NOT @ > 5", "CAST(@ AS TEXT) LIKE '-%'", "atan2(0, @) > 3"]
talk = Conversation(sys.argv[1])
talk.set(900, 0)
def near(name, question):
    """No count differs by more than 1, whatever the one record holds."""
    answers = [talk.query(question.replace("ONE", one)) for one in ("five", "six", "nan", "zero", "minus")]
    complaints = [complaint for status, _, complaint in answers if status]
    columns = [] if complaints else list(zip(*(json.loads(out)["rows"][0] for _, out, _ in answers)))
    far = [i for i, counts in enumerate(columns) if max(counts) - min(counts) > 1]
    print("1" if complaints or far or not columns else "0", name)
    for what in complaints or far:
        print("#", what if complaints else f"count {what + 1} differs: {columns[what]}", file=sys.stderr)
for type in "double", "float":
    for others in "nans", "zeros":
        for place in "parquet", "rows", "view":
            for column in ("x",) if place == "rows" else ("x", "s.f"):
                counts = ", ".join(f"COUNT(*) FILTER (WHERE {c.replace('@', column)})" for c in conditions)
                near(f"{type}, {others} in {place}, {column}: one record moves each count by 1 at most", f"SELECT {counts} FROM {type}_ONE_{others}_{place}")
# a condition of the question, not of an aggregate, is what reaches a file
for others in "nans", "zeros":
    for condition in conditions[:3] + conditions[4:6]:
        where = condition.replace("@", "x")
        near(f"{others} in a file, WHERE {where}: one record moves the count by 1 at most", f"SELECT COUNT(*) FROM double_ONE_{others}_parquet WHERE {where}")
print(talk.end(), "nothing is refused")
END
verdict $? "the conversation ends as it should"
verdicts checks
finish
