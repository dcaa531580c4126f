/*
 * (1) The sums are those of the admitted costs, exactly; a refusal changes nothing.
 * (2) The delta guard stands before both branches.
 * (3) A cost without a loss bound closes the basic branch for good.
 * (4) The limit of the zCDP branch is fixed at creation and rounded down.
 * Why "basic or zCDP" is free: filter.md.
 */
#include "core/account/cost/filter.h"
#include "core/number/rational/rational_round.h"
#include "sotto/cost.h"

#include <math.h>
#include <mpfr.h>

#include "core/account/cost/rho.h"
#include "core/account/cost/spend.h"
#include "core/account/integral/real.h"
#include "core/account/theorem/renyi/renyi_convert.h"
#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"

enum { RHO_LIMIT_BITS = 64 };

static void init_fields(struct sotto_filter *f)
{
	sotto_rational_init(&f->epsilon);
	sotto_rational_init(&f->delta);
	sotto_rational_init(&f->delta_mechanism);
	sotto_rational_init(&f->rho);
	sotto_cost_init(&f->spent);
	f->in_rho = false;
	f->admitted = 0;
}

void sotto_filter_release(struct sotto_filter *f)
{
	if (!f)
		return;
	sotto_rational_release(&f->epsilon);
	sotto_rational_release(&f->delta);
	sotto_rational_release(&f->delta_mechanism);
	sotto_rational_release(&f->rho);
	sotto_cost_release(&f->spent);
}

void sotto_filter_reset(struct sotto_filter *f)
{
	sotto_cost_release(&f->spent);
	sotto_cost_init(&f->spent);
	f->admitted = 0;
}

static enum sotto_status
check_delta(const struct sotto_rational *delta, struct sotto_error *err)
{
	if (mpq_sgn(delta->q) < 0 || mpq_cmp_ui(delta->q, 1, 1) >= 0)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the delta of a budget must be at least 0 and below 1");
	return SOTTO_OK;
}

/* With a share of delta for the releases, 0 to delta. */
static enum sotto_status
init_split(struct sotto_filter *f, const struct sotto_rational *epsilon,
	   const struct sotto_rational *delta, const struct sotto_rational *delta_mechanism,
	   struct sotto_error *err)
{
	if (!f || !epsilon || !delta || !delta_mechanism)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	epsilon = sotto_rational_settled(epsilon);
	delta = sotto_rational_settled(delta);
	delta_mechanism = sotto_rational_settled(delta_mechanism);

	mpq_t conversion;

	SOTTO_TRY(check_delta(delta, err));
	if (mpq_sgn(epsilon->q) < 0)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the epsilon of a budget must not be negative");
	if (mpq_sgn(delta_mechanism->q) < 0 || mpq_cmp(delta_mechanism->q, delta->q) > 0)
		return sotto_fail(
			err, SOTTO_EINVAL,
			"the share of delta for releases must lie between 0 and delta");
	init_fields(f);
	sotto_rational_set(&f->epsilon, epsilon);
	sotto_rational_set(&f->delta, delta);
	sotto_rational_set(&f->delta_mechanism, delta_mechanism);
	mpq_init(conversion);
	mpq_sub(conversion, f->delta.q, f->delta_mechanism.q);
	if (mpq_sgn(conversion) > 0)
		sotto_zcdp_rho_down(f->rho.q, f->epsilon.q, conversion, RHO_LIMIT_BITS);
	mpq_clear(conversion);
	return SOTTO_OK;
}

enum sotto_status sotto_filter_init(struct sotto_filter *f,
				    const struct sotto_rational *epsilon,
				    const struct sotto_rational *delta, struct sotto_error *err)
{
	if (!f || !epsilon || !delta)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	epsilon = sotto_rational_settled(epsilon);
	delta = sotto_rational_settled(delta);

	struct sotto_rational half;
	enum sotto_status st;

	sotto_rational_init(&half);
	mpq_div_2exp(half.q, delta->q, 1);
	st = init_split(f, epsilon, delta, &half, err);
	sotto_rational_release(&half);
	return st;
}

void sotto_filter_init_same(struct sotto_filter *f, const struct sotto_filter *budget)
{
	init_fields(f);
	f->in_rho = budget->in_rho;
	sotto_rational_set(&f->epsilon, &budget->epsilon);
	sotto_rational_set(&f->delta, &budget->delta);
	sotto_rational_set(&f->delta_mechanism, &budget->delta_mechanism);
	sotto_rational_set(&f->rho, &budget->rho);
}

