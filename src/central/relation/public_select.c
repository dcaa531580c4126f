/*
 * Queries over public tables only: answered exactly and free, but still written
 * by us, from the reviewed list.
 */
#include "central/relation/public_select.h"

#include <string.h>

#include "central/aggregate/aggregate.h"
#include "central/aggregate/aggregate_quantile.h"
#include "central/expression/bind.h"
#include "central/expression/noisy_interval.h"
#include "central/expression/noisy_truth.h"
#include "central/expression/number/decimal.h"
#include "central/expression/output_alias.h"
#include "central/relation/finished/merged_rows.h"
#include "central/relation/finished/query_layers.h"
#include "central/relation/grouped_check.h"
#include "central/relation/picked_count.h"
#include "central/relation/relation.h"
#include "core/base/failure.h"

static enum sotto_status with_filter(struct sotto_binder *b, const struct sotto_sql_expr *e,
				     const struct sotto_expression **value)
{
	const struct sotto_expression *condition;

	SOTTO_TRY(sotto_picked_filter(b, e, &condition));
	if (!condition || !*value)
		return SOTTO_OK;
	return sotto_bind_made(b, value,
			       SOTTO_APPLY(b->arena, SOTTO_OP_FILTER, *value, condition));
}

static enum sotto_status
count_rows(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_bound x = {.value = sotto_expression_word(b->arena, SOTTO_OP_STAR)};
	struct sotto_bound filter = {0};

	*out = (struct sotto_bound){.type = SOTTO_TYPE_INTEGER};
	if (e->args[0]->kind != SOTTO_SQL_STAR)
		SOTTO_TRY(sotto_bind(b, e->args[0], &x));
	if (e->filter)
		SOTTO_TRY(sotto_bind_condition(b, e->filter, &filter));
	out->noisy = b->picks || filter.noisy || x.noisy;
	SOTTO_TRY(sotto_bind_made(
		b, &out->value,
		SOTTO_APPLY(b->arena, e->distinct ? SOTTO_OP_COUNT_DISTINCT : SOTTO_OP_COUNT,
			    x.value)));
	return with_filter(b, e, &out->value);
}

/* An aggregate, whose FILTER is still to be added. */
static enum sotto_status aggregate(struct sotto_binder *b, const struct sotto_sql_expr *e,
				   const struct sotto_expression *value,
				   struct sotto_bound *out)
{
	SOTTO_TRY(sotto_bind_made(b, &out->value, value));
	SOTTO_TRY(with_filter(b, e, &out->value));
	if (out->type != SOTTO_TYPE_NUMBER || !out->is_double)
		return SOTTO_OK;
	return sotto_bind_made(
		b, &out->value,
		sotto_expression_cast(b->arena, SOTTO_OP_CAST, out->value, SOTTO_TYPE_NUMBER));
}

static const struct sotto_bound a_number = {
	.type = SOTTO_TYPE_NUMBER, .is_double = true, .nullable = true};

static enum sotto_status
quantile(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	const struct sotto_sql_expr *arg = NULL;
	struct sotto_rank rank;
	struct sotto_rational q;
	struct sotto_bound x;
	const struct sotto_expression *args[2];

	SOTTO_TRY(sotto_quantile_read_rank(b, e, &rank, &arg));
	SOTTO_TRY(sotto_bind(b, arg, &x));
	SOTTO_TRY(sotto_bind_as(b, arg, &x, SOTTO_TYPE_NUMBER, &args[0]));
	sotto_rational_init(&q);
	mpq_set_ui(q.q, rank.part, rank.whole);
	args[1] = sotto_expression_number(b->arena, &q, true);
	sotto_rational_release(&q);
	SOTTO_NEED(args[1]);
	*out = a_number;
	return aggregate(b, e,
			 SOTTO_APPLY(b->arena,
				     rank.side == 0  ? SOTTO_OP_QUANTILE_CONT
				     : rank.side < 0 ? SOTTO_OP_QUANTILE_DISC
						     : SOTTO_OP_QUANTILE_DISC_ABOVE,
				     args[0], args[1]),
			 out);
}

/*
 * A sum of whole numbers of the last digit, which is exact in any order, as a number again;
 * an average divides it.  Other numbers are added up with their rounding errors made good.
 */
