/*
 * Binds the expression once more with every declared range opened, and compares the range that
 * is left with the bounds; an expression that cannot be bound in that way counts as one that
 * clips.
 */
#include "central/aggregate/measure/clip_limit.h"

#include "central/expression/bind.h"
#include "central/expression/range/condition_range.h"
#include "central/plan/planner.h"
#include "core/base/failure.h"

/* A finite set of values that an expression inside computes is not a declaration. */
static bool rests_on_declaration(const struct sotto_scope_column *c)
{
	return c->source || !c->bound.domain;
}

static void open_ranges(const struct sotto_scope *scope, struct sotto_value_range *before)
{
	for (size_t i = 0; i < scope->count; i++) {
		struct sotto_bound *x = &scope->columns[i]->bound;

		before[i] = x->range;
		if (rests_on_declaration(scope->columns[i]))
			x->range = (struct sotto_value_range){NULL, NULL};
	}
}

static void
close_ranges(const struct sotto_scope *scope, const struct sotto_value_range *before)
{
	for (size_t i = 0; i < scope->count; i++)
		scope->columns[i]->bound.range = before[i];
}

/* What the conditions of the query and of FILTER leave, without any declaration. */
static enum sotto_status bind_open(struct sotto_binder *b, const struct sotto_sql_expr *call,
				   const struct sotto_sql_expr *arg, struct sotto_bound *out)
{
	struct sotto_range_before *where = NULL, *filter = NULL;
	enum sotto_status st = sotto_condition_range_apply(b, b->planner->where, &where);

	if (st == SOTTO_OK)
		st = sotto_condition_range_apply(b, call->filter, &filter);
	if (st == SOTTO_OK)
		st = sotto_bind_summand(b, arg, out);
	sotto_condition_range_undo(filter);
	sotto_condition_range_undo(where);
	return st;
}

static bool lies_within(struct sotto_value_range x, struct sotto_value_range held)
{
	return sotto_range_is_closed(x) && sotto_rational_compare(x.lo, held.lo) >= 0 &&
	       sotto_rational_compare(x.hi, held.hi) <= 0;
}

enum sotto_status sotto_clip_can_bind(struct sotto_binder *b, const struct sotto_sql_expr *call,
				      const struct sotto_sql_expr *arg,
				      struct sotto_value_range held, bool *out)
{
	const struct sotto_scope *scope = b->scope;
	struct sotto_planner planner = *b->planner;
	struct sotto_binder quiet = *b;
	struct sotto_bound x = {0};
	struct sotto_value_range *before =
		sotto_arena_alloc(b->arena, (scope->count + 1) * sizeof *before);
	enum sotto_status st;

	SOTTO_NEED(before);
	quiet.err = NULL;
	quiet.planner->err = NULL;
	open_ranges(scope, before);
	st = bind_open(&quiet, call, arg, &x);
	close_ranges(scope, before);
	*b->planner = planner;
	if (st == SOTTO_ENOMEM)
		return st;
	*out = st != SOTTO_OK || !lies_within(x.range, held);
	return SOTTO_OK;
}
