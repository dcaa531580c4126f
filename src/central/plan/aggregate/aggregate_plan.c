/*
 * Aggregates become measures: integers that one unit can move only so far.
 */
#include "central/plan/plan.h"

#include <string.h>

#include "central/plan/aggregate/aggregate_measure.h"
#include "central/plan/aggregate/aggregate_pick.h"
#include "central/plan/expression/range_narrow.h"
#include "central/plan/planner.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"

enum { SQUARE_BITS = 32 };

static const struct sotto_rational *one(struct sotto_plan *plan)
{
	struct sotto_rational *r = sotto_arena_rational(&plan->arena);

	if (r)
		mpq_set_ui(r->q, 1, 1);
	return r;
}

/* ---- counts ----------------------------------------------------------------------- */

enum sotto_status sotto_presence_bind(struct sotto_binder *b, const struct sotto_sql_expr *call,
				      const struct sotto_expression *value,
				      const struct sotto_expression **out)
{
	struct sotto_bound condition;

	*out = value;
	if (!call->filter)
		return SOTTO_OK;
	SOTTO_TRY(sotto_bind_condition(b, call->filter, &condition));
	return sotto_bind_made(
		b, out,
		SOTTO_APPLY(b->arena, SOTTO_OP_ONLY_WHEN, condition.value,
			    value ? value : sotto_expression_whole(b->arena, 1)));
}

/* NaN counts as NULL. */
static enum sotto_status without_nan(struct sotto_binder *b, const struct sotto_bound *x,
				     const struct sotto_expression **out)
{
	*out = x->value;
	if (x->type != SOTTO_TYPE_NUMBER && !x->is_double)
		return SOTTO_OK;
	return sotto_bind_made(
		b, out,
		SOTTO_APPLY(b->arena,
			    x->is_double ? SOTTO_OP_WITHOUT_NAN : SOTTO_OP_CAST_WITHOUT_NAN,
			    x->value));
}

static enum sotto_status
count_measure(struct sotto_plan *plan, struct sotto_binder *b,
	      const struct sotto_sql_expr *call, enum sotto_measure_kind kind,
	      const struct sotto_expression *value, const char *label, size_t *index)
{
	struct sotto_measure m = {
		.kind = kind, .column = SIZE_MAX, .step = one(plan), .label = label};
	const struct sotto_expression *present;

	SOTTO_NEED(m.step);
	SOTTO_TRY(sotto_presence_bind(b, call, value, &present));
	if (present)
		SOTTO_TRY(sotto_row_column_add(plan, present, &m.column));
	return sotto_measure_add(plan, &m, index);
}

/* Under FILTER (WHERE x > 0), x is above 0. */
static enum sotto_status bind_value(struct sotto_binder *b, const struct sotto_sql_expr *call,
				    const struct sotto_sql_expr *arg, struct sotto_bound *out)
{
	struct sotto_narrowed *before;
	enum sotto_status st;

	SOTTO_TRY(sotto_narrow(b, call->filter, &before));
	st = sotto_bind_summand(b, arg, out);
	sotto_narrow_undo(before);
	return st;
}

/* ---- sums -------------------------------------------------------------------------- */

static enum sotto_status refuse_open(struct sotto_binder *b, const struct sotto_sql_expr *call)
{
	return sotto_bind_refuse(b, call,
				 "the argument of %s has no bounds, so one unit could move "
				 "the result without limit; declare bounds in the policy, "
				 "write clip(x, lowest, highest), or find bounds with sotto "
				 "bounds",
				 call->text);
}

/* The row's value in steps, not yet clipped: a whole number, a DOUBLE or NULL. */
static enum sotto_status
steps_column(struct sotto_plan *plan, struct sotto_binder *b, const struct sotto_sql_expr *call,
	     const struct sotto_bound *x, const struct sotto_rational *step, size_t *index)
{
	bool native = x->type == SOTTO_TYPE_INTEGER && !x->is_double &&
		      mpq_cmp_ui(step->q, 1, 1) == 0;
	const struct sotto_expression *value, *number;

	if (native) {
		value = x->value;
	} else {
		SOTTO_TRY(sotto_bind_as(b, call, x, SOTTO_TYPE_NUMBER, &number));
		SOTTO_TRY(sotto_bind_made(
			b, &value,
			SOTTO_APPLY(b->arena, SOTTO_OP_STEPS, number,
				    sotto_expression_number(b->arena, step, true))));
	}
	SOTTO_TRY(sotto_presence_bind(b, call, value, &value));
	SOTTO_TRY(sotto_row_column_add(plan, value, index));
	plan->columns[*index].never_null = !x->nullable && !call->filter;
	return SOTTO_OK;
}

