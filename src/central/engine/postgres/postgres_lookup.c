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
 * A domain is sent as the type that it stands on.  `inside` has all that a type is
 * made of: a column is left out if a type of somebody else's making, whose output
 * function may do anything, is in there, or if quotes within quotes could double its
 * text more than eight times.  So is a column that is computed when it is read.
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
	"FROM b JOIN pg_type t ON t.oid = b.type WHERE t.typtype <> 'd'), "
	"inside(number, type, level) AS (SELECT number, type, 0 FROM base WHERE NOT is_text "
	"UNION SELECT i.number, x.type, i.level + 1 FROM inside i JOIN pg_type t ON "
	"t.oid = i.type CROSS JOIN LATERAL (SELECT t.typbasetype WHERE t.typtype = 'd' "
	"UNION ALL SELECT t.typelem WHERE t.typoutput = 'array_out'::regproc "
	"UNION ALL SELECT r.rngsubtype FROM pg_range r WHERE t.oid IN (r.rngtypid, "
	"r.rngmultitypid) UNION ALL SELECT a.atttypid FROM pg_attribute a WHERE "
	"t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT "
	"a.attisdropped) AS x(type) WHERE i.level <= 8) "
	"SELECT name, quote_ident(name), type, modifier, CASE WHEN is_text THEN 't' WHEN "
	"typlen > 0 THEN 'f' ELSE (CASE WHEN EXISTS (SELECT 1 FROM inside i WHERE i.number = "
	"base.number AND (i.type = 'jsonpath'::regtype OR i.level > 0 AND i.type IN "
	"('numeric'::regtype, 'jsonb'::regtype))) THEN CASE WHEN is_list THEN 'L' ELSE 'O' END "
	"WHEN is_list THEN 'l' ELSE 'o' END) END FROM base "
	"WHERE NOT EXISTS (SELECT 1 FROM inside i JOIN pg_type t ON t.oid = i.type "
	"WHERE i.number = base.number AND (i.level > 8 OR t.typtype = 'p' OR t.typtype = 'b' "
	"AND t.oid >= 16384 AND t.typoutput <> 'array_out'::regproc)) ORDER BY number";

struct sotto_postgres_origin sotto_postgres_origin(const char *const cells[3])
{
	return (struct sotto_postgres_origin){
		.oid = (uint32_t)strtoul(cells[0], NULL, 10),
		.modifier = (int32_t)strtol(cells[1], NULL, 10),
		.shape = (enum sotto_postgres_shape)cells[2][0],
	};
}
