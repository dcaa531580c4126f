/*
 * Tries, in this order, the values that the policy lists, the image of those under the key's
 * expression, its steps (key_steps.h), and all values between declared bounds.
 */
#include "central/aggregate/group/key_values.h"

#include "central/aggregate/group/key_steps.h"
#include "central/aggregate/measure/clip_limit.h"
#include "central/expression/bind.h"
#include "central/expression/domain/bounded_domain.h"
#include "central/expression/domain/expression_domain.h"
#include "central/expression/domain/public_domain.h"
#include "core/base/failure.h"

/*
 * The key of a row as if each column with bounds had the nearest value within them: then it is
 * one of the public values, whatever is computed from the columns, a text or a remainder.
 */
static enum sotto_status hold_columns(struct sotto_binder *b, struct sotto_plan_key *key)
{
	const struct sotto_bound *x = &key->bound;
	const struct sotto_expression *held = x->value;

	for (size_t i = 0; i < x->column_count; i++) {
		const struct sotto_scope_column *c = x->columns[i];
		struct sotto_held_column *slot;

		if (c->rows || c->bound.domain ||
		    !sotto_bounded_count(&c->bound, key->days, SOTTO_COMPUTED_MAX))
			continue;
		SOTTO_TRY(sotto_bind_made(
			b, &held,
			sotto_expression_replace(b->arena, held, c->bound.value,
						 sotto_bounded_value(b->arena, &c->bound))));
		slot = SOTTO_PUSH(b->arena, key->held_columns, key->held_count);
		SOTTO_NEED(slot);
		*slot = (struct sotto_held_column){.column = c};
		SOTTO_TRY(sotto_column_sides(b, c, &slot->outside));
	}
	key->held = held;
	return SOTTO_OK;
}

/* Whole numbers and days between declared bounds, up to so many of them. */
static enum sotto_status
find_bounded(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_plan_key *key)
{
	struct sotto_expression_domain_terms terms = {.bounded = true,
						      .days = sotto_expr_reads_days(e)};
	const struct sotto_domain *image;

	SOTTO_TRY(sotto_expression_domain(b->arena, &key->bound, &terms, &image));
	if (image) {
		key->domain = image;
		key->is_image = true;
		key->days = terms.days;
		return hold_columns(b, key);
	}
	if (key->domain || key->bound.is_length)
		return SOTTO_OK;
	SOTTO_TRY(sotto_key_find_steps(b, e, key));
	if (!key->domain && sotto_bounded_count(&key->bound, false, SOTTO_BOUNDED_MAX)) {
		key->held = sotto_bounded_value(b->arena, &key->bound);
		SOTTO_NEED(key->held);
		SOTTO_TRY(sotto_bounded_domain(b->arena, &key->bound, false, &key->domain));
	}
	return key->domain ? sotto_clip_sides(b, NULL, e, key->bound.range, &key->outside)
			   : SOTTO_OK;
}

/* A part of a date has few values of its own, but fewer within bounds. */
static bool is_part_of_bounded(const struct sotto_bound *x)
{
	for (size_t i = 0; i < x->column_count; i++) {
		const struct sotto_scope_column *c = x->columns[i];

		if (c->bound.domain || c->rows || !sotto_range_is_closed(c->bound.range) ||
		    (c->bound.type != SOTTO_TYPE_DATE && c->bound.type != SOTTO_TYPE_TIMESTAMP))
			return false;
	}
	return x->column_count > 0;
}

/* ---- columns of public tables that are equal ------------------------------------------------ */

/* Is x the column's value, as it is or before a text was cut? */
static bool is_value_of(const struct sotto_expression *x, const struct sotto_scope_column *c)
{
	return sotto_expression_equal(x, c->bound.value) ||
	       (c->bound.whole && sotto_expression_equal(x, c->bound.whole));
}

/* The other column of an equality of two columns, one of which is c; or NULL. */
static const struct sotto_scope_column *
other_side(const struct sotto_bound *x, const struct sotto_scope_column *c)
{
	const struct sotto_expression *const *args = x->value->args;
	const struct sotto_scope_column *d;

	if (x->column_count != 2 || x->value->operation != sotto_operation(SOTTO_OP_EQ))
		return NULL;
	d = x->columns[0] == c ? x->columns[1] : x->columns[1] == c ? x->columns[0] : NULL;
	return d && ((is_value_of(args[0], c) && is_value_of(args[1], d)) ||
		     (is_value_of(args[1], c) && is_value_of(args[0], d)))
		       ? d
		       : NULL;
}

static bool is_text(enum sotto_sql_type t)
{
	return t == SOTTO_TYPE_TEXT || t == SOTTO_TYPE_LOOSE;
}

/* Equal ones are then shown the same. */
static bool are_alike(const struct sotto_bound *x, const struct sotto_bound *y)
{
	return (is_text(x->type) && is_text(y->type)) ||
	       (x->type == y->type && x->is_double == y->is_double);
}

static const struct sotto_scope_column *
public_equal(const struct sotto_conditions *met, const struct sotto_scope_column *c)
{
	const struct sotto_scope_column *d = c->same;

	for (size_t i = 0; !(d && d->rows) && i < met->count; i++)
		d = other_side(&met->list[i], c);
	return d && d->rows && are_alike(&c->bound, &d->bound) ? d : NULL;
}

/* A private column that a join makes equal to one of a public table. */
static enum sotto_status find_joined(struct sotto_binder *b, const struct sotto_conditions *met,
				     struct sotto_plan_key *key)
{
	const struct sotto_expression_domain_terms terms = {.met = met};
	const struct sotto_scope_column **column;
	struct sotto_bound *image;

	if (!sotto_bound_is_column(&key->bound) || key->bound.columns[0]->rows)
		return SOTTO_OK;
	column = sotto_arena_alloc(b->arena, sizeof(struct sotto_scope_column *));
	image = sotto_arena_alloc(b->arena, sizeof *image);
	SOTTO_NEED(column && image);
	*column = public_equal(met, key->bound.columns[0]);
	if (!*column)
		return SOTTO_OK;
	*image = (*column)->bound;
	image->columns = column;
	image->column_count = 1;
	SOTTO_TRY(sotto_expression_domain(b->arena, image, &terms, &key->domain));
	if (key->domain) {
		key->image = image;
		key->is_image = true;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_key_find_values(struct sotto_binder *b, const struct sotto_sql_expr *e,
					const struct sotto_conditions *met,
					struct sotto_plan_key *key)
{
	key->domain = key->bound.domain;
	key->is_image = sotto_expression_has_domain(&key->bound);
	if (!key->domain || (key->is_image && !sotto_bound_is_column(&key->bound)))
		SOTTO_TRY(sotto_expression_domain(b->arena, &key->bound, NULL, &key->domain));
	if (!key->domain || is_part_of_bounded(&key->bound))
		SOTTO_TRY(find_bounded(b, e, key));
	return key->domain ? SOTTO_OK : find_joined(b, met, key);
}
