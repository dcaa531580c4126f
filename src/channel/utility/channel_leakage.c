/*
 * How much an output reveals about the answer, in doubles: these figures are for people; no
 * decision about privacy uses them.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channel/matrix/channel_matrix.h"
#include "core/base/failure.h"
#include "sotto/utility.h"

/* The channel and prior as doubles. */
struct numbers {
	size_t rows, columns;
	double *p; /* channel */
	double *prior;
	double *output; /* probability of each output */
};

static enum sotto_status
load(struct numbers *n, const struct sotto_matrix *channel, const struct sotto_matrix *prior)
{
	n->rows = channel->rows;
	n->columns = channel->columns;
	n->p = calloc(n->rows * n->columns, sizeof *n->p);
	n->prior = calloc(n->rows, sizeof *n->prior);
	n->output = calloc(n->columns, sizeof *n->output);
	if (!n->p || !n->prior || !n->output)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < n->rows * n->columns; i++)
		n->p[i] = mpq_get_d(channel->cells[i]);
	for (size_t y = 0; y < n->rows; y++)
		n->prior[y] = mpq_get_d(prior->cells[y]);
	for (size_t i = 0; i < n->rows * n->columns; i++)
		n->output[i % n->columns] += n->prior[i / n->columns] * n->p[i];
	return SOTTO_OK;
}

static void unload(struct numbers *n)
{
	free(n->p);
	free(n->prior);
	free(n->output);
}

static double plogp(double p)
{
	return p > 0 ? -p * log2(p) : 0;
}

static void find_entropies(const struct numbers *n, struct sotto_leakage *out)
{
	double joint = 0, of_output = 0;

	out->entropy = 0;
	for (size_t y = 0; y < n->rows; y++)
		out->entropy += plogp(n->prior[y]);
	for (size_t i = 0; i < n->rows * n->columns; i++)
		joint += plogp(n->prior[i / n->columns] * n->p[i]);
	for (size_t z = 0; z < n->columns; z++)
		of_output += plogp(n->output[z]);
	out->entropy_after = joint - of_output;
	out->information = out->entropy - out->entropy_after;
}

static void find_vulnerabilities(const struct numbers *n, struct sotto_leakage *out)
{
	double before = 0, after = 0, least_sum = 0, most_sum = 0;

	for (size_t y = 0; y < n->rows; y++)
		before = fmax(before, n->prior[y]);
	for (size_t z = 0; z < n->columns; z++) {
		double joint = 0, most = 0, least = 1;

		for (size_t y = 0; y < n->rows; y++) {
			double p = n->p[y * n->columns + z];

			joint = fmax(joint, n->prior[y] * p);
			most = fmax(most, p);
			least = fmin(least, p);
		}
		after += joint;
		most_sum += most;
		least_sum += least;
	}
	out->bayes_risk = 1 - after;
	out->min_entropy = log2(after / before);
	out->capacity = most_sum;
	out->additive_capacity = 1 - least_sum;
}

/* ---- guessing -------------------------------------------------------------------------- */

static int falling(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a < b) - (a > b);
}

/* Expected place of the answer if guesses go from the likeliest on. */
static double guesses(double *weights, size_t n)
{
	double sum = 0;

	qsort(weights, n, sizeof *weights, falling);
	for (size_t i = 0; i < n; i++)
		sum += (double)(i + 1) * weights[i];
	return sum;
}

/*
 * How far an output moves the probability of the property that it moves most: the total
 * variation distance between posterior and prior, averaged over outputs.
 */
static double property_shift(const struct numbers *n)
{
	double sum = 0;

	for (size_t z = 0; z < n->columns; z++)
		for (size_t y = 0; y < n->rows; y++)
			sum += fabs(n->prior[y] * n->p[y * n->columns + z] -
				    n->prior[y] * n->output[z]) /
			       2;
	return sum;
}

static enum sotto_status find_guessing(const struct numbers *n, struct sotto_leakage *out)
{
	double *w = calloc(n->rows, sizeof *w);

