/*
 * Coefficients come from Irwin and Hall's formula in fractions; Gauss and Legendre's nodes,
 * found by Newton's method, make a list of atoms of the density.
 */
#include "testlib/accountant/oracle_laplace.h"

#include <math.h>
#include <stdlib.h>

#define N MPFR_RNDN

enum { NODES = 20 };

/* Adds c (y + b)^power to the coefficients of a panel. */
static void add_power(mpq_t *panel, mpq_srcptr c, mpq_srcptr b, unsigned power)
{
	mpq_t term, ways;
	mpz_t z;

	mpq_inits(term, ways, (mpq_ptr)0);
	mpz_init(z);
	mpq_set(term, c);
	for (unsigned i = power + 1; i-- > 0;) { /* term = c b^(power - i) */
		mpz_bin_uiui(z, power, i);
		mpq_set_z(ways, z);
		mpq_mul(ways, ways, term);
		mpq_add(panel[i], panel[i], ways);
		mpq_mul(term, term, b);
	}
	mpq_clears(term, ways, (mpq_ptr)0);
	mpz_clear(z);
}

/* c times the convolution of m uniform densities on (-e, e), moved to centre e */
static void add_irwin_hall(struct laplaces *s, mpq_srcptr c, unsigned m, long centre)
{
	mpq_t weight, b;
	mpz_t z;

	mpq_inits(weight, b, (mpq_ptr)0);
	mpz_init(z);
	for (unsigned r = 0; r <= m; r++) {
		long start = centre - (long)m + 2 * (long)r; /* in units of e */

		mpz_bin_uiui(z, m, r);
		mpq_set_z(weight, z);
		mpz_fac_ui(z, m - 1);
		mpq_set_z(b, z);
		mpq_div(weight, weight, b);
		mpq_mul(weight, weight, c);
		if (r % 2)
			mpq_neg(weight, weight);
		for (unsigned j = 0; j < s->k; j++) {
			long left = 2 * (long)j - (long)s->k;

			if (left < start)
				continue;
			mpq_set_si(b, left - start, 1);
			mpq_mul(b, b, s->e);
			add_power(s->coefficient + j * s->k, weight, b, m - 1);
		}
	}
	mpq_clears(weight, b, (mpq_ptr)0);
	mpz_clear(z);
}

/* C(k, m) C(k-m, i) / (4^m 2^(k-m)) */
static void weight_of(mpq_t out, unsigned k, unsigned m, unsigned i)
{
	mpz_t z;

	mpz_init(z);
	mpz_bin_uiui(mpq_numref(out), k, m);
	mpz_bin_uiui(z, k - m, i);
	mpz_mul(mpq_numref(out), mpq_numref(out), z);
	mpz_set_ui(mpq_denref(out), 1);
	mpz_mul_2exp(mpq_denref(out), mpq_denref(out), k + m);
	mpq_canonicalize(out);
	mpz_clear(z);
}

void laplaces_init(struct laplaces *s, mpq_srcptr epsilon, unsigned k)
{
	mpq_t c;

	s->k = k;
	mpq_init(s->e);
	mpq_set(s->e, epsilon);
	s->coefficient = malloc((size_t)k * k * sizeof *s->coefficient);
	for (unsigned i = 0; i < k * k; i++)
		mpq_init(s->coefficient[i]);
	mpq_init(c);
	for (unsigned m = 1; m <= k; m++)
		for (unsigned i = 0; i <= k - m; i++) {
			weight_of(c, k, m, i);
			add_irwin_hall(s, c, m, 2 * (long)i - (long)(k - m));
		}
	mpq_clear(c);
}

void laplaces_release(struct laplaces *s)
{
	for (unsigned i = 0; i < s->k * s->k; i++)
		mpq_clear(s->coefficient[i]);
	free(s->coefficient);
	mpq_clear(s->e);
}

/* Gauss and Legendre: nodes and weights on (-1, 1), by Newton's method. */
static void legendre(mpfr_t *node, mpfr_t *weight)
{
	mpfr_t p, q, t, d;

	mpfr_inits2(ORACLE_BITS, p, q, t, d, (mpfr_ptr)0);
	for (unsigned i = 0; i < NODES; i++) {
		mpfr_inits2(ORACLE_BITS, node[i], weight[i], (mpfr_ptr)0);
		mpfr_set_d(node[i], cos(M_PI * (i + 0.75) / (NODES + 0.5)), N);
		for (int step = 0; step < 9; step++) {
			mpfr_set_ui(q, 1, N);
			mpfr_set(p, node[i], N);
			for (unsigned k = 2; k <= NODES; k++) { /* P_k from P_(k-1), P_(k-2) */
				mpfr_mul(t, p, node[i], N);
				mpfr_mul_ui(t, t, 2 * k - 1, N);
				mpfr_mul_ui(q, q, k - 1, N);
				mpfr_sub(t, t, q, N);
				mpfr_div_ui(t, t, k, N);
				mpfr_set(q, p, N);
				mpfr_set(p, t, N);
			}
			/* d = P'(x) = n (q - x p)/(1 - x^2) */
			mpfr_mul(t, node[i], p, N);
			mpfr_sub(d, q, t, N);
			mpfr_mul_ui(d, d, NODES, N);
			mpfr_sqr(t, node[i], N);
			mpfr_ui_sub(t, 1, t, N);
			mpfr_div(d, d, t, N);
			mpfr_div(p, p, d, N);
			mpfr_sub(node[i], node[i], p, N);
		}
		mpfr_sqr(d, d, N);
		mpfr_mul(d, d, t, N);
		mpfr_ui_div(weight[i], 2, d, N);
	}
	mpfr_clears(p, q, t, d, (mpfr_ptr)0);
}

