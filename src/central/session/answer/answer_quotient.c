/*
 * Finds the two linear forms, and all quotients that the noise leaves possible (Fieller, 1954).
 */
#include "central/session/answer/answer_quotient.h"

#include <math.h>
#include <stdlib.h>

#include "central/expression/row_function.h"
#include "central/price/pair_noise.h"
#include "central/session/answer/noise_reach.h"
#include "core/number/nearest.h"

/* constant + of[0] m0 + of[1] m1, where m0 and m1 are the two measures in steps. */
struct linear {
	double constant, of[2];
};

struct quotient {
	struct linear top, bottom;
};

/* ---- what an output is ---------------------------------------------------------------------- */

static const struct linear one = {.constant = 1};

static bool is_constant(const struct linear *x)
{
	return x->of[0] == 0 && x->of[1] == 0;
}

static struct linear scaled(struct linear x, double by)
{
	return (struct linear){x.constant * by, {x.of[0] * by, x.of[1] * by}};
}

static struct linear sum(struct linear x, struct linear y)
{
	return (struct linear){x.constant + y.constant, {x.of[0] + y.of[0], x.of[1] + y.of[1]}};
}

/* A measure as a value; it is one of the two. */
static struct linear
measure(const struct sotto_plan *plan, const struct sotto_noise_region *region, size_t i)
{
	struct linear x = {0};

	x.of[i == region->read[1]] = sotto_nearest_double(plan->measures[i].step->q);
	return x;
}

/* The centre and what lies above it: aggregate_avg.c. */
static struct quotient average(const struct sotto_plan *plan,
			       const struct sotto_noise_region *region,
			       const struct sotto_moments *m)
{
	const struct sotto_measure *s = &plan->measures[m->sum];
	double width = (double)s->addend.hi * sotto_nearest_double(s->step->q);
	double centre = sotto_nearest_double(m->centre->q);
	struct linear top = measure(plan, region, m->sum), bottom;

	bottom = measure(plan, region, m->count);
	if (m->by_ends) {
		bottom = sum(top, scaled(bottom, -1));
		top = scaled(top, width);
	}
	return (struct quotient){sum(top, scaled(bottom, centre)), bottom};
}

static bool is_average(const struct sotto_aggregate *a)
{
	return a->form == SOTTO_FORM_MOMENTS && a->record == sotto_aggregate_avg;
}

static bool of_aggregate(const struct sotto_plan *plan, const struct sotto_noise_region *region,
			 const struct sotto_aggregate *a, struct quotient *out)
{
	if (is_average(a))
		*out = average(plan, region, &a->moments);
	else if (a->form == SOTTO_FORM_MEASURE)
		*out = (struct quotient){measure(plan, region, a->measure), one};
	else
		return false;
	return true;
}

/* x + y, where all but one of the parts are numbers. */
static bool add(const struct quotient *x, const struct quotient *y, struct quotient *out)
{
	if (!is_constant(&y->bottom)) {
		if (!is_constant(&x->bottom))
			return false;
		return add(y, x, out);
	}
	if (!is_constant(&x->bottom) && !is_constant(&y->top))
		return false;
	out->bottom = x->bottom;
	out->top =
		is_constant(&x->bottom)
			? sum(x->top, scaled(y->top, x->bottom.constant / y->bottom.constant))
			: sum(x->top, scaled(x->bottom, y->top.constant / y->bottom.constant));
	return true;
}

static bool multiply(const struct quotient *x, const struct quotient *y, struct quotient *out)
{
	if (!is_constant(&y->top) || !is_constant(&y->bottom)) {
		if (!is_constant(&x->top) || !is_constant(&x->bottom))
			return false;
		return multiply(y, x, out);
	}
	*out = (struct quotient){scaled(x->top, y->top.constant),
				 scaled(x->bottom, y->bottom.constant)};
	return true;
}

static bool divide(const struct quotient *x, const struct quotient *y, struct quotient *out)
{
	struct quotient inverse = {y->bottom, y->top};

	if (is_constant(&x->bottom) && is_constant(&y->bottom)) {
		*out = (struct quotient){scaled(x->top, y->bottom.constant),
					 scaled(y->top, x->bottom.constant)};
		return true;
	}
	return is_constant(&y->top) && y->top.constant != 0 && multiply(x, &inverse, out);
}

static bool combine(enum sotto_sql_op op, const struct quotient *x, const struct quotient *y,
		    struct quotient *out)
{
	struct quotient negative = {scaled(y->top, -1), y->bottom};

	switch (op) {
	case SOTTO_SQL_ADD:
		return add(x, y, out);
	case SOTTO_SQL_SUBTRACT:
		return add(x, &negative, out);
	case SOTTO_SQL_MULTIPLY:
		return multiply(x, y, out);
	case SOTTO_SQL_DIVIDE:
		return divide(x, y, out);
	default:
		return false;
	}
}

/* The part that a cast to a number, or NULLIF(x, 0), passes on; NULL if e is neither. */
static const struct sotto_sql_expr *passed_on(const struct sotto_sql_expr *e)
{
	bool is_cast = e->kind == SOTTO_SQL_CAST && e->type == SOTTO_TYPE_NUMBER;
	bool is_nullif = e->kind == SOTTO_SQL_CALL && e->count == 2 &&
			 sotto_sql_expr_form(e) == SOTTO_SQL_FORM_NULLIF &&
			 e->args[1]->kind == SOTTO_SQL_NUMBER &&
			 strtod(e->args[1]->text, NULL) == 0;

	return is_cast || is_nullif ? e->args[0] : NULL;
}

