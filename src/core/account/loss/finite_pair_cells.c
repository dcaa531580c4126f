/*
 * Disjoint cells with finite pairs: the least pair that dominates each of them.
 *
 * With t = e^epsilon a pair's curve is h(t) = U - t V between two knots, U the P-mass and V
 * the Q-mass of all outcomes with P/Q > t.  The larger of two such curves is convex again: its
 * knots are those of the curve that is on top, and the places where they cross.  At a
 * knot Q has the fall of V and P has t times that.
 */
#include <stdlib.h>

#include "core/account/loss/finite_pair.h"
#include "core/base/failure.h"

#define N MPFR_RNDN

/* Small pairs without tiny masses: differences of sums then keep 100 bits and more. */
enum { CELL_MAX = 64, TINY = 80, SAME = 140 };

/* One curve: outcomes with loss descending, and the walk along it, t ascending. */
struct side {
	const struct sotto_pair *pair;
	size_t order[CELL_MAX];
	size_t above; /* outcomes whose P/Q is above t */
	mpfr_t U, V;
};

static void side_init(struct side *s, const struct sotto_pair *p)
{
	mpfr_t q;

	s->pair = p;
	s->above = p->n;
	for (size_t i = 0; i < p->n; i++) { /* insertion: a few dozen */
		size_t j = i;

		for (; j > 0 && mpfr_cmp(p->loss[i], p->loss[s->order[j - 1]]) > 0; j--)
			s->order[j] = s->order[j - 1];
		s->order[j] = i;
	}
	mpfr_inits2(SOTTO_PAIR_BITS, s->U, s->V, q, (mpfr_ptr)0);
	mpfr_set(s->U, p->only_p, N);
	mpfr_set_zero(s->V, 1);
	for (size_t i = 0; i < p->n; i++) {
		mpfr_neg(q, p->loss[i], N);
		mpfr_exp(q, q, N);
		mpfr_mul(q, q, p->mass[i], N);
		mpfr_add(s->V, s->V, q, N);
		mpfr_add(s->U, s->U, p->mass[i], N);
	}
	mpfr_clear(q);
}

static void side_release(struct side *s)
{
	mpfr_clears(s->U, s->V, (mpfr_ptr)0);
}

/* The least loss that is still above, or NULL. */
static mpfr_srcptr next_loss(const struct side *s)
{
	return s->above ? s->pair->loss[s->order[s->above - 1]] : NULL;
}

/* Past all outcomes at this loss, within rounding; U and V are summed anew from the top. */
static void pass(struct side *s, const mpfr_t loss)
{
	mpfr_t x;

	mpfr_init2(x, SOTTO_PAIR_BITS);
	while (s->above) {
		mpfr_sub(x, next_loss(s), loss, N);
		if (mpfr_cmp_ui_2exp(x, 1, -SAME) > 0)
			break;
		s->above--;
	}
	mpfr_set(s->U, s->pair->only_p, N);
	mpfr_set_zero(s->V, 1);
	for (size_t i = 0; i < s->above; i++) {
		size_t at = s->order[i];

		mpfr_add(s->U, s->U, s->pair->mass[at], N);
		mpfr_neg(x, s->pair->loss[at], N);
		mpfr_exp(x, x, N);
		mpfr_fma(s->V, x, s->pair->mass[at], s->V, N);
	}
	mpfr_clear(x);
}

/* Sign of a's height less b's at t. */
static int compare_at(const struct side *a, const struct side *b, const mpfr_t t)
{
	mpfr_t x, y, gap;
	int sign;

	mpfr_inits2(SOTTO_PAIR_BITS, x, y, gap, (mpfr_ptr)0);
	mpfr_mul(x, a->V, t, N);
	mpfr_sub(x, a->U, x, N);
	mpfr_mul(y, b->V, t, N);
	mpfr_sub(y, b->U, y, N);
	mpfr_sub(gap, x, y, N);
	sign = mpfr_cmp_ui_2exp(gap, 1, -SAME) > 0    ? 1
	       : mpfr_cmp_si_2exp(gap, -1, -SAME) < 0 ? -1
						      : 0;
	mpfr_clears(x, y, gap, (mpfr_ptr)0);
	return sign;
}

/* The pair that is being made: V of the stretch before the next knot. */
struct making {
	struct sotto_pair *out;
	size_t n;
	mpfr_t V;
};

/* A knot at t: the rest of the curve has slope -V. */
static void turn(struct making *m, const mpfr_t t, const mpfr_t V)
{
	mpfr_ptr mass = m->out->mass[m->n];

	mpfr_sub(mass, m->V, V, N);
	if (mpfr_cmp_ui_2exp(mass, 1, -SAME) <= 0)
		return; /* no turn but rounding: the next one takes it along */
	mpfr_set(m->V, V, N);
	mpfr_mul(mass, mass, t, N);
	mpfr_log(m->out->loss[m->n], t, N);
	m->n++;
}

/* Where the lines of two sides meet. */
static void meet(mpfr_t t, const struct side *a, const struct side *b)
{
	mpfr_t x;

	mpfr_init2(x, SOTTO_PAIR_BITS);
	mpfr_sub(x, a->V, b->V, N);
	mpfr_sub(t, a->U, b->U, N);
	mpfr_div(t, t, x, N);
	mpfr_clear(x);
}