/* e^((x - k e)/2) */
static void tilt(const struct laplaces *s, mpfr_t out, const mpfr_t x)
{
	mpq_t top;

	mpq_init(top);
	mpq_set_ui(top, s->k, 1);
	mpq_mul(top, top, s->e);
	mpfr_sub_q(out, x, top, N);
	mpfr_div_ui(out, out, 2, N);
	mpfr_exp(out, out, N);
	mpq_clear(top);
}

/* The density at x = left end of panel j plus y. */
static void
density(const struct laplaces *s, unsigned j, const mpfr_t y, const mpfr_t x, mpfr_t out)
{
	mpfr_t t;

	mpfr_init2(t, ORACLE_BITS);
	mpfr_set_zero(out, 1);
	for (unsigned i = s->k; i-- > 0;) {
		mpfr_mul(out, out, y, N);
		mpfr_add_q(out, out, s->coefficient[j * s->k + i], N);
	}
	tilt(s, t, x);
	mpfr_mul(out, out, t, N);
	mpfr_clear(t);
}

static void push(struct law *l, const mpfr_t loss, const mpfr_t mass)
{
	if (l->n % 64 == 0) {
		l->loss = realloc(l->loss, (l->n + 64) * sizeof *l->loss);
		l->mass = realloc(l->mass, (l->n + 64) * sizeof *l->mass);
	}
	mpfr_inits2(ORACLE_BITS, l->loss[l->n], l->mass[l->n], (mpfr_ptr)0);
	mpfr_set(l->loss[l->n], loss, N);
	mpfr_set(l->mass[l->n], mass, N);
	l->n++;
}

static void push_atoms(const struct laplaces *s, struct law *l)
{
	mpfr_t loss, mass;
	mpq_t c;

	mpfr_inits2(ORACLE_BITS, loss, mass, (mpfr_ptr)0);
	mpq_init(c);
	for (unsigned i = 0; i <= s->k; i++) {
		mpfr_set_q(loss, s->e, N);
		mpfr_mul_si(loss, loss, 2 * (long)i - (long)s->k, N);
		tilt(s, mass, loss);
		weight_of(c, s->k, 0, i);
		mpfr_mul_q(mass, mass, c, N);
		push(l, loss, mass);
	}
	mpfr_clears(loss, mass, (mpfr_ptr)0);
	mpq_clear(c);
}

/* Nodes for y from a to b in panel j. */
static void push_stretch(const struct laplaces *s, unsigned j, const mpfr_t a, const mpfr_t b,
			 mpfr_t *node, mpfr_t *weight, struct law *l)
{
	mpfr_t half, y, x, mass;

	mpfr_inits2(ORACLE_BITS, half, y, x, mass, (mpfr_ptr)0);
	mpfr_sub(half, b, a, N);
	mpfr_div_ui(half, half, 2, N);
	for (unsigned i = 0; i < NODES; i++) {
		mpfr_add_ui(y, node[i], 1, N);
		mpfr_fma(y, y, half, a, N);
		mpfr_set_q(x, s->e, N);
		mpfr_mul_si(x, x, 2 * (long)j - (long)s->k, N);
		mpfr_add(x, x, y, N);
		density(s, j, y, x, mass);
		mpfr_mul(mass, mass, weight[i], N);
		mpfr_mul(mass, mass, half, N);
		push(l, x, mass);
	}
	mpfr_clears(half, y, x, mass, (mpfr_ptr)0);
}

/* The part of panel j above from, in stretches of at most 1/2. */
static void push_panel(const struct laplaces *s, unsigned j, const mpfr_t from, mpfr_t *node,
		       mpfr_t *weight, struct law *l)
{
	mpfr_t left, width, a, b;
	unsigned parts;

	mpfr_inits2(ORACLE_BITS, left, width, a, b, (mpfr_ptr)0);
	mpfr_set_q(width, s->e, N);
	mpfr_mul_si(left, width, 2 * (long)j - (long)s->k, N);
	mpfr_mul_ui(width, width, 2, N);
	mpfr_set_zero(a, 1);
	if (from && mpfr_cmp(from, left) > 0)
		mpfr_sub(a, from, left, N);
	mpfr_sub(width, width, a, N);
	parts = 1 + (unsigned)fmax(0, 2 * mpfr_get_d(width, N));
	mpfr_div_ui(width, width, parts, N);
	for (unsigned i = 0; i < parts && mpfr_sgn(width) > 0; i++) {
		mpfr_add(b, a, width, N);
		push_stretch(s, j, a, b, node, weight, l);
		mpfr_set(a, b, N);
	}
	mpfr_clears(left, width, a, b, (mpfr_ptr)0);
}

void laplaces_nodes(const struct laplaces *s, const mpfr_t from, struct law *l)
{
	mpfr_t node[NODES], weight[NODES];

	legendre(node, weight);
	*l = (struct law){0};
	mpfr_inits2(ORACLE_BITS, l->only_p, l->only_q, (mpfr_ptr)0);
	mpfr_set_zero(l->only_p, 1);
	mpfr_set_zero(l->only_q, 1);
	push_atoms(s, l);
	for (unsigned j = 0; j < s->k; j++)
		push_panel(s, j, from, node, weight, l);
	for (unsigned i = 0; i < NODES; i++)
		mpfr_clears(node[i], weight[i], (mpfr_ptr)0);
}

void law_laplaces(struct law *l, mpq_srcptr epsilon, unsigned k)
{
	struct laplaces s;

	laplaces_init(&s, epsilon, k);
	laplaces_nodes(&s, NULL, l);
	laplaces_release(&s);
}
