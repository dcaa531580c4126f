/*
 * The engine reads all files of a table with the types of the first one.  What type a file has may be decided by the
 * records in it (a column of whole numbers becomes one of doubles where one is missing), so one record
 * in the first file would decide how those of all others are read: '007' as 7, or two long numbers as
 * one unit.  Which columns there are is decided by the first file too.
 */
#include "central/seal/typed/parquet_alike.h"

#include <string.h>

#include "central/seal/manifest/sealed.h"
#include "central/seal/source/source_files.h"
#include "central/seal/typed/typed_check.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

/* The columns of one file, in the arena of `out`; what its folders say is none of them. */
static enum sotto_status describe_file(const struct sotto_sealer *s, struct sotto_database *d,
				       const char *path, struct sotto_sealer *out)
{
	const char *file = sotto_sql_quote_text(out->arena, path), *relation;

	out->entry = (struct sotto_sealed){0};
	relation = file ? sotto_arena_textf(out->arena,
					    "read_parquet(%s, hive_partitioning = false)", file)
			: NULL;
	if (!relation)
		return SOTTO_ENOMEM;
	return sotto_typed_describe(out, d, relation) == SOTTO_OK ? SOTTO_OK
								  : sotto_sealer_unreadable(s);
}

/* A column of x that y has not, or has with another type; NULL if there is none. */
static const char *other_column(const struct sotto_sealed *x, const struct sotto_sealed *y)
{
	for (size_t i = 0; i < x->column_count; i++) {
		const struct sotto_sealed_column *same =
			sotto_sealed_column_find(y, x->columns[i].name);

		if (!same || strcmp(same->type, x->columns[i].type) != 0)
			return x->columns[i].name;
	}
	return NULL;
}

static enum sotto_status compare(struct sotto_sealer *s, struct sotto_database *d,
				 const struct sotto_sealer *first, size_t file)
{
	struct sotto_arena once;
	struct sotto_sealer other = *s;
	const char *column;
	enum sotto_status st;

	sotto_arena_init(&once, (size_t)64 << 20);
	other.arena = &once;
	st = describe_file(s, d, s->files.paths[file], &other);
	column = st == SOTTO_OK ? other_column(&first->entry, &other.entry) : NULL;
	if (st == SOTTO_OK && !column)
		column = other_column(&other.entry, &first->entry);
	if (column)
		st = sotto_fail(
			s->err, SOTTO_EREFUSED,
			"%.160s:%zu: column %.60s of table %.60s is not the same in %.160s and "
			"%.160s: write all files of a table with the same columns and types",
			s->policy->path, s->table->line, column, s->table->name,
			s->files.names[0], s->files.names[file]);
	sotto_arena_release(&once);
	return st;
}

static enum sotto_status check_folders(const struct sotto_sealer *s)
{
	for (size_t i = 0; i < s->files.count; i++)
		if (!sotto_folders_are_alike(s->files.names[0], s->files.names[i]))
			return sotto_fail(
				s->err, SOTTO_EREFUSED,
				"%.160s:%zu: a folder of %.160s is not a column that all files "
				"of "
				"table %.60s have: such folders are written NAME=VALUE, with "
				"one = and a value in UTF-8; rename it, or take the file away",
				s->policy->path, s->table->line, s->files.names[i],
				s->table->name);
	return SOTTO_OK;
}

enum sotto_status sotto_parquet_check_alike(struct sotto_sealer *s, struct sotto_database *d)
{
	struct sotto_sealer first = *s;

	SOTTO_TRY(check_folders(s));
	if (s->table->is_public || s->files.count < 2)
		return SOTTO_OK;
	SOTTO_TRY(describe_file(s, d, s->files.paths[0], &first));
	for (size_t i = 1; i < s->files.count; i++)
		SOTTO_TRY(compare(s, d, &first, i));
	return SOTTO_OK;
}
