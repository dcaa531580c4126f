/*
 * The exponential mechanism: published probabilities, every head of the random
 * number, and the digits at which a choice turns, continued to the bit.
 */
#include "core/account/cost/cost_inside.h"
#include "sotto/choose.h"

#include <stdlib.h>

#include "core/mechanism/choice/weight.h"
#include "testlib/number.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

static struct sotto_exponential *
mechanism(const char *epsilon, const char *sensitivity, bool monotone, bool least)
{
	struct sotto_rational e = rational_of(epsilon), d = rational_of(sensitivity);
	struct sotto_selection s = {&e, &d, monotone, least};
	struct sotto_exponential *m = NULL;

	CHECK_INT(sotto_exponential_new(&s, &m, NULL), SOTTO_OK);
	sotto_rational_release(&e);
	sotto_rational_release(&d);
	return m;
}

static struct sotto_rational *
law_of(const struct sotto_exponential *m, const int64_t *scores, size_t n, unsigned digits)
{
	struct sotto_rational *p = malloc(n * sizeof *p);

	for (size_t i = 0; i < n; i++)
		sotto_rational_init(&p[i]);
	CHECK_INT(sotto_exponential_probabilities_down(m, scores, n, digits, p), SOTTO_OK);
	return p;
}

static void law_free(struct sotto_rational *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sotto_rational_release(&p[i]);
	free(p);
}

static void check_law(const char *epsilon, const char *sensitivity, bool monotone, bool least,
		      const int64_t *scores, size_t n, const double *want)
{
	struct sotto_exponential *m = mechanism(epsilon, sensitivity, monotone, least);
	struct sotto_rational *p = law_of(m, scores, n, 128);

	for (size_t i = 0; i < n; i++)
		CHECK_REL(rational_double(&p[i]), want[i], 1e-11);
	law_free(p, n);
	sotto_exponential_free(m);
}

static void probabilities_are_the_published_ones(void)
{
	const double want[] = {0.546549387266, 0.331498960424, 0.12195165231};
	const double half[] = {0.546549387266, 0.331498960424, 0.12195165231};

	check_law("1", "1", false, false, (const int64_t[]){3, 2, 0}, 3, want);
	check_law("1", "1", false, true, (const int64_t[]){-3, -2, 0}, 3, want);
	check_law("0.5", "1", true, false, (const int64_t[]){3, 2, 0}, 3, half);
	check_law("2", "2", false, false, (const int64_t[]){3, 2, 0}, 3, want);
}

/* Bids 4.10, 1.00, 1.00, 1.00; revenue in cents at prices 0.1 .. 4.2, Delta = 420. */
static void the_auction_sells_at_the_published_prices(void)
{
	struct sotto_exponential *m = mechanism("1", "42", false, false);
	struct sotto_rational *p;
	int64_t revenue[42];

	for (int price = 1; price <= 42; price++)
		revenue[price - 1] = price * (price <= 10 ? 4 : price <= 41 ? 1 : 0);
	p = law_of(m, revenue, 42, 128);
	CHECK(fabs(rational_double(&p[40]) - 0.0287836825) < 5e-11);
	CHECK(fabs(rational_double(&p[9]) - 0.0284430512) < 5e-11);
	CHECK(fabs(rational_double(&p[41]) - 0.0176672635) < 5e-11);
	law_free(p, 42);
	sotto_exponential_free(m);
}

static void probabilities_add_up_and_are_lower_bounds(void)
{
	enum { N = 50 };
	struct sotto_exponential *m = mechanism("3", "7", false, false);
	struct sotto_rational *p, sum, step;
	int64_t scores[N];

	for (int i = 0; i < N; i++)
		scores[i] = i * i % 97;
	p = law_of(m, scores, N, 200);
	sotto_rational_init(&sum);
	sotto_rational_init(&step);
	for (size_t i = 0; i < N; i++)
		sotto_rational_add(&sum, &sum, &p[i]);
	CHECK(mpq_cmp_ui(sum.q, 1, 1) <= 0);
	mpq_set_ui(step.q, 2 * N, 1);
	mpq_div_2exp(step.q, step.q, 200);
	sotto_rational_add(&sum, &sum, &step);
	CHECK(mpq_cmp_ui(sum.q, 1, 1) >= 0);
	sotto_rational_release(&sum);
	sotto_rational_release(&step);
	law_free(p, N);
	sotto_exponential_free(m);
}

