/*
 * Decides which names of a subquery are the outer row's, and marks values that come from
 * private rows, or with noise, so that no public values are computed from them.
 */
#include "central/relation/subquery/outer_row.h"

#include "central/expression/range/value_range.h"
#include "core/base/failure.h"

/*
 * Private rows have no public values: a column without any keeps the engine from
 * computing the expression over values that stand in for rows.
 */
enum sotto_status sotto_depend_on_rows(struct sotto_binder *b, struct sotto_bound *out)
{
	static const struct sotto_scope_column rows = {
		.table = "", .name = "", .alias = "", .field = ""};
	const struct sotto_scope_column **slot =
		SOTTO_PUSH(b->arena, out->columns, out->column_count);

	SOTTO_NEED(slot);
	*slot = &rows;
	return SOTTO_OK;
}

/* A date is chosen within its bounds, which are numbers of days. */
enum sotto_status sotto_bind_noisy(struct sotto_binder *b, struct sotto_bound *out)
{
	bool is_number = out->type == SOTTO_TYPE_INTEGER || out->type == SOTTO_TYPE_NUMBER;

	out->noisy = true;
	if (is_number && sotto_range_is_closed(out->range))
		SOTTO_TRY(sotto_bind_made(
			b, &out->value,
			SOTTO_APPLY(b->arena, SOTTO_OP_CLIP, out->value,
				    sotto_expression_number(b->arena, out->range.lo, true),
				    sotto_expression_number(b->arena, out->range.hi, true))));
	return b->finished ? SOTTO_OK : sotto_depend_on_rows(b, out);
}

bool sotto_reads_outer(const struct sotto_scope *inner, const struct sotto_scope *outer,
		       const struct sotto_sql_expr *e)
{
	if (!e)
		return false;
	if (e->kind == SOTTO_SQL_COLUMN)
		return !sotto_scope_has(inner, e) && sotto_scope_has(outer, e);
	if (sotto_reads_outer(inner, outer, e->filter))
		return true;
	for (size_t i = 0; i < e->count; i++)
		if (sotto_reads_outer(inner, outer, e->args[i]))
			return true;
	return false;
}
