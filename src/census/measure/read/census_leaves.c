/*
 * Sorts the labels in the engine, in ranges of the first label so that memory stays bounded,
 * numbers them in that order and hands them to the builder of the shape.
 */
#include "census/measure/read/census_leaves.h"

#include <string.h>

#include "census/plan/shape/census_shape_build.h"
#include "central/engine/engine.h"
#include "core/base/failure.h"

enum { AT_ONCE = 1 << 14, SORTED_AT_ONCE = 1 << 20 }; /* leaves of one answer; rows */

/* ---- the engine's table -------------------------------------------------------------------------- */

static enum sotto_status
refuse_label(const struct sotto_census_plan *p, size_t level, struct sotto_error *err)
{
	return sotto_fail(err, SOTTO_EPARSE,
			  "nodes: a value of %.100s is missing or holds a slash",
			  p->levels[level].column);
}

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

static void put_list(struct sotto_census_sql *q, const struct sotto_census_world *w)
{
	if (w->plan.nodes_from_data)
		sotto_census_sql_input(q, w);
	else
		sotto_census_sql_file(q, &w->plan, w->plan.nodes);
}

/* Adds the leaves whose first label is in [first, last], in order. */
static enum sotto_status add_leaves(struct sotto_engine *e, const struct sotto_census_world *w,
				    const char *file, const char *first, const char *last,
				    struct sotto_error *err)
{
	struct sotto_census_sql q;
	enum sotto_status st;

	sotto_census_sql_init(&q);
	sotto_census_sql_put(
		&q, "INSERT INTO sotto_leaves SELECT row_number() OVER () - 1 + "
		    "(SELECT COUNT(*) FROM sotto_leaves), * FROM (SELECT DISTINCT * FROM "
		    "(SELECT ");
	sotto_census_sql_levels(&q, &w->plan, w->plan.level_count - 1);
	sotto_census_sql_put(&q, " FROM ");
	put_list(&q, w);
	sotto_census_sql_put(&q, ") WHERE l1 >= ");
	sotto_census_sql_literal(&q, first);
	sotto_census_sql_put(&q, " AND l1 <= ");
	sotto_census_sql_literal(&q, last);
	sotto_census_sql_put(&q, " ORDER BY ALL)");
	st = execute(e, &q, &w->plan, file, err);
	sotto_census_sql_release(&q);
	return st;
}

/*
 * The first labels and how many rows have each, in order.  A label that is missing comes first:
 * the list is refused for it.
 */
static enum sotto_status count_first(struct sotto_engine *e, const struct sotto_census_world *w,
				     const char *file, struct sotto_engine_result **out,
				     struct sotto_error *err)
{
	struct sotto_census_sql q;
	enum sotto_status st;

	sotto_census_sql_init(&q);
	sotto_census_sql_put(&q, "SELECT l1, COUNT(*) FROM (SELECT ");
	sotto_census_sql_levels(&q, &w->plan, 1);
	sotto_census_sql_put(&q, " FROM ");
	put_list(&q, w);
	sotto_census_sql_put(&q, ") GROUP BY l1 ORDER BY l1 NULLS FIRST");
	st = sotto_census_sql_run(e, &q, &w->plan, file, out, err);
	sotto_census_sql_release(&q);
	return st;
}

/* Sorting takes several times the memory of what is sorted: so many rows at a time. */
static enum sotto_status add_all(struct sotto_engine *e, const struct sotto_census_world *w,
				 const char *file, const struct sotto_engine_result *firsts,
				 struct sotto_error *err)
{
	size_t n = sotto_engine_rows(firsts), begin = 0;
	int64_t rows = 0;

	for (size_t i = 0; i < n; i++) {
		rows += sotto_engine_cell(firsts, i, 1).integer;
		if (sotto_engine_cell(firsts, i, 0).kind != SOTTO_ENGINE_TEXT)
			return refuse_label(&w->plan, 1, err);
		if (rows < SORTED_AT_ONCE && i + 1 < n)
			continue;
		SOTTO_TRY(add_leaves(e, w, file, sotto_engine_cell(firsts, begin, 0).text,
				     sotto_engine_cell(firsts, i, 0).text, err));
		begin = i + 1;
		rows = 0;
	}
	return SOTTO_OK;
}

static enum sotto_status make_table(struct sotto_engine *e, const struct sotto_census_world *w,
				    const char *file, struct sotto_error *err)
{
	struct sotto_engine_result *firsts = NULL;
	struct sotto_census_sql q;
	enum sotto_status st;

	sotto_census_sql_init(&q);
	sotto_census_sql_put(&q, "CREATE TEMP TABLE sotto_leaves (leaf BIGINT");
	for (size_t l = 1; l < w->plan.level_count; l++)
		sotto_census_sql_put(&q, ", l%zu VARCHAR", l);
	sotto_census_sql_put(&q, ")");
	st = execute(e, &q, &w->plan, file, err);
	sotto_census_sql_release(&q);
	if (st == SOTTO_OK)
		st = count_first(e, w, file, &firsts, err);
	if (st == SOTTO_OK)
		st = add_all(e, w, file, firsts, err);
	sotto_engine_result_free(firsts);
	return st;
}

void sotto_census_leaves_join(struct sotto_census_sql *q, const struct sotto_census_plan *p,
			      size_t level, size_t first, size_t end, bool outer)
{
	bool is_leaf = level + 1 == p->level_count; /* then each node is there once */

	sotto_census_sql_put(q, outer ? " LEFT JOIN (SELECT " : " JOIN (SELECT ");
	for (size_t l = 1; l <= level; l++)
		sotto_census_sql_put(q, "l%zu, ", l);
	sotto_census_sql_put(q,
			     "%s AS leaf FROM sotto_leaves WHERE leaf >= %zu AND leaf < "
			     "%zu%s) AS nodes USING (",
			     is_leaf ? "leaf" : "MIN(leaf)", first, end,
			     is_leaf ? "" : " GROUP BY ALL");
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
			return refuse_label(p, d + 1, err);
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
