/*
 * GEOMEAN: EXP(AVG(LN(x))).
 *
 * The noise is that of an average of logarithms, so the error is a factor: one unit moves
 * the answer by the same share, wherever in its bounds the mean lies.
 */
#include <stdlib.h>
#include <string.h>

#include "central/aggregate/aggregate.h"

#include "central/expression/bind.h"
#include "central/expression/range/value_range.h"
#include "central/plan/planner.h"
#include "core/base/failure.h"

static struct sotto_sql_expr *
call_of(struct sotto_binder *b, const char *name, struct sotto_sql_expr **args, size_t count)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(b->arena, SOTTO_SQL_CALL, args[0]->at);

	if (!e || !(e->args = sotto_arena_alloc(b->arena, count * sizeof *e->args)))
		return NULL;
	e->text = name;
	memcpy(e->args, args, count * sizeof *e->args);
	e->count = count;
	return e;
}

static enum sotto_status
number_of(struct sotto_binder *b, const struct sotto_rational *r, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(b->arena, SOTTO_SQL_NUMBER, 0);
	char *text = NULL;

	SOTTO_NEED(e);
	SOTTO_TRY(sotto_rational_format(r, &text));
	e->text = sotto_arena_text(b->arena, text);
	free(text);
	*out = e;
	return e->text ? SOTTO_OK : SOTTO_ENOMEM;
}

/* As in every sum, a value outside its bounds counts as the nearest of them: 0 has no LN. */
static enum sotto_status hold_within_bounds(struct sotto_binder *b,
					    const struct sotto_sql_expr *call,
					    struct sotto_sql_expr **value)
{
	struct sotto_sql_expr *args[3] = {call->args[0]};
	struct sotto_bound x;

	SOTTO_TRY(sotto_bind(b, call->args[0], &x));
	if (!sotto_range_is_closed(x.range) || sotto_rational_sign(x.range.lo) <= 0)
		return sotto_bind_refuse(b, call,
					 "%s needs bounds above 0; declare them in the policy "
					 "or write %s(clip(x, lowest, highest)) with a lowest "
					 "above 0",
					 call->text, call->text);
	SOTTO_TRY(number_of(b, x.range.lo, &args[1]));
	SOTTO_TRY(number_of(b, x.range.hi, &args[2]));
	*value = call_of(b, "clip", args, 3);
	return *value ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
expand(struct sotto_binder *b, const struct sotto_sql_expr *call, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *e;

	if (call->count != 1 || call->distinct || call->within ||
	    call->args[0]->kind == SOTTO_SQL_STAR)
		return sotto_bind_refuse(b, call, "%s takes one argument", call->text);
	e = call->args[0];
	if (!b->aggregates) /* over private rows */
		SOTTO_TRY(hold_within_bounds(b, call, &e));
	e = call_of(b, "ln", &e, 1);
	SOTTO_NEED(e);
	e = call_of(b, sotto_aggregate_avg[0].names[0], &e, 1);
	SOTTO_NEED(e);
	e->filter = call->filter;
	e->told = b->aggregates ? NULL : call->args[0];
	*out = call_of(b, "exp", &e, 1);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

const struct sotto_aggregate_record sotto_aggregate_geomean[] = {
	{.names = (const char *const[]){"geomean", "geometric_mean", NULL},
	 .syntax = "GEOMEAN(x), GEOMETRIC_MEAN(x)",
	 .manual = "The geometric mean, EXP(AVG(LN(x))), of values whose bounds lie above 0.",
	 .example = "GEOMEAN(x)",
	 .is_usual = true,
	 .expand = expand},
	{0}};
