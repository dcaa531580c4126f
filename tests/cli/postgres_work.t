#!/bin/sh
# No value of any type takes the server long to send.  What sotto asks for is taken from the server's
# log and asked again with functions that count, in the place of those that unpack a value and make
# its text: bytes, not seconds.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/postgres.sh"
cd "$work" || exit 1

sql <<'SQL' || exit 1
ALTER SYSTEM SET log_statement = 'all';
SELECT pg_reload_conf();
CREATE TYPE amount AS (x numeric, u text);
CREATE TYPE nested AS (a amount, "odd ""name" numrange[], j jsonb);
CREATE DOMAIN numbers AS numeric[];
CREATE DOMAIN span AS numrange;
CREATE DOMAIN number AS numeric;
CREATE DOMAIN document AS jsonb;
CREATE DOMAIN nested_domain AS nested;
CREATE TYPE many AS (n number, l numbers, s span, p nested_domain, d document);
CREATE TYPE t1 AS (t text); CREATE TYPE t2 AS (t t1); CREATE TYPE t3 AS (t t2[]); CREATE TYPE t4 AS (t t3);
CREATE TYPE t5 AS (t t4[]); CREATE TYPE span_of_numbers AS RANGE (subtype = numeric);
CREATE TABLE odd (id int);
CREATE SEQUENCE work_done;
-- Makes the text, and counts its bytes.
CREATE FUNCTION made(x anyelement) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
	PERFORM pg_catalog.setval('public.work_done', pg_catalog.nextval('public.work_done') + octet_length(concat(x)));
	RETURN concat(x);
END $$;
-- The size of a text and of bytes is stored beside them; anything else is unpacked.
CREATE FUNCTION measured(x anyelement) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
	IF pg_typeof(x) NOT IN ('text', 'bytea') THEN
		PERFORM pg_catalog.setval('public.work_done', pg_catalog.nextval('public.work_done') + pg_column_size(ARRAY[x]));
	END IF;
	RETURN octet_length(x);
END $$;
SQL
printf '%s\n' 'engine: postgres' 'ledger: ledger.db' 'budget: { epsilon: 1 }' 'tables: { odd: { public: true } }' >sotto.yaml
run ledger create

# Bytes that one row makes the server unpack and write.
work_of() { # TYPE VALUE
	sql -c "DROP TABLE IF EXISTS odd" -c "CREATE TABLE odd (id int, c $1)" \
		-c "INSERT INTO odd SELECT 1, ($2)::$1" -c "SELECT setval('work_done', 1)" >/dev/null || return 1
	run query --format csv "SELECT id, c FROM odd"
	asked=$(grep -o 'statement: COPY (SELECT .*) TO STDOUT' "$server/log" | tail -n 1 |
		sed 's/^statement: COPY (//; s/) TO STDOUT$//; s/\bconcat(/public.made(/g; s/\boctet_length(/public.measured(/g')
	{
		echo "SET search_path = pg_catalog;"
		echo "$asked;"
	} | sql >/dev/null || return 1
	sql -c "SELECT last_value FROM work_done"
}
cheap() { # TYPE VALUE MOST
	bytes=$(work_of "$1" "$2")
	check "$1: $(echo "$2" | cut -c 1-70)" test "${bytes:-999999999}" -le "${3:-300000}"
}
shown() { # TYPE VALUE TEXT
	work_of "$1" "$2" >/dev/null
	check "$1 has its text: $3" sh -c "sed 1d '$out' | grep -qFx '1,$3'"
}

for n in 1e-16383 "1.$(printf '%016000d' 0)" -1e131071; do
	short=$(echo "$n" | cut -c 1-20)
	for type in 'numeric[]' numbers; do cheap "$type" "array_fill($n::numeric, ARRAY[19])"; done
	echo "# with $short"
	cheap jsonb "('[' || repeat('$n,', 150) || '1]')"
	cheap document "('[{\"a\":' || repeat('$n},{\"a\":', 100) || '1}]')"
	cheap 'jsonb[]' "array_fill('[$n,$n,$n]'::jsonb, ARRAY[20])"
	cheap 'numeric[]' "array_fill($n::numeric, ARRAY[300])"
	cheap amount "ROW($n, 'a')"
	cheap 'amount[]' "array_fill(ROW($n, 'a')::amount, ARRAY[60])"
	cheap numrange "numrange(-abs($n), abs($n))"
	cheap span_of_numbers "span_of_numbers(-abs($n), abs($n))"
	cheap 'numrange[]' "array_fill(numrange(-abs($n), abs($n)), ARRAY[60])"
	cheap nested "ROW(ROW($n, 'a')::amount, array_fill(numrange(-abs($n), abs($n)), ARRAY[30]), '[$n]')"
	cheap 'many[]' "array_fill(ROW($n, ARRAY[$n], numrange(-abs($n), abs($n)), ROW(ROW($n, 'a')::amount, NULL, '[$n]')::nested, '[$n]')::many, ARRAY[9])"
	cheap numeric "$n"
	cheap number "$n"
done
cheap nummultirange "(SELECT range_agg(numrange(i + 1e-16383, i + 0.5)) FROM generate_series(1, 100) i)"
cheap varbit "repeat('1', 40000000)"
cheap 'text[]' "array_fill(repeat('\"', 500), ARRAY[7])"
cheap 't4[]' "ARRAY[ROW(ROW(ARRAY[ROW(ROW(repeat('\"', 3700))::t1)::t2])::t3)::t4]"
cheap json "('[' || repeat(' ', 5000000) || '1]')" 1500000
cheap json "('[' || repeat(' ', 1300000) || '1]')" 1500000
cheap tsvector "(SELECT string_agg('w' || i || ':' || i || 'A', ' ')::tsvector FROM generate_series(1, 250) i)"
cheap bytea "repeat('x', 5000000)"
cheap xml "('<a>' || repeat('x', 5000000) || '</a>')"

# What is not hostile still has its text.
shown jsonb "'{\"a\": [1.5, -2e10, 3.25], \"b\": \"x\"}'" '"{""a"": [1.5, -20000000000, 3.25], ""b"": ""x""}"'
shown 'numeric[]' "'{1,NaN,NULL,Infinity,-2.50}'" '"{1,NaN,NULL,Infinity,-2.50}"'
shown numrange "'[1.5,2.25)'" '"[1.5,2.25)"'
shown nummultirange "'{[1,2),[3,4)}'" '"{[1,2),[3,4)}"'
shown amount "ROW(12.50, 'EUR')" '"(12.50,EUR)"'
shown many "ROW(3, '{4}', '[1,2]', NULL, '[7]')" '"(3,{4},""[1,2]"",,[7])"'
shown json "'{\"a\": 1}'" '"{""a"": 1}"'
shown varbit "b'101'" 101
shown 'numeric[]' "array_fill(7::numeric, ARRAY[100])" "\"{$(yes 7 | head -n 100 | paste -sd,)}\""
sql -c "DROP TABLE odd" -c "CREATE TABLE odd (id int, deep t5, path jsonpath)"
run query "SELECT deep FROM odd"
stderr_like 'there is no column deep; the columns are id' "quotes that nest seven deep are left out, and paths"
finish
