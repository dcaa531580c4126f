/* Randomized response: two coins and k answers, laws in rationals, estimates and intervals. */
#include "core/mechanism/response/randomized_response.h"
#include "sotto/choose.h"

#include <stdlib.h>

#include "core/mechanism/response/proportion.h"
#include "core/number/exp/exp_share.h"
#include "sotto/choose.h"
#include "testlib/number.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

static struct sotto_randomized_response coins(const char *p, const char *r)
{
	struct sotto_rational truth = rational_of(p), yes = rational_of(r);
	struct sotto_randomized_response m;

	CHECK_INT(sotto_randomized_response_init(&m, &truth, &yes, NULL), SOTTO_OK);
	sotto_rational_release(&truth);
	sotto_rational_release(&yes);
	return m;
}

/* Each coin looks at the head of its own word; 4-bit heads enumerate dyadic coins. */
static void the_classic_coins_say_yes_three_times_in_four(void)
{
	static const struct {
		const char *p, *r;
		int yes_of_yes, yes_of_no; /* of 256 */
	} cases[] = {
		{"1/2", "1/2", 192, 64}, {"3/4", "1/8", 200, 8}, {"1/16", "15/16", 241, 225}};

	for (size_t c = 0; c < 3; c++) {
		struct sotto_randomized_response m = coins(cases[c].p, cases[c].r);

		for (int64_t truth = 0; truth <= 1; truth++) {
			int yes = 0;

			for (uint64_t heads = 0; heads < 256; heads++) {
				const uint64_t words[] = {heads << 60, heads >> 4 << 60};
				struct tape *t = tape_open(words, sizeof words, 0);
				struct sotto_noisy out = {9};

				CHECK_INT(sotto_randomized_response_publish(
						  &m, &t->rng, sotto_exact_of(truth), &out),
					  SOTTO_OK);
				CHECK_INT(tape_used(t), 16); /* both coins, always */
				yes += out.value == 1;
				tape_close(t);
			}
			CHECK_INT(yes, truth ? cases[c].yes_of_yes : cases[c].yes_of_no);
		}
		sotto_randomized_response_release(&m);
	}
}

static void epsilon_is_the_larger_likelihood_ratio(void)
{
	static const struct {
		const char *p, *r, *odds;
		double epsilon;
	} cases[] = {{"1/2", "1/2", "3", 1.0986122886681098},
		     {"1/2", "1/4", "5", 1.6094379124341003},
		     {"1/2", "3/4", "5", 1.6094379124341003},
		     {"0.9", "0.5", "19", 2.9444389791664403},
		     {"1/3", "1/10", "6", 1.791759469228055}};
	struct sotto_rational x;

	sotto_rational_init(&x);
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		struct sotto_randomized_response m = coins(cases[c].p, cases[c].r);

		sotto_randomized_response_odds(&m, &x);
		CHECK(rational_is(x.q, cases[c].odds));
		sotto_randomized_response_epsilon_up(&m, &x);
		CHECK_REL(rational_double(&x), cases[c].epsilon, 1e-15);
		sotto_randomized_response_release(&m);
	}
	sotto_rational_release(&x);
}

static void reported_epsilon_is_never_below_the_true_one(void)
{
	struct sotto_randomized_response m = coins("1/2", "1/2");
	struct sotto_rational eps, eps_less;
	mpz_t third;

	/* exp(-eps) <= 1/3 < exp(-(eps - 2^-95)), by certified digits */
	sotto_rational_init(&eps);
	sotto_rational_init(&eps_less);
	mpz_init(third);
	sotto_randomized_response_epsilon_up(&m, &eps);
	mpq_set_ui(eps_less.q, 1, 1);
	mpq_div_2exp(eps_less.q, eps_less.q, 95);
	mpq_sub(eps_less.q, eps.q, eps_less.q);
	for (int less = 0; less <= 1; less++) {
		mpz_t share;
		mpq_t one;

		mpz_init(share);
		mpq_init(one);
		mpq_set_ui(one, 1, 1);
		sotto_share_floor(less ? eps_less.q : eps.q, one, 200, share);
		mpz_ui_pow_ui(third, 2, 200); /* 1/(1 + 1/3) = 3/4 */
		mpz_mul_ui(third, third, 3);
		mpz_fdiv_q_2exp(third, third, 2);
		CHECK(less ? mpz_cmp(share, third) < 0 : mpz_cmp(share, third) >= 0);
		mpz_clear(share);
		mpq_clear(one);
	}
	mpz_clear(third);
	sotto_rational_release(&eps);
	sotto_rational_release(&eps_less);
	sotto_randomized_response_release(&m);
}

