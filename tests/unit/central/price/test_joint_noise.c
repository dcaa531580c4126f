/*
 * How wrong a sum of noises is: against closed forms for one and for two Laplace noises, for
 * Gaussian noises, and against the law of a mixture of both that was integrated another way.
 */
#include <math.h>

#include "central/price/joint_noise.h"
#include "testlib/tap.h"

static bool make(struct sotto_added_noise *n, enum sotto_noise_kind kind, long width)
{
	struct sotto_rational one;
	mpz_t moved;
	bool done;

	*n = (struct sotto_added_noise){0};
	sotto_rational_init(&one);
	mpz_init_set_si(moved, kind == SOTTO_NOISE_GAUSSIAN ? 2 * width * width : width);
	mpq_set_si(one.q, 1, 1);
	done = (kind == SOTTO_NOISE_GAUSSIAN
			? sotto_added_noise_set_gaussian(n, moved, &one)
			: sotto_added_noise_set_laplace(n, moved, &one)) == SOTTO_OK;
	mpz_clear(moved);
	sotto_rational_release(&one);
	return done;
}

/* P(|X + Y| > z) of Laplace laws with scales a and b. */
static double tail_of_two(double a, double b, double z)
{
	if (fabs(a - b) < 1e-6 * (a + b))
		return (1 + z / (a + b)) * exp(-2 * z / (a + b));
	return (a * a * exp(-z / a) - b * b * exp(-z / b)) / (a * a - b * b);
}

static void two_laplace_noises_have_their_closed_form(void)
{
	static const double factors[] = {1, 0.999, 0.5, 0.1, 0.01, 1e-4, 1e-9, 0};
	struct sotto_added_noise n;

	REQUIRE(make(&n, SOTTO_NOISE_LAPLACE, 1000));
	for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
		struct sotto_noise_term terms[] = {{&n, -3}, {&n, 3 * factors[i]}, {&n, 0}};

		for (size_t count = 2; count <= 3;
		     count++) { /* of three the law is integrated */
			double z = sotto_joint_noise_size(terms, count);
			double p = tail_of_two(3000, 3000 * factors[i], z);

			(void)tap_check(fabs(p - 0.05) < 5e-6, __FILE__, __LINE__, "%g: %.9g",
					factors[i], p);
		}
	}
	sotto_added_noise_release(&n);
}

static void gaussian_noises_add_up_their_variances(void)
{
	struct sotto_added_noise n;

	REQUIRE(make(&n, SOTTO_NOISE_GAUSSIAN, 500));
	struct sotto_noise_term terms[] = {{&n, 3}, {&n, -4}, {&n, 12}};

	CHECK(fabs(sotto_joint_noise_size(terms, 3) / (1.96 * 13 * 500) - 1) < 1e-9);
	sotto_added_noise_release(&n);
}

/* P(|X + Y| > z) of a Laplace and a Gaussian law, by the density of the second. */
static double mixed_tail(double a, double sigma, double z)
{
	double p = 0, h = sigma / 200;

	for (int k = -2000; k <= 2000; k++) {
		double y = k * h, density = exp(-y * y / (2 * sigma * sigma));
		double above = z - y > 0 ? exp(-(z - y) / a) / 2 : 1 - exp((z - y) / a) / 2;
		double below = -z - y < 0 ? exp((-z - y) / a) / 2 : 1 - exp((z + y) / a) / 2;

		p += density * (above + below) * h;
	}
	return p / (sigma * sqrt(2 * M_PI));
}

static void laplace_and_gaussian_noise_are_integrated(void)
{
	struct sotto_added_noise x, y;

	REQUIRE(make(&x, SOTTO_NOISE_LAPLACE, 100) && make(&y, SOTTO_NOISE_GAUSSIAN, 100));
	for (double f = 0.25; f < 5; f *= 2) {
		struct sotto_noise_term terms[] = {{&x, f}, {&y, 1}};
		double p = mixed_tail(100 * f, 100, sotto_joint_noise_size(terms, 2));

		(void)tap_check(fabs(p - 0.05) < 5e-6, __FILE__, __LINE__, "%g: %.9g", f, p);
	}
	sotto_added_noise_release(&x);
	sotto_added_noise_release(&y);
}

static void nothing_is_wrong_without_noise(void)
{
	struct sotto_added_noise n;

	REQUIRE(make(&n, SOTTO_NOISE_LAPLACE, 7));
	CHECK(sotto_joint_noise_size((struct sotto_noise_term[]){{&n, 0}, {&n, 0}}, 2) == 0);
	CHECK(sotto_joint_noise_size(NULL, 0) == 0);
	CHECK(fabs(sotto_joint_noise_size((struct sotto_noise_term[]){{&n, 2}}, 1) /
			   (14 * log(20)) -
		   1) < 1e-12);
	sotto_added_noise_release(&n);
}

int main(void)
{
	RUN(two_laplace_noises_have_their_closed_form);
	RUN(gaussian_noises_add_up_their_variances);
	RUN(laplace_and_gaussian_noise_are_integrated);
	RUN(nothing_is_wrong_without_noise);
	return tap_done();
}
