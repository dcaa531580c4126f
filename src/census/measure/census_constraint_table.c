#include "census/measure/census_constraint_table.h"
#include "census/plan/census_query.h"

#include <stdlib.h>
#include <string.h>

#include "census/measure/census_sql.h"
#include "central/engine/engine.h"
#include "core/base/failure.h"

enum { PATH_BYTES_MAX = 1 << 20 };

struct table_reader {
	struct sotto_census_world *w;
	const struct sotto_census_table *table;
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
	if (t->table->level == 0)
		return SOTTO_OK;
	sotto_buffer_init(&path, PATH_BYTES_MAX);
	for (size_t l = 0; st == SOTTO_OK && l < t->table->level; l++) {
		struct sotto_engine_cell cell = sotto_engine_cell(r, row, l);

		st = sotto_buffer_appendf(&path, "%s%s", l ? "/" : "",
					  cell.kind == SOTTO_ENGINE_TEXT ? cell.text : "");
	}
	if (st == SOTTO_OK)
		*node = sotto_census_node_find(&t->w->shape, sotto_buffer_text(&path));
	if (st == SOTTO_OK && *node == SIZE_MAX)
		st = sotto_fail(err, SOTTO_EPARSE, "%.200s: there is no node %.200s",
				t->table->file, sotto_buffer_text(&path));
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

		if (!sotto_census_query_uses(&t->w->plan.queries[t->table->query], i))
			continue;
		cell = sotto_engine_cell(r, row, column++);
		category = cell.kind == SOTTO_ENGINE_TEXT
				   ? sotto_census_category_find(&p->attributes[i], cell.text)
				   : SIZE_MAX;
		if (category == SIZE_MAX)
			return sotto_fail(
				err, SOTTO_EPARSE,
				"%.200s: a value of %.100s is no category of the plan",
				t->table->file, p->attributes[i].column);
		categories[i] = (uint32_t)category;
	}
	*out = sotto_census_query_cell(p, &t->w->plan.queries[t->table->query], categories);
	return SOTTO_OK;
}

static enum sotto_status take_row(const struct table_reader *t,
				  const struct sotto_engine_result *r, size_t row,
				  struct sotto_error *err)
{
	const struct sotto_census_table *table = t->table;
	size_t values_at = sotto_engine_column_count(r) - table->column_count;
	int64_t values[SOTTO_CENSUS_COLUMNS_MAX] = {0};
	size_t node = 0, cell = 0;

	SOTTO_TRY(row_node(t, r, row, &node, err));
	SOTTO_TRY(row_cell(t, r, row, table->level ? table->level : 1, &cell, err));
	for (size_t i = 0; i < table->column_count; i++) {
		struct sotto_engine_cell value = sotto_engine_cell(r, row, values_at + i);

		if (value.kind != SOTTO_ENGINE_INTEGER || value.integer < 0)
			return sotto_fail(err, SOTTO_EINFEASIBLE,
					  "%.200s: a value is negative or not a whole number",
					  table->file);
		values[i] = value.integer;
	}
	return t->each(t->context, node, cell, values, err);
}

static void put_statement(struct sotto_census_sql *q, const struct sotto_census_plan *p,
			  const struct sotto_census_table *t)
{
	sotto_census_sql_put(q, "SELECT ");
	sotto_census_sql_levels(q, p, t->level);
	for (size_t i = 0; i < p->attribute_count; i++)
		if (sotto_census_query_uses(&p->queries[t->query], i)) {
			sotto_census_sql_put(q, ", CAST(");
			sotto_census_sql_name(q, p->attributes[i].column);
			sotto_census_sql_put(q, " AS VARCHAR)");
		}
	for (size_t i = 0; i < t->column_count; i++) {
		sotto_census_sql_put(q, ", ");
		sotto_census_sql_whole(q, t->columns[i]);
	}
	sotto_census_sql_put(q, " FROM ");
	sotto_census_sql_file(q, p, t->file);
}

enum sotto_status sotto_census_table_read(struct sotto_engine *e, struct sotto_census_world *w,
					  const struct sotto_census_table *table,
					  sotto_census_row_fn each, void *context,
					  struct sotto_error *err)
{
	struct table_reader t = {.w = w, .table = table, .each = each, .context = context};
	struct sotto_engine_result *result = NULL;
	struct sotto_census_sql q;
	enum sotto_status st;

	sotto_census_sql_init(&q);
	put_statement(&q, &w->plan, table);
	st = sotto_census_sql_run(e, &q, &w->plan, table->file, &result, err);
	for (size_t i = 0; st == SOTTO_OK && i < sotto_engine_rows(result); i++)
		st = take_row(&t, result, i, err);
	sotto_engine_result_free(result);
	sotto_census_sql_release(&q);
	return st;
}
