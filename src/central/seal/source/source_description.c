/*
 * CSV from its header, private JSON from the fields that the policy lists, everything else by
 * asking the engine to DESCRIBE it.
 */
#include "central/seal/source/source_description.h"

#include "central/seal/seal_database.h"
#include "central/seal/seal_text.h"
#include "central/seal/sealer.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

static enum sotto_status add_names(struct sotto_arena *a, const char *const *names, size_t n,
				   struct sotto_sealed_column **columns, size_t *count)
{
	for (size_t i = 0; i < n; i++) {
		struct sotto_sealed_column *c = SOTTO_PUSH(a, *columns, *count);

		if (!c)
			return SOTTO_ENOMEM;
		c->name = names[i];
	}
	return SOTTO_OK;
}

static enum sotto_status add_rows(struct sotto_arena *a, const struct sotto_engine_result *r,
				  struct sotto_sealed_column **columns, size_t *count)
{
	for (size_t i = 0; i < sotto_engine_rows(r); i++) {
		struct sotto_sealed_column *c = SOTTO_PUSH(a, *columns, *count);

		if (!c)
			return SOTTO_ENOMEM;
		c->name = sotto_arena_text(a, sotto_engine_cell(r, i, 0).text);
		c->type = sotto_arena_text(a, sotto_engine_cell(r, i, 1).text);
		if (!c->name || !c->type)
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

static const char *relation_of(struct sotto_arena *a, const struct sotto_policy_table *t,
			       enum sotto_source_kind kind)
{
	struct sotto_files files;
	const char *text;

	if (kind == SOTTO_SOURCE_DATABASE)
		return sotto_database_relation(a, "sealed_source", t);
	if (kind == SOTTO_SOURCE_PARQUET)
		return sotto_files_find(&files, a, t) == SOTTO_OK
			       ? sotto_parquet_relation(a, files.paths, files.names,
							files.count, NULL)
			       : NULL;
	text = sotto_sql_quote_text(a, t->source);
	return text ? sotto_arena_textf(a, "read_json(%s)", text) : NULL;
}

static enum sotto_status ask_engine(struct sotto_database *d, struct sotto_arena *a,
				    const struct sotto_policy_table *t,
				    struct sotto_sealed_column **columns, size_t *count)
{
	enum sotto_source_kind kind = sotto_source_kind(t->source);
	const char *relation = relation_of(a, t, kind), *sql;
	struct sotto_engine_result *r = NULL;
	enum sotto_status st;

	sql = relation ? sotto_arena_textf(a,
					   "SELECT column_name, column_type FROM (DESCRIBE "
					   "SELECT * FROM %s)",
					   relation)
		       : NULL;
	if (!sql)
		return SOTTO_ENOMEM;
	if (kind == SOTTO_SOURCE_DATABASE)
		SOTTO_TRY(sotto_database_attach(d, a, t->source, NULL));
	SOTTO_TRY(sotto_database_run(d, sql, &r));
	st = add_rows(a, r, columns, count);
	sotto_engine_result_free(r);
	return st;
}

enum sotto_status sotto_source_columns(struct sotto_arena *a,
				       const struct sotto_policy_table *t,
				       struct sotto_sealed_column **columns, size_t *count,
				       struct sotto_error *err)
{
	enum sotto_source_kind kind = sotto_source_kind(t->source);
	struct sotto_database d;
	struct sotto_files files;
	enum sotto_status st;
	const char **names;
	char delimiter;
	size_t n;

	*columns = NULL;
	*count = 0;
	SOTTO_TRY(sotto_files_find(&files, a, t));
	if (files.count == 0 || !sotto_files_are_regular(&files))
		return SOTTO_EIO;
	if (kind == SOTTO_SOURCE_CSV) {
		SOTTO_TRY(sotto_csv_names(a, t, files.paths[0], &names, &n, &delimiter, err));
		return add_names(a, names, n, columns, count);
	}
	if (sotto_source_is_text(kind) && !t->is_public) {
		SOTTO_TRY(sotto_sealed_fields(a, t, &names, &n));
		return add_names(a, names, n, columns, count);
	}
	SOTTO_TRY(sotto_database_open(&d, err));
	st = ask_engine(&d, a, t, columns, count);
	sotto_database_close(&d);
	return st;
}
