/*
 * Lets the engine add up the records of a range of leaves by leaf * cells + cell; a survey
 * before that tells how many ranges are needed to bound the memory.
 */
#include "census/measure/read/census_counts.h"

#include <stdlib.h>

#include "census/measure/read/census_leaves.h"
#include "census/measure/census_truth.h"
#include "central/engine/engine.h"
#include "core/base/failure.h"

/* Numbers above it could not be told apart by estimates, which are doubles. */
static const int64_t people_max = INT64_C(1) << 50;

enum { RECORDS_AT_ONCE = 1 << 21 };

static enum sotto_status refuse(struct sotto_error *err, const char *sentence)
{
	return sotto_fail(err, SOTTO_EMISSING, "input: %s", sentence);
}

/* ---- SQL ------------------------------------------------------------------------------------------ */

/* A record as the sum of its categories' numbers, each times what one step in it is worth. */
static void put_cell(struct sotto_census_sql *q, const struct sotto_census_world *w)
{
	uint32_t categories[SOTTO_CENSUS_ATTRIBUTES_MAX] = {0};

	sotto_census_sql_put(q, "0");
	for (size_t i = 0; i < w->plan.attribute_count; i++) {
		const struct sotto_census_attribute *a = &w->plan.attributes[i];

		categories[i] = a->n > 1;
		sotto_census_sql_put(q, " + %zu * ",
				     sotto_census_cell_of(&w->schema, categories));
		sotto_census_sql_category(q, a);
		categories[i] = 0;
	}
}

/* Where each record of the leaves first <= leaf < end is, how many it stands for. */
static void put_statement(struct sotto_census_sql *q, const struct sotto_census_world *w,
			  size_t first, size_t end)
{
	const struct sotto_census_plan *p = &w->plan;
	size_t depth = p->level_count - 1;

	sotto_census_sql_put(q,
			     "SELECT CAST(COALESCE(leaf * CAST(%zu AS BIGINT) + cell, -1) "
			     "AS HUGEINT) AS place, CAST(SUM(n) AS HUGEINT), "
			     "CAST(COUNT(*) AS HUGEINT) FROM (SELECT ",
			     w->schema.cells);
	sotto_census_sql_levels(q, p, depth);
	sotto_census_sql_put(q, ", CAST(");
	put_cell(q, w);
	sotto_census_sql_put(q, " AS BIGINT) AS cell, ");
	if (p->counts)
		sotto_census_sql_whole(q, p->count_column);
	else
		sotto_census_sql_put(q, "1");
	sotto_census_sql_put(q, depth ? " AS n FROM " : " AS n, 0 AS leaf FROM ");
	sotto_census_sql_input(q, w);
	sotto_census_sql_put(q, ") AS records");
	if (depth)
		sotto_census_leaves_join(q, p, depth, first, end, false);
	sotto_census_sql_put(q, " GROUP BY ALL ORDER BY place");
}

/* ---- taking counts ------------------------------------------------------------------------------------ */

struct taking {
	struct sotto_census_world *w;
	int64_t people; /* so far */
	int64_t records;
};

/* One row: its place, the sum of the counts, how many records they are. */
static enum sotto_status take_row(struct taking *t, const struct sotto_engine_result *r,
				  size_t row, struct sotto_error *err)
{
	int64_t place = sotto_engine_exact(r, row, 0).secret;
	struct sotto_exact count = sotto_engine_exact(r, row, 1);
	size_t cells = t->w->schema.cells;
	struct sotto_census_entry entry = {.count = count};

	if (place < 0)
		return refuse(err, "a record has a category that the plan does not list; "
				   "complete the categories or correct the record");
	entry.leaf = (uint32_t)((size_t)place / cells);
	entry.cell = (uint32_t)((size_t)place % cells);
	if (t->w->schema.zero[entry.cell] && count.secret != 0)
		return refuse(err, "a record is in a cell that structural_zeros excludes");
	if (count.secret > people_max - t->people)
		return refuse(err, "the counts add up to more than 2^50");
	t->people += count.secret;
	t->records += sotto_engine_exact(r, row, 2).secret;
	return sotto_census_truth_add(t->w->truth, &entry);
}

