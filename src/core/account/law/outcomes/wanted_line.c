/* Finds the order from rough cumulants of all terms: sampled Gaussians one draw at a time, all else by its variance. */
#include "core/account/law/outcomes/wanted_line.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/outcomes/outcomes.h"
#include "core/account/law/outcomes/outcomes_nested.h"

/* log of the delta; orders above the one found, and how far from the line, over the standard deviation. */
#define LOG_DELTA -24.0
#define MARGIN 1.1
#define FAR 8.0
/* The middle of z, without what is rare. */
#define MIDDLE 3.0
/* A rough mean over z. */
#define STEP 0.4
#define ENDS 5.0
enum { TRIES = 14 };
/* Nodes of so many laws are made law by law (contour_by_law.c). */
enum { FEW = 64 };
/* No order is wanted at which K is more. */
#define K_MAX 500.0

/* Sampled Gaussians, at the rate of all samples around them, with how many draws; all else by its variance. */
struct rough {
	double *mu, *rate, *draws;
	double *outer; /* the rate around the draws */
	size_t n;
	double variance;
};

static void add(struct rough *r, const struct sotto_event *e, double count)
{
	double rate = 1;

	r->outer[r->n] = e->children[0]->count > 1 ? mpq_get_d(e->rate.q) : 0;
	for (; e->kind == SOTTO_EVENT_SAMPLED; e = e->children[0]) {
		rate *= mpq_get_d(e->rate.q);
		count *= (double)e->count;
	}
	r->rate[r->n] = rate;
	r->draws[r->n] = count * (double)e->count;
	r->mu[r->n++] = e->kind == SOTTO_EVENT_GAUSSIAN
				? sqrt(mpq_get_d(e->mu_squared.q))
				: (double)e->sensitivity / sqrt(mpq_get_d(e->sigma_squared.q));
}

static bool is_sampled_gaussian(const struct sotto_event *e)
{
	bool sampled = false;

	for (; e->kind == SOTTO_EVENT_SAMPLED; e = e->children[0])
		sampled = true;
	return sampled &&
	       (e->kind == SOTTO_EVENT_GAUSSIAN || e->kind == SOTTO_EVENT_DISCRETE_GAUSSIAN);
}

/* Outcomes in which two draws, or all, are far out. */
static double far_out(const struct rough *r, size_t i, double c)
{
	double outer = (c + 1) * log(r->outer[i]),
	       each = (c + 1) * log(r->rate[i] / r->outer[i]) +
		      c * (c + 1) * r->mu[i] * r->mu[i] / 2;

	return exp(fmin(600, outer + 2 * each)) + exp(fmin(600, outer + r->draws[i] * each));
}

static double cumulant(const struct rough *r, double c)
{
	double sum = c * (c + 1) * r->variance / 2;

	for (size_t i = 0; i < r->n; i++) {
		double mu = r->mu[i], all = 0, mass = 0;

		for (double z = -ENDS; z < ENDS + (c + 1) * mu; z += STEP) {
			double w = exp(-z * z / 2),
			       l = log1p(r->rate[i] * expm1(fmin(600, mu * z - mu * mu / 2)));

			mass += w;
			all += exp(fmin(600, (c + 1) * l - z * z / 2)) - w;
		}
		sum += r->draws[i] * log1p(fmax(all / mass, 0));
		if (r->outer[i] > 0)
			sum += log1p(far_out(r, i, c));
	}
	return sum;
}

/* log delta at the epsilon whose saddle point is c. */
static double log_delta(const struct rough *r, double c)
{
	double k = cumulant(r, c), slope = (cumulant(r, 1.01 * c) - k) / (0.01 * c);

	return k < K_MAX ? k - c * slope - log(c * (c + 1)) : -INFINITY;
}

/* The variance of all losses but rare ones. */
static double middle_variance(const struct rough *r)
{
	double sum = r->variance;

	for (size_t i = 0; i < r->n; i++) {
		double mu = r->mu[i], mean = 0, square = 0, mass = 0;

		for (double z = -MIDDLE; z < MIDDLE; z += STEP) {
			double w = exp(-z * z / 2),
			       l = log1p(r->rate[i] * expm1(mu * z - mu * mu / 2));

			mass += w;
			mean += w * l;
			square += w * l * l;
		}
		mean /= mass;
		sum += r->draws[i] * (square / mass - mean * mean);
	}
	return sum;
}

static struct sotto_wanted_line find(const struct rough *r)
{
	double low = 1e-3, high = 1e4, variance = middle_variance(r);

	for (int i = 0; i < TRIES; i++) {
		double middle = sqrt(low * high);

		if (log_delta(r, middle) > LOG_DELTA)
			low = middle;
		else
			high = middle;
	}
	return (struct sotto_wanted_line){.order = MARGIN * high, .far = FAR / sqrt(variance)};
}

/* The variance of all that is no sampled Gaussian, or of all. */
static double variance_of(const struct sotto_terms *t, bool of_all)
{
	double sum = 0;

	for (size_t i = 0; i < t->n; i++)
		if (of_all || !is_sampled_gaussian(t->list[i].event))
			sum += (double)t->list[i].count *
			       pow(sotto_outcomes_spread(t->list[i].event), 2);
	for (size_t i = 0; i < t->n_laplace; i++)
		sum += (double)t->laplace_count[i] * pow(fmin(t->laplace[i], 1.5), 2);
	return sum;
}

struct sotto_wanted_line sotto_wanted_line_of(const struct sotto_terms *t)
{
	struct sotto_wanted_line line = {INFINITY, FAR / sqrt(variance_of(t, true)),
					 t->n <= FEW};
	struct rough r = {.n = 0};
	bool nested = false;

	for (size_t i = 0; i < t->n; i++)
		nested |= sotto_outcomes_nested_possible(t->list[i].event);
	if (!nested)
		return line;
	r.mu = malloc(4 * t->n * sizeof *r.mu);
	if (!r.mu)
		return line;
	r.rate = r.mu + t->n;
	r.draws = r.rate + t->n;
	r.outer = r.draws + t->n;
	for (size_t i = 0; i < t->n; i++)
		if (is_sampled_gaussian(t->list[i].event))
			add(&r, t->list[i].event, (double)t->list[i].count);
	r.variance = variance_of(t, false);
	line = find(&r);
	line.few = t->n <= FEW;
	sotto_work_use(t->work, 2e3 * TRIES * (double)r.n);
	free(r.mu);
	return line;
}
