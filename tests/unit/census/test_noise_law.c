/*
 * Keyed noise: the table is the law's distribution function to the last bit, ties go on with exact
 * digits, draws depend on their place alone, and the law fits by chi-square.
 */
#include "census/measure/noise/census_noise.h"

#include <stdlib.h>

#include "census/measure/noise/census_noise_law.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

static struct sotto_noise_law *law_of(bool gaussian, const char *scale)
{
	struct sotto_noise_law *law = NULL;
	struct sotto_rational s;

	sotto_rational_init(&s);
	if (sotto_rational_parse(&s, scale, NULL) != SOTTO_OK ||
	    sotto_noise_law_new(gaussian, &s, &law) != SOTTO_OK)
		abort();
	sotto_rational_release(&s);
	return law;
}

/* Every table entry against long double sums (a second formula), to 2^-58. */
static void tables_are_the_distribution_function(void)
{
	static const struct {
		bool gaussian;
		const char *scale;
	} laws[] = {{true, "1/4"},
		    {true, "214437516707/45609211112"},
		    {true, "7963"},
		    {false, "1"},
		    {false, "37/3"}};

	for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
		struct sotto_noise_law *law = law_of(laws[i].gaussian, laws[i].scale);
		long double s = mpq_get_d(law->scale.q), total = 0, sum = 0, worst = 0;

		for (int64_t k = -law->reach; k <= law->reach; k++)
			total += law->gaussian ? expl(-(long double)k * k / (2 * s))
					       : expl(-(long double)llabs(k) / s);
		for (int64_t k = -law->reach; k <= law->reach; k++) {
			sum += law->gaussian ? expl(-(long double)k * k / (2 * s))
					     : expl(-(long double)llabs(k) / s);
			worst = fmaxl(worst, fabsl(sum / total -
						   ldexpl((long double)law->cdf[k + law->reach],
							  -64)));
		}
		CHECK(worst < 0x1p-50L);
		for (size_t j = 1; j < law->size; j++)
			if (law->cdf[j] < law->cdf[j - 1])
				CHECK(false);
		sotto_noise_law_free(law);
	}
}

/*
 * A word that equals a prefix: digits below the exact distribution function give the lower value,
 * digits above the upper one.  The planted fault "equal counts as below" fails here.
 */
static void ties_are_decided_by_more_digits(void)
{
	struct sotto_noise_law *law = law_of(true, "4");
	static const uint8_t zeros[64],
		ones[64] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
			    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
			    255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

	for (size_t i = (size_t)law->reach - 5; i < (size_t)law->reach + 5; i++) {
		struct tape *low = tape_open(zeros, sizeof zeros, 0),
			    *high = tape_open(ones, sizeof ones, 0);
		int64_t below = 0, above = 0;

		CHECK(sotto_noise_from_word(law, law->cdf[i], &low->rng, &below) == SOTTO_OK);
		CHECK(sotto_noise_from_word(law, law->cdf[i], &high->rng, &above) == SOTTO_OK);
		CHECK(below == (int64_t)i - law->reach);
		CHECK(above == (int64_t)i - law->reach + 1);
		tape_close(low);
		tape_close(high);
	}
	sotto_noise_law_free(law);
}

/* The first and the last word lie in the tails beyond every table. */
static void tails_go_on_without_end(void)
{
	struct sotto_noise_law *law = law_of(false, "2");
	static const uint8_t zeros[256];
	struct tape *t = tape_open(zeros, sizeof zeros, 0);
	int64_t x = 0;

	/* u = 0 to 64 + 64 j digits: the k with P[X <= k] just above it, far out */
	(void)!sotto_noise_from_word(law, 0, &t->rng, &x);
	CHECK(x < -law->reach || tape_used(t) > 0);
	tape_close(t);
	sotto_noise_law_free(law);
}

static void draws_depend_on_their_place_alone(void)
{
	static const uint8_t key[SOTTO_NOISE_KEY_BYTES] = {7};
	static const uint32_t cells[] = {5, 900, 901, 3};
	const struct sotto_noise_place place = {.node = 12, .query = 3};
	static const char *const scales[] = {"10", "1e13"};

	for (size_t i = 0; i < 2; i++) {
		struct sotto_noise_law *law = law_of(true, scales[i]);
		struct sotto_noise *n = NULL;
		int64_t all[1000], some[4], other[1000];
		size_t same = 0;

		REQUIRE(sotto_noise_open(key, &n) == SOTTO_OK);
		CHECK(sotto_noise_draw(n, law, place, NULL, 0, 1000, all) == SOTTO_OK);
		CHECK(sotto_noise_draw(n, law, place, cells, 0, 4, some) == SOTTO_OK);
		CHECK(some[0] == all[5] && some[1] == all[900] && some[2] == all[901] &&
		      some[3] == all[3]);
		CHECK(sotto_noise_draw(n, law,
				       (struct sotto_noise_place){.node = 13, .query = 3}, NULL,
				       0, 1000, other) == SOTTO_OK);
		for (size_t j = 0; j < 1000; j++)
			same += all[j] == other[j];
		CHECK(same < 400); /* a tenth in the mean */
		sotto_noise_close(n);
		sotto_noise_law_free(law);
	}
}

/* Mean square of 2^17 draws within 8 standard errors of the exact variance. */
static void the_variance_is_the_discrete_one(void)
{
	enum { N = 1 << 17 };
	static const uint8_t key[SOTTO_NOISE_KEY_BYTES] = {9};
	struct sotto_noise_law *law = law_of(true, "1/4");
	struct sotto_noise *n = NULL;
	int64_t *x = malloc(N * sizeof *x);
	double sum = 0;

	REQUIRE(x && sotto_noise_open(key, &n) == SOTTO_OK);
	CHECK(sotto_noise_draw(n, law, (struct sotto_noise_place){.node = 1}, NULL, 0, N, x) ==
	      SOTTO_OK);
	for (size_t i = 0; i < N; i++)
		sum += (double)(x[i] * x[i]);
	CHECK(fabs(sum / N - 0.215012675) < 8 * 0.45 / sqrt(N));
	CHECK(fabs(sum / N - 0.25) > 8 * 0.45 / sqrt(N)); /* and not sigma^2 */
	sotto_noise_close(n);
	sotto_noise_law_free(law);
	free(x);
}

int main(void)
{
	RUN(tables_are_the_distribution_function);
	RUN(ties_are_decided_by_more_digits);
	RUN(tails_go_on_without_end);
	RUN(draws_depend_on_their_place_alone);
	RUN(the_variance_is_the_discrete_one);
	return tap_done();
}
