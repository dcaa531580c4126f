/* The Laplace mechanism: exact noise added once, held after the noise, stated honestly. */
#include "sotto/noise.h"

#include <mpfr.h>
#include <stdlib.h>

#include "core/random/laplace/dlaplace.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

static struct sotto_rational r, s;

static void set(struct sotto_rational *q, int64_t num, int64_t den)
{
	CHECK_INT(sotto_rational_set_ratio(q, num, den), SOTTO_OK);
}

static struct sotto_laplace *make(int64_t num, int64_t den, int64_t sensitivity)
{
	struct sotto_laplace *m = NULL;

	set(&r, num, den);
	CHECK_INT(sotto_laplace_new(&r, sensitivity, &m), SOTTO_OK);
	return m;
}

/* The same generator state gives the same noise to the sampler and to the mechanism. */
static void what_is_published_is_the_value_plus_one_draw(void)
{
	struct sotto_laplace *m = make(3, 2, 7);
	struct sotto_rng *a = stream_open(1), *b = stream_open(1);
	struct sotto_dlaplace *law = NULL;
	struct sotto_noisy out;
	int64_t noise;

	set(&s, 3, 14);
	REQUIRE(sotto_dlaplace_new(&s, &law) == SOTTO_OK);
	for (int i = 0; i < 1000; i++) {
		REQUIRE(sotto_laplace_publish(m, a, sotto_exact_of(i), &out) == SOTTO_OK);
		REQUIRE(sotto_dlaplace_draw(law, b, &noise) == SOTTO_OK);
		CHECK(out.value == i + noise);
	}
	sotto_dlaplace_free(law);
	sotto_laplace_free(m);
	stream_close(a);
	stream_close(b);
}

static void a_vector_gets_independent_noise_per_value(void)
{
	enum { N = 10000 };
	struct sotto_exact *x = calloc(N, sizeof *x);
	struct sotto_noisy *out = calloc(N, sizeof *out);
	struct sotto_laplace *m = make(1, 1, 1);
	struct sotto_rng *rng = stream_open(2);
	double sum = 0, squares = 0, products = 0;

	for (int i = 0; i < N; i++)
		x[i] = sotto_exact_of(1000 * i);
	CHECK_INT(sotto_laplace_publish_all(m, rng, x, out, N), SOTTO_OK);
	for (int i = 0; i < N; i++) {
		double z = (double)(out[i].value - x[i].secret);

		sum += z;
		squares += z * z;
		if (i)
			products += z * (double)(out[i - 1].value - x[i - 1].secret);
	}
	CHECK(fabs(sum / N) < 7 * sqrt(1.8413 / N)); /* seven standard deviations */
	CHECK(fabs(squares / N - 1.8413) < 7 * sqrt(20.0 / N));
	CHECK(fabs(products / N) < 7 * 1.8413 / sqrt(N));
	stream_close(rng);
	sotto_laplace_free(m);
	free(x);
	free(out);
}

static void sums_are_held_at_the_ends_after_the_noise(void)
{
	struct sotto_laplace *m = make(1, 100, 1);
	struct sotto_rng *a = stream_open(3), *b = stream_open(3);
	struct sotto_noisy high, low;
	int held = 0;

	for (int i = 0; i < 500; i++) {
		REQUIRE(sotto_laplace_publish(m, a, sotto_exact_of(INT64_MAX - 1), &high) ==
			SOTTO_OK);
		REQUIRE(sotto_laplace_publish(m, b, sotto_exact_of(INT64_MIN + 1), &low) ==
			SOTTO_OK);
		CHECK(high.value > INT64_MAX / 2 && low.value < INT64_MIN / 2);
		held += high.value == INT64_MAX;
	}
	CHECK(held > 100 && held < 400);
	stream_close(a);
	stream_close(b);
	sotto_laplace_free(m);
}

static void without_randomness_nothing_is_answered(void)
{
	struct sotto_exact x[100] = {{7}};
	struct sotto_noisy out[100], one = {42};
	struct sotto_laplace *m = make(1, 1000, 1);
	struct tape *t = tape_open("", 0, 0);

	memset(out, 1, sizeof out);
	CHECK_INT(sotto_laplace_publish(m, &t->rng, x[0], &one), SOTTO_EENTROPY);
	CHECK_INT(one.value, 42);
	CHECK_INT(sotto_laplace_publish_all(m, &t->rng, x, out, 100), SOTTO_EENTROPY);
	for (int i = 0; i < 100; i++)
		CHECK_INT(out[i].value, 0);
	tape_close(t);
	sotto_laplace_free(m);
}

static void bad_parameters_are_refused(void)
{
	struct sotto_laplace *m = NULL;

	set(&r, 0, 1);
	CHECK_INT(sotto_laplace_new(&r, 1, &m), SOTTO_EINVAL);
	CHECK_INT(sotto_laplace_new_scale(&r, &m), SOTTO_EINVAL);
	set(&r, -1, 1);
	CHECK_INT(sotto_laplace_new(&r, 1, &m), SOTTO_EINVAL);
	set(&r, 1, 1);
	CHECK_INT(sotto_laplace_new(&r, 0, &m), SOTTO_EINVAL);
	CHECK_INT(sotto_laplace_new(&r, -5, &m), SOTTO_EINVAL);
	CHECK_INT(sotto_laplace_new(&r, (INT64_C(1) << 50) + 1, &m), SOTTO_ERANGE);
	set(&r, 1025, 1);
	CHECK_INT(sotto_laplace_new(&r, 1, &m), SOTTO_ERANGE);
	CHECK(m == NULL);
}

