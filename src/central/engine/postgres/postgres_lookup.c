/*
 * The queries of the catalogue: which relations and columns can be read without calling code
 * that somebody else has defined, and the settings under which values are written.
 */
#include "central/engine/postgres/postgres_lookup.h"

#include <stdlib.h>

const char *const sotto_postgres_settings[] = {
	"timezone = 'UTC'",
	"datestyle = 'ISO, YMD'",
	"intervalstyle = 'postgres'",
	"bytea_output = 'hex'",
	"xmloption = 'content'",
	"lc_monetary = 'C'",
	"extra_float_digits = 1",
	"client_min_messages = 'error'",
	"jit = off",
	NULL,
};

/* Under the search path of the role: the owner's name for it. */
const char sotto_postgres_find_name[] = "SELECT pg_catalog.to_regclass($1)::pg_catalog.oid";

/*
 * Rows can be read by their place (ctid) from a heap that has no children, which
 * have places of their own, and by who may read all of it.  A foreign table is read
 * elsewhere, at another moment, by a reader that may fail on a row: it is none, and
 * no table has one among its children.
 */
const char sotto_postgres_find_table[] =
	"WITH RECURSIVE family(id) AS (SELECT $1::oid UNION SELECT i.inhrelid FROM "
	"pg_inherits i JOIN family f ON i.inhparent = f.id) "
	"SELECT c.oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname), "
	"GREATEST(c.reltuples, 0)::int8, "
	"CASE WHEN c.relkind IN ('r', 'm') AND a.amname = 'heap' AND NOT EXISTS (SELECT 1 FROM "
	"pg_inherits i WHERE i.inhparent = c.oid) AND has_table_privilege(c.oid, 'SELECT') "
	"THEN pg_relation_size(c.oid) / current_setting('block_size')::int8 ELSE 0 END "
	"FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
	"LEFT JOIN pg_am a ON a.oid = c.relam "
	"WHERE c.oid = $1 AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT EXISTS (SELECT 1 FROM "
	"family f JOIN pg_class k ON k.oid = f.id WHERE k.relkind = 'f')";

/*
 * A number of 12 bytes may have a text of 131072 digits.  For each path from the column `base`
 * to a number in it, these are the tables that have all such numbers: `rows`, in which it is
 * called `number`.  A type with more than 1000 parts is not walked to its end.
 */
#define NUMBERS_INSIDE                                                                         \
	"(WITH RECURSIVE path(type, rows, value, level) AS (SELECT base.type, '(VALUES (' "    \
	"|| quote_ident(base.name) || ')) AS t0(v)', 't0.v' COLLATE \"C\", 0 UNION ALL "       \
	"SELECT x.type, p.rows || COALESCE(', LATERAL ' || x.rows || ' AS t' || p.level + "    \
	"1 || '(v)', ''), COALESCE(x.value, 't' || p.level + 1 || '.v'), p.level + 1 FROM "    \
	"path p JOIN pg_type t ON t.oid = p.type CROSS JOIN LATERAL (SELECT t.typbasetype, "   \
	"NULL, p.value WHERE t.typtype = 'd' UNION ALL SELECT t.typelem, '(SELECT unnest(' "   \
	"|| p.value || '))', NULL WHERE t.typoutput = 'array_out'::regproc UNION ALL "         \
	"SELECT r.rngsubtype, '(VALUES (lower(' || p.value || ')), (upper(' || p.value || "    \
	"')))', NULL FROM pg_range r WHERE t.oid = r.rngtypid UNION ALL SELECT r.rngtypid, "   \
	"'(SELECT unnest(' || p.value || '))', NULL FROM pg_range r WHERE t.oid = "            \
	"r.rngmultitypid UNION ALL SELECT 'numeric'::regtype, '(SELECT jsonb_path_query(' "    \
	"|| p.value || ', ''strict $.** ? (@.type() == \"number\")'', ''{}'', "                \
	"true)::numeric)', NULL WHERE t.oid = 'jsonb'::regtype UNION ALL SELECT "              \
	"a.atttypid, NULL, '(' || p.value || ').' || quote_ident(a.attname) FROM "             \
	"pg_attribute a WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 "   \
	"AND NOT a.attisdropped) AS x(type, rows, value) WHERE p.level <= 20) SELECT type, "   \
	"rows, value AS number FROM path LIMIT 1001)"

/* The digits behind the points of all of them, and a million for one that has many before it. */
#define DIGITS_INSIDE                                                                          \
	"string_agg('COALESCE((SELECT sum(CASE WHEN abs(n) < 1e60 THEN scale(n) WHEN n IN "    \
	"(''NaN'', ''Infinity'', ''-Infinity'') THEN 0 WHEN n IS NOT NULL THEN 1000000 END) "  \
	"FROM (SELECT ' || number || ' FROM ' || rows || ') AS numbers(n)), 0)', ' + ') "      \
	"FILTER (WHERE type = 'numeric'::regtype)"

