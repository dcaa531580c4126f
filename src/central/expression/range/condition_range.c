/*
 * Goes through the terms of an AND, binds each comparison quietly and cuts the column's range;
 * the ranges as they were are kept in a list, from which they are restored.
 */
#include "core/number/rational/rational_round.h"
#include "central/expression/range/condition_range.h"

#include <string.h>

#include "central/expression/bind.h"
#include "central/expression/range/value_range.h"
#include "core/base/arena_rational.h"
#include "core/base/failure.h"

/*
 * Comparisons with more nodes are not looked at: conditions inside conditions would be
 * bound again and again.
 */
enum { SIMPLE = 60 };

/* A column as it was. */
struct sotto_range_before {
	struct sotto_range_before *next;
	struct sotto_scope_column *column;
	struct sotto_value_range range;
	bool nullable;
};

static struct sotto_scope_column *column_of(const struct sotto_binder *b,
					    const struct sotto_sql_expr *e,
					    const struct sotto_bound *x)
{
	for (size_t i = 0; e->kind == SOTTO_SQL_COLUMN && i < b->scope->count; i++)
		if (x->column_count == 1 && b->scope->columns[i] == x->columns[0])
			return b->scope->columns[i];
	return NULL;
}

/* The end of a range that a comparison allows: the next whole number, or day, for whole values. */
static enum sotto_status limit(struct sotto_binder *b, const struct sotto_scope_column *c,
			       const struct sotto_rational *end, bool lower, bool strict,
			       const struct sotto_rational **out)
{
	struct sotto_rational *r;

	*out = end;
	if (!end || c->bound.type == SOTTO_TYPE_NUMBER)
		return SOTTO_OK;
	if (c->bound.type == SOTTO_TYPE_TIMESTAMP && lower)
		strict = false; /* later than midnight is still the same day */
	r = sotto_arena_rational(b->arena);
	if (!r)
		return SOTTO_ENOMEM;
	sotto_rational_set(r, end);
	if (strict == lower)
		sotto_rational_round_down(r, 0);
	else
		sotto_rational_round_up(r, 0);
	if (strict)
		mpz_add(mpq_numref(r->q), mpq_numref(r->q), mpq_denref(r->q));
	if (strict && !lower)
		mpz_sub_ui(mpq_numref(r->q), mpq_numref(r->q), 2);
	*out = r;
	return SOTTO_OK;
}

/* Nothing, where the condition and the bounds leave no value at all. */
static struct sotto_value_range meet(struct sotto_value_range x, struct sotto_value_range y)
{
	struct sotto_value_range both = x;

	if (y.lo && (!x.lo || sotto_rational_compare(y.lo, x.lo) > 0))
		both.lo = y.lo;
	if (y.hi && (!x.hi || sotto_rational_compare(y.hi, x.hi) < 0))
		both.hi = y.hi;
	if (both.lo && both.hi && sotto_rational_compare(both.lo, both.hi) > 0)
		return x;
	return both;
}

static bool is_temporal(const struct sotto_scope_column *c)
{
	return c->bound.type == SOTTO_TYPE_DATE || c->bound.type == SOTTO_TYPE_TIMESTAMP;
}

static bool has_range(const struct sotto_scope_column *c)
{
	return c->bound.type == SOTTO_TYPE_INTEGER || c->bound.type == SOTTO_TYPE_NUMBER ||
	       is_temporal(c);
}

/* A text beside a date is one. */
static enum sotto_status
take_date(struct sotto_binder *b, const struct sotto_scope_column *c, struct sotto_bound *x)
{
	return c && is_temporal(c) && x->literal && x->literal->kind == SOTTO_SQL_TEXT
		       ? sotto_date_range(b->arena, x->literal->text, &x->range)
		       : SOTTO_OK;
}

static enum sotto_status narrow_column(struct sotto_binder *b, struct sotto_scope_column *c,
				       struct sotto_value_range allowed,
				       struct sotto_range_before **before)
{
	struct sotto_range_before *saved = sotto_arena_alloc(b->arena, sizeof *saved);

	if (!saved)
		return SOTTO_ENOMEM;
	*saved = (struct sotto_range_before){.next = *before,
					     .column = c,
					     .range = c->bound.range,
					     .nullable = c->bound.nullable};
	*before = saved;
	if (has_range(c))
		c->bound.range = meet(c->bound.range, allowed);
	if (!c->bound.is_double) /* a NaN compares, and counts as NULL */
		c->bound.nullable = false;
	return SOTTO_OK;
}