enum sotto_status
sotto_filter_init_zcdp(struct sotto_filter *f, const struct sotto_rational *rho,
		       const struct sotto_rational *delta, struct sotto_error *err)
{
	if (!f || !rho || !delta)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	rho = sotto_rational_settled(rho);
	delta = sotto_rational_settled(delta);
	SOTTO_TRY(check_delta(delta, err));
	if (mpq_sgn(rho->q) < 0)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the rho of a budget must not be negative");
	init_fields(f);
	f->in_rho = true;
	sotto_rational_set(&f->delta, delta);
	sotto_rational_set(&f->delta_mechanism, delta);
	sotto_rational_set(&f->rho, rho);
	return SOTTO_OK;
}

static void
sum_with(struct sotto_cost *sum, const struct sotto_filter *f, const struct sotto_cost *cost)
{
	sotto_cost_set(sum, &f->spent);
	sotto_spend_add(sum, cost);
}

static enum sotto_status
judge(const struct sotto_filter *f, const struct sotto_cost *sum, struct sotto_error *err)
{
	bool basic = !f->in_rho && sum->bounded;

	if (mpq_cmp(sum->delta.q, f->delta_mechanism.q) > 0)
		return sotto_fail(err, SOTTO_EBUDGET,
				  "the delta left for releases does not cover this one");
	if (basic && mpq_cmp(sum->epsilon.q, f->epsilon.q) <= 0)
		return SOTTO_OK;
	if (mpq_cmp(sum->rho.q, f->rho.q) <= 0)
		return SOTTO_OK;
	if (f->in_rho)
		return sotto_fail(err, SOTTO_EBUDGET,
				  "the rho left does not cover this release");
	if (basic)
		return sotto_fail(err, SOTTO_EBUDGET,
				  "the epsilon left does not cover this release");
	return sotto_fail(
		err, SOTTO_EBUDGET,
		"the rho that the budget's epsilon and delta allow does not cover this "
		"release");
}

enum sotto_status sotto_filter_would_admit(const struct sotto_filter *f,
					   const struct sotto_cost *cost,
					   struct sotto_error *err)
{
	if (!f || !cost)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_cost sum;
	enum sotto_status st;

	SOTTO_TRY(sotto_spend_check(cost, err));
	sotto_cost_init(&sum);
	sum_with(&sum, f, cost);
	st = judge(f, &sum, err);
	sotto_cost_release(&sum);
	return st;
}

enum sotto_status sotto_filter_admit(struct sotto_filter *f, const struct sotto_cost *cost,
				     struct sotto_error *err)
{
	if (!f || !cost)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_cost sum, spent;
	enum sotto_status st;

	SOTTO_TRY(sotto_spend_check(cost, err));
	sotto_cost_init(&sum);
	sum_with(&sum, f, cost);
	st = judge(f, &sum, err);
	if (st == SOTTO_OK) {
		spent = f->spent;
		f->spent = sum;
		sum = spent;
		f->admitted++;
	}
	sotto_cost_release(&sum);
	return st;
}

void sotto_filter_left_init(struct sotto_filter_left *left)
{
	sotto_rational_init(&left->epsilon);
	sotto_rational_init(&left->rho);
	sotto_rational_init(&left->delta);
	left->basic = false;
}

void sotto_filter_left_release(struct sotto_filter_left *left)
{
	if (!left)
		return;
	sotto_rational_release(&left->epsilon);
	sotto_rational_release(&left->rho);
	sotto_rational_release(&left->delta);
}

static void left_of(struct sotto_rational *left, const struct sotto_rational *limit,
		    const struct sotto_rational *spent)
{
	sotto_rational_subtract(left, limit, spent);
	if (sotto_rational_sign(left) < 0)
		mpq_set_ui(left->q, 0, 1);
}

/* ---- the epsilon that a rho leaves ---------------------------------------------------------- */

/* low is within rho, high is not; they only come nearer to each other. */
struct bracket {
	struct sotto_rational low, high;
	const struct sotto_rational *rho;
	struct sotto_cost cost; /* of what was tried last */
};

