/*
 * A public table may be read while a question is planned, so nobody has to declare bounds for
 * it.  They are the question's from then on: a value that the table gets afterwards counts as
 * the nearest of them.
 */
#include "central/expression/range/public_range.h"

#include "central/emit/emit.h"
#include "central/plan/planner.h"
#include "core/base/failure.h"

static const int64_t none = 100000000000000000; /* of LEAST_WHOLE and GREATEST_WHOLE */

static bool is_open_column(const struct sotto_binder *b, const struct sotto_bound *x)
{
	return b->planner && b->planner->count && sotto_bound_is_column(x) &&
	       x->column_count == 1 && x->columns[0]->rows && x->columns[0]->bound.domain &&
	       (x->type == SOTTO_TYPE_INTEGER || x->type == SOTTO_TYPE_NUMBER) &&
	       !x->range.lo && !x->range.hi && !x->noisy;
}

/* One end of the values, rounded outwards; none: there is no such number. */
static enum sotto_status look_up(struct sotto_binder *b, const struct sotto_domain *d,
				 enum sotto_operation_name end, int64_t *out)
{
	const struct sotto_rowset *query = sotto_rowset_one(
		b->arena,
		SOTTO_APPLY(b->arena, end, sotto_expression_column(b->arena, "v", "k")), NULL,
		sotto_rowset_named(b->arena, d->rows, "v"));
	struct sotto_emitted sql;
	enum sotto_status st;

	*out = none;
	SOTTO_NEED(query);
	SOTTO_TRY(sotto_emit(b->arena, query, &sql));
	if (sql.reads_private || sql.reads_parts)
		return SOTTO_OK;
	st = b->planner->count(b->planner->count_context, sql.sql, out, b->err);
	return st == SOTTO_ERANGE ? SOTTO_OK : st;
}

/* So that another place that reads the column need not look it up. */
static void keep(const struct sotto_binder *b, const struct sotto_bound *x)
{
	for (size_t i = 0; i < b->scope->count; i++)
		if (b->scope->columns[i] == x->columns[0])
			b->scope->columns[i]->bound.range = x->range;
}

enum sotto_status sotto_public_range(struct sotto_binder *b, struct sotto_bound *x)
{
	const struct sotto_domain *d;
	int64_t lo, hi;

	if (!is_open_column(b, x))
		return SOTTO_OK;
	d = x->columns[0]->bound.domain;
	SOTTO_TRY(look_up(b, d, SOTTO_OP_GREATEST_WHOLE, &hi)); /* tells of every odd value */
	if (hi == none)
		return SOTTO_OK;
	SOTTO_TRY(look_up(b, d, SOTTO_OP_LEAST_WHOLE, &lo));
	if (lo == none)
		return SOTTO_OK;
	SOTTO_TRY(sotto_range_of(b->arena, (long)lo, (long)hi, &x->range));
	keep(b, x);
	return SOTTO_OK;
}
