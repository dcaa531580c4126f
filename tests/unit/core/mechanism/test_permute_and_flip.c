/*
 * Permute-and-flip: drawing one of the accepted is the same law as the first accepted in
 * a random order; the coins are exact; the published fractions.
 */
#include "core/account/cost/cost_inside.h"
#include "core/mechanism/choice/permute_and_flip.h"

#include <stdlib.h>

#include "sotto/choose.h"
#include "sotto/cost.h"
#include "testlib/number.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

static struct sotto_permute_and_flip *mechanism(const char *epsilon, bool least)
{
	struct sotto_rational e = rational_of(epsilon), d = rational_of("1");
	struct sotto_selection s = {.epsilon = &e, .sensitivity = &d, .least = least};
	struct sotto_permute_and_flip *m = NULL;

	CHECK_INT(sotto_permute_and_flip_new(&s, &m, NULL), SOTTO_OK);
	sotto_rational_release(&e);
	sotto_rational_release(&d);
	return m;
}

/* The definition: walk the order, flip, stop; all orders of three, in rationals. */
static void law_by_orders(const mpq_t *w, mpq_t *p)
{
	static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
					 {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	mpq_t reached, term, one;

	mpq_inits(reached, term, one, NULL);
	mpq_set_ui(one, 1, 1);
	for (int o = 0; o < 6; o++) {
		mpq_set_ui(reached, 1, 6);
		for (int k = 0; k < 3; k++) {
			int i = orders[o][k];

			mpq_mul(term, reached, w[i]);
			mpq_add(p[i], p[i], term);
			mpq_sub(term, one, w[i]);
			mpq_mul(reached, reached, term);
		}
	}
	mpq_clears(reached, term, one, NULL);
}

/* What the code does: all patterns of acceptance, each rank equally likely. */
static void law_by_picks(const mpq_t *w, mpq_t *p)
{
	mpq_t mass, share, one;

	mpq_inits(mass, share, one, NULL);
	mpq_set_ui(one, 1, 1);
	for (unsigned pattern = 1; pattern < 8; pattern++) {
		uint8_t accepted[3];
		unsigned count = (unsigned)__builtin_popcount(pattern);

		mpq_set_ui(mass, 1, 1);
		for (int i = 0; i < 3; i++) {
			accepted[i] = pattern >> i & 1;
			mpq_sub(share, one, w[i]);
			mpq_mul(mass, mass, accepted[i] ? w[i] : share);
		}
		mpq_set_ui(share, 1, count);
		mpq_mul(share, share, mass);
		for (unsigned rank = 0; rank < count; rank++) {
			size_t i = sotto_permute_and_flip_pick(accepted, 3, rank);

			CHECK(accepted[i]);
			mpq_add(p[i], p[i], share);
		}
	}
	mpq_clears(mass, share, one, NULL);
}

static void both_laws_have_the_published_fractions(void)
{
	static const char *const want[] = {"17/24", "23/96", "5/96"};
	static const unsigned dens[] = {1, 2, 8};
	mpq_t w[3], p[3], q[3];

	for (int i = 0; i < 3; i++) {
		mpq_inits(w[i], p[i], q[i], NULL);
		mpq_set_ui(w[i], 1, dens[i]);
	}
	law_by_orders(w, p);
	law_by_picks(w, q);
	for (int i = 0; i < 3; i++) {
		CHECK(rational_is(p[i], want[i]));
		CHECK(rational_is(q[i], want[i]));
		mpq_clears(w[i], p[i], q[i], NULL);
	}
}

/* P(i) = w_i integral over t in [0, 1] of prod (1 - t w_j), by Simpson's rule. */
static double law_by_integral(const int64_t *scores, size_t n, size_t i, double epsilon)
{
	enum { STEPS = 4000 };
	double sum = 0;
	int64_t best = scores[0];

	for (size_t j = 1; j < n; j++)
		best = scores[j] > best ? scores[j] : best;
	for (int s = 0; s <= STEPS; s++) {
		double product = 1;

		for (size_t j = 0; j < n; j++)
			if (j != i)
				product *= 1 - (double)s / STEPS *
						       exp(epsilon / 2 *
							   (double)(scores[j] - best));
		sum += product * (s == 0 || s == STEPS ? 1 : s % 2 ? 4 : 2);
	}
	return exp(epsilon / 2 * (double)(scores[i] - best)) * sum / 3 / STEPS;
}

static void probabilities_agree_with_the_integral(void)
{
	enum { N = 30 };
	struct sotto_permute_and_flip *m = mechanism("0.5", false);
	struct sotto_rational p[N];
	int64_t scores[N];
	double total = 0;

	for (size_t i = 0; i < N; i++) {
		scores[i] = (int64_t)(i * i % 11);
		sotto_rational_init(&p[i]);
	}
	CHECK_INT(sotto_permute_and_flip_probabilities_down(m, scores, N, 100, p), SOTTO_OK);
	for (size_t i = 0; i < N; i++) {
		CHECK_REL(rational_double(&p[i]), law_by_integral(scores, N, i, 0.5), 1e-9);
		total += rational_double(&p[i]);
		sotto_rational_release(&p[i]);
	}
	CHECK_REL(total, 1, 1e-12);
	sotto_permute_and_flip_free(m);
}

static void the_code_draws_by_the_law(void)
{
	enum { N = 5, RUNS = 400000 };
	const int64_t scores[N] = {4, 0, 3, 4, -2};
	struct sotto_exact exact[N];
	struct sotto_rational p[N];
	struct sotto_rng *rng = stream_open(11);
	long wins[N] = {0};

	for (int least = 0; least <= 1; least++) {
		struct sotto_permute_and_flip *m = mechanism("0.7", least);

		memset(wins, 0, sizeof wins);
		for (size_t i = 0; i < N; i++) {
			exact[i] = sotto_exact_of(scores[i]);
			sotto_rational_init(&p[i]);
		}
		CHECK_INT(sotto_permute_and_flip_probabilities_down(m, scores, N, 64, p),
			  SOTTO_OK);
		for (int r = 0; r < RUNS; r++) {
			size_t index = N;

			CHECK_INT(sotto_permute_and_flip_select(m, rng, exact, N, &index),
				  SOTTO_OK);
			wins[index]++;
		}
		for (size_t i = 0; i < N; i++) {
			double q = rational_double(&p[i]);

			CHECK(fabs((double)wins[i] - RUNS * q) <
			      6.5 * sqrt(RUNS * q * (1 - q)));
			sotto_rational_release(&p[i]);
		}
		sotto_permute_and_flip_free(m);
	}
	stream_close(rng);
}

static enum sotto_status
select_from(const uint64_t *words, size_t count, const int64_t *scores, size_t n, size_t *index)
{
	struct sotto_permute_and_flip *m = mechanism("2", false);
	struct tape *t = tape_open(words, count * sizeof *words, 0);
	struct sotto_exact exact[8];
	enum sotto_status st;

	for (size_t i = 0; i < n; i++)
		exact[i] = sotto_exact_of(scores[i]);
	st = sotto_permute_and_flip_select(m, &t->rng, exact, n, index);
	tape_close(t);
	sotto_permute_and_flip_free(m);
	return st;
}

/* exp(-1) in binary: 5e2d58d8b3bcdf1a bae3..., so a tied word must go on. */
static void a_tied_coin_goes_on_with_the_next_word(void)
{
	const int64_t scores[] = {0, -1};
	const uint64_t e1 = UINT64_C(0x5e2d58d8b3bcdf1a);
	size_t index = 7;

	/* accepted {0, 1}: the rank decides, the high half takes the second */
	CHECK_INT(
		select_from((uint64_t[]){UINT64_MAX, e1, 0, UINT64_MAX}, 4, scores, 2, &index),
		SOTTO_OK);
	CHECK_INT(index, 1);
	/* not accepted: only the best is left */
	CHECK_INT(select_from((uint64_t[]){UINT64_MAX, e1, UINT64_MAX, UINT64_MAX}, 4, scores,
			      2, &index),
		  SOTTO_OK);
	CHECK_INT(index, 0);
	index = 7;
	CHECK_INT(select_from((uint64_t[]){UINT64_MAX, e1}, 2, scores, 2, &index),
		  SOTTO_EENTROPY);
	CHECK_INT(index, 7);
}

static void the_best_is_accepted_on_every_tape(void)
{
	const int64_t scores[] = {INT64_MIN, INT64_MAX};
	size_t index = 7;

	CHECK_INT(select_from((uint64_t[]){UINT64_MAX, UINT64_MAX, 5}, 3, scores, 2, &index),
		  SOTTO_OK);
	CHECK_INT(index, 1);
}

static void the_cost_is_not_bounded_range(void)
{
	struct sotto_permute_and_flip *m = mechanism("1", false);
	struct sotto_rational e = rational_of("1");
	struct sotto_cost cost, range;

	sotto_cost_init(&cost);
	sotto_cost_init(&range);
	CHECK_INT(sotto_permute_and_flip_cost(m, &cost), SOTTO_OK);
	CHECK_INT(sotto_cost_set_bounded_range(&range, &e), SOTTO_OK);
	CHECK_INT(sotto_rational_compare(&cost.epsilon, &e), 0);
	CHECK_INT(sotto_rational_compare(&cost.rho, &range.rho), 1);
	sotto_cost_release(&cost);
	sotto_cost_release(&range);
	sotto_rational_release(&e);
	sotto_permute_and_flip_free(m);
}

int main(void)
{
	RUN(both_laws_have_the_published_fractions);
	RUN(probabilities_agree_with_the_integral);
	RUN(the_code_draws_by_the_law);
	RUN(a_tied_coin_goes_on_with_the_next_word);
	RUN(the_best_is_accepted_on_every_tape);
	RUN(the_cost_is_not_bounded_range);
	return tap_done();
}