static enum sotto_status
sum_exactly(struct sotto_binder *b, const struct sotto_sql_expr *e, const struct sotto_bound *x,
	    const struct sotto_expression *number, bool average, struct sotto_bound *out)
{
	struct sotto_bound sum = *out, count = *out;
	unsigned scale;

	if (!sotto_decimal_scale(x, &scale))
		return aggregate(b, e,
				 SOTTO_APPLY(b->arena,
					     average ? SOTTO_OP_AVG_NEAR : SOTTO_OP_SUM_NEAR,
					     number),
				 out);
	SOTTO_TRY(aggregate(b, e,
			    SOTTO_APPLY(b->arena, SOTTO_OP_SUM_WHOLE,
					sotto_decimal_scaled(b->arena, number, scale)),
			    &sum));
	out->is_decimal = !average;
	out->scale = average ? 0 : scale;
	if (!average)
		return sotto_bind_made(b, &out->value,
				       SOTTO_APPLY(b->arena, SOTTO_OP_SUM_OF_DIGITS, sum.value,
						   sotto_decimal_power(b->arena, scale)));
	SOTTO_TRY(aggregate(b, e, SOTTO_APPLY(b->arena, SOTTO_OP_COUNT, number), &count));
	return sotto_bind_made(b, &out->value,
			       SOTTO_APPLY(b->arena, SOTTO_OP_AVG_OF_DIGITS, sum.value,
					   sotto_decimal_power(b->arena, scale), count.value));
}

/* An aggregate of one argument, by the operation of its record. */
static enum sotto_status plain(struct sotto_binder *b, const struct sotto_sql_expr *e,
			       const struct sotto_aggregate_record *record,
			       struct sotto_bound *out)
{
	struct sotto_bound x;
	struct sotto_binder rows = *b;
	const struct sotto_expression *arg;

	if (sotto_interval_needs_all(b, record->engine))
		rows.together = b->joint;
	if (record->unit == SOTTO_UNIT_TRUTH)
		SOTTO_TRY(sotto_bind_condition(b, e->args[0], &x));
	else
		SOTTO_TRY(sotto_bind(&rows, e->args[0], &x));
	arg = x.value;
	*out = a_number;
	if (record->public_number)
		SOTTO_TRY(sotto_bind_as(b, e->args[0], &x, SOTTO_TYPE_NUMBER, &arg));
	else
		*out = (struct sotto_bound){.type = x.type,
					    .is_double = x.is_double,
					    .nullable = true,
					    .is_decimal = x.is_decimal,
					    .scale = x.scale,
					    .digits = x.digits};
	out->noisy = x.noisy || b->picks;
	if (!e->filter)
		SOTTO_TRY(sotto_picked_aggregate(b, record->engine, &x, out));
	if (record->engine == SOTTO_OP_SUM || record->engine == SOTTO_OP_AVG)
		return sum_exactly(b, e, &x, arg, record->engine == SOTTO_OP_AVG, out);
	return aggregate(b, e, SOTTO_APPLY(b->arena, record->engine, arg), out);
}

/* One that is defined by others: GEOMEAN.  What needs bounds is not for public tables. */
static enum sotto_status expanded(struct sotto_binder *b, const struct sotto_sql_expr *e,
				  const struct sotto_aggregate_record *record,
				  struct sotto_bound *out)
{
	struct sotto_sql_expr *over;

	SOTTO_TRY(record->expand(b, e, &over));
	return sotto_bind(b, over, out);
}

/* What gives the same of finished groups, which are rows that may be shown. */
static const char *instead_of(const struct sotto_aggregate_record *record)
{
	if (!record->refusal)
		return "";
	return record->finished ? record->finished
				: "leave it out, and have each value in a row of its own";
}

enum sotto_status sotto_public_aggregate(struct sotto_binder *b, const struct sotto_sql_expr *e,
					 struct sotto_bound *out)
{
	const struct sotto_aggregate_record *record = sotto_aggregate_find(e->text);
	struct sotto_binder inner = *b;

	inner.aggregates = inner.grouped = false;
	if (e->count == 1 && record->unit == SOTTO_UNIT_COUNT)
		return count_rows(&inner, e, out);
	if (e->count == 1 && !e->distinct && record->is_public)
		return plain(&inner, e, record, out);
	if (e->count == 1 && record->expand)
		return expanded(b, e, record, out);
	if (e->count == 2 && sotto_quantile_is(record))
		return quantile(&inner, e, out);
	return sotto_bind_refuse(b, e, "this form of %s is not supported%s%s", e->text,
				 record->refusal ? "; " : "", instead_of(record));
}

/* GROUP BY 2, GROUP BY alias and ORDER BY 2 mean an output. */
static const struct sotto_sql_expr *
by_output(const struct sotto_sql_expr *e, const struct sotto_sql_output *outputs, size_t count)
{
	size_t n = 0;

	if (e->kind == SOTTO_SQL_NUMBER && strlen(e->text) < 6 &&
	    strspn(e->text, "0123456789") == strlen(e->text))
		for (const char *s = e->text; *s; s++)
			n = n * 10 + (size_t)(*s - '0');
	if (n >= 1 && n <= count)
		return outputs[n - 1].expr;
	if (e->kind == SOTTO_SQL_COLUMN && !e->qualifier)
		for (size_t i = 0; i < count; i++)
			if (outputs[i].name && strcmp(outputs[i].name, e->text) == 0)
				return outputs[i].expr;
	return e;
}

