#include "census/measure/census_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "central/engine/engine.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"

enum { SQL_MAX = 1 << 20, TEXTS_MAX = 1 << 30 };

enum sotto_status sotto_census_tables_open(struct sotto_engine **out, struct sotto_error *err)
{
	return sotto_engine_open(0, out, err);
}

void sotto_census_tables_close(struct sotto_engine *e)
{
	sotto_engine_close(e);
}

/* ---- writing SQL ----------------------------------------------------------------------------------------- */

/* Text between quotes, those inside doubled. */
static enum sotto_status put_quoted(struct sotto_buffer *b, const char *text, char quote)
{
	SOTTO_TRY(sotto_buffer_append(b, &quote, 1));
	for (; *text; text++) {
		if (*text == quote)
			SOTTO_TRY(sotto_buffer_append(b, text, 1));
		SOTTO_TRY(sotto_buffer_append(b, text, 1));
	}
	return sotto_buffer_append(b, &quote, 1);
}

static enum sotto_status put_name(struct sotto_buffer *b, const char *column)
{
	return put_quoted(b, column, '"');
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* The table function for a file; CSV values are all texts. */
static enum sotto_status
put_file(struct sotto_buffer *b, const struct sotto_census_plan *p, const char *file)
{
	struct sotto_buffer path;
	enum sotto_status st;
	bool csv = ends_with(file, ".csv") || ends_with(file, ".csv.gz") ||
		   ends_with(file, ".tsv");

	sotto_buffer_init(&path, SQL_MAX);
	st = sotto_buffer_appendf(&path, "%s%s", file[0] == '/' ? "" : p->folder, file);
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(b, csv ? "read_csv(" : "(SELECT * FROM ");
	if (st == SOTTO_OK)
		st = put_quoted(b, sotto_buffer_text(&path), '\'');
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(b,
					      csv ? ", header=true, all_varchar=true)" : ")");
	sotto_buffer_release(&path);
	return st;
}

static enum sotto_status
check_file(const struct sotto_census_plan *p, const char *file, struct sotto_error *err)
{
	char path[4096];

	(void)snprintf(path, sizeof path, "%s%s", file[0] == '/' ? "" : p->folder, file);
	if (access(path, R_OK) != 0)
		return sotto_fail(err, SOTTO_EMISSING, "the file %.300s could not be opened",
				  file);
	return SOTTO_OK;
}

static enum sotto_status run(struct sotto_engine *e, const struct sotto_buffer *sql,
			     const char *file, struct sotto_engine_result **out,
			     struct sotto_error *err)
{
	if (sotto_engine_run(e, sotto_buffer_text(sql), out) == SOTTO_OK)
		return SOTTO_OK;
	return sotto_fail(
		err, SOTTO_EPARSE,
		"%.200s could not be read with the plan's columns; check that it is a "
		"table and has them",
		file);
}

/* CAST("st" AS VARCHAR) AS l1, ... of the levels 1 .. last */
static enum sotto_status
put_levels(struct sotto_buffer *b, const struct sotto_census_plan *p, size_t last)
{
	for (size_t l = 1; l <= last; l++) {
		SOTTO_TRY(sotto_buffer_append_text(b, l > 1 ? ", CAST(" : "CAST("));
		SOTTO_TRY(put_name(b, p->levels[l].column));
		SOTTO_TRY(sotto_buffer_appendf(b, " AS VARCHAR) AS l%zu", l));
	}
	if (last == 0)
		SOTTO_TRY(sotto_buffer_append_text(b, "'' AS l0"));
	return SOTTO_OK;
}

/* ---- leaves ------------------------------------------------------------------------------------------------ */

static enum sotto_status take_leaves(struct sotto_census_world *w,
				     const struct sotto_engine_result *r,
				     struct sotto_error *err)
{
	struct sotto_census_paths paths = {.leaves = sotto_engine_rows(r),
					   .depth = w->plan.level_count - 1};
	enum sotto_status st = SOTTO_OK;

	paths.labels = malloc((paths.leaves * paths.depth + 1) * sizeof *paths.labels);
	if (!paths.labels)
		return SOTTO_ENOMEM;
	for (size_t i = 0; st == SOTTO_OK && i < paths.leaves; i++)
		for (size_t d = 0; st == SOTTO_OK && d < paths.depth; d++) {
			struct sotto_engine_cell cell = sotto_engine_cell(r, i, d);

			if (cell.kind != SOTTO_ENGINE_TEXT || !*cell.text ||
			    strchr(cell.text, '/'))
				st = sotto_fail(
					err, SOTTO_EPARSE,
					"nodes: a value of %.100s is missing or holds a "
					"slash",
					w->plan.levels[d + 1].column);
			else
				paths.labels[i * paths.depth + d] =
					sotto_arena_text(&w->texts, cell.text);
			if (st == SOTTO_OK && !paths.labels[i * paths.depth + d])
				st = SOTTO_ENOMEM;
		}
	if (st == SOTTO_OK)
		st = sotto_census_shape_init(&w->shape, &w->schema, &paths, err);
	w->has_shape = st == SOTTO_OK;
	free(paths.labels);
	return st;
}

enum sotto_status sotto_census_read_leaves(struct sotto_engine *e, struct sotto_census_world *w,
					   struct sotto_error *err)
{
	const struct sotto_census_plan *p = &w->plan;
	const char *file =
		p->nodes_from_data ? p->microdata ? p->microdata : p->counts : p->nodes;
	struct sotto_engine_result *result = NULL;
	struct sotto_buffer sql;
	enum sotto_status st;

