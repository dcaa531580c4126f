/* The catalog of one policy: its tables and columns, PostgreSQL's types, and a few settings. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/policy/schema.h"
#include "central/session/session.h"
#include "core/base/failure.h"
#include "server/catalog/catalog.h"
#include "server/catalog/catalog_inside.h"

enum {
	PG_CATALOG = 11,
	PUBLIC = 2200,
	INFORMATION_SCHEMA = 13000,
	FIRST_TABLE = 16384,
	FIRST_SYSTEM_TABLE = 12000,
	OWNER = 10,
	HEAP = 2,
};

bool sotto_catalog_has(const char *schema, const char *name)
{
	for (const struct sotto_catalog_table *t = sotto_catalog_tables; t->name; t++)
		if (strcmp(t->schema, *schema ? schema : "pg_catalog") == 0 &&
		    strcmp(t->name, name) == 0)
			return true;
	return false;
}

struct filler {
	sqlite3 *db;
	const struct sotto_catalog_who *who;
	enum sotto_status status;
};

/* Runs a statement with values: kinds has 'i' for an int64_t and 't' for a text or NULL. */
static void insert(struct filler *f, const char *sql, const char *kinds, ...)
{
	sqlite3_stmt *q = NULL;
	va_list args;

	if (f->status != SOTTO_OK)
		return;
	if (sqlite3_prepare_v2(f->db, sql, -1, &q, NULL) != SQLITE_OK) {
		f->status = SOTTO_ENOMEM;
		return;
	}
	va_start(args, kinds);
	for (int i = 0; kinds[i]; i++) {
		if (kinds[i] == 'i')
			(void)sqlite3_bind_int64(q, i + 1, va_arg(args, int64_t));
		else
			(void)sqlite3_bind_text(q, i + 1, va_arg(args, const char *), -1,
						SQLITE_TRANSIENT);
	}
	va_end(args);
	if (sqlite3_step(q) != SQLITE_DONE)
		f->status = SOTTO_ENOMEM;
	sqlite3_finalize(q);
}

static void make_tables(struct filler *f)
{
	for (const struct sotto_catalog_table *t = sotto_catalog_tables; t->name; t++) {
		char *sql = NULL;

		if (asprintf(&sql, "CREATE TABLE \"%s %s\" (%s)", t->schema, t->name,
			     t->columns) < 0 ||
		    sqlite3_exec(f->db, sql, NULL, NULL, NULL) != SQLITE_OK)
			f->status = SOTTO_ENOMEM;
		free(sql);
	}
	if (sqlite3_exec(f->db, "CREATE TABLE types (oid oid, short text, name text)", NULL,
			 NULL, NULL) != SQLITE_OK)
		f->status = SOTTO_ENOMEM;
}

/* ---- what every database has ------------------------------------------------------------------- */

