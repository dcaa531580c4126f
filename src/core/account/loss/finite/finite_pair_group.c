/* Black-box groups of finite pairs: the hull of a few points (finite_pair_group.md). */
#include <math.h>
#include <stdlib.h>

#include "core/account/loss/finite/finite_pair.h"
#include "core/base/failure.h"

enum { PEOPLE_MAX = 64, SMALL_MAX = 64 };
/* Bits that the three differences in a row may lose together; and all of them. */
enum { LOST_MAX = 90, ALL = 1000 };
#define N MPFR_RNDN

/* A place where the inner curve turns, seen from the group: E, the curve there, and the Q-mass above as slope. */
struct corner {
	mpfr_t at, value, slope;
	mpfr_ptr loss, mass; /* of the outcome that it was */
};

struct corners {
	struct corner *list;
	size_t n, made;
	long lost_value, lost_slope,
		lost_turn; /* bits, at most, in the curve, in its slopes and in their changes */
};

static int compare_corners(const void *a, const void *b)
{
	const struct corner *x = a, *y = b;

	return mpfr_cmp(x->loss, y->loss);
}

static enum sotto_status corners_of(struct corners *c, struct sotto_pair *p)
{
	*c = (struct corners){malloc(p->n * sizeof *c->list + 1), p->n, p->n, 0, 0, 0};
	if (!c->list)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < p->n; i++) {
		struct corner *x = &c->list[i];

		mpfr_inits2(SOTTO_PAIR_BITS, x->at, x->value, x->slope, (mpfr_ptr)0);
		x->loss = p->loss[i];
		x->mass = p->mass[i];
	}
	qsort(c->list, c->n, sizeof *c->list, compare_corners);
	return SOTTO_OK;
}

static void corners_release(struct corners *c)
{
	for (size_t i = 0; i < c->made; i++)
		mpfr_clears(c->list[i].at, c->list[i].value, c->list[i].slope, (mpfr_ptr)0);
	free(c->list);
}

/* Notes the bits that rest, a difference from a, has lost. */
static void note_lost(long *lost, const mpfr_t rest, const mpfr_t a)
{
	long bits = 0;

	if (mpfr_sgn(rest) < 0)
		bits = ALL;
	else if (!mpfr_zero_p(rest))
		bits = mpfr_get_exp(a) - mpfr_get_exp(rest);
	if (bits > *lost)
		*lost = bits > ALL ? ALL : bits;
}

/* 1 + y + ... + y^(k-1) */
static void set_factor(mpfr_t s, const mpfr_t y, uint64_t k)
{
	mpfr_set_ui(s, 1, N);
	for (uint64_t j = 1; j < k; j++) {
		mpfr_mul(s, s, y, N);
		mpfr_add_ui(s, s, 1, N);
	}
}

/* The group's curve where the inner one, f = U - yV, turns; U and V are the masses above, summed from the top. */
static void place(struct corners *c, const struct sotto_pair *p, uint64_t k)
{
	mpfr_t U, V, y, x;

	mpfr_inits2(SOTTO_PAIR_BITS, U, V, y, x, (mpfr_ptr)0);
	mpfr_set(U, p->only_p, N);
	mpfr_set_zero(V, 1);
	for (size_t i = c->n; i-- > 0;) {
		struct corner *at = &c->list[i];

		mpfr_exp(y, at->loss, N);
		mpfr_mul(x, y, V, N);
		mpfr_sub(at->value, U, x, N);
		note_lost(&c->lost_value, at->value, U);
		set_factor(x, y, k);
		mpfr_mul(at->value, at->value, x, N);
		mpfr_pow_ui(at->at, y, k, N);
		mpfr_add(U, U, at->mass, N);
		mpfr_div(x, at->mass, y, N);
		mpfr_add(V, V, x, N);
	}
	mpfr_clears(U, V, y, x, (mpfr_ptr)0);
}

/* The fall from one corner, or from 1 at E = 0, to another, over their distance. */
static void
slope_to(mpfr_t slope, const struct corner *from, const struct corner *to, long *lost)
{
	mpfr_t x, one;

	mpfr_inits2(SOTTO_PAIR_BITS, x, one, (mpfr_ptr)0);
	mpfr_set_ui(one, 1, N);
	mpfr_sub(slope, from ? from->value : one, to->value, N);
	note_lost(lost, slope, from ? from->value : one);
	mpfr_set(x, to->at, N);
	if (from)
		mpfr_sub(x, to->at, from->at, N);
	note_lost(lost, x, to->at);
	mpfr_div(slope, slope, x, N);
	mpfr_clears(x, one, (mpfr_ptr)0);
}

