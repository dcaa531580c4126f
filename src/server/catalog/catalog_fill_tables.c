/* The rows of the catalog that tell of a policy's tables and their columns. */
#include "server/catalog/catalog_fill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/policy/schema.h"
#include "central/session/session.h"
#include "core/base/failure.h"

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

static void
describe(struct sotto_catalog_filler *f, int64_t oid, int64_t column, const char *text)
{
	sotto_catalog_insert(
		f,
		"INSERT INTO \"pg_catalog pg_description\" (objoid, classoid, objsubid, "
		"description) VALUES (?1, 1259, ?2, ?3)",
		"iit", oid, column, text);
}

static void fill_column(struct sotto_catalog_filler *f, int64_t oid, int64_t number,
			const char *table, const struct sotto_schema_column *s,
			const struct sotto_policy_column *c)
{
	int64_t type = type_of(c && c->type != SOTTO_TYPE_LOOSE ? c->type : s->type);
	bool nullable = !c || c->nullable;
	char *lo = NULL, *hi = NULL, *text = NULL;

	sotto_catalog_insert(
		f,
		"INSERT INTO \"pg_catalog pg_attribute\" (attrelid, attname, atttypid, "
		"attstattarget, attlen, attnum, attndims, attcacheoff, atttypmod, attbyval, "
		"attalign, attstorage, attcompression, attnotnull, atthasdef, atthasmissing, "
		"attidentity, attgenerated, attisdropped, attislocal, attinhcount, "
		"attcollation) "
		"VALUES (?1, ?2, ?3, -1, ?4, ?5, 0, -1, -1, 0, 'd', 'p', '', ?6, 0, 0, '', '', "
		"0, "
		"1, 0, 0)",
		"itiiii", oid, s->name, type, sotto_catalog_type_length(type), number,
		(int64_t)!nullable);
	sotto_catalog_insert(
		f,
		"INSERT INTO \"information_schema columns\" (table_catalog, table_schema, "
		"table_name, column_name, ordinal_position, is_nullable, data_type, "
		"udt_catalog, "
		"udt_schema, udt_name, dtd_identifier, is_self_referencing, is_identity, "
		"is_generated, is_updatable) VALUES (?1, 'public', ?2, ?3, ?4, ?5, ?6, ?1, "
		"'pg_catalog', ?7, ?4, 'NO', 'NO', 'NEVER', 'NO')",
		"ttti"
		"ttt",
		f->who->database, table, s->name, number, nullable ? "YES" : "NO",
		sotto_catalog_type_name(type, false), sotto_catalog_type_name(type, true));
	if (c && c->has_bounds && sotto_rational_format(c->lo, &lo) == SOTTO_OK &&
	    sotto_rational_format(c->hi, &hi) == SOTTO_OK &&
	    asprintf(&text, "from %s to %s", lo, hi) >= 0)
		describe(f, oid, number, text);
	free(lo);
	free(hi);
	free(text);
}

static void fill_table(struct sotto_catalog_filler *f, int64_t oid,
		       const struct sotto_policy_table *t,
		       const struct sotto_schema_table *schema)
{
	sotto_catalog_fill_class(f, oid, t->name, SOTTO_OID_PUBLIC,
				 (int64_t)schema->column_count, "r");
	describe(f, oid, 0, t->is_public ? "public" : "private: answers are noisy");
	sotto_catalog_insert(
		f,
		"INSERT INTO \"information_schema tables\" (table_catalog, table_schema, "
		"table_name, table_type, is_insertable_into, is_typed) VALUES (?1, 'public', "
		"?2, "
		"'BASE TABLE', 'NO', 'NO')",
		"tt", f->who->database, t->name);
	sotto_catalog_insert(
		f,
		"INSERT INTO \"information_schema table_privileges\" (grantor, grantee, "
		"table_catalog, table_schema, table_name, privilege_type, is_grantable, "
		"with_hierarchy) VALUES ('owner', ?1, ?2, 'public', ?3, 'SELECT', 'NO', 'NO')",
		"ttt", f->who->name, f->who->database, t->name);
	sotto_catalog_insert(
		f,
		"INSERT INTO \"information_schema role_table_grants\" (grantor, grantee, "
		"table_catalog, table_schema, table_name, privilege_type, is_grantable, "
		"with_hierarchy) VALUES ('owner', ?1, ?2, 'public', ?3, 'SELECT', 'NO', 'NO')",
		"ttt", f->who->name, f->who->database, t->name);
	sotto_catalog_insert(
		f,
		"INSERT INTO \"pg_catalog pg_tables\" (schemaname, tablename, tableowner, "
		"hasindexes, hasrules, hastriggers, rowsecurity) VALUES ('public', ?1, "
		"'owner', "
		"0, 0, 0, 0)",
		"t", t->name);
	for (size_t i = 0; i < schema->column_count; i++)
		fill_column(f, oid, (int64_t)i + 1, t->name, &schema->columns[i],
			    sotto_policy_column_find(t, schema->columns[i].name));
}

enum sotto_status sotto_catalog_fill_tables(struct sotto_catalog_filler *f,
					    struct sotto_session *s, struct sotto_error *err)
{
	for (size_t i = 0; f->status == SOTTO_OK && i < s->policy.table_count; i++) {
		const struct sotto_schema_table *schema = NULL;

		SOTTO_TRY(sotto_session_schema(s, &s->policy.tables[i], &schema, err));
		fill_table(f, SOTTO_OID_FIRST_TABLE + (int64_t)i, &s->policy.tables[i], schema);
	}
	return f->status;
}
