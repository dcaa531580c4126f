/*
 * Many draws of Laplace noise as atoms and polynomials: their transforms against powers of that of one draw, which is known in closed form, at orders so high and so
 * low that either end counts; and laws of samples of them against sums over how often a unit counts, at whole orders.
 *
 * Seen to fail: a polynomial raised by one place less, and integrals from the wrong ends (laplace_draws.c); panels so long that they err by 1e-5
 * (outcomes_noise.c).
 */
#include <math.h>
#include <stdio.h>

#include "core/account/event/workload_terms.h"
#include "core/account/law/outcomes/laplace_draws.h"
#include "core/account/law/outcomes/law_outcomes.h"
#include "core/account/law/outcomes/wanted_line.h"
#include "testlib/tap.h"

typedef long double real;

/* log of the transform of one draw: atoms at both ends, and e^((x-a)/2)/4 between. */
static real log_one(real a, real s)
{
	real middle = s + 0.5L;

	return logl(0.5L * expl(s * a) + 0.5L * expl(-(s + 1) * a) +
		    expl(-a / 2) * (middle == 0 ? a / 2 : sinhl(middle * a) / (2 * middle)));
}

/* The same of the draws, by Simpson's rule on each stretch. */
static real log_all(const struct sotto_laplace_draws *d, real s)
{
	enum { CELLS = 1500 };
	real sum = 0, n = d->n, top = n * d->a * fmaxl(s, -(s + 1));

	for (size_t j = 0; j <= d->n; j++) {
		real place = n - 2 * (real)j;

		sum += d->atom[j] * expl((place * (s + 0.5L) - n / 2) * d->a - top);
		for (int i = 0; i <= 2 * CELLS && j < d->n; i++) {
			real x = (real)i / (2 * CELLS), weight = i == 0 || i == 2 * CELLS ? 1
								 : i % 2                  ? 4
											  : 2;

			sum += weight / (3 * CELLS) * sotto_laplace_draws_at(d, j, (double)x) *
			       expl(((place - 2 + 2 * x) * (s + 0.5L) - n / 2) * d->a - top);
		}
	}
	return logl(sum) + top;
}

static void transforms_of_draws_are_powers(void)
{
	static const double epsilons[] = {0.01, 0.7, 5};
	static const size_t draws[] = {1, 2, 3, 7, SOTTO_LAPLACE_DRAWS_MAX};
	static const double orders[] = {-3, -0.5, 0.01, 1, 4};

	for (size_t i = 0; i < 3; i++)
		for (size_t j = 0; j < 5; j++) {
			struct sotto_laplace_draws d;

			sotto_laplace_draws_of(&d, epsilons[i], draws[j]);
			for (size_t k = 0; k < 5; k++) {
				real truth = (real)draws[j] * log_one(epsilons[i], orders[k]);

				CHECK(fabsl(log_all(&d, orders[k]) - truth) < 1e-9L);
			}
		}
}

/* log of the mean of (1 - q + q X)^(s+1) under Q, s whole: over how often X is taken. */
static real log_sampled(real a, real draws, real q, int s)
{
	real sum = 0, choose = 1;

	for (int j = 0; j <= s + 1; j++) {
		sum += choose * powl(1 - q, s + 1 - j) * powl(q, j) *
		       expl(draws * log_one(a, j - 1));
		choose = choose * (s + 1 - j) / (j + 1);
	}
	return logl(sum);
}

static void samples_of_many_draws_are_right_at_whole_orders(void)
{
	static const struct {
		double a, rate;
		int draws, order;
	} examples[] = {
		{0.3, 0.1, 10, 1}, {0.3, 0.1, 10, 2}, {4.5, 0.01, 10, 1},  {2, 0.4, 5, 2},
		{0.02, 0.3, 7, 3}, {1, 0.001, 16, 1}, {0.001, 0.5, 16, 4},
	};

	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct sotto_wanted_line line = {examples[i].order, 1, false};
		struct sotto_outcomes_rest rest;
		struct sotto_law law = {.count = 1};
		struct sotto_event *e = NULL;
		double k[3] = {0}, log_m, slack;
		real truth = log_sampled(examples[i].a, examples[i].draws, examples[i].rate,
					 examples[i].order);
		void *state = NULL;
		char text[80];

		snprintf(text, sizeof text, "sampled(rate=%g, laplace(epsilon=%g)*%d)",
			 examples[i].rate, examples[i].a, examples[i].draws);
		CHECK(sotto_event_parse(text, NULL, NULL, &e, NULL) == SOTTO_OK);
		CHECK(sotto_law_outcomes_of(&law, e, SOTTO_REMOVE, &line, NULL, &rest) ==
		      SOTTO_OK);
		law.class->cumulants(&law, examples[i].order, k);
		CHECK(k[0] >= truth && k[0] <= truth + 1e-9L);
		CHECK(law.class->begin(&law, examples[i].order, 0.01, &state, &log_m, &slack) ==
		      SOTTO_OK);
		CHECK(slack < 1e-10 && fabsl(log_m - truth) <= slack);
		law.class->end(state);
		law.class->release(&law);
		sotto_event_free(e);
	}
}

int main(void)
{
	RUN(transforms_of_draws_are_powers);
	RUN(samples_of_many_draws_are_right_at_whole_orders);
	return tap_done();
}
