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

/* What is bound to find out: an argument, or a column that is bound already. */
struct question {
	const struct sotto_sql_expr *filter, *arg;
	const struct sotto_scope_column *column;
	struct sotto_value_range held;
};

/* What the conditions of the query and of FILTER leave, without any declaration. */
static enum sotto_status
bind_open(struct sotto_binder *b, const struct question *q, struct sotto_value_range *out)
{
	struct sotto_range_before *where = NULL, *filter = NULL;
	struct sotto_bound x = {0};
	enum sotto_status st = sotto_condition_range_apply(b, b->planner->where, &where);

	if (st == SOTTO_OK)
		st = sotto_condition_range_apply(b, q->filter, &filter);
	if (st == SOTTO_OK && q->arg)
		st = sotto_bind_summand(b, q->arg, &x);
	*out = q->column ? q->column->bound.range : x.range;
	sotto_condition_range_undo(filter);
	sotto_condition_range_undo(where);
	return st;
}

static struct sotto_sides sides_of(struct sotto_value_range x, struct sotto_value_range held)
{
	return (struct sotto_sides){
		.below = !x.lo || !held.lo || sotto_rational_compare(x.lo, held.lo) < 0,
		.above = !x.hi || !held.hi || sotto_rational_compare(x.hi, held.hi) > 0};
}

static enum sotto_status
find_sides(struct sotto_binder *b, const struct question *q, struct sotto_sides *out)
{
	const struct sotto_scope *scope = b->scope;
	struct sotto_planner planner = *b->planner;
	struct sotto_binder quiet = *b;
	struct sotto_value_range x = {NULL, NULL};
	struct sotto_value_range *before =
		sotto_arena_alloc(b->arena, (scope->count + 1) * sizeof *before);
	enum sotto_status st;

	SOTTO_NEED(before);
	quiet.err = NULL;
	quiet.planner->err = NULL;
	open_ranges(scope, before);
	st = bind_open(&quiet, q, &x);
	close_ranges(scope, before);
	*b->planner = planner;
	if (st == SOTTO_ENOMEM)
		return st;
	*out = st == SOTTO_OK ? sides_of(x, q->held) : (struct sotto_sides){true, true};
	return SOTTO_OK;
}

enum sotto_status sotto_clip_sides(struct sotto_binder *b, const struct sotto_sql_expr *filter,
				   const struct sotto_sql_expr *arg,
				   struct sotto_value_range held, struct sotto_sides *out)
{
	const struct question q = {.filter = filter, .arg = arg, .held = held};

	return find_sides(b, &q, out);
}

enum sotto_status sotto_column_sides(struct sotto_binder *b, const struct sotto_scope_column *c,
				     struct sotto_sides *out)
{
	const struct question q = {.column = c, .held = c->bound.range};

	return find_sides(b, &q, out);
}
