/*
 * Replaces names of outputs in a copy of the expression; a name that can also be bound as a
 * column means the column.
 */
#include "central/expression/output_alias.h"

#include <string.h>

#include "central/aggregate/aggregate.h"
#include "central/expression/bind.h"
#include "central/relation/relation.h"
#include "core/base/failure.h"

static bool is_column(const struct sotto_binder *b, const struct sotto_sql_expr *e)
{
	struct sotto_binder quiet = *b;
	struct sotto_bound x;

	quiet.err = NULL;
	return sotto_bind(&quiet, e, &x) == SOTTO_OK;
}

/* What the name stands for; NULL: it is not an output, or a column is meant. */
static struct sotto_sql_expr *find_output(const struct sotto_binder *b,
					  const struct sotto_sql_output *outputs, size_t count,
					  const struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < count; i++) {
		struct sotto_sql_expr *x = outputs[i].expr;

		if (!outputs[i].name || strcmp(outputs[i].name, e->text) != 0)
			continue;
		if (sotto_expr_has_aggregate(x) || !is_column(b, e))
			return x;
	}
	return NULL;
}

enum sotto_status
sotto_aliases_expand(struct sotto_binder *b, const struct sotto_sql_output *outputs,
		     size_t count, const struct sotto_sql_expr *e, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *copy = NULL;

	*out = (struct sotto_sql_expr *)e;
	if (!e)
		return SOTTO_OK;
	if (e->kind == SOTTO_SQL_COLUMN && !e->qualifier)
		copy = find_output(b, outputs, count, e);
	if (copy)
		*out = copy;
	if (e->count == 0 ||
	    (e->kind == SOTTO_SQL_CALL && !e->over && sotto_aggregate_find(e->text)))
		return SOTTO_OK;
	copy = sotto_sql_expr_copy(b->arena, e);
	SOTTO_NEED(copy);
	copy->size = 1;
	for (size_t i = 0; i < e->count; i++) {
		SOTTO_TRY(sotto_aliases_expand(b, outputs, count, e->args[i], &copy->args[i]));
		copy->size += sotto_sql_expr_size(copy->args[i]);
	}
	*out = copy;
	return SOTTO_OK;
}
