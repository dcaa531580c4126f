/*
 * Appends to one buffer and remembers the first failure; messages of the engine are never
 * passed on, because they may quote values.
 */
#include "census/measure/read/census_sql.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "central/engine/engine.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

enum { SQL_MAX = 1 << 20 };

void sotto_census_sql_init(struct sotto_census_sql *q)
{
	sotto_buffer_init(&q->text, SQL_MAX);
	q->status = SOTTO_OK;
}

void sotto_census_sql_release(struct sotto_census_sql *q)
{
	sotto_buffer_release(&q->text);
}

static void put(struct sotto_census_sql *q, const char *text, size_t n)
{
	if (q->status == SOTTO_OK)
		q->status = sotto_buffer_append(&q->text, text, n);
}

void sotto_census_sql_put(struct sotto_census_sql *q, const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		q->status = SOTTO_ENOMEM;
	else
		put(q, text, (size_t)n);
	free(n < 0 ? NULL : text);
}

void sotto_census_sql_name(struct sotto_census_sql *q, const char *name)
{
	if (q->status == SOTTO_OK)
		q->status = sotto_sql_append_quoted(&q->text, name, '"');
}

void sotto_census_sql_literal(struct sotto_census_sql *q, const char *text)
{
	if (q->status == SOTTO_OK)
		q->status = sotto_sql_append_quoted(&q->text, text, '\'');
}

void sotto_census_sql_levels(struct sotto_census_sql *q, const struct sotto_census_plan *p,
			     size_t last)
{
	for (size_t l = 1; l <= last; l++) {
		sotto_census_sql_put(q, l > 1 ? ", CAST(" : "CAST(");
		sotto_census_sql_name(q, p->levels[l].column);
		sotto_census_sql_put(q, " AS VARCHAR) AS l%zu", l);
	}
	if (last == 0)
		sotto_census_sql_put(q, "'' AS l0");
}

void sotto_census_sql_whole(struct sotto_census_sql *q, const char *column)
{
	sotto_census_sql_put(q, "CASE WHEN CAST(TRY_CAST(");
	sotto_census_sql_name(q, column);
	sotto_census_sql_put(q, " AS BIGINT) AS DOUBLE) = TRY_CAST(");
	sotto_census_sql_name(q, column);
	sotto_census_sql_put(q, " AS DOUBLE) THEN TRY_CAST(");
	sotto_census_sql_name(q, column);
	sotto_census_sql_put(q, " AS BIGINT) ELSE -1 END");
}

void sotto_census_sql_category(struct sotto_census_sql *q,
			       const struct sotto_census_attribute *a)
{
	sotto_census_sql_put(q, "CAST(enum_code(TRY_CAST(CAST(");
	sotto_census_sql_name(q, a->column);
	sotto_census_sql_put(q, " AS VARCHAR) AS ENUM(");
	for (size_t i = 0; i < a->n; i++) {
		sotto_census_sql_put(q, i ? ", " : "");
		sotto_census_sql_literal(q, a->categories[i]);
	}
	sotto_census_sql_put(q, "))) AS BIGINT)");
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static char *resolve(const struct sotto_census_plan *p, const char *file)
{
	char *path = NULL;

	return asprintf(&path, "%s%s", file[0] == '/' ? "" : p->folder, file) < 0 ? NULL : path;
}

void sotto_census_sql_file(struct sotto_census_sql *q, const struct sotto_census_plan *p,
			   const char *file)
{
	bool csv = ends_with(file, ".csv") || ends_with(file, ".csv.gz") ||
		   ends_with(file, ".tsv");
	char *path = resolve(p, file);

	if (!path) {
		q->status = SOTTO_ENOMEM;
		return;
	}
	sotto_census_sql_put(q, csv ? "read_csv(" : "(SELECT * FROM ");
	sotto_census_sql_literal(q, path);
	sotto_census_sql_put(q, csv ? ", header=true, all_varchar=true)" : ")");
	free(path);
}

void sotto_census_sql_input(struct sotto_census_sql *q, const struct sotto_census_world *w)
{
	sotto_census_sql_put(q, "%s", w->source.relation);
}

/* Its words may hold values of the file, so that they are only looked at. */
static bool is_out_of_memory(const struct sotto_engine *e)
{
	return strncmp(sotto_engine_detail(e), "Out of Memory", 13) == 0;
}

/* The engine's words, which may hold values, would say which column is not there. */
static enum sotto_status
fail_columns(const struct sotto_census_plan *p, const char *file, struct sotto_error *err)
{
	char columns[200] = "";
	size_t used = 0;

	for (size_t i = 0; i < p->level_count && used < sizeof columns; i++)
		if (p->levels[i].column)
			used += (size_t)snprintf(columns + used, sizeof columns - used, "%s%s",
						 used ? ", " : "", p->levels[i].column);
	return sotto_fail(
		err, SOTTO_EPARSE,
		"%.160s could not be read with the plan's columns; check that it is a "
		"table with the columns of the levels (%s) and of what else the plan "
		"reads there",
		file, columns);
}

enum sotto_status sotto_census_sql_run(struct sotto_engine *e, const struct sotto_census_sql *q,
				       const struct sotto_census_plan *p, const char *file,
				       struct sotto_engine_result **out,
				       struct sotto_error *err)
{
	char *path = resolve(p, file);
	bool readable = path && access(path, R_OK) == 0;

	free(path);
	SOTTO_TRY(q->status);
	if (!readable)
		return sotto_fail(err, SOTTO_EMISSING, "the file %.300s could not be opened",
				  file);
	if (sotto_engine_run(e, sotto_buffer_text(&q->text), out) == SOTTO_OK)
		return SOTTO_OK;
	if (sotto_engine_is_lost(e) || is_out_of_memory(e))
		return sotto_fail(err, SOTTO_EIO,
				  "the engine ran out of memory while it read %.200s; give a "
				  "higher --memory-limit",
				  file);
	return fail_columns(p, file, err);
}
