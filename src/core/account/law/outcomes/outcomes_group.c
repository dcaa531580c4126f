/* A black-box group of people in an event of which the outcomes are listed, or in sampled Laplace noise (argument in outcomes.md). */
#include <math.h>
#include <stdlib.h>

#include "core/account/integral/legendre.h"
#include "core/account/law/outcomes/outcomes.h"
#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

enum { PEOPLE_MAX = 8 };
/* Masses of a group that lose more digits are not used. */
#define MASS_ERROR_MAX 1e-9
/* Nothing that was left out may become more than this. */
#define LEFT_OUT_MAX 1e-30
/* Laplace noise: cells for the proof that the group's curve is convex, parameters, and panels as in outcomes_noise.c. */
enum { PROOF_CELLS = 256, PANELS_MAX = 200 };
#define LAPLACE_MIN 1e-6
#define LAPLACE_MAX 5.0
#define RATE_MIN 1e-6
#define RATE_MAX 0.9
#define PANEL 0.375
#define RADIUS 0.5

bool sotto_outcomes_group_possible(const struct sotto_event *e)
{
	const struct sotto_event *sampled = e->n_children ? e->children[0] : NULL, *noise;
	double epsilon, rate;

	if (e->kind != SOTTO_EVENT_GROUP || e->size > PEOPLE_MAX ||
	    sampled->kind != SOTTO_EVENT_SAMPLED || sampled->count != 1 ||
	    !sotto_outcomes_possible(sampled))
		return false;
	noise = sampled->children[0];
	if (noise->kind != SOTTO_EVENT_LAPLACE)
		return noise->kind != SOTTO_EVENT_SAMPLED && noise->kind != SOTTO_EVENT_APPROX;
	epsilon = mpq_get_d(noise->epsilon.q);
	rate = mpq_get_d(sampled->rate.q);
	return noise->count == 1 && epsilon >= LAPLACE_MIN && epsilon <= LAPLACE_MAX &&
	       rate >= RATE_MIN && rate <= RATE_MAX;
}

/* ---- listed outcomes ---- */

/* (S(b) - S(a))/(b^k - a^k), S = 1 + y + ... + y^(k-1), at a = e^x and b = e^(x+d) */
static double chord(double x, double d, double k)
{
	double sum = 0;

	for (double j = 1; j < k; j++)
		sum += exp((j - k) * x) * expm1(j * d);
	return sum / expm1(k * d);
}

/* At outcome i: P- less Q-mass of it and all above it, as a sum of terms of one sign; and the mass that they are differences of. */
struct ahead {
	double sum, size;
};

static void sum_ahead(const struct sotto_outcomes *o, struct ahead *ahead)
{
	struct ahead run = {0, 0};

	ahead[o->n] = run;
	for (size_t i = o->n; i-- > 0 && o->loss[i] > 0;) {
		run.sum += o->mass[i] * -expm1(-o->loss[i]);
		run.size += o->mass[i];
		ahead[i] = run;
	}
	run = (struct ahead){0, 0};
	for (size_t i = 0; i < o->n && !(o->loss[i] > 0); i++) {
		ahead[i] = run;
		run.sum += o->mass[i] * expm1(-o->loss[i]);
		run.size += o->mass[i] * exp(-o->loss[i]);
	}
}

/*
 * Corners of the polygon g, each with what its slope changes by; error is what masses and exponentials of losses are good to.  False if a corner is
 * concave, or digits are lost.
 */
static bool
group_masses(struct sotto_outcomes *o, double k, const struct ahead *ahead, double error)
{
	double before = 0, size_before = 0, worst = 0;

	for (size_t i = 0; i < o->n; i++) {
		double after = 0, size_after = 0, q = o->mass[i] * exp(-o->loss[i]), mass;

		if (i + 1 < o->n) {
			double slope = chord(o->loss[i], o->loss[i + 1] - o->loss[i], k);

			after = ahead[i + 1].sum * slope;
			size_after = ahead[i + 1].size * slope;
		}
		mass = q + after - before;
		if (!(mass > 0))
			return false;
		worst = fmax(worst, (q + size_after + size_before) / mass);
		o->mass[i] = mass * exp(k * o->loss[i]);
		before = after;
		size_before = size_after;
	}
	o->mass_error = worst * error;
	return o->mass_error < MASS_ERROR_MAX;
}

