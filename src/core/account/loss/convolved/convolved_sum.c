/*
 * Places the outcomes of each event on the grid, tilted, multiplies the transforms, and sums what lies above epsilon (convolved.md).
 */
#include "core/account/loss/convolved/convolved_sum.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/compensated_sum.h"
#include "core/account/loss/convolved/convolved_product.h"
#include "core/base/failure.h"

/* An outcome farther from 0 than this many steps is moved to there, or left out. */
#define STEPS_MAX 0x1p50
/* Masses and tails below this may have become 0. */
#define SMALLEST 0x1p-1022
/* Bounds are sharpest so far below the mean of the tilted loss, times the order. */
#define PLACE 2.0
/* Tilted masses below the exponential of this are less than the points err by anyway. */
#define FAINT (-200.0)
/* Where a factor has become this small the rest is bounded in one. */
#define NEGLIGIBLE 1e-24

void sotto_convolved_sum_release(struct sotto_convolved_sum *s)
{
	free(s->p);
	s->p = s->q = NULL;
}

/* What the placing of one list keeps track of. */
struct placing {
	const struct sotto_convolved_sum *sum;
	struct cx *points;
	double base_p, base_q; /* logs that are taken off all tilted masses */
	struct sotto_sum p, q;
	double moment; /* of the tilted P */
	double largest; /* argument of an exponential, in size */
};

static struct cx *point_at(const struct placing *x, double index)
{
	return &x->points[(uint64_t)(int64_t)index & (x->sum->line.n - 1)];
}

/* What an exponential is computed from, if it is large enough to matter beside the error of all points. */
static void note_size(struct placing *x, double log_mass, double parts)
{
	if (log_mass > FAINT)
		x->largest = fmax(x->largest, fabs(log_mass) + parts);
}

/* P-mass at a point; below, also the Q-mass that comes with it, of which the log is given. */
static void put(struct placing *x, double index, double mass, double log_q)
{
	const struct sotto_convolved_line *line = &x->sum->line;
	double at = index * line->step, p = log(mass) + line->order * at - x->base_p,
	       q = log_q + (line->order + 1) * at - x->base_q;
	struct cx *to = point_at(x, index);

	if (!(mass > 0))
		return;
	note_size(x, p, fabs(x->base_p) + line->order * fabs(at));
	p = exp(p);
	to->re += p;
	x->moment += p * at;
	sotto_sum_add(&x->p, p);
	if (x->sum->side == SOTTO_UPPER)
		return;
	note_size(x, q, fabs(x->base_q) + fabs(log_q) + (line->order + 1) * fabs(at));
	q = exp(q);
	to->im += q;
	sotto_sum_add(&x->q, q);
}

/*
 * Above, P and Q keep their masses between the two points: that at the right is P - e^g Q over 1 - e^-step, and more if anything.  Below, an
 * outcome goes to either point by chance, whoever it comes from.
 */
static void place(struct placing *x, double loss, double mass)
{
	double step = x->sum->line.step, index = floor(loss / step), rest, part;

	if (fabs(index) >
	    STEPS_MAX) { /* far below, since what is far above has become infinite */
		if (x->sum->side == SOTTO_UPPER)
			put(x, -STEPS_MAX, mass, 0);
		return;
	}
	rest = fmin(fmax(loss - index * step, 0), step);
	if (x->sum->side == SOTTO_UPPER) {
		rest = fmin(rest + 8 * SOTTO_U * fabs(loss), step);
		part = fmin(1, expm1(-rest) / expm1(-step) * (1 + 0x1p-43));
	} else {
		part = rest / step;
	}
	put(x, index, mass * (1 - part), log(mass * (1 - part)) - loss);
	put(x, index + 1, mass * part, log(mass * part) - loss);
}

/* The largest tilted mass, roughly: losses above 0 count. */
static double base_of(const struct sotto_cells *c, double order)
{
	double most = -INFINITY;

	for (size_t i = 0; i < c->outcomes; i++)
		if (c->mass[i] > 0)
			most = fmax(most, log(c->mass[i]) + order * c->loss[i]);
	return most;
}

/* Infinite losses: above also those beyond the grid's numbers. */
static double infinite_of(const struct sotto_convolved_sum *s, const struct sotto_cells *c)
{
	double far = s->line.step * STEPS_MAX, sum = c->infinite;

	if (s->side == SOTTO_LOWER)
		return sum * (1 - 0x1p-39);
	sum = c->above + SMALLEST * (double)(c->outcomes + 2);
	for (size_t i = 0; i < c->outcomes; i++)
		sum += c->loss[i] >= far ? c->mass[i] : 0;
	return sum * (1 + 0x1p-39);
}

