/* The errors of noisy values, by the continuous laws. */
#include "core/number/rational/rational_round.h"
#include "sotto/accuracy.h"

#include <math.h>

#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"
#include "sotto/noise.h"

/* Steps per L2 sensitivity when a Gaussian is calibrated for planning. */
enum { FINE = 1 << 20 };

static bool is_share(double beta)
{
	return beta > 0 && beta < 1;
}

enum sotto_status sotto_accuracy_laplace(const struct sotto_rational *epsilon,
					 const struct sotto_rational *l1, size_t n, double beta,
					 struct sotto_accuracy *out)
{
	if (!epsilon || !l1 || !out)
		return SOTTO_EINVAL;
	epsilon = sotto_rational_settled(epsilon);
	l1 = sotto_rational_settled(l1);

	double scale;

	if (sotto_rational_sign(epsilon) <= 0 || sotto_rational_sign(l1) <= 0 || n == 0 ||
	    !is_share(beta))
		return SOTTO_EINVAL;
	scale = sotto_rational_double_up(l1) / sotto_rational_double_down(epsilon);
	*out = (struct sotto_accuracy){.scale = scale,
				       .deviation = sqrt(2) * scale,
				       .mean_error = scale,
				       .error = scale * (log((double)n) - log(beta)) *
						(1 + 0x1p-40)};
	return SOTTO_OK;
}

enum sotto_status sotto_accuracy_laplace_epsilon_up(const struct sotto_rational *error,
						    const struct sotto_rational *l1, size_t n,
						    double beta, struct sotto_rational *epsilon)
{
	if (!error || !l1 || !epsilon)
		return SOTTO_EINVAL;
	error = sotto_rational_settled(error);
	l1 = sotto_rational_settled(l1);

	struct sotto_rational factor;
	enum sotto_status st;

	if (sotto_rational_sign(error) <= 0 || sotto_rational_sign(l1) <= 0 || n == 0 ||
	    !is_share(beta))
		return SOTTO_EINVAL;
	sotto_rational_init(&factor);
	st = sotto_rational_set_double(&factor, log((double)n) - log(beta));
	if (st == SOTTO_OK) {
		mpq_mul(factor.q, factor.q, l1->q);
		mpq_div(epsilon->q, factor.q, error->q);
		sotto_rational_round_up(epsilon, 32);
	}
	sotto_rational_release(&factor);
	return st;
}

double sotto_accuracy_laplace_tail(double scale, double error)
{
	return error > 0 ? exp(-error / scale) : 1;
}

/* x with erfc(x) = p, by bisection on a decreasing function; x < 40 for every double p > 0 */
static double inverse_erfc(double p)
{
	double low = 0, high = 40;

	for (int i = 0; i < 100; i++) {
		double middle = 0.5 * (low + high);

		if (erfc(middle) > p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Gaussian noise on n values: error sigma sqrt(2) erfc^-1(beta/n). */
static enum sotto_status
accuracy_gaussian(double sigma, size_t n, double beta, struct sotto_accuracy *out)
{
	if (!(sigma > 0) || n == 0 || !is_share(beta))
		return SOTTO_EINVAL;
	*out = (struct sotto_accuracy){.scale = sigma,
				       .deviation = sigma,
				       .mean_error = sigma * sqrt(2 / M_PI),
				       .error = sigma * sqrt(2) *
						inverse_erfc(beta / (double)n)};
	return SOTTO_OK;
}

double sotto_accuracy_gaussian_tail(double sigma, double error)
{
	return error > 0 ? erfc(error / sigma / sqrt(2)) : 1;
}

enum sotto_status
sotto_accuracy_choose(const struct sotto_rational *epsilon, const struct sotto_rational *delta,
		      const struct sotto_rational *l1, const struct sotto_rational *l2,
		      size_t n, double beta, struct sotto_accuracy_choice *out)
{
	if (!epsilon || !delta || !l1 || !l2)
		return SOTTO_EINVAL;
	epsilon = sotto_rational_settled(epsilon);
	delta = sotto_rational_settled(delta);
	l1 = sotto_rational_settled(l1);
	l2 = sotto_rational_settled(l2);

	struct sotto_rational sigma2;
	enum sotto_status st;
	double sigma = 0;

	if (sotto_rational_sign(l2) <= 0)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_accuracy_laplace(epsilon, l1, n, beta, &out->laplace));
	sotto_rational_init(&sigma2);
	st = sotto_gaussian_calibrate_up(epsilon, delta, FINE, n, &sigma2);
	if (st == SOTTO_OK)
		sigma = sqrt(sotto_rational_double_up(&sigma2)) / FINE *
			sotto_rational_double_up(l2);
	sotto_rational_release(&sigma2);
	if (st == SOTTO_OK)
		st = accuracy_gaussian(sigma, n, beta, &out->gaussian);
	out->gaussian_wins = st == SOTTO_OK && out->gaussian.error < out->laplace.error;
	return st;
}