	SOTTO_TRY(check_file(p, file, err));
	sotto_buffer_init(&sql, SQL_MAX);
	st = sotto_buffer_append_text(&sql, "SELECT DISTINCT ");
	if (st == SOTTO_OK)
		st = put_levels(&sql, p, p->level_count - 1);
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(&sql, " FROM ");
	if (st == SOTTO_OK)
		st = put_file(&sql, p, file);
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(&sql, " ORDER BY ALL");
	if (st == SOTTO_OK)
		st = run(e, &sql, file, &result, err);
	if (st == SOTTO_OK)
		st = take_leaves(w, result, err);
	sotto_engine_result_free(result);
	sotto_buffer_release(&sql);
	return st;
}

/* ---- counts ------------------------------------------------------------------------------------------------- */

/* The cell number of a row of categories; false: a category that the plan does not have. */
static bool cell_of_row(const struct sotto_census_world *w, const struct sotto_engine_result *r,
			size_t row, size_t first, uint32_t *out)
{
	uint32_t categories[SOTTO_CENSUS_ATTRIBUTES_MAX];

	for (size_t i = 0; i < w->plan.attribute_count; i++) {
		struct sotto_engine_cell cell = sotto_engine_cell(r, row, first + i);
		size_t category =
			cell.kind == SOTTO_ENGINE_TEXT
				? sotto_census_category_find(&w->plan.attributes[i], cell.text)
				: SIZE_MAX;

		if (category == SIZE_MAX)
			return false;
		categories[i] = (uint32_t)category;
	}
	*out = (uint32_t)sotto_census_cell_of(&w->schema, categories);
	return true;
}

/* Leaves come in the order of the tree: one step, or none, from row to row. */
static bool next_leaf(const struct sotto_census_world *w, const struct sotto_engine_result *r,
		      size_t row, size_t *leaf)
{
	const struct sotto_census_shape *s = &w->shape;
	size_t depth = w->plan.level_count - 1, leaves = sotto_census_leaf_count(s);

	for (; *leaf < leaves; ++*leaf) {
		size_t node = s->start[s->level_count - 1] + *leaf;
		int order = 0;

		for (size_t d = depth; d-- > 0;) {
			struct sotto_engine_cell cell = sotto_engine_cell(r, row, d);

			while (!s->labels[node])
				node = s->parent[node];
			if (cell.kind != SOTTO_ENGINE_TEXT)
				return false;
			if (strcmp(cell.text, s->labels[node]) != 0)
				order = strcmp(cell.text, s->labels[node]);
			node = s->parent[node];
		}
		if (order == 0)
			return true;
		if (order < 0)
			return false;
	}
	return false;
}

static enum sotto_status take_counts(struct sotto_census_world *w,
				     const struct sotto_engine_result *r,
				     struct sotto_error *err)
{
	size_t depth = w->plan.level_count - 1, n = sotto_engine_rows(r), leaf = 0;
	struct sotto_census_entry *entries = malloc((n + 1) * sizeof *entries);
	enum sotto_status st = entries ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t i = 0; st == SOTTO_OK && i < n; i++) {
		size_t attributes = depth ? depth : 1;

		if (depth > 0 && !next_leaf(w, r, i, &leaf)) {
			st = sotto_fail(
				err, SOTTO_EMISSING,
				"input: a record lies in no node of the list; complete the "
				"list of nodes or correct the record");
			break;
		}
		entries[i].leaf = (uint32_t)leaf;
		entries[i].count =
			sotto_engine_exact(r, i, attributes + w->plan.attribute_count);
		if (!cell_of_row(w, r, i, attributes, &entries[i].cell))
			st = sotto_fail(err, SOTTO_EMISSING,
					"input: a record has a category that the plan does not "
					"list; complete the categories or correct the record");
		else if (w->schema.zero[entries[i].cell] && entries[i].count.secret != 0)
			st = sotto_fail(err, SOTTO_EMISSING,
					"input: a record is in a cell that structural_zeros "
					"excludes");
		else if (entries[i].count.secret < 0)
			st = sotto_fail(err, SOTTO_EMISSING, "input: a count is negative");
	}
	if (st == SOTTO_OK)
		st = sotto_census_truth_init(&w->truth, sotto_census_leaf_count(&w->shape),
					     entries, n);
	free(entries);
	return st;
}

