/*
 * Cuts the real optimum down to whole numbers, then takes the cheapest unit steps until the sum
 * is right and exchanges until none gains; two heaps of exact costs find them.
 */
#include "census/whole/census_round_list.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

/* w ((x + step - v)^2 - (x - v)^2), step = +1 or -1 */
static void marginal(const struct sotto_round_list *l, size_t i, int step, mpq_t out)
{
	mpq_set_si(out, l->numbers.x[i], 1);
	mpq_sub(out, out, l->numbers.want[i]);
	mpq_mul_2exp(out, out, 1);
	if (step < 0)
		mpq_neg(out, out);
	mpz_add(mpq_numref(out), mpq_numref(out), mpq_denref(out));
	mpq_mul(out, out, l->weights[i]);
}

static bool may_step(const struct sotto_round_list *l, size_t i, int step)
{
	return step > 0 || l->numbers.x[i] > 0 || mpq_sgn(l->numbers.want[i]) < 0;
}

/* ---- the cheapest step ------------------------------------------------------------------------ */

/* All numbers as a heap by what one unit more (or less) costs; of equals the first comes first. */
struct heap {
	const struct sotto_round_list *l;
	int step;
	mpq_t *costs;
	size_t *order, *places; /* the heap; where each number is in it */
};

static bool comes_before(const struct heap *h, size_t i, size_t j)
{
	bool one = may_step(h->l, i, h->step), other = may_step(h->l, j, h->step);
	int order = one && other ? mpq_cmp(h->costs[i], h->costs[j]) : other - one;

	return order < 0 || (order == 0 && i < j);
}

static void put(struct heap *h, size_t at, size_t i)
{
	h->order[at] = i;
	h->places[i] = at;
}

