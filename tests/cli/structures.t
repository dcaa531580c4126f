#!/bin/sh
# Parquet files with structures, moments and large whole numbers: fields are columns with dots,
# zones and comparisons agree with Python's own dates and whole numbers.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
PYTHONPATH="$here" python3 -B - "$SOTTO" <<'END'
from engine_sql import sql
sql("""COPY (SELECT i AS id, CASE WHEN i % 5 > 0 THEN {'ward': ['a', 'b'][1 + i % 2], 'stay': {'days': (i % 30)::INTEGER, 'note': 'wxyz' || i},
       'tags': [i]} END AS visit, {'Total (EUR)': i} AS "the bill", (9223372036854775807 - 999 + i)::BIGINT AS big,
       TIMESTAMPTZ '2024-03-30 12:30:00+00' + to_hours(i::BIGINT % 48) AS seen, TIMESTAMP '2024-03-30 12:30:00' + to_hours(i::BIGINT % 48) AS clock
       FROM range(1000) t(i)) TO 't.parquet' (FORMAT parquet, COMPRESSION uncompressed)""")
# One record at the end of each type, among plain ones; half of the files have a dictionary.
ends = {"TIMESTAMPTZ": ["infinity", "-infinity", "294247-01-10 04:00:54.775806+00", "290309-12-22 (BC) 00:00:00+00"],
        "TIMESTAMP": ["infinity", "-infinity", "294247-01-10 04:00:54.775806", "290309-12-22 (BC) 00:00:00"],
        "DATE": ["infinity", "-infinity", "5881580-07-10", "5877642-06-25 (BC)"], "BIGINT": ["9223372036854775807", "-9223372036854775808"],
        "UBIGINT": ["18446744073709551615"], "HUGEINT": ["170141183460469231731687303715884105727", "-170141183460469231731687303715884105728"],
        "DOUBLE": ["nan", "inf", "-inf", "1e308"]}
# Numbers that are not times, which only a file that was made by hand has.
import struct
for name, at, old, new in (("day", "DATE '2009-02-13'", ("<i", 14288), -2**31), ("clock", "make_time(12, 34, 56.789012)", ("<q", 45296789012), 2**62),
                           ("moment", "make_timestamp(1234567890123456)", ("<q", 1234567890123456), -2**63),
                           ("zoned", "make_timestamp(1234567890123456) AT TIME ZONE 'UTC'", ("<q", 1234567890123456), -9223372022400000001)):
    sql(f"COPY (SELECT i AS id, CASE i WHEN 3 THEN {at} END AS x FROM range(100) t(i)) TO '{name}.parquet' (FORMAT parquet, COMPRESSION uncompressed)")
    b = open(name + ".parquet", "rb").read()
    open(name + ".parquet", "wb").write(b.replace(struct.pack(*old), struct.pack(old[0], new)))
    open(name + ".yaml", "w").write(f"ledger: {name}.db\nbudget: {{ epsilon: 1000, delta: 0.1 }}\ndiagnostics: 0\ntables:\n"
                                    f"  {name}: {{ source: {name}.parquet, unit: id, max_groups: 1, max_rows: 1 }}\n")
with open("ends.yaml", "w") as policy:
    policy.write("ledger: ends.db\nbudget: { epsilon: 10000000, delta: 0.1 }\ndiagnostics: 0\ntables:\n")
    for kind, values in ends.items():
        for i, value in enumerate(values):
            name, plain = f"{kind.lower()}{i}", "'2024-01-01'" if "infinity" in values else "'1'"
            x = f"CASE i WHEN 7 THEN '{value}' WHEN 8 THEN NULL ELSE {plain} END::{kind}"
            sql(f"COPY (SELECT i AS id, {x} AS x, {{'f': {x}}} AS s FROM range(100) t(i)) TO '{name}.parquet' (FORMAT parquet, DICTIONARY_SIZE_LIMIT {100 * (i % 2)})")
            policy.write(f"  {name}: {{ source: {name}.parquet, unit: id, max_groups: 1, max_rows: 1 }}\n")
