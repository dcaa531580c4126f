/*
 * At most nodes nearly all atoms have losses that are small beside 1/t, and some have faded: what is left to be turned one by one are those in
 * between (sample.md).
 */
#include "core/account/law/sgauss_block.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/complex.h"

/* A polynomial is made for t up to so many times the one that is wanted: blocks come one after the other. */
#define AHEAD 2.0
/* Fewer atoms than these are turned. */
enum { FEW = 4 };
/* What a turn that comes from others by products is wrong by at most, in units u. */
#define TURNED 170.0
/* Steps of a node (work.h): beside the atoms, and for a term and an atom. */
#define NODE_STEPS 16.0
#define TERM_STEPS 0.4
#define ATOM_STEPS 1.2

enum sotto_status sotto_sgauss_atoms_init(struct sotto_sgauss_atoms *a, size_t n, double least)
{
	*a = (struct sotto_sgauss_atoms){.n = n, .least = least};
	a->lr = malloc(8 * (n + 1) * sizeof *a->lr);
	if (!a->lr)
		return SOTTO_ENOMEM;
	a->li = a->lr + n;
	a->wr = a->li + n;
	a->wi = a->wr + n;
	a->size = a->wi + n;
	a->wrong = a->size + n;
	a->turn_r = a->wrong + n;
	a->turn_i = a->turn_r + n;
	return SOTTO_OK;
}

void sotto_sgauss_atoms_release(struct sotto_sgauss_atoms *a)
{
	free(a->lr);
	a->lr = NULL;
}

static double loss_size(const struct sotto_sgauss_atoms *a, size_t j)
{
	return sqrt(a->lr[j] * a->lr[j] + a->li[j] * a->li[j]);
}

/* The first atoms with losses up to the reach. */
static size_t count_near(const struct sotto_sgauss_atoms *a, double reach)
{
	size_t n = 0;

	while (n < a->n && loss_size(a, n) <= reach)
		n++;
	return n < FEW ? 0 : n;
}

/* Sums over the atoms of a polynomial, at t = 1/reach: of weight (i loss t)^k/k!, and of the sizes of these. */
struct moment {
	double re, im, size;
};

static struct moment
moment_of(const struct sotto_sgauss_atoms *a, int k, double *pr, double *pi, double *ps)
{
	struct moment m = {0, 0, 0};
	double t = 1 / (a->reach * k);

	for (size_t j = 0; j < a->near; j++) { /* times i loss t/k */
		double re = -(pr[j] * a->li[j] + pi[j] * a->lr[j]) * t,
		       im = (pr[j] * a->lr[j] - pi[j] * a->li[j]) * t;

		pr[j] = re;
		pi[j] = im;
		ps[j] *= loss_size(a, j) * t;
		m.re += re;
		m.im += im;
		m.size += ps[j];
	}
	return m;
}

/*
 * Terms until what is left of the exponential series is nothing: after term k at most e times the sum of sizes of term k + 1.  A term is good to
 * (n + 8k) u of its sizes, summing it at a node included.  False if more terms would be needed, or without memory.
 */
static bool make_polynomial(struct sotto_sgauss_atoms *a)
{
	double *pr = malloc(3 * (a->near + 1) * sizeof *pr), *pi, *ps, rest = 0;
	bool done = false;

	if (!pr)
		return false;
	pi = pr + a->near;
	ps = pi + a->near;
	a->near_error = 0;
	for (size_t j = 0; j < a->near; j++) {
		pr[j] = a->wr[j];
		pi[j] = a->wi[j];
		ps[j] = a->size[j];
		a->near_error += a->size[j] * a->wrong[j] * loss_size(a, j) / a->reach;
	}
	for (int k = 1; !done && k <= SOTTO_SGAUSS_TERMS; k++) {
		struct moment m = moment_of(a, k, pr, pi, ps);

		rest = M_E * m.size;
		done = rest <= a->least;
		if (done || k == SOTTO_SGAUSS_TERMS)
			break;
		a->re[k - 1] = m.re;
		a->im[k - 1] = m.im;
		a->terms = k;
		a->near_error += SOTTO_U * ((double)a->near + 8 * k) * m.size;
	}
	a->near_error = 1.01 * (a->near_error + rest);
	free(pr);
	return done;
}

/* What atoms that are turned one by one are wrong by: all of them, since they may weigh as much at every node. */
static double far_error(const struct sotto_sgauss_atoms *a)
{
	double sum = 0;

	for (size_t j = a->near; j < a->n; j++)
		sum += a->size[j] * (2 * a->wrong[j] +
				     SOTTO_U * (TURNED + (double)(a->n - a->near))) +
		       2 * a->least;
	return 1.01 * sum;
}