/*
 * A domain is sent as the type that it stands on.  `inside` has all that a type is
 * made of: a column is left out if a type of somebody else's making, whose output
 * function may do anything, is in there, or numbers that cannot be looked at (those of a
 * jsonpath, or of a type with a thousand parts), or if quotes within quotes could double its
 * text more than six times.  So is a column that is computed when it is read.
 *
 * The last cell says whether values that the server calls equal may have different texts: all
 * types are taken to be so (citext, jsonb, numbers in arrays, intervals) but those that compare
 * what they print, and texts under a collation that does not compare their bytes.
 */
const char sotto_postgres_find_columns[] =
	"WITH RECURSIVE b(number, name, type, modifier) AS (SELECT a.attnum, a.attname, "
	"a.atttypid, a.atttypmod FROM pg_attribute a WHERE a.attrelid = $1 AND a.attnum > 0 "
	"AND NOT a.attisdropped AND a.attgenerated <> 'v' AND "
	"has_column_privilege(a.attrelid, a.attnum, 'SELECT') "
	"UNION ALL SELECT b.number, b.name, t.typbasetype, t.typtypmod "
	"FROM b JOIN pg_type t ON t.oid = b.type WHERE t.typtype = 'd'), "
	"base AS (SELECT b.*, t.typlen, t.typoutput = 'array_out'::regproc AS is_list, "
	"t.oid IN ('text'::regtype, 'bpchar'::regtype, 'name'::regtype) OR EXISTS (SELECT 1 "
	"FROM pg_cast c WHERE c.castsource = t.oid AND c.casttarget = 'text'::regtype AND "
	"c.castmethod = 'b') AS is_text "
	", t.typtype = 'e' OR t.oid IN ('text'::regtype, 'varchar'::regtype, "
	"'bpchar'::regtype, "
	"'name'::regtype, '\"char\"'::regtype, 'bytea'::regtype, 'bit'::regtype, "
	"'varbit'::regtype, 'uuid'::regtype, 'inet'::regtype, 'cidr'::regtype, "
	"'macaddr'::regtype, 'macaddr8'::regtype, 'time'::regtype, 'timetz'::regtype, "
	"'oid'::regtype, 'money'::regtype) AS is_literal "
	"FROM b JOIN pg_type t ON t.oid = b.type WHERE t.typtype <> 'd'), "
	"inside(number, type, level) AS (SELECT number, type, 0 FROM base WHERE NOT is_text "
	"UNION SELECT i.number, x.type, i.level + (t.typtype <> 'd')::int FROM inside i JOIN "
	"pg_type t ON "
	"t.oid = i.type CROSS JOIN LATERAL (SELECT t.typbasetype WHERE t.typtype = 'd' "
	"UNION ALL SELECT t.typelem WHERE t.typoutput = 'array_out'::regproc "
	"UNION ALL SELECT r.rngsubtype FROM pg_range r WHERE t.oid IN (r.rngtypid, "
	"r.rngmultitypid) UNION ALL SELECT a.atttypid FROM pg_attribute a WHERE "
	"t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT "
	"a.attisdropped) AS x(type) WHERE i.level <= 6) "
	"SELECT name, quote_ident(name), type, modifier, CASE WHEN is_text THEN 't' WHEN "
	"typlen > 0 THEN 'f' WHEN is_list THEN 'l' ELSE 'o' END, COALESCE(digits, ''), "
	"NOT is_literal OR EXISTS (SELECT 1 FROM pg_attribute a JOIN pg_collation c ON c.oid = "
	"a.attcollation WHERE a.attrelid = $1 AND a.attnum = base.number AND NOT "
	"c.collisdeterministic) FROM base "
	"LEFT JOIN LATERAL (SELECT count(*) AS parts, " DIGITS_INSIDE
	" AS digits FROM " NUMBERS_INSIDE
	" AS p) AS n ON EXISTS (SELECT 1 FROM inside i WHERE i.number = "
	"base.number AND (i.type = 'jsonb'::regtype OR i.level > 0 AND i.type = "
	"'numeric'::regtype)) WHERE COALESCE(parts, 0) <= 1000 AND NOT EXISTS (SELECT 1 FROM "
	"inside i JOIN pg_type t ON t.oid = i.type WHERE i.number = base.number AND (i.level > "
	"6 OR i.type = 'jsonpath'::regtype OR t.typtype = 'p' OR t.typtype = 'b' "
	"AND t.oid >= 16384 AND t.typoutput <> 'array_out'::regproc)) ORDER BY base.number";

struct sotto_postgres_origin sotto_postgres_origin(const char *const cells[5])
{
	return (struct sotto_postgres_origin){
		.oid = (uint32_t)strtoul(cells[0], NULL, 10),
		.modifier = (int32_t)strtol(cells[1], NULL, 10),
		.shape = (enum sotto_postgres_shape)cells[2][0],
		.digits = cells[3],
		.folds = cells[4][0] == 't',
	};
}
