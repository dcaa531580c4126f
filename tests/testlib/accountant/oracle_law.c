/*
 * Lists outcomes from the definitions in MPFR, convolves by all pairs, and joins atoms that
 * differ only by rounding.
 */
#include "testlib/accountant/oracle_law.h"

#include <math.h>
#include <stdlib.h>

#define N MPFR_RNDN

void law_make(struct law *l, size_t n)
{
	l->n = n;
	l->loss = malloc(n * sizeof *l->loss);
	l->mass = malloc(n * sizeof *l->mass);
	for (size_t i = 0; i < n; i++) {
		mpfr_init2(l->loss[i], ORACLE_BITS);
		mpfr_init2(l->mass[i], ORACLE_BITS);
	}
	mpfr_inits2(ORACLE_BITS, l->only_p, l->only_q, (mpfr_ptr)0);
	mpfr_set_zero(l->only_p, 1);
	mpfr_set_zero(l->only_q, 1);
}

void law_release(struct law *l)
{
	for (size_t i = 0; i < l->n; i++)
		mpfr_clears(l->loss[i], l->mass[i], (mpfr_ptr)0);
	free(l->loss);
	free(l->mass);
	mpfr_clears(l->only_p, l->only_q, (mpfr_ptr)0);
}

void law_nothing(struct law *l)
{
	law_make(l, 1);
	mpfr_set_zero(l->loss[0], 1);
	mpfr_set_ui(l->mass[0], 1, N);
}

/* masses e^epsilon, 1 and k - 2 times 1, over their sum */
void law_response(struct law *l, mpq_srcptr epsilon, unsigned k)
{
	mpfr_t sum;

	mpfr_init2(sum, ORACLE_BITS);
	law_make(l, k > 2 ? 3 : 2);
	mpfr_set_q(l->loss[0], epsilon, N);
	mpfr_neg(l->loss[1], l->loss[0], N);
	mpfr_exp(l->mass[0], l->loss[0], N);
	mpfr_set_ui(l->mass[1], 1, N);
	mpfr_add_ui(sum, l->mass[0], k - 1, N);
	if (k > 2) {
		mpfr_set_zero(l->loss[2], 1);
		mpfr_set_ui(l->mass[2], k - 2, N);
	}
	for (size_t i = 0; i < l->n; i++)
		mpfr_div(l->mass[i], l->mass[i], sum, N);
	mpfr_clear(sum);
}

void law_approx(struct law *l, mpq_srcptr epsilon, mpq_srcptr delta)
{
	mpfr_t rest;

	law_response(l, epsilon, 2);
	mpfr_init2(rest, ORACLE_BITS);
	mpfr_set_q(l->only_p, delta, N);
	mpfr_set(l->only_q, l->only_p, N);
	mpfr_ui_sub(rest, 1, l->only_p, N);
	for (size_t i = 0; i < l->n; i++)
		mpfr_mul(l->mass[i], l->mass[i], rest, N);
	mpfr_clear(rest);
}

/* Fills in an atom from the weights of P and Q of one outcome, both over total. */
static void
set_outcome(struct law *l, size_t i, const mpfr_t log_p, const mpfr_t log_q, mpfr_t total)
{
	mpfr_sub(l->loss[i], log_p, log_q, N);
	mpfr_exp(l->mass[i], log_p, N);
	mpfr_add(total, total, l->mass[i], N);
}

static void normalise(struct law *l, const mpfr_t total)
{
	for (size_t i = 0; i < l->n; i++)
		mpfr_div(l->mass[i], l->mass[i], total, N);
}

/* -|x| a */
static void log_geometric(mpfr_t out, long x, mpq_srcptr a)
{
	mpfr_set_q(out, a, N);
	mpfr_mul_si(out, out, -labs(x), N);
}

/* -x^2 / (2 sigma^2) */
static void log_gaussian(mpfr_t out, long x, mpq_srcptr sigma)
{
	mpfr_set_si(out, x, N);
	mpfr_div_q(out, out, sigma, N);
	mpfr_sqr(out, out, N);
	mpfr_div_si(out, out, -2, N);
}

/* Noise weights w(x) on the integers against the same moved by shift. */
static void moved_noise(struct law *l, void (*w)(mpfr_t, long, mpq_srcptr), mpq_srcptr scale,
			long shift, long reach)
{
	mpfr_t p, q, total;

	law_make(l, (size_t)(2 * reach + 1));
	mpfr_inits2(ORACLE_BITS, p, q, total, (mpfr_ptr)0);
	mpfr_set_zero(total, 1);
	for (long x = -reach; x <= reach; x++) {
		w(p, x, scale);
		w(q, x - shift, scale);
		set_outcome(l, (size_t)(x + reach), p, q, total);
	}
	normalise(l, total);
	mpfr_clears(p, q, total, (mpfr_ptr)0);
}

static int compare_atoms(const void *a, const void *b)
{
	return mpfr_cmp(*(const mpfr_t *)a, *(const mpfr_t *)b);
}

