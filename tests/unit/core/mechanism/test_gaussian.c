/* The Gaussian mechanism: exact noise added once, held after the noise, stated honestly. */
#include "sotto/noise.h"

#include <stdlib.h>

#include "core/random/gaussian/dgauss.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

static struct sotto_rational r;

static struct sotto_gaussian *make(int64_t num, int64_t den)
{
	struct sotto_gaussian *m = NULL;

	CHECK_INT(sotto_rational_set_ratio(&r, num, den), SOTTO_OK);
	CHECK_INT(sotto_gaussian_new(&r, &m), SOTTO_OK);
	return m;
}

/* The same generator state gives the same noise to the sampler and to the mechanism. */
static void what_is_published_is_the_value_plus_one_draw(void)
{
	struct sotto_gaussian *m = make(100, 3);
	struct sotto_rng *a = stream_open(1), *b = stream_open(1);
	struct sotto_dgauss *law = NULL;
	struct sotto_noisy out;
	int64_t noise;

	REQUIRE(sotto_dgauss_new(&r, &law) == SOTTO_OK);
	for (int i = 0; i < 1000; i++) {
		REQUIRE(sotto_gaussian_publish(m, a, sotto_exact_of(i), &out) == SOTTO_OK);
		REQUIRE(sotto_dgauss_draw(law, b, &noise) == SOTTO_OK);
		CHECK(out.value == i + noise);
	}
	sotto_dgauss_free(law);
	sotto_gaussian_free(m);
	stream_close(a);
	stream_close(b);
}

static void a_vector_gets_independent_noise_per_value(void)
{
	enum { N = 10000 };
	struct sotto_exact *x = calloc(N, sizeof *x);
	struct sotto_noisy *out = calloc(N, sizeof *out);
	struct sotto_gaussian *m = make(25, 1);
	struct sotto_rng *rng = stream_open(2);
	double sum = 0, squares = 0, products = 0;

	for (int i = 0; i < N; i++)
		x[i] = sotto_exact_of(1000 * i);
	CHECK_INT(sotto_gaussian_publish_all(m, rng, x, out, N), SOTTO_OK);
	for (int i = 0; i < N; i++) {
		double z = (double)(out[i].value - x[i].secret);

		sum += z;
		squares += z * z;
		if (i)
			products += z * (double)(out[i - 1].value - x[i - 1].secret);
	}
	CHECK(fabs(sum / N) < 7 * 5 / sqrt(N)); /* seven standard deviations */
	CHECK(fabs(squares / N - 25) < 7 * 25 * sqrt(2.0 / N));
	CHECK(fabs(products / N) < 7 * 25 / sqrt(N));
	stream_close(rng);
	sotto_gaussian_free(m);
	free(x);
	free(out);
}

static void sums_are_held_at_the_ends_after_the_noise(void)
{
	struct sotto_gaussian *m = make(10000, 1);
	struct sotto_rng *rng = stream_open(3);
	struct sotto_noisy out;
	int held = 0;

	for (int i = 0; i < 500; i++) {
		REQUIRE(sotto_gaussian_publish(m, rng, sotto_exact_of(INT64_MAX - 1), &out) ==
			SOTTO_OK);
		CHECK(out.value > INT64_MAX / 2);
		held += out.value == INT64_MAX;
	}
	CHECK(held > 100 && held < 400);
	stream_close(rng);
	sotto_gaussian_free(m);
}

static void without_randomness_nothing_is_answered(void)
{
	struct sotto_exact x[100] = {{7}};
	struct sotto_noisy out[100], one = {42};
	struct sotto_gaussian *m = make(100, 1);
	struct tape *t = tape_open("", 0, 0);

	memset(out, 1, sizeof out);
	CHECK_INT(sotto_gaussian_publish(m, &t->rng, x[0], &one), SOTTO_EENTROPY);
	CHECK_INT(one.value, 42);
	CHECK_INT(sotto_gaussian_publish_all(m, &t->rng, x, out, 100), SOTTO_EENTROPY);
	for (int i = 0; i < 100; i++)
		CHECK_INT(out[i].value, 0);
	tape_close(t);
	sotto_gaussian_free(m);
}

static void a_sigma_outside_the_range_is_refused(void)
{
	struct sotto_gaussian *m = NULL;

	CHECK_INT(sotto_rational_set_ratio(&r, 1, 1 << 21), SOTTO_OK);
	CHECK_INT(sotto_gaussian_new(&r, &m), SOTTO_ERANGE);
	CHECK_INT(sotto_rational_set_ratio(&r, 0, 1), SOTTO_OK);
	CHECK_INT(sotto_gaussian_new(&r, &m), SOTTO_ERANGE);
	CHECK(m == NULL);
}

/* n P(|X| > t), summed up */
static double union_tail(double s, double n, long t)
{
	double total = 1, tail = 0;

	for (long y = 1; y < 60 * (long)(sqrt(s) + 1); y++) {
		double mass = 2 * exp(-(double)y * (double)y / (2 * s));

		total += mass;
		tail += y > t ? mass : 0;
	}
	return n * tail / total;
}

static void check_error(struct sotto_gaussian *m, long sigma2, long n, long one_in)
{
	double beta = 1 / (double)one_in;
	int64_t error = -1;

	CHECK_INT(sotto_rational_set_ratio(&r, 1, one_in), SOTTO_OK);
	CHECK_INT(sotto_gaussian_error_up(m, (size_t)n, &r, &error), SOTTO_OK);
	(void)tap_check(union_tail((double)sigma2, (double)n, error) <= beta * (1 + 1e-12) &&
				union_tail((double)sigma2, (double)n, error - 1) > beta,
			__FILE__, __LINE__, "%ld %ld %ld: %ld", sigma2, n, one_in, (long)error);
}

static void the_error_bound_is_the_least_one(void)
{
	static const long numbers[] = {1, 3, 1000}, one_in[] = {2, 20, 40, 80, 1000000};
	int64_t error;

	for (long sigma2 = 1; sigma2 < 100000; sigma2 += 1 + sigma2 / 9) {
		struct sotto_gaussian *m = make(sigma2, 1);

		for (size_t i = 0; i < 15; i++)
			check_error(m, sigma2, numbers[i / 5], one_in[i % 5]);
		CHECK_INT(sotto_gaussian_error_up(m, 0, &r, &error), SOTTO_EINVAL);
		sotto_gaussian_free(m);
	}
}

int main(void)
{
	sotto_rational_init(&r);
	RUN(what_is_published_is_the_value_plus_one_draw);
	RUN(a_vector_gets_independent_noise_per_value);
	RUN(sums_are_held_at_the_ends_after_the_noise);
	RUN(without_randomness_nothing_is_answered);
	RUN(a_sigma_outside_the_range_is_refused);
	RUN(the_error_bound_is_the_least_one);
	sotto_rational_release(&r);
	return tap_done();
}
