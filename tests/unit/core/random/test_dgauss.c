/*
 * Single Gaussian draws, exactly: each candidate is accepted on a threshold of the
 * tape, and the threshold is the certified expansion.  Parameters and refusals.
 */
#include "core/random/gaussian/dgauss.h"

#include <stdlib.h>

#include "core/number/exp/expansion.h"
#include "testlib/sampler/sigmas.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

enum { MAX_WORDS = 2 * SOTTO_PLANES_MAX + 16 };

/* Words that make the planes say y. */
static size_t write_candidate(const struct sotto_dgauss *g, int64_t y, uint64_t *words)
{
	const struct sotto_planes *p = &g->planes;
	uint64_t bits = (uint64_t)(y < 0 ? ~y : y) | (uint64_t)(y < 0) << p->value_bits;

	for (unsigned k = 0; k < p->count; k++)
		words[k] = bits >> k & 1 ? 0 : UINT64_MAX;
	return p->count;
}

/* (abs(y) t d - n)^2 / (2 n d t^2), as Canonne, Kamath and Steinke write it */
static void exponent(const struct sotto_dgauss *g, int64_t y, mpq_t x)
{
	mpz_ptr num = mpq_numref(x), den = mpq_denref(x);
	mpz_srcptr n = mpq_numref(g->sigma2), d = mpq_denref(g->sigma2);

	mpz_set_si(num, y);
	mpz_abs(num, num);
	mpz_mul(num, num, g->t);
	mpz_mul(num, num, d);
	mpz_sub(num, num, n);
	mpz_mul(num, num, num);
	mpz_mul_ui(den, n, 2);
	mpz_mul(den, den, d);
	mpz_mul(den, den, g->t);
	mpz_mul(den, den, g->t);
	mpq_canonicalize(x);
}

struct drawn {
	enum sotto_status status;
	int64_t out;
	size_t words;
};

/* y as the candidate, `digits` for its coin; then 0, accepted if y was not. */
static struct drawn
draw_on(const struct sotto_dgauss *g, int64_t y, const uint64_t *digits, size_t n)
{
	uint64_t words[MAX_WORDS];
	size_t at = write_candidate(g, y, words);
	struct drawn d = {.out = 12345};
	struct tape *t;

	memcpy(words + at, digits, n * sizeof digits[0]);
	at += n;
	at += write_candidate(g, 0, words + at);
	words[at++] = 0;
	t = tape_open(words, at * sizeof words[0], 0);
	d.status = sotto_dgauss_draw(g, &t->rng, &d.out);
	d.words = tape_used(t) / 8;
	tape_close(t);
	return d;
}

/* Accepted: as many words as it took.  Rejected: a second candidate and its coin. */
static unsigned wrong(const struct sotto_dgauss *g, int64_t y, const uint64_t *digits,
		      unsigned depth, bool accepted)
{
	struct drawn d = draw_on(g, y, digits, depth + 1);
	size_t words = g->planes.count + depth + 1;

	if (accepted)
		return d.status != SOTTO_OK || d.out != y || d.words != words;
	return d.status != SOTTO_OK || d.out != 0 || d.words != words + g->planes.count + 1;
}

static unsigned wrong_thresholds(const struct sotto_dgauss *g, int64_t y)
{
	enum { DEPTH = 3 };
	uint64_t w[DEPTH];
	unsigned bad = 0;
	mpq_t x;

	mpq_init(x);
	exponent(g, y, x);
	for (unsigned i = 0; i < DEPTH && mpq_sgn(x) > 0; i++)
		w[i] = sotto_expansion_word(SOTTO_EXPANSION_EXP, x, 64 * i);
	for (unsigned depth = 0; depth < DEPTH && mpq_sgn(x) > 0; depth++) {
		uint64_t tape[DEPTH];

		memcpy(tape, w, sizeof w);
		tape[depth] = w[depth] - 1;
		if (w[depth] != 0)
			bad += wrong(g, y, tape, depth, true);
		tape[depth] = w[depth] + 1;
		if (w[depth] != UINT64_MAX)
			bad += wrong(g, y, tape, depth, false);
	}
	if (mpq_sgn(x) == 0) {
		w[0] = UINT64_MAX;
		bad += wrong(g, y, w, 0, true);
	}
	mpq_clear(x);
	return bad;
}

