/*
 * Lets the engine translate labels into numbers and fetches the rows in parts, in the order of
 * the tree, so that which flaw is reported first does not depend on its threads.
 */
#include "census/measure/read/census_constraint_table.h"

#include "census/measure/read/census_leaves.h"
#include "census/plan/census_query.h"
#include "central/engine/engine.h"
#include "core/base/failure.h"

enum { AT_ONCE = 1 << 14 }; /* rows of one answer */

struct table_reader {
	struct sotto_engine *engine;
	struct sotto_census_world *w;
	const struct sotto_census_table *table;
	sotto_census_row_fn each;
	void *context;
};

/* ---- the table in the engine ---------------------------------------------------------------------- */

/* The rows of the file: labels, numbers of the categories, values. */
static void put_rows(struct sotto_census_sql *q, const struct table_reader *t)
{
	const struct sotto_census_plan *p = &t->w->plan;

	sotto_census_sql_put(q, "(SELECT ");
	sotto_census_sql_levels(q, p, t->table->level);
	for (size_t i = 0; i < p->attribute_count; i++)
		if (sotto_census_query_uses(&p->queries[t->table->query], i)) {
			sotto_census_sql_put(q, ", ");
			sotto_census_sql_category(q, &p->attributes[i]);
			sotto_census_sql_put(q, " AS c%zu", i);
		}
	for (size_t i = 0; i < t->table->column_count; i++) {
		sotto_census_sql_put(q, ", ");
		sotto_census_sql_whole(q, t->table->columns[i]);
		sotto_census_sql_put(q, " AS v%zu", i);
	}
	sotto_census_sql_put(q, " FROM ");
	sotto_census_sql_file(q, p, t->table->file);
	sotto_census_sql_put(q, ") AS rows");
}

static void put_node(struct sotto_census_sql *q, const struct table_reader *t)
{
	if (t->table->level > 0)
		sotto_census_leaves_join(q, &t->w->plan, t->table->level, 0,
					 sotto_census_leaf_count(&t->w->shape), true);
}

static enum sotto_status run(const struct table_reader *t, struct sotto_census_sql *q,
			     struct sotto_engine_result **out, struct sotto_error *err)
{
	enum sotto_status st =
		sotto_census_sql_run(t->engine, q, &t->w->plan, t->table->file, out, err);

	sotto_census_sql_release(q);
	return st;
}

/* As a table of numbers, so that it can be read part by part. */
static enum sotto_status make_table(const struct table_reader *t, struct sotto_error *err)
{
	const struct sotto_census_plan *p = &t->w->plan;
	struct sotto_engine_result *none = NULL;
	struct sotto_census_sql q;

	sotto_census_sql_init(&q);
	sotto_census_sql_put(&q, "CREATE OR REPLACE TEMP TABLE sotto_constraint AS SELECT "
				 "row_number() OVER () - 1 AS row");
	sotto_census_sql_put(&q, t->table->level ? ", leaf" : ", CAST(0 AS BIGINT) AS leaf");
	for (size_t i = 0; i < p->attribute_count; i++)
		if (sotto_census_query_uses(&p->queries[t->table->query], i))
			sotto_census_sql_put(&q, ", c%zu", i);
	for (size_t i = 0; i < t->table->column_count; i++)
		sotto_census_sql_put(&q, ", v%zu", i);
	sotto_census_sql_put(&q, " FROM ");
	put_rows(&q, t);
	put_node(&q, t);
	SOTTO_TRY(run(t, &q, &none, err));
	sotto_engine_result_free(none);
	return SOTTO_OK;
}

/* Names the node of a row that the list of nodes does not have. */
static enum sotto_status refuse_node(const struct table_reader *t, struct sotto_error *err)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_census_sql q;
	const char *path = "";
	enum sotto_status st;

	sotto_census_sql_init(&q);
	sotto_census_sql_put(&q, "SELECT concat_ws('/'");
	for (size_t l = 1; l <= t->table->level; l++)
		sotto_census_sql_put(&q, ", l%zu", l);
	sotto_census_sql_put(&q, ") FROM ");
	put_rows(&q, t);
	put_node(&q, t);
	sotto_census_sql_put(&q, " WHERE leaf IS NULL ORDER BY 1 LIMIT 1");
	SOTTO_TRY(run(t, &q, &r, err));
	if (sotto_engine_rows(r) > 0 && sotto_engine_cell(r, 0, 0).kind == SOTTO_ENGINE_TEXT)
		path = sotto_engine_cell(r, 0, 0).text;
	st = sotto_fail(err, SOTTO_EPARSE, "%.200s: there is no node %.200s", t->table->file,
			path);
	sotto_engine_result_free(r);
	return st;
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

