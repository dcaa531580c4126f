/*
 * The bound on a sum of two discrete noises holds, and is not much larger than it has to be: their
 * exact law is added up over all pairs of whole numbers.  Tails of the real laws that stand in for
 * the discrete ones are compared with those, as the argument in pair_noise.c says.
 */
#include <math.h>
#include <stdlib.h>

#include "central/price/pair_noise.h"
#include "testlib/tap.h"

static const double scales[] = {0.05, 0.2, 0.5, 1, 1.7, 3, 10};

static bool make(struct sotto_added_noise *n, enum sotto_noise_kind kind, double width)
{
	struct sotto_rational r;
	mpz_t moved;
	bool done;

	*n = (struct sotto_added_noise){0};
	sotto_rational_init(&r);
	mpz_init_set_si(moved, kind == SOTTO_NOISE_GAUSSIAN ? 2 : 1);
	mpq_set_d(r.q, kind == SOTTO_NOISE_GAUSSIAN ? 1 / (width * width) : 1 / width);
	done = (kind == SOTTO_NOISE_GAUSSIAN
			? sotto_added_noise_set_gaussian(n, moved, &r)
			: sotto_added_noise_set_laplace(n, moved, &r)) == SOTTO_OK;
	mpz_clear(moved);
	sotto_rational_release(&r);
	return done;
}

/* The mass at m, not divided by the sum of all. */
static double weight(enum sotto_noise_kind kind, double width, long m)
{
	double x = (double)labs(m) / width;

	return kind == SOTTO_NOISE_GAUSSIAN ? exp(-x * x / 2) : exp(-x);
}

static long far(enum sotto_noise_kind kind, double width)
{
	return (long)(width * (kind == SOTTO_NOISE_GAUSSIAN ? 9 : 32)) + 3;
}

/* P(|f X + g Y| > z), exactly but for the far tails. */
static double
exact_tail(enum sotto_noise_kind kind, double a, double f, double b, double g, double z)
{
	long m = far(kind, a), n = far(kind, b);
	double beyond = 0, all = 0;

	for (long i = -m; i <= m; i++)
		for (long j = -n; j <= n; j++) {
			double p = weight(kind, a, i) * weight(kind, b, j);

			all += p;
			beyond += fabs(f * (double)i + g * (double)j) > z + 1e-9 ? p : 0;
		}
	return beyond / all;
}

static void compare(enum sotto_noise_kind kind, double a, double b, double g)
{
	struct sotto_added_noise x, y;
	double z, p, narrow;

	REQUIRE(make(&x, kind, a) && make(&y, kind, b));
	CHECK(sotto_pair_noise_fits(&x, &y));
	z = sotto_pair_noise_size_up(&x, 1, &y, g);
	p = exact_tail(kind, a, 1, b, g, z);
	(void)tap_check(p <= 0.05, __FILE__, __LINE__, "%g %g %g: %.9g", a, b, g, p);
	/* Two steps less do not hold: what the bound gives away is at most that. */
	narrow = z - 2 * (1 + fabs(g));
	if (a >= 3 && b >= 3)
		(void)tap_check(exact_tail(kind, a, 1, b, g, narrow) > 0.05, __FILE__, __LINE__,
				"%g %g %g is wide", a, b, g);
	sotto_added_noise_release(&x);
	sotto_added_noise_release(&y);
}

static void the_bound_holds_for_discrete_laws(void)
{
	static const double factors[] = {1, -1, 0.7, 0.31, 1.0 / 64, 0};

	for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
		for (size_t j = 0; j < sizeof scales / sizeof scales[0]; j++)
			for (size_t k = 0; k < sizeof factors / sizeof factors[0]; k++) {
				compare(SOTTO_NOISE_LAPLACE, scales[i], scales[j], factors[k]);
				if (scales[i] >= 1 && scales[j] >= 1)
					compare(SOTTO_NOISE_GAUSSIAN, scales[i], scales[j],
						factors[k]);
			}
}

/* P(|Z + U| >= t): linear between half-numbers. */
static double smoothed_tail(enum sotto_noise_kind kind, double width, double t)
{
	long cell = (long)floor(t + 0.5), n = far(kind, width) + cell;
	double all = 0, beyond = 0;

	for (long m = -n; m <= n; m++) {
		double p = weight(kind, width, m);

		all += p;
		if (labs(m) > cell)
			beyond += p;
		else if (labs(m) == cell)
			beyond += p * ((double)cell + 0.5 - t) * (cell == 0 ? 2 : 1);
	}
	return beyond / all;
}

/* What Birnbaum's theorem is applied to. */
static void real_noise_is_less_peaked(void)
{
	for (double width = 0.05; width < 60; width *= 1.3)
		for (double t = 0; t < 5 * width + 2; t += 0.013 * (1 + width)) {
			double b = 1 / (2 * tanh(1 / (2 * width)));

			(void)tap_check(smoothed_tail(SOTTO_NOISE_LAPLACE, width, t) <=
						exp(-t / b) * (1 + 1e-9),
					__FILE__, __LINE__, "Laplace %g at %g", width, t);
			if (width >= 1)
				(void)tap_check(
					smoothed_tail(SOTTO_NOISE_GAUSSIAN, width, t) <=
						erfc(t / sqrt(2 * width * width + 0.5)) *
							(1 + 1e-9),
					__FILE__, __LINE__, "Gaussian %g at %g", width, t);
		}
}

static void other_pairs_do_not_fit(void)
{
	struct sotto_added_noise x, y, z;

	REQUIRE(make(&x, SOTTO_NOISE_LAPLACE, 2) && make(&y, SOTTO_NOISE_GAUSSIAN, 2) &&
		make(&z, SOTTO_NOISE_GAUSSIAN, 0.5));
	CHECK(!sotto_pair_noise_fits(&x, &y));
	CHECK(!sotto_pair_noise_fits(&y, &z));
	sotto_added_noise_release(&x);
	sotto_added_noise_release(&y);
	sotto_added_noise_release(&z);
}

int main(void)
{
	RUN(the_bound_holds_for_discrete_laws);
	RUN(real_noise_is_less_peaked);
	RUN(other_pairs_do_not_fit);
	return tap_done();
}