static const struct {
	int64_t oid;
	const char *name, *sql_name, *category;
	int64_t length, array, element;
} types[] = {
	{16, "bool", "boolean", "B", 1, 1000, 0},
	{17, "bytea", "bytea", "U", -1, 1001, 0},
	{18, "char", "\"char\"", "Z", 1, 1002, 0},
	{19, "name", "name", "S", 64, 1003, 18},
	{20, "int8", "bigint", "N", 8, 1016, 0},
	{21, "int2", "smallint", "N", 2, 1005, 0},
	{22, "int2vector", "int2vector", "A", -1, 1006, 21},
	{23, "int4", "integer", "N", 4, 1007, 0},
	{24, "regproc", "regproc", "N", 4, 1008, 0},
	{25, "text", "text", "S", -1, 1009, 0},
	{26, "oid", "oid", "N", 4, 1028, 0},
	{30, "oidvector", "oidvector", "A", -1, 1013, 26},
	{114, "json", "json", "U", -1, 199, 0},
	{700, "float4", "real", "N", 4, 1021, 0},
	{701, "float8", "double precision", "N", 8, 1022, 0},
	{705, "unknown", "unknown", "X", -2, 0, 0},
	{1000, "_bool", "boolean[]", "A", -1, 0, 16},
	{1005, "_int2", "smallint[]", "A", -1, 0, 21},
	{1007, "_int4", "integer[]", "A", -1, 0, 23},
	{1009, "_text", "text[]", "A", -1, 0, 25},
	{1015, "_varchar", "character varying[]", "A", -1, 0, 1043},
	{1016, "_int8", "bigint[]", "A", -1, 0, 20},
	{1022, "_float8", "double precision[]", "A", -1, 0, 701},
	{1028, "_oid", "oid[]", "A", -1, 0, 26},
	{1042, "bpchar", "character", "S", -1, 1014, 0},
	{1043, "varchar", "character varying", "S", -1, 1015, 0},
	{1082, "date", "date", "D", 4, 1182, 0},
	{1083, "time", "time without time zone", "D", 8, 1183, 0},
	{1114, "timestamp", "timestamp without time zone", "D", 8, 1115, 0},
	{1115, "_timestamp", "timestamp without time zone[]", "A", -1, 0, 1114},
	{1182, "_date", "date[]", "A", -1, 0, 1082},
	{1184, "timestamptz", "timestamp with time zone", "D", 8, 1185, 0},
	{1186, "interval", "interval", "T", 16, 1187, 0},
	{1231, "_numeric", "numeric[]", "A", -1, 0, 1700},
	{1700, "numeric", "numeric", "N", -1, 1231, 0},
	{2205, "regclass", "regclass", "N", 4, 2210, 0},
	{2206, "regtype", "regtype", "N", 4, 2211, 0},
	{2278, "void", "void", "P", 4, 0, 0},
	{2950, "uuid", "uuid", "U", 16, 2951, 0},
	{3802, "jsonb", "jsonb", "U", -1, 3807, 0},
};

static void fill_types(struct filler *f)
{
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		bool is_array = types[i].name[0] == '_';

		insert(f,
		       "INSERT INTO \"pg_catalog pg_type\" (oid, typname, typnamespace, "
		       "typowner, typlen, typbyval, typtype, typcategory, typispreferred, "
		       "typisdefined, typdelim, typrelid, typelem, typarray, typinput, "
		       "typoutput, typnotnull, typbasetype, typtypmod, typndims, typcollation) "
		       "VALUES (?1, ?2, ?3, ?4, ?5, 0, 'b', ?6, 0, 1, ',', 0, ?7, ?8, ?9, '', "
		       "0, 0, -1, 0, 0)",
		       "itiiitiit", types[i].oid, types[i].name, (int64_t)PG_CATALOG,
		       (int64_t)OWNER, types[i].length, types[i].category, types[i].element,
		       types[i].array, is_array ? "array_in" : "");
		insert(f, "INSERT INTO types VALUES (?1, ?2, ?3)", "itt", types[i].oid,
		       types[i].name, types[i].sql_name);
	}
}

static const char *type_text(int64_t oid, bool is_short)
{
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (types[i].oid == oid)
			return is_short ? types[i].name : types[i].sql_name;
	return "text";
}

static int64_t type_length(int64_t oid)
{
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (types[i].oid == oid)
			return types[i].length;
	return -1;
}

static void fill_schemas(struct filler *f)
{
	static const struct {
		int64_t oid;
		const char *name;
	} schemas[] = {{PG_CATALOG, "pg_catalog"},
		       {PUBLIC, "public"},
		       {INFORMATION_SCHEMA, "information_schema"}};

	for (size_t i = 0; i < sizeof schemas / sizeof schemas[0]; i++) {
		insert(f,
		       "INSERT INTO \"pg_catalog pg_namespace\" (oid, nspname, nspowner) "
		       "VALUES (?1, ?2, ?3)",
		       "iti", schemas[i].oid, schemas[i].name, (int64_t)OWNER);
		insert(f,
		       "INSERT INTO \"information_schema schemata\" (catalog_name, "
		       "schema_name, "
		       "schema_owner) VALUES (?1, ?2, 'owner')",
		       "tt", f->who->database, schemas[i].name);
	}
}