/* S at the largest loss: what a mass that is not listed may grow by. */
static double factor_of(double x, double k)
{
	double sum = 0;

	for (double j = 0; j < k; j++)
		sum += exp(j * x);
	return sum;
}

static enum sotto_status group_list(struct sotto_outcomes *o, double k)
{
	double reach = fmax(fabs(o->loss[0]), fabs(o->loss[o->n - 1])),
	       moved = o->loss_error * reach + o->loss_shift;
	struct ahead *ahead = malloc((o->n + 1) * sizeof *ahead);
	bool done;

	if (!ahead)
		return SOTTO_ENOMEM;
	sum_ahead(o, ahead);
	done = group_masses(o, k, ahead,
			    o->mass_error + 4 * k * moved +
				    SOTTO_U * (32 + 2 * (double)o->n + 8 * k * reach));
	free(ahead);
	o->loss_shift = k * moved;
	o->loss_error = 4 * SOTTO_U;
	o->left_out *= 2 * factor_of(o->loss[o->n - 1], k);
	for (size_t i = 0; i < o->n; i++)
		o->loss[i] *= k;
	o->step = 0;
	return done && o->left_out < LEFT_OUT_MAX ? SOTTO_OK : SOTTO_EREFUSED;
}

/* ---- sampled Laplace noise ---- */

struct inner {
	double a, rate, k;
	enum sotto_direction direction;
};

/* At the loss v before sampling: the loss x and dx/dv, the density of P in v, Q above, and the curve. */
struct here {
	double x, slope, density, q_above, curve;
};

static struct here look(const struct inner *e, double v)
{
	double q = e->rate, sign = e->direction == SOTTO_REMOVE ? 1 : -1,
	       mixed = (1 - q) + q * exp(sign * v), p_above = 1 - 0.5 * exp((v - e->a) / 2),
	       q_above = 0.5 * exp(-(v + e->a) / 2);
	struct here h = {.x = sign * log1p(q * expm1(sign * v)),
			 .slope = q * exp(sign * v) / mixed,
			 .density = 0.25 * exp((v - e->a) / 2)};

	if (e->direction == SOTTO_REMOVE) {
		h.density *= mixed * exp(-v);
		h.q_above = q_above;
		h.curve = q * p_above + (1 - q) * q_above - exp(h.x) * q_above;
	} else {
		h.q_above = (1 - q) * p_above + q * q_above;
		h.curve = p_above - exp(h.x) * h.q_above;
	}
	return h;
}

/* S, A and C at y = e^x (law_group.md), and the density of the group's P in v. */
static double group_density(const struct inner *e, const struct here *h)
{
	double s = 0, a = 0, c = 0;

	for (double j = 0; j < e->k; j++) {
		double y = exp(j * h->x);

		s += y;
		a += (2 * j - e->k + 1) * y;
		c += j * (e->k - j) * y;
	}
	return (h->density * s - h->slope * (exp(h->x) * h->q_above * a + h->curve * c)) / e->k;
}

/* 2 E[j] - (k-1), j = 0 .. k-1 with weights e^(jx): it grows with x. */
static double leaning(double x, double k)
{
	double sum = 0, mean = 0;

	for (double j = 0; j < k; j++) {
		double w = exp((j - k + 1) * x);

		sum += w;
		mean += w * j;
	}
	return 2 * mean / sum - (k - 1);
}

/*
 * That the density is at least half of its first term, everywhere: on each cell the first term at its least, all else at its most.  The density of P
 * is e^(v/2), and in the other direction times a factor that falls; slope grows with v or falls, tails fall.
 */
static bool is_convex(const struct inner *e)
{
	double width = 2 * e->a / PROOF_CELLS;

	for (int i = 0; i < PROOF_CELLS; i++) {
		struct here left = look(e, -e->a + width * i),
			    right = look(e, -e->a + width * (i + 1));
		double least = fmin(left.density, right.density) * exp(-2 * width),
		       steep = fmax(left.slope, right.slope),
		       tilt = fmax(0, leaning(right.x, e->k)),
		       most = steep * (exp(right.x) * left.q_above * tilt +
				       fmax(left.curve, 0) * e->k * e->k / 4);

		if (!(least >= 2.01 * most + 1e-12))
			return false;
	}
	return true;
}

