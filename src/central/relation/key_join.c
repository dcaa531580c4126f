/*
 * Joins of private tables along a unique key.  What must hold where rows meet is in ON or USING; for
 * inner joins in WHERE as well.
 */
#include "central/relation/key_join.h"

#include <strings.h>

#include "central/expression/bind.h"
#include "central/relation/unit_key.h"
#include "core/base/failure.h"

const struct sotto_scope_column *sotto_relation_column(struct sotto_planner *p,
						       const struct sotto_relation *r,
						       const struct sotto_sql_expr *e)
{
	struct sotto_binder b = sotto_planner_binder(p, &r->scope);
	struct sotto_bound x;

	b.err = NULL;
	return e->kind == SOTTO_SQL_COLUMN && sotto_bind(&b, e, &x) == SOTTO_OK ? x.columns[0]
										: NULL;
}

/* Does x lead to a unique key y of a relation that has each row of y's table once at most? */
static bool leads_to_key(const struct sotto_scope_column *x, const struct sotto_scope_column *y,
			 const struct sotto_relation *one)
{
	const struct sotto_policy_column *key =
		y && y->source ? sotto_policy_column_find(y->source, y->field_name) : NULL;

	return x && key && key->unique && one->grain == y->source &&
	       (sotto_key_leads_to(x, y) || (x->bound.is_unit && y->bound.is_unit));
}

/* The columns x of the left side and y of the right one are equal. */
static bool key_of_columns(struct sotto_relation *left, struct sotto_relation *right,
			   const struct sotto_scope_column *x,
			   const struct sotto_scope_column *y, struct sotto_key_join *out)
{
	if (leads_to_key(x, y, right))
		*out = (struct sotto_key_join){left, right, x, y};
	else if (leads_to_key(y, x, left))
		*out = (struct sotto_key_join){right, left, y, x};
	else
		return false;
	return true;
}

static bool key_of_equality(struct sotto_planner *p, struct sotto_relation *left,
			    struct sotto_relation *right, const struct sotto_sql_expr *e,
			    struct sotto_key_join *out)
{
	for (int i = 0; i < 2; i++)
		if (key_of_columns(left, right, sotto_relation_column(p, left, e->args[i]),
				   sotto_relation_column(p, right, e->args[1 - i]), out))
			return true;
	return false;
}

/* A condition that must hold and that joins along a key. */
static bool find_key(struct sotto_planner *p, struct sotto_relation *left,
		     struct sotto_relation *right, const struct sotto_sql_expr *e,
		     struct sotto_key_join *out)
{
	if (!e || e->kind != SOTTO_SQL_OP)
		return false;
	if (e->op == SOTTO_SQL_AND)
		return find_key(p, left, right, e->args[0], out) ||
		       find_key(p, left, right, e->args[1], out);
	return e->op == SOTTO_SQL_EQ && key_of_equality(p, left, right, e, out);
}

/* Is it one of the columns that USING or NATURAL merges? */
static bool is_merged(const struct sotto_sql_from *from, const char *name)
{
	for (size_t i = 0; i < from->using_count; i++)
		if (strcasecmp(from->using[i], name) == 0)
			return true;
	return from->natural;
}

static bool find_merged_key(const struct sotto_sql_from *from, struct sotto_relation *left,
			    struct sotto_relation *right, struct sotto_key_join *out)
{
	for (size_t i = 0; i < left->scope.count; i++) {
		const struct sotto_scope_column *x = left->scope.columns[i];

		if (x->hidden || !is_merged(from, x->name))
			continue;
		for (size_t j = sotto_scope_first(&right->scope, x->name);
		     j < right->scope.count; j = sotto_scope_after(&right->scope, j)) {
			const struct sotto_scope_column *y = right->scope.columns[j];

			if (!y->hidden && key_of_columns(left, right, x, y, out))
				return true;
		}
	}
	return false;
}

bool sotto_join_goes_along_key(struct sotto_planner *p, const struct sotto_sql_from *from,
			       struct sotto_relation *left, struct sotto_relation *right,
			       struct sotto_key_join *out)
{
	if (from->join == SOTTO_SQL_FULL)
		return false;
	return find_key(p, left, right, from->on, out) ||
	       find_merged_key(from, left, right, out) ||
	       (from->join == SOTTO_SQL_INNER && find_key(p, left, right, p->where, out));
}

const char *sotto_key_field(const struct sotto_scope_column *c)
{
	return c->whole_field ? c->whole_field : c->field;
}

/*
 * Rows that find their unit's row by a unique key make no more rows than there
 * are, so none are cut; and a single table need not look its unit up twice: the
 * row that its key finds has it.
 */
enum sotto_status sotto_join_along_key(struct sotto_planner *p, const struct sotto_key_join *k,
				       struct sotto_relation *out,
				       const struct sotto_expression **on)
{
	out->grain = k->many->grain;
	out->unit = k->one->unit;
	if (k->many->without_unit) {
		k->many->tree = k->many->without_unit;
		*on = SOTTO_APPLY(p->arena, SOTTO_OP_SAME,
				  sotto_expression_column(p->arena, k->from->alias,
							  sotto_key_field(k->from)),
				  sotto_expression_column(p->arena, k->to->alias,
							  sotto_key_field(k->to)));
	} else {
		*on = SOTTO_APPLY(p->arena, SOTTO_OP_SAME, k->many->unit, k->one->unit);
	}
	return *on ? SOTTO_OK : SOTTO_ENOMEM;
}