END
cat > sotto.yaml <<'END'
ledger: ledger.db
budget: { epsilon: 10000000, delta: 0.1 }
diagnostics: 0
tables:
  t:
    source: t.parquet
    unit: id
    max_groups: 1
    max_rows: 1
    columns:
      visit.ward: { keys: [a, b] }
      visit.stay.days: { bounds: [0, 29] }
      the bill.Total (EUR): { bounds: [0, 999], nullable: false }
      seen: { bounds: [2024-03-30, 2024-04-01] }
END
# answers NAME SQL WANTED: the values of the answer, at an epsilon that leaves no noise
answers() {
	run query -e ${epsilon:-200} --delta 1e-9 --format json "$2"
	check "$1" python3 -c "
import json
rows = [[round(x, 2) if isinstance(x, float) else x for x in row] for row in json.load(open('$out'))['rows']]
exit(rows != $3)"
}
answers "fields are keys, conditions and values" "SELECT visit.ward, COUNT(*), SUM(visit.stay.days) FROM t WHERE visit.stay.days < 10 GROUP BY visit.ward" \
	"[[w, len(x), sum(x)] for w in 'ab' for x in [[i % 30 for i in range(1000) if i % 5 and i % 30 < 10 and 'ab'[i % 2] == w]]]"
answers "behind the table and in brackets" "SELECT COUNT((x.visit).ward), COUNT(t.visit.ward) FROM t x JOIN t ON x.id = t.id" "[[800, 800]]"
answers "through a subquery" "SELECT MAX(days) FROM (SELECT visit.stay.days FROM t) s" "[[29]]"
answers "where the structure is NULL, so is its field" "SELECT COUNT(*) FROM t WHERE visit.ward IS NULL" "[[200]]"
epsilon=5000
answers "names that need quotes" 'SELECT SUM("the bill"."Total (EUR)") FROM t' "[[499500]]"
epsilon=400
run tables t
stdout_like '^visit.stay.days  *[a-z]*  *0 to 29' "tables shows fields"
run query -e 1 "SELECT visit, COUNT(*) FROM t GROUP BY 1"
stderr_like 'the column visit holds structures; write one of its fields: visit.ward, visit.stay.days, visit.stay.note' "a whole structure is refused, with its fields"
run query -e 1 "SELECT visit.tags[1], COUNT(*) FROM t GROUP BY 1"
stderr_like 'elements of arrays are not supported' "a list too"
run explain -e 1 --preview "SELECT visit.ward, AVG(visit.stay.days) FROM t GROUP BY visit.ward"
status_is 0 "a preview makes fields up"
check "of the values that the policy allows" python3 -c "
rows = [l.split() for l in open('$out') if l.split()[:1] in (['a'], ['b'])]
exit(not (len(rows) == 2 and all(0 <= float(r[1]) <= 29 for r in rows)))"
run query -e 400 --spread 2 --format json "SELECT visit.ward, COUNT(*), SUM(visit.stay.days) FROM t GROUP BY visit.ward"
check "workers read fields" python3 -c "
import json
days = {w: [i % 30 for i in range(1000) if i % 5 and 'ab'[i % 2] == w] for w in 'ab'}
exit(json.load(open('$out'))['rows'] != [[w, len(d), sum(d)] for w, d in days.items()])"
sed 's/days: { bounds: .0, 29. }/days: { bounds: [0, 29], nullable: false }/' sotto.yaml > promise.yaml
"$SOTTO" seal -p promise.yaml > "$out" 2> "$err"
check "promises about fields are checked" grep -q 'nullable: false of column visit.stay.days' "$out" "$err"

# ---- whole numbers, against Python's ---------------------------------------------------------------
epsilon=2000
big="range(9223372036854775807 - 999, 9223372036854775808)"
for literal in 9223372036854775300 9223372036854775300.5 9223372036854775807.5 9223372036854775808 99999999999999999999999 -1e30 0.5; do
	answers "$literal" "SELECT COUNT(*) FILTER (WHERE big < $literal), COUNT(*) FILTER (WHERE big >= $literal), COUNT(*) FILTER (WHERE $literal > big),
		COUNT(*) FILTER (WHERE big = $literal), COUNT(*) FILTER (WHERE big <> $literal), COUNT(*) FILTER (WHERE big IN ($literal, 7)),
		COUNT(*) FILTER (WHERE big BETWEEN $literal AND $literal), COUNT(*) FILTER (WHERE big IS DISTINCT FROM $literal) FROM t" \
		"[[sum(x < y for x in b), sum(x >= y for x in b), sum(x < y for x in b), sum(x == y for x in b), sum(x != y for x in b), sum(x == y for x in b), sum(x == y for x in b), sum(x != y for x in b)]
		  for y in [__import__('fractions').Fraction('$literal')] for b in [$big]]"
