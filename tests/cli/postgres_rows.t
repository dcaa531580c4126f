#!/bin/sh
# No value of any type in PostgreSQL, and no row as a whole, makes a query fail or
# changes what it says of other rows: random tables, each asked without and with one
# row of the worst values that its types have.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/postgres.sh"
cd "$work" || exit 1
[ -z "${adbc_driver:-}" ] || engine=$(printf 'engine: adbc\ndriver: %s\nuri: "postgresql:///postgres?host=%s&user=sotto"' "$adbc_driver" "$PGHOST")

sql <<'END' || exit 1
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE FUNCTION mood_text(mood) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE ''no''; END';
CREATE CAST (mood AS text) WITH FUNCTION mood_text(mood);
CREATE TYPE point3 AS (x numeric, y text, z point);
CREATE TYPE deep1 AS (t text); CREATE TYPE deep2 AS (t deep1); CREATE TYPE deep3 AS (t deep2[]);
CREATE TYPE deep4 AS (t deep3); CREATE TYPE deep5 AS (t deep4[]); CREATE TYPE deep6 AS (t deep5);
CREATE TYPE deep7 AS (t deep6[]);
CREATE TYPE spans AS RANGE (subtype = numeric);
CREATE DOMAIN bytes_domain AS bytea;
CREATE DOMAIN list_domain AS numeric[];
CREATE DOMAIN digits_domain AS numeric(12,3);
-- a type whose output function raises
SET client_min_messages = warning;
CREATE TYPE bad;
CREATE FUNCTION bad_in(cstring) RETURNS bad LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION bad_out(bad) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'shell_out';
CREATE TYPE bad (INPUT = bad_in, OUTPUT = bad_out, LIKE = text);
CREATE TYPE has_bad AS (a int, b bad);
CREATE DOMAIN bad_domain AS bad;
END

cat >property.py <<'END'
import csv, os, random, subprocess, sys

