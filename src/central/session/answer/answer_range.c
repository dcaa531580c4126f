/*
 * Where an expression lies that turns inside the region (answer_range.h).
 *
 * Each part lies in its own range, wherever in the region the measures are.  So an operator or
 * a function that is monotone in each argument lies between its values at the ends of the
 * arguments' ranges; if it turns at 0 and an argument's range holds 0, it lies between
 * these values and the value at 0.  Where two parts read one measure the range is wider
 * than it need be, never narrower.
 */
#include "central/session/answer/answer_range.h"

#include <math.h>
#include <stdio.h>

#include "central/expression/row_function.h"

enum { ARGUMENTS_MAX = 2 };

static const struct sotto_noise_range unknown = {INFINITY, -INFINITY, false};

static bool is_known(struct sotto_noise_range r)
{
	return r.low <= r.high;
}

static bool holds_zero(struct sotto_noise_range r)
{
	return r.low <= 0 && r.high >= 0;
}

/* ---- what is monotone ----------------------------------------------------------------------- */

enum shape { OTHER, MONOTONE, TURNS_AT_ZERO, NEEDS_NONNEGATIVE };

static enum shape shape_of_call(const struct sotto_sql_expr *e)
{
	const struct sotto_function *f = sotto_function_find(e->text);
	enum sotto_sql_form form = sotto_sql_expr_form(e);

	if (form == SOTTO_SQL_FORM_GREATEST || form == SOTTO_SQL_FORM_LEAST)
		return MONOTONE;
	if (!f || (!f->answer.one && !f->answer.two))
		return OTHER;
	switch (f->answer.shape) {
	case SOTTO_SHAPE_MONOTONE:
		return MONOTONE;
	case SOTTO_SHAPE_ROOT:
		return NEEDS_NONNEGATIVE;
	case SOTTO_SHAPE_TURNS:
		return TURNS_AT_ZERO;
	case SOTTO_SHAPE_WAVES:
	case SOTTO_SHAPE_DIVIDES:
		break;
	}
	return OTHER;
}

static enum shape shape_of(const struct sotto_sql_expr *e, const struct sotto_noise_range *args)
{
	if (e->count == 0 || e->count > ARGUMENTS_MAX)
		return OTHER;
	if (e->kind == SOTTO_SQL_CAST)
		return MONOTONE;
	if (e->kind == SOTTO_SQL_CALL)
		return e->over || e->filter ? OTHER : shape_of_call(e);
	if (e->kind != SOTTO_SQL_OP)
		return OTHER;
	if (e->op == SOTTO_SQL_DIVIDE)
		return holds_zero(args[1]) ? OTHER : MONOTONE;
	return e->op <= SOTTO_SQL_MULTIPLY || e->op == SOTTO_SQL_NEGATE ? MONOTONE : OTHER;
}

/* ---- values at given arguments -------------------------------------------------------------- */

/* The operator or function of e, of these numbers. */
static double value_at(struct sotto_answer_work *w, size_t row, const struct sotto_sql_expr *e,
		       const double *x)
{
	struct sotto_sql_expr node = *e, numbers[ARGUMENTS_MAX], *args[ARGUMENTS_MAX];
	char texts[ARGUMENTS_MAX][32];

	for (size_t i = 0; i < e->count; i++) {
		(void)snprintf(texts[i], sizeof texts[i], "%.17g", x[i]);
		numbers[i] =
			(struct sotto_sql_expr){.kind = SOTTO_SQL_NUMBER, .text = texts[i]};
		args[i] = &numbers[i];
	}
	node.args = args;
	return sotto_noise_region_value(w, row, &node);
}

/* At each choice of one of the points of each argument; unknown if one of them is not a number. */
static struct sotto_noise_range at_points(struct sotto_answer_work *w, size_t row,
					  const struct sotto_sql_expr *e,
					  const double points[][3], const size_t *counts)
{
	struct sotto_noise_range r = {INFINITY, -INFINITY, true};
	size_t seconds = e->count == 2 ? counts[1] : 1;

	for (size_t i = 0; i < counts[0] * seconds; i++) {
		double x[ARGUMENTS_MAX] = {points[0][i / seconds], points[1][i % seconds]};
		double at = value_at(w, row, e, x);

		if (!isfinite(at))
			return unknown;
		r.low = fmin(r.low, at);
		r.high = fmax(r.high, at);
	}
	return r;
}

/* ---- ranges --------------------------------------------------------------------------------- */

static struct sotto_noise_range combine(struct sotto_answer_work *w, size_t row,
					const struct sotto_sql_expr *e,
					const struct sotto_noise_range *args)
{
	enum shape shape = shape_of(e, args);
	double points[ARGUMENTS_MAX][3] = {{0}};
	size_t counts[ARGUMENTS_MAX];

	if (shape == OTHER || (shape == NEEDS_NONNEGATIVE && args[0].high < 0))
		return unknown;
	for (size_t i = 0; i < e->count; i++) {
		points[i][0] = args[i].low;
		points[i][1] = args[i].high;
		counts[i] = 2; /* the third point is 0 */
	}
	if (shape == TURNS_AT_ZERO && holds_zero(args[0]))
		counts[0] = 3;
	if (shape == TURNS_AT_ZERO && e->count == 2 && args[1].low != args[1].high)
		return unknown;
	if (shape == NEEDS_NONNEGATIVE)
		points[0][0] = fmax(points[0][0], 0);
	return at_points(w, row, e, points, counts);
}

struct sotto_noise_range sotto_noise_range_of(const struct sotto_noise_region *region,
					      struct sotto_answer_work *w,
					      const struct sotto_sql_expr *e)
{
	struct sotto_noise_range args[ARGUMENTS_MAX];

	if (sotto_noise_region_has_extremes_at_corners(region, w, e)) {
		struct sotto_noise_range r = sotto_noise_region_survey(region, w, e);

		return r.is_number ? r : unknown;
	}
	if (e->count == 0 || e->count > ARGUMENTS_MAX)
		return unknown;
	for (size_t i = 0; i < e->count; i++) {
		args[i] = sotto_noise_range_of(region, w, e->args[i]);
		if (!is_known(args[i]))
			return unknown;
	}
	return combine(w, region->row, e, args);
}
