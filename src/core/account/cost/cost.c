/* Costs as exact values: what each mechanism spends, and sums of them. */
#include "core/account/cost/cost_inside.h"
#include "sotto/cost.h"

#include <mpfr.h>

#include "core/account/cost/rho.h"
#include "core/account/integral/real.h"
#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"

enum { RHO_BITS = 96, DELTA_BITS = 128 };

void sotto_cost_init(struct sotto_cost *c)
{
	c->bounded = true;
	sotto_rational_init(&c->epsilon);
	sotto_rational_init(&c->delta);
	sotto_rational_init(&c->rho);
}

void sotto_cost_release(struct sotto_cost *c)
{
	if (!c)
		return;
	sotto_rational_release(&c->epsilon);
	sotto_rational_release(&c->delta);
	sotto_rational_release(&c->rho);
}

void sotto_cost_set(struct sotto_cost *c, const struct sotto_cost *from)
{
	c->bounded = from->bounded;
	sotto_rational_set(&c->epsilon, &from->epsilon);
	sotto_rational_set(&c->delta, &from->delta);
	sotto_rational_set(&c->rho, &from->rho);
}

static void set_rho(struct sotto_cost *c, const mpfr_t rho)
{
	sotto_real_rational_up(&c->rho, rho, RHO_BITS);
}

static enum sotto_status set_bounded(struct sotto_cost *c, mpq_srcptr epsilon,
				     void (*rho_of)(mpfr_t rho, mpq_srcptr epsilon))
{
	mpfr_t rho;

	if (mpq_sgn(epsilon) < 0)
		return SOTTO_EINVAL;
	mpfr_init2(rho, REAL_BITS);
	rho_of(rho, epsilon);
	c->bounded = true;
	mpq_set(c->epsilon.q, epsilon);
	mpq_set_ui(c->delta.q, 0, 1);
	set_rho(c, rho);
	mpfr_clear(rho);
	return SOTTO_OK;
}

enum sotto_status
sotto_cost_set_pure(struct sotto_cost *c, const struct sotto_rational *epsilon)
{
	if (!c || !epsilon)
		return SOTTO_EINVAL;
	epsilon = sotto_rational_settled(epsilon);
	return set_bounded(c, epsilon->q, sotto_rho_pure_up);
}

enum sotto_status
sotto_cost_set_bounded_range(struct sotto_cost *c, const struct sotto_rational *epsilon)
{
	if (!c || !epsilon)
		return SOTTO_EINVAL;
	epsilon = sotto_rational_settled(epsilon);
	return set_bounded(c, epsilon->q, sotto_rho_bounded_range_up);
}

static bool is_probability(const struct sotto_rational *delta)
{
	return mpq_sgn(delta->q) >= 0 && mpq_cmp_ui(delta->q, 1, 1) <= 0;
}

enum sotto_status sotto_cost_set_approx(struct sotto_cost *c,
					const struct sotto_rational *epsilon,
					const struct sotto_rational *delta)
{
	if (!c || !epsilon || !delta)
		return SOTTO_EINVAL;
	epsilon = sotto_rational_settled(epsilon);
	delta = sotto_rational_settled(delta);
	if (!is_probability(delta))
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_cost_set_pure(c, epsilon));
	sotto_rational_set(&c->delta, delta);
	return SOTTO_OK;
}

enum sotto_status sotto_cost_set_zcdp(struct sotto_cost *c, const struct sotto_rational *rho,
				      const struct sotto_rational *delta)
{
	if (!c || !rho || !delta)
		return SOTTO_EINVAL;
	rho = sotto_rational_settled(rho);
	delta = sotto_rational_settled(delta);
	if (mpq_sgn(rho->q) < 0 || !is_probability(delta))
		return SOTTO_EINVAL;
	c->bounded = false;
	mpq_set_ui(c->epsilon.q, 0, 1);
	sotto_rational_set(&c->delta, delta);
	sotto_rational_set(&c->rho, rho);
	return SOTTO_OK;
}

enum sotto_status sotto_cost_set_geometric(struct sotto_cost *c,
					   const struct sotto_rational *step,
					   int64_t sensitivity)
{
	if (!c || !step)
		return SOTTO_EINVAL;
	step = sotto_rational_settled(step);

	mpfr_t rho;
	mpz_t steps;

	if (mpq_sgn(step->q) < 0 || sensitivity < 0)
		return SOTTO_EINVAL;
	mpfr_init2(rho, REAL_BITS);
	mpz_init_set_si(steps, sensitivity);
	sotto_rho_geometric_up(rho, step->q, steps);
	c->bounded = true;
	mpq_set_z(c->epsilon.q, steps);
	mpq_mul(c->epsilon.q, c->epsilon.q, step->q);
	mpq_set_ui(c->delta.q, 0, 1);
	set_rho(c, rho);
	mpz_clear(steps);
	mpfr_clear(rho);
	return SOTTO_OK;
}

enum sotto_status sotto_cost_set_discrete_gaussian(struct sotto_cost *c,
						   const struct sotto_rational *sigma2,
						   const struct sotto_rational *sensitivity2)
{
	if (!c || !sigma2 || !sensitivity2)
		return SOTTO_EINVAL;
	sigma2 = sotto_rational_settled(sigma2);
	sensitivity2 = sotto_rational_settled(sensitivity2);
	if (mpq_sgn(sigma2->q) <= 0 || mpq_sgn(sensitivity2->q) < 0)
		return SOTTO_EINVAL;
	c->bounded = false;
	mpq_set_ui(c->epsilon.q, 0, 1);
	mpq_set_ui(c->delta.q, 0, 1);
	mpq_div(c->rho.q, sensitivity2->q, sigma2->q);
	mpq_div_2exp(c->rho.q, c->rho.q, 1);
	return SOTTO_OK;
}

/* Without rho nothing can be lost, so that a zeroed cost is the cost of nothing. */
static bool is_bounded(const struct sotto_cost *c)
{
	return c->bounded || mpq_sgn(c->rho.q) == 0;
}

static void lose_bound(struct sotto_cost *c)
{
	c->bounded = false;
	mpq_set_ui(c->epsilon.q, 0, 1);
}

void sotto_cost_add(struct sotto_cost *c, const struct sotto_cost *other)
{
	if (is_bounded(c) && is_bounded(other)) {
		c->bounded = true;
		sotto_rational_add(&c->epsilon, &c->epsilon, &other->epsilon);
	} else {
		lose_bound(c);
	}
	sotto_rational_add(&c->delta, &c->delta, &other->delta);
	sotto_rational_add(&c->rho, &c->rho, &other->rho);
}

static void multiply(struct sotto_rational *r, const mpz_t n)
{
	if (mpq_sgn(r->q) == 0)
		return;
	mpz_mul(mpq_numref(r->q), mpq_numref(r->q), n);
	mpq_canonicalize(r->q);
}

void sotto_cost_repeat(struct sotto_cost *c, uint64_t n)
{
	mpz_t times;

	mpz_init_set_ui(times, n);
	multiply(&c->epsilon, times);
	multiply(&c->delta, times);
	multiply(&c->rho, times);
	mpz_clear(times);
	if (n == 0)
		c->bounded = true;
}