seed, rounds = int(sys.argv[1]), int(sys.argv[2])
huge = "repeat('x', 20000000)"
# type: (what it may be, the worst that it can be); SQL
types = {
	"bool": ("true", ["false", "NULL"]),
	"int2": ("7", ["-32768"]), "int4": ("7", ["-2147483648"]), "int8": ("7", ["-9223372036854775808"]),
	"float4": ("1.5", ["'NaN'", "'-infinity'", "1e-45"]), "float8": ("1.5", ["'NaN'", "'infinity'", "5e-324"]),
	"numeric": ("1.25", ["'NaN'", "'infinity'", "'-infinity'", "1e131071", "repeat('9', 131072)::numeric", "-1e-16383",
		"('0.' || repeat('7', 16383))::numeric", "1.7976931348623159e308", "2e-308"]),
	"numeric(10,2)": ("1.25", ["'NaN'", "99999999.99", "-99999999.99"]),
	"numeric(1000,500)": ("1.25", ["9e499", "1e-500"]), "numeric(18,18)": ("0.5", ["0.999999999999999999"]),
	"digits_domain": ("2.5", ["'NaN'", "999999999.999"]),
	"text": ("'abc'", [huge, "repeat('x', 65536)", "repeat('é', 32768)", "repeat('é', 32769)", "chr(1)", "chr(1114111)"]),
	"varchar": ("'abc'", [huge]), "varchar(10485760)": ("'abc'", ["repeat('x', 10485760)"]),
	"char(9)": ("'abc'", ["''"]), "char(100000)": ("'abc'", ["repeat('x', 100000)", "''"]),
	"name": ("'abc'", ["repeat('x', 63)"]), '"char"': ("'a'", ["'\\303'::text::\"char\"", "0::\"char\"", "'\\377'::text::\"char\""]),
	"citext": ("'abc'", [huge]),
	"xml": ("'<a/>'", [f"('<a>' || {huge} || '</a>')::xml", "'<?xml version=\"1.0\" encoding=\"latin1\"?><a/>'"]),
	"bytea": ("'\\xab'", [f"{huge}::bytea", "'\\x00ff'", "decode(repeat('ff', 32767), 'hex')", "decode(repeat('ff', 32768), 'hex')"]),
	"bytes_domain": ("'\\xab'", [f"{huge}::bytea"]),
	"bit(9)": ("b'101010101'", ["b'000000000'"]), "varbit": ("b'1'", ["repeat('1', 2000000)::varbit", "b''"]),
	"date": ("'2024-01-01'", ["'infinity'", "'-infinity'", "'4713-01-01 BC'", "'5874897-12-31'"]),
	"timestamp": ("'2024-01-01'", ["'infinity'", "'-infinity'", "'4713-01-01 BC'", "'294276-12-31 23:59:59.999999'"]),
	"timestamptz": ("'2024-01-01'", ["'infinity'", "'-infinity'", "'4713-01-01 BC'", "'294276-12-31 23:59:59.999999'"]),
	"time": ("'12:00'", ["'24:00'", "'00:00'"]), "timetz": ("'12:00+02'", ["'24:00-15:59:59'", "'00:00+15:59:59'"]),
	"interval": ("'1 day'", ["'178000000 years'", "'-178000000 years'",
		"interval '2147483647 hours' + interval '414563640 hours'", "make_interval(months => -2147483648)"]),
	"money": ("1", ["'92233720368547758.07'", "'-92233720368547758.08'"]),
	"uuid": ("gen_random_uuid()", ["'ffffffff-ffff-ffff-ffff-ffffffffffff'"]),
	"mood": ("'sad'", ["'happy'"]), "mood[]": ("'{sad}'", ["array_fill('sad'::mood, ARRAY[100000])"]),
	"json": ("'{}'", [f"('[\"' || {huge} || '\"]')::json", "(repeat('[', 3000) || repeat(']', 3000))::json", "'\"\\u0000\"'", "'\"\\ud800\"'"]),
	"jsonb": ("'{}'", [f"('[\"' || {huge} || '\"]')::jsonb", "(repeat('[', 3000) || repeat(']', 3000))::jsonb",
		"(repeat('[', 500) || repeat(']', 500))::jsonb", "('[' || repeat('1e131071,', 10000) || '1]')::jsonb",
		"('[' || repeat('1e131071,', 200) || '1]')::jsonb", "'1e131071'",
		"('[' || repeat('1e-16383,', 200) || '1]')::jsonb", "'1e-16383'"]),
	"int4[]": ("'{1,2}'", ["array_fill(1, ARRAY[2,2,2,2,2,2])", "array_fill(1, ARRAY[1000000])", "'{}'", "'[5:6]={1,2}'",
		"ARRAY[NULL::int]"]),
	"text[]": ("'{a}'", [f"ARRAY[{huge}]", "array_fill('\"'::text, ARRAY[300])", "ARRAY[repeat('\\', 3000)]"]),
	"numeric[]": ("'{1}'", ["array_fill(1e131071::numeric, ARRAY[10000])", "array_fill(1e131071::numeric, ARRAY[200])",
		"array_fill(1e-16383::numeric, ARRAY[300])", "ARRAY['NaN', 'Infinity', NULL, 1e131071]",
		"array_fill(1e131071::numeric, ARRAY[3,3,3,3,2,1])"]),
	"list_domain": ("'{1}'", ["array_fill(1e131071::numeric, ARRAY[10000])"]),
	"bytea[]": ("'{}'", [f"ARRAY[{huge}::bytea]"]),
	"point3": ("ROW(1, 'a', '(1,2)')", [f"ROW(1e131071, {huge}, NULL)", "ROW(1e131071, 'b', NULL)", "ROW(NULL, NULL, NULL)"]),
	"point3[]": ("'{}'", ["array_fill(ROW(1e131071, 'b', NULL)::point3, ARRAY[10000])"]),
	"deep3": ("ROW(ARRAY[ROW(ROW('a'))::deep2])", ["ROW(ARRAY[ROW(ROW(repeat('\"', 3000)))::deep2])"]),
	"deep7": ("NULL", ["ROW(ARRAY[ROW(ROW(ARRAY[ROW(ROW(ARRAY[ROW(ROW(repeat('\"', 3000)))::deep2])::deep3)::deep4])::deep5)::deep6])"]),
	"int4range": ("'[1,2)'", ["'empty'", "'(,)'"]), "numrange": ("'[1,2)'", ["numrange(-1e131071, 1e131071)"]),
	"spans": ("'[1,2)'", ["spans(-1e131071, 1e131071)"]),
	"nummultirange": ("'{[1,2)}'", ["(SELECT range_agg(numrange(i, i + 0.5)) FROM generate_series(1e131070, 1e131070 + 30) i)",
		"(SELECT range_agg(numrange(i, i + 0.5)) FROM generate_series(1, 50000) i)"]),
	"tsvector": ("'a:1'", ["(SELECT string_agg('w' || i || ':' || i % 16000 + 1 || 'A', ' ')::tsvector FROM generate_series(1, 60000) i)",
		"(repeat('''''', 300) || 'a')::tsvector"]),
	"tsquery": ("'a'", ["(repeat('!', 28) || 'a')::tsquery", "(repeat('a & ', 150) || 'a')::tsquery"]),
	"inet": ("'10.0.0.1'", ["'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/1'"]), "cidr": ("'10.0.0.0/8'", ["'::/0'"]),
	"macaddr": ("'08:00:2b:01:02:03'", ["'ff:ff:ff:ff:ff:ff'"]), "pg_lsn": ("'0/0'", ["'FFFFFFFF/FFFFFFFF'"]),
	"point": ("'(1,2)'", ["'(NaN,infinity)'", "'(1e308,-5e-324)'"]), "box": ("'(1,2),(3,4)'", ["'(infinity,1),(-infinity,2)'"]),
	"path": ("'[(1,2)]'", ["('[' || repeat('(1e-300,1.2345678901234567),', 200000) || '(1,1)]')::path"]),
	"polygon": ("'((1,2))'", ["('(' || repeat('(1e-300,1.2345678901234567),', 150) || '(1,1))')::polygon"]),
	"circle": ("'<(1,2),3>'", ["'<(NaN,NaN),infinity>'"]), "regclass": ("'pg_class'", ["4294967295"]),
	"regproc": ("'now'", ["4294967295"]), "oid": ("1", ["4294967295"]), "xid": ("'1'", ["'4294967295'"]), "tid": ("'(0,1)'", ["'(4294967295,65535)'"]),
	"oidvector": ("'1 2'", ["repeat('4294967295 ', 200)::oidvector"]), "txid_snapshot": ("'1:1:'", ["'1:9223372036854775807:1'"]),
	"aclitem": ("'=r/postgres'::aclitem", ["'=r/postgres'::aclitem"]), "refcursor": ("'a'", [huge]),
}
types["aclitem"] = ("makeaclitem(10, 10, 'SELECT', false)", ["makeaclitem(4294967295, 4294967295, 'SELECT', true)"])
left_out = {"bad": "'a'", "bad[]": "'{a}'", "has_bad": "ROW(1, 'a'::bad)", "bad_domain": "'a'", "hstore": "'a=>b'", "deep7": None,
	"jsonpath": "(repeat('(', 400) || '1' || repeat(')', 400))"}