static void fill_roles(struct filler *f)
{
	const char *names[] = {"owner", f->who->name};
	size_t count = strcmp(f->who->name, "owner") == 0 ? 1 : 2;

	for (size_t i = 0; i < count; i++) {
		insert(f,
		       "INSERT INTO \"pg_catalog pg_roles\" (oid, rolname, rolsuper, "
		       "rolinherit, "
		       "rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolconnlimit, "
		       "rolbypassrls) VALUES (?1, ?2, 0, 1, 0, 0, 1, 0, -1, 0)",
		       "it", (int64_t)OWNER + (int64_t)i, names[i]);
		insert(f,
		       "INSERT INTO \"pg_catalog pg_user\" (usename, usesysid, usecreatedb, "
		       "usesuper, userepl, usebypassrls) VALUES (?1, ?2, 0, 0, 0, 0)",
		       "ti", names[i], (int64_t)OWNER + (int64_t)i);
	}
	insert(f, "INSERT INTO \"information_schema enabled_roles\" (role_name) VALUES (?1)",
	       "t", f->who->name);
}

static void fill_database(struct filler *f)
{
	insert(f,
	       "INSERT INTO \"pg_catalog pg_database\" (oid, datname, datdba, encoding, "
	       "datlocprovider, datistemplate, datallowconn, datconnlimit, dattablespace, "
	       "datcollate, datctype) VALUES (16383, ?1, ?2, 6, 'c', 0, 1, -1, 1663, 'C', 'C')",
	       "ti", f->who->database, (int64_t)OWNER);
	insert(f,
	       "INSERT INTO \"information_schema information_schema_catalog_name\" "
	       "(catalog_name) VALUES (?1)",
	       "t", f->who->database);
	insert(f,
	       "INSERT INTO \"pg_catalog pg_am\" (oid, amname, amhandler, amtype) VALUES (?1, "
	       "'heap', '', 't')",
	       "i", (int64_t)HEAP);
	insert(f,
	       "INSERT INTO \"pg_catalog pg_tablespace\" (oid, spcname, spcowner) VALUES "
	       "(1663, "
	       "'pg_default', ?1)",
	       "i", (int64_t)OWNER);
}

static void fill_settings(struct filler *f)
{
	static const char *const settings[][2] = {{"server_version", "15.0"},
						  {"server_version_num", "150000"},
						  {"server_encoding", "UTF8"},
						  {"client_encoding", "UTF8"},
						  {"search_path", "public"},
						  {"TimeZone", "UTC"},
						  {"DateStyle", "ISO, MDY"},
						  {"max_index_keys", "32"},
						  {"max_connections", "1024"},
						  {"max_identifier_length", "63"},
						  {"standard_conforming_strings", "on"},
						  {"default_transaction_read_only", "on"},
						  {"lc_collate", "C"},
						  {"lc_ctype", "C"}};
	static const char *const words[] = {"analyse",   "analyze", "concurrently", "freeze",
					    "ilike",     "isnull",  "limit",        "notnull",
					    "returning", "verbose"};

	for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
		insert(f,
		       "INSERT INTO \"pg_catalog pg_settings\" (name, setting, vartype, "
		       "source, "
		       "boot_val, reset_val) VALUES (?1, ?2, 'string', 'default', ?2, ?2)",
		       "tt", settings[i][0], settings[i][1]);
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		insert(f, "INSERT INTO \"pg_catalog pg_keywords\" VALUES (?1, 'U')", "t",
		       words[i]);
}

/* ---- tables ------------------------------------------------------------------------------------ */

