/* Calibrations of the Gaussian with a closed form. */
#include "sotto/noise.h"

#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"
#include "core/number/rounded.h"

enum { DIGITS = 64 };

/* sigma2 = 2 ln(1.25/delta) D^2 / epsilon^2, rounded up */
static void set_classical(const struct sotto_rational *epsilon,
			  const struct sotto_rational *delta, int64_t sensitivity, mpq_t sigma2)
{
	mpq_t x;

	mpq_init(x);
	mpq_set_ui(x, 5, 4);
	mpq_div(x, x, delta->q);
	sotto_log_up(sigma2, x, DIGITS);
	mpq_mul_2exp(sigma2, sigma2, 1);
	mpq_set_si(x, sensitivity, 1);
	mpq_div(x, x, epsilon->q);
	mpq_mul(x, x, x);
	mpq_mul(sigma2, sigma2, x);
	mpq_clear(x);
}

enum sotto_status sotto_gaussian_classical_up(const struct sotto_rational *epsilon,
					      const struct sotto_rational *delta,
					      int64_t sensitivity, size_t dimension,
					      struct sotto_rational *sigma2,
					      struct sotto_error *err)
{
	if (!epsilon || !delta || !sigma2)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	epsilon = sotto_rational_settled(epsilon);
	delta = sotto_rational_settled(delta);

	struct sotto_rational least;
	enum sotto_status st;

	if (mpq_cmp_ui(epsilon->q, 1, 1) >= 0)
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"the classical calibration is proved only for epsilon below 1 "
			"and false for large ones; use the analytic calibration");
	sotto_rational_init(&least);
	st = sotto_gaussian_calibrate_up(epsilon, delta, sensitivity, dimension, &least);
	if (st == SOTTO_OK) {
		set_classical(epsilon, delta, sensitivity, sigma2->q);
		if (sotto_rational_compare(sigma2, &least) < 0)
			sotto_rational_set(sigma2, &least);
	}
	sotto_rational_release(&least);
	return st;
}

enum sotto_status sotto_gaussian_zcdp(const struct sotto_rational *rho, int64_t sensitivity,
				      struct sotto_rational *sigma2)
{
	if (!rho || !sigma2)
		return SOTTO_EINVAL;
	rho = sotto_rational_settled(rho);
	if (sotto_rational_sign(rho) <= 0 || sensitivity < 1)
		return SOTTO_EINVAL;
	mpq_set_si(sigma2->q, sensitivity, 1);
	mpq_mul(sigma2->q, sigma2->q, sigma2->q);
	mpq_div_2exp(sigma2->q, sigma2->q, 1);
	mpq_div(sigma2->q, sigma2->q, rho->q);
	return SOTTO_OK;
}