def sql(*statements):
	r = subprocess.run(["psql", "-qXAt", "-v", "ON_ERROR_STOP=1", "-f", "-"], input=";\n".join(statements),
		text=True, capture_output=True)
	if r.returncode != 0:
		sys.exit(f"# {statements[-1][:1000]}: {r.stderr}")

def ask(policy, query, *more):
	r = subprocess.run([os.environ["SOTTO"], "query", "--policy", policy, "--format", "csv", "--fresh", *more, query],
		text=True, capture_output=True)
	return r.returncode, list(csv.reader(r.stdout.splitlines())), r.stderr

def trial(r, number, chosen):
	hidden = r.sample(sorted(left_out), r.randint(0, 2))
	columns = [t for t in chosen if t not in left_out]
	names = {t: f"c{i}" for i, t in enumerate(chosen)}
	definition = ", ".join([f"{names[t]} {t}" for t in chosen] + [f"h{i} {t}" for i, t in enumerate(hidden)])
	quiet = ", ".join([f"({types[t][0]})::{t}" for t in chosen] + [f"({left_out[t] or 'NULL'})::{t}" for t in hidden])
	worst = {t: r.choice(types[t][1]) for t in chosen}
	loud = ", ".join([f"({worst[t]})::{t}" for t in chosen] + [f"({left_out[t] or 'NULL'})::{t}" for t in hidden])
	storage = r.choice(["", "EXTERNAL", "EXTENDED"])
	sql("DROP TABLE IF EXISTS odd", f"CREATE TABLE odd (id int, {definition})",
		f"INSERT INTO odd SELECT i, {quiet} FROM generate_series(1, 5) AS i")
	if storage:
		for t in chosen:
			if t in ("text", "bytea", "jsonb", "json", "numeric[]", "text[]"):
				sql(f"ALTER TABLE odd ALTER {names[t]} SET STORAGE {storage}")
	show = "SELECT id" + "".join(f", {names[t]}" for t in columns) + " FROM odd ORDER BY id"
	count = "SELECT COUNT(*)" + "".join(f", COUNT({names[t]})" for t in columns[:3]) + " FROM odd"
	problems = []
	before, rows, err = ask("public.yaml", show)
	if before != 0:
		problems.append(f"without the row: {err}")
	sql(f"INSERT INTO odd VALUES (6, {loud})")
	after, more, err = ask("public.yaml", show)
	if after != 0:
		problems.append(f"with the row: {err}")
	if [x for x in more if x[0] != "6"] != rows or len(more) != len(rows) + 1:
		problems.append("other rows changed")
	status, counts, err = ask("private.yaml", count, "-e", "1000")
	if status != 0 or abs(int(counts[1][0]) - 6) > 1:
		problems.append(f"count: {err} {counts}")
	if any(len(x.encode()) > 65536 for x in (more[-1] if more else [])):
		problems.append("a value is larger than it may be")
	for p in problems:
		print(f"# round {number}: {p}: {worst}"[:600].replace("\n", " "))
	return not problems