static bool is_summable(const struct sotto_bound *x)
{
	return (x->type == SOTTO_TYPE_INTEGER || x->type == SOTTO_TYPE_NUMBER) &&
	       sotto_range_is_closed(x->range);
}

/*
 * The count of rows with a value of x: of all rows if x is never NULL, else read
 * off the same column as a sum of x would be, so that the two share it.
 */
static enum sotto_status count_values(struct sotto_plan *plan, struct sotto_binder *b,
				      const struct sotto_sql_expr *call,
				      const struct sotto_bound *x, size_t *index)
{
	struct sotto_measure m = {.kind = SOTTO_MEASURE_ROWS, .label = "rows with a value"};
	struct sotto_rational *step;
	const struct sotto_expression *value;

	if (!x->nullable && !x->is_double)
		return count_measure(plan, b, call, SOTTO_MEASURE_ROWS, NULL, "rows", index);
	if (!is_summable(x)) {
		SOTTO_TRY(without_nan(b, x, &value));
		value = x->whole ? x->whole : value;
		return count_measure(plan, b, call, SOTTO_MEASURE_ROWS, value, m.label, index);
	}
	step = sotto_arena_rational(&plan->arena);
	m.step = one(plan);
	SOTTO_NEED(step && m.step);
	sotto_step_choose(x, step);
	SOTTO_TRY(steps_column(plan, b, call, x, step, &m.column));
	return sotto_measure_add(plan, &m, index);
}

static enum sotto_status add_count(struct sotto_plan *plan, struct sotto_binder *b,
				   const struct sotto_sql_expr *call, struct sotto_aggregate *a)
{
	struct sotto_bound x;
	const struct sotto_expression *value;

	a->kind = SOTTO_AGGREGATE_COUNT;
	a->type = SOTTO_TYPE_INTEGER;
	if (call->count != 1)
		return sotto_bind_refuse(b, call, "COUNT takes one argument or *");
	if (call->args[0]->kind == SOTTO_SQL_STAR) {
		if (call->distinct)
			return sotto_bind_refuse(b, call,
						 "COUNT(DISTINCT *) is not supported; name "
						 "a column");
		return count_measure(plan, b, call, SOTTO_MEASURE_ROWS, NULL, "rows",
				     &a->count);
	}
	SOTTO_TRY((call->distinct ? sotto_bind : sotto_bind_rough)(b, call->args[0], &x));
	if (!call->distinct)
		return count_values(plan, b, call, &x, &a->count);
	if (x.is_unit && plan->units)
		return count_measure(plan, b, call, SOTTO_MEASURE_UNITS, NULL, "units",
				     &a->count);
	SOTTO_TRY(without_nan(b, &x, &value));
	return count_measure(plan, b, call, SOTTO_MEASURE_DISTINCT, value, "different values",
			     &a->count);
}

enum sotto_status sotto_summand_bind(struct sotto_plan *plan, struct sotto_binder *b,
				     const struct sotto_sql_expr *call,
				     const struct sotto_sql_expr *arg, struct sotto_summand *s)
{
	const struct sotto_expression *number;

	SOTTO_TRY(bind_value(b, call, arg, &s->x));
	SOTTO_TRY(sotto_bind_as(b, arg, &s->x, SOTTO_TYPE_NUMBER, &number));
	if (!sotto_range_is_closed(s->x.range))
		return refuse_open(b, call);
	s->step = sotto_arena_rational(&plan->arena);
	SOTTO_NEED(s->step);
	sotto_step_choose(&s->x, s->step);
	if (!sotto_step_count(s->x.range.lo, s->step, &s->lo) ||
	    !sotto_step_count(s->x.range.hi, s->step, &s->hi))
		return sotto_bind_refuse(b, call,
					 "the step is too fine for the bounds: more than "
					 "2^%d steps; declare a coarser step",
					 SOTTO_STEPS_BITS);
	return steps_column(plan, b, call, &s->x, s->step, &s->column);
}