static bool find(const struct sotto_plan *plan, const struct sotto_noise_region *region,
		 const struct sotto_sql_expr *e, struct quotient *out)
{
	struct quotient x, y;

	if (e->kind == SOTTO_SQL_VALUE)
		return of_aggregate(plan, region, &plan->aggregates[e->index], out);
	if (e->kind == SOTTO_SQL_NUMBER) {
		*out = (struct quotient){scaled(one, strtod(e->text, NULL)), one};
		return true;
	}
	if (passed_on(e))
		return find(plan, region, passed_on(e), out);
	if (e->kind != SOTTO_SQL_OP || !find(plan, region, e->args[0], &x))
		return false;
	if (e->op == SOTTO_SQL_NEGATE) {
		*out = (struct quotient){scaled(x.top, -1), x.bottom};
		return true;
	}
	return e->count == 2 && find(plan, region, e->args[1], &y) &&
	       combine(e->op, &x, &y, out);
}

/* ---- which quotients are possible ------------------------------------------------------------ */

struct line {
	struct quotient q;
	const struct sotto_added_noise *noise[2];
	double at[2]; /* the noisy measures, in steps */
	double rounding[2]; /* of values, in addition to the noise */
};

static double value(const struct line *l, const struct linear *x)
{
	return x->constant + x->of[0] * l->at[0] + x->of[1] * l->at[1];
}

/* How far the noise moves a linear form, with 95 %. */
static double reach(const struct line *l, const struct linear *x)
{
	return sotto_pair_noise_size_up(l->noise[0], x->of[0], l->noise[1], x->of[1]) +
	       fabs(x->of[0]) * l->rounding[0] + fabs(x->of[1]) * l->rounding[1];
}

/* If r is the exact quotient, top - r bottom is 0 without noise: can noise have made it this? */
static bool is_possible(const struct line *l, double r)
{
	struct linear rest = sum(l->q.top, scaled(l->q.bottom, -r));

	return fabs(value(l, &rest)) <= reach(l, &rest);
}

/* The last possible one from r on, in steps of that sign. */
static double last_possible(const struct line *l, double r, double step)
{
	double inside = r, outside = r + step;

	for (int i = 0; i < 200 && is_possible(l, outside); i++) {
		inside = outside;
		step *= 2;
		outside = r + step;
	}
	for (int i = 0; i < 50; i++) {
		double middle = inside + (outside - inside) / 2;

		if (is_possible(l, middle))
			inside = middle;
		else
			outside = middle;
	}
	return outside;
}

static bool is_whole(double x)
{
	return x == floor(x);
}

static bool is_rounded(const struct sotto_plan *plan, size_t measure)
{
	const struct sotto_measure *m = &plan->measures[measure];

	return m->kind == SOTTO_MEASURE_SUM && plan->columns[m->column].can_round;
}

/* A sum or difference of counts is a whole number: none lies beyond the last one inside. */
static void keep_whole(const struct sotto_plan *plan, const struct sotto_noise_region *region,
		       const struct quotient *q, double *low, double *high)
{
	const struct linear *x = &q->top;

	if (is_rounded(plan, region->read[0]) || is_rounded(plan, region->read[1]) ||
	    !is_constant(&q->bottom) || q->bottom.constant != 1 || !is_whole(x->constant) ||
	    !is_whole(x->of[0]) || !is_whole(x->of[1]))
		return;
	*low = ceil(*low);
	*high = floor(*high);
}

/* Averages are held within their bounds, and so are their ends. */
static void
hold(const struct sotto_plan *plan, const struct sotto_sql_expr *e, double *low, double *high)
{
	const struct sotto_aggregate *a = &plan->aggregates[e->index];
	double least, most;

	if (e->kind != SOTTO_SQL_VALUE || !is_average(a))
		return;
	least = sotto_nearest_double(a->range.lo->q);
	most = sotto_nearest_double(a->range.hi->q);
	*low = fmin(fmax(*low, least), most);
	*high = fmin(fmax(*high, least), most);
}

bool sotto_quotient_interval(const struct sotto_answer_work *w,
			     const struct sotto_noise_region *region,
			     const struct sotto_sql_expr *e, double *low, double *high)
{
	const struct sotto_plan *plan = w->plan;
	const struct sotto_group_values g = sotto_cell_values(w, region->row);
	double bottom, r, step;
	struct line l;

	if (region->count != 2 || region->read[1] >= plan->measure_count ||
	    !find(plan, region, e, &l.q))
		return false;
	for (size_t i = 0; i < 2; i++) {
		l.noise[i] = plan->measures[region->read[i]].noise;
		l.at[i] = (double)g.measures[region->read[i]].value;
		l.rounding[i] = sotto_noise_reach_rounding(w, region->row, region->read[i]);
	}
	bottom = value(&l, &l.q.bottom);
	if (!sotto_pair_noise_fits(l.noise[0], l.noise[1]) ||
	    !(fabs(bottom) > 1.01 * reach(&l, &l.q.bottom)))
		return false;
	r = value(&l, &l.q.top) / bottom;
	step = fmax(reach(&l, &l.q.top) / fabs(bottom), 1e-12 * fabs(r));
	*low = last_possible(&l, r, -step);
	*high = last_possible(&l, r, step);
	keep_whole(plan, region, &l.q, low, high);
	hold(plan, e, low, high);
	return isfinite(*low) && isfinite(*high);
}
