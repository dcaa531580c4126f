#include "census/measure/census_leaves.h"

#include <string.h>

#include "census/plan/census_shape_build.h"
#include "central/engine/engine.h"
#include "core/base/failure.h"

enum { AT_ONCE = 1 << 14 }; /* leaves of one answer */

/* ---- the engine's table -------------------------------------------------------------------------- */

/* Runs a statement that gives no rows; `file` is named if it fails. */
static enum sotto_status execute(struct sotto_engine *e, const struct sotto_census_sql *q,
				 const struct sotto_census_plan *p, const char *file,
				 struct sotto_error *err)
{
	struct sotto_engine_result *result = NULL;
	enum sotto_status st = sotto_census_sql_run(e, q, p, file, &result, err);

	sotto_engine_result_free(result);
	return st;
}

static enum sotto_status make_table(struct sotto_engine *e, const struct sotto_census_world *w,
				    const char *file, struct sotto_error *err)
{
	const struct sotto_census_plan *p = &w->plan;
	struct sotto_census_sql q;
	enum sotto_status st;

	sotto_census_sql_init(&q);
	sotto_census_sql_put(&q, "CREATE TEMP TABLE sotto_leaves AS SELECT "
				 "row_number() OVER () - 1 AS leaf, * FROM (SELECT DISTINCT ");
	sotto_census_sql_levels(&q, p, p->level_count - 1);
	sotto_census_sql_put(&q, " FROM ");
	if (p->nodes_from_data)
		sotto_census_sql_input(&q, w);
	else
		sotto_census_sql_file(&q, p, file);
	sotto_census_sql_put(&q, " ORDER BY ALL)");
	st = execute(e, &q, p, file, err);
	sotto_census_sql_release(&q);
	return st;
}

void sotto_census_leaves_join(struct sotto_census_sql *q, size_t level, size_t first,
			      size_t end, bool outer)
{
	sotto_census_sql_put(q, outer ? " LEFT JOIN (SELECT " : " JOIN (SELECT ");
	for (size_t l = 1; l <= level; l++)
		sotto_census_sql_put(q, "l%zu, ", l);
	sotto_census_sql_put(q,
			     "MIN(leaf) AS leaf FROM sotto_leaves WHERE leaf >= %zu AND leaf "
			     "< %zu GROUP BY ALL) AS nodes USING (",
			     first, end);
	for (size_t l = 1; l <= level; l++)
		sotto_census_sql_put(q, l > 1 ? ", l%zu" : "l%zu", l);
	sotto_census_sql_put(q, ")");
}

/* ---- the shape -------------------------------------------------------------------------------------- */

static enum sotto_status
take_leaf(const struct sotto_census_plan *p, struct sotto_census_shape_builder *b,
	  const struct sotto_engine_result *r, size_t row, struct sotto_error *err)
{
	const char *labels[SOTTO_CENSUS_LEVELS_MAX];

	for (size_t d = 0; d < b->depth; d++) {
		struct sotto_engine_cell cell = sotto_engine_cell(r, row, d);

		if (cell.kind != SOTTO_ENGINE_TEXT || !*cell.text || strchr(cell.text, '/'))
			return sotto_fail(
				err, SOTTO_EPARSE,
				"nodes: a value of %.100s is missing or holds a slash",
				p->levels[d + 1].column);
		labels[d] = cell.text;
	}
	return sotto_census_shape_builder_add(b, labels);
}

static enum sotto_status take_leaves(struct sotto_engine *e, const struct sotto_census_world *w,
				     struct sotto_census_shape_builder *b, const char *file,
				     struct sotto_error *err)
{
	struct sotto_engine_result *r = NULL;
	enum sotto_status st = SOTTO_OK;
	size_t rows = AT_ONCE;

	for (size_t first = 0; st == SOTTO_OK && rows == AT_ONCE; first += rows) {
		struct sotto_census_sql q;

		sotto_census_sql_init(&q);
		sotto_census_sql_put(&q,
				     "SELECT * EXCLUDE (leaf) FROM sotto_leaves WHERE leaf "
				     ">= %zu AND leaf < %zu ORDER BY leaf",
				     first, first + AT_ONCE);
		st = sotto_census_sql_run(e, &q, &w->plan, file, &r, err);
		rows = st == SOTTO_OK ? sotto_engine_rows(r) : 0;
		for (size_t i = 0; st == SOTTO_OK && i < rows; i++)
			st = take_leaf(&w->plan, b, r, i, err);
		sotto_engine_result_free(r);
		r = NULL;
		sotto_census_sql_release(&q);
	}
	return st;
}

enum sotto_status sotto_census_read_leaves(struct sotto_engine *e, struct sotto_census_world *w,
					   struct sotto_error *err)
{
	const struct sotto_census_plan *p = &w->plan;
	const char *file = p->nodes_from_data ? sotto_census_input(p) : p->nodes;
	struct sotto_census_shape_builder b;
	enum sotto_status st =
		sotto_census_shape_builder_init(&b, p->level_count - 1, &w->texts);

	if (st == SOTTO_OK && b.depth > 0)
		st = make_table(e, w, file, err);
	if (st == SOTTO_OK && b.depth > 0)
		st = take_leaves(e, w, &b, file, err);
	if (st == SOTTO_OK) {
		st = sotto_census_shape_builder_finish(&b, w->schema.groups, &w->shape, err);
		w->has_shape = true;
	}
	sotto_census_shape_builder_release(&b);
	return st;
}