static void fill_class(struct filler *f, int64_t oid, const char *name, int64_t space,
		       int64_t columns, const char *kind)
{
	insert(f,
	       "INSERT INTO \"pg_catalog pg_class\" (oid, relname, relnamespace, reltype, "
	       "reloftype, relowner, relam, relfilenode, reltablespace, relpages, reltuples, "
	       "relallvisible, reltoastrelid, relhasindex, relisshared, relpersistence, "
	       "relkind, "
	       "relnatts, relchecks, relhasrules, relhastriggers, relhassubclass, "
	       "relrowsecurity, relforcerowsecurity, relispopulated, relreplident, "
	       "relispartition, relrewrite, relacl) VALUES (?1, ?2, ?3, 0, 0, ?4, ?5, 0, 0, 0, "
	       "-1, 0, "
	       "0, "
	       "0, 0, 'p', ?7, ?6, 0, 0, 0, 0, 0, 0, 1, 'd', 0, 0, '{=r/owner}')",
	       "itiiiit", oid, name, space, (int64_t)OWNER, (int64_t)HEAP, columns, kind);
}

/* The catalog's own tables: 'pg_class'::regclass is a number that all agree on. */
static void fill_system(struct filler *f)
{
	static const struct {
		const char *name;
		int64_t oid;
	} known[] = {{"pg_type", 1247},    {"pg_attribute", 1249}, {"pg_proc", 1255},
		     {"pg_class", 1259},   {"pg_namespace", 2615}, {"pg_constraint", 2606},
		     {"pg_database", 1262}};
	int64_t next = FIRST_SYSTEM_TABLE;

	for (const struct sotto_catalog_table *t = sotto_catalog_tables; t->name; t++) {
		bool is_view = strcmp(t->schema, "information_schema") == 0;
		int64_t oid = next++;

		for (size_t i = 0; !is_view && i < sizeof known / sizeof known[0]; i++)
			if (strcmp(known[i].name, t->name) == 0)
				oid = known[i].oid;
		fill_class(f, oid, t->name, is_view ? INFORMATION_SCHEMA : PG_CATALOG, 0,
			   is_view ? "v" : "r");
	}
}

/* As the wire protocol names the types of answers. */
static int64_t type_of(enum sotto_sql_type type)
{
	static const struct {
		const char *word;
		enum sotto_pg_type type;
	} words[] = {{"integer", SOTTO_PG_INT8},
		     {"number", SOTTO_PG_FLOAT8},
		     {"boolean", SOTTO_PG_BOOL},
		     {"date", SOTTO_PG_DATE},
		     {"timestamp", SOTTO_PG_TIMESTAMP}};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i].word, sotto_sql_type_word(type)) == 0)
			return words[i].type;
	return SOTTO_PG_TEXT;
}

static void describe(struct filler *f, int64_t oid, int64_t column, const char *text)
{
	insert(f,
	       "INSERT INTO \"pg_catalog pg_description\" (objoid, classoid, objsubid, "
	       "description) VALUES (?1, 1259, ?2, ?3)",
	       "iit", oid, column, text);
}

static void fill_column(struct filler *f, int64_t oid, int64_t number, const char *table,
			const struct sotto_schema_column *s,
			const struct sotto_policy_column *c)
{
	int64_t type = type_of(c && c->type != SOTTO_TYPE_LOOSE ? c->type : s->type);
	bool nullable = !c || c->nullable;
	char *lo = NULL, *hi = NULL, *text = NULL;

	insert(f,
	       "INSERT INTO \"pg_catalog pg_attribute\" (attrelid, attname, atttypid, "
	       "attstattarget, attlen, attnum, attndims, attcacheoff, atttypmod, attbyval, "
	       "attalign, attstorage, attcompression, attnotnull, atthasdef, atthasmissing, "
	       "attidentity, attgenerated, attisdropped, attislocal, attinhcount, "
	       "attcollation) "
	       "VALUES (?1, ?2, ?3, -1, ?4, ?5, 0, -1, -1, 0, 'd', 'p', '', ?6, 0, 0, '', '', "
	       "0, "
	       "1, 0, 0)",
	       "itiiii", oid, s->name, type, type_length(type), number, (int64_t)!nullable);
	insert(f,
	       "INSERT INTO \"information_schema columns\" (table_catalog, table_schema, "
	       "table_name, column_name, ordinal_position, is_nullable, data_type, "
	       "udt_catalog, "
	       "udt_schema, udt_name, dtd_identifier, is_self_referencing, is_identity, "
	       "is_generated, is_updatable) VALUES (?1, 'public', ?2, ?3, ?4, ?5, ?6, ?1, "
	       "'pg_catalog', ?7, ?4, 'NO', 'NO', 'NEVER', 'NO')",
	       "ttti"
	       "ttt",
	       f->who->database, table, s->name, number, nullable ? "YES" : "NO",
	       type_text(type, false), type_text(type, true));
	if (c && c->has_bounds && sotto_rational_format(c->lo, &lo) == SOTTO_OK &&
	    sotto_rational_format(c->hi, &hi) == SOTTO_OK &&
	    asprintf(&text, "from %s to %s", lo, hi) >= 0)
		describe(f, oid, number, text);
	free(lo);
	free(hi);
	free(text);
}

