/*
 * Disjoint cells with finite pairs: the least pair that dominates each of them.
 *
 * With t = e^epsilon a pair's curve is h(t) = U - t V between two knots, U the P-mass and V
 * the Q-mass of all outcomes with P/Q > t.  The larger of two such curves is convex again: its
 * knots are those of the curve that is on top, and the places where they cross.  At a
 * knot Q has the fall of V and P has t times that.
 *
 * Whoever is added or removed is in one cell.  Whoever is replaced leaves one and enters another: then it
 * is the pairs of every two cells, composed, of which the larger curve is taken.
 */
#include <stdlib.h>

#include "core/account/loss/finite/finite_pair.h"
#include "core/base/failure.h"

#define N MPFR_RNDN

/*
 * A cell has no more outcomes.  Sums from the top are good to a relative 2^-150: heights that differ by
 * less than 2^-SAME of the mass above are equal, and a turn by less than 2^-TURN of the mass above is
 * taken along to the next one, which moves mass upwards.  Losses below 2^-TINY would be lost in this
 * (finite_pair_cells.md).
 */
enum { CELL_MAX = SOTTO_PAIR_SMALL, SAME = 140, TURN = 80, TINY = 84 };

/* One curve: outcomes with loss descending, and the walk along it, t ascending. */
struct side {
	const struct sotto_pair *pair;
	size_t order[CELL_MAX];
	size_t above; /* outcomes whose P/Q is above t */
	mpfr_t U, V;
	mpfr_t *q; /* Q-mass of each outcome */
};

/* Outcomes with loss descending, by insertion: a few hundred. */
static void sort(struct side *s)
{
	const struct sotto_pair *p = s->pair;

	for (size_t i = 0; i < p->n; i++) {
		size_t j = i;

		for (; j > 0 && mpfr_cmp(p->loss[i], p->loss[s->order[j - 1]]) > 0; j--)
			s->order[j] = s->order[j - 1];
		s->order[j] = i;
	}
}

/* U and V anew from the top, where the masses are smallest. */
static void sum(struct side *s)
{
	mpfr_set(s->U, s->pair->only_p, N);
	mpfr_set_zero(s->V, 1);
	for (size_t i = 0; i < s->above; i++) {
		mpfr_add(s->U, s->U, s->pair->mass[s->order[i]], N);
		mpfr_add(s->V, s->V, s->q[s->order[i]], N);
	}
}

static enum sotto_status side_init(struct side *s, const struct sotto_pair *p)
{
	s->pair = p;
	s->above = p->n;
	s->q = malloc(p->n * sizeof *s->q + 1);
	if (!s->q)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < p->n; i++) {
		mpfr_init2(s->q[i], SOTTO_PAIR_BITS);
		mpfr_neg(s->q[i], p->loss[i], N);
		mpfr_exp(s->q[i], s->q[i], N);
		mpfr_mul(s->q[i], s->q[i], p->mass[i], N);
	}
	mpfr_inits2(SOTTO_PAIR_BITS, s->U, s->V, (mpfr_ptr)0);
	sort(s);
	sum(s);
	return SOTTO_OK;
}

static void side_release(struct side *s)
{
	for (size_t i = 0; i < s->pair->n; i++)
		mpfr_clear(s->q[i]);
	free(s->q);
	mpfr_clears(s->U, s->V, (mpfr_ptr)0);
}

/* The least loss that is still above, or NULL. */
static mpfr_srcptr next_loss(const struct side *s)
{
	return s->above ? s->pair->loss[s->order[s->above - 1]] : NULL;
}

/* Past all outcomes at this loss, within rounding. */
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
	sum(s);
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
	sign = mpfr_sgn(gap);
	mpfr_max(x, a->U, b->U, N);
	mpfr_div_2ui(x, x, SAME, N);
	if (mpfr_cmpabs(gap, x) <= 0)
		sign = 0;
	mpfr_clears(x, y, gap, (mpfr_ptr)0);
	return sign;
}

/* The pair that is being made: V of the stretch before the next knot. */
struct making {
	struct sotto_pair *out;
	size_t n;
	mpfr_t V, least;
};

