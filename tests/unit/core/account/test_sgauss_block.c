/*
 * Nodes of a sampled Gaussian law, from a polynomial for atoms of small losses, turns of the others and none of those that have faded, against
 * sums over a fine grid in long doubles; what they are said to be wrong by is so little that events of a tiny rate keep their digits.
 *
 * Faults that were planted, each seen to fail: five terms of the polynomial too few (sgauss_block.c); a polynomial used for t up to 8 times as
 * large as it was made for; turns for 1.0000001 h; faded atoms without their weight; of faded atoms, those
 * that were faded at a larger t.
 */
#include "core/account/law/sgauss_block.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/account/law/law.h"
#include "testlib/accountant/accounting.h"
#include "testlib/tap.h"

static const double mus[] = {0.05, 0.4, 1.3, 2.5}, rates[] = {1e-6, 3e-4, 0.02, 0.4},
		    orders[] = {0.3, 5}, spacings[] = {0.02, 0.4};
/* In an order in which no contour asks. */
static const uint64_t firsts[] = {0, 32, 64, 480, 800, 32, 0};

#define N(list) (sizeof(list) / sizeof(list)[0])

static struct sotto_law
law_of(double mu, double rate, bool of_many, enum sotto_direction direction)
{
	return (struct sotto_law){.class = &sotto_law_sampled_gaussian,
				  .mu = mu,
				  .rate = rate,
				  .of_many = of_many,
				  .of_hundreds = of_many,
				  .count = 1,
				  .direction = direction};
}

/* M(c + iu) - M(c) = E R^power (R^(iu) - 1): the trapezoid rule on the real line, which is exact to all digits for so fine a step. */
static long double complex transform(const struct sotto_law *law, double c, double u,
				     long double *all)
{
	bool removed = law->direction == SOTTO_REMOVE;
	long double mu = (long double)law->mu, q = (long double)law->rate,
		    step = 1 / (6 * (1 + mu) * (1 + 0.05L * (long double)u)),
		    sign = removed ? 1 : -1,
		    order = removed ? 1 + (long double)c : -(long double)c,
		    high = removed ? (1 + (long double)c) * mu + 13 : 13 + mu;
	long double complex sum = 0;

	*all = 0;
	for (long double z = -13; z < high; z += step) {
		long double l = log1pl(q * expm1l(mu * z - mu * mu / 2)),
			    half = sinl(sign * (long double)u * l / 2),
			    w = expl(order * l - z * z / 2);

		*all += w;
		sum += w * (-2 * half * half + sinl(sign * (long double)u * l) * I);
	}
	return sum;
}

struct worst {
	double claimed,
		share; /* the largest claim, over what a unit roundoff of 1 is; and error over claim */
};

static void check_block(const struct sotto_law *law, void *state, double c, double h,
			uint64_t first, struct worst *worst)
{
	struct sotto_block b = {.c = c, .h = h, .first = first, .n = SOTTO_BLOCK};

	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		b.re[j] = 1;
	law->class->apply(law, state, &b);
	for (size_t j = 0; j < SOTTO_BLOCK; j += 10) {
		long double all;
		long double complex d = transform(law, c, h * (double)(first + j), &all) / all;
		double error = hypot(b.re[j] - 1 - (double)creall(d),
				     b.im[j] - (double)cimagl(d)),
		       claim = b.absolute[j] + b.relative[j] * hypot(b.re[j], b.im[j]);

		worst->claimed = fmax(worst->claimed, claim);
		worst->share = fmax(worst->share, error / claim);
	}
}

static struct worst check_law(const struct sotto_law *law, double c, double h)
{
	struct worst worst = {0, 0};
	double log_m, slack;
	void *state;

	if (law->class->begin(law, c, h, &state, &log_m, &slack) != SOTTO_OK)
		abort();
	for (size_t i = 0; i < N(firsts); i++)
		check_block(law, state, c, h, firsts[i], &worst);
	law->class->end(state);
	return worst;
}

static void nodes_are_as_good_as_they_say(void)
{
	struct worst worst = {0, 0};

	for (size_t i = 0; i < N(mus) * N(rates) * N(orders) * N(spacings) * 4; i++) {
		size_t k = i / 4;
		struct sotto_law law = law_of(mus[k % N(mus)], rates[k / N(mus) % N(rates)],
					      i & 1, i & 2 ? SOTTO_ADD : SOTTO_REMOVE);
		double c = orders[k / (N(mus) * N(rates)) % N(orders)],
		       h = spacings[k / (N(mus) * N(rates) * N(orders))];
		struct worst one = check_law(&law, c, h);

		if (one.share > 1)
			printf("# mu %g rate %g c %g h %g: %g\n", law.mu, law.rate, c, h,
			       one.share);
		worst.share = fmax(worst.share, one.share);
		worst.claimed = fmax(worst.claimed, one.claimed);
	}
	printf("# at most %g, %g of it\n", worst.claimed, worst.share);
	CHECK(worst.share <= 1);
	CHECK(worst.claimed < 1e-10);
}

/* 2^40 of them: M(s)/M(c) differs from 1 by some 1e-12, and that is known to some digits. */
static void rare_events_keep_their_digits(void)
{
	struct sotto_law law = law_of(0.4, 1e-6, false, SOTTO_REMOVE);
	double log_m, slack;
	struct sotto_block b = {.c = 2, .h = 0.4, .n = SOTTO_BLOCK};
	void *state;

	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		b.re[j] = 1;
	if (law.class->begin(&law, b.c, b.h, &state, &log_m, &slack) != SOTTO_OK)
		abort();
	law.class->apply(&law, state, &b);
	law.class->end(state);
	printf("# %g\n", b.absolute[SOTTO_BLOCK - 1]);
	CHECK(b.absolute[SOTTO_BLOCK - 1] < 1e-17);
}

/* Twice sampled, by rates from 1e-3 to 0.06 each: before, no lower side was found with the steps that one answer may take. */
static void a_thousand_of_tiny_rates_are_sharp(void)
{
	enum { EVENTS = 1000 };
	static char text[EVENTS * 96];
	struct sotto_account_answer a;
	struct sotto_workload *w;
	char *end = text;

	for (int i = 0; i < EVENTS; i++) {
		double x = fmod(i * 0.6180339887, 1), y = fmod(i * 0.7548776662, 1),
		       z = fmod(i * 0.5698402910, 1);

		end += sprintf(end,
			       "%ssampled(rate=%.9g,sampled(rate=%.9g,gaussian(sigma=%.9g)))",
			       i ? ";" : "", 1e-3 * pow(60, x), 1e-3 * pow(60, y),
			       0.7 * pow(20 / 0.7, z));
	}
	w = workload_of(text);
	a = epsilon_of(w, "1e-6", SOTTO_PLD);
	printf("# %.9g to %.9g\n", a.lower, a.upper);
	CHECK(a.lower > 0 && a.upper - a.lower < 1e-6);
	sotto_workload_free(w);
}

int main(void)
{
	RUN(nodes_are_as_good_as_they_say);
	RUN(rare_events_keep_their_digits);
	RUN(a_thousand_of_tiny_rates_are_sharp);
	return tap_done();
}
