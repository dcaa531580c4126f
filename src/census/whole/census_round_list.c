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

/* The cheapest place for one unit more or less; its cost. */
static size_t cheapest(const struct sotto_round_list *l, int step, mpq_t cost)
{
	size_t best = SIZE_MAX;
	mpq_t c;

	mpq_init(c);
	for (size_t i = 0; i < l->numbers.n; i++) {
		if (!may_step(l, i, step))
			continue;
		marginal(l, i, step, c);
		if (best == SIZE_MAX || mpq_cmp(c, cost) < 0) {
			best = i;
			mpq_set(cost, c);
		}
	}
	mpq_clear(c);
	return best;
}

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

/* Unit steps by marginal cost till the sum is right, then exchanges till none gains. */
enum sotto_status sotto_round_list_solve(struct sotto_round_list *l, struct sotto_error *err)
{
	int64_t lack = l->sum;
	mpq_t up, down;

	SOTTO_TRY(start_list(l));
	for (size_t i = 0; i < l->numbers.n; i++)
		lack -= l->numbers.x[i];
	mpq_inits(up, down, NULL);
	for (; lack != 0; lack += lack > 0 ? -1 : 1) {
		int step = lack > 0 ? 1 : -1;
		size_t i = cheapest(l, step, up);

		if (i == SIZE_MAX)
			break;
		l->numbers.x[i] += step;
	}
	for (;;) {
		size_t i = cheapest(l, 1, up), j = cheapest(l, -1, down);

		if (lack != 0 || j == SIZE_MAX || i == j)
			break;
		mpq_add(up, up, down);
		if (mpq_sgn(up) >= 0)
			break;
		l->numbers.x[i]++;
		l->numbers.x[j]--;
	}
	mpq_clears(up, down, NULL);
	return lack == 0 ? SOTTO_OK
			 : sotto_fail(err, SOTTO_EINFEASIBLE,
				      "sum: values that are not negative cannot have this sum");
}
