/*
 * Writes counts with FILTER (WHERE ...) for the rows that are picked, surely or possibly.
 */
#include "central/relation/picked_count.h"

#include "central/aggregate/aggregate.h"
#include "central/expression/bind.h"
#include "central/expression/noisy_truth.h"
#include "core/base/failure.h"

enum sotto_status sotto_picked_numbers(struct sotto_arena *a, const struct sotto_relation *from,
				       const struct sotto_expression **out)
{
	const struct sotto_rowset *rows;
	long long noisy = 0;

	*out = NULL;
	for (size_t i = 0; i < from->scope.count; i++)
		noisy += from->scope.columns[i]->bound.low != NULL;
	if (noisy == 0)
		return SOTTO_OK;
	rows = sotto_rowset_one(
		a,
		SOTTO_APPLY(
			a, SOTTO_OP_MULTIPLY,
			SOTTO_APPLY(a, SOTTO_OP_COUNT, sotto_expression_word(a, SOTTO_OP_STAR)),
			sotto_expression_whole(a, noisy)),
		NULL, from->tree);
	SOTTO_NEED(rows);
	*out = sotto_expression_query(a, SOTTO_OP_SCALAR, NULL, rows);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

bool sotto_picked_is_count(const struct sotto_sql_expr *e)
{
	const struct sotto_aggregate_record *record =
		e->kind == SOTTO_SQL_CALL && !e->over ? sotto_aggregate_find(e->text) : NULL;

	return record && record->unit == SOTTO_UNIT_COUNT && e->count == 1 && !e->distinct;
}

bool sotto_picked_keeps(const struct sotto_picked *picked,
			const struct sotto_sql_output *outputs, size_t count)
{
	if (!picked->known || !picked->where.noisy)
		return false;
	for (size_t i = 0; i < count; i++)
		if (sotto_picked_is_count(outputs[i].expr))
			return true;
	return false;
}

enum sotto_status sotto_picked_filter(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      const struct sotto_expression **out)
{
	struct sotto_bound filter;

	*out = b->pick ? b->pick->value : NULL;
	if (!e->filter)
		return SOTTO_OK;
	SOTTO_TRY(sotto_bind_condition(b, e->filter, &filter));
	if (!*out) {
		*out = filter.value;
		return SOTTO_OK;
	}
	return sotto_bind_made(b, out, SOTTO_APPLY(b->arena, SOTTO_OP_AND, *out, filter.value));
}

static const struct sotto_expression *
count_where(struct sotto_arena *a, const struct sotto_expression *what,
	    const struct sotto_expression *where, const struct sotto_expression *filter)
{
	return SOTTO_APPLY(a, SOTTO_OP_FILTER, SOTTO_APPLY(a, SOTTO_OP_COUNT, what),
			   SOTTO_APPLY(a, SOTTO_OP_AND, where, filter));
}

enum sotto_status sotto_picked_interval(struct sotto_binder *b,
					const struct sotto_picked *picked,
					const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_arena *a = b->arena;
	struct sotto_bound what = {.value = sotto_expression_word(a, SOTTO_OP_STAR)};
	struct sotto_bound filter = {.value = sotto_expression_word(a, SOTTO_OP_TRUE)};
	struct sotto_binder rows = *b;

	rows.aggregates = rows.grouped = false;
	rows.together = picked->together;
	if (e->args[0]->kind != SOTTO_SQL_STAR)
		SOTTO_TRY(sotto_bind(&rows, e->args[0], &what));
	if (e->filter)
		SOTTO_TRY(sotto_bind_condition(&rows, e->filter, &filter));
	out->noisy = picked->finished &&
		     (!picked->known || picked->where.noisy || filter.noisy || what.noisy);
	if (!out->noisy || !picked->known || what.noisy || !sotto_truth_is_known(&filter))
		return SOTTO_OK;
	SOTTO_TRY(sotto_bind_made(b, &out->low,
				  count_where(a, what.value, sotto_truth_sure(&picked->where),
					      sotto_truth_sure(&filter))));
	return sotto_bind_made(b, &out->high,
			       count_where(a, what.value, sotto_truth_possible(&picked->where),
					   sotto_truth_possible(&filter)));
}

const struct sotto_expression *sotto_picked_is_there(struct sotto_binder *b)
{
	struct sotto_arena *a = b->arena;

	return SOTTO_APPLY(a, SOTTO_OP_GT,
			   SOTTO_APPLY(a, SOTTO_OP_FILTER,
				       SOTTO_APPLY(a, SOTTO_OP_COUNT,
						   sotto_expression_word(a, SOTTO_OP_STAR)),
				       b->pick->value),
			   sotto_expression_whole(a, 0));
}
