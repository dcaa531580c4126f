/* Truncated geometric and staircase: laws as numbers, privacy of every pair, edges. */
#include "core/mechanism/additive/staircase_inside.h"
#include "sotto/noise.h"

#include <stdlib.h>

#include "sotto/noise.h"
#include "testlib/number.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

static struct sotto_truncated *
truncated(const char *epsilon, int64_t sensitivity, int64_t low, int64_t high)
{
	struct sotto_rational e = rational_of(epsilon);
	struct sotto_truncated *m = NULL;

	CHECK_INT(
		sotto_truncated_new(&e, sensitivity, (struct sotto_range){low, high}, &m, NULL),
		SOTTO_OK);
	sotto_rational_release(&e);
	return m;
}

static double probability(const struct sotto_truncated *m, int64_t y, int64_t z)
{
	struct sotto_rational p;
	double d;

	sotto_rational_init(&p);
	CHECK_INT(sotto_truncated_probability_down(m, y, z, 120, &p), SOTTO_OK);
	d = rational_double(&p);
	sotto_rational_release(&p);
	return d;
}

static void probabilities_are_those_of_the_formula(void)
{
	struct sotto_truncated *m = truncated("1", 2, -2, 5);
	double a = exp(-0.5);

	for (int64_t y = -4; y <= 7; y++)
		for (int64_t z = -2; z <= 5; z++) {
			double d = fabs((double)(z - y)), want;

			if (z == 5)
				want = y <= 5 ? pow(a, d) / (1 + a)
					      : 1 - pow(a, d + 1) / (1 + a);
			else if (z == -2)
				want = y >= -2 ? pow(a, d) / (1 + a)
					       : 1 - pow(a, d + 1) / (1 + a);
			else
				want = (1 - a) / (1 + a) * pow(a, d);
			CHECK_REL(probability(m, y, z), want, 1e-13);
		}
	sotto_truncated_free(m);
}

/* In exact arithmetic: lower bounds add up to 1 within what they may be short of. */
static void a_row_adds_up_to_one(void)
{
	static const struct {
		int64_t low, high, y;
	} cases[] = {{0, 0, 7}, {0, 1, 0}, {-3, 9, 4}, {-3, 9, -100}, {-3, 9, 100}};
	struct sotto_rational p, sum;

	sotto_rational_init(&p);
	sotto_rational_init(&sum);
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		struct sotto_truncated *m = truncated("1/3", 1, cases[c].low, cases[c].high);
		double n = (double)(cases[c].high - cases[c].low + 1);

		mpq_set_ui(sum.q, 0, 1);
		for (int64_t z = cases[c].low; z <= cases[c].high; z++) {
			CHECK_INT(sotto_truncated_probability_down(m, cases[c].y, z, 200, &p),
				  SOTTO_OK);
			sotto_rational_add(&sum, &sum, &p);
		}
		CHECK(mpq_cmp_ui(sum.q, 1, 1) <= 0);
		mpq_set_ui(p.q, 1, 1);
		mpq_sub(p.q, p.q, sum.q);
		mpq_mul_2exp(p.q, p.q, 200);
		CHECK(mpq_get_d(p.q) <= 2 * n);
		sotto_truncated_free(m);
	}
	sotto_rational_release(&p);
	sotto_rational_release(&sum);
}

static void neighbours_differ_by_exactly_epsilon(void)
{
	struct sotto_truncated *m = truncated("0.7", 3, 0, 20);
	double worst = 0;

	for (int64_t y = 0; y + 3 <= 20; y++)
		for (int64_t z = 0; z <= 20; z++)
			worst = fmax(worst, fabs(log(probability(m, y, z) /
						     probability(m, y + 3, z))));
	CHECK_REL(worst, 0.7, 1e-12);
	sotto_truncated_free(m);
}

static void draws_follow_the_law(void)
{
	enum { RUNS = 300000 };
	struct sotto_truncated *m = truncated("1", 1, 0, 4);
	struct sotto_rng *rng = stream_open(31);
	long count[5] = {0};

	for (int r = 0; r < RUNS; r++) {
		struct sotto_noisy out;

		CHECK_INT(sotto_truncated_publish(m, rng, sotto_exact_of(1), &out), SOTTO_OK);
		REQUIRE(out.value >= 0 && out.value <= 4);
		count[out.value]++;
	}
	for (int64_t z = 0; z <= 4; z++) {
		double p = probability(m, 1, z);

		CHECK(fabs((double)count[z] - RUNS * p) < 6.5 * sqrt(RUNS * p * (1 - p)));
	}
	stream_close(rng);
	sotto_truncated_free(m);
}