static size_t select_from(const struct sotto_exponential *m, const uint64_t *words,
			  size_t count, const int64_t *scores, size_t n)
{
	struct tape *t = tape_open(words, count * sizeof *words, 0);
	struct sotto_exact exact[64];
	size_t index = SIZE_MAX;

	for (size_t i = 0; i < n; i++)
		exact[i] = sotto_exact_of(scores[i]);
	if (sotto_exponential_select(m, &t->rng, exact, n, &index) != SOTTO_OK)
		index = SIZE_MAX;
	tape_close(t);
	return index;
}

/* The choice as a function of the first 16 random digits: a staircase with the law's steps. */
static void every_head_of_the_random_number_follows_the_law(void)
{
	const int64_t scores[] = {3, 2, 0, -5, 3, 1};
	struct sotto_exponential *m = mechanism("1", "1", false, false);
	struct sotto_rational *p = law_of(m, scores, 6, 128);
	long count[6] = {0};
	size_t last = 0;

	for (uint64_t head = 0; head < 1 << 16; head++) {
		const uint64_t words[] = {head << 48 | UINT64_C(1) << 47, 0};
		size_t index = select_from(m, words, 2, scores, 6);

		REQUIRE(index < 6 && index >= last);
		count[index]++;
		last = index;
	}
	for (size_t i = 0; i < 6; i++)
		CHECK(fabs((double)count[i] - 65536 * rational_double(&p[i])) <= 1);
	law_free(p, 6);
	sotto_exponential_free(m);
}

/* The first `count` words of the binary digits of q. */
static void digits_of(const mpq_t q, size_t count, uint64_t *words)
{
	mpz_t digits;

	mpz_init(digits);
	mpz_mul_2exp(digits, mpq_numref(q), 64 * count);
	mpz_fdiv_q(digits, digits, mpq_denref(q));
	for (size_t i = count; i-- > 0;) {
		words[i] = mpz_get_ui(digits);
		mpz_fdiv_q_2exp(digits, digits, 64);
	}
	mpz_clear(digits);
}

/*
 * Random digits that follow the boundary between two outcomes for 6 words and then
 * leave it downwards or upwards: the choice must be the left and the right one.
 */
static void a_choice_at_the_boundary_goes_on_with_the_same_digits(void)
{
	const int64_t scores[] = {3, 2, 0};
	struct sotto_exponential *m = mechanism("1", "1", false, false);
	struct sotto_rational *p = law_of(m, scores, 3, 1024);
	struct sotto_rational edge;

	sotto_rational_init(&edge);
	for (size_t i = 0; i < 2; i++) {
		uint64_t words[16];

		sotto_rational_add(&edge, &edge, &p[i]);
		digits_of(edge.q, 8, words);
		memset(words + 8, 0, sizeof words - 8 * sizeof words[0]);
		words[6]--;
		CHECK_INT(select_from(m, words, 16, scores, 3), i);
		words[6] += 2;
		CHECK_INT(select_from(m, words, 16, scores, 3), i + 1);
		/* following the boundary to the end of the tape decides nothing */
		words[6]--;
		CHECK(select_from(m, words, 2, scores, 3) == SIZE_MAX);
	}
	sotto_rational_release(&edge);
	law_free(p, 3);
	sotto_exponential_free(m);
}

static void equal_scores_turn_exactly_at_one_half(void)
{
	struct sotto_exponential *m = mechanism("1", "1", false, false);
	const int64_t scores[] = {5, 5};
	uint64_t words[8] = {UINT64_C(1) << 63};

	words[3] = 1;
	CHECK_INT(select_from(m, words, 8, scores, 2), 1);
	words[0]--;
	words[1] = words[2] = UINT64_MAX;
	words[3] = UINT64_MAX - 1;
	CHECK_INT(select_from(m, words, 8, scores, 2), 0);
	sotto_exponential_free(m);
}

static void an_ordinary_choice_takes_16_bytes(void)
{
	struct sotto_exponential *m = mechanism("1/1000", "3", false, false);
	struct sotto_exact scores[40];
	size_t index;

	for (int i = 0; i < 40; i++)
		scores[i] = sotto_exact_of(i * 1000);
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct tape *t = tape_open_random(seed, 1000, 0);

		CHECK_INT(sotto_exponential_select(m, &t->rng, scores, 40, &index), SOTTO_OK);
		CHECK_INT(tape_used(t), 16);
		tape_close(t);
	}
	sotto_exponential_free(m);
}