static void fill_table(struct filler *f, int64_t oid, const struct sotto_policy_table *t,
		       const struct sotto_schema_table *schema)
{
	fill_class(f, oid, t->name, PUBLIC, (int64_t)schema->column_count, "r");
	describe(f, oid, 0, t->is_public ? "public" : "private: answers are noisy");
	insert(f,
	       "INSERT INTO \"information_schema tables\" (table_catalog, table_schema, "
	       "table_name, table_type, is_insertable_into, is_typed) VALUES (?1, 'public', "
	       "?2, "
	       "'BASE TABLE', 'NO', 'NO')",
	       "tt", f->who->database, t->name);
	insert(f,
	       "INSERT INTO \"information_schema table_privileges\" (grantor, grantee, "
	       "table_catalog, table_schema, table_name, privilege_type, is_grantable, "
	       "with_hierarchy) VALUES ('owner', ?1, ?2, 'public', ?3, 'SELECT', 'NO', 'NO')",
	       "ttt", f->who->name, f->who->database, t->name);
	insert(f,
	       "INSERT INTO \"information_schema role_table_grants\" (grantor, grantee, "
	       "table_catalog, table_schema, table_name, privilege_type, is_grantable, "
	       "with_hierarchy) VALUES ('owner', ?1, ?2, 'public', ?3, 'SELECT', 'NO', 'NO')",
	       "ttt", f->who->name, f->who->database, t->name);
	insert(f,
	       "INSERT INTO \"pg_catalog pg_tables\" (schemaname, tablename, tableowner, "
	       "hasindexes, hasrules, hastriggers, rowsecurity) VALUES ('public', ?1, 'owner', "
	       "0, 0, 0, 0)",
	       "t", t->name);
	for (size_t i = 0; i < schema->column_count; i++)
		fill_column(f, oid, (int64_t)i + 1, t->name, &schema->columns[i],
			    sotto_policy_column_find(t, schema->columns[i].name));
}

/* The session's lock is held. */
static enum sotto_status
fill_tables(struct filler *f, struct sotto_session *s, struct sotto_error *err)
{
	for (size_t i = 0; f->status == SOTTO_OK && i < s->policy.table_count; i++) {
		const struct sotto_schema_table *schema = NULL;

		SOTTO_TRY(sotto_session_schema(s, &s->policy.tables[i], &schema, err));
		fill_table(f, FIRST_TABLE + (int64_t)i, &s->policy.tables[i], schema);
	}
	return f->status;
}

enum sotto_status sotto_catalog_fill(sqlite3 *db, struct sotto_session *s,
				     const struct sotto_catalog_who *who,
				     struct sotto_error *err)
{
	struct filler f = {.db = db, .who = who, .status = SOTTO_OK};
	enum sotto_status st;

	if (sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
		return SOTTO_ENOMEM;
	make_tables(&f);
	fill_types(&f);
	fill_schemas(&f);
	fill_roles(&f);
	fill_database(&f);
	fill_settings(&f);
	fill_system(&f);
	st = sotto_session_enter(s, err);
	if (st == SOTTO_OK) {
		sotto_session_begin(s);
		st = fill_tables(&f, s, err);
		sotto_session_leave(s);
	}
	if (st == SOTTO_OK && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		st = SOTTO_ENOMEM;
	return st;
}
