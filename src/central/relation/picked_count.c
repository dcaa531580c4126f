/*
 * Writes counts with FILTER (WHERE ...) for the rows that are picked, surely or possibly, and other
 * aggregates so that each possible row counts at both ends as it may.
 */
#include "central/relation/picked_count.h"

#include "central/aggregate/aggregate.h"
#include "central/expression/bind.h"
#include "central/expression/noisy_interval.h"
#include "central/expression/noisy_truth.h"
#include "core/base/failure.h"

/* What a finished query says about all of its rows (answer_table.c); 0 if it has none. */
static enum sotto_status said_by_part(struct sotto_planner *p, size_t i, const char *column,
				      const struct sotto_expression **out)
{
	struct sotto_arena *a = p->arena;
	const char *alias = sotto_planner_alias(p);
	const struct sotto_rowset *rows =
		alias ? sotto_rowset_one(a,
					 SOTTO_APPLY(a, SOTTO_OP_COALESCE,
						     SOTTO_APPLY(a, SOTTO_OP_MIN,
								 sotto_expression_column(
									 a, alias, column)),
						     sotto_expression_whole(a, 0)),
					 NULL, sotto_rowset_part(a, i, alias))
		      : NULL;

	SOTTO_NEED(rows);
	*out = sotto_expression_query(a, SOTTO_OP_SCALAR, NULL, rows);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

/* The least and the greatest of what all finished queries so far say. */
static enum sotto_status said_by_all(struct sotto_planner *p, const char *column,
				     const struct sotto_expression **least,
				     const struct sotto_expression **most)
{
	size_t n = p->part_count;
	const struct sotto_expression **list =
		sotto_arena_alloc(p->arena, (n + 1) * sizeof *list);

	SOTTO_NEED(list);
	for (size_t i = 0; i < n; i++)
		SOTTO_TRY(said_by_part(p, i, column, &list[i]));
	*least = sotto_expression_make(p->arena, sotto_operation(SOTTO_OP_LEAST), list, n);
	*most = sotto_expression_make(p->arena, sotto_operation(SOTTO_OP_GREATEST), list, n);
	return *least && *most ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_picked_joint(struct sotto_planner *p, const struct sotto_relation *from,
				     struct sotto_joint *out)
{
	struct sotto_arena *a = p->arena;
	const struct sotto_expression *least, *most;
	bool noisy = false;

	*out = (struct sotto_joint){0};
	for (size_t i = 0; i < from->scope.count; i++)
		noisy = noisy || from->scope.columns[i]->bound.low;
	if (!noisy || p->part_count == 0)
		return SOTTO_OK;
	SOTTO_TRY(said_by_all(p, "numbers", &least, &out->numbers));
	SOTTO_TRY(said_by_all(p, "stretch", &least, &most));
	out->factor = SOTTO_APPLY(
		a, SOTTO_OP_ONLY_WHEN,
		SOTTO_APPLY(a, SOTTO_OP_GT, least, sotto_expression_whole(a, 0)), most);
	return out->factor ? SOTTO_OK : SOTTO_ENOMEM;
}

bool sotto_picked_is_count(const struct sotto_sql_expr *e)
{
	const struct sotto_aggregate_record *record =
		e->kind == SOTTO_SQL_CALL && !e->over ? sotto_aggregate_find(e->text) : NULL;

	return record && record->unit == SOTTO_UNIT_COUNT && e->count == 1 && !e->distinct;
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
	rows.together = b->joint;
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

/* ---- sums and extremes --------------------------------------------------------------------- */

/* What the row adds to that end of a sum: its own end if it is there surely, else that or nothing. */
static const struct sotto_expression *added(struct sotto_binder *b,
					    const struct sotto_expression *end,
					    enum sotto_operation_name extreme)
{
	struct sotto_arena *a = b->arena;

	return SOTTO_APPLY(a, SOTTO_OP_CASE,
			   SOTTO_APPLY(a, SOTTO_OP_WHEN, sotto_truth_sure(b->pick), end),
			   SOTTO_APPLY(a, extreme, end, sotto_expression_whole(a, 0)));
}

/* An aggregate of the rows that are there surely, or else of all that are possible. */
static const struct sotto_expression *surely(struct sotto_binder *b,
					     const struct sotto_expression *of_sure,
					     const struct sotto_expression *of_possible)
{
	struct sotto_arena *a = b->arena;

	return SOTTO_APPLY(a, SOTTO_OP_COALESCE,
			   SOTTO_APPLY(a, SOTTO_OP_FILTER, of_sure, sotto_truth_sure(b->pick)),
			   of_possible);
}

/* An average of the ends if all rows are there surely, else their extreme. */
static const struct sotto_expression *average(struct sotto_binder *b,
					      const struct sotto_expression *end,
					      enum sotto_operation_name extreme)
{
	struct sotto_arena *a = b->arena;

	return SOTTO_APPLY(
		a, SOTTO_OP_CASE,
		SOTTO_APPLY(a, SOTTO_OP_WHEN,
			    SOTTO_APPLY(a, SOTTO_OP_BOOL_AND, sotto_truth_sure(b->pick)),
			    SOTTO_APPLY(a, SOTTO_OP_AVG, end)),
		SOTTO_APPLY(a, extreme, end));
}

enum sotto_status sotto_picked_aggregate(struct sotto_binder *b,
					 enum sotto_operation_name operation,
					 const struct sotto_bound *x, struct sotto_bound *out)
{
	struct sotto_arena *a = b->arena;
	const struct sotto_expression *low = NULL, *high = NULL, *least, *most;

	if (!b->pick)
		return sotto_interval_aggregate(b, operation, x, NULL, out);
	if (!x->low)
		return SOTTO_OK;
	least = SOTTO_APPLY(a, SOTTO_OP_MIN, x->low);
	most = SOTTO_APPLY(a, SOTTO_OP_MAX, x->high);
	if (operation == SOTTO_OP_SUM) {
		low = SOTTO_APPLY(a, SOTTO_OP_SUM, added(b, x->low, SOTTO_OP_LEAST));
		high = SOTTO_APPLY(a, SOTTO_OP_SUM, added(b, x->high, SOTTO_OP_GREATEST));
	} else if (operation == SOTTO_OP_AVG) {
		low = average(b, x->low, SOTTO_OP_MIN);
		high = average(b, x->high, SOTTO_OP_MAX);
	} else if (operation == SOTTO_OP_MIN) {
		low = least;
		high = surely(b, SOTTO_APPLY(a, SOTTO_OP_MIN, x->high), most);
	} else if (operation == SOTTO_OP_MAX) {
		low = surely(b, SOTTO_APPLY(a, SOTTO_OP_MAX, x->low), least);
		high = most;
	} else {
		return SOTTO_OK;
	}
	SOTTO_TRY(sotto_bind_made(b, &out->low, sotto_interval_known(a, x, NULL, low)));
	return sotto_bind_made(b, &out->high, sotto_interval_known(a, x, NULL, high));
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

void sotto_picked_mark(const struct sotto_picked *picked, const struct sotto_sql_select *s,
		       bool grouped, struct sotto_relation *r)
{
	if (!r->finished || (grouped && s->group_count == 0 && !s->having)) {
		r->picked = r->selected = false;
		return;
	}
	r->selected = r->selected || picked->where.noisy || s->having || s->limit >= 0 ||
		      s->offset > 0 || s->distinct;
	r->picked = r->picked || r->selected || (grouped && !picked->known);
}