/* Sorts by loss and joins atoms that differ by rounding only. */
static void tidy(struct law *l)
{
	struct pair {
		mpfr_t loss, mass;
	} *list = malloc(l->n * sizeof *list);
	size_t kept = 0;
	mpfr_t gap;

	for (size_t i = 0; i < l->n; i++) {
		list[i].loss[0] = l->loss[i][0];
		list[i].mass[0] = l->mass[i][0];
	}
	qsort(list, l->n, sizeof *list, compare_atoms);
	mpfr_init2(gap, ORACLE_BITS);
	for (size_t i = 1; i < l->n; i++) {
		mpfr_sub(gap, list[i].loss, list[kept].loss, N);
		if (mpfr_cmp_d(gap, 0x1p-120) < 0) {
			mpfr_add(list[kept].mass, list[kept].mass, list[i].mass, N);
			mpfr_clears(list[i].loss, list[i].mass, (mpfr_ptr)0);
		} else {
			list[++kept] = list[i];
		}
	}
	l->n = kept + 1;
	for (size_t i = 0; i < l->n; i++) {
		l->loss[i][0] = list[i].loss[0];
		l->mass[i][0] = list[i].mass[0];
	}
	mpfr_clear(gap);
	free(list);
}

void law_geometric(struct law *l, mpq_srcptr epsilon, unsigned sensitivity)
{
	long reach = (long)(135 * sensitivity / mpq_get_d(epsilon)) + 2 * (long)sensitivity;
	mpq_t step;

	mpq_init(step);
	mpq_set_ui(step, 1, sensitivity);
	mpq_mul(step, step, epsilon);
	moved_noise(l, log_geometric, step, (long)sensitivity, reach);
	tidy(l);
	mpq_clear(step);
}

void law_discrete_gaussian(struct law *l, mpq_srcptr sigma, unsigned sensitivity)
{
	moved_noise(l, log_gaussian, sigma, (long)sensitivity,
		    (long)(19 * mpq_get_d(sigma)) + 2 * (long)sensitivity + 2);
}

/* out = probability of x successes in n of probability p */
static void binomial(mpfr_t out, unsigned n, unsigned x, const mpfr_t p)
{
	mpfr_t rest;
	mpz_t ways;

	mpfr_init2(rest, ORACLE_BITS);
	mpz_init(ways);
	mpz_bin_uiui(ways, n, x);
	mpfr_ui_sub(rest, 1, p, N);
	mpfr_pow_ui(rest, rest, n - x, N);
	mpfr_pow_ui(out, p, x, N);
	mpfr_mul(out, out, rest, N);
	mpfr_mul_z(out, out, ways, N);
	mpfr_clear(rest);
	mpz_clear(ways);
}

/* Of c clones, x - 1 or x chose the first answer: weights of the pair (x, c + 1 - x). */
static void clone_outcome(struct law *l, size_t at, unsigned c, unsigned x, const mpfr_t clones,
			  const mpfr_t truth)
{
	mpfr_t before, now, half, p, q, other;

	mpfr_inits2(ORACLE_BITS, before, now, half, p, q, other, (mpfr_ptr)0);
	mpfr_set_d(half, 0.5, N);
	mpfr_set_zero(before, 1);
	mpfr_set_zero(now, 1);
	if (x > 0)
		binomial(before, c, x - 1, half);
	if (x <= c)
		binomial(now, c, x, half);
	mpfr_ui_sub(other, 1, truth, N);
	mpfr_mul(p, before, truth, N);
	mpfr_fma(p, now, other, p, N);
	mpfr_mul(q, before, other, N);
	mpfr_fma(q, now, truth, q, N);
	mpfr_mul(l->mass[at], p, clones, N);
	mpfr_div(p, p, q, N);
	mpfr_log(l->loss[at], p, N);
	mpfr_clears(before, now, half, p, q, other, (mpfr_ptr)0);
}

void law_shuffle(struct law *l, mpq_srcptr epsilon, unsigned n, bool binary)
{
	mpfr_t e, truth, p, clones;
	size_t at = 0;

	mpfr_inits2(ORACLE_BITS, e, truth, p, clones, (mpfr_ptr)0);
	mpfr_set_q(e, epsilon, N);
	mpfr_exp(e, e, N);
	mpfr_add_ui(p, e, 1, N);
	mpfr_div(truth, e, p, N);
	if (binary)
		mpfr_ui_div(p, 2, p, N);
	else
		mpfr_ui_div(p, 1, e, N);
	law_make(l, (size_t)n * (n + 3) / 2);
	for (unsigned c = 0; c < n; c++) {
		binomial(clones, n - 1, c, p);
		for (unsigned x = 0; x <= c + 1; x++)
			clone_outcome(l, at++, c, x, clones, truth);
	}
	tidy(l);
	mpfr_clears(e, truth, p, clones, (mpfr_ptr)0);
}

