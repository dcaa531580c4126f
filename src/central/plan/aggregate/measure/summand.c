/*
 * Turns values of rows into measures: integers that one unit can change by a limited amount.
 */
#include "central/plan/aggregate/measure/summand.h"

#include <stdio.h>
#include <string.h>

#include "central/parse/dialect/sql_text.h"
#include "central/plan/aggregate/measure/clip_limit.h"
#include "central/plan/aggregate/measure/measure_add.h"
#include "central/plan/expression/bind.h"
#include "central/plan/expression/range/range_narrow.h"
#include "central/plan/expression/range/value_range.h"
#include "central/plan/plan.h"
#include "central/plan/planner.h"
#include "central/plan/relation/relation.h"
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
enum sotto_status sotto_without_nan(struct sotto_binder *b, const struct sotto_bound *x,
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

enum sotto_status
sotto_count_measure(struct sotto_plan *plan, struct sotto_binder *b,
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

/* The column by which a quotient in e is divided; NULL: there is none. */
static const char *divisor_of(const struct sotto_sql_expr *e)
{
	bool divides = e->kind == SOTTO_SQL_OP && e->op == SOTTO_SQL_DIVIDE;
	const struct sotto_sql_expr *at = divides ? e->args[1] : NULL;
	const char *name = NULL;

	while (at && at->kind != SOTTO_SQL_COLUMN)
		at = at->count ? at->args[0] : NULL;
	if (at)
		return at->text;
	for (size_t i = 0; !name && i < e->count; i++)
		name = divisor_of(e->args[i]);
	return name;
}

static enum sotto_status refuse_open(struct sotto_binder *b, const struct sotto_sql_expr *call,
				     const struct sotto_sql_expr *arg,
				     const struct sotto_bound *x)
{
	const char *name = arg->kind == SOTTO_SQL_COLUMN
				   ? arg->text
				   : sotto_sql_arguments_of(b->arena, b->text, call->at);
	char operand[200] = "", option[SOTTO_POLICY_OPTION] = "";

	SOTTO_NEED(name);
	if (b->planner && x->column_count == 1 && x->columns[0]->source) {
		(void)snprintf(operand, sizeof operand, " '%.60s.%.60s'",
			       x->columns[0]->source->name, x->columns[0]->field_name);
		(void)sotto_policy_option(b->planner->policy, option);
	}
	if (x->type == SOTTO_TYPE_TEXT)
		return sotto_bind_refuse(
			b, arg,
			"%.60s is a text, and %s takes numbers and dates with "
			"bounds; the most frequent text is found with MODE, or "
			"with %.60s as a key and COUNT(*) beside it",
			name, call->text, name);
	if (x->type == SOTTO_TYPE_DATE || x->type == SOTTO_TYPE_TIMESTAMP)
		return sotto_bind_refuse(b, arg,
					 "%.60s in %s has no bounds; declare them in the "
					 "policy, like bounds: [2020-01-01, 2024-12-31]",
					 name, call->text);
	if (divisor_of(arg))
		return sotto_bind_refuse(
			b, arg,
			"%.60s in %s has no bounds, because %.40s may be 0 or next to it; say "
			"how "
			"small it may be, like WHERE %.40s >= 1, or write clip(%.60s, lowest, "
			"highest)",
			name, call->text, divisor_of(arg), divisor_of(arg),
			strcmp(name, "an expression") == 0 ? "x" : name);
	return sotto_bind_refuse(
		b, arg,
		"%.60s in %s has no bounds, so one unit could move the result "
		"without limit; declare bounds in the policy, write "
		"clip(x, lowest, highest), or find bounds with sotto bounds%s%s",
		name, call->text, operand, option);
}

/* A date as the number of its day, a timestamp as that of its second: whole numbers. */
static enum sotto_status
count_moments(struct sotto_binder *b, const struct sotto_sql_expr *arg, struct sotto_bound *x)
{
	bool date = x->type == SOTTO_TYPE_DATE;
	struct sotto_value_range day, rest;
	const struct sotto_expression *value;

	SOTTO_TRY(sotto_bind_temporal(b, arg, x, &value));
	SOTTO_TRY(sotto_bind_made(b, &x->value,
				  date ? SOTTO_APPLY(b->arena, SOTTO_OP_DAYS_SINCE, value)
				       : SOTTO_APPLY(b->arena, SOTTO_OP_SECONDS_SINCE, value)));
	if (!date) {
		SOTTO_TRY(sotto_range_of(b->arena, 86400, 86400, &day));
		SOTTO_TRY(sotto_range_of(b->arena, 0, 86399, &rest));
		SOTTO_TRY(sotto_range_multiply(b->arena, x->range, day, &x->range));
		SOTTO_TRY(sotto_range_add(b->arena, x->range, rest, &x->range));
	}
	x->type = SOTTO_TYPE_INTEGER;
	x->is_double = false;
	x->nullable = true;
	x->whole = NULL;
	x->domain = NULL;
	return SOTTO_OK;
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

/* A whole number, or a decimal, whose last digit is a whole number of steps lies on the grid. */
static bool is_on_grid(const struct sotto_bound *x, const struct sotto_rational *step)
{
	struct sotto_rational digit;
	bool whole;

	if (x->type == SOTTO_TYPE_INTEGER && mpz_cmp_ui(mpq_numref(step->q), 1) == 0)
		return true;
	if (!x->is_decimal || x->is_rough)
		return false;
	sotto_rational_init(&digit);
	mpz_ui_pow_ui(mpq_denref(digit.q), 10, x->scale);
	mpz_set_ui(mpq_numref(digit.q), 1);
	mpq_div(digit.q, digit.q, step->q);
	whole = mpz_cmp_ui(mpq_denref(digit.q), 1) == 0;
	sotto_rational_release(&digit);
	return whole;
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
enum sotto_status sotto_count_values(struct sotto_plan *plan, struct sotto_binder *b,
				     const struct sotto_sql_expr *call,
				     const struct sotto_bound *x, size_t *index)
{
	struct sotto_measure m = {.kind = SOTTO_MEASURE_ROWS, .label = "rows with a value"};
	struct sotto_rational *step;
	const struct sotto_expression *value;

	if (!x->nullable && !x->is_double)
		return sotto_count_measure(plan, b, call, SOTTO_MEASURE_ROWS, NULL, "rows",
					   index);
	if (!is_summable(x)) {
		SOTTO_TRY(sotto_without_nan(b, x, &value));
		value = x->whole ? x->whole : value;
		return sotto_count_measure(plan, b, call, SOTTO_MEASURE_ROWS, value, m.label,
					   index);
	}
	step = sotto_arena_rational(&plan->arena);
	m.step = one(plan);
	SOTTO_NEED(step && m.step);
	sotto_step_choose(x, step);
	SOTTO_TRY(steps_column(plan, b, call, x, step, &m.column));
	return sotto_measure_add(plan, &m, index);
}

/* Where several aggregates clip the same values, the narrower bounds are noted. */
static enum sotto_status
note_clip(struct sotto_plan *plan, struct sotto_binder *b, const struct sotto_sql_expr *call,
	  const struct sotto_sql_expr *arg, const struct sotto_summand *s)
{
	struct sotto_row_column *c = &plan->columns[s->column];
	bool can_clip;

	SOTTO_TRY(sotto_clip_can_bind(b, call, arg, s->x.range, &can_clip));
	c->clip_type = s->shown;
	c->clip_lo = c->name && c->clip_lo > s->lo ? c->clip_lo : s->lo;
	c->clip_hi = c->name && c->clip_hi < s->hi ? c->clip_hi : s->hi;
	c->can_clip = c->can_clip || can_clip;
	c->can_round = !is_on_grid(&s->x, s->step);
	c->step = s->step;
	c->name = arg->kind == SOTTO_SQL_COLUMN
			  ? sotto_arena_text(&plan->arena, arg->text)
			  : sotto_sql_arguments_of(&plan->arena, b->text, call->at);
	SOTTO_NEED(c->name);
	return SOTTO_OK;
}

enum sotto_status sotto_summand_bind(struct sotto_plan *plan, struct sotto_binder *b,
				     const struct sotto_sql_expr *call,
				     const struct sotto_sql_expr *arg, struct sotto_summand *s)
{
	const struct sotto_expression *number;

	SOTTO_TRY(bind_value(b, call, arg, &s->x));
	s->shown = s->x.type;
	if (!sotto_range_is_closed(s->x.range) && s->x.type != SOTTO_TYPE_BOOLEAN)
		return refuse_open(b, call, arg, &s->x);
	if (s->moments && (s->x.type == SOTTO_TYPE_DATE || s->x.type == SOTTO_TYPE_TIMESTAMP))
		SOTTO_TRY(count_moments(b, arg, &s->x));
	SOTTO_TRY(sotto_bind_as(b, arg, &s->x, SOTTO_TYPE_NUMBER, &number));
	s->step = sotto_arena_rational(&plan->arena);
	SOTTO_NEED(s->step);
	sotto_step_choose(&s->x, s->step);
	if (!sotto_step_count(s->x.range.lo, s->step, &s->lo) ||
	    !sotto_step_count(s->x.range.hi, s->step, &s->hi))
		return sotto_bind_refuse(b, call,
					 "the step is too fine for the bounds: more than "
					 "2^%d steps; declare a coarser step",
					 SOTTO_STEPS_BITS);
	SOTTO_TRY(steps_column(plan, b, call, &s->x, s->step, &s->column));
	return note_clip(plan, b, call, arg, s);
}

enum sotto_status sotto_summand_bind_only(struct sotto_plan *plan, struct sotto_binder *b,
					  const struct sotto_sql_expr *call,
					  struct sotto_summand *s)
{
	if (call->count != 1 || call->args[0]->kind == SOTTO_SQL_STAR)
		return sotto_bind_refuse(b, call, "%s takes one argument", call->text);
	SOTTO_TRY(sotto_summand_bind(plan, b, call, call->args[0], s));
	s->distinct = call->distinct;
	return SOTTO_OK;
}

enum sotto_status sotto_sum_measure(struct sotto_plan *plan, const struct sotto_summand *s,
				    int64_t centre, size_t *index)
{
	struct sotto_measure m = {.kind = SOTTO_MEASURE_SUM,
				  .column = s->column,
				  .addend = {.clip_lo = s->lo,
					     .clip_hi = s->hi,
					     .centre = centre,
					     .lo = s->lo - centre,
					     .hi = s->hi - centre,
					     .distinct = s->distinct},
				  .step = s->step,
				  .label = s->distinct ? "sum of different values"
					   : centre    ? "sum around the centre"
						       : "sum"};

	return sotto_measure_add(plan, &m, index);
}

enum sotto_status sotto_square_measure(struct sotto_plan *plan, const struct sotto_summand *s,
				       int64_t centre, size_t *index)
{
	int64_t lo = s->lo - centre, hi = s->hi - centre;
	int64_t size = hi > -lo ? hi : -lo;
	struct sotto_rational *step = sotto_arena_rational(&plan->arena);
	struct sotto_measure m = {.kind = SOTTO_MEASURE_SUM,
				  .column = s->column,
				  .addend = {.clip_lo = s->lo,
					     .clip_hi = s->hi,
					     .centre = centre,
					     .square = true,
					     .distinct = s->distinct},
				  .step = step,
				  .label = "sum of squares around the centre"};

	SOTTO_NEED(step);
	while (size * size >> m.addend.square_shift > (int64_t)1 << SQUARE_BITS)
		m.addend.square_shift++;
	m.addend.hi = size * size >> m.addend.square_shift;
	sotto_rational_multiply(step, s->step, s->step);
	mpq_mul_2exp(step->q, step->q, m.addend.square_shift);
	return sotto_measure_add(plan, &m, index);
}

/* How many values are added: rows with one, or different values. */
enum sotto_status sotto_count_summands(struct sotto_plan *plan, struct sotto_binder *b,
				       const struct sotto_sql_expr *call,
				       const struct sotto_summand *s, size_t *index)
{
	struct sotto_measure m = {.kind = SOTTO_MEASURE_DISTINCT,
				  .column = s->column,
				  .step = one(plan),
				  .label = "different values"};

	if (!s->distinct)
		return sotto_count_values(plan, b, call, &s->x, index);
	SOTTO_NEED(m.step);
	return sotto_measure_add(plan, &m, index);
}

static int64_t middle(const struct sotto_summand *s)
{
	return s->lo + (s->hi - s->lo) / 2;
}

enum sotto_status sotto_centre_value(struct sotto_plan *plan, const struct sotto_summand *s,
				     int64_t centre, const struct sotto_rational **out)
{
	struct sotto_rational *value = sotto_arena_rational(&plan->arena);

	SOTTO_NEED(value);
	mpq_set_si(value->q, centre, 1);
	mpq_mul(value->q, value->q, s->step->q);
	*out = value;
	return SOTTO_OK;
}

/* Where a plain sum of the same values is asked for anyway, the average uses it. */
int64_t sotto_summand_centre(const struct sotto_plan *plan, const struct sotto_summand *s)
{
	for (size_t i = 0; i < plan->measure_count; i++) {
		const struct sotto_measure *m = &plan->measures[i];

		if (m->kind == SOTTO_MEASURE_SUM && m->column == s->column &&
		    !m->addend.square && m->addend.distinct == s->distinct)
			return m->addend.centre;
	}
	return middle(s);
}
