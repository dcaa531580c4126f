/*
 * Follows a column to where it comes from in a table of the policy, and compares that with the
 * declared paths and unique columns.
 */
#include "central/relation/unit_key.h"

#include <strings.h>

/* The column of a table that a column of a subquery is. */
static const struct sotto_scope_column *origin_of(const struct sotto_scope_column *c)
{
	while (c->inner && sotto_bound_is_column(c->inner))
		c = c->inner->columns[0];
	return c;
}

static bool is_via(const struct sotto_scope_column *x)
{
	return x->source && x->source->via && x->field_name &&
	       strcasecmp(x->field_name, x->source->via_column) == 0;
}

bool sotto_key_leads_to(const struct sotto_scope_column *x, const struct sotto_scope_column *y)
{
	return x && y && is_via(x) && y->source && x->source->via == y->source &&
	       strcasecmp(y->field_name, x->source->via_key) == 0;
}

/* A table of the policy is reached by this column, or its values are promised to differ. */
static bool is_reached(const struct sotto_policy *policy, const struct sotto_scope_column *x)
{
	const struct sotto_policy_column *c =
		x->source ? sotto_policy_column_find(x->source, x->field_name) : NULL;

	if (!x->source || x->source->is_public || x->source->unit_is_row)
		return false;
	if (c && c->unique)
		return true;
	for (size_t i = 0; i < policy->table_count; i++) {
		const struct sotto_policy_table *t = &policy->tables[i];

		if (t->via == x->source && strcasecmp(t->via_key, x->field_name) == 0)
			return true;
	}
	return false;
}

static bool is_same(const struct sotto_scope_column *x, const struct sotto_scope_column *y)
{
	return x->source == y->source && strcasecmp(x->field_name, y->field_name) == 0;
}

static bool lead_to_one(const struct sotto_scope_column *x, const struct sotto_scope_column *y)
{
	return is_via(x) && is_via(y) && x->source->via == y->source->via &&
	       strcasecmp(x->source->via_key, y->source->via_key) == 0;
}

bool sotto_keys_of_one(const struct sotto_policy *policy, const struct sotto_scope_column *x,
		       const struct sotto_scope_column *y)
{
	if (!x || !y)
		return false;
	x = origin_of(x);
	y = origin_of(y);
	return sotto_key_leads_to(x, y) || sotto_key_leads_to(y, x) || lead_to_one(x, y) ||
	       (x->source && is_reached(policy, x) && is_same(x, y));
}

bool sotto_bound_says_unit(const struct sotto_policy *policy, const struct sotto_bound *x)
{
	const struct sotto_scope_column *c;

	if (x->is_unit || !sotto_bound_is_column(x))
		return x->is_unit;
	c = origin_of(x->columns[0]);
	return is_via(c) || is_reached(policy, c);
}
