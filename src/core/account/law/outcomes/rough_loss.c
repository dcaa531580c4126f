/* Sums over a few places of a normal variable. */
#include "core/account/law/outcomes/rough_loss.h"

#include <math.h>

#include "core/account/law/outcomes/outcomes.h"
#include "core/account/law/outcomes/rough_group.h"

/* Places of the normal variable. */
#define STEP 0.5
#define ENDS 5.0
/* So many of them are looked at. */
#define PLACES_MAX 400.0
/* For a slope, over the order. */
#define STRIDE 0.01
/* Exponents that are still doubles. */
#define MOST 600.0

/* The mean loss of one draw of noise. */
static double mean_loss(const struct sotto_event *e)
{
	double reach;

	switch (e->kind) {
	case SOTTO_EVENT_GAUSSIAN:
		return mpq_get_d(e->mu_squared.q) / 2;
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		return (double)e->sensitivity * (double)e->sensitivity /
		       (2 * mpq_get_d(e->sigma_squared.q));
	case SOTTO_EVENT_SHUFFLE:
	case SOTTO_EVENT_ZCDP:
		return 0; /* far less than of other events */
	default:
		reach = sotto_outcomes_reach(e);
		return e->kind == SOTTO_EVENT_LAPLACE || e->kind == SOTTO_EVENT_GEOMETRIC
			       ? sotto_exp2term(-reach)
			       : reach * tanh(reach / 2);
	}
}

static struct sotto_rough_loss of_noise(const struct sotto_event *e)
{
	double n = (double)e->count;
	bool unbounded =
		e->kind == SOTTO_EVENT_GAUSSIAN || e->kind == SOTTO_EVENT_DISCRETE_GAUSSIAN;

	return (struct sotto_rough_loss){.mu = sqrt(2 * n * mean_loss(e)),
					 .reach = unbounded ? INFINITY
							    : n * sotto_outcomes_reach(e),
					 .rate = 1,
					 .draws = 1,
					 .people = 1};
}

static struct sotto_rough_loss of_event(const struct sotto_event *e)
{
	struct sotto_rough_loss r = {.rate = 1, .draws = 1, .people = 1};

	if (e->n_children == 0)
		return of_noise(e);
	for (size_t i = 0; i < e->n_children; i++) {
		struct sotto_rough_loss one = of_event(e->children[i]);

		if (i == 0 || one.mu * one.rate * one.draws > r.mu * r.rate * r.draws)
			r = one;
	}
	if (e->kind == SOTTO_EVENT_GROUP)
		r.people *= (double)e->size;
	if (e->kind == SOTTO_EVENT_SAMPLED) {
		double rate = mpq_get_d(e->rate.q);

		r.mu *= r.people; /* before sampling a group's loss is a larger one */
		r.reach *= r.people;
		r.people = 1;
		r.outer = r.draws > 1 ? rate : r.outer * rate;
		r.rate *= rate;
	}
	r.draws *= (double)e->count;
	return r;
}

struct sotto_rough_loss sotto_rough_loss_of(const struct sotto_event *e, double count)
{
	struct sotto_rough_loss r = of_event(e);

	r.draws *= count;
	return r;
}

/* The means of R^p and of its derivative, p = c + 1, under Q; and the size of the mean of R^(p+it). */
struct powers {
	double real, slope, size;
};

static struct powers mean_powers(const struct sotto_rough_loss *r, double c, double t)
{
	double mass = 0, re = 0, im = 0,
	       last = ENDS + fmin((c + 1) * r->mu, r->reach / r->mu + r->mu / 2);
	double step = fmax(STEP, (last + ENDS) / PLACES_MAX);
	struct powers p = {0};

	if (!(step < 1e300)) /* a loss that no double holds */
		return (struct powers){exp(MOST), exp(MOST), exp(MOST)};
	for (double z = -ENDS; z < last; z += step) {
		double v = r->mu * z - r->mu * r->mu / 2, weight = exp(-z * z / 2), size,
		       l = log1p(r->rate *
				 expm1(fmax(-r->reach, fmin(v, fmin(r->reach, MOST)))));

		size = weight * exp(fmin(MOST, (c + 1) * l));
		mass += weight;
		p.real += size;
		p.slope += l * size;
		re += t > 0 ? size * cos(t * l) : 0;
		im += t > 0 ? size * sin(t * l) : 0;
	}
	return (struct powers){p.real / mass, p.slope / mass, hypot(re, im) / mass};
}

/* Outcomes in which two draws, or all, are far out. */
static double far_out(const struct sotto_rough_loss *r, double c)
{
	double outer = (c + 1) * log(r->outer),
	       each = (c + 1) * log(r->rate / r->outer) + c * (c + 1) * r->mu * r->mu / 2;

	return exp(fmin(MOST, outer + 2 * each)) + exp(fmin(MOST, outer + r->draws * each));
}

static struct sotto_rough_group group_at(const struct sotto_rough_loss *r, double c, double t)
{
	struct sotto_rough_people one = {r->mu, r->reach, r->rate, r->people};

	return sotto_rough_group_at(&one, c, t);
}

double sotto_rough_cumulant(const struct sotto_rough_loss *r, double c, double *slope)
{
	double order = r->people * c + (r->people - 1) / 2, k;

	*slope = 0;
	if (!(r->mu > 0))
		return 0;
	if (r->people > 1) {
		struct sotto_rough_group g = group_at(r, c, 0);

		k = r->draws * g.k;
		*slope = r->draws * g.slope;
	} else {
		struct powers p = mean_powers(r, c, 0);

		k = r->draws * fmax(log(p.real), 0);
		*slope = r->draws * p.slope / p.real;
	}
	if (r->outer > 0 && isinf(r->reach)) {
		double rare = log1p(far_out(r, order)),
		       next = log1p(far_out(r, order + STRIDE * c));

		k += rare;
		*slope += r->people * (next - rare) / (STRIDE * c);
	}
	return k;
}

double sotto_rough_fall(const struct sotto_rough_loss *r, double c, double t)
{
	double size;

	if (!(r->mu > 0))
		return 0;
	if (r->people > 1) {
		size = group_at(r, c, t).size;
	} else {
		struct powers p = mean_powers(r, c, t);

		size = p.size / p.real;
	}
	return -r->draws * log(fmin(1, size) + 1e-300);
}