/* One stretch between neighbouring knots from and to, in which both curves are lines. */
static void
draw(struct making *m, const struct side *a, const struct side *b, const mpfr_t from, mpfr_t to)
{
	int left = compare_at(a, b, from), right = compare_at(a, b, to);
	const struct side *first = left > 0 || (left == 0 && right >= 0) ? a : b;
	const struct side *then = first == a ? b : a;
	mpfr_t t;

	turn(m, from, first->V);
	if (left * right >= 0)
		return;
	mpfr_init2(t, SOTTO_PAIR_BITS);
	meet(t, a, b);
	turn(m, t, then->V);
	mpfr_clear(t);
}

/* Walks along both curves; false when both have ended. */
static bool next_knot(struct side *a, struct side *b, mpfr_t loss)
{
	mpfr_srcptr x = next_loss(a), y = next_loss(b);

	if (!x && !y)
		return false;
	mpfr_set(loss, !y || (x && mpfr_cmp(x, y) < 0) ? x : y, N);
	return true;
}

static void walk(struct making *m, struct side *a, struct side *b)
{
	mpfr_t loss, from, to;

	mpfr_inits2(SOTTO_PAIR_BITS, loss, from, to, (mpfr_ptr)0);
	mpfr_set_zero(from, 1);
	mpfr_min(m->V, a->V, b->V, N);
	mpfr_ui_sub(m->out->only_q, 1, m->V, N);
	while (next_knot(a, b, loss)) {
		mpfr_exp(to, loss, N);
		draw(m, a, b, from, to);
		mpfr_swap(from, to);
		pass(a, loss);
		pass(b, loss);
	}
	turn(m, from, a->V); /* both are 0 from here on */
	mpfr_max(m->out->only_p, a->pair->only_p, b->pair->only_p, N);
	mpfr_max(m->out->left_out, a->pair->left_out, b->pair->left_out, MPFR_RNDU);
	mpfr_clears(loss, from, to, (mpfr_ptr)0);
}

static bool is_plain(const struct sotto_pair *p)
{
	if (p->n > CELL_MAX)
		return false;
	for (size_t i = 0; i < p->n; i++)
		if (!mpfr_zero_p(p->mass[i]) && mpfr_get_exp(p->mass[i]) < -TINY)
			return false;
	return true;
}

/* p becomes the larger of the two. */
static enum sotto_status raise(struct sotto_pair *p, const struct sotto_pair *other)
{
	struct sotto_pair larger = {0};
	struct making m = {.out = &larger};
	struct side a, b;

	if (!is_plain(p) || !is_plain(other))
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_pair_init(&larger, 2 * (p->n + other->n) + 2));
	mpfr_init2(m.V, SOTTO_PAIR_BITS);
	side_init(&a, p);
	side_init(&b, other);
	walk(&m, &a, &b);
	side_release(&a);
	side_release(&b);
	mpfr_clear(m.V);
	for (size_t i = m.n; i < larger.n; i++) {
		mpfr_set_zero(larger.mass[i],
			      1); /* unused; a law skips outcomes without mass */
		mpfr_set_zero(larger.loss[i], 1);
	}
	sotto_pair_release(p);
	*p = larger;
	return SOTTO_OK;
}

/* p becomes p and one, one after the other. */
static enum sotto_status compose(struct sotto_pair *p, const struct sotto_pair *one)
{
	struct sotto_pair both = {0};
	mpfr_t rest;

	if (p->n * one->n > CELL_MAX)
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_pair_init(&both, p->n * one->n));
	for (size_t i = 0; i < both.n; i++) {
		mpfr_add(both.loss[i], p->loss[i / one->n], one->loss[i % one->n], N);
		mpfr_mul(both.mass[i], p->mass[i / one->n], one->mass[i % one->n], N);
	}
	mpfr_init2(rest, SOTTO_PAIR_BITS);
	mpfr_ui_sub(rest, 1, p->only_p, N);
	mpfr_fma(both.only_p, rest, one->only_p, p->only_p, N);
	mpfr_ui_sub(rest, 1, p->only_q, N);
	mpfr_fma(both.only_q, rest, one->only_q, p->only_q, N);
	mpfr_add(both.left_out, p->left_out, one->left_out, MPFR_RNDU);
	mpfr_clear(rest);
	sotto_pair_release(p);
	*p = both;
	return SOTTO_OK;
}

/* The pair of one cell, all its repetitions together. */
static enum sotto_status
cell_pair(struct sotto_pair *p, const struct sotto_event *e, enum sotto_direction direction)
{
	struct sotto_pair one = {0};
	enum sotto_status st = SOTTO_OK;

	if (e->count > CELL_MAX)
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_pair_of(p, e, direction));
	if (e->count == 1)
		return SOTTO_OK;
	st = sotto_pair_of(&one, e, direction);
	for (uint64_t i = 1; i < e->count && st == SOTTO_OK; i++)
		st = compose(p, &one);
	if (one.loss)
		sotto_pair_release(&one);
	if (st != SOTTO_OK)
		sotto_pair_release(p);
	return st;
}

enum sotto_status sotto_pair_of_cells(struct sotto_pair *p, const struct sotto_event *e,
				      enum sotto_direction direction)
{
	enum sotto_status st;

	SOTTO_TRY(cell_pair(p, e->children[0], direction));
	for (size_t i = 1; i < e->n_children; i++) {
		struct sotto_pair other = {0};

		st = cell_pair(&other, e->children[i], direction);
		if (st == SOTTO_OK) {
			st = raise(p, &other);
			sotto_pair_release(&other);
		}
		if (st != SOTTO_OK) {
			sotto_pair_release(p);
			return st;
		}
	}
	return SOTTO_OK;
}