done

epsilon=400

# ---- time zones, against Python's ------------------------------------------------------------------
hours="[__import__('datetime').datetime(2024, 3, 30, 12, 30, tzinfo=__import__('datetime').timezone.utc) + __import__('datetime').timedelta(hours=i % 48) for i in range(1000)]"
for zone in Europe/Berlin America/New_York Asia/Kolkata Pacific/Apia; do
	python3 -c "import zoneinfo; zoneinfo.ZoneInfo('$zone')" 2> "$err" || continue
	answers "$zone" "SELECT COUNT(*) FILTER (WHERE (seen AT TIME ZONE '$zone')::date = '2024-03-31'), COUNT(*) FILTER (WHERE extract(hour FROM seen AT TIME ZONE '$zone') = 3),
		COUNT(*) FILTER (WHERE clock AT TIME ZONE '$zone' < '2024-03-31 00:00:00'), COUNT(*) FILTER (WHERE date(seen, '$zone') = '2024-03-31') FROM t" \
		"[[sum(x.day == 31 for x in l), sum(x.hour == 3 for x in l), sum(x.replace(tzinfo=z).timestamp() < 1711843200 for x in u), sum(x.day == 31 for x in l)]
		  for z in [__import__('zoneinfo').ZoneInfo('$zone')] for u in [$hours] for l in [[x.astimezone(z) for x in u]]]"
done
run query -e 1 "SELECT COUNT(*) FROM t WHERE seen AT TIME ZONE 'Mars/Base' > '2024-01-01'"
stderr_like "a time zone is written out by its name, like 'Europe/Berlin'" "a zone that nobody knows is refused"
run query -e 1 "SELECT COUNT(*) FROM t WHERE coalesce(seen, clock) AT TIME ZONE 'Europe/Berlin' > '2024-01-01'"
stderr_like 'write x::timestamptz AT TIME ZONE' "so is a timestamp of which the kind is not known"

# ---- intervals of dates -----------------------------------------------------------------------------
run query -e 1 --format json "SELECT MIN(seen), MAX(seen::date), MEDIAN(seen) FROM t"
check "dates have intervals" python3 -c "
import json
a = json.load(open('$out'))
exit(not all(i[0] <= x <= i[1] for x, i in zip(a['rows'][0], a['intervals'][0])))"
run query -e 1 --format csv "SELECT MIN(seen), MAX(seen::date), MEDIAN(seen) FROM t"
check "in CSV too" sh -c "! grep -q ',,' '$out'"
run query -e 1 "SELECT MIN(seen), MAX(seen::date), MEDIAN(seen) FROM t"
stdout_like '2024-0[34]-[0-9]* to 2024-0[34]-' "and in tables"
stdout_like 'values of seen outside 2024-03-[0-9: -]* to 2024-04-' "bounds of dates are dates"

# ---- the ends of every type: no record makes a question fail ---------------------------------------
"$SOTTO" ledger create -p ends.yaml > "$out" 2> "$err"
"$SOTTO" seal -p ends.yaml > "$out" 2> "$err"
PYTHONPATH="$here" python3 -B - "$SOTTO" > checks 2> "$err" <<'END'
import glob, json, sys
from conversation import Conversation
talk = Conversation(sys.argv[1], "-p", "ends.yaml")
talk.set(200, 0)
for table in sorted(name[:-8] for name in glob.glob("*[0-9].parquet")):
    one = "'2024-01-01'" if table.startswith(("timestamp", "date")) else "1"
    for x in "x", "s.f":
        status, out, complaint = talk.query(f"SELECT COUNT(*), COUNT({x}), COUNT(DISTINCT {x}), COUNT(*) FILTER (WHERE {x} = {one}), "
                                            f"COUNT(*) FILTER (WHERE CAST({x} AS TEXT) = 'no') FROM {table}")
        rows, values, different, plain, no = (0, 0, 0, 0, 0) if status else json.loads(out)["rows"][0]
        right = (rows, plain, no) == (100, 98, 0) and values in (98, 99) and different in (1, 2)  # NaN is NULL
        print(int(not right), f"one record at the end of its type: {table}, {x}")
        if not right:
            print(complaint or out, file=sys.stderr)