/* x op y with the column x. */
static enum sotto_status
narrow_side(struct sotto_binder *b, enum sotto_sql_op op, struct sotto_scope_column *c,
	    struct sotto_value_range other, struct sotto_range_before **before)
{
	bool above = op == SOTTO_SQL_GT || op == SOTTO_SQL_GE || op == SOTTO_SQL_EQ;
	bool below = op == SOTTO_SQL_LT || op == SOTTO_SQL_LE || op == SOTTO_SQL_EQ;
	bool strict = op == SOTTO_SQL_GT || op == SOTTO_SQL_LT;
	struct sotto_value_range allowed = {NULL, NULL};

	if (above)
		SOTTO_TRY(limit(b, c, other.lo, true, strict, &allowed.lo));
	if (below)
		SOTTO_TRY(limit(b, c, other.hi, false, strict, &allowed.hi));
	return narrow_column(b, c, allowed, before);
}

static enum sotto_status narrow_comparison(struct sotto_binder *b,
					   const struct sotto_sql_expr *e,
					   struct sotto_range_before **before)
{
	struct sotto_scope_column *left, *right;
	struct sotto_bound x, y;

	if (sotto_sql_expr_size(e) > SIMPLE)
		return SOTTO_OK;
	if (sotto_bind(b, e->args[0], &x) != SOTTO_OK ||
	    sotto_bind(b, e->args[1], &y) != SOTTO_OK)
		return SOTTO_OK;
	left = column_of(b, e->args[0], &x);
	right = column_of(b, e->args[1], &y);
	SOTTO_TRY(take_date(b, left, &y));
	SOTTO_TRY(take_date(b, right, &x));
	if (left)
		SOTTO_TRY(narrow_side(b, e->op, left, y.range, before));
	if (right)
		SOTTO_TRY(narrow_side(b, sotto_sql_op_mirrored(e->op), right, x.range, before));
	return SOTTO_OK;
}

/* x IN (1, 2): between the least and the greatest. */
static enum sotto_status narrow_list(struct sotto_binder *b, const struct sotto_sql_expr *e,
				     struct sotto_range_before **before)
{
	struct sotto_value_range all = {NULL, NULL};
	struct sotto_scope_column *c;
	struct sotto_bound x, item;

	if (sotto_bind(b, e->args[0], &x) != SOTTO_OK)
		return SOTTO_OK;
	c = column_of(b, e->args[0], &x);
	for (size_t i = 1; c && i < e->count; i++) {
		if (sotto_bind(b, e->args[i], &item) != SOTTO_OK)
			return SOTTO_OK;
		all = i == 1 ? item.range : sotto_range_hull(all, item.range);
	}
	return c ? narrow_side(b, SOTTO_SQL_EQ, c, all, before) : SOTTO_OK;
}

static bool is_comparison(const struct sotto_sql_expr *e)
{
	return e->op == SOTTO_SQL_EQ || e->op == SOTTO_SQL_LT || e->op == SOTTO_SQL_LE ||
	       e->op == SOTTO_SQL_GT || e->op == SOTTO_SQL_GE;
}

static enum sotto_status narrow(struct sotto_binder *b, const struct sotto_sql_expr *e,
				struct sotto_range_before **before)
{
	if (e->kind == SOTTO_SQL_IN && !sotto_sql_expr_has_select(e))
		return narrow_list(b, e, before);
	if (e->kind != SOTTO_SQL_OP)
		return SOTTO_OK;
	if (e->op == SOTTO_SQL_AND) {
		SOTTO_TRY(narrow(b, e->args[0], before));
		return narrow(b, e->args[1], before);
	}
	return is_comparison(e) && !sotto_sql_expr_has_select(e)
		       ? narrow_comparison(b, e, before)
		       : SOTTO_OK;
}

enum sotto_status sotto_condition_range_apply(struct sotto_binder *b,
					      const struct sotto_sql_expr *condition,
					      struct sotto_range_before **before)
{
	struct sotto_range_before *changes = NULL;
	struct sotto_binder quiet = *b;
	enum sotto_status st = SOTTO_OK;

	quiet.err = NULL;
	if (condition)
		st = narrow(&quiet, condition, &changes);
	if (before)
		*before = changes;
	return st;
}

void sotto_condition_range_undo(struct sotto_range_before *before)
{
	for (; before; before = before->next) {
		before->column->bound.range = before->range;
		before->column->bound.nullable = before->nullable;
	}
}
