/*
 * K(s) of sampled laws so narrow that no rule of integration is fine enough: it stays between bounds that need none.
 *
 * Seen to fail: E(R-1) = 0 taken for granted over a range that ends before the far half of it, as it once was
 * (has_whole_mean of law_sgauss.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/account/loss/measure/loss_measure.h"
#include "testlib/tap.h"

static void must(bool done)
{
	if (!done)
		abort();
}

/* K(s) of one event in one direction. */
static double cumulant(const char *text, enum sotto_direction direction, double s)
{
	struct sotto_loss_measure m;
	struct sotto_workload *w;
	struct sotto_terms t;
	double k[3];

	must(sotto_workload_new(&w) == SOTTO_OK);
	must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	must(sotto_terms_of(&t, w) == SOTTO_OK);
	must(sotto_measure_of(&m, &t, direction) == SOTTO_OK);
	sotto_measure_cumulants(&m, s, k);
	sotto_measure_release(&m);
	sotto_terms_release(&t);
	sotto_workload_free(w);
	return k[0];
}

static double slack(double a, double b)
{
	return 1e-9 * (1 + fabs(a) + fabs(b));
}

static void between(double low, double k, double high)
{
	CHECK(k >= low - slack(low, k));
	CHECK(k <= high + slack(high, k));
}

/*
 * Removed, R >= q X and R is a mean of 1 and X: K lies between those of the two.  Added, R is at least 1 - q, and
 * at most 1 - q + q e^(-mu^2/4) unless the noise is beyond mu/4.
 */
static void check_gaussian(double mu, double q, double s)
{
	double inner = s * (s + 1) * mu * mu / 2, most = -s * log1p(-q);
	char text[120];

	(void)snprintf(text, sizeof text, "sampled(rate=%.17g, gaussian(sigma=%.17g))", q,
		       1 / mu);
	between((s + 1) * log(q) + inner, cumulant(text, SOTTO_REMOVE, s),
		inner < 600 ? log1p(q * expm1(inner)) : fmax(inner, inner + log(q) + 1e-200));
	between(log(0.5 * erfc(-mu / 4 / sqrt(2))) - s * log1p(q * expm1(-mu * mu / 4)),
		cumulant(text, SOTTO_ADD, s), most);
}

/* The atom at the largest loss alone, and the largest loss for all. */
static void check_laplace(double epsilon, double q, double s)
{
	double top = epsilon < 600 ? log1p(q * expm1(epsilon)) : epsilon + log(q);
	double added = -log1p(q * expm1(-epsilon));
	char text[120];

	(void)snprintf(text, sizeof text, "sampled(rate=%.17g, laplace(epsilon=%.17g))", q,
		       epsilon);
	between((s + 1) * top - epsilon - log(2), cumulant(text, SOTTO_REMOVE, s), s * top);
	between(s * added - log(2), cumulant(text, SOTTO_ADD, s), s * added);
}

static const double rates[] = {1e-9, 0.01, 0.5, 0.99}, orders[] = {0.01, 1, 30, 1000};

static void sampled_gaussians_of_any_width_have_their_cumulants(void)
{
	static const double mus[] = {3, 50, 300, 3e3, 1e5};

	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 4; j++)
			for (int k = 0; k < 4; k++)
				check_gaussian(mus[i], rates[j], orders[k]);
}

static void sampled_laplaces_of_any_epsilon_have_their_cumulants(void)
{
	static const double epsilons[] = {1, 100, 900, 3e3, 1e6};

	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 4; j++)
			for (int k = 0; k < 4; k++)
				check_laplace(epsilons[i], rates[j], orders[k]);
}

int main(void)
{
	RUN(sampled_gaussians_of_any_width_have_their_cumulants);
	RUN(sampled_laplaces_of_any_epsilon_have_their_cumulants);
	return tap_done();
}