static void bad_ranges_are_refused(void)
{
	struct sotto_rational one = rational_of("1"), zero = rational_of("0"), p;
	struct sotto_truncated *m = NULL;
	struct sotto_error err;

	sotto_rational_init(&p);
	CHECK_INT(sotto_truncated_new(&one, 1, (struct sotto_range){1, 0}, &m, &err),
		  SOTTO_EINVAL);
	CHECK_INT(sotto_truncated_new(&one, 0, (struct sotto_range){0, 1}, &m, &err),
		  SOTTO_EINVAL);
	CHECK_INT(sotto_truncated_new(&zero, 1, (struct sotto_range){0, 1}, &m, &err),
		  SOTTO_EINVAL);
	CHECK_INT(sotto_truncated_new(&one, INT64_MAX, (struct sotto_range){0, 1}, &m, &err),
		  SOTTO_ERANGE);
	m = truncated("1", 1, 0, 3);
	CHECK_INT(sotto_truncated_probability_down(m, 1, 4, 64, &p), SOTTO_EINVAL);
	CHECK_INT(sotto_truncated_probability_down(m, 1, 2, 5000, &p), SOTTO_ERANGE);
	CHECK_INT(sotto_truncated_probability_down(m, INT64_MIN, 2, 64, &p), SOTTO_OK);
	sotto_truncated_free(m);
	sotto_rational_release(&one);
	sotto_rational_release(&zero);
	sotto_rational_release(&p);
}

/* ---- staircase ---- */

static struct sotto_staircase *
staircase(const char *epsilon, int64_t sensitivity, int64_t tread)
{
	struct sotto_rational e = rational_of(epsilon);
	struct sotto_staircase *m = NULL;

	CHECK_INT(sotto_staircase_new(&e, sensitivity, tread, &m, NULL), SOTTO_OK);
	sotto_rational_release(&e);
	return m;
}

/* The definition, normalised by adding up far enough. */
static double stair_law(double epsilon, int64_t d, int64_t r, int64_t z)
{
	double total = 0;

	for (int64_t i = -200 * d; i <= 200 * d; i++)
		total += exp(-epsilon * (double)((llabs(i) + d - r) / d));
	return exp(-epsilon * (double)((llabs(z) + d - r) / d)) / total;
}

/* E|Z| is the sum of P[|Z| > k]. */
static double mean_error_of(const struct sotto_staircase *m)
{
	double sum = 0, tail = 1;

	for (int64_t k = 0; tail > 1e-18; k++)
		sum += tail = sotto_staircase_tail(m, k);
	return sum;
}

static void staircase_draws_follow_the_definition(void)
{
	enum { RUNS = 400000, REACH = 12 };
	static const struct {
		const char *epsilon;
		int64_t d, r;
	} cases[] = {{"1", 5, 2}, {"0.5", 3, 3}, {"2", 4, 1}, {"1", 1, 1}};

	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		struct sotto_staircase *m = staircase(cases[c].epsilon, cases[c].d, cases[c].r);
		struct sotto_rational e = rational_of(cases[c].epsilon);
		struct sotto_rng *rng = stream_open(41 + c);
		long count[2 * REACH + 1] = {0};
		double mean = 0, square = 0;

		for (int run = 0; run < RUNS; run++) {
			struct sotto_noisy out;

			CHECK_INT(sotto_staircase_publish(m, rng, sotto_exact_of(0), &out),
				  SOTTO_OK);
			if (llabs(out.value) <= REACH)
				count[out.value + REACH]++;
			mean += fabs((double)out.value) / RUNS;
			square += (double)out.value * (double)out.value / RUNS;
		}
		for (int64_t z = -REACH; z <= REACH; z++) {
			double p = stair_law(rational_double(&e), cases[c].d, cases[c].r, z);

			CHECK(fabs((double)count[z + REACH] - RUNS * p) <
			      6.5 * sqrt(RUNS * p * (1 - p)));
		}
		CHECK_REL(mean, mean_error_of(m), 0.02);
		CHECK_REL(sqrt(square), sotto_staircase_deviation(m), 0.03);
		stream_close(rng);
		sotto_rational_release(&e);
		sotto_staircase_free(m);
	}
}