/* Binds what a clause lists, one by one, into a list. */
static enum sotto_status push(struct sotto_binder *b, const struct sotto_expression ***list,
			      size_t *count, const struct sotto_expression *x)
{
	const struct sotto_expression **slot = SOTTO_PUSH(b->arena, *list, *count);

	SOTTO_NEED(slot && x);
	*slot = x;
	return SOTTO_OK;
}

static enum sotto_status add_groups(struct sotto_binder *b, const struct sotto_sql_select *s,
				    const struct sotto_sql_output *outputs, size_t count,
				    struct sotto_rowset_select *out, bool *noisy)
{
	const struct sotto_expression **list = NULL;
	struct sotto_bound x;
	size_t n = 0;

	*noisy = false;
	for (size_t i = 0; i < s->group_count; i++) {
		SOTTO_TRY(sotto_bind(b, by_output(s->groups[i], outputs, count), &x));
		*noisy = *noisy || x.noisy;
		SOTTO_TRY(push(b, &list, &n, x.value));
	}
	if (n)
		return sotto_bind_made(b, &out->groups,
				       sotto_expression_list(b->arena, list, n));
	return SOTTO_OK;
}

/* What the outputs, HAVING and ORDER BY are made of, seen from the groups. */
static enum sotto_status find_keys(struct sotto_binder *b, const struct sotto_sql_select *s,
				   const struct sotto_sql_output *outputs, size_t count,
				   struct sotto_grouped *out)
{
	*out = (struct sotto_grouped){
		.rows = b, .key_count = s->group_count, .is_grouped = b->grouped};
	out->keys = sotto_arena_alloc(b->arena, (s->group_count + 1) * sizeof *out->keys);
	SOTTO_NEED(out->keys);
	for (size_t i = 0; i < s->group_count; i++)
		out->keys[i] = by_output(s->groups[i], outputs, count);
	for (size_t i = 0; i < count; i++)
		SOTTO_TRY(sotto_grouped_check(out, outputs[i].expr));
	return SOTTO_OK;
}

static enum sotto_status add_tail(struct sotto_binder *b, const struct sotto_sql_select *s,
				  const struct sotto_grouped *groups,
				  const struct sotto_sql_output *outputs, size_t count,
				  struct sotto_rowset_select *out)
{
	const struct sotto_expression **list = NULL;
	struct sotto_sql_expr *e;
	struct sotto_bound x;
	size_t n = 0;

	for (size_t i = 0; i < s->order_count; i++) {
		const struct sotto_sql_order *o = &s->orders[i];

		SOTTO_TRY(sotto_aliases_expand(b, outputs, count,
					       by_output(o->expr, outputs, count), &e));
		SOTTO_TRY(sotto_bind(b, e, &x));
		SOTTO_TRY(sotto_grouped_check(groups, e));
		SOTTO_TRY(push(b, &list, &n, sotto_bind_order(b->arena, o, x.value)));
	}
	if (n)
		SOTTO_TRY(sotto_bind_made(b, &out->orders,
					  sotto_expression_list(b->arena, list, n)));
	if (s->limit >= 0)
		SOTTO_TRY(sotto_bind_made(b, &out->limit,
					  sotto_expression_whole(b->arena, s->limit)));
	if (s->offset > 0)
		SOTTO_TRY(sotto_bind_made(b, &out->offset,
					  sotto_expression_whole(b->arena, s->offset)));
	return SOTTO_OK;
}

/* WHERE, and GROUP BY: which rows there are, and in which groups. */
static enum sotto_status
pick_rows(struct sotto_binder *b, const struct sotto_sql_select *s, struct sotto_relation *from,
	  const struct sotto_sql_output *outputs, size_t count,
	  struct sotto_rowset_select *select, struct sotto_picked *picked)
{
	struct sotto_binder rows = *b;
	bool noisy_keys;

	rows.aggregates = rows.windows = rows.grouped = false;
	*picked = (struct sotto_picked){.where.value =
						sotto_expression_word(b->arena, SOTTO_OP_TRUE)};
	SOTTO_NEED(picked->where.value);
	if (from->finished)
		SOTTO_TRY(sotto_picked_joint(b->planner, from, &picked->joint));
	b->joint = picked->joint.numbers ? &picked->joint : NULL;
	rows.together = b->grouped ? b->joint : NULL;
	if (s->where) {
		SOTTO_TRY(sotto_bind_condition(&rows, s->where, &picked->where));
		select->where = picked->where.value;
	}
	rows.windows = true;
	SOTTO_TRY(add_groups(&rows, s, outputs, count, select, &noisy_keys));
	picked->finished = from->finished;
	picked->known = b->grouped && from->finished && !from->picked && !noisy_keys &&
			sotto_truth_is_known(&picked->where);
	if (picked->known && picked->where.noisy) {
		b->pick = &picked->where;
		select->where = sotto_truth_possible(&picked->where);
	}
	b->picks = from->selected || picked->where.noisy || noisy_keys;
	return SOTTO_OK;
}