/* One event, its masses divided by their sums. */
static void add_event(struct sotto_convolved_sum *s, struct sotto_convolved_product *product,
		      const struct sotto_convolved_event *e)
{
	const struct sotto_cells *c = sotto_convolved_side(e, s->side);
	struct placing x = {.sum = s,
			    .points = product->points,
			    .base_p = base_of(c, s->line.order),
			    .base_q = base_of(c, s->line.order)};
	double far = s->line.step * STEPS_MAX, p, q;

	for (size_t i = 0; i < c->outcomes; i++)
		if (c->mass[i] > 0 && c->loss[i] < far)
			place(&x, c->loss[i], c->mass[i]);
	p = sotto_sum_total(&x.p);
	q = s->side == SOTTO_LOWER ? sotto_sum_total(&x.q) : 1;
	for (size_t i = 0; i < s->line.n; i++) {
		product->points[i].re /= p;
		product->points[i].im /= q;
	}
	s->place += e->count * x.moment / p;
	s->log_p += e->count * (x.base_p + log(p));
	s->log_q += e->count * (x.base_q + log(q));
	s->relative += e->count *
		       (c->error + SOTTO_U * (8 * x.largest + 32 + 2 * (double)c->outcomes));
	sotto_convolved_product_multiply(product, e->count);
}

/* A bound of the tilted mass from `end` on, or up to there, by another order; placing has moved each loss by a step at most. */
static double beyond(const struct sotto_convolved_sum *s,
		     const struct sotto_convolved_events *e, double change, double end)
{
	double order = s->line.order + change,
	       log_mass = sotto_convolved_cumulant(e, s->side, order) +
			  e->total * fabs(order) * s->line.step - s->log_p - change * end;

	return fmin(1, exp(log_mass + 1e-6));
}

static void bound_ends(struct sotto_convolved_sum *s, const struct sotto_convolved_events *e)
{
	double bottom = (double)s->line.first * s->line.step,
	       top = bottom + (double)s->line.n * s->line.step;

	s->above = beyond(s, e, s->line.rise, top);
	s->outside = s->above + beyond(s, e, -s->line.fall, bottom - s->line.step);
}

static enum sotto_status
multiply_all(struct sotto_convolved_sum *s, const struct sotto_convolved_events *e,
	     struct sotto_convolved_product *product, struct sotto_work *work)
{
	double log_finite = 0;

	for (size_t i = 0; i < e->n; i++) {
		const struct sotto_cells *c = sotto_convolved_side(&e->list[i], s->side);
		double infinite = fmin(1 - 0x1p-40, infinite_of(s, c));

		if (!sotto_work_take(work, sotto_convolved_product_steps(s->line.n) +
						   60 * (double)c->outcomes))
			return SOTTO_EREFUSED;
		if (!isfinite(base_of(c, s->line.order)))
			return SOTTO_EREFUSED;
		log_finite += e->list[i].count * log1p(-infinite);
		add_event(s, product, &e->list[i]);
	}
	s->infinite = -expm1(log_finite) * (s->side == SOTTO_UPPER ? 1 + 0x1p-39 : 1 - 0x1p-39);
	s->error = sotto_convolved_product_invert(product);
	s->place -= PLACE / s->line.order;
	return SOTTO_OK;
}

