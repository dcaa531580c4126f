/* The least rho known for an event: by its family, its pair of laws, or its loss bound. */
#include <math.h>

#include "core/account/cost/rho.h"
#include "core/account/cost/rho_supremum.h"
#include "core/account/integral/real.h"
#include "core/account/loss/finite/finite_pair.h"
#include "core/account/theorem/composition/black_box.h"
#include "core/base/failure.h"

/* What any rho takes (work.h), and what that of a bounded-range event takes. */
#define RHO_STEPS 1.2e3
#define RANGE_STEPS 7e3

/* Kullback-Leibler divergence of k-ary randomized response, which is tight for k <= 6 */
static void response_rho(mpfr_t rho, const struct sotto_event *e)
{
	mpfr_t x, y;

	mpfr_inits2(SOTTO_RHO_BITS, x, y, (mpfr_ptr)0);
	mpfr_set_q(x, e->epsilon.q, MPFR_RNDN);
	mpfr_neg(y, x, MPFR_RNDN);
	mpfr_expm1(rho, y, MPFR_RNDN); /* (E-1)/(E+k-1) = -expm1(-e)/(1 + (k-1) exp(-e)) */
	mpfr_neg(rho, rho, MPFR_RNDN);
	mpfr_mul(rho, rho, x, MPFR_RNDN);
	mpfr_exp(y, y, MPFR_RNDN);
	mpfr_mul_ui(y, y, e->answers - 1, MPFR_RNDN);
	mpfr_add_ui(y, y, 1, MPFR_RNDN);
	mpfr_div(rho, rho, y, MPFR_RNDN);
	sotto_real_widen_up(rho, rho);
	mpfr_clears(x, y, (mpfr_ptr)0);
}

static void lower_to(mpfr_t rho, const mpfr_t other)
{
	if (mpfr_cmp(other, rho) < 0)
		mpfr_set(rho, other, MPFR_RNDU);
}

/* Of discrete Gaussian noise some outcomes are left out of a pair, and rho is a supremum over all of them. */
static bool has_whole_pair(const struct sotto_event *e)
{
	for (size_t i = 0; i < e->n_children; i++)
		if (!has_whole_pair(e->children[i]))
			return false;
	return e->kind != SOTTO_EVENT_DISCRETE_GAUSSIAN;
}

/* Lowers rho to the sup over orders and both directions of the divergence over its order, where that is known. */
static enum sotto_status
lower_to_pair(mpfr_t rho, const struct sotto_event *e, struct sotto_work *work)
{
	struct sotto_pair pair = {0};
	enum sotto_status st;
	double most = 0;
	mpfr_t found;

	if (!has_whole_pair(e))
		return SOTTO_OK;
	for (int d = SOTTO_REMOVE; d <= SOTTO_ADD; d++) {
		if (sotto_work_is_spent(work))
			return SOTTO_OK;
		st = sotto_pair_of(&pair, e, (enum sotto_direction)d, work);
		if (st == SOTTO_EREFUSED)
			return SOTTO_OK;
		SOTTO_TRY(st);
		if (mpfr_zero_p(pair.only_p) && mpfr_zero_p(pair.left_out))
			most = fmax(most, sotto_supremum_up(&pair, work));
		else
			most = INFINITY;
		sotto_pair_release(&pair);
	}
	mpfr_init2(found, 64);
	mpfr_set_d(found, most, MPFR_RNDU);
	lower_to(rho, found);
	mpfr_clear(found);
	return SOTTO_OK;
}

/* What the loss bound alone gives; rho is left at +infinity without one. */
static void
box_rho(mpfr_t rho, mpq_t delta, const struct sotto_event *e, enum sotto_neighbours neighbours)
{
	struct sotto_black_box b;
	mpq_t epsilon;

	sotto_black_box_init(&b);
	sotto_black_box_of(&b, e, neighbours);
	mpfr_set_inf(rho, 1);
	mpq_set(delta, b.delta);
	if (b.bounded) {
		mpq_init(epsilon);
		if (b.rational)
			mpq_set(epsilon, b.exact);
		else
			mpfr_get_q(epsilon, b.epsilon);
		sotto_rho_pure_up(rho, epsilon);
		mpq_clear(epsilon);
	}
	sotto_black_box_release(&b);
}

static enum sotto_status inner_rho(mpfr_t rho, mpq_t delta, const struct sotto_event *child,
				   enum sotto_neighbours neighbours, struct sotto_work *work)
{
	mpq_t n;

	SOTTO_TRY(sotto_rho_of(rho, delta, child, neighbours, work));
	mpq_init(n);
	mpq_set_ui(n, child->count, 1);
	mpfr_mul_q(rho, rho, n, MPFR_RNDU);
	mpq_mul(delta, delta, n);
	mpq_clear(n);
	return SOTTO_OK;
}

/*
 * A loss bound, or factor^2 times the inner rho if that is less; with an inner delta only the loss
 * bound is known, and *plain is false.
 */
static enum sotto_status wrapped_rho(mpfr_t rho, mpq_t delta, const struct sotto_event *e,
				     enum sotto_neighbours neighbours, uint64_t factor,
				     bool *plain, struct sotto_work *work)
{
	enum sotto_status st;
	mpfr_t other;
	mpq_t inner_delta;

	box_rho(rho, delta, e, neighbours);
	mpfr_init2(other, SOTTO_RHO_BITS);
	mpq_init(inner_delta);
	st = inner_rho(other, inner_delta, e->children[0], neighbours, work);
	*plain = st == SOTTO_OK && mpq_sgn(inner_delta) == 0;
	if (*plain) {
		mpfr_mul_ui(other, other, factor, MPFR_RNDU);
		mpfr_mul_ui(other, other, factor, MPFR_RNDU);
		lower_to(rho, other);
	}
	mpq_clear(inner_delta);
	mpfr_clear(other);
	return st;
}