static void every_candidate_has_the_certified_threshold(void)
{
	for (size_t i = 0; i < sigmas_count; i++) {
		struct sotto_dgauss *g = law_of(sigmas[i]);
		int64_t t = (int64_t)mpz_get_ui(g->t), end = INT64_C(1) << g->planes.value_bits;
		unsigned bad = 0;

		for (int64_t y = 0; y < 40 && y < end; y++)
			bad += wrong_thresholds(g, y) + wrong_thresholds(g, ~y);
		for (int64_t k = 1; k < 45; k++)
			bad += wrong_thresholds(g, k * t) + wrong_thresholds(g, -k * t - 1);
		CHECK_INT(bad, 0);
		sotto_dgauss_free(g);
	}
}

/* sigma2 = 2: t = 2 and x = 0 at 1, a word of ones accepts. */
static void a_certain_candidate_is_accepted_on_any_word(void)
{
	struct sotto_dgauss *g = law_of("2");
	uint64_t ones = UINT64_MAX;

	CHECK_INT(mpz_get_ui(g->t), 2);
	CHECK_INT(draw_on(g, 1, &ones, 1).out, 1);
	CHECK_INT(draw_on(g, -1, &ones, 1).out, -1);
	CHECK_INT(draw_on(g, 2, &ones, 1).out, 0);
	sotto_dgauss_free(g);
}

/* sum of P(candidate y) exp(-x(y)), from t and x as the product has them */
static double acceptance(const char *sigma2)
{
	struct sotto_dgauss *g = law_of(sigma2);
	double a = exp(-1 / mpz_get_d(g->t)), sum = 0;
	mpq_t x;

	mpq_init(x);
	for (int64_t y = -400; y <= 400; y++) {
		sotto_dgauss_exponent_exact(g->sigma2, g->t, (uint64_t)llabs(y), x);
		sum += (1 - a) / (1 + a) * pow(a, (double)llabs(y)) * exp(-mpq_get_d(x));
	}
	mpq_clear(x);
	sotto_dgauss_free(g);
	return sum;
}

static void acceptance_is_as_published(void)
{
	CHECK_REL(acceptance("1"), 0.541783, 1e-6);
	CHECK_REL(acceptance("100"), 0.753196, 1e-6);
}

static bool refused(const char *text)
{
	struct sotto_dgauss *g = NULL;
	struct sotto_rational r;
	bool refusal;

	sotto_rational_init(&r);
	CHECK_INT(sotto_rational_parse(&r, text, NULL), SOTTO_OK);
	refusal = sotto_dgauss_new(&r, &g) == SOTTO_ERANGE && g == NULL;
	sotto_dgauss_free(g);
	sotto_rational_release(&r);
	return refusal;
}

static void sigmas_outside_the_range_are_refused(void)
{
	CHECK(refused("0"));
	CHECK(refused("-1"));
	CHECK(refused("1/1048577"));
	CHECK(refused("79228162514264337593543950337"));
	CHECK(refused("1e500"));
	CHECK(refused("1e-500"));
	CHECK(!refused("1/1048576"));
	CHECK(!refused("79228162514264337593543950336"));
}

static void failing_entropy_leaves_a_single_output_alone(void)
{
	struct sotto_dgauss *g = law_of("355/113");
	uint64_t words[MAX_WORDS];
	size_t n = write_candidate(g, 3, words), bad = 0;

	words[n++] = 0;
	for (size_t length = 0; length < 8 * n; length++) {
		struct tape *t = tape_open(words, length, length % 2 ? 5 : 0);
		int64_t out = 12345;

		bad += sotto_dgauss_draw(g, &t->rng, &out) != SOTTO_EENTROPY || out != 12345;
		tape_close(t);
	}
	CHECK_INT(bad, 0);
	sotto_dgauss_free(g);
}

static void a_fill_of_few_is_as_many_single_draws(void)
{
	struct sotto_dgauss *g = law_of("1000000");

	for (size_t n = 0; n < 5; n++) {
		struct tape *a = tape_open_random(n, 65536, 0),
			    *b = tape_open_random(n, 65536, 0);
		int64_t many[5] = {0}, one;

		CHECK_INT(sotto_dgauss_fill(g, &a->rng, many, n), SOTTO_OK);
		for (size_t i = 0; i < n; i++) {
			CHECK_INT(sotto_dgauss_draw(g, &b->rng, &one), SOTTO_OK);
			CHECK_INT(many[i], one);
		}
		CHECK_INT(tape_used(a), tape_used(b));
		tape_close(a);
		tape_close(b);
	}
	sotto_dgauss_free(g);
}

int main(void)
{
	RUN(every_candidate_has_the_certified_threshold);
	RUN(a_certain_candidate_is_accepted_on_any_word);
	RUN(acceptance_is_as_published);
	RUN(sigmas_outside_the_range_are_refused);
	RUN(failing_entropy_leaves_a_single_output_alone);
	RUN(a_fill_of_few_is_as_many_single_draws);
	return tap_done();
}