enum sotto_status sotto_census_read_counts(struct sotto_engine *e, struct sotto_census_world *w,
					   struct sotto_error *err)
{
	const struct sotto_census_plan *p = &w->plan;
	const char *file = p->microdata ? p->microdata : p->counts;
	struct sotto_engine_result *result = NULL;
	struct sotto_buffer sql;
	enum sotto_status st;

	SOTTO_TRY(check_file(p, file, err));
	sotto_buffer_init(&sql, SQL_MAX);
	st = sotto_buffer_append_text(&sql, "SELECT ");
	if (st == SOTTO_OK)
		st = put_levels(&sql, p, p->level_count - 1);
	for (size_t i = 0; st == SOTTO_OK && i < p->attribute_count; i++) {
		st = sotto_buffer_append_text(&sql, ", CAST(");
		if (st == SOTTO_OK)
			st = put_name(&sql, p->attributes[i].column);
		if (st == SOTTO_OK)
			st = sotto_buffer_appendf(&sql, " AS VARCHAR) AS a%zu", i);
	}
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(&sql, p->counts ? ", CAST(SUM(CAST("
							      : ", CAST(COUNT(*) AS HUGEINT)");
	if (st == SOTTO_OK && p->counts)
		st = put_name(&sql, p->count_column);
	if (st == SOTTO_OK && p->counts)
		st = sotto_buffer_append_text(&sql, " AS BIGINT)) AS HUGEINT)");
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(&sql, " FROM ");
	if (st == SOTTO_OK)
		st = put_file(&sql, p, file);
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(&sql, " GROUP BY ALL ORDER BY ALL");
	if (st == SOTTO_OK)
		st = run(e, &sql, file, &result, err);
	if (st == SOTTO_OK)
		st = take_counts(w, result, err);
	sotto_engine_result_free(result);
	sotto_buffer_release(&sql);
	return st;
}

/* ---- tables of constraints ------------------------------------------------------------------------------------ */

/* The query's attributes, one column each. */
static enum sotto_status put_query(struct sotto_buffer *b, const struct sotto_census_plan *p,
				   const struct sotto_census_query *q)
{
	for (size_t i = 0; i < p->attribute_count; i++) {
		if (!sotto_census_query_uses(q, i))
			continue;
		SOTTO_TRY(sotto_buffer_append_text(b, ", CAST("));
		SOTTO_TRY(put_name(b, p->attributes[i].column));
		SOTTO_TRY(sotto_buffer_append_text(b, " AS VARCHAR)"));
	}
	return SOTTO_OK;
}

struct table_reader {
	struct sotto_census_world *w;
	const char *file;
	size_t level; /* of the plan */
	const struct sotto_census_query *query;
	size_t column_count;
	sotto_census_row_fn each;
	void *context;
};

static enum sotto_status row_node(const struct table_reader *t,
				  const struct sotto_engine_result *r, size_t row, size_t *node,
				  struct sotto_error *err)
{
	struct sotto_buffer path;
	enum sotto_status st = SOTTO_OK;

	*node = 0;
	if (t->level == 0)
		return SOTTO_OK;
	sotto_buffer_init(&path, SQL_MAX);
	for (size_t l = 0; st == SOTTO_OK && l < t->level; l++) {
		struct sotto_engine_cell cell = sotto_engine_cell(r, row, l);

		st = sotto_buffer_appendf(&path, "%s%s", l ? "/" : "",
					  cell.kind == SOTTO_ENGINE_TEXT ? cell.text : "");
	}
	if (st == SOTTO_OK)
		*node = sotto_census_node_find(&t->w->shape, sotto_buffer_text(&path));
	if (st == SOTTO_OK && *node == SIZE_MAX)
		st = sotto_fail(err, SOTTO_EPARSE, "%.200s: there is no node %.200s", t->file,
				sotto_buffer_text(&path));
	sotto_buffer_release(&path);
	return st;
}

/* A grouped attribute is named by any category of the group. */
static enum sotto_status row_cell(const struct table_reader *t,
				  const struct sotto_engine_result *r, size_t row,
				  size_t column, size_t *out, struct sotto_error *err)
{
	const struct sotto_census_plan *p = &t->w->plan;
	uint32_t categories[SOTTO_CENSUS_ATTRIBUTES_MAX] = {0};

	for (size_t i = 0; i < p->attribute_count; i++) {
		struct sotto_engine_cell cell;
		size_t category;

		if (!sotto_census_query_uses(t->query, i))
			continue;
		cell = sotto_engine_cell(r, row, column++);
		category = cell.kind == SOTTO_ENGINE_TEXT
				   ? sotto_census_category_find(&p->attributes[i], cell.text)
				   : SIZE_MAX;
		if (category == SIZE_MAX)
			return sotto_fail(
				err, SOTTO_EPARSE,
				"%.200s: a value of %.100s is no category of the plan", t->file,
				p->attributes[i].column);
		categories[i] = (uint32_t)category;
	}
	*out = sotto_census_query_cell(p, t->query, categories);
	return SOTTO_OK;
}

