/* Sums, inverses and cuts of the curves of an exact tree. */
#include "census/exact/census_exact_curve.h"

#include <stdlib.h>

void sotto_exact_curve_release(struct sotto_exact_curve *c)
{
	for (size_t i = 0; i < c->n; i++)
		mpq_clears(c->corners[i].mu, c->corners[i].x, NULL);
	free(c->corners);
	*c = (struct sotto_exact_curve){0};
}

enum sotto_status
sotto_exact_curve_push(struct sotto_exact_curve *c, const mpq_t mu, const mpq_t x)
{
	struct sotto_exact_corner *last = c->n ? &c->corners[c->n - 1] : NULL;

	if (last && mpq_equal(last->mu, mu) && mpq_equal(last->x, x))
		return SOTTO_OK;
	if (c->n == c->room) {
		size_t room = 2 * c->room + 4;
		struct sotto_exact_corner *grown = realloc(c->corners, room * sizeof *grown);

		if (!grown)
			return SOTTO_ENOMEM;
		c->corners = grown;
		c->room = room;
	}
	last = &c->corners[c->n++];
	mpq_inits(last->mu, last->x, NULL);
	mpq_set(last->mu, mu);
	mpq_set(last->x, x);
	return SOTTO_OK;
}

/* The point of the line through a and b at the given x (or the given mu). */
static void cross(const mpq_t from, const mpq_t to, const mpq_t at, const mpq_t start,
		  const mpq_t end, mpq_t out)
{
	mpq_t share;

	mpq_init(share);
	mpq_sub(share, to, from);
	mpq_sub(out, at, from);
	mpq_div(share, out, share);
	mpq_sub(out, end, start);
	mpq_mul(out, out, share);
	mpq_add(out, out, start);
	mpq_clear(share);
}

void sotto_exact_curve_at(const struct sotto_exact_curve *c, const mpq_t mu, mpq_t left,
			  mpq_t right)
{
	size_t i = 0;

	while (i < c->n && mpq_cmp(c->corners[i].mu, mu) < 0)
		i++;
	if (i == c->n) {
		mpq_set(left, c->corners[c->n - 1].x);
		mpq_set(right, left);
		return;
	}
	if (mpq_equal(c->corners[i].mu, mu)) {
		mpq_set(left, c->corners[i].x);
		while (i + 1 < c->n && mpq_equal(c->corners[i + 1].mu, mu))
			i++;
		mpq_set(right, c->corners[i].x);
		return;
	}
	if (i == 0)
		mpq_set(left, c->corners[0].x);
	else
		cross(c->corners[i - 1].mu, c->corners[i].mu, mu, c->corners[i - 1].x,
		      c->corners[i].x, left);
	mpq_set(right, left);
}

void sotto_exact_curve_invert(const struct sotto_exact_curve *c, const mpq_t x, mpq_t mu)
{
	size_t i = 0;

	while (i < c->n && mpq_cmp(c->corners[i].x, x) < 0)
		i++;
	if (i == 0 || i == c->n)
		mpq_set(mu, c->corners[i == 0 ? 0 : c->n - 1].mu);
	else
		cross(c->corners[i - 1].x, c->corners[i].x, x, c->corners[i - 1].mu,
		      c->corners[i].mu, mu);
}

static enum sotto_status push_crossing(struct sotto_exact_curve *out,
				       const struct sotto_exact_corner *a,
				       const struct sotto_exact_corner *b, const mpq_t x)
{
	enum sotto_status st = SOTTO_OK;
	mpq_t mu;

	if (mpq_cmp(a->x, x) >= 0 || mpq_cmp(b->x, x) <= 0)
		return SOTTO_OK;
	mpq_init(mu);
	cross(a->x, b->x, x, a->mu, b->mu, mu);
	st = sotto_exact_curve_push(out, mu, x);
	mpq_clear(mu);
	return st;
}

enum sotto_status
sotto_exact_curve_clip(struct sotto_exact_curve *c, const mpq_t low, const mpq_t high)
{
	struct sotto_exact_curve out = {0};
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; st == SOTTO_OK && i < c->n; i++) {
		mpq_srcptr x = c->corners[i].x;

		if (i > 0)
			st = push_crossing(&out, &c->corners[i - 1], &c->corners[i], low);
		if (st == SOTTO_OK && i > 0)
			st = push_crossing(&out, &c->corners[i - 1], &c->corners[i], high);
		if (mpq_cmp(x, low) < 0)
			x = low;
		if (mpq_cmp(x, high) > 0)
			x = high;
		if (st == SOTTO_OK)
			st = sotto_exact_curve_push(&out, c->corners[i].mu, x);
	}
	sotto_exact_curve_release(c);
	*c = out;
	return st;
}

static int compare_mu(const void *a, const void *b)
{
	return mpq_cmp(((const struct sotto_exact_corner *)a)->mu,
		       ((const struct sotto_exact_corner *)b)->mu);
}

enum sotto_status sotto_exact_curve_sum(const struct sotto_exact_curve *curves, size_t n,
					struct sotto_exact_curve *out)
{
	struct sotto_exact_curve all = {0};
	enum sotto_status st = SOTTO_OK;
	mpq_t left, right, l, r;

	mpq_inits(left, right, l, r, NULL);
	for (size_t c = 0; c < n; c++)
		for (size_t i = 0; st == SOTTO_OK && i < curves[c].n; i++)
			st = sotto_exact_curve_push(&all, curves[c].corners[i].mu, l);
	if (all.n)
		qsort(all.corners, all.n, sizeof *all.corners, compare_mu);
	for (size_t i = 0; st == SOTTO_OK && i < all.n; i++) {
		if (i > 0 && mpq_equal(all.corners[i].mu, all.corners[i - 1].mu))
			continue;
		mpq_set_ui(left, 0, 1);
		mpq_set_ui(right, 0, 1);
		for (size_t c = 0; c < n; c++) {
			sotto_exact_curve_at(&curves[c], all.corners[i].mu, l, r);
			mpq_add(left, left, l);
			mpq_add(right, right, r);
		}
		st = sotto_exact_curve_push(out, all.corners[i].mu, left);
		if (st == SOTTO_OK)
			st = sotto_exact_curve_push(out, all.corners[i].mu, right);
	}
	sotto_exact_curve_release(&all);
	mpq_clears(left, right, l, r, NULL);
	return st;
}
