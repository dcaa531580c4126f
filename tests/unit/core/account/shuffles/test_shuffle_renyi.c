/*
 * The Renyi divergence of shuffled reports against a sum over all outcomes of the clone pair: never below it,
 * and close to it where it is small.
 *
 * Faults that were planted, each seen to fail: the most clones of a run in place of the fewest, with runs of 64
 * (add_clones of law_shuffle.c); moments without the odd factorials; tanh(e0/2) too small by a thousandth.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/account/theorem/renyi/renyi_curve.h"
#include "testlib/tap.h"

static void must(bool done)
{
	if (!done)
		abort();
}

struct setting {
	unsigned users;
	double epsilon0;
	bool binary;
};

static double log_binomial(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* log of the sum of P (P/Q)^s over x of n = clones + 1 reports that agree with the first input. */
static double log_given(double n, double t, double s)
{
	double sum = 0, most = s * log((1 + t) / (1 - t));

	for (double x = 0; x <= n; x++) {
		double v = t * (2 * x - n) / n;

		sum += exp(log_binomial(n, x) - n * log(2) + log1p(v) +
			   s * (log1p(v) - log1p(-v)) - most);
	}
	return most + log(sum);
}

static double true_cumulant(const struct setting *c, double s)
{
	double p = c->binary ? 2 / (exp(c->epsilon0) + 1) : exp(-c->epsilon0);
	double others = c->users - 1, most = -INFINITY, sum = 0;
	double *part = calloc(c->users, sizeof *part);

	must(part);
	for (unsigned k = 0; k < c->users; k++) {
		part[k] = log_binomial(others, k) + k * log(p) + (others - k) * log1p(-p);
		if (part[k] > -60 - s * c->epsilon0)
			part[k] += log_given(k + 1.0, tanh(c->epsilon0 / 2), s);
		most = fmax(most, part[k]);
	}
	for (unsigned k = 0; k < c->users; k++)
		sum += exp(part[k] - most);
	free(part);
	return most + log(sum);
}

static double claimed_cumulant(const struct setting *c, double s)
{
	struct sotto_workload *w;
	struct sotto_terms t;
	char text[120];
	double divergence;

	(void)snprintf(text, sizeof text, "shuffle(n=%u, epsilon0=%.17g%s)", c->users,
		       c->epsilon0, c->binary ? ", randomizer=binary" : "");
	must(sotto_workload_new(&w) == SOTTO_OK);
	must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	must(sotto_terms_of(&t, w) == SOTTO_OK);
	must(sotto_renyi_divergence(&t, 1 + s, &divergence) == SOTTO_OK);
	sotto_terms_release(&t);
	sotto_workload_free(w);
	return s * divergence;
}

static const struct setting settings[] = {{400, 0.5, false},
					  {1200, 1, false},
					  {1200, 1, true},
					  {1700, 2, false},
					  {900, 0.1, false}};
static const double orders[] = {0.01, 1, 4, 10, 25, 60, 200};

enum { SETTINGS = sizeof settings / sizeof settings[0] };
enum { ORDERS = sizeof orders / sizeof orders[0] };

static void shuffled_reports_cost_no_less_than_their_outcomes_do(void)
{
	for (int i = 0; i < SETTINGS; i++)
		for (int j = 0; j < ORDERS; j++) {
			double truth = true_cumulant(&settings[i], orders[j]);
			double claim = claimed_cumulant(&settings[i], orders[j]);

			(void)tap_check(claim >= truth * (1 - 1e-9), __FILE__, __LINE__,
					"n=%u e0=%g s=%g: %.12g below %.12g", settings[i].users,
					settings[i].epsilon0, orders[j], claim, truth);
			(void)tap_check(
				claim <= fmin(truth * 1.01, orders[j] * settings[i].epsilon0) ||
					truth > 0.5,
				__FILE__, __LINE__, "n=%u e0=%g s=%g: %.12g far above %.12g",
				settings[i].users, settings[i].epsilon0, orders[j], claim,
				truth);
		}
}

static void a_hundred_different_shuffles_cost_little(void)
{
	struct sotto_account_answer a;
	struct sotto_rational delta;
	struct sotto_workload *w;
	char text[80];

	must(sotto_workload_new(&w) == SOTTO_OK);
	for (int i = 0; i < 100; i++) {
		(void)snprintf(text, sizeof text, "shuffle(n=%d, epsilon0=1)", 50000 + 7 * i);
		must(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	}
	sotto_rational_init(&delta);
	must(sotto_rational_parse(&delta, "1e-6", NULL) == SOTTO_OK);
	must(sotto_account_epsilon(w, &delta, SOTTO_RDP, &a) == SOTTO_OK);
	CHECK(a.upper > 0.2 && a.upper < 0.3);
	sotto_rational_release(&delta);
	sotto_workload_free(w);
}

int main(void)
{
	RUN(shuffled_reports_cost_no_less_than_their_outcomes_do);
	RUN(a_hundred_different_shuffles_cost_little);
	return tap_done();
}