static void the_coin_toss_example_gives_46_percent(void)
{
	struct sotto_randomized_response m = coins("1/2", "1/2");
	struct sotto_share_estimate e;

	CHECK_INT(sotto_randomized_response_estimate(&m, 480, 1000, 0.05, &e), SOTTO_OK);
	CHECK_REL(e.share, 0.46, 1e-12);
	CHECK_REL(e.deviation, 0.031597468253, 1e-9);
	CHECK(e.low < 0.46 - 1.9 * e.deviation && e.low > 0.46 - 2.1 * e.deviation);
	CHECK(e.high > 0.46 + 1.9 * e.deviation && e.high < 0.46 + 2.1 * e.deviation);
	CHECK(!e.outside);
	sotto_randomized_response_release(&m);
}

static void an_estimate_outside_is_said_and_not_held(void)
{
	struct sotto_randomized_response m = coins("1/2", "1/2");
	struct sotto_share_estimate e;

	CHECK_INT(sotto_randomized_response_estimate(&m, 200, 1000, 0.05, &e), SOTTO_OK);
	CHECK_REL(e.share, -0.1, 1e-12);
	CHECK(e.outside);
	CHECK_INT(sotto_randomized_response_estimate(&m, 0, 0, 0.05, &e), SOTTO_EINVAL);
	CHECK_INT(sotto_randomized_response_estimate(&m, 5, 4, 0.05, &e), SOTTO_EINVAL);
	CHECK_INT(sotto_randomized_response_estimate(&m, 1, 4, 0, &e), SOTTO_EINVAL);
	CHECK_INT(sotto_randomized_response_estimate(&m, 1, 4, 1, &e), SOTTO_EINVAL);
	CHECK_INT(sotto_randomized_response_estimate(&m, 1, 4, NAN, &e), SOTTO_EINVAL);
	CHECK_INT(sotto_randomized_response_estimate(&m, 1, UINT64_MAX, 0.1, &e), SOTTO_ERANGE);
	sotto_randomized_response_release(&m);
}

static void coins_at_the_ends_are_refused(void)
{
	static const char *const bad[] = {"0", "1", "-0.1", "1.1"};
	struct sotto_rational half = rational_of("1/2");
	struct sotto_randomized_response m;
	struct sotto_noisy out = {9};
	struct sotto_error err;

	for (size_t i = 0; i < 4; i++) {
		struct sotto_rational x = rational_of(bad[i]);

		CHECK_INT(sotto_randomized_response_init(&m, &x, &half, &err), SOTTO_EINVAL);
		CHECK_INT(sotto_randomized_response_init(&m, &half, &x, &err), SOTTO_EINVAL);
		sotto_rational_release(&x);
	}
	m = coins("1/2", "1/2");
	CHECK_INT(sotto_randomized_response_publish(&m, NULL, sotto_exact_of(2), &out),
		  SOTTO_EINVAL);
	CHECK_INT(sotto_randomized_response_publish(&m, NULL, sotto_exact_of(-1), &out),
		  SOTTO_EINVAL);
	CHECK_INT(out.value, 9);
	sotto_randomized_response_release(&m);
	sotto_rational_release(&half);
}

/* ---- intervals ---- */

/* P[Binomial(n, p) >= k] by adding up. */
static double tail_by_sum(int k, int n, double p)
{
	double sum = 0;

	for (int i = k; i <= n; i++)
		sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) +
			   i * log(p) + (n - i) * log1p(-p));
	return sum;
}

static void binomial_tails_agree_with_the_sum(void)
{
	for (int n = 1; n <= 60; n += 7)
		for (int k = 1; k <= n; k++)
			for (double p = 0.02; p < 1; p += 0.06)
				CHECK_REL(sotto_proportion_tail((uint64_t)k, (uint64_t)n, p),
					  tail_by_sum(k, n, p), 1e-10);
}

static void intervals_have_the_published_ends_and_cover(void)
{
	double low, high;

	sotto_proportion_interval(8, 20, 0.05, &low, &high); /* textbook: 0.1912, 0.6395 */
	CHECK_REL(low, 0.19119, 1e-4);
	CHECK_REL(high, 0.63946, 1e-4);
	sotto_proportion_interval(0, 20, 0.05, &low, &high); /* 1 - 0.025^(1/20) */
	CHECK(low == 0);
	CHECK_REL(high, 1 - pow(0.025, 1 / 20.0), 1e-12);
	sotto_proportion_interval(20, 20, 0.05, &low, &high);
	CHECK(high == 1);
	CHECK_REL(low, pow(0.025, 1 / 20.0), 1e-12);
	for (double p = 0.01; p < 1; p += 0.03) {
		double covered = 0;

		for (int k = 0; k <= 40; k++) {
			sotto_proportion_interval((uint64_t)k, 40, 0.1, &low, &high);
			if (low <= p && p <= high)
				covered += tail_by_sum(k, 40, p) -
					   (k < 40 ? tail_by_sum(k + 1, 40, p) : 0);
		}
		CHECK(covered >= 0.9);
	}
}

