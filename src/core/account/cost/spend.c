/*
 * Sums are exact until a denominator passes 4096 bits; from then on each cost is rounded up to
 * a coarse grid before it is added.
 */
#include "core/number/rational/rational_round.h"
#include "core/account/cost/spend.h"

#include "core/base/failure.h"

enum { SUM_BITS_MAX = 4096, COARSE_BITS = 128 };

enum sotto_status sotto_spend_check(const struct sotto_cost *cost, struct sotto_error *err)
{
	if (mpq_sgn(cost->epsilon.q) < 0 || mpq_sgn(cost->delta.q) < 0 ||
	    mpq_sgn(cost->rho.q) < 0)
		return sotto_fail(err, SOTTO_EINVAL, "a cost must not be negative");
	return SOTTO_OK;
}

static void add(struct sotto_rational *sum, const struct sotto_rational *cost)
{
	struct sotto_rational next;

	if (mpq_sgn(cost->q) == 0)
		return;
	sotto_rational_init(&next);
	sotto_rational_add(&next, sum, cost);
	if (mpz_sizeinbase(mpq_denref(next.q), 2) > SUM_BITS_MAX) {
		sotto_rational_set(&next, cost);
		sotto_rational_round_up(&next, COARSE_BITS);
		sotto_rational_add(&next, &next, sum);
	}
	mpq_swap(sum->q, next.q);
	sotto_rational_release(&next);
}

void sotto_spend_add(struct sotto_cost *sum, const struct sotto_cost *cost)
{
	add(&sum->epsilon, &cost->epsilon);
	add(&sum->delta, &cost->delta);
	add(&sum->rho, &cost->rho);
	/* Without rho nothing can be lost: a zeroed cost is that of nothing. */
	sum->bounded = sum->bounded && (cost->bounded || mpq_sgn(cost->rho.q) == 0);
}
