/*
 * GROUP BY the privacy unit: each group is made of rows of one unit, so it is a
 * row that belongs to that unit, and nothing has to be noisy yet.
 */
#include "plan/planner.h"

#include <stdlib.h>
#include <string.h>

#include "base/failure.h"

/* What GROUP BY names: an output by its number or its name, or an expression. */
static const struct sotto_sql_expr *
target(struct sotto_binder *b, const struct sotto_sql_select *s, const struct sotto_sql_expr *e,
       struct sotto_bound *out)
{
	size_t n = e->kind == SOTTO_SQL_NUMBER ? strtoul(e->text, NULL, 10) : 0;
	struct sotto_error *err = b->err;
	bool bound;

	if (n >= 1 && n <= s->output_count)
		return s->outputs[n - 1].expr;
	b->err = NULL;
	bound = sotto_bind(b, e, out) == SOTTO_OK;
	b->err = err;
	for (size_t i = 0; !bound && e->kind == SOTTO_SQL_COLUMN && i < s->output_count; i++)
		if (s->outputs[i].name && strcmp(s->outputs[i].name, e->text) == 0)
			return s->outputs[i].expr;
	return e;
}

bool sotto_select_is_by_unit(struct sotto_planner *p, const struct sotto_sql_select *s,
			     const struct sotto_relation *from)
{
	struct sotto_binder b = sotto_planner_binder(p, &from->scope);
	struct sotto_bound x;

	b.err = NULL;
	for (size_t i = 0; i < s->group_count; i++)
		if (sotto_bind(&b, target(&b, s, s->groups[i], &x), &x) == SOTTO_OK &&
		    x.is_unit && from->unit)
			return true;
	return false;
}
