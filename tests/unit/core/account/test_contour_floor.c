/*
 * A rough lower side of epsilon, against closed forms: real Gaussian noise, and randomized response many times (a binomial sum in long doubles). It
 * is never above the truth, and as large as is wanted where that is possible.  And workloads that need it: many groups whose pairs cost more than zCDP proves.
 *
 * Seen to fail: the lower one of two ends alone; a lower end from the step after in place of the one before; K that is five too large; a bound that is a hundredth lower, and an eighth in place of a quarter (contour_floor.c); a search
 * that begins at what looks like a saddle point (contour_saddle.c).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/account/integral/contour/contour_floor.h"
#include "core/account/integral/contour/contour_saddle.h"
#include "core/account/loss/measure/loss_measure.h"
#include "testlib/number.h"
#include "testlib/tap.h"

/* e^(x^2) erfc(x), x > 0: far out by its asymptotic series */
static long double scaled_erfc(long double x)
{
	long double y = 1 / (2 * x * x);

	if (x < 20)
		return expl(x * x) * erfcl(x);
	return (1 - y + 3 * y * y - 15 * y * y * y) / (x * sqrtl(3.14159265358979323846L));
}

/* log delta of N(mu^2/2, mu^2) */
static long double gaussian_log_delta(long double mu, long double epsilon)
{
	long double a = epsilon / mu - mu / 2, b = epsilon / mu + mu / 2;

	return logl(0.5L * erfcl(a * sqrtl(0.5L)) -
		    0.5L * expl(-a * a / 2) * scaled_erfc(b * sqrtl(0.5L)));
}

/* log delta of n times +-e */
static long double response_log_delta(int n, long double e, long double epsilon)
{
	long double p = 1 / (1 + expl(-e)), sum = 0;

	for (int k = 0; k <= n; k++) { /* so often +e */
		long double loss = (2 * k - n) * e,
			    log_mass = lgammal(n + 1.0L) - lgammal(k + 1.0L) -
				       lgammal(n - k + 1.0L) + k * logl(p) +
				       (n - k) * logl(1 - p);

		if (loss > epsilon)
			sum += expl(log_mass) * -expm1l(epsilon - loss);
	}
	return logl(sum);
}

/* The measure of the terms that text says. */
static void measure_of(struct sotto_terms *t, struct sotto_loss_measure *m, const char *text,
		       uint64_t count)
{
	struct sotto_event *e = NULL;

	sotto_terms_init(t, SOTTO_ADD_REMOVE);
	CHECK(sotto_event_parse(text, NULL, NULL, &e, NULL) == SOTTO_OK);
	CHECK(sotto_terms_add(t, e, count) == SOTTO_OK);
	sotto_event_free(e);
	CHECK(sotto_measure_of(m, t, SOTTO_REMOVE) == SOTTO_OK);
}

static void never_above_the_gaussian(void)
{
	for (int i = 0; i < 7; i++) {
		double mu = 0.5 * pow(3, i), log_delta = -13.8 - 20 * i, floor, sd = mu,
		       wanted = mu * mu / 2;
		struct sotto_loss_measure m;

		sotto_measure_init(&m);
		m.mu2 = mu * mu;
		for (double share = 0.05; share < 6; share *= 1.01) {
			CHECK(sotto_contour_floor(&m, share * wanted, log_delta, &floor) ==
			      SOTTO_OK);
			CHECK(floor == 0 || gaussian_log_delta(mu, floor) >= log_delta);
			if (1.1 * share * wanted < wanted - 3 * sd)
				CHECK(floor > share * wanted);
		}
		sotto_measure_release(&m);
	}
}

/* What half of the tilted loss proves, which lies between two ends, at the lowest order at which that is enough. */
static long double proved_by(long double mu, long double c, long double log_delta)
{
	long double step = fminl(c / 2, sqrtl(2 * logl(4)) / mu), k = c * (c + 1) * mu * mu / 2,
		    before = (c - step) * (c - step + 1) * mu * mu / 2,
		    after = (c + step) * (c + step + 1) * mu * mu / 2,
		    ends[2] = {(k - before - logl(4)) / step, (after - k + logl(4)) / step},
		    least = INFINITY;

	for (int i = 0; i < 2; i++) {
		long double share = logl(2) + log_delta - k + c * ends[i];

		least = fminl(least, share < 0 ? ends[i] + logl(-expm1l(share)) : -INFINITY);
	}
	return least;
}

static void as_large_as_both_ends_prove(void)
{
	for (int i = 0; i < 7; i++) {
		double mu = 0.5 * pow(3, i), log_delta = -13.8 - 20 * i, floor;
		struct sotto_loss_measure m;

		sotto_measure_init(&m);
		m.mu2 = mu * mu;
		for (double share = 0.05; share < 6; share *= 1.1) {
			double wanted = share * mu * mu / 2;
			long double c = 1 / wanted, proved = 0;

			for (int j = 0; j < 32 && !(proved > 1.1L * wanted); j++, c *= 1.5L)
				proved = proved_by(mu, c, log_delta);
			if (fabsl(proved - 1.1L * wanted) < 1e-6L * wanted)
				continue; /* on the edge */
			CHECK(sotto_contour_floor(&m, wanted, log_delta, &floor) == SOTTO_OK);
			if (proved > 1.1L * wanted)
				CHECK(fabsl(floor - proved) <= 1e-6L * proved);
			else
				CHECK(floor == 0);
		}
		sotto_measure_release(&m);
	}
}