	if (!w)
		return SOTTO_ENOMEM;
	memcpy(w, n->prior, n->rows * sizeof *w);
	out->guessing_before = guesses(w, n->rows);
	out->guessing_after = 0;
	for (size_t z = 0; z < n->columns; z++) {
		for (size_t y = 0; y < n->rows; y++)
			w[y] = n->prior[y] * n->p[y * n->columns + z];
		out->guessing_after += guesses(w, n->rows);
	}
	free(w);
	return SOTTO_OK;
}

/* ---- Shannon capacity -------------------------------------------------------------------- */

/* Rounds are fewer where one takes long; both bounds are told in any case. */
enum { ROUNDS_MAX = 20000, STEPS_MAX = 200000000 };

/* What one round works on: a prior, the outputs that it gives, and their divergences. */
struct rounds {
	double *q, *mix, *divergence;
	double *own; /* sum over z of p log2 p, per row */
};

/* divergence(y) = sum over z of p(z|y) log2(p(z|y) / mix(z)); needs a logarithm per output */
static void find_divergences(const struct numbers *n, struct rounds *r)
{
	memset(r->mix, 0, n->columns * sizeof *r->mix);
	for (size_t y = 0; y < n->rows; y++)
		for (size_t z = 0; z < n->columns; z++)
			r->mix[z] += r->q[y] * n->p[y * n->columns + z];
	for (size_t z = 0; z < n->columns; z++)
		r->mix[z] = log2(fmax(r->mix[z], DBL_MIN));
	for (size_t y = 0; y < n->rows; y++) {
		double sum = r->own[y];

		for (size_t z = 0; z < n->columns; z++)
			sum -= n->p[y * n->columns + z] * r->mix[z];
		r->divergence[y] = sum;
	}
}

/* Blahut and Arimoto; the capacity is between the information and the largest divergence. */
static void
improve(const struct numbers *n, struct rounds *r, int rounds, double *low, double *high)
{
	for (int round = 0; round<rounds && * high - *low> 1e-12; round++) {
		double total = 0;

		find_divergences(n, r);
		*low = *high = 0;
		for (size_t y = 0; y < n->rows; y++) {
			*low += r->q[y] * r->divergence[y];
			*high = fmax(*high, r->divergence[y]);
		}
		for (size_t y = 0; y < n->rows; y++)
			total += r->q[y] *= exp2(r->divergence[y]);
		for (size_t y = 0; y < n->rows; y++)
			r->q[y] /= total;
	}
}

static enum sotto_status find_capacity(const struct numbers *n, struct sotto_leakage *out)
{
	double *memory = calloc(3 * n->rows + n->columns, sizeof *memory);
	struct rounds r = {memory, memory + 3 * n->rows, memory + n->rows,
			   memory + 2 * n->rows};
	double most = STEPS_MAX / ((double)n->rows * (double)n->columns + 1);

	if (!memory)
		return SOTTO_ENOMEM;
	for (size_t y = 0; y < n->rows; y++) {
		r.q[y] = 1 / (double)n->rows;
		for (size_t z = 0; z < n->columns; z++)
			r.own[y] -= plogp(n->p[y * n->columns + z]);
	}
	out->shannon_capacity = 0;
	out->shannon_capacity_up = INFINITY;
	improve(n, &r, (int)fmax(10, fmin(ROUNDS_MAX, most)), &out->shannon_capacity,
		&out->shannon_capacity_up);
	free(memory);
	return SOTTO_OK;
}

enum sotto_status sotto_leakage_find(const struct sotto_matrix *channel,
				     const struct sotto_matrix *prior,
				     struct sotto_leakage *out)
{
	struct sotto_leakage l = {0};
	struct numbers n = {0};
	enum sotto_status st;

	if (!channel || !prior || !out || prior->columns != channel->rows)
		return SOTTO_EINVAL;
	st = load(&n, channel, prior);
	if (st == SOTTO_OK) {
		find_entropies(&n, &l);
		find_vulnerabilities(&n, &l);
		l.predicate = property_shift(&n);
		st = find_guessing(&n, &l);
	}
	if (st == SOTTO_OK)
		st = find_capacity(&n, &l);
	if (st == SOTTO_OK)
		*out = l;
	unload(&n);
	return st;
}