/* N(mu^2/2, mu^2) by the trapezoid rule */
void law_gaussian(struct law *l, mpq_srcptr sigma)
{
	enum { PER_UNIT = 14, REACH = 17 };
	mpfr_t mu, z, pi;

	law_make(l, 2 * REACH * PER_UNIT + 1);
	mpfr_inits2(ORACLE_BITS, mu, z, pi, (mpfr_ptr)0);
	mpfr_set_ui(mu, 1, N);
	mpfr_div_q(mu, mu, sigma, N);
	mpfr_const_pi(pi, N);
	mpfr_mul_ui(pi, pi, 2, N);
	mpfr_sqrt(pi, pi, N);
	for (size_t i = 0; i < l->n; i++) {
		mpfr_set_si(z, (long)i - REACH * PER_UNIT, N);
		mpfr_div_ui(z, z, PER_UNIT, N);
		mpfr_div_ui(l->loss[i], mu, 2, N);
		mpfr_add(l->loss[i], l->loss[i], z, N);
		mpfr_mul(l->loss[i], l->loss[i], mu, N);
		mpfr_sqr(z, z, N);
		mpfr_div_si(z, z, -2, N);
		mpfr_exp(l->mass[i], z, N);
		mpfr_div(l->mass[i], l->mass[i], pi, N);
		mpfr_div_ui(l->mass[i], l->mass[i], PER_UNIT, N);
	}
	mpfr_clears(mu, z, pi, (mpfr_ptr)0);
}

/* log(1 + q (e^x - 1)) */
static void mix(mpfr_t out, mpq_srcptr q, const mpfr_t x)
{
	mpfr_expm1(out, x, N);
	mpfr_mul_q(out, out, q, N);
	mpfr_log1p(out, out, N);
}

/* Room for one atom more, at loss log(1 - q) or its negative. */
static void append(struct law *l, mpq_srcptr rate, int sign)
{
	l->loss = realloc(l->loss, (l->n + 1) * sizeof *l->loss);
	l->mass = realloc(l->mass, (l->n + 1) * sizeof *l->mass);
	mpfr_inits2(ORACLE_BITS, l->loss[l->n], l->mass[l->n], (mpfr_ptr)0);
	mpfr_set_q(l->loss[l->n], rate, N);
	mpfr_ui_sub(l->loss[l->n], 1, l->loss[l->n], N);
	mpfr_log(l->loss[l->n], l->loss[l->n], N);
	mpfr_mul_si(l->loss[l->n], l->loss[l->n], sign, N);
	l->n++;
}

/* ((1-q) Q + q P, Q) */
static void sample_remove(struct law *l, mpq_srcptr rate)
{
	mpfr_t rest, factor;

	mpfr_inits2(ORACLE_BITS, rest, factor, (mpfr_ptr)0);
	mpfr_set_q(rest, rate, N);
	mpfr_ui_sub(rest, 1, rest, N);
	for (size_t i = 0; i < l->n; i++) {
		mpfr_neg(factor, l->loss[i], N);
		mpfr_exp(factor, factor, N);
		mpfr_mul(factor, factor, rest, N);
		mpfr_add_q(factor, factor, rate, N);
		mpfr_mul(l->mass[i], l->mass[i], factor, N);
		mix(l->loss[i], rate, l->loss[i]);
	}
	append(l, rate, 1);
	mpfr_mul(l->mass[l->n - 1], l->only_q, rest, N);
	mpfr_mul_q(l->only_p, l->only_p, rate, N);
	mpfr_set_zero(l->only_q, 1);
	mpfr_clears(rest, factor, (mpfr_ptr)0);
}

/* (P, (1-q) P + q Q) */
static void sample_add(struct law *l, mpq_srcptr rate)
{
	for (size_t i = 0; i < l->n; i++) {
		mpfr_neg(l->loss[i], l->loss[i], N);
		mix(l->loss[i], rate, l->loss[i]);
		mpfr_neg(l->loss[i], l->loss[i], N);
	}
	append(l, rate, -1);
	mpfr_set(l->mass[l->n - 1], l->only_p, N);
	mpfr_set_zero(l->only_p, 1);
	mpfr_mul_q(l->only_q, l->only_q, rate, N);
}

void law_sample(struct law *l, mpq_srcptr rate, enum direction direction)
{
	if (direction == REMOVE)
		sample_remove(l, rate);
	else
		sample_add(l, rate);
}

static void compose_once(struct law *l, const struct law *other)
{
	struct law both;
	mpfr_t rest;

	law_make(&both, l->n * other->n);
	for (size_t i = 0; i < l->n; i++)
		for (size_t j = 0; j < other->n; j++) {
			mpfr_add(both.loss[i * other->n + j], l->loss[i], other->loss[j], N);
			mpfr_mul(both.mass[i * other->n + j], l->mass[i], other->mass[j], N);
		}
	/* 1 - (1 - a)(1 - b) = a + b - a b */
	mpfr_init2(rest, ORACLE_BITS);
	mpfr_ui_sub(rest, 1, l->only_p, N);
	mpfr_mul(rest, rest, other->only_p, N);
	mpfr_add(both.only_p, l->only_p, rest, N);
	mpfr_clear(rest);
	law_release(l);
	*l = both;
	tidy(l);
}

void law_compose(struct law *l, const struct law *other, unsigned k)
{
	for (unsigned i = 0; i < k; i++)
		compose_once(l, other);
}