static void try_epsilon(struct bracket *b, const struct sotto_rational *epsilon)
{
	if (mpq_cmp(epsilon->q, b->low.q) <= 0 || mpq_cmp(epsilon->q, b->high.q) >= 0)
		return;
	if (sotto_cost_set_pure(&b->cost, epsilon) == SOTTO_OK &&
	    mpq_cmp(b->cost.rho.q, b->rho->q) <= 0)
		mpq_set(b->low.q, epsilon->q);
	else
		mpq_set(b->high.q, epsilon->q);
}

/* Where e tanh(e/2) is about rho, and how steep it is there. */
static double about(double rho, double *slope)
{
	double e = rho < 1 ? sqrt(2 * rho) : rho;

	for (int i = 0; i < 50; i++) {
		double t = tanh(e / 2);

		*slope = t + e / 2 * (1 - t * t);
		e -= (e * t - rho) / *slope;
	}
	return e;
}

/*
 * A few units of 2^-64 around the end, in three tries: a little below it, then on both sides of
 * where a line from there reaches rho.  Doubles say where to look; what is found does not depend
 * on them, since every try is judged by the exact cost.
 */
static void narrow(struct bracket *b)
{
	double slope = 0, rho = mpq_get_d(b->rho->q), e = about(rho, &slope);
	struct sotto_rational at, step;

	if (!isfinite(e) || !isfinite(slope) || !(slope > 0) || !(e > 0))
		return;
	sotto_rational_init(&at);
	sotto_rational_init(&step);
	mpq_set_d(at.q, e - ldexp(e, -40));
	sotto_rational_round_down(&at, RHO_LIMIT_BITS);
	try_epsilon(b, &at);
	mpq_sub(step.q, b->rho->q, b->cost.rho.q);
	mpq_set_d(b->cost.epsilon.q, slope);
	mpq_div(step.q, step.q, b->cost.epsilon.q);
	mpq_add(at.q, at.q, step.q);
	mpq_set_ui(step.q, 4, 1);
	mpq_div_2exp(step.q, step.q, RHO_LIMIT_BITS);
	mpq_sub(at.q, at.q, step.q);
	sotto_rational_round_down(&at, RHO_LIMIT_BITS);
	try_epsilon(b, &at);
	mpq_add(at.q, at.q, step.q);
	mpq_add(at.q, at.q, step.q);
	try_epsilon(b, &at);
	sotto_rational_release(&at);
	sotto_rational_release(&step);
}

/* Largest multiple of 2^-64 whose pure cost has at most this rho. */
static void pure_for_rho_down(struct sotto_rational *epsilon, const struct sotto_rational *rho)
{
	struct bracket b = {.rho = rho};

	mpq_set_ui(epsilon->q, 0, 1);
	if (sotto_rational_sign(rho) <= 0)
		return; /* only nothing costs nothing */
	sotto_rational_init(&b.low);
	sotto_rational_init(&b.high);
	sotto_cost_init(&b.cost);
	mpq_set(b.high.q, rho->q);
	mpq_set_ui(epsilon->q, 2, 1);
	mpq_add(b.high.q, b.high.q, epsilon->q); /* e tanh(e/2) > rho at e = rho + 2 */
	narrow(&b);
	for (unsigned i = 0; i < 4096; i++) {
		mpq_add(epsilon->q, b.low.q, b.high.q);
		mpq_div_2exp(epsilon->q, epsilon->q, 1);
		sotto_rational_round_down(epsilon, RHO_LIMIT_BITS);
		if (mpq_cmp(epsilon->q, b.low.q) <= 0)
			break;
		try_epsilon(&b, epsilon);
	}
	mpq_set(epsilon->q, b.low.q);
	sotto_rational_release(&b.low);
	sotto_rational_release(&b.high);
	sotto_cost_release(&b.cost);
}

void sotto_filter_left(const struct sotto_filter *f, struct sotto_filter_left *left)
{
	struct sotto_rational basic;

	left_of(&left->delta, &f->delta_mechanism, &f->spent.delta);
	left_of(&left->rho, &f->rho, &f->spent.rho);
	left->basic = !f->in_rho && f->spent.bounded &&
		      mpq_cmp(f->spent.epsilon.q, f->epsilon.q) <= 0;
	pure_for_rho_down(&left->epsilon, &left->rho);
	if (!left->basic)
		return;
	sotto_rational_init(&basic);
	left_of(&basic, &f->epsilon, &f->spent.epsilon);
	if (mpq_cmp(basic.q, left->epsilon.q) > 0)
		sotto_rational_set(&left->epsilon, &basic);
	sotto_rational_release(&basic);
}
