/*
 * Bounds in closed form of sampled Gaussian noise so small that outcomes tell who was sampled, against sums over a fine grid in long doubles.
 *
 * Faults that were planted, each seen to fail: a quarter of what lies between the two parts of R (cumulants); 0.3 of the total variation (far
 * nodes).
 */
#include "core/account/law/sgauss_told.h"

#include <complex.h>
#include <math.h>

#include "testlib/tap.h"

static const double mus[] = {3, 4.5, 7, 12, 20}, rates[] = {0.001, 0.04, 0.45},
		    orders[] = {0.0005, 0.01, 0.2, 0.7, 1};

static struct sotto_law law_of(double mu, double rate)
{
	return (struct sotto_law){.class = &sotto_law_sampled_gaussian,
				  .mu = mu,
				  .rate = rate,
				  .of_many = true,
				  .of_hundreds = true,
				  .count = 1,
				  .direction = SOTTO_REMOVE};
}

/* M(c + iu) = E R^(1 + c + iu): the trapezoid rule on the real line, which is exact to all digits for so fine a step. */
static long double complex transform(const struct sotto_law *law, double c, double u)
{
	long double mu = (long double)law->mu, q = (long double)law->rate,
		    step = 1 / (12 * (1 + mu) * (1 + (long double)u));
	long double complex sum = 0;

	for (long double z = -14; z < (1 + (long double)c) * mu + 14; z += step) {
		long double l = log1pl(q * expm1l(mu * z - mu * mu / 2));

		sum += expl((1 + (long double)c) * l - z * z / 2) *
		       (cosl((long double)u * l) + sinl((long double)u * l) * I);
	}
	return sum * step / sqrtl(2 * acosl(-1));
}

static void cumulants_are_never_too_small(void)
{
	for (size_t i = 0; i < sizeof mus / sizeof mus[0]; i++)
		for (size_t j = 0; j < sizeof rates / sizeof rates[0]; j++)
			for (size_t k = 0; k < sizeof orders / sizeof orders[0]; k++) {
				struct sotto_law law = law_of(mus[i], rates[j]);
				double truth = (double)logl(
					       creall(transform(&law, orders[k], 0))),
				       told[3];

				CHECK(sotto_sgauss_is_told(&law, orders[k]));
				sotto_sgauss_told_cumulants(&law, orders[k], told);
				CHECK(told[0] >= truth * (1 - 1e-13) - 1e-13);
				CHECK(told[0] <= truth + orders[k] * exp(-mus[i] * mus[i] / 8) +
							 1e-9 * (1 + truth));
			}
}

static void far_nodes_are_never_larger(void)
{
	static const double times[] = {1, 1.37, 2.3};
	int rungs = 0;

	for (size_t i = 0; i < sizeof mus / sizeof mus[0]; i++)
		for (size_t j = 0; j < sizeof rates / sizeof rates[0]; j++)
			for (double c = 0.004; c < 0.1; c *= 12) {
				struct sotto_law law = law_of(mus[i], rates[j]);
				long double m = creall(transform(&law, c, 0));
				struct sotto_ladder l = {0};

				sotto_sgauss_told_ladder(&law, c, (double)logl(m), &l);
				for (int r = 0; r < l.n && r < 4; r++)
					for (size_t k = 0; k < 3; k++) {
						double u = ldexp(l.first, r) * times[k];

						CHECK((double)(cabsl(transform(&law, c, u)) /
							       m) <= l.bound[r]);
						rungs++;
					}
			}
	CHECK(rungs > 100);
}

int main(void)
{
	RUN(cumulants_are_never_too_small);
	RUN(far_nodes_are_never_larger);
	return tap_done();
}