/* The corners of the hull: each line falls less than the one before.  A corner that is not below the last ends nothing and goes. */
static void find_hull(struct corners *c, bool whole)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct corner *x = &c->list[i], kept;

		if (n > 0 ? mpfr_cmp(x->value, c->list[n - 1].value) >= 0
			  : mpfr_cmp_ui(x->value, 1) >= 0)
			continue;
		for (;;) {
			if (n == 0 &&
			    whole) /* below all losses f = 1 - y, and the curve is 1 - E */
				mpfr_set_ui(x->slope, 1, N);
			else
				slope_to(x->slope, n ? &c->list[n - 1] : NULL, x,
					 &c->lost_slope);
			if (n == 0 || mpfr_cmp(x->slope, c->list[n - 1].slope) < 0)
				break;
			n--;
		}
		kept = c->list[n];
		c->list[n++] = *x;
		*x = kept;
	}
	c->n = n;
}

/* The outcomes of the hull: Q-mass is what the slope changes by, and P-mass E times that. */
static void fill(struct sotto_pair *out, struct corners *c, uint64_t k)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct corner *x = &c->list[i];

		mpfr_mul_ui(out->loss[i], x->loss, k, N);
		if (i + 1 < c->n) {
			mpfr_sub(out->mass[i], x->slope, c->list[i + 1].slope, N);
			note_lost(&c->lost_turn, out->mass[i], x->slope);
		} else {
			mpfr_set(out->mass[i], x->slope, N);
		}
		mpfr_mul(out->mass[i], out->mass[i], x->at, N);
	}
	mpfr_set(out->only_p, c->list[c->n - 1].value, N);
	mpfr_ui_sub(out->only_q, 1, c->list[0].slope, N);
	if (mpfr_sgn(out->only_q) < 0)
		mpfr_set_zero(out->only_q, 1);
}

enum sotto_status sotto_pair_group(struct sotto_pair *p, uint64_t k)
{
	struct sotto_pair out = {0};
	struct corners c;
	enum sotto_status st = SOTTO_EREFUSED;

	sotto_pair_drop_empty(p);
	if (k > PEOPLE_MAX || p->n == 0 || p->n > SOTTO_PAIR_SMALL || !mpfr_zero_p(p->left_out))
		return SOTTO_EREFUSED;
	SOTTO_TRY(corners_of(&c, p));
	place(&c, p, k);
	find_hull(&c, mpfr_zero_p(p->only_q));
	if (c.n > 0)
		st = sotto_pair_init(&out, c.n);
	if (st == SOTTO_OK) {
		fill(&out, &c, k);
		if (c.lost_value + c.lost_slope + c.lost_turn > LOST_MAX) {
			sotto_pair_release(&out);
			st = SOTTO_EREFUSED;
		}
	}
	corners_release(&c);
	SOTTO_TRY(st);
	sotto_pair_release(p);
	*p = out;
	return SOTTO_OK;
}

bool sotto_pair_has_group(const struct sotto_event *e)
{
	for (size_t i = 0; i < e->n_children; i++)
		if (sotto_pair_has_group(e->children[i]))
			return true;
	return e->kind == SOTTO_EVENT_GROUP;
}

/* How many outcomes all repetitions have: each chooses from as many, in any order; those of a lattice fall together. */
static double outcomes_of(const struct sotto_event *e)
{
	double n = INFINITY, all = 1, count = (double)e->count;

	switch (e->kind) {
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_APPROX:
	case SOTTO_EVENT_EXPONENTIAL:
		return count + 1;
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		return 2 * count + 1;
	case SOTTO_EVENT_GEOMETRIC:
		return count * (double)e->sensitivity + 1;
	case SOTTO_EVENT_SAMPLED:
		n = outcomes_of(e->children[0]) + 1;
		break;
	case SOTTO_EVENT_GROUP:
		n = e->size <= PEOPLE_MAX ? outcomes_of(e->children[0]) : INFINITY;
		break;
	default:
		return INFINITY;
	}
	for (double i = 0; i < count && all < SOTTO_PAIR_SMALL; i++)
		all *= (n + i) / (i + 1);
	return all;
}

bool sotto_pair_is_small(const struct sotto_event *e)
{
	return (e->kind == SOTTO_EVENT_SAMPLED || e->kind == SOTTO_EVENT_GROUP) &&
	       outcomes_of(e->children[0]) <= SMALL_MAX;
}