r = random.Random(seed)
csv.field_size_limit(1 << 30)
if rounds == 0: # each value of each type by itself
	cases = [(t, w) for t in sorted(types) for w in types[t][1]]
	rounds, every = len(cases), dict(types)
	good = 0
	for i, (t, w) in enumerate(cases):
		types[t] = (every[t][0], [w])
		good += trial(r, i, [t])
else:
	good = sum(trial(r, i, r.sample(sorted(types), r.randint(1, 24))) for i in range(rounds))
print(f"# {good} of {rounds} tables")
sys.exit(good != rounds)
END
# Another way to the same server (adbc_rows.t) says how in $engine.
: "${engine:=engine: postgres}"
printf '%s\n' "$engine" 'ledger: public.db' 'budget: { epsilon: 1 }' 'tables: { odd: { public: true } }' >public.yaml
printf '%s\n' "$engine" 'ledger: private.db' 'budget: { epsilon: 1e30 }' 'tables: { odd: { unit: id } }' >private.yaml
for file in public private; do "$SOTTO" ledger create --policy $file.yaml >/dev/null || exit 1; done

sql -c "CREATE EXTENSION citext" -c "CREATE EXTENSION hstore" || exit 1
property() { # ROUNDS NAME
	SOTTO=$SOTTO python3 property.py 1 "$1" >"$out" 2>"$err"
	verdict $? "$2"
	tail -n 1 "$out"
}
if [ -z "${SOTTO_LONG:-}" ]; then
	property "${rounds:-10}" "one row changes nothing but itself, in random tables"
	finish
	exit
fi
property 300 "one row changes nothing but itself, in random tables"
property 0 "nor does any single value of any type"

# As hexadecimal text this has more than the 1 GB that the server can send.
sql -c "CREATE TABLE large (id int, b bytea)" -c "INSERT INTO large SELECT i, '\\xab' FROM generate_series(1, 9) AS i" \
	-c "ALTER TABLE large ALTER b SET STORAGE EXTERNAL" \
	-c "INSERT INTO large SELECT 10, convert_to(repeat('0123456789abcdef', 33750000), 'UTF8')" || exit 1
sed 's/odd/large/; s/private.db/large.db/' private.yaml >large.yaml
run query --policy large.yaml -e 1000 --format csv "SELECT COUNT(*), COUNT(b) FROM large WHERE b IS NULL OR b <> 'x'"
check "a value of 540 MB is NULL, and nothing fails" sh -c "sed 1d '$out' | grep -q '^10,10,10,9,9,9'"
finish
