/*
 * A law with finitely many atoms: M(s) = sum of mass exp(s loss).
 *
 * The sum is scaled by its largest term at t = 0.  For each atom the rotations
 * exp(i h loss j) within a block are tabulated, so a node costs one product.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "account/cx.h"
#include "account/law.h"

enum sotto_status sotto_law_atoms_init(struct sotto_law *law, size_t n)
{
	double *all = calloc(4 * n + 1, sizeof *all);

	if (!all)
		return SOTTO_ENOMEM;
	law->class = &sotto_law_atoms;
	law->n = n;
	law->loss = all;
	law->mass = all + n;
	law->loss_error = all + 2 * n;
	law->mass_error = all + 3 * n;
	return SOTTO_OK;
}

static void release(struct sotto_law *law)
{
	free(law->loss);
}

/* The exponent that keeps every term at most its mass. */
static double largest(const struct sotto_law *law, double s)
{
	double most = -INFINITY;

	for (size_t i = 0; i < law->n; i++)
		most = fmax(most, s * law->loss[i]);
	return most;
}

static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	double n = (double)law->count, most = largest(law, s), sum = 0, mean = 0, square = 0,
	       excess = 0;

	for (size_t i = 0; i < law->n; i++)
		sum += law->mass[i] * exp(s * law->loss[i] - most);
	for (size_t i = 0; i < law->n; i++) {
		double w = law->mass[i] * exp(s * law->loss[i] - most) / sum;

		mean += w * law->loss[i];
		excess += law->mass[i] * expm1(s * law->loss[i]);
	}
	for (size_t i = 0; i < law->n; i++) {
		double w = law->mass[i] * exp(s * law->loss[i] - most) / sum;

		square += w * (law->loss[i] - mean) * (law->loss[i] - mean);
	}
	/* the masses sum to 1: near M = 1 the excess keeps its digits */
	k[0] += n * (fabs(excess) < 0.5 ? log1p(excess) : most + log(sum));
	k[1] += n * mean;
	k[2] += n * square;
}

struct state {
	double *weight; /* mass exp(c loss)/m */
	double *turn; /* cosines and sines of h loss j, SOTTO_BLOCK of each an atom */
	double eta0, eta1; /* error eta0 + eta1 t */
};

static void end(void *state)
{
	struct state *st = state;

	free(st->weight);
	free(st->turn);
	free(st);
}

static struct state *allocate(size_t n)
{
	struct state *st = calloc(1, sizeof *st);

	if (!st)
		return NULL;
	st->weight = malloc(n * sizeof *st->weight);
	st->turn = malloc(n * 2 * SOTTO_BLOCK * sizeof *st->turn);
	if (st->weight && st->turn)
		return st;
	end(st);
	return NULL;
}

static void tabulate(const struct sotto_law *law, double h, double *turn)
{
	for (size_t i = 0; i < law->n; i++)
		for (size_t j = 0; j < SOTTO_BLOCK; j++)
			sincos(h * (double)j * law->loss[i],
			       &turn[2 * SOTTO_BLOCK * i + SOTTO_BLOCK + j],
			       &turn[2 * SOTTO_BLOCK * i + j]);
}

/*
 * Errors at each atom: of its mass and weight (relative), and of its loss, which
 * turns the phase by (c + t) times as much; summation loses n u of the whole.
 */
static void bound_errors(const struct sotto_law *law, double c, struct state *st)
{
	st->eta0 = SOTTO_U * (20 + (double)law->n);
	for (size_t i = 0; i < law->n; i++) {
		double e = law->loss_error[i] + 4 * SOTTO_U * fabs(law->loss[i]);

		st->eta0 += st->weight[i] * (law->mass_error[i] + c * e);
		st->eta1 += st->weight[i] * e;
	}
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	double most = largest(law, c), sum = 0, n = (double)law->count;
	struct state *st = allocate(law->n);

	if (!st)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < law->n; i++) {
		st->weight[i] = law->mass[i] * exp(c * law->loss[i] - most);
		sum += st->weight[i];
	}
	for (size_t i = 0; i < law->n; i++)
		st->weight[i] /= sum;
	tabulate(law, h, st->turn);
	bound_errors(law, c, st);
	*state = st;
	*log_m = n * (most + log(sum));
	*slack = 4 * SOTTO_U * n * (fabs(most) + fabs(log(sum)));
	return SOTTO_OK;
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double zr[SOTTO_BLOCK] = {0}, zi[SOTTO_BLOCK] = {0};
	double t0 = b->h * (double)b->first, t1 = t0 + b->h * SOTTO_BLOCK;
	const struct state *st = state;

	for (size_t i = 0; i < law->n; i++) {
		const double *tc = st->turn + 2 * SOTTO_BLOCK * i, *ts = tc + SOTTO_BLOCK;
		double s, c;

		sincos(t0 * law->loss[i], &s, &c);
		s *= st->weight[i];
		c *= st->weight[i];
		for (size_t j = 0; j < SOTTO_BLOCK; j++) {
			zr[j] += c * tc[j] - s * ts[j];
			zi[j] += s * tc[j] + c * ts[j];
		}
	}
	sotto_block_multiply(b, zr, zi, st->eta0 + st->eta1 * t1, law->count);
}

const struct sotto_law_class sotto_law_atoms = {
	.cumulants = cumulants,
	.begin = begin,
	.apply = apply,
	.end = end,
	.release = release,
};
