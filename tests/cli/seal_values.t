#!/bin/sh
# A text in a Parquet or database file takes what memory and time its length says, and its bytes may be few: one record could make every
# question fail after its charge.  So texts have the limit that they have in text files, wherever they stand.  A DECIMAL can have more digits
# in a file than its type says, and fails where it is compared with a number that has more places.
#
# A time in milliseconds may be none in microseconds, and a column of JSON is tested by the engine as it reads it: one
# record failed the reading of the file, and sealing could not leave it out.
#
# Lists, maps and bytes have no limit of their own: no question may read them, unless they are the unit, which has that of a text.
#
# Seen to fail: without sotto_typed_valid's lengths the files were read where they are; with a text of 900 MB and memory: 1GiB every
# question about its column failed; without its digits the questions about decimals failed.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
PYTHONPATH="$here" python3 -B - "$SOTTO" <<'END'
import struct, sys
from engine_sql import sql
sql("ATTACH 'all.duckdb' AS file"); sql("USE file")
sql("CREATE TABLE words AS SELECT i AS id, CASE WHEN i = 17 THEN 'x' ELSE i::VARCHAR END AS x FROM range(100) t(i)")
for name, x in (("fails", "CAST(x AS INTEGER)"), ("holds", "TRY_CAST(x AS INTEGER)")): sql(f"CREATE VIEW {name} AS SELECT id, {x} AS x FROM words")
open("views.yaml", "w").write("ledger: views.db\nbudget: { epsilon: 1 }\ntables:\n  holds: { source: all.duckdb, unit: id }\n  fails: { source: all.duckdb, unit: id }\n")
policy = open("sotto.yaml", "w")
policy.write("ledger: ledger.db\nbudget: { epsilon: 10000000, delta: 0.1 }\ndiagnostics: 0\ntables:\n")
for name, long in (("just", 1 << 20), ("over", (1 << 20) + 1)):
    x = f"CASE WHEN i = 17 THEN repeat('é', {long // 2}) || {chr(39)}{'a' * (long % 2)}{chr(39)} WHEN i % 2 = 0 THEN 'ab' END"
    for shape, column in (("plain", f"{x} AS x"), ("field", f"{{'f': {x}}} AS x")):
        rows = f"SELECT i AS id, {column} FROM range(100) t(i)"
        sql(f"COPY ({rows}) TO '{name}_{shape}.parquet' (FORMAT parquet, COMPRESSION zstd)")
        sql(f"CREATE TABLE {name}_{shape}_rows AS {rows}")
        sql(f"CREATE VIEW {name}_{shape}_view AS FROM {name}_{shape}_rows")
        for place, source in (("file", f"{name}_{shape}.parquet"), ("rows", "all.duckdb"), ("view", "all.duckdb")):
            policy.write(f"  {name}_{shape}_{place}: {{ source: {source}, unit: id }}\n")
# one value becomes the largest that its bytes can hold
for digits, form, most in ((9, "<i", 2**31 - 1), (18, "<q", 2**63 - 1)):
    name = f"decimal{digits}"
    sql(f"COPY (SELECT i AS id, (CASE WHEN i = 17 THEN 77777.77 ELSE 1.5 END)::DECIMAL({digits},2) AS x FROM range(100) t(i)) TO '{name}.parquet' "
        "(FORMAT parquet, COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 0)")
    b = open(name + ".parquet", "rb").read()
    if struct.pack(form, 7777777) not in b: sys.exit("no mark in " + name)
    open(name + ".parquet", "wb").write(b.replace(struct.pack(form, 7777777), struct.pack(form, most)))
    policy.write(f"  {name}: {{ source: {name}.parquet, unit: id }}\n")
for name, rows, mark, value in (
        ("millis", "CAST(make_timestamp((1700000000123 + i) * 1000) AS TIMESTAMP_MS)", struct.pack("<q", 1700000000140), struct.pack("<q", 10**17)),
        ("json", """CAST('{"a":' || 1000 + i || '}' AS JSON)""", b'{"a":1017}', b'{"a":1017,')):
    sql(f"COPY (SELECT i AS id, {rows} AS x FROM range(100) t(i)) TO '{name}.parquet' (FORMAT parquet, COMPRESSION uncompressed, "
        "DICTIONARY_SIZE_LIMIT 0)")
    b = open(name + ".parquet", "rb").read()
    if mark not in b: sys.exit("no mark in " + name)
    open(name + ".parquet", "wb").write(b.replace(mark, value))
    policy.write(f"  {name}: {{ source: {name}.parquet, unit: id }}\n")
# a text that is none, inside of what no question can read
for name, column in (("list", "[x]"), ("map", "MAP {x: 1}"), ("structs", "[{'a': x}]"), ("inside", "{'a': [x], 'b': i}")):
    sql(f"COPY (SELECT i AS id, {column} AS x FROM (SELECT i, 'text' || i + 1000 AS x FROM range(100) t(i))) TO 'in_{name}.parquet' "
        "(FORMAT parquet, COMPRESSION uncompressed)")
    b = open(f"in_{name}.parquet", "rb").read()
    if b"text1017" not in b: sys.exit("no mark in " + name)
    open(f"in_{name}.parquet", "wb").write(b.replace(b"text1017", b"te\xff\xfe1017"))
    policy.write(f"  in_{name}: {{ source: in_{name}.parquet, unit: id }}\n")
