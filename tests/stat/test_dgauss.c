/* Bulk and single Gaussian draws against the law, and against an independent sampler. */
#include <stdlib.h>

#include "testlib/sampler/cks20.h"
#include "testlib/sampler/gauss_sample.h"
#include "testlib/sampler/sigmas.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

static double draws(double in_short)
{
	return getenv("SOTTO_LONG") ? 10 * in_short : in_short;
}

typedef enum sotto_status (*fill_function)(const struct sotto_dgauss *g, struct sotto_rng *rng,
					   int64_t *out, size_t n);

static enum sotto_status
fill_singly(const struct sotto_dgauss *g, struct sotto_rng *rng, int64_t *out, size_t n)
{
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; i < n && st == SOTTO_OK; i++)
		st = sotto_dgauss_draw(g, rng, &out[i]);
	return st;
}

/* n draws from g, seen as draws from the law of sigma2. */
static struct gauss_sample *sample(const struct sotto_dgauss *g, const mpq_t sigma2,
				   fill_function fill, uint64_t seed, double n)
{
	static int64_t y[4 * GAUSS_BLOCK];
	struct gauss_sample *s = gauss_sample_new(sigma2);
	struct sotto_rng *rng = stream_open(seed);

	while ((double)s->n < n) {
		if (fill(g, rng, y, 4 * GAUSS_BLOCK) != SOTTO_OK)
			abort();
		for (int i = 0; i < 4; i++)
			gauss_sample_add(s, y + i * GAUSS_BLOCK);
	}
	stream_close(rng);
	return s;
}

static struct verdict judge(const struct sotto_dgauss *g, const mpq_t sigma2,
			    fill_function fill, uint64_t seed, double n)
{
	struct gauss_sample *s = sample(g, sigma2, fill, seed, n);
	struct verdict v;

	verdict_init(&v);
	gauss_sample_judge(s, &v);
	free(s);
	return v;
}

static void check_law(const char *sigma2, fill_function fill, uint64_t seed, double n)
{
	struct sotto_dgauss *g = law_of(sigma2);
	struct verdict v = judge(g, g->sigma2, fill, seed, n);

	(void)tap_check(verdict_is_clean(&v), __FILE__, __LINE__,
			"sigma2 %s: %u of %u answers are faults, worst %s (log p %.1f)", sigma2,
			v.faults, v.answers, v.worst_name, v.worst);
	tap_note("sigma2 %s: %u answers, worst %s (log p %.1f)", sigma2, v.answers,
		 v.worst_name, v.worst);
	sotto_dgauss_free(g);
}

static const char *const laws[] = {"0.09",          "1",     "25",
				   "355/113",       "10000", "1048577/3",
				   "1099511627776", "1e24",  "79228162514264337593543950336"};
enum { LAWS = sizeof laws / sizeof laws[0] };

static void bulk_draws_have_the_law(void)
{
	for (size_t i = 0; i < LAWS; i++)
		check_law(laws[i], sotto_dgauss_fill, 100 + i, draws(3e7));
}

static void single_draws_have_the_law(void)
{
	for (size_t i = 0; i < LAWS; i++)
		check_law(laws[i], fill_singly, 200 + i, draws(2e6));
}

static struct gauss_sample *
sample_oracle(uint64_t num, uint64_t den, const mpq_t sigma2, uint64_t seed, double n)
{
	static int64_t y[GAUSS_BLOCK];
	struct gauss_sample *s = gauss_sample_new(sigma2);
	struct sotto_rng *rng = stream_open(seed);

	while ((double)s->n < n) {
		for (int i = 0; i < GAUSS_BLOCK; i++)
			if (cks20_gaussian(rng, num, den, &y[i]) != SOTTO_OK)
				abort();
		gauss_sample_add(s, y);
	}
	stream_close(rng);
	return s;
}

static void product_and_oracle_draw_the_same_law(void)
{
	static const struct {
		const char *text;
		uint64_t num, den;
	} cases[] = {{"1", 1, 1}, {"355/113", 355, 113}, {"10000", 10000, 1}};
	struct verdict v;

	verdict_init(&v);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sotto_dgauss *g = law_of(cases[i].text);
		struct gauss_sample *oracle = sample_oracle(cases[i].num, cases[i].den,
							    g->sigma2, 300 + i, draws(2e6));
		struct gauss_sample *bulk =
			sample(g, g->sigma2, sotto_dgauss_fill, 310 + i, draws(2e7));

		verdict_add(&v, log_p_same_gauss(oracle, bulk), "sigma2 %s", cases[i].text);
		free(oracle);
		free(bulk);
		sotto_dgauss_free(g);
	}
	tap_note("worst %s (log p %.1f)", v.worst_name, v.worst);
	CHECK(verdict_is_clean(&v));
}

/* The same judgement of a sampler with one fault. */
static bool is_found(struct sotto_dgauss *g, const mpq_t sigma2)
{
	struct verdict v = judge(g, sigma2, sotto_dgauss_fill, 400, 4e7);

	return !verdict_is_clean(&v);
}

static void faults_are_found(void)
{
	struct sotto_dgauss *g = law_of("10000"), *other = law_of("10040");

	CHECK(is_found(other, g->sigma2)); /* sigma 0.2 % too large */
	g->cells.keep[20] ^= 16; /* a cell with 2^-11 too much */
	CHECK(is_found(g, g->sigma2));
	g->cells.keep[20] ^= 16;
	g->cells.inner[1][10] -= 16; /* candidates of one cell rejected too often */
	CHECK(is_found(g, g->sigma2));
	g->cells.inner[1][10] += 16;
	g->cells.slope_high = (uint16_t)(g->cells.slope_high * 2);
	CHECK(is_found(g, g->sigma2));
	g->cells.slope_high /= 2;
	CHECK(!is_found(g, g->sigma2));
	sotto_dgauss_free(other);
	sotto_dgauss_free(g);
}

int main(void)
{
	RUN(bulk_draws_have_the_law);
	RUN(single_draws_have_the_law);
	RUN(product_and_oracle_draw_the_same_law);
	RUN(faults_are_found);
	return tap_done();
}
