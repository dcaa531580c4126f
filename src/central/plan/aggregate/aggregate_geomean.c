/*
 * GEOMEAN: EXP(AVG(LN(x))).
 *
 * The noise is that of an average of logarithms, so the error is a factor: one unit moves
 * the answer by the same share, wherever in its bounds the mean lies.
 */
#include "central/plan/aggregate/aggregate.h"
#include "central/plan/expression/bind.h"
#include "central/plan/planner.h"
#include "core/base/failure.h"

/* LN of values at 0 or below is NULL, and such rows would silently not count. */
static enum sotto_status check_range(struct sotto_binder *b, const struct sotto_sql_expr *call)
{
	struct sotto_bound x;

	SOTTO_TRY(sotto_bind(b, call->args[0], &x));
	if (sotto_range_is_closed(x.range) && sotto_rational_sign(x.range.lo) > 0)
		return SOTTO_OK;
	return sotto_bind_refuse(b, call,
				 "%s needs bounds above 0; declare them in the policy or "
				 "write %s(clip(x, lowest, highest)) with a lowest above 0",
				 call->text, call->text);
}

static struct sotto_sql_expr *call_of(struct sotto_binder *b, const struct sotto_sql_expr *from,
				      const char *name, struct sotto_sql_expr *x)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(b->arena, SOTTO_SQL_CALL, from->at);

	if (!e || !x || !(e->args = sotto_arena_alloc(b->arena, sizeof *e->args)))
		return NULL;
	e->text = name;
	e->args[0] = x;
	e->count = 1;
	return e;
}

static enum sotto_status
expand(struct sotto_binder *b, const struct sotto_sql_expr *call, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *mean;

	if (call->count != 1 || call->distinct || call->within ||
	    call->args[0]->kind == SOTTO_SQL_STAR)
		return sotto_bind_refuse(b, call, "%s takes one argument", call->text);
	if (!b->aggregates) /* private rows */
		SOTTO_TRY(check_range(b, call));
	mean = call_of(b, call, sotto_aggregate_avg[0].names[0],
		       call_of(b, call, "ln", call->args[0]));
	SOTTO_NEED(mean);
	mean->filter = call->filter;
	*out = call_of(b, call, "exp", mean);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

const struct sotto_aggregate_record sotto_aggregate_geomean[] = {
	{.names = (const char *const[]){"geomean", "geometric_mean", NULL},
	 .syntax = "GEOMEAN(x), GEOMETRIC_MEAN(x)",
	 .manual = "the geometric mean, EXP(AVG(LN(x))), of values whose bounds lie above 0.",
	 .example = "GEOMEAN(x)",
	 .is_usual = true,
	 .expand = expand},
	{0}};