static void never_above_randomized_response(void)
{
	static const int counts[] = {5, 60, 1000, 6000};

	for (int i = 0; i < 4; i++) {
		int n = counts[i];
		struct sotto_loss_measure m;
		struct sotto_terms t;
		double mean = n * tanh(0.25) * 0.5, floor;

		measure_of(&t, &m, "randomized-response(epsilon=0.5)", (uint64_t)n);
		for (double share = 0.05; share < 6; share *= 1.02) {
			CHECK(sotto_contour_floor(&m, share * mean, -13.8, &floor) == SOTTO_OK);
			CHECK(floor == 0 || response_log_delta(n, 0.5L, floor) >= -13.8);
			if (1.1 * share * mean < mean - 1.5 * sqrt(n))
				CHECK(floor > share * mean);
		}
		sotto_measure_release(&m);
		sotto_terms_release(&t);
	}
}

enum { GROUPS = 300 };

/* Groups whose pairs cost about twice what zCDP proves: the answer is that, on both sides. */
static void groups_cost_what_zcdp_proves(void)
{
	struct sotto_rational delta = rational_of("1e-6");
	struct sotto_account_answer pld, zcdp;
	struct sotto_workload *w = NULL;

	CHECK(sotto_workload_new(&w) == SOTTO_OK);
	for (int i = 0; i < GROUPS; i++) {
		double sigma = 0.3 * pow(300, i / (double)GROUPS),
		       epsilon = 0.001 * pow(3000, (i * 77 % GROUPS) / (double)GROUPS);
		char text[128];

		(void)snprintf(
			text, sizeof text,
			"group(k=%d, parallel(gaussian(sigma=%.3f), laplace(epsilon=%.3f)))",
			3 + i % 3, sigma, epsilon);
		CHECK(sotto_workload_add_text(w, text, NULL) == SOTTO_OK);
	}
	CHECK(sotto_account_epsilon(w, &delta, SOTTO_PLD, &pld) == SOTTO_OK);
	CHECK(sotto_account_epsilon(w, &delta, SOTTO_ZCDP, &zcdp) == SOTTO_OK);
	CHECK(pld.finite && !pld.exact_pair && pld.upper == zcdp.upper);
	CHECK(pld.lower <= pld.upper && pld.upper - pld.lower < 1e-9);
	sotto_rational_release(&delta);
	sotto_workload_free(w);
}

enum { FEW_GROUPS = 20 };

/* A small generator: the same numbers everywhere. */
static double draw(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*state >> 11) * 0x1p-53;
}

/* Where laws know only a bound of K at high orders, searches begin near epsilon all the same: not above Chernoff's bound at any order. */
static void check_guess(uint64_t state)
{
	struct sotto_loss_measure m;
	struct sotto_terms t;
	double guess;

	sotto_terms_init(&t, SOTTO_ADD_REMOVE);
	for (int i = 0; i < FEW_GROUPS; i++) {
		double sigma = 0.3 * pow(333, draw(&state)),
		       rate = 1e-4 * pow(5000, draw(&state));
		struct sotto_event *e = NULL;
		char text[128];

		(void)snprintf(text, sizeof text,
			       "group(k=%d, sampled(rate=%.6f, gaussian(sigma=%.3f)))",
			       2 + (int)(4 * draw(&state)), rate, sigma);
		CHECK(sotto_event_parse(text, NULL, NULL, &e, NULL) == SOTTO_OK);
		CHECK(sotto_terms_add(&t, e, 1) == SOTTO_OK);
		sotto_event_free(e);
	}
	sotto_terms_sort(&t);
	CHECK(sotto_measure_of(&m, &t, SOTTO_REMOVE) == SOTTO_OK);
	guess = sotto_saddle_epsilon(&m, -13.8);
	for (double c = 0.05; c < 3; c *= 1.2) {
		double k[3];

		sotto_measure_cumulants(&m, c, k);
		CHECK(guess <= 1.02 * (k[0] + 13.8) / c);
	}
	sotto_measure_release(&m);
	sotto_terms_release(&t);
}

static void searches_begin_near_epsilon(void)
{
	for (uint64_t state = 1; state <= 8; state++)
		check_guess(state);
}

int main(void)
{
	RUN(searches_begin_near_epsilon);
	RUN(never_above_the_gaussian);
	RUN(as_large_as_both_ends_prove);
	RUN(never_above_randomized_response);
	RUN(groups_cost_what_zcdp_proves);
	return tap_done();
}