/* 1 - beta / 2 is 1 in doubles for a small beta; the upper end does not stop there. */
static void intervals_hold_however_small_the_chance_to_miss(void)
{
	for (int k = 0; k < 70; k += 7)
		for (double beta = 1e-2; beta > 1e-40; beta *= 1e-3) {
			double low, high, other_low, other_high;

			sotto_proportion_interval((uint64_t)k, 70, beta, &low, &high);
			sotto_proportion_interval((uint64_t)(70 - k), 70, beta, &other_low,
						  &other_high);
			CHECK(fabs(low + other_high - 1) < 1e-15);
			CHECK(fabs(high + other_low - 1) < 1e-15);
			CHECK(tail_by_sum(70 - k, 70, 1 - high) <= beta / 2 * (1 + 1e-8));
		}
}

/* ---- k answers ---- */

static struct sotto_kary_response *kary(const char *epsilon, uint64_t k)
{
	struct sotto_rational e = rational_of(epsilon);
	struct sotto_kary_response *m = NULL;

	CHECK_INT(sotto_kary_response_new(&e, k, &m, NULL), SOTTO_OK);
	sotto_rational_release(&e);
	return m;
}

static void the_truth_is_kept_with_the_stated_probability(void)
{
	static const struct {
		const char *epsilon;
		uint64_t k;
	} cases[] = {{"1", 2}, {"1", 3}, {"0.1", 1000}, {"5", 64}, {"1/1000000", 2}};
	struct sotto_rational keep;

	sotto_rational_init(&keep);
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		struct sotto_kary_response *m = kary(cases[c].epsilon, cases[c].k);
		struct sotto_rational e = rational_of(cases[c].epsilon);
		double x = exp(rational_double(&e));

		sotto_kary_response_keep_down(m, 80, &keep);
		CHECK_REL(rational_double(&keep), x / (x + (double)cases[c].k - 1), 1e-14);
		sotto_rational_release(&e);
		sotto_kary_response_free(m);
	}
	sotto_rational_release(&keep);
}

/* Every head of the coin, every other answer: the law by counting. */
static void answers_follow_the_law_on_every_head(void)
{
	enum { K = 5, HEADS = 4096 };
	struct sotto_kary_response *m = kary("1.3", K);
	struct sotto_rational keep;

	sotto_rational_init(&keep);
	sotto_kary_response_keep_down(m, 12, &keep);
	for (int64_t truth = 0; truth < K; truth++) {
		long count[K] = {0};

		for (uint64_t head = 0; head < HEADS; head++)
			for (uint64_t other = 0; other < K - 1; other++) {
				const uint64_t words[] = {head << 52 | UINT64_C(1) << 51,
							  other << 62};
				struct tape *t = tape_open(words, sizeof words, 0);
				struct sotto_noisy out = {-1};

				CHECK_INT(sotto_kary_response_publish(
						  m, &t->rng, sotto_exact_of(truth), &out),
					  SOTTO_OK);
				REQUIRE(out.value >= 0 && out.value < K);
				count[out.value]++;
				tape_close(t);
			}
		for (int64_t v = 0; v < K; v++) {
			double p = rational_double(&keep);
			double want = v == truth ? p : (1 - p) / (K - 1);

			CHECK(fabs((double)count[v] - want * HEADS * (K - 1)) <= K);
		}
	}
	sotto_rational_release(&keep);
	sotto_kary_response_free(m);
}

static void a_tied_coin_goes_on_with_its_digits(void)
{
	struct sotto_rational one = rational_of("1"), two = rational_of("2");
	struct sotto_kary_response *m = kary("1", 3);
	uint64_t words[] = {sotto_share_word(one.q, two.q, 0), 0, 0, 0};

	for (int keeps = 0; keeps <= 1; keeps++) {
		struct tape *t;
		struct sotto_noisy out = {-1};

		words[1] = sotto_share_word(one.q, two.q, 64) + (keeps ? -1 : 1);
		t = tape_open(words, sizeof words, 0);
		CHECK_INT(sotto_kary_response_publish(m, &t->rng, sotto_exact_of(2), &out),
			  SOTTO_OK);
		CHECK_INT(out.value == 2, keeps);
		CHECK_INT(tape_used(t), 24);
		tape_close(t);
	}
	sotto_kary_response_free(m);
	sotto_rational_release(&one);
	sotto_rational_release(&two);
}