/* The node of the table's level above a leaf. */
static size_t node_of(const struct table_reader *t, int64_t leaf)
{
	const struct sotto_census_shape *s = &t->w->shape;
	size_t node = s->start[s->level_count - 1] + (size_t)leaf;

	while (s->plan_level[sotto_census_level_of(s, node)] != t->table->level)
		node = s->parent[node];
	return node;
}

/* A grouped attribute is named by any category of the group. */
static enum sotto_status row_cell(const struct table_reader *t,
				  const struct sotto_engine_result *r, size_t row,
				  size_t *column, size_t *out, struct sotto_error *err)
{
	const struct sotto_census_plan *p = &t->w->plan;
	const struct sotto_census_query *query = &p->queries[t->table->query];
	uint32_t categories[SOTTO_CENSUS_ATTRIBUTES_MAX] = {0};

	for (size_t i = 0; i < p->attribute_count; i++) {
		struct sotto_engine_cell cell;

		if (!sotto_census_query_uses(query, i))
			continue;
		cell = sotto_engine_cell(r, row, (*column)++);
		if (cell.kind != SOTTO_ENGINE_INTEGER)
			return sotto_fail(
				err, SOTTO_EPARSE,
				"%.200s: a value of %.100s is not a category of the plan",
				t->table->file, p->attributes[i].column);
		categories[i] = (uint32_t)cell.integer;
	}
	*out = sotto_census_query_cell(p, query, categories);
	return SOTTO_OK;
}

static enum sotto_status
refuse_value(const struct table_reader *t, size_t node, struct sotto_error *err)
{
	char *path = sotto_census_node_path(&t->w->shape, node);
	enum sotto_status st = sotto_fail(
		err, SOTTO_EINFEASIBLE,
		"%.200s: %.200s: a value is negative, not a whole number or beyond 2^63",
		t->table->file, path ? path : "");

	free(path);
	return st;
}

static enum sotto_status take_row(const struct table_reader *t,
				  const struct sotto_engine_result *r, size_t row,
				  struct sotto_error *err)
{
	struct sotto_engine_cell leaf = sotto_engine_cell(r, row, 0);
	int64_t values[SOTTO_CENSUS_COLUMNS_MAX] = {0};
	size_t cell = 0, column = 1;

	if (leaf.kind != SOTTO_ENGINE_INTEGER)
		return refuse_node(t, err);
	SOTTO_TRY(row_cell(t, r, row, &column, &cell, err));
	for (size_t i = 0; i < t->table->column_count; i++) {
		struct sotto_engine_cell value = sotto_engine_cell(r, row, column++);

		if (value.kind != SOTTO_ENGINE_INTEGER || value.integer < 0)
			return refuse_value(t, node_of(t, leaf.integer), err);
		values[i] = value.integer < sotto_census_unlimited ? value.integer
								   : sotto_census_unlimited;
	}
	return t->each(t->context, node_of(t, leaf.integer), cell, values, err);
}

/* In the order of the tree: what is refused first does not depend on the engine's threads. */
static enum sotto_status
take_part(const struct table_reader *t, size_t first, size_t *rows, struct sotto_error *err)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_census_sql q;
	enum sotto_status st = SOTTO_OK;

	sotto_census_sql_init(&q);
	sotto_census_sql_put(&q,
			     "SELECT * EXCLUDE (row) FROM sotto_constraint WHERE row >= "
			     "%zu AND row < %zu ORDER BY ALL",
			     first, first + AT_ONCE);
	SOTTO_TRY(run(t, &q, &r, err));
	*rows = sotto_engine_rows(r);
	for (size_t i = 0; st == SOTTO_OK && i < *rows; i++)
		st = take_row(t, r, i, err);
	sotto_engine_result_free(r);
	return st;
}

enum sotto_status sotto_census_table_read(struct sotto_engine *e, struct sotto_census_world *w,
					  const struct sotto_census_table *table,
					  sotto_census_row_fn each, void *context,
					  struct sotto_error *err)
{
	const struct table_reader t = {
		.engine = e, .w = w, .table = table, .each = each, .context = context};
	size_t rows = AT_ONCE;

	SOTTO_TRY(make_table(&t, err));
	for (size_t first = 0; rows == AT_ONCE; first += rows)
		SOTTO_TRY(take_part(&t, first, &rows, err));
	return sotto_engine_execute(e, "DROP TABLE sotto_constraint");
}