print(talk.end(), "nothing is refused")
END
verdict $? "the conversation ends as it should"
verdicts checks

# ---- numbers that are not times: found when the file is sealed ----------------------------------------
for kind in day clock moment zoned; do
	"$SOTTO" seal -p $kind.yaml > "$out" 2> "$err"
	check "a number that is not a time is found: $kind" grep -q 'malformed' "$out" "$err"
	run query -p $kind.yaml -e 100 --format csv "SELECT COUNT(*), COUNT(x), COUNT(*) FILTER (WHERE CAST(x AS TEXT) = 'no') FROM $kind"
	stdout_like '^99,.*,0,.*,0,' "and the record left out: $kind"
done

# ---- texts that are not texts, inside a structure ------------------------------------------------------
python3 -c "
b = open('t.parquet', 'rb').read()
at = b.index(b'wxyz501')
open('t.parquet', 'wb').write(b[:at] + b'wx\xff' + b[at + 3:])"
sealing=no
rm -rf sotto-sealed
"$SOTTO" seal > "$out" 2> "$err"
check "a text that is none is found in a field" grep -q 'malformed' "$out" "$err"
"$SOTTO" seal --drop-malformed > "$out" 2> "$err"
answers "and the record left out, with the fields of the others" "SELECT COUNT(*), COUNT(visit.stay.note), COUNT(\"the bill\".\"Total (EUR)\") FROM t" "[[999, 799, 999]]"

# ---- a unit that no question can name -------------------------------------------------------------------
PYTHONPATH="$here" python3 -B - "$SOTTO" <<'END'
from engine_sql import sql
sql("COPY (SELECT CAST('p' || i AS BLOB) AS pid, i AS x FROM range(20) t(i)) TO 'owners.parquet' (FORMAT parquet)")
sql("COPY (SELECT CAST('p' || i % 20 AS BLOB) AS pid FROM range(40) t(i)) TO 'calls.parquet' (FORMAT parquet)")
END
printf '%s\n' 'ledger: bytes.db' 'budget: { epsilon: 1000 }' 'tables:' '  owners: { source: owners.parquet, unit: pid }' \
	'  calls: { source: calls.parquet, unit: { column: pid, via: calls.pid -> owners.pid } }' > bytes.yaml
run seal --policy bytes.yaml
run ledger create --policy bytes.yaml
run query --policy bytes.yaml -e 500 "SELECT COUNT(*) FROM calls"
status_is 0 "a table whose unit is bytes is asked on its own"
for q in "owners a JOIN calls b ON a.pid = b.pid" "owners JOIN calls USING (pid)" "owners a WHERE EXISTS (SELECT 1 FROM calls b WHERE b.pid = a.pid)"; do
	run query --policy bytes.yaml "SELECT COUNT(*) FROM $q"
	status_is 1 "not with another: $q"
	stderr_like 'pid, which the sources hold in a type that is not compared.*store pid as a text' "and the advice is one that helps"
done
# Bytes only on the way to a unit that has another type.
printf '%s\n' 'ledger: way.db' 'budget: { epsilon: 1000 }' 'tables:' '  owners: { source: owners.parquet, unit: x, columns: { pid: { unique: true } } }' \
	'  calls: { source: calls.parquet, unit: { column: x, via: calls.pid -> owners.pid } }' > way.yaml
run seal --policy way.yaml
run ledger create --policy way.yaml
refuses 1 "sotto query: way.yaml:5: tables cannot be connected by calls.pid and owners.pid, whose type in the sources is not compared, like bytes or a list; store them as texts or whole numbers" \
	query --policy way.yaml -e 500 "SELECT COUNT(*) FROM calls"
run query --policy way.yaml -e 500 --format csv "SELECT COUNT(*) FROM owners"
stdout_like '^20,' "the table that they lead to is asked as ever"
finish
