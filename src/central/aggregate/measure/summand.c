/*
 * Puts values of rows on a grid within bounds, so that one unit can change what is counted or
 * added up by a limited amount only.
 */
#include "central/aggregate/measure/summand.h"

#include "central/parse/dialect/sql_text.h"
#include "central/aggregate/measure/clip_limit.h"
#include "central/aggregate/measure/measure_add.h"
#include "central/expression/bind.h"
#include "central/expression/range/public_range.h"
#include "central/expression/range/condition_range.h"
#include "central/expression/range/value_range.h"
#include "central/plan/plan.h"
#include "central/plan/planner.h"
#include "central/relation/relation.h"
#include "core/base/arena_rational.h"
#include "core/base/failure.h"

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
	struct sotto_range_before *before;
	enum sotto_status st;

	SOTTO_TRY(sotto_condition_range_apply(b, call->filter, &before));
	st = sotto_bind_summand(b, arg, out);
	sotto_condition_range_undo(before);
	return st;
}

enum sotto_status
sotto_summand_within(struct sotto_binder *b, const struct sotto_sql_expr *call,
		     const struct sotto_sql_expr *arg, struct sotto_bound *out)
{
	SOTTO_TRY(bind_value(b, call, arg, out));
	SOTTO_TRY(sotto_public_range(b, out));
	if (!sotto_range_is_closed(out->range) && out->type != SOTTO_TYPE_BOOLEAN)
		return sotto_summand_refuse_open(b, call, arg, out);
	return SOTTO_OK;
}

/* ---- sums -------------------------------------------------------------------------- */

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

bool sotto_has_all_values(const struct sotto_bound *x)
{
	const struct sotto_scope_column *c = x->column_count == 1 ? x->columns[0] : NULL;

	if (x->nullable)
		return false;
	return !x->is_double || (c && c->is_filled && c->bound.value == x->value);
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

	if (sotto_has_all_values(x))
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

/* What a part of an aggregate reads is told as the value that the analyst wrote. */
static enum sotto_status tell(struct sotto_plan *plan, struct sotto_binder *b,
			      const struct sotto_sql_expr *call, struct sotto_row_column *c)
{
	const struct sotto_sql_expr *e = call->told;
	struct sotto_bound x;

	SOTTO_TRY(sotto_summand_within(b, call, e, &x));
	SOTTO_TRY(sotto_clip_sides(b, call->filter, e, x.range, &c->told_clips));
	c->told = x.range;
	c->clip_type = x.type;
	c->name = sotto_arena_text(&plan->arena, e->kind == SOTTO_SQL_COLUMN
							 ? e->text
							 : sotto_summand_columns(b->arena, &x));
	return c->name ? SOTTO_OK : SOTTO_ENOMEM;
}

/* Where several aggregates clip the same values, the narrower bounds are noted. */
static enum sotto_status
note_clip(struct sotto_plan *plan, struct sotto_binder *b, const struct sotto_sql_expr *call,
	  const struct sotto_sql_expr *arg, const struct sotto_summand *s)
{
	struct sotto_row_column *c = &plan->columns[s->column];
	struct sotto_sides clips;

	SOTTO_TRY(sotto_clip_sides(b, call->filter, arg, s->x.range, &clips));
	c->clip_type = s->shown;
	c->clip_lo = c->name && c->clip_lo > s->lo ? c->clip_lo : s->lo;
	c->clip_hi = c->name && c->clip_hi < s->hi ? c->clip_hi : s->hi;
	c->clips.below = c->clips.below || clips.below;
	c->clips.above = c->clips.above || clips.above;
	c->can_round = !is_on_grid(&s->x, s->step);
	c->step = s->step;
	if (call->told)
		return tell(plan, b, call, c);
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

	SOTTO_TRY(sotto_summand_within(b, call, arg, &s->x));
	s->shown = s->x.type;
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