static void the_cost_is_exact(void)
{
	struct sotto_laplace *m = make(1, 3, 7);

	CHECK_INT(sotto_laplace_epsilon(m, 7, &s), SOTTO_OK);
	CHECK(mpq_cmp_si(s.q, 1, 3) == 0);
	CHECK_INT(sotto_laplace_epsilon(m, 1, &s), SOTTO_OK);
	CHECK(mpq_cmp_si(s.q, 1, 21) == 0);
	CHECK_INT(sotto_laplace_epsilon(m, 0, &s), SOTTO_EINVAL);
	sotto_laplace_free(m);
	set(&r, 21, 1);
	REQUIRE(sotto_laplace_new_scale(&r, &m) == SOTTO_OK);
	CHECK_INT(sotto_laplace_epsilon(m, 7, &s), SOTTO_OK);
	CHECK(mpq_cmp_si(s.q, 1, 3) == 0);
	sotto_laplace_free(m);
}

/* n 2 a^(t+1) / (1+a), the chance that one of n errors is beyond t */
static double union_tail(double e, double n, double t)
{
	return n * 2 * exp(-e * (t + 1)) / (1 + exp(-e));
}

static void the_error_bound_is_the_least_one(void)
{
	static const double cases[][3] = {{1, 1, 0.05},     {1, 10000, 0.05}, {0.1, 1, 0.5},
					  {0.001, 3, 0.01}, {8, 1, 0.05},     {20, 1, 0.5}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double e = cases[i][0], n = cases[i][1], beta = cases[i][2];
		struct sotto_laplace *m = NULL;
		int64_t error = -1;

		CHECK_INT(sotto_rational_set_double(&r, e), SOTTO_OK);
		CHECK_INT(sotto_rational_set_double(&s, beta), SOTTO_OK);
		REQUIRE(sotto_laplace_new(&r, 1, &m) == SOTTO_OK);
		CHECK_INT(sotto_laplace_error_up(m, (size_t)n, &s, &error), SOTTO_OK);
		CHECK(union_tail(e, n, (double)error) <= beta * (1 + 1e-12));
		if (error > 0)
			CHECK(union_tail(e, n, (double)error - 1) > beta);
		sotto_laplace_free(m);
	}
}

static void the_epsilon_for_an_error_is_the_least_one(void)
{
	static const double cases[][3] = {{1, 0, 0.05},    {1, 3, 0.05},   {10000, 12, 0.05},
					  {1, 1000, 0.01}, {7, 1e15, 0.5}, {1, 40, 0.999}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double n = cases[i][0], error = cases[i][1], beta = cases[i][2], e;

		CHECK_INT(sotto_rational_set_double(&s, beta), SOTTO_OK);
		CHECK_INT(sotto_laplace_calibrate_error_up((size_t)n, &s, (int64_t)error, &r),
			  SOTTO_OK);
		e = mpq_get_d(r.q);
		CHECK(union_tail(e, n, error) <= beta * (1 + 1e-12));
		CHECK(union_tail(e * (1 - 1e-9), n, error) > beta || e <= 0x1p-50);
	}
	CHECK_INT(sotto_laplace_calibrate_error_up(1, &s, -1, &r), SOTTO_EINVAL);
	CHECK_INT(sotto_laplace_calibrate_error_up(0, &s, 1, &r), SOTTO_EINVAL);
}

static void the_figures_are_those_of_the_law(void)
{
	struct sotto_laplace *m = make(1, 1, 1);
	int64_t error;

	CHECK_REL(sotto_laplace_deviation_up(m), sqrt(1.84134718841558), 1e-13);
	set(&s, 1, 20);
	CHECK_INT(sotto_laplace_error_up(m, 10000, &s, &error), SOTTO_OK);
	CHECK_INT(error, 12); /* 10 000 names: ln(10000/0.05) = 12.206 */
	CHECK_INT(sotto_laplace_error_up(m, 0, &s, &error), SOTTO_EINVAL);
	set(&s, 1, 1);
	CHECK_INT(sotto_laplace_error_up(m, 1, &s, &error), SOTTO_EINVAL);
	sotto_laplace_free(m);
	m = make(1, 1000, 1);
	CHECK_REL(sotto_laplace_deviation_up(m), sqrt(1999999.83333334), 1e-13);
	sotto_laplace_free(m);
}

int main(void)
{
	sotto_rational_init(&r);
	sotto_rational_init(&s);
	RUN(what_is_published_is_the_value_plus_one_draw);
	RUN(a_vector_gets_independent_noise_per_value);
	RUN(sums_are_held_at_the_ends_after_the_noise);
	RUN(without_randomness_nothing_is_answered);
	RUN(bad_parameters_are_refused);
	RUN(the_cost_is_exact);
	RUN(the_error_bound_is_the_least_one);
	RUN(the_epsilon_for_an_error_is_the_least_one);
	RUN(the_figures_are_those_of_the_law);
	sotto_rational_release(&r);
	sotto_rational_release(&s);
	return tap_done();
}