static enum sotto_status read_part(struct sotto_engine *e, struct taking *t, size_t first,
				   size_t end, struct sotto_error *err)
{
	const struct sotto_census_plan *p = &t->w->plan;
	struct sotto_engine_result *r = NULL;
	struct sotto_census_sql q;
	enum sotto_status st;

	sotto_census_sql_init(&q);
	put_statement(&q, t->w, first, end);
	st = sotto_census_sql_run(e, &q, p, sotto_census_input(p), &r, err);
	for (size_t i = 0; st == SOTTO_OK && i < sotto_engine_rows(r); i++)
		st = take_row(t, r, i, err);
	sotto_engine_result_free(r);
	sotto_census_sql_release(&q);
	return st;
}

/* How many records there are; that all counts are whole and none is negative. */
static enum sotto_status survey(struct sotto_engine *e, const struct sotto_census_world *w,
				int64_t *records, struct sotto_error *err)
{
	const struct sotto_census_plan *p = &w->plan;
	struct sotto_engine_result *r = NULL;
	struct sotto_census_sql q;
	enum sotto_status st;

	sotto_census_sql_init(&q);
	sotto_census_sql_put(&q, "SELECT CAST(COUNT(*) AS HUGEINT), CAST(COUNT(*) FILTER (");
	if (p->counts) {
		sotto_census_sql_whole(&q, p->count_column);
		sotto_census_sql_put(&q, " < 0) AS HUGEINT) FROM ");
	} else {
		sotto_census_sql_put(&q, "false) AS HUGEINT) FROM ");
	}
	sotto_census_sql_input(&q, w);
	st = sotto_census_sql_run(e, &q, p, sotto_census_input(p), &r, err);
	if (st == SOTTO_OK && sotto_engine_exact(r, 0, 1).secret > 0)
		st = refuse(err, "a count is negative or not a whole number");
	if (st == SOTTO_OK)
		*records = sotto_engine_exact(r, 0, 0).secret;
	sotto_engine_result_free(r);
	sotto_census_sql_release(&q);
	return st;
}

/*
 * Parts of the leaves: at least two, so that small inputs take the way of large ones, and one for
 * each RECORDS_AT_ONCE records.
 */
static enum sotto_status
read_parts(struct sotto_engine *e, struct taking *t, int64_t records, struct sotto_error *err)
{
	size_t leaves = sotto_census_leaf_count(&t->w->shape);
	size_t parts = 2 + (size_t)records / RECORDS_AT_ONCE;

	if (parts > leaves)
		parts = leaves;
	for (size_t i = 0; i < parts; i++) {
		SOTTO_TRY(read_part(e, t, i * leaves / parts, (i + 1) * leaves / parts, err));
		if (t->w->reading.fn)
			t->w->reading.fn(t->w->reading.context, i + 1, parts);
	}
	if (t->records != records)
		return refuse(err, "a record is in no node of the list; complete the list "
				   "of nodes or correct the record");
	return SOTTO_OK;
}

enum sotto_status sotto_census_read_counts(struct sotto_engine *e, struct sotto_census_world *w,
					   struct sotto_error *err)
{
	struct taking t = {.w = w};
	int64_t records;

	SOTTO_TRY(survey(e, w, &records, err));
	w->truth = calloc(1, sizeof *w->truth);
	if (!w->truth)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_census_truth_begin(w->truth, sotto_census_leaf_count(&w->shape)));
	SOTTO_TRY(read_parts(e, &t, records, err));
	sotto_census_truth_end(w->truth);
	return SOTTO_OK;
}

/* True if no unit has more than one record: values all differ, none missing, counts at most 1. */
enum sotto_status sotto_census_verify_unit(struct sotto_engine *e, struct sotto_census_world *w,
					   struct sotto_error *err)
{
	const struct sotto_census_plan *p = &w->plan;
	struct sotto_engine_result *result = NULL;
	struct sotto_census_sql q;
	enum sotto_status st;

	if (!w->source.has_policy || (!w->source.unit && !p->counts))
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