static void the_best_tread_is_the_best_of_all(void)
{
	static const char *const epsilons[] = {"0.1", "1", "3", "8"};

	for (size_t e = 0; e < 4; e++)
		for (int64_t d = 1; d <= 60; d += 7) {
			struct sotto_staircase *best = staircase(epsilons[e], d, 0);

			for (int64_t r = 1; r <= d; r++) {
				struct sotto_staircase *m = staircase(epsilons[e], d, r);

				CHECK(mean_error_of(best) <= mean_error_of(m) * (1 + 1e-12));
				sotto_staircase_free(m);
			}
			sotto_staircase_free(best);
		}
}

static void staircase_beats_laplace_at_large_epsilon(void)
{
	struct sotto_staircase *m = staircase("8", 1000, 0);
	double laplace = 1 / sinh(8.0 / 1000);

	CHECK(mean_error_of(m) < 0.2 * laplace);
	sotto_staircase_free(m);
}

static void staircase_tails_agree_with_the_definition(void)
{
	struct sotto_staircase *m = staircase("1", 5, 2);

	for (int64_t t = -1; t <= 40; t++) {
		double want = 1;

		for (int64_t z = -t; z <= t; z++)
			want -= stair_law(1, 5, 2, z);
		CHECK_REL(sotto_staircase_tail(m, t), want, 1e-9);
	}
	for (double beta = 0.9; beta > 1e-6; beta *= 0.7) {
		int64_t error;

		CHECK_INT(sotto_staircase_error(m, beta, &error), SOTTO_OK);
		CHECK(sotto_staircase_tail(m, error) <= beta);
		CHECK(sotto_staircase_tail(m, error - 1) > beta);
	}
	for (int i = 0; i < 4; i++) {
		int64_t error = 77;

		CHECK_INT(sotto_staircase_error(m, (const double[]){-1, 0, 1, 2}[i], &error),
			  SOTTO_EINVAL);
		CHECK_INT(error, 77);
	}
	sotto_staircase_free(m);
}

static void a_shift_by_the_sensitivity_costs_exactly_epsilon(void)
{
	double worst = 0;

	for (int64_t shift = 1; shift <= 5; shift++)
		for (int64_t z = -60; z <= 60; z++)
			worst = fmax(worst, fabs(log(stair_law(1, 5, 2, z) /
						     stair_law(1, 5, 2, z + shift))));
	CHECK_REL(worst, 1, 1e-9);
}

static void bad_staircases_are_refused(void)
{
	struct sotto_rational one = rational_of("1"), huge = rational_of("5000");
	struct sotto_staircase *m = NULL;

	CHECK_INT(sotto_staircase_new(&one, 0, 0, &m, NULL), SOTTO_EINVAL);
	CHECK_INT(sotto_staircase_new(&one, 3, 4, &m, NULL), SOTTO_EINVAL);
	CHECK_INT(sotto_staircase_new(&one, 3, -1, &m, NULL), SOTTO_EINVAL);
	CHECK_INT(sotto_staircase_new(&huge, 3, 1, &m, NULL), SOTTO_ERANGE);
	CHECK_INT(sotto_staircase_new(&one, INT64_MAX, 1, &m, NULL), SOTTO_ERANGE);
	sotto_rational_release(&one);
	sotto_rational_release(&huge);
}

static void staircase_values_are_held_at_the_ends_after_the_noise(void)
{
	struct sotto_staircase *m = staircase("1/1000", INT64_C(1) << 62, 0);
	struct sotto_rng *rng = stream_open(51);
	int ends = 0;

	for (int i = 0; i < 100; i++) {
		struct sotto_noisy out;

		CHECK_INT(sotto_staircase_publish(m, rng, sotto_exact_of(INT64_MAX - 1), &out),
			  SOTTO_OK);
		ends += out.value == INT64_MAX || out.value == INT64_MIN;
	}
	CHECK(ends > 90);
	stream_close(rng);
	sotto_staircase_free(m);
}

int main(void)
{
	RUN(probabilities_are_those_of_the_formula);
	RUN(a_row_adds_up_to_one);
	RUN(neighbours_differ_by_exactly_epsilon);
	RUN(draws_follow_the_law);
	RUN(bad_ranges_are_refused);
	RUN(staircase_draws_follow_the_definition);
	RUN(the_best_tread_is_the_best_of_all);
	RUN(staircase_beats_laplace_at_large_epsilon);
	RUN(staircase_tails_agree_with_the_definition);
	RUN(a_shift_by_the_sensitivity_costs_exactly_epsilon);
	RUN(bad_staircases_are_refused);
	RUN(staircase_values_are_held_at_the_ends_after_the_noise);
	return tap_done();
}