static void sift_up(struct heap *h, size_t i)
{
	size_t at = h->places[i];

	while (at > 0 && comes_before(h, i, h->order[(at - 1) / 2])) {
		put(h, at, h->order[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	put(h, at, i);
}

static void sift_down(struct heap *h, size_t i)
{
	size_t n = h->l->numbers.n, at = h->places[i];

	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && comes_before(h, h->order[child + 1], h->order[child]))
			child++;
		if (!comes_before(h, h->order[child], i))
			break;
		put(h, at, h->order[child]);
	}
	put(h, at, i);
}

static void heap_update(struct heap *h, size_t i)
{
	marginal(h->l, i, h->step, h->costs[i]);
	sift_up(h, i);
	sift_down(h, i);
}

static void heap_release(struct heap *h)
{
	for (size_t i = 0; h->costs && i < h->l->numbers.n; i++)
		mpq_clear(h->costs[i]);
	free(h->costs);
	free(h->order);
}

static enum sotto_status heap_init(struct heap *h, const struct sotto_round_list *l, int step)
{
	size_t n = l->numbers.n;

	*h = (struct heap){.l = l, .step = step, .costs = malloc((n + 1) * sizeof *h->costs)};
	h->order = malloc((2 * n + 1) * sizeof *h->order);
	for (size_t i = 0; h->costs && i < n; i++) {
		mpq_init(h->costs[i]);
		marginal(l, i, step, h->costs[i]);
	}
	if (!h->costs || !h->order)
		return SOTTO_ENOMEM;
	h->places = h->order + n;
	for (size_t i = 0; i < n; i++)
		put(h, i, i);
	for (size_t i = n / 2; i-- > 0;)
		sift_down(h, h->order[i]);
	return SOTTO_OK;
}

/* The cheapest place for one unit more or less; SIZE_MAX if there is none. */
static size_t cheapest(const struct heap *h)
{
	size_t n = h->l->numbers.n, first = n > 0 ? h->order[0] : SIZE_MAX;

	return n > 0 && may_step(h->l, first, h->step) ? first : SIZE_MAX;
}

/* ---- where to start --------------------------------------------------------------------------- */

/* What every number that is not held at 0 is moved by, times its weight: mu of v + mu/w. */
static void find_shift(const struct sotto_round_list *l, const bool *held, mpq_t mu)
{
	mpq_t part, total;

	mpq_inits(part, total, NULL);
	mpq_set_si(mu, l->sum, 1);
	for (size_t i = 0; i < l->numbers.n; i++) {
		if (held[i])
			continue;
		mpq_sub(mu, mu, l->numbers.want[i]);
		mpq_inv(part, l->weights[i]);
		mpq_add(total, total, part);
	}
	if (mpq_sgn(total) > 0)
		mpq_div(mu, mu, total);
	mpq_clears(part, total, NULL);
}

/* v + mu/w, cut down to a whole number; true if it has to be held at 0. */
static bool set_number(struct sotto_round_list *l, size_t i, const mpq_t mu)
{
	bool below;
	mpq_t part;
	mpz_t z;

	mpq_init(part);
	mpz_init(z);
	mpq_div(part, mu, l->weights[i]);
	mpq_add(part, part, l->numbers.want[i]);
	mpz_fdiv_q(z, mpq_numref(part), mpq_denref(part));
	below = mpz_sgn(z) < 0 && mpq_sgn(l->numbers.want[i]) >= 0;
	l->numbers.x[i] = below ? 0 : mpz_get_si(z);
	mpz_clear(z);
	mpq_clear(part);
	return below;
}

/*
 * The real optimum under x >= 0, cut down to whole numbers, so that at most one unit for each
 * number is left.  Whatever is held at 0 leaves less for the others, so mu falls and it stays
 * held: there are at most as many rounds as numbers.
 */
static enum sotto_status start_list(struct sotto_round_list *l)
{
	bool *held = calloc(l->numbers.n + 1, sizeof *held), more = true;
	mpq_t mu;

	if (!held)
		return SOTTO_ENOMEM;
	mpq_init(mu);
	while (more) {
		more = false;
		find_shift(l, held, mu);
		for (size_t i = 0; i < l->numbers.n; i++)
			if (!held[i] && set_number(l, i, mu))
				more = held[i] = true;
	}
	mpq_clear(mu);
	free(held);
	return SOTTO_OK;
}

/* ---- steps ------------------------------------------------------------------------------------ */

struct search {
	struct sotto_round_list *l;
	struct heap up, down;
};

static void move(struct search *s, size_t i, int step)
{
	s->l->numbers.x[i] += step;
	heap_update(&s->up, i);
	heap_update(&s->down, i);
}

/* Unit steps by marginal cost till the sum is right; returns what is then still lacking. */
static int64_t reach_sum(struct search *s)
{
	int64_t lack = s->l->sum;

	for (size_t i = 0; i < s->l->numbers.n; i++)
		lack -= s->l->numbers.x[i];
	while (lack != 0) {
		int step = lack > 0 ? 1 : -1;
		size_t i = cheapest(step > 0 ? &s->up : &s->down);

		if (i == SIZE_MAX)
			break;
		move(s, i, step);
		lack -= step;
	}
	return lack;
}

/* Exchanges till none gains. */
static void exchange(struct search *s)
{
	mpq_t cost;

	mpq_init(cost);
	for (;;) {
		size_t i = cheapest(&s->up), j = cheapest(&s->down);

		if (i == SIZE_MAX || j == SIZE_MAX || i == j)
			break;
		mpq_add(cost, s->up.costs[i], s->down.costs[j]);
		if (mpq_sgn(cost) >= 0)
			break;
		move(s, i, 1);
		move(s, j, -1);
	}
	mpq_clear(cost);
}

enum sotto_status sotto_round_list_solve(struct sotto_round_list *l, struct sotto_error *err)
{
	struct search s = {.l = l};
	enum sotto_status st, also;

	SOTTO_TRY(start_list(l));
	st = heap_init(&s.up, l, 1);
	also = heap_init(&s.down, l, -1);
	if (st == SOTTO_OK)
		st = also;
	if (st == SOTTO_OK && reach_sum(&s) != 0)
		st = sotto_fail(err, SOTTO_EINFEASIBLE,
				"sum: values that are not negative cannot have this sum");
	if (st == SOTTO_OK)
		exchange(&s);
	heap_release(&s.up);
	heap_release(&s.down);
	return st;
}