static enum sotto_status
take_points(struct sotto_convolved_sum *s, const struct sotto_convolved_product *product)
{
	size_t n = s->line.n;

	s->p = malloc(2 * n * sizeof *s->p);
	if (!s->p)
		return SOTTO_ENOMEM;
	s->q = s->p + n;
	for (size_t i = 0; i < n; i++) {
		s->p[i] = product->points[i].re;
		s->q[i] = product->points[i].im;
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_convolved_sum_make(struct sotto_convolved_sum *s, const struct sotto_convolved_events *e,
			 enum sotto_side side, const struct sotto_convolved_line *line,
			 struct sotto_work *work)
{
	struct sotto_convolved_product product;
	enum sotto_status st;

	*s = (struct sotto_convolved_sum){.side = side, .line = *line};
	st = sotto_convolved_product_init(&product, line->n);
	if (st == SOTTO_OK)
		st = multiply_all(s, e, &product, work);
	if (st == SOTTO_OK)
		st = take_points(s, &product);
	sotto_convolved_product_release(&product);
	if (st == SOTTO_OK)
		bound_ends(s, e);
	return st;
}

/* ---- delta ------------------------------------------------------------------------------------ */

/* Sums over the points above epsilon, of masses times e^(-order (loss - epsilon)), and once more times e^-(loss - epsilon). */
struct tail {
	double p, q, rest; /* rest: what the last factor was */
	double slack; /* relative, of both */
};

static struct tail sum_tail(const struct sotto_convolved_sum *s, double epsilon)
{
	const struct sotto_convolved_line *l = &s->line;
	double index = floor(epsilon / l->step) + 1, gap = index * l->step - epsilon;
	int64_t j = (int64_t)index, end = l->first + (int64_t)l->n;
	double sign = s->side == SOTTO_UPPER ? 1 : -1, fall = exp(-l->order * l->step),
	       fall_one = exp(-l->step), factor = exp(-l->order * gap), one = exp(-gap);
	const double *q = s->side == SOTTO_UPPER ? s->p : s->q;
	struct tail t = {.slack = 0};
	int64_t steps = 0;

	for (; j < end && factor > NEGLIGIBLE; j++, steps++) {
		size_t at = (size_t)((uint64_t)j & (l->n - 1));

		t.p += factor * fmax(0, s->p[at] + sign * s->error);
		t.q += factor * one * fmax(0, q[at] + s->error);
		factor *= fall;
		one *= fall_one;
	}
	t.rest = factor;
	t.slack = SOTTO_U * (8 * (double)steps + 64 +
			     4 * (l->order + 1) * (fabs(epsilon) + fabs(index) * l->step));
	return t;
}

static double log_add(double a, double b)
{
	double most = fmax(a, b);

	return isinf(most) ? most : most + log(exp(a - most) + exp(b - most));
}

/* All masses as they are, and what lies beyond. */
static double delta_above(const struct sotto_convolved_sum *s, double epsilon)
{
	struct tail t = sum_tail(s, epsilon);
	double sum = (t.p - t.q + 2 * t.slack * t.p) * (1 + 1.01 * s->relative) +
		     (t.rest > NEGLIGIBLE ? t.rest * s->above : t.rest),
	       scale = s->log_p - s->line.order * epsilon;

	scale += 8 * SOTTO_U * (fabs(s->log_p) + fabs(s->line.order * epsilon) + 8);
	return fmin(0, log_add(log(s->infinite), scale + log(sum)) + 4 * SOTTO_U);
}

/* P less e^epsilon Q of the points above epsilon, a test that says something about any pair. */
static double delta_below(const struct sotto_convolved_sum *s, double epsilon)
{
	struct tail t = sum_tail(s, epsilon);
	double loss = 1.01 * s->relative + t.slack, ratio = exp(s->log_q - s->log_p),
	       sum = t.p * (1 - loss) - ratio * t.q * (1 + loss) - s->outside,
	       scale = s->log_p - s->line.order * epsilon;

	scale -= 8 * SOTTO_U *
		 (fabs(s->log_p) + fabs(s->log_q) + fabs(s->line.order * epsilon) + 8);
	return log_add(log(s->infinite), sum > 0 ? scale + log(sum) : -INFINITY) - 4 * SOTTO_U;
}

/* delta falls: before its place the tilt makes errors large, and so it does behind the window. */
double sotto_convolved_sum_delta(const struct sotto_convolved_sum *s, double epsilon)
{
	const struct sotto_convolved_line *l = &s->line;
	double bottom = (double)l->first * l->step,
	       top = (double)(l->first + (int64_t)l->n - 2) * l->step, low;

	if (s->side == SOTTO_UPPER)
		return epsilon < bottom ? 0 : delta_above(s, fmin(epsilon, top));
	if (epsilon > top)
		return log(s->infinite);
	low = epsilon < bottom ? -INFINITY : delta_below(s, epsilon);
	return epsilon < s->place ? fmax(low, delta_below(s, fmin(s->place, top))) : low;
}

/* The sums at a point are those at the next, and what is there, one step farther away. */
struct sotto_convolved_tail sotto_convolved_sum_tail(const struct sotto_convolved_sum *s,
						     int64_t index,
						     struct sotto_convolved_sums *sums)
{
	const struct sotto_convolved_line *l = &s->line;
	bool upper = s->side == SOTTO_UPPER;
	double fall = exp(-l->order * l->step), epsilon = (double)index * l->step,
	       slack = SOTTO_U * (8 * (double)l->n + 64 + 8 * (l->order + 1) * fabs(epsilon)),
	       loss = 1.01 * s->relative + slack, scale = s->log_p - l->order * epsilon, wrong;
	size_t next = (size_t)((uint64_t)(index + 1) & (l->n - 1));
	struct sotto_convolved_tail t = {0};

	if (index + 1 < l->first + (int64_t)l->n) {
		const double *q = upper ? s->p : s->q;

		sums->p = fall * (sums->p + fmax(0, s->p[next] + (upper ? 1 : -1) * s->error));
		sums->q = fall * exp(-l->step) * (sums->q + fmax(0, q[next] + s->error));
	}
	wrong = 8 * SOTTO_U * (fabs(s->log_p) + fabs(s->log_q) + fabs(l->order * epsilon) + 8);
	if (upper) {
		double beyond = s->above *
				exp(-l->order *
				    ((double)(l->first + (int64_t)l->n) * l->step - epsilon));

		t.delta = exp(scale + wrong) *
			  ((sums->p - sums->q + 2 * slack * sums->p) * (1 + loss) + beyond);
		return t;
	}
	t.p = exp(scale - wrong) * (sums->p * (1 - loss) - s->outside);
	t.q = exp(scale + wrong + s->log_q - s->log_p) * sums->q * (1 + loss);
	t.delta = t.p - t.q;
	return t;
}