static void estimates_are_unbiased_and_their_spread_is_as_stated(void)
{
	enum { K = 4, N = 2000, ROUNDS = 400 };
	static const int truths[K] = {1000, 600, 400, 0};
	struct sotto_kary_response *m = kary("1", K);
	struct sotto_rng *rng = stream_open(21);
	double mean[K] = {0}, square[K] = {0}, stated[K] = {0};
	int covered[K] = {0};

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t answers[K] = {0};
		struct sotto_kary_estimate e[K];

		for (int64_t v = 0; v < K; v++)
			for (int i = 0; i < truths[v]; i++) {
				struct sotto_noisy out;

				CHECK_INT(sotto_kary_response_publish(m, rng, sotto_exact_of(v),
								      &out),
					  SOTTO_OK);
				answers[out.value]++;
			}
		CHECK_INT(sotto_kary_response_estimate(m, answers, 0.05, e), SOTTO_OK);
		for (int v = 0; v < K; v++) {
			mean[v] += e[v].count / ROUNDS;
			square[v] +=
				(e[v].count - truths[v]) * (e[v].count - truths[v]) / ROUNDS;
			stated[v] += e[v].deviation / ROUNDS;
			covered[v] += e[v].low <= truths[v] && truths[v] <= e[v].high;
		}
	}
	for (int v = 0; v < K; v++) {
		CHECK(fabs(mean[v] - truths[v]) < 6.5 * stated[v] / sqrt(ROUNDS));
		CHECK(fabs(sqrt(square[v]) / stated[v] - 1) <
		      0.25); /* 7 sd of sqrt(chi2/400) */
		/* at least 95 % on average; fewer than 85 % of 400 has probability 1e-14 */
		CHECK(covered[v] >= ROUNDS * 85 / 100);
	}
	stream_close(rng);
	sotto_kary_response_free(m);
}

static void bad_k_and_epsilon_are_refused(void)
{
	struct sotto_rational zero = rational_of("0"), one = rational_of("1");
	struct sotto_rational huge = rational_of("1001");
	struct sotto_kary_response *m = NULL;
	struct sotto_noisy out = {9};
	struct sotto_kary_estimate x[2];

	CHECK_INT(sotto_kary_response_new(&zero, 2, &m, NULL), SOTTO_EINVAL);
	CHECK_INT(sotto_kary_response_new(&one, 1, &m, NULL), SOTTO_EINVAL);
	CHECK_INT(sotto_kary_response_new(&one, 0, &m, NULL), SOTTO_EINVAL);
	CHECK_INT(sotto_kary_response_new(&one, UINT64_MAX, &m, NULL), SOTTO_EINVAL);
	CHECK_INT(sotto_kary_response_new(&huge, 2, &m, NULL), SOTTO_ERANGE);
	m = kary("1", 2);
	CHECK_INT(sotto_kary_response_publish(m, NULL, sotto_exact_of(2), &out), SOTTO_EINVAL);
	CHECK_INT(sotto_kary_response_publish(m, NULL, sotto_exact_of(-1), &out), SOTTO_EINVAL);
	CHECK_INT(sotto_kary_response_estimate(m, (uint64_t[]){0, 0}, 0.05, x), SOTTO_EINVAL);
	CHECK_INT(sotto_kary_response_estimate(m, (uint64_t[]){5, 5}, 0, x), SOTTO_EINVAL);
	CHECK_INT(sotto_kary_response_estimate(m, (uint64_t[]){UINT64_MAX, 1}, 0.05, x),
		  SOTTO_ERANGE);
	CHECK_INT(out.value, 9);
	sotto_kary_response_free(m);
	sotto_rational_release(&zero);
	sotto_rational_release(&one);
	sotto_rational_release(&huge);
}

int main(void)
{
	RUN(the_classic_coins_say_yes_three_times_in_four);
	RUN(epsilon_is_the_larger_likelihood_ratio);
	RUN(reported_epsilon_is_never_below_the_true_one);
	RUN(the_coin_toss_example_gives_46_percent);
	RUN(an_estimate_outside_is_said_and_not_held);
	RUN(coins_at_the_ends_are_refused);
	RUN(binomial_tails_agree_with_the_sum);
	RUN(intervals_have_the_published_ends_and_cover);
	RUN(intervals_hold_however_small_the_chance_to_miss);
	RUN(the_truth_is_kept_with_the_stated_probability);
	RUN(answers_follow_the_law_on_every_head);
	RUN(a_tied_coin_goes_on_with_its_digits);
	RUN(estimates_are_unbiased_and_their_spread_is_as_stated);
	RUN(bad_k_and_epsilon_are_refused);
	return tap_done();
}
