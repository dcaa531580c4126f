/*
 * Tries, in this order, the values that the policy lists, the image of those under the key's
 * expression, and all values between declared bounds.
 */
#include "central/aggregate/group/key_values.h"

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
		const struct sotto_scope_column *c = x->columns[i], **slot;

		if (c->rows || c->bound.domain ||
		    !sotto_bounded_count(&c->bound, key->days, SOTTO_COMPUTED_MAX))
			continue;
		SOTTO_TRY(sotto_bind_made(
			b, &held,
			sotto_expression_replace(b->arena, held, c->bound.value,
						 sotto_bounded_value(b->arena, &c->bound))));
		slot = SOTTO_PUSH(b->arena, key->held_columns, key->held_count);
		SOTTO_NEED(slot);
		*slot = c;
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
	if (key->domain || key->bound.is_length ||
	    !sotto_bounded_count(&key->bound, false, SOTTO_BOUNDED_MAX))
		return SOTTO_OK;
	key->held = sotto_bounded_value(b->arena, &key->bound);
	SOTTO_NEED(key->held);
	return sotto_bounded_domain(b->arena, &key->bound, false, &key->domain);
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

enum sotto_status sotto_key_find_values(struct sotto_binder *b, const struct sotto_sql_expr *e,
					struct sotto_plan_key *key)
{
	key->domain = key->bound.domain;
	key->is_image = sotto_expression_has_domain(&key->bound);
	if (!key->domain || (key->is_image && !sotto_bound_is_column(&key->bound)))
		SOTTO_TRY(sotto_expression_domain(b->arena, &key->bound, NULL, &key->domain));
	if (!key->domain || is_part_of_bounded(&key->bound))
		SOTTO_TRY(find_bounded(b, e, key));
	return SOTTO_OK;
}
