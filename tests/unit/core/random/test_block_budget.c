/* The list of ties is long enough: the bound of planes_block.md, for every block there is. */
#include <mpfr.h>

#include "core/random/laplace/sampler_block.h"
#include "testlib/sampler/replay.h"
#include "testlib/tap.h"

enum { PRECISION = 128, CLAIM = 123 };

static unsigned long budget_of(unsigned long heads, unsigned long spare)
{
	return 2 * ((heads + 255) / 256) + spare;
}

/* out = log(n!), rounded the given way */
static void log_factorial(mpfr_t out, unsigned long n, mpfr_rnd_t rnd)
{
	mpfr_set_ui(out, n + 1, MPFR_RNDN);
	mpfr_lngamma(out, out, rnd);
}

/* sum += sign * n * log(x), from above */
static void add_log_up(mpfr_t sum, long n, unsigned long x, mpfr_t spare)
{
	mpfr_set_ui(spare, x, MPFR_RNDN);
	mpfr_log(spare, spare, n > 0 ? MPFR_RNDU : MPFR_RNDD);
	mpfr_mul_si(spare, spare, n, MPFR_RNDU);
	mpfr_add(sum, sum, spare, MPFR_RNDU);
}

/*
 * An upper bound of log2 P[Bin(n, 1/256) >= m].  The first term is
 *	n! / (m! (n-m)!) 255^(n-m) 256^-n,
 * and each further one is less than q = (n-m) / (255 (m+1)) of the one before, so
 * that all of them are at most 1/(1-q) times the first.
 */
static double log2_tail_up(unsigned long n, unsigned long m)
{
	unsigned long top = 255 * (m + 1);
	mpfr_t sum, spare;
	double bound;

	mpfr_inits2(PRECISION, sum, spare, NULL);
	log_factorial(sum, n, MPFR_RNDU);
	log_factorial(spare, m, MPFR_RNDD);
	mpfr_sub(sum, sum, spare, MPFR_RNDU);
	log_factorial(spare, n - m, MPFR_RNDD);
	mpfr_sub(sum, sum, spare, MPFR_RNDU);
	add_log_up(sum, (long)(n - m), 255, spare);
	add_log_up(sum, -(long)n, 256, spare);
	/* 1/(1-q) = top / (top - (n-m)) */
	add_log_up(sum, 1, top, spare);
	add_log_up(sum, -1, top - (n - m), spare);
	mpfr_const_log2(spare, MPFR_RNDU); /* sum is negative: divide by more */
	mpfr_div(sum, sum, spare, MPFR_RNDU);
	bound = mpfr_get_d(sum, MPFR_RNDU);
	mpfr_clears(sum, spare, NULL);
	return bound;
}

/* The worst block with so many words to spare over twice the mean. */
static double worst_block(unsigned long spare_words, unsigned long *worst_heads)
{
	double worst = -INFINITY;

	for (unsigned long heads = SOTTO_BLOCK_GROUP;
	     heads <= (unsigned long)SOTTO_BLOCK_LANES * SOTTO_PLANES_MAX;
	     heads += SOTTO_BLOCK_GROUP) {
		unsigned long m = budget_of(heads, spare_words) + 1;
		double bound = m <= heads ? log2_tail_up(heads, m) : -INFINITY;

		if (bound > worst) {
			worst = bound;
			*worst_heads = heads;
		}
	}
	return worst;
}

static void more_ties_than_the_budget_have_probability_below_2_to_the_minus_123(void)
{
	unsigned long heads = 0;
	double worst = worst_block(64, &heads);

	tap_note("worst: %lu heads, 2^%.3f", heads, worst);
	CHECK(worst < -CLAIM);
	CHECK(worst > -CLAIM - 1);
}

static void fewer_words_to_spare_would_not_do(void)
{
	unsigned long heads = 0;

	CHECK(worst_block(63, &heads) > -CLAIM);
	CHECK(worst_block(0, &heads) > -20);
}

/* The product's budget is the one of the bound: what is left of its bytes after the heads. */
static void the_product_reads_that_many_words(void)
{
	static const char *const scales[] = {"1024", "1", "1/1000", "1/1125899906842624"};

	for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
		struct sotto_rational eps;
		struct sotto_planes p;

		sotto_rational_init(&eps);
		CHECK_INT(sotto_rational_parse(&eps, scales[i], NULL), SOTTO_OK);
		CHECK_INT(sotto_planes_init(&p, &eps, true), SOTTO_OK);
		for (unsigned long n = 64; n <= 4096; n += 64)
			CHECK_INT(replay_plain_bytes(&p, n),
				  n * p.count + 8 * budget_of(n * p.count, 64));
		sotto_planes_release(&p);
		sotto_rational_release(&eps);
	}
}

int main(void)
{
	RUN(more_ties_than_the_budget_have_probability_below_2_to_the_minus_123);
	RUN(fewer_words_to_spare_would_not_do);
	RUN(the_product_reads_that_many_words);
	return tap_done();
}
