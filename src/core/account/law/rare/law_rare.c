/*
 * The logarithm of each law is a series in the ratios of its rare outcomes, and the sum of all these series one list of weights and
 * gaps, which a transform sums at every node.  Laws with outcomes that are not rare on the line are multiplied one by one.
 */
#include "core/account/law/rare/law_rare.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/complex.h"
#include "core/account/integral/nonuniform.h"
#include "core/account/law/rare/rare_series.h"
#include "core/base/failure.h"

/* Outcomes are rare if they weigh no more than this, together, beside the usual one. */
#define RARE 0.5
/* Terms of their logarithms that weigh less are left out, and logarithms of more terms are not taken. */
#define LEAST 1e-17
enum { TERMS_OF_ONE = 256 };
/* Of others than these, weights below this are left out and charged. */
#define FAINT 1e-18
/* Steps (work.h) of a node, and of one outcome for K. */
#define NODE_STEPS 30
#define TRANSFORM 6e5

/* A law that is not rare: M(s)/M(c) - 1 errs by e0 min(1, t spread) + e1 t + faint. */
struct common {
	size_t law;
	double e0, e1, spread, faint;
	size_t kept; /* outcomes that are summed */
};

struct state {
	struct sotto_rare_series series;
	struct sotto_nonuniform sums;
	bool ready; /* sums is initialised */
	bool silent; /* nothing can be said on this line */
	double middle; /* the sum of all weights: the series at t = 0 */
	struct common *common; /* laws that are multiplied one by one */
	size_t n_common;
	double *weight; /* of all outcomes, as in the list */
	double fixed, e0, e1, e2; /* the series errs by fixed + min(e0, e2 t) + e1 t */
};

static void end(void *state)
{
	struct state *st = state;

	sotto_rare_series_release(&st->series);
	if (st->ready)
		sotto_nonuniform_release(&st->sums);
	free(st->common);
	free(st->weight);
	free(st);
}

/* The outcomes of a law at an order, over the usual one. */
struct weighed {
	double sum; /* of their weights, */
	double error; /* what errors of weights are together, */
	double turned; /* each with the size of its gap, */
	double moved; /* and errors of gaps, each with its weight; */
	double spread; /* and of the gaps' sizes */
};

/* A weight errs by the error of its exponent. */
static struct weighed weigh(const struct sotto_rare *r, const struct sotto_rare_law *law,
			    double order, double *weight)
{
	struct weighed all = {0};

	for (size_t i = law->first; i < law->first + law->n; i++) {
		double g = fabs(r->gap[i]), l = fabs(r->log_ratio[i]),
		       wrong = sotto_rare_gap_error(law, g),
		       w = exp(r->log_ratio[i] + order * r->gap[i]), error;

		weight[i] = w;
		all.sum += w;
		error = w * (law->ratio_error + SOTTO_RARE_LOG * l + order * wrong +
			     SOTTO_U * (8 + 2 * (l + order * g)));
		all.error += error;
		all.turned += error * g;
		all.moved += w * wrong;
		all.spread += w * g;
	}
	return all;
}

size_t sotto_rare_count_common(const struct sotto_rare *r, double order)
{
	size_t n = 0;

	for (size_t j = 0; j < r->n; j++) {
		double sum = 0;

		for (size_t i = 0; i < r->laws[j].n; i++)
			sum += exp(r->log_ratio[r->laws[j].first + i] +
				   order * r->gap[r->laws[j].first + i]);
		n += !(sum <= RARE);
	}
	return n;
}

/*
 * K of one event, from masses m that sum to 1 with that of the usual outcome: log(1 + sum of m (e^(c gap) - 1)).  *slack is what errors of masses,
 * relative, and of gaps make of it.
 */
static double
log_m_of(const struct sotto_rare *r, const struct sotto_rare_law *law, double c, double *slack)
{
	double sum = 0, wrong = law->left_out;

	for (size_t i = law->first; i < law->first + law->n; i++) {
		double log_mass = law->log_mass + r->log_ratio[i], m = exp(log_mass),
		       x = c * r->gap[i], e = m > 0 ? m * expm1(x) : 0;

		if (!(m > 0))
			continue;
		sum += e;
		wrong += fabs(e) * (law->ratio_error + law->mass_error +
				    SOTTO_RARE_LOG * fabs(r->log_ratio[i]) +
				    SOTTO_U * (16 + (double)law->n + 2 * fabs(log_mass))) +
			 m * exp(x) *
				 (c * sotto_rare_gap_error(law, r->gap[i]) + SOTTO_U * fabs(x));
	}
	*slack = 1.01 * wrong / (1 + sum) + 4 * SOTTO_U * fabs(log1p(sum));
	return log1p(sum);
}