static enum sotto_status take_row(const struct table_reader *t,
				  const struct sotto_engine_result *r, size_t row,
				  size_t values_at, struct sotto_error *err)
{
	int64_t values[4] = {0};
	size_t node = 0, cell = 0;

	SOTTO_TRY(row_node(t, r, row, &node, err));
	SOTTO_TRY(row_cell(t, r, row, t->level ? t->level : 1, &cell, err));
	for (size_t i = 0; i < t->column_count; i++) {
		struct sotto_engine_cell value = sotto_engine_cell(r, row, values_at + i);

		if (value.kind != SOTTO_ENGINE_INTEGER || value.integer < 0)
			return sotto_fail(err, SOTTO_EINFEASIBLE,
					  "%.200s: a value is negative or not a whole number",
					  t->file);
		values[i] = value.integer;
	}
	return t->each(t->context, node, cell, values, err);
}

enum sotto_status sotto_census_read_table(struct sotto_engine *e, struct sotto_census_world *w,
					  const char *file, size_t plan_level, size_t query,
					  const char *const *columns, size_t column_count,
					  sotto_census_row_fn each, void *context,
					  struct sotto_error *err)
{
	const struct sotto_census_plan *p = &w->plan;
	struct table_reader t = {.w = w,
				 .file = file,
				 .level = plan_level,
				 .query = &p->queries[query],
				 .column_count = column_count,
				 .each = each,
				 .context = context};
	struct sotto_engine_result *result = NULL;
	struct sotto_buffer sql;
	enum sotto_status st;

	SOTTO_TRY(check_file(p, file, err));
	sotto_buffer_init(&sql, SQL_MAX);
	st = sotto_buffer_append_text(&sql, "SELECT ");
	if (st == SOTTO_OK)
		st = put_levels(&sql, p, plan_level);
	if (st == SOTTO_OK)
		st = put_query(&sql, p, t.query);
	for (size_t i = 0; st == SOTTO_OK && i < column_count; i++) {
		/* A value that is no whole number becomes -1, which is refused. */
		st = sotto_buffer_append_text(&sql, ", CASE WHEN CAST(TRY_CAST(");
		if (st == SOTTO_OK)
			st = put_name(&sql, columns[i]);
		if (st == SOTTO_OK)
			st = sotto_buffer_append_text(&sql,
						      " AS BIGINT) AS DOUBLE) = TRY_CAST(");
		if (st == SOTTO_OK)
			st = put_name(&sql, columns[i]);
		if (st == SOTTO_OK)
			st = sotto_buffer_append_text(&sql, " AS DOUBLE) THEN TRY_CAST(");
		if (st == SOTTO_OK)
			st = put_name(&sql, columns[i]);
		if (st == SOTTO_OK)
			st = sotto_buffer_append_text(&sql, " AS BIGINT) ELSE -1 END");
	}
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(&sql, " FROM ");
	if (st == SOTTO_OK)
		st = put_file(&sql, p, file);
	if (st == SOTTO_OK)
		st = run(e, &sql, file, &result, err);
	for (size_t i = 0; st == SOTTO_OK && i < sotto_engine_rows(result); i++)
		st = take_row(&t, result, i, sotto_engine_column_count(result) - column_count,
			      err);
	sotto_engine_result_free(result);
	sotto_buffer_release(&sql);
	return st;
}

/* ---- Parquet ----------------------------------------------------------------------------------------------------- */

enum sotto_status sotto_census_convert_parquet(struct sotto_engine *e, const char *csv,
					       const char *parquet, struct sotto_error *err)
{
	struct sotto_buffer sql;
	enum sotto_status st;

	sotto_buffer_init(&sql, SQL_MAX);
	st = sotto_buffer_append_text(&sql, "COPY (SELECT * FROM read_csv(");
	if (st == SOTTO_OK)
		st = put_quoted(&sql, csv, '\'');
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(&sql, ", header=true)) TO ");
	if (st == SOTTO_OK)
		st = put_quoted(&sql, parquet, '\'');
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(&sql, " (FORMAT parquet)");
	if (st == SOTTO_OK && sotto_engine_execute(e, sotto_buffer_text(&sql)) != SOTTO_OK)
		st = sotto_fail(err, SOTTO_EIO, "%.200s could not be written", parquet);
	sotto_buffer_release(&sql);
	return st;
}