static void any_range_of_scores_is_allowed(void)
{
	static const char *const epsilons[] = {"1e-30", "1", "1e30"};
	const int64_t scores[] = {INT64_MIN, INT64_MAX, 0};
	const uint64_t middle[] = {UINT64_C(1) << 62, 12345};

	for (size_t e = 0; e < 3; e++)
		for (int least = 0; least <= 1; least++) {
			struct sotto_exponential *m = mechanism(epsilons[e], "1", false, least);
			size_t index = select_from(m, middle, 2, scores, 3);

			/* at 1e-30 all three are equally likely: 1/4 falls to the first */
			CHECK_INT(index, e == 0 ? 0 : least ? 0 : 1);
			sotto_exponential_free(m);
		}
}

static void fixed_point_weights_enclose_the_exponential(void)
{
	static const char *const rates[] = {"1e-25", "1/1000003", "1/7", "1",
					    "88.9",  "89",        "1e6"};
	static const uint64_t distances[] = {
		0, 1, 2, 3, 88, 89, 90, 12345, 87654321, UINT64_MAX / 3, UINT64_MAX};
	mpz_t exact, down;

	mpz_inits(exact, down, NULL);
	for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
		struct sotto_rational rate = rational_of(rates[r]);
		struct sotto_weight w;

		sotto_weight_init(&w, rate.q);
		for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++) {
			sotto_u128 got = sotto_weight_down(&w, distances[i]);

			mpz_set_ui(down, (uint64_t)(got >> 64));
			mpz_mul_2exp(down, down, 64);
			mpz_add_ui(down, down, (uint64_t)got);
			sotto_weight_floor(&w, distances[i], SOTTO_WEIGHT_DIGITS, exact);
			CHECK(mpz_cmp(down, exact) <= 0);
			mpz_add_ui(down, down, SOTTO_WEIGHT_ERROR - 1);
			CHECK(mpz_cmp(exact, down) <= 0);
		}
		sotto_weight_release(&w);
		sotto_rational_release(&rate);
	}
	mpz_clears(exact, down, NULL);
}

static void bad_arguments_are_refused(void)
{
	struct sotto_rational zero = rational_of("0"), one = rational_of("1"), p;
	struct sotto_selection no_epsilon = {.epsilon = &zero, .sensitivity = &one};
	struct sotto_selection no_delta = {.epsilon = &one, .sensitivity = &zero};
	struct sotto_exponential *m = NULL;
	size_t index = 9;

	sotto_rational_init(&p);
	CHECK_INT(sotto_exponential_new(&no_epsilon, &m, NULL), SOTTO_EINVAL);
	CHECK_INT(sotto_exponential_new(&no_delta, &m, NULL), SOTTO_EINVAL);
	m = mechanism("1", "1", false, false);
	CHECK_INT(sotto_exponential_select(m, NULL, NULL, 0, &index), SOTTO_EINVAL);
	CHECK_INT(sotto_exponential_probabilities_down(m, NULL, 0, 10, NULL), SOTTO_EINVAL);
	CHECK_INT(sotto_exponential_probabilities_down(m, &(int64_t){1}, 1, 5000, &p),
		  SOTTO_ERANGE);
	CHECK_INT(index, 9);
	sotto_exponential_free(m);
	sotto_rational_release(&zero);
	sotto_rational_release(&one);
	sotto_rational_release(&p);
}

static void the_cost_is_bounded_range(void)
{
	struct sotto_exponential *m = mechanism("1", "5", false, false);
	struct sotto_rational e = rational_of("1");
	struct sotto_cost cost, range;

	sotto_cost_init(&cost);
	sotto_cost_init(&range);
	CHECK_INT(sotto_exponential_cost(m, &cost), SOTTO_OK);
	CHECK_INT(sotto_cost_set_bounded_range(&range, &e), SOTTO_OK);
	CHECK_INT(sotto_rational_compare(&cost.epsilon, &e), 0);
	CHECK_INT(sotto_rational_compare(&cost.rho, &range.rho), 0);
	CHECK(rational_double(&cost.rho) < 0.126); /* epsilon^2/8, not 1/2 tanh(1/2) */
	sotto_cost_release(&cost);
	sotto_cost_release(&range);
	sotto_rational_release(&e);
	sotto_exponential_free(m);
}

int main(void)
{
	RUN(probabilities_are_the_published_ones);
	RUN(the_auction_sells_at_the_published_prices);
	RUN(probabilities_add_up_and_are_lower_bounds);
	RUN(every_head_of_the_random_number_follows_the_law);
	RUN(a_choice_at_the_boundary_goes_on_with_the_same_digits);
	RUN(equal_scores_turn_exactly_at_one_half);
	RUN(an_ordinary_choice_takes_16_bytes);
	RUN(any_range_of_scores_is_allowed);
	RUN(fixed_point_weights_enclose_the_exponential);
	RUN(bad_arguments_are_refused);
	RUN(the_cost_is_bounded_range);
	return tap_done();
}