static enum sotto_status add_having(struct sotto_binder *b, const struct sotto_sql_select *s,
				    const struct sotto_grouped *groups,
				    const struct sotto_sql_output *outputs, size_t count,
				    struct sotto_rowset_select *select)
{
	struct sotto_sql_expr *having;
	struct sotto_bound x;

	if (b->pick && s->group_count > 0)
		SOTTO_TRY(sotto_bind_made(b, &select->having, sotto_picked_is_there(b)));
	if (!s->having)
		return SOTTO_OK;
	SOTTO_TRY(sotto_aliases_expand(b, outputs, count, s->having, &having));
	SOTTO_TRY(sotto_bind_condition(b, having, &x));
	SOTTO_TRY(sotto_grouped_check(groups, having));
	if (!select->having) {
		select->having = x.value;
		return SOTTO_OK;
	}
	return sotto_bind_made(b, &select->having,
			       SOTTO_APPLY(b->arena, SOTTO_OP_AND, select->having, x.value));
}

/* Is a row shown by the place that noise gave it? */
static enum sotto_status
is_cut_by_noise(struct sotto_binder *b, const struct sotto_sql_select *s,
		const struct sotto_sql_output *outputs, size_t count, bool *noisy)
{
	struct sotto_sql_expr *e;
	struct sotto_bound x;

	*noisy = false;
	for (size_t i = 0; (s->limit >= 0 || s->offset > 0) && i < s->order_count; i++) {
		SOTTO_TRY(sotto_aliases_expand(
			b, outputs, count, by_output(s->orders[i].expr, outputs, count), &e));
		SOTTO_TRY(sotto_bind(b, e, &x));
		*noisy = *noisy || x.noisy;
	}
	return SOTTO_OK;
}

/*
 * Of rows that noise picks, by WHERE or by LIMIT after ORDER BY, the intervals are those that hold together: what
 * is picked has unusual noise.
 */
static enum sotto_status bind_outputs(struct sotto_binder *b, const struct sotto_sql_select *s,
				      const struct sotto_picked *picked,
				      const struct sotto_sql_output *outputs, size_t count,
				      struct sotto_bound *bounds)
{
	struct sotto_binder shown = *b;
	bool cut = false;

	if (!b->grouped)
		SOTTO_TRY(is_cut_by_noise(b, s, outputs, count, &cut));
	if (!b->grouped && (cut || picked->where.noisy))
		shown.together = b->joint;
	for (size_t i = 0; i < count; i++) {
		SOTTO_TRY(sotto_bind(&shown, outputs[i].expr, &bounds[i]));
		bounds[i].domain = NULL;
		if (sotto_picked_is_count(outputs[i].expr))
			SOTTO_TRY(
				sotto_picked_interval(b, picked, outputs[i].expr, &bounds[i]));
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_public_select(struct sotto_planner *p, const struct sotto_sql_select *s,
		    struct sotto_relation *from, const struct sotto_sql_output *outputs,
		    size_t count, struct sotto_bound *bounds, const struct sotto_rowset **rows)
{
	struct sotto_binder b = sotto_planner_binder(p, &from->scope);
	struct sotto_rowset_select select = {.distinct = s->distinct};
	struct sotto_picked picked;
	struct sotto_grouped groups;

	b.finished = &from->finished;
	b.aggregates = true;
	b.windows = true;
	b.grouped = sotto_select_is_grouped(s);
	SOTTO_TRY(pick_rows(&b, s, from, outputs, count, &select, &picked));
	SOTTO_TRY(bind_outputs(&b, s, &picked, outputs, count, bounds));
	if (s->distinct) /* equal rows become one, with one interval */
		SOTTO_TRY(sotto_rows_hull(p, bounds, count));
	SOTTO_TRY(sotto_outputs_add(p, bounds, count, &select));
	SOTTO_NEED(sotto_rowset_from(p->arena, &select, from->tree));
	SOTTO_TRY(find_keys(&b, s, outputs, count, &groups));
	SOTTO_TRY(add_having(&b, s, &groups, outputs, count, &select));
	SOTTO_TRY(add_tail(&b, s, &groups, outputs, count, &select));
	sotto_picked_mark(&picked, s, b.grouped, from);
	*rows = sotto_rowset_select(p->arena, &select, NULL);
	return *rows ? SOTTO_OK : SOTTO_ENOMEM;
}