/* Sampling does not amplify rho, but it does a loss bound, and finite pairs can be searched. */
static enum sotto_status sampled_rho(mpfr_t rho, mpq_t delta, const struct sotto_event *e,
				     enum sotto_neighbours neighbours, struct sotto_work *work)
{
	bool plain;

	SOTTO_TRY(wrapped_rho(rho, delta, e, neighbours, 1, &plain, work));
	return plain ? lower_to_pair(rho, e, work) : SOTTO_OK;
}

/* k^2 rho, unless a loss bound gives less */
static enum sotto_status group_rho(mpfr_t rho, mpq_t delta, const struct sotto_event *e,
				   enum sotto_neighbours neighbours, struct sotto_work *work)
{
	bool plain;

	return wrapped_rho(rho, delta, e, neighbours, e->size, &plain, work);
}

/* The largest rho and delta of the cells, or under replace the two largest. */
static enum sotto_status parallel_rho(mpfr_t rho, mpq_t delta, const struct sotto_event *e,
				      enum sotto_neighbours neighbours, struct sotto_work *work)
{
	enum sotto_status st = SOTTO_OK;
	mpfr_t cell, second;
	mpq_t cell_delta, second_delta;

	mpfr_inits2(SOTTO_RHO_BITS, cell, second, (mpfr_ptr)0);
	mpq_inits(cell_delta, second_delta, (mpq_ptr)0);
	mpfr_set_zero(rho, 1);
	mpfr_set_zero(second, 1);
	mpq_set_ui(delta, 0, 1);
	for (size_t i = 0; i < e->n_children && st == SOTTO_OK; i++) {
		st = inner_rho(cell, cell_delta, e->children[i], neighbours, work);
		if (mpfr_cmp(cell, rho) > 0)
			mpfr_swap(cell, rho);
		if (mpfr_cmp(cell, second) > 0)
			mpfr_set(second, cell, MPFR_RNDU);
		if (mpq_cmp(cell_delta, delta) > 0)
			mpq_swap(cell_delta, delta);
		if (mpq_cmp(cell_delta, second_delta) > 0)
			mpq_set(second_delta, cell_delta);
	}
	if (neighbours == SOTTO_REPLACE) {
		mpfr_add(rho, rho, second, MPFR_RNDU);
		mpq_add(delta, delta, second_delta);
	}
	mpq_clears(cell_delta, second_delta, (mpq_ptr)0);
	mpfr_clears(cell, second, (mpfr_ptr)0);
	return st;
}

/* Families whose rho is a formula of a (and n). */
static void leaf_rho(mpfr_t rho, const struct sotto_event *e)
{
	mpz_t steps;

	switch (e->kind) {
	case SOTTO_EVENT_LAPLACE:
		sotto_rho_laplace_up(rho, e->epsilon.q);
		return;
	case SOTTO_EVENT_EXPONENTIAL:
		sotto_rho_bounded_range_up(rho, e->epsilon.q);
		return;
	case SOTTO_EVENT_GEOMETRIC:
		mpz_init_set_ui(steps, e->sensitivity);
		sotto_rho_geometric_up(rho, e->step_epsilon.q, steps);
		mpz_clear(steps);
		return;
	case SOTTO_EVENT_GAUSSIAN:
		mpfr_set_q(rho, e->mu_squared.q, MPFR_RNDU);
		mpfr_div_2ui(rho, rho, 1, MPFR_RNDU);
		return;
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		mpfr_set_ui(rho, e->sensitivity, MPFR_RNDU);
		mpfr_mul_ui(rho, rho, e->sensitivity, MPFR_RNDU);
		mpfr_div_q(rho, rho, e->sigma_squared.q, MPFR_RNDU);
		mpfr_div_2ui(rho, rho, 1, MPFR_RNDU);
		return;
	case SOTTO_EVENT_ZCDP:
		mpfr_set_q(rho, e->rho.q, MPFR_RNDU);
		return;
	default: /* a loss bound: shuffled reports keep the local one */
		sotto_rho_pure_up(rho, e->first.q);
		return;
	}
}

enum sotto_status sotto_rho_of(mpfr_t rho, mpq_t delta, const struct sotto_event *e,
			       enum sotto_neighbours neighbours, struct sotto_work *work)
{
	if (sotto_work_is_overdrawn(work))
		return SOTTO_EREFUSED;
	sotto_work_use(work, e->kind == SOTTO_EVENT_EXPONENTIAL ? RANGE_STEPS : RHO_STEPS);
	mpq_set_ui(delta, 0, 1);
	switch (e->kind) {
	case SOTTO_EVENT_SAMPLED:
		return sampled_rho(rho, delta, e, neighbours, work);
	case SOTTO_EVENT_GROUP:
		return group_rho(rho, delta, e, neighbours, work);
	case SOTTO_EVENT_PARALLEL:
		return parallel_rho(rho, delta, e, neighbours, work);
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		if (!e->has_truth && e->answers <= 6) {
			response_rho(rho, e);
			return SOTTO_OK;
		}
		box_rho(rho, delta, e, neighbours);
		return lower_to_pair(rho, e, work);
	case SOTTO_EVENT_APPROX:
		mpq_set(delta, e->delta.q);
		leaf_rho(rho, e);
		return SOTTO_OK;
	default:
		leaf_rho(rho, e);
		return SOTTO_OK;
	}
}
