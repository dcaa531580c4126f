#include "census/measure/census_tables.h"
#include "census/plan/census_query.h"

#include <stdlib.h>
#include <string.h>

#include "census/measure/census_sql.h"
#include "census/measure/census_truth.h"
#include "central/engine/engine.h"
#include "core/base/failure.h"

/* Numbers above it could not be told apart by estimates, which are doubles. */
static const int64_t people_max = INT64_C(1) << 50;

enum sotto_status
sotto_census_tables_open(uint64_t memory, struct sotto_engine **out, struct sotto_error *err)
{
	const struct sotto_engine_limits limits = {.memory = memory};

	return sotto_engine_open_within(&limits, out, err);
}

void sotto_census_tables_close(struct sotto_engine *e)
{
	sotto_engine_close(e);
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
	const char *file = p->nodes_from_data ? sotto_census_input(p) : p->nodes;
	struct sotto_engine_result *result = NULL;
	struct sotto_census_sql q;
	enum sotto_status st;

	sotto_census_sql_init(&q);
	sotto_census_sql_put(&q, "SELECT DISTINCT ");
	sotto_census_sql_levels(&q, p, p->level_count - 1);
	sotto_census_sql_put(&q, " FROM ");
	if (p->nodes_from_data)
		sotto_census_sql_input(&q, w);
	else
		sotto_census_sql_file(&q, p, file);
	sotto_census_sql_put(&q, " ORDER BY ALL");
	st = sotto_census_sql_run(e, &q, p, file, &result, err);
	if (st == SOTTO_OK)
		st = take_leaves(w, result, err);
	sotto_engine_result_free(result);
	sotto_census_sql_release(&q);
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

static enum sotto_status refuse(struct sotto_error *err, const char *sentence)
{
	return sotto_fail(err, SOTTO_EMISSING, "input: %s", sentence);
}

/* One row: node, categories, sum of the counts, the least of them. */
static enum sotto_status
take_count(const struct sotto_census_world *w, const struct sotto_engine_result *r, size_t row,
	   size_t *leaf, struct sotto_census_entry *out, struct sotto_error *err)
{
	size_t depth = w->plan.level_count - 1, attributes = depth ? depth : 1;
	size_t count = attributes + w->plan.attribute_count;

	if (depth > 0 && !next_leaf(w, r, row, leaf))
		return refuse(err, "a record lies in no node of the list; complete the list "
				   "of nodes or correct the record");
	out->leaf = (uint32_t)*leaf;
	out->count = sotto_engine_exact(r, row, count);
	if (!cell_of_row(w, r, row, attributes, &out->cell))
		return refuse(err, "a record has a category that the plan does not list; "
				   "complete the categories or correct the record");
	if (w->schema.zero[out->cell] && out->count.secret != 0)
		return refuse(err, "a record is in a cell that structural_zeros excludes");
	if (sotto_engine_exact(r, row, count + 1).secret < 0)
		return refuse(err, "a count is negative or not a whole number");
	return SOTTO_OK;
}

static enum sotto_status take_counts(struct sotto_census_world *w,
				     const struct sotto_engine_result *r,
				     struct sotto_error *err)
{
	size_t n = sotto_engine_rows(r), leaf = 0;
	struct sotto_census_entry *entries = malloc((n + 1) * sizeof *entries);
	enum sotto_status st = entries ? SOTTO_OK : SOTTO_ENOMEM;
	int64_t people = 0;

	for (size_t i = 0; st == SOTTO_OK && i < n; i++) {
		st = take_count(w, r, i, &leaf, &entries[i], err);
		if (st == SOTTO_OK && entries[i].count.secret > people_max - people)
			st = refuse(err, "the counts add up to more than 2^50");
		else if (st == SOTTO_OK)
			people += entries[i].count.secret;
	}
	if (st == SOTTO_OK) {
		w->truth = calloc(1, sizeof *w->truth);
		st = w->truth ? sotto_census_truth_init(w->truth,
							sotto_census_leaf_count(&w->shape),
							entries, n)
			      : SOTTO_ENOMEM;
	}
	free(entries);
	return st;
}

static void put_count(struct sotto_census_sql *q, const struct sotto_census_plan *p)
{
	if (!p->counts) {
		sotto_census_sql_put(q, ", CAST(COUNT(*) AS HUGEINT), CAST(0 AS HUGEINT)");
		return;
	}
	sotto_census_sql_put(q, ", CAST(SUM(");
	sotto_census_sql_whole(q, p->count_column);
	sotto_census_sql_put(q, ") AS HUGEINT), CAST(MIN(");
	sotto_census_sql_whole(q, p->count_column);
	sotto_census_sql_put(q, ") AS HUGEINT)");
}

enum sotto_status sotto_census_read_counts(struct sotto_engine *e, struct sotto_census_world *w,
					   struct sotto_error *err)
{
	const struct sotto_census_plan *p = &w->plan;
	struct sotto_engine_result *result = NULL;
	struct sotto_census_sql q;
	enum sotto_status st;

	sotto_census_sql_init(&q);
	sotto_census_sql_put(&q, "SELECT ");
	sotto_census_sql_levels(&q, p, p->level_count - 1);
	for (size_t i = 0; i < p->attribute_count; i++) {
		sotto_census_sql_put(&q, ", CAST(");
		sotto_census_sql_name(&q, p->attributes[i].column);
		sotto_census_sql_put(&q, " AS VARCHAR) AS a%zu", i);
	}
	put_count(&q, p);
	sotto_census_sql_put(&q, " FROM ");
	sotto_census_sql_input(&q, w);
	sotto_census_sql_put(&q, " GROUP BY ALL ORDER BY ALL");
	st = sotto_census_sql_run(e, &q, p, sotto_census_input(p), &result, err);
	if (st == SOTTO_OK)
		st = take_counts(w, result, err);
	sotto_engine_result_free(result);
	sotto_census_sql_release(&q);
	return st;
}

/* True if no unit has more than one record: values all differ, none missing, counts at most 1. */
enum sotto_status sotto_census_verify_unit(struct sotto_engine *e, struct sotto_census_world *w,
					   struct sotto_error *err)
{
	const struct sotto_census_plan *p = &w->plan;
	struct sotto_engine_result *result = NULL;
	struct sotto_census_sql q;
	enum sotto_status st;

	if (w->source.path_count == 0 || (!w->source.unit && !p->counts))
		return SOTTO_OK;
	sotto_census_sql_init(&q);
	sotto_census_sql_put(&q, "SELECT CAST(COUNT(*) - ");
	if (w->source.unit) {
		sotto_census_sql_put(&q, "COUNT(DISTINCT ");
		sotto_census_sql_name(&q, w->source.unit);
	} else {
		sotto_census_sql_put(&q, "COUNT(*");
	}
	sotto_census_sql_put(&q, ") AS HUGEINT), CAST(COUNT(*) FILTER (WHERE ");
	if (p->counts) {
		sotto_census_sql_whole(&q, p->count_column);
		sotto_census_sql_put(&q, " > 1) AS HUGEINT) FROM ");
	} else {
		sotto_census_sql_put(&q, "false) AS HUGEINT) FROM ");
	}
	sotto_census_sql_input(&q, w);
	st = sotto_census_sql_run(e, &q, p, sotto_census_input(p), &result, err);
	if (st == SOTTO_OK && (sotto_engine_exact(result, 0, 0).secret != 0 ||
			       sotto_engine_exact(result, 0, 1).secret != 0))
		st = sotto_census_source_refuse(p, err);
	sotto_engine_result_free(result);
	sotto_census_sql_release(&q);
	return st;
}

/* ---- Parquet ----------------------------------------------------------------------------------------------------- */

/* Labels stay texts: 01 is not 1. */
enum sotto_status sotto_census_convert_parquet(struct sotto_engine *e, const char *csv,
					       const char *parquet, size_t numbers,
					       struct sotto_error *err)
{
	static const char *const names[] = {"value", "estimate", "sd", "lo", "hi"};
	struct sotto_census_sql q;
	enum sotto_status st;

	sotto_census_sql_init(&q);
	sotto_census_sql_put(&q, "COPY (SELECT *");
	for (size_t i = 0; i < numbers && i < 5; i++) {
		sotto_census_sql_put(&q, i ? ", CAST(" : " REPLACE (CAST(");
		sotto_census_sql_name(&q, names[i]);
		sotto_census_sql_put(&q, i ? " AS DOUBLE) AS " : " AS BIGINT) AS ");
		sotto_census_sql_name(&q, names[i]);
	}
	sotto_census_sql_put(&q, numbers ? ") FROM read_csv(" : " FROM read_csv(");
	sotto_census_sql_literal(&q, csv);
	sotto_census_sql_put(&q, ", header=true, all_varchar=true, delim=',', quote='\"', "
				 "escape='\"')) TO ");
	sotto_census_sql_literal(&q, parquet);
	sotto_census_sql_put(&q, " (FORMAT parquet)");
	st = q.status;
	if (st == SOTTO_OK && sotto_engine_execute(e, sotto_buffer_text(&q.text)) != SOTTO_OK)
		st = sotto_fail(err, SOTTO_EIO, "%.200s could not be written", parquet);
	sotto_census_sql_release(&q);
	return st;
}