static enum sotto_status bind_summand(struct sotto_plan *plan, struct sotto_binder *b,
				      const struct sotto_sql_expr *call,
				      struct sotto_summand *s)
{
	if (call->count != 1 || call->args[0]->kind == SOTTO_SQL_STAR)
		return sotto_bind_refuse(b, call, "%s takes one argument", call->text);
	SOTTO_TRY(sotto_summand_bind(plan, b, call, call->args[0], s));
	s->distinct = call->distinct;
	return SOTTO_OK;
}

static enum sotto_status sum_measure(struct sotto_plan *plan, const struct sotto_summand *s,
				     int64_t centre, size_t *index)
{
	struct sotto_measure m = {.kind = SOTTO_MEASURE_SUM,
				  .column = s->column,
				  .clip_lo = s->lo,
				  .clip_hi = s->hi,
				  .centre = centre,
				  .lo = s->lo - centre,
				  .hi = s->hi - centre,
				  .step = s->step,
				  .distinct = s->distinct,
				  .label = s->distinct ? "sum of different values"
					   : centre    ? "sum around the centre"
						       : "sum"};

	return sotto_measure_add(plan, &m, index);
}

static enum sotto_status square_measure(struct sotto_plan *plan, const struct sotto_summand *s,
					int64_t centre, size_t *index)
{
	int64_t lo = s->lo - centre, hi = s->hi - centre;
	int64_t size = hi > -lo ? hi : -lo;
	struct sotto_rational *step = sotto_arena_rational(&plan->arena);
	struct sotto_measure m = {.kind = SOTTO_MEASURE_SUM,
				  .column = s->column,
				  .clip_lo = s->lo,
				  .clip_hi = s->hi,
				  .centre = centre,
				  .square = true,
				  .distinct = s->distinct,
				  .step = step,
				  .label = "sum of squares around the centre"};

	SOTTO_NEED(step);
	while (size * size >> m.square_shift > (int64_t)1 << SQUARE_BITS)
		m.square_shift++;
	m.hi = size * size >> m.square_shift;
	sotto_rational_multiply(step, s->step, s->step);
	mpq_mul_2exp(step->q, step->q, m.square_shift);
	return sotto_measure_add(plan, &m, index);
}

/* How many values are added: rows with one, or different values. */
static enum sotto_status count_summands(struct sotto_plan *plan, struct sotto_binder *b,
					const struct sotto_sql_expr *call,
					const struct sotto_summand *s, size_t *index)
{
	struct sotto_measure m = {.kind = SOTTO_MEASURE_DISTINCT,
				  .column = s->column,
				  .step = one(plan),
				  .label = "different values"};

	if (!s->distinct)
		return count_values(plan, b, call, &s->x, index);
	SOTTO_NEED(m.step);
	return sotto_measure_add(plan, &m, index);
}

static int64_t middle(const struct sotto_summand *s)
{
	return s->lo + (s->hi - s->lo) / 2;
}

static enum sotto_status set_centre(struct sotto_plan *plan, const struct sotto_summand *s,
				    int64_t centre, struct sotto_aggregate *a)
{
	struct sotto_rational *value = sotto_arena_rational(&plan->arena);

	SOTTO_NEED(value);
	mpq_set_si(value->q, centre, 1);
	mpq_mul(value->q, value->q, s->step->q);
	a->centre = value;
	return SOTTO_OK;
}

static enum sotto_status add_sum(struct sotto_plan *plan, struct sotto_binder *b,
				 const struct sotto_sql_expr *call, struct sotto_aggregate *a)
{
	struct sotto_summand s;

	a->kind = SOTTO_AGGREGATE_SUM;
	SOTTO_TRY(bind_summand(plan, b, call, &s));
	a->type = s.x.type == SOTTO_TYPE_INTEGER ? SOTTO_TYPE_INTEGER : SOTTO_TYPE_NUMBER;
	a->range = s.x.range;
	return sum_measure(plan, &s, 0, &a->sum);
}

/* Where a plain sum of the same values is asked for anyway, the average uses it. */
static int64_t average_centre(const struct sotto_plan *plan, const struct sotto_summand *s)
{
	for (size_t i = 0; i < plan->measure_count; i++) {
		const struct sotto_measure *m = &plan->measures[i];

		if (m->kind == SOTTO_MEASURE_SUM && m->column == s->column && !m->square &&
		    m->distinct == s->distinct)
			return m->centre;
	}
	return middle(s);
}

