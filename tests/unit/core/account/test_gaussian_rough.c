/*
 * Quick values of closed-form curves: the rough Gaussian contains the sharp one wherever it
 * claims anything, and one Laplace event is what its formula says.
 */
#include <math.h>
#include <stdlib.h>

#include "core/account/loss/gaussian_curve.h"
#include "core/account/loss/laplace/laplace_curve.h"
#include "testlib/tap.h"

/* mu from 1e-4 to 1e4, a from -150 to 10, in a fixed sequence */
static double next_unit(unsigned long *state)
{
	*state = *state * 6364136223846793005ul + 1442695040888963407ul;
	return (double)(*state >> 11) * 0x1p-53;
}

static void rough_gaussians_contain_the_sharp_ones(void)
{
	unsigned long state = 7;
	int claimed = 0, total = 3000;
	mpq_t mu2;

	mpq_init(mu2);
	for (int i = 0; i < total; i++) {
		double mu = pow(10, -4 + 8 * next_unit(&state)),
		       a = 10 - (i % 3 ? 40 : 160) * next_unit(&state);
		double epsilon = fmax(0, mu * (mu / 2 - a)), low, high, rough_low, rough_high;

		mpq_set_d(mu2, mu * mu);
		if (!sotto_gaussian_log_delta_rough(sotto_gaussian_mu(mu2), epsilon, &rough_low,
						    &rough_high))
			continue;
		claimed++;
		sotto_gaussian_log_delta(mu2, epsilon, &low, &high);
		(void)tap_check(rough_low <= low && high <= rough_high, __FILE__, __LINE__,
				"mu %g at %g: %.17g to %.17g, not %.17g to %.17g", mu, epsilon,
				rough_low, rough_high, low, high);
		(void)tap_check(rough_high - rough_low <=
					2.1 * SOTTO_GAUSSIAN_ROUGH + 0x1p-50 * fabs(low),
				__FILE__, __LINE__, "mu %g at %g is wide", mu, epsilon);
	}
	CHECK(claimed > total / 2);
	mpq_clear(mu2);
}

static void one_laplace_event_is_its_formula(void)
{
	double low, high;
	mpq_t e0;

	mpq_init(e0);
	mpq_set_ui(e0, 1, 1);
	sotto_laplace_once_delta(e0, 0.3, &low, &high);
	CHECK(exp(low) <= 0.29531191028128657 * (1 + 0x1p-52));
	CHECK(exp(high) >= 0.29531191028128657 * (1 - 0x1p-52));
	CHECK(high - low < 1e-14);
	sotto_laplace_once_delta(e0, 1, &low, &high);
	CHECK(isinf(low) && isinf(high));
	mpq_clear(e0);
}

static void one_laplace_event_without_delta_costs_its_parameter(void)
{
	double lower, upper;
	mpfr_t delta;
	mpq_t e0;

	mpq_init(e0);
	mpfr_init2(delta, 128);
	mpq_set_ui(e0, 1, 4);
	mpfr_set_zero(delta, 1);
	sotto_laplace_once_epsilon(e0, delta, &lower, &upper);
	CHECK(lower == 0.25 && upper == 0.25);
	mpfr_set_d(delta, 0.5, MPFR_RNDN); /* more than 1 - e^(-1/8) */
	sotto_laplace_once_epsilon(e0, delta, &lower, &upper);
	CHECK(lower == 0 && upper == 0);
	mpq_set_ui(e0, 2, 1);
	mpfr_set_d(delta, 0x1p-20, MPFR_RNDN);
	sotto_laplace_once_epsilon(e0, delta, &lower, &upper);
	CHECK(lower < upper && upper - lower < 1e-15);
	CHECK(fabs(upper - (2 + 2 * log1p(-0x1p-20))) < 1e-15);
	mpfr_clear(delta);
	mpq_clear(e0);
}

int main(void)
{
	RUN(rough_gaussians_contain_the_sharp_ones);
	RUN(one_laplace_event_is_its_formula);
	RUN(one_laplace_event_without_delta_costs_its_parameter);
	return tap_done();
}