/* One law of count events becomes part of the series. */
static enum sotto_status add_rare(struct state *st, const struct sotto_rare *r,
				  const struct sotto_rare_law *law, const struct weighed *all)
{
	double count = (double)law->count, least = 1 - all->sum;

	SOTTO_TRY(sotto_rare_series_add(&st->series, &r->gap[law->first],
					&st->weight[law->first], law->n, all->sum, count));
	st->fixed += 2 * count * law->left_out / least;
	st->e0 += 2.02 * count * all->error / least;
	st->e2 += 1.01 * count * (all->turned + all->error * all->spread / least) / least;
	st->e1 += count * (all->moved + 16 * SOTTO_U * all->spread) / least;
	return SOTTO_OK;
}

/* Makes weights parts of 1, with the usual outcome; small ones are 0 and charged. */
static struct common normalized(const struct sotto_rare_law *law, size_t j,
				const struct weighed *one, double *weight)
{
	double all = 1 + one->sum;
	struct common c = {.law = j,
			   .e0 = 4 *
				 (1.01 * one->error / all + SOTTO_U * (32 + (double)law->n)),
			   .e1 = (one->moved + 16 * SOTTO_U * one->spread) / all,
			   .spread = one->spread / all,
			   .faint = 2 * law->left_out};

	for (size_t i = law->first; i < law->first + law->n; i++) {
		weight[i] /= all;
		if (weight[i] < FAINT) {
			c.faint += 2 * weight[i];
			weight[i] = 0;
		}
		c.kept += weight[i] > 0;
	}
	return c;
}

/* Weighs all laws; the series, K and its error. */
static enum sotto_status
add_laws(struct state *st, const struct sotto_rare *r, double c, double *log_m, double *slack)
{
	struct sotto_sum all = {0};

	for (size_t j = 0; j < r->n; j++) {
		const struct sotto_rare_law *law = &r->laws[j];
		struct weighed one = weigh(r, law, c, st->weight);
		double count = (double)law->count, wrong, log_one = log_m_of(r, law, c, &wrong);
		enum sotto_status done = SOTTO_EREFUSED;

		sotto_sum_add(&all, count * log_one);
		*slack += count * (wrong + SOTTO_U * fabs(log_one));
		if (one.sum <= RARE)
			done = add_rare(st, r, law, &one);
		if (done == SOTTO_EREFUSED)
			st->common[st->n_common++] = normalized(law, j, &one, st->weight);
		else
			SOTTO_TRY(done);
	}
	*log_m = sotto_sum_total(&all);
	*slack += 4 * SOTTO_U * fabs(*log_m);
	return SOTTO_OK;
}

/* At too high an order only the size is known, by a bound of K. */
static void
be_silent(const struct sotto_law *law, double c, struct state *st, double *log_m, double *slack)
{
	double k[3] = {0};

	law->class->cumulants(law, c, k);
	st->silent = true;
	*log_m = k[0];
	*slack = 1e-9 * (1 + fabs(k[0]));
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	const struct sotto_rare *r = law->rare;
	struct state *st = calloc(1, sizeof *st);

	if (!st)
		return SOTTO_ENOMEM;
	*state = st;
	*log_m = *slack = 0;
	st->series.least = LEAST;
	st->series.most = TERMS_OF_ONE;
	if (!(c <= SOTTO_RARE_ORDER)) {
		be_silent(law, c, st, log_m, slack);
		return SOTTO_OK;
	}
	st->weight = malloc((r->outcomes + 1) * sizeof *st->weight);
	st->common = malloc((r->n + 1) * sizeof *st->common);
	if (!st->weight || !st->common)
		return SOTTO_ENOMEM;
	SOTTO_TRY(add_laws(st, r, c, log_m, slack));
	if (!isfinite(*log_m)) {
		be_silent(law, c, st, log_m, slack);
		return SOTTO_OK;
	}
	if (st->series.n == 0)
		return SOTTO_OK;
	st->ready = true;
	SOTTO_TRY(sotto_nonuniform_init(&st->sums, st->series.gap, st->series.n, h,
					SOTTO_NONUNIFORM_SHARP));
	st->middle = sotto_sum_total(&st->series.sum);
	st->fixed += 2 * st->series.left_out +
		     st->series.size * (1.1 * sotto_nonuniform_error(&st->sums) + 8 * SOTTO_U);
	return SOTTO_OK;
}