# units of types that no question can name: rows are grouped by them all the same
for name, unit in (("blob", "CASE WHEN i = 17 THEN repeat('x', 1048577) ELSE 'u' || i END::BLOB"),
                   ("bit", "CASE WHEN i = 17 THEN repeat('1', 9000000) ELSE bin(i + 1) END::BIT"),
                   ("words", "CASE WHEN i = 17 THEN '\"' || repeat('x', 1048577) || '\"' ELSE i::VARCHAR END::JSON")):
    sql(f"CREATE TABLE unit_{name} AS SELECT {unit} AS id, i AS x FROM range(100) t(i)")
    policy.write(f"  unit_{name}: {{ source: all.duckdb, unit: id }}\n")
policy.close()
# a list of 100 MB in 20 kB
more = open("lists.yaml", "w")
more.write("ledger: lists.db\nsealed: lists\nbudget: { epsilon: 10000000, delta: 0.1 }\ndiagnostics: 0\nmemory: 256MiB\ntables:\n")
for name, n in (("lists", 12000000), ("others", 1)):
    sql(f"COPY (SELECT i // 2 AS id, i % 7 AS x, list_resize([7], CASE WHEN i = 17 THEN {n} ELSE 2 END, 7) AS l FROM range(200) t(i)) "
        f"TO '{name}.parquet' (FORMAT parquet, COMPRESSION zstd)")
    more.write(f"  {name}: {{ source: {name}.parquet, unit: id, max_rows: 9, columns: {{ x: {{ bounds: [0, 6] }} }} }}\n")
more.close()
sql("USE memory"); sql("DETACH file")
END
run seal
check "texts that are too long are reported" grep -q 'longer than 1 MiB' "$out"
status_is 1 "and sealing is refused"
run seal --drop-malformed
status_is 0 "unless the record is left out"
sealing=no owning=no
"$SOTTO" ledger create > "$out" 2> "$err"
for shape in plain field; do
	column=x
	[ $shape = field ] && column=x.f
	for place in file rows view; do
		for name in just over; do
			wanted=100
			[ $name = over ] && wanted=99
			run query -e 900 --format csv "SELECT COUNT(*), COUNT(*) FILTER (WHERE $column = 'ab') FROM ${name}_${shape}_$place"
			check "$name, $shape, $place: all others are there" sh -c "sed -n 2p '$out' | grep -q '^$wanted,$wanted,$wanted,50,'"
		done
	done
done
for table in millis json; do
	run query -e 900 --format csv "SELECT COUNT(*) FROM $table"
	check "$table: the record that cannot be read is left out" grep -q '^99,' "$out"
done
run query -e 900 --format csv "SELECT COUNT(*) FROM millis WHERE x BETWEEN TIMESTAMP '2023-11-14 22:13:20.123' AND TIMESTAMP '2023-11-14 22:13:20.130'"
check "other times are what they were" grep -q '^8,' "$out"
# Sealing said that such a file could not be read, whatever was left out.
for name in list map structs inside; do
	run query -e 900 --format csv "SELECT COUNT(*) FROM in_$name"
	check "a text that is none is left behind with its $name, and its record is not lost" grep -q '^100,' "$out"
done
run query -e 900 --format csv "SELECT COUNT(*) FROM in_inside WHERE x.b >= 10"
check "what stands beside it can be read" grep -q '^90,' "$out"
for table in decimal9 decimal18; do
	run query -e 900 --format csv "SELECT COUNT(*) FROM $table WHERE x <> 1.005 AND x + 0.001 < 5"
	check "$table: a number with too many digits makes no question fail" grep -q '^99,' "$out"
	run query -e 900 --format csv "SELECT COUNT(*) FROM $table WHERE x = 1.005"
	check "$table: nor where it is compared with more places" grep -q '^0,' "$out"
done
for name in blob bit words; do
	run query -e 900 --format csv "SELECT COUNT(*) FROM unit_$name"
	check "a unit is no longer than a text: $name" grep -q '^99,' "$out"
done

sealing=no
run seal -p views.yaml holds
status_is 0 "a view that computes is sealed"
run seal -p views.yaml fails
check "one that a record makes fail is refused, with what to do" grep -q 'the view or a generated column of table fails fails for one of its records; write it so that no record makes it fail' "$err"

# Rows that an order leaves equal were told apart by all columns as texts, also by lists, which may be of any length.
sealing=yes owning=yes
for question in "(SELECT id, ROW_NUMBER() OVER (PARTITION BY id ORDER BY id) AS n FROM %s) AS t WHERE n = 1" \
	"%s AS a JOIN %s AS b ON a.id = b.id" "%s AS a WHERE EXISTS (SELECT 1 FROM %s AS b WHERE b.id = a.id AND b.x > a.x)" \
	"(SELECT DISTINCT ON (id) id, x FROM %s ORDER BY id, x) AS t"; do
	run query -p lists.yaml -e 900 --format csv "SELECT COUNT(*) FROM $(echo "$question" | sed 's/%s/others/g')"
	sed -n 2p "$out" > others
	run query -p lists.yaml -e 900 --format csv "SELECT COUNT(*) FROM $(echo "$question" | sed 's/%s/lists/g')"
	sed -n 2p "$out" > lists.txt
	check "a list that no question can read decides nothing: $question" cmp others lists.txt
	check "and there is an answer" test -s others
done
for join in "JOIN others AS b USING (id, l)" "NATURAL JOIN others AS b"; do
	run query -p lists.yaml -e 900 "SELECT COUNT(*) FROM others AS a $join"
	status_is 1 "lists are not compared: $join"
	check "and this costs nothing" grep -q 'a type that is not supported' "$err"
done
finish