static enum sotto_status
list_panels(struct sotto_outcomes *o, const struct inner *e, const struct sotto_tame *tame)
{
	double steep = sotto_outcomes_steepness(e->rate, e->a, RADIUS),
	       kappa = e->k * steep * tame->kappa + 2 * e->k + 4, half, panels;
	size_t n = 0;

	half = fmin(PANEL / kappa, 0.25 * RADIUS);
	panels = ceil(e->a / half);
	if (!(panels <= PANELS_MAX))
		return SOTTO_EREFUSED;
	half = e->a / panels;
	SOTTO_TRY(sotto_outcomes_init(o, 2 + SOTTO_LEGENDRE * (size_t)panels));
	for (double i = 0; i < panels; i++, n += SOTTO_LEGENDRE) {
		sotto_legendre(-e->a + (2 * i + 1) * half, half, o->loss + n, o->mass + n);
		for (size_t j = n; j < n + SOTTO_LEGENDRE; j++) {
			struct here h = look(e, o->loss[j]);

			o->loss[j] = e->k * h.x;
			o->mass[j] *= group_density(e, &h);
		}
	}
	o->sum_error = 6 * (1 + 4 * exp(e->a) * e->k * (1 + e->k / 2)) * 2.6 * 0x1p-64 *
		       exp(3.875 * kappa * half);
	return SOTTO_OK;
}

/* An atom of the inner law, with its P-mass. */
static void
add_atom(struct sotto_outcomes *o, const struct inner *e, double v, double mass, size_t i)
{
	struct here h = look(e, v);

	if (e->direction == SOTTO_REMOVE)
		mass *= e->rate + (1 - e->rate) * exp(-v);
	o->loss[i] = e->k * h.x;
	o->mass[i] = mass * factor_of(h.x, e->k) / e->k;
	o->heavy.loss[o->heavy.n] = o->loss[i];
	o->heavy.mass[o->heavy.n++] = o->mass[i] * (1 - 0x1p-30);
}

static enum sotto_status group_laplace(struct sotto_outcomes *o, const struct sotto_event *e,
				       enum sotto_direction direction,
				       const struct sotto_tame *tame)
{
	struct inner inner = {.a = sotto_nearest_double(e->children[0]->children[0]->epsilon.q),
			      .k = (double)e->size,
			      .direction = direction};

	SOTTO_TRY(sotto_measure_rate_up(e->children[0]->rate.q, &inner.rate));
	if (!is_convex(&inner))
		return SOTTO_EREFUSED;
	SOTTO_TRY(list_panels(o, &inner, tame));
	add_atom(o, &inner, inner.a, 0.5, o->n - 2);
	add_atom(o, &inner, -inner.a, 0.5 * exp(-inner.a), o->n - 1);
	o->size = 1;
	o->mass_error = SOTTO_U * (256 + 64 * inner.k * (1 + inner.a)) / (1 - inner.rate);
	o->loss_error = SOTTO_U * (64 + 16 * inner.a) / (1 - inner.rate);
	o->loss_shift = SOTTO_U * 16 * inner.k * inner.a;
	return SOTTO_OK;
}

enum sotto_status
sotto_outcomes_of_group(struct sotto_outcomes *out, const struct sotto_event *e,
			enum sotto_direction direction, const struct sotto_tame *tame,
			struct sotto_work *work)
{
	enum sotto_status st;

	*out = (struct sotto_outcomes){.n = 0};
	sotto_work_use(work, 1e4);
	if (e->children[0]->children[0]->kind == SOTTO_EVENT_LAPLACE) {
		st = group_laplace(out, e, direction, tame);
	} else {
		struct sotto_tame far = *tame;

		far.people = (double)e->size;
		st = sotto_outcomes_of(out, e->children[0], direction, &far, work);
		if (st == SOTTO_OK)
			st = group_list(out, (double)e->size);
	}
	if (st != SOTTO_OK)
		sotto_outcomes_release(out);
	return st;
}