static enum sotto_status add_average(struct sotto_plan *plan, struct sotto_binder *b,
				     const struct sotto_sql_expr *call,
				     struct sotto_aggregate *a)
{
	struct sotto_summand s;
	int64_t centre;

	a->kind = SOTTO_AGGREGATE_AVG;
	a->type = SOTTO_TYPE_NUMBER;
	SOTTO_TRY(bind_summand(plan, b, call, &s));
	a->range = s.x.range;
	centre = average_centre(plan, &s);
	SOTTO_TRY(set_centre(plan, &s, centre, a));
	SOTTO_TRY(count_summands(plan, b, call, &s, &a->count));
	return sum_measure(plan, &s, centre, &a->sum);
}

static const struct {
	const char *name;
	enum sotto_aggregate_kind kind;
} spreads[] = {
	{"var_pop", SOTTO_AGGREGATE_VAR_POP},
	{"var_samp", SOTTO_AGGREGATE_VAR_SAMP},
	{"variance", SOTTO_AGGREGATE_VAR_SAMP},
	{"stddev_pop", SOTTO_AGGREGATE_STDDEV_POP},
	{"stddev_samp", SOTTO_AGGREGATE_STDDEV_SAMP},
	{"stddev", SOTTO_AGGREGATE_STDDEV_SAMP},
};

static enum sotto_status add_spread(struct sotto_plan *plan, struct sotto_binder *b,
				    const struct sotto_sql_expr *call,
				    struct sotto_aggregate *a)
{
	struct sotto_summand s;
	int64_t centre;

	a->type = SOTTO_TYPE_NUMBER;
	SOTTO_TRY(bind_summand(plan, b, call, &s));
	a->range = s.x.range;
	centre = average_centre(plan, &s);
	SOTTO_TRY(set_centre(plan, &s, centre, a));
	SOTTO_TRY(count_summands(plan, b, call, &s, &a->count));
	SOTTO_TRY(sum_measure(plan, &s, centre, &a->sum));
	return square_measure(plan, &s, centre, &a->squares);
}

static enum sotto_status add_by_name(struct sotto_plan *plan, struct sotto_binder *b,
				     const struct sotto_sql_expr *call,
				     struct sotto_aggregate *a)
{
	if (strcmp(call->text, "count") == 0)
		return add_count(plan, b, call, a);
	if (strcmp(call->text, "sum") == 0)
		return add_sum(plan, b, call, a);
	if (strcmp(call->text, "avg") == 0)
		return add_average(plan, b, call, a);
	for (size_t i = 0; i < sizeof spreads / sizeof spreads[0]; i++)
		if (strcmp(call->text, spreads[i].name) == 0) {
			a->kind = spreads[i].kind;
			return add_spread(plan, b, call, a);
		}
	if (sotto_pick_knows(call->text))
		return sotto_pick_add(plan, b, call, a);
	if (strncmp(call->text, "bool", 4) == 0 || strcmp(call->text, "every") == 0)
		return sotto_bind_refuse(
			b, call,
			"one row could decide %s, so it is not supported; count "
			"the rows instead, with COUNT(*) FILTER (WHERE ...)",
			call->text);
	return sotto_bind_refuse(b, call,
				 "%s is not supported over private rows; there are COUNT, "
				 "SUM, AVG, VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP, MIN, "
				 "MAX, MEDIAN, PERCENTILE_CONT, PERCENTILE_DISC and MODE, and "
				 "ranges can be counted with COUNT(*) FILTER (WHERE x < 10)",
				 call->text);
}

enum sotto_status sotto_aggregate_add(struct sotto_plan *plan, struct sotto_binder *b,
				      const struct sotto_sql_expr *call, size_t *index)
{
	struct sotto_aggregate a = {
		.call = call, .count = SIZE_MAX, .sum = SIZE_MAX, .squares = SIZE_MAX};
	struct sotto_aggregate *slot;

	for (size_t i = 0; i < plan->aggregate_count; i++)
		if (sotto_sql_expr_equal(plan->aggregates[i].call, call)) {
			*index = i;
			return SOTTO_OK;
		}
	SOTTO_TRY(add_by_name(plan, b, call, &a));
	slot = SOTTO_PUSH(&plan->arena, plan->aggregates, plan->aggregate_count);
	SOTTO_NEED(slot);
	*slot = a;
	*index = plan->aggregate_count - 1;
	return SOTTO_OK;
}