/* A knot at t: the rest of the curve has slope -V. */
static void turn(struct making *m, const mpfr_t t, const mpfr_t V)
{
	mpfr_ptr mass = m->out->mass[m->n];

	mpfr_div_2ui(m->least, m->V, TURN, N);
	mpfr_sub(mass, m->V, V, N);
	if (mpfr_cmp(mass, m->least) <= 0)
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

/* p becomes the larger of the two. */
static enum sotto_status
raise(struct sotto_pair *p, const struct sotto_pair *other, struct sotto_work *work)
{
	struct sotto_pair larger = {0};
	struct making m = {.out = &larger};
	struct side a, b = {.q = NULL};
	double all = (double)p->n + (double)other->n;
	enum sotto_status st;

	if (all > CELL_MAX || !sotto_work_take(work, 2e3 * all + 30 * all * all))
		return SOTTO_EREFUSED;
	SOTTO_TRY(side_init(&a, p));
	st = side_init(&b, other);
	if (st == SOTTO_OK)
		st = sotto_pair_init(&larger, 2 * (p->n + other->n) + 2);
	if (st == SOTTO_OK) {
		mpfr_inits2(SOTTO_PAIR_BITS, m.V, m.least, (mpfr_ptr)0);
		walk(&m, &a, &b);
		mpfr_clears(m.V, m.least, (mpfr_ptr)0);
		for (size_t i = m.n; i < larger.n; i++)
			mpfr_set_zero(larger.mass[i], 1);
		sotto_pair_drop_empty(&larger);
	}
	side_release(&a);
	if (b.q)
		side_release(&b);
	if (st == SOTTO_OK) {
		sotto_pair_release(p);
		*p = larger;
	}
	return st;
}

static bool has_tiny_loss(const struct sotto_pair *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!mpfr_zero_p(p->loss[i]) && mpfr_get_exp(p->loss[i]) <= -TINY)
			return true;
	return false;
}

/* What one person may touch: cell i, or cells i and j of which it leaves one and enters the other. */
static enum sotto_status touched_pair(struct sotto_pair *p, const struct sotto_event *e,
				      size_t i, size_t j, enum sotto_direction direction,
				      struct sotto_work *work)
{
	struct sotto_pair other = {0};
	enum sotto_status st;

	SOTTO_TRY(sotto_pair_of_repeated(p, e->children[i], direction, work));
	sotto_pair_drop_empty(p);
	st = SOTTO_OK;
	if (i != j) {
		st = sotto_pair_of_repeated(&other, e->children[j], direction, work);
		if (st == SOTTO_OK) {
			sotto_pair_drop_empty(&other);
			st = sotto_pair_compose(p, &other, work);
			sotto_pair_release(&other);
		}
	}
	if (st == SOTTO_OK && has_tiny_loss(p))
		st = SOTTO_EREFUSED;
	if (st != SOTTO_OK)
		sotto_pair_release(p);
	return st;
}

/* p, which may be empty yet, becomes the larger of itself and what may be touched. */
static enum sotto_status include(struct sotto_pair *p, const struct sotto_event *e, size_t i,
				 size_t j, enum sotto_direction direction,
				 struct sotto_work *work)
{
	struct sotto_pair other = {0};
	enum sotto_status st;

	if (!p->loss)
		return touched_pair(p, e, i, j, direction, work);
	SOTTO_TRY(touched_pair(&other, e, i, j, direction, work));
	st = raise(p, &other, work);
	sotto_pair_release(&other);
	return st;
}

enum sotto_status sotto_pair_of_cells(struct sotto_pair *p, const struct sotto_event *e,
				      enum sotto_neighbours neighbours,
				      enum sotto_direction direction, struct sotto_work *work)
{
	bool two = neighbours == SOTTO_REPLACE;
	struct sotto_pair all = {0};
	enum sotto_status st = SOTTO_OK;

	if (two && e->n_children < 2)
		return SOTTO_EREFUSED;
	for (size_t i = two; i < e->n_children && st == SOTTO_OK; i++)
		for (size_t j = two ? 0 : i; j < (two ? i : i + 1) && st == SOTTO_OK; j++)
			st = include(&all, e, i, j, direction, work);
	if (st == SOTTO_OK)
		*p = all;
	else if (all.loss)
		sotto_pair_release(&all);
	return st;
}
