/*
 * The rows of the catalog that every database of PostgreSQL has: types, schemas, roles, settings,
 * and the catalog's own tables.
 */
#include "server/catalog/catalog_fill.h"

#include <string.h>

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

static void fill_types(struct sotto_catalog_filler *f)
{
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		bool is_array = types[i].name[0] == '_';

		sotto_catalog_insert(
			f,
			"INSERT INTO \"pg_catalog pg_type\" (oid, typname, typnamespace, "
			"typowner, typlen, typbyval, typtype, typcategory, typispreferred, "
			"typisdefined, typdelim, typrelid, typelem, typarray, typinput, "
			"typoutput, typnotnull, typbasetype, typtypmod, typndims, "
			"typcollation) "
			"VALUES (?1, ?2, ?3, ?4, ?5, 0, 'b', ?6, 0, 1, ',', 0, ?7, ?8, ?9, '', "
			"0, 0, -1, 0, 0)",
			"itiiitiit", types[i].oid, types[i].name, (int64_t)SOTTO_OID_PG_CATALOG,
			(int64_t)SOTTO_OID_OWNER, types[i].length, types[i].category,
			types[i].element, types[i].array, is_array ? "array_in" : "");
		sotto_catalog_insert(f, "INSERT INTO types VALUES (?1, ?2, ?3)", "itt",
				     types[i].oid, types[i].name, types[i].sql_name);
	}
}

const char *sotto_catalog_type_name(int64_t oid, bool is_short)
{
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (types[i].oid == oid)
			return is_short ? types[i].name : types[i].sql_name;
	return "text";
}

int64_t sotto_catalog_type_length(int64_t oid)
{
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (types[i].oid == oid)
			return types[i].length;
	return -1;
}

static void fill_schemas(struct sotto_catalog_filler *f)
{
	static const struct {
		int64_t oid;
		const char *name;
	} schemas[] = {{SOTTO_OID_PG_CATALOG, "pg_catalog"},
		       {SOTTO_OID_PUBLIC, "public"},
		       {SOTTO_OID_INFORMATION_SCHEMA, "information_schema"}};

	for (size_t i = 0; i < sizeof schemas / sizeof schemas[0]; i++) {
		sotto_catalog_insert(
			f,
			"INSERT INTO \"pg_catalog pg_namespace\" (oid, nspname, nspowner) "
			"VALUES (?1, ?2, ?3)",
			"iti", schemas[i].oid, schemas[i].name, (int64_t)SOTTO_OID_OWNER);
		sotto_catalog_insert(
			f,
			"INSERT INTO \"information_schema schemata\" (catalog_name, "
			"schema_name, "
			"schema_owner) VALUES (?1, ?2, 'owner')",
			"tt", f->who->database, schemas[i].name);
	}
}

static void fill_roles(struct sotto_catalog_filler *f)
{
	const char *names[] = {"owner", f->who->name};
	size_t count = strcmp(f->who->name, "owner") == 0 ? 1 : 2;

	for (size_t i = 0; i < count; i++) {
		sotto_catalog_insert(
			f,
			"INSERT INTO \"pg_catalog pg_roles\" (oid, rolname, rolsuper, "
			"rolinherit, "
			"rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, "
			"rolconnlimit, "
			"rolbypassrls) VALUES (?1, ?2, 0, 1, 0, 0, 1, 0, -1, 0)",
			"it", (int64_t)SOTTO_OID_OWNER + (int64_t)i, names[i]);
		sotto_catalog_insert(
			f,
			"INSERT INTO \"pg_catalog pg_user\" (usename, usesysid, usecreatedb, "
			"usesuper, userepl, usebypassrls) VALUES (?1, ?2, 0, 0, 0, 0)",
			"ti", names[i], (int64_t)SOTTO_OID_OWNER + (int64_t)i);
	}
	sotto_catalog_insert(
		f, "INSERT INTO \"information_schema enabled_roles\" (role_name) VALUES (?1)",
		"t", f->who->name);
}

static void fill_database(struct sotto_catalog_filler *f)
{
	sotto_catalog_insert(
		f,
		"INSERT INTO \"pg_catalog pg_database\" (oid, datname, datdba, encoding, "
		"datlocprovider, datistemplate, datallowconn, datconnlimit, dattablespace, "
		"datcollate, datctype) VALUES (16383, ?1, ?2, 6, 'c', 0, 1, -1, 1663, 'C', "
		"'C')",
		"ti", f->who->database, (int64_t)SOTTO_OID_OWNER);
	sotto_catalog_insert(
		f,
		"INSERT INTO \"information_schema information_schema_catalog_name\" "
		"(catalog_name) VALUES (?1)",
		"t", f->who->database);
	sotto_catalog_insert(
		f,
		"INSERT INTO \"information_schema character_sets\" (character_set_name, "
		"character_repertoire, form_of_use, default_collate_catalog, "
		"default_collate_schema, default_collate_name) VALUES ('UTF8', 'UCS', 'UTF8', "
		"?1, 'pg_catalog', 'C')",
		"t", f->who->database);
	sotto_catalog_insert(
		f,
		"INSERT INTO \"pg_catalog pg_am\" (oid, amname, amhandler, amtype) VALUES (?1, "
		"'heap', '', 't')",
		"i", (int64_t)SOTTO_OID_HEAP);
	sotto_catalog_insert(
		f,
		"INSERT INTO \"pg_catalog pg_tablespace\" (oid, spcname, spcowner) VALUES "
		"(1663, "
		"'pg_default', ?1)",
		"i", (int64_t)SOTTO_OID_OWNER);
}

static void fill_settings(struct sotto_catalog_filler *f)
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
		sotto_catalog_insert(
			f,
			"INSERT INTO \"pg_catalog pg_settings\" (name, setting, vartype, "
			"source, "
			"boot_val, reset_val) VALUES (?1, ?2, 'string', 'default', ?2, ?2)",
			"tt", settings[i][0], settings[i][1]);
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		sotto_catalog_insert(f,
				     "INSERT INTO \"pg_catalog pg_keywords\" VALUES (?1, 'U')",
				     "t", words[i]);
}

/* The catalog's own tables: 'pg_class'::regclass is a number that all agree on. */
static void fill_own_tables(struct sotto_catalog_filler *f)
{
	static const struct {
		const char *name;
		int64_t oid;
	} known[] = {{"pg_type", 1247},    {"pg_attribute", 1249}, {"pg_proc", 1255},
		     {"pg_class", 1259},   {"pg_namespace", 2615}, {"pg_constraint", 2606},
		     {"pg_database", 1262}};
	int64_t next = SOTTO_OID_FIRST_SYSTEM_TABLE;

	for (const struct sotto_catalog_table *t = sotto_catalog_tables; t->name; t++) {
		bool is_view = strcmp(t->schema, "information_schema") == 0;
		int64_t oid = next++;

		for (size_t i = 0; !is_view && i < sizeof known / sizeof known[0]; i++)
			if (strcmp(known[i].name, t->name) == 0)
				oid = known[i].oid;
		sotto_catalog_fill_class(f, oid, t->name,
					 is_view ? SOTTO_OID_INFORMATION_SCHEMA
						 : SOTTO_OID_PG_CATALOG,
					 0, is_view ? "v" : "r");
	}
}

void sotto_catalog_fill_system(struct sotto_catalog_filler *f)
{
	fill_types(f);
	fill_schemas(f);
	fill_roles(f);
	fill_database(f);
	fill_settings(f);
	fill_own_tables(f);
}