/* A polynomial for t up to this, and farther. */
static void prepare(struct sotto_sgauss_atoms *a, double t)
{
	a->reach = 1 / (AHEAD * t);
	a->near = count_near(a, a->reach);
	a->terms = 0;
	a->near_error = 0;
	if (a->near > 0 && !make_polynomial(a)) {
		a->near = 0;
		a->terms = 0;
		a->near_error = 0;
	}
	a->far_error = far_error(a);
	a->last = a->n;
	a->faded = 0;
}

/* The first turn of each atom. */
static void prepare_turns(struct sotto_sgauss_atoms *a, double h)
{
	for (size_t j = 0; j < a->n; j++) {
		struct cx x = cx_exp(-h * a->li[j], h * a->lr[j]);

		a->turn_r[j] = x.re;
		a->turn_i[j] = x.im;
	}
	a->h = h;
}

static void
add_polynomial(const struct sotto_sgauss_atoms *a, const double *x, double *dr, double *di)
{
	double yr[SOTTO_BLOCK] = {0}, yi[SOTTO_BLOCK] = {0};

	for (int k = a->terms - 1; k >= 0; k--)
		for (size_t j = 0; j < SOTTO_BLOCK; j++) {
			yr[j] = yr[j] * x[j] + a->re[k];
			yi[j] = yi[j] * x[j] + a->im[k];
		}
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		dr[j] += yr[j] * x[j];
		di[j] += yi[j] * x[j];
	}
}

/* weight (exp(i t loss) - 1): powers of the first turn, by squaring. */
static void
add_atom(const struct sotto_sgauss_atoms *a, size_t i, double t0, double *dr, double *di)
{
	struct cx y = cx_mul(cx_of(a->wr[i], a->wi[i]), cx_exp(-t0 * a->li[i], t0 * a->lr[i])),
		  s = cx_of(a->turn_r[i], a->turn_i[i]);
	double yr[SOTTO_BLOCK], yi[SOTTO_BLOCK];

	yr[0] = y.re;
	yi[0] = y.im;
	for (size_t k = 1; k < SOTTO_BLOCK; k *= 2) {
		for (size_t j = 0; j < k; j++) {
			yr[j + k] = yr[j] * s.re - yi[j] * s.im;
			yi[j + k] = yr[j] * s.im + yi[j] * s.re;
		}
		s = cx_mul(s, s);
	}
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		dr[j] += yr[j] - a->wr[i];
		di[j] += yi[j] - a->wi[i];
	}
}

/* At the end of the list sizes fall, and losses grow. */
static void find_last(struct sotto_sgauss_atoms *a, double t0)
{
	if (t0 < a->faded)
		a->last = a->n;
	a->faded = t0;
	while (a->last > a->near &&
	       a->size[a->last - 1] * exp(-t0 * a->li[a->last - 1]) < a->least)
		a->last--;
}

double sotto_sgauss_atoms_add(struct sotto_sgauss_atoms *a, const struct sotto_block *b,
			      double *dr, double *di)
{
	double t0 = b->h * (double)b->first, t1 = b->h * (double)(b->first + SOTTO_BLOCK),
	       x[SOTTO_BLOCK], faded_r = 0, faded_i = 0;

	if (a->h != b->h)
		prepare_turns(a, b->h);
	if (!(t1 * a->reach <= 1) || t1 * a->reach < 0.25 / AHEAD)
		prepare(a, t1);
	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		x[j] = b->h * (double)(b->first + j) * a->reach;
	find_last(a, t0);
	if (a->terms > 0)
		add_polynomial(a, x, dr, di);
	for (size_t i = a->near; i < a->last; i++) {
		if (a->size[i] >= a->least) {
			add_atom(a, i, t0, dr, di);
			continue;
		}
		faded_r += a->wr[i];
		faded_i += a->wi[i];
	}
	for (size_t i = a->last; i < a->n; i++) {
		faded_r += a->wr[i];
		faded_i += a->wi[i];
	}
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		dr[j] -= faded_r;
		di[j] -= faded_i;
	}
	return a->near_error * fmin(1, t1 * a->reach * (1 + 0x1p-40)) + a->far_error;
}

double sotto_sgauss_atoms_steps(const struct sotto_sgauss_atoms *a, const struct sotto_block *b)
{
	return (double)b->n *
	       (NODE_STEPS + TERM_STEPS * a->terms + ATOM_STEPS * (double)(a->last - a->near));
}
