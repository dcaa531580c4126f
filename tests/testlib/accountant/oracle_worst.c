/*
 * The larger of two curves.  h(t) = sum over outcomes of [P - t Q]+ is convex and linear
 * between the knots t = P/Q; so is the larger of two, with knots where they cross.  The
 * law is read off: Q has the change of slope at a knot, P has t times that.
 */
#include <stdlib.h>

#include "testlib/accountant/oracle_law.h"

#define N MPFR_RNDN

struct knots {
	size_t n;
	mpfr_t *t; /* the first is 0 */
};

static void height(mpfr_t out, const struct law *l, const mpfr_t t)
{
	mpfr_t part;

	mpfr_init2(part, ORACLE_BITS);
	mpfr_set(out, l->only_p, N);
	for (size_t i = 0; i < l->n; i++) {
		mpfr_neg(part, l->loss[i], N);
		mpfr_exp(part, part, N);
		mpfr_mul(part, part, t, N);
		mpfr_ui_sub(part, 1, part, N);
		if (mpfr_sgn(part) > 0)
			mpfr_fma(out, part, l->mass[i], out, N);
	}
	mpfr_clear(part);
}

/* out = the first curve less the second; *most, if not NULL, the larger one */
static void
compare_at(mpfr_t out, mpfr_ptr most, const struct law *a, const struct law *b, const mpfr_t t)
{
	mpfr_t x, y;

	mpfr_inits2(ORACLE_BITS, x, y, (mpfr_ptr)0);
	height(x, a, t);
	height(y, b, t);
	mpfr_sub(out, x, y, N);
	if (most)
		mpfr_max(most, x, y, N);
	mpfr_clears(x, y, (mpfr_ptr)0);
}

static void push_knot(struct knots *k, const mpfr_t t)
{
	mpfr_init2(k->t[k->n], ORACLE_BITS);
	mpfr_set(k->t[k->n++], t, N);
}

static int ascending(const void *a, const void *b)
{
	return mpfr_cmp(*(const mpfr_t *)a, *(const mpfr_t *)b);
}

/* Sorts, and drops what is the same but for rounding. */
static void sort_knots(struct knots *k)
{
	size_t kept = 0;
	mpfr_t gap;

	mpfr_init2(gap, ORACLE_BITS);
	qsort(k->t, k->n, sizeof *k->t, ascending);
	for (size_t i = 1; i < k->n; i++) {
		mpfr_sub(gap, k->t[i], k->t[kept], N);
		mpfr_div(gap, gap, k->t[i], N);
		if (mpfr_cmp_d(gap, 0x1p-80) > 0)
			mpfr_swap(k->t[++kept], k->t[i]);
	}
	for (size_t i = kept + 1; i < k->n; i++)
		mpfr_clear(k->t[i]);
	k->n = kept + 1;
	mpfr_clear(gap);
}

/* A knot where the difference changes its sign between two others. */
static void push_crossings(struct knots *k, const struct law *a, const struct law *b)
{
	mpfr_t left, right, t;

	mpfr_inits2(ORACLE_BITS, left, right, t, (mpfr_ptr)0);
	for (size_t i = 0, n = k->n; i + 1 < n; i++) {
		compare_at(left, NULL, a, b, k->t[i]);
		compare_at(right, NULL, a, b, k->t[i + 1]);
		if (mpfr_sgn(left) * mpfr_sgn(right) >= 0)
			continue;
		mpfr_sub(right, left, right, N);
		mpfr_div(left, left, right, N);
		mpfr_sub(t, k->t[i + 1], k->t[i], N);
		mpfr_fma(t, t, left, k->t[i], N);
		push_knot(k, t);
	}
	mpfr_clears(left, right, t, (mpfr_ptr)0);
}

static void find_knots(struct knots *k, const struct law *a, const struct law *b)
{
	mpfr_t t;

	*k = (struct knots){0, malloc((2 * (a->n + b->n) + 2) * sizeof *k->t)};
	mpfr_init2(t, ORACLE_BITS);
	mpfr_set_zero(t, 1);
	push_knot(k, t);
	for (size_t i = 0; i < a->n + b->n; i++) {
		mpfr_exp(t, i < a->n ? a->loss[i] : b->loss[i - a->n], N);
		push_knot(k, t);
	}
	sort_knots(k);
	push_crossings(k, a, b);
	sort_knots(k);
	mpfr_clear(t);
}

/* Slope of the larger curve between two places. */
static void slope(mpfr_t out, const struct law *a, const struct law *b, const mpfr_t left,
		  const mpfr_t right)
{
	mpfr_t low, high, ignored;

	mpfr_inits2(ORACLE_BITS, low, high, ignored, (mpfr_ptr)0);
	compare_at(ignored, low, a, b, left);
	compare_at(ignored, high, a, b, right);
	mpfr_sub(out, high, low, N);
	mpfr_sub(low, right, left, N);
	mpfr_div(out, out, low, N);
	mpfr_clears(low, high, ignored, (mpfr_ptr)0);
}

void law_worst(struct law *l, const struct law *other)
{
	struct knots k;
	struct law worst;
	mpfr_t before, after;

	find_knots(&k, l, other);
	law_make(&worst, k.n - 1);
	mpfr_inits2(ORACLE_BITS, before, after, (mpfr_ptr)0);
	slope(before, l, other, k.t[0], k.t[1]);
	mpfr_add_ui(worst.only_q, before, 1, N);
	for (size_t i = 0; i < worst.n; i++) {
		mpfr_set_zero(after, 1);
		if (i + 2 < k.n)
			slope(after, l, other, k.t[i + 1], k.t[i + 2]);
		mpfr_log(worst.loss[i], k.t[i + 1], N);
		mpfr_sub(worst.mass[i], after, before, N);
		mpfr_mul(worst.mass[i], worst.mass[i], k.t[i + 1], N);
		mpfr_swap(before, after);
	}
	mpfr_max(worst.only_p, l->only_p, other->only_p, N);
	for (size_t i = 0; i < k.n; i++)
		mpfr_clear(k.t[i]);
	free(k.t);
	mpfr_clears(before, after, (mpfr_ptr)0);
	law_release(l);
	*l = worst;
}