/* The product of all rare laws: exp of the series, less what that is at t = 0. */
static void apply_series(struct state *st, struct sotto_block *b)
{
	struct sotto_nonuniform *u = &st->sums;
	double t1 = b->h * (double)(b->first + SOTTO_BLOCK),
	       error = expm1(st->fixed + fmin(st->e0, st->e2 * t1) + st->e1 * t1) +
		       16 * SOTTO_U,
	       dr[SOTTO_BLOCK], di[SOTTO_BLOCK];

	if (!st->ready)
		return;
	if (!u->made || b->first < u->first ||
	    b->first + SOTTO_BLOCK > u->first + SOTTO_SEGMENT)
		sotto_nonuniform_run(u, st->series.gap, st->series.weight, b->first);
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		struct cx z = u->sums[b->first - u->first + j],
			  f = cx_expm1(fmin(0, z.re - st->middle), z.im);

		dr[j] = f.re;
		di[j] = f.im;
	}
	sotto_block_multiply(b, dr, di, error, 1);
}

/* The sum of weight (exp(it gap) - 1). */
static void apply_common(const struct sotto_rare *r, const struct state *st,
			 const struct common *c, struct sotto_block *b)
{
	const struct sotto_rare_law *law = &r->laws[c->law];
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0};
	double t1 = b->h * (double)(b->first + SOTTO_BLOCK);

	for (size_t i = law->first; i < law->first + law->n; i++)
		if (st->weight[i] > 0)
			sotto_block_add_atom(b, r->gap[i], st->weight[i], dr, di);
	sotto_block_multiply(b, dr, di, c->e0 * fmin(1, t1 * c->spread) + c->e1 * t1 + c->faint,
			     law->count);
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	struct state *st = state;

	if (st->silent) {
		sotto_block_blur(b);
		return;
	}
	for (size_t i = 0; i < st->n_common; i++)
		apply_common(law->rare, st, &st->common[i], b);
	apply_series(st, b);
}

/* Orders above those of a list: K is at most s^2 steepness/2, the usual loss taken off. */
static void add_steep(const struct sotto_rare_law *law, double s, double k[3])
{
	double count = (double)law->count;

	k[0] += count * s * s * law->steepness / 2;
	k[1] += count * s * law->steepness;
	k[2] += count * law->steepness;
}

static void
add_listed(const struct sotto_rare *r, const struct sotto_rare_law *law, double s, double k[3])
{
	double most = 0, sum = 0, mean = 0, square = 0, count = (double)law->count;

	for (size_t i = law->first; i < law->first + law->n; i++)
		most = fmax(most, r->log_ratio[i] + s * r->gap[i]);
	sum = exp(-most);
	for (size_t i = law->first; i < law->first + law->n; i++) {
		double x = r->log_ratio[i] + s * r->gap[i] - most, w;

		if (x < -60)
			continue;
		w = exp(x);
		sum += w;
		mean += w * r->gap[i];
		square += w * r->gap[i] * r->gap[i];
	}
	mean /= sum;
	k[0] += count * (law->log_mass + most + log(sum));
	k[1] += count * mean;
	k[2] += count * fmax(0, square / sum - mean * mean);
}

static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	const struct sotto_rare *r = law->rare;

	for (size_t j = 0; j < r->n; j++)
		if (s > SOTTO_RARE_ORDER && r->laws[j].steepness > 0)
			add_steep(&r->laws[j], s, k);
		else
			add_listed(r, &r->laws[j], s, k);
}

static double terms(const struct sotto_law *law, double s)
{
	(void)s;
	return (double)law->rare->outcomes + (double)law->rare->n;
}

static double steps(const struct sotto_law *law, void *state, const struct sotto_block *b)
{
	const struct state *st = state;
	double sum = SOTTO_BLOCK * NODE_STEPS;

	for (size_t i = 0; i < st->n_common; i++) {
		const struct common *c = &st->common[i];

		sum += SOTTO_BLOCK * (1.5 * (double)c->kept +
				      sotto_power_steps(law->rare->laws[c->law].count));
	}
	if (st->ready && b->first == st->sums.first)
		sum += TRANSFORM + 50 * (double)st->series.n;
	return sum;
}

static const struct sotto_law_class rare_class = {
	.cumulants = cumulants,
	.terms = terms,
	.begin = begin,
	.apply = apply,
	.steps = steps,
	.end = end,
};

void sotto_law_rare_of(struct sotto_law *law, const struct sotto_rare *list)
{
	law->class = &rare_class;
	law->rare = list;
	law->top = INFINITY;
}
