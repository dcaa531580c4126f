/* What an audit proves: never too much, by enumeration, and a planted fault nearly whole. */
#include "sotto/audit.h"

#include <stdlib.h>

#include "local/decode/special.h"
#include "testlib/tap.h"

enum { RUNS = 40000 };

/* ---- counts ---- */

/* The probability that n runs of an event with probabilities p and q prove more than is so. */
static double false_alarm(uint64_t n, double p, double q, const struct sotto_audit_level *level)
{
	double real = p > level->delta ? fmax(0, log((p - level->delta) / q)) : 0, sum = 0;

	for (uint64_t hits = 0; hits <= n; hits++)
		for (uint64_t misses = 0; misses <= n; misses++)
			if (sotto_audit_epsilon_down(hits, misses, n, level) > real)
				sum += sotto_binomial_mass(n, p, hits) *
				       sotto_binomial_mass(n, q, misses);
	return sum;
}

static void false_alarms_are_no_more_than_alpha(void)
{
	static const double deltas[] = {0, 0.1}, alphas[] = {0.01, 0.2};

	for (int d = 0; d < 2; d++)
		for (int a = 0; a < 2; a++)
			for (int p = 1; p < 20; p += 3)
				for (int q = 1; q < 20; q += 3) {
					struct sotto_audit_level level = {alphas[a], deltas[d]};

					CHECK(false_alarm(14, p / 20., q / 20., &level) <=
					      alphas[a]);
				}
}

/* For n of n and none of n the bounds are roots: (alpha/2)^(1/n) and 1 - (alpha/2)^(1/n). */
static void a_perfect_event_proves_what_the_formula_says_and_no_more(void)
{
	static const double alphas[] = {0.05, 1e-9};

	for (int a = 0; a < 2; a++)
		for (uint64_t n = 10; n <= 10000000; n *= 10) {
			struct sotto_audit_level level = {.alpha = alphas[a]};
			double root = log(alphas[a] / 2) / (double)n;
			double formula = root - log(-expm1(root));
			double proved = sotto_audit_epsilon_down(n, 0, n, &level);

			CHECK(proved <= fmax(formula, 0));
			CHECK(proved >= formula - 1e-4);
		}
}

static void what_delta_allows_is_not_proved(void)
{
	struct sotto_audit_level pure = {.alpha = 0.01}, approximate = {0.01, 0.02};

	CHECK(sotto_audit_epsilon_down(100, 0, 10000, &pure) > 2);
	CHECK(sotto_audit_epsilon_down(100, 0, 10000, &approximate) == 0);
	CHECK(sotto_audit_epsilon_down(0, 0, 10000, &pure) == 0);
	CHECK(sotto_audit_epsilon_down(50, 50, 100, &pure) == 0);
}

/* ---- outcomes ---- */

/* A repeatable sequence (splitmix64), for inputs of a test alone. */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* The outcome of a run; side 1 is the neighbour. */
typedef int64_t (*outcome)(size_t i, unsigned side, uint64_t random);

static struct sotto_audit_proof prove(outcome of, double alpha)
{
	struct sotto_audit_level level = {.alpha = alpha};
	struct sotto_audit_proof proof = {.epsilon = -1};
	int64_t *runs[2];
	uint64_t state = 42;

	for (unsigned side = 0; side < 2; side++) {
		runs[side] = calloc(RUNS, sizeof *runs[side]);
		for (size_t i = 0; runs[side] && i < RUNS; i++)
			runs[side][i] = of(i, side, next(&state));
	}
	CHECK(sotto_audit_prove(&(struct sotto_audit_outcomes){{runs[0], runs[1]}, RUNS},
				&level, &proof) == SOTTO_OK);
	free(runs[0]);
	free(runs[1]);
	return proof;
}

/* Two values, of which the own one comes three times out of four: epsilon is ln 3. */
static int64_t coin(size_t i, unsigned side, uint64_t random)
{
	(void)i;
	return side ^ (random % 4 == 0);
}

static void a_coin_is_seen_through(void)
{
	struct sotto_audit_proof p = prove(coin, 1e-9);

	CHECK(p.epsilon <= log(3) && p.epsilon > 0.85 * log(3));
	CHECK(p.trials == RUNS / 2 && p.hits > p.misses);
}

/* Tails of a distribution with very many values, none of which comes often. */
static int64_t wide(size_t i, unsigned side, uint64_t random)
{
	(void)i;
	return (int64_t)(random % 1000000000) + (side ? 100000000 : 0);
}

static int64_t wide_downward(size_t i, unsigned side, uint64_t random)
{
	return -wide(i, side, random);
}

/* A tenth of the values come on one input alone. */
static void tails_of_rare_values_are_found(void)
{
	CHECK(prove(wide, 1e-9).epsilon > 4);
	CHECK(prove(wide_downward, 1e-9).epsilon > 4);
}

/* A tenth of hundred values, spread among the others, come thrice as often on the neighbour. */
static int64_t scattered(size_t i, unsigned side, uint64_t random)
{
	uint64_t named = random % (side ? 120 : 100);

	(void)i;
	named = named < 100 ? named : (named - 100) % 10; /* 0 .. 9 thrice as often */
	return (int64_t)(named * 37 % 100);
}

static void a_set_without_order_is_found(void)
{
	double real = log(3 / 1.2), proved = prove(scattered, 1e-9).epsilon;

	CHECK(proved <= real && proved > 0.75 * real);
}

static int64_t honest(size_t i, unsigned side, uint64_t random)
{
	(void)i;
	(void)side;
	return (int64_t)(random % 50);
}

static int64_t never_twice(size_t i, unsigned side, uint64_t random)
{
	(void)i;
	(void)side;
	return (int64_t)(random >> 1);
}

static void nothing_is_proved_where_nothing_differs(void)
{
	CHECK(prove(honest, 1e-9).epsilon == 0);
	CHECK(prove(never_twice, 1e-9).epsilon == 0);
}

/* The runs that choose the event differ, the others do not. */
static int64_t early(size_t i, unsigned side, uint64_t random)
{
	return i < RUNS / 2 ? coin(i, side, random) : (int64_t)(random % 2);
}

static void runs_that_choose_the_event_prove_nothing(void)
{
	CHECK(prove(early, 1e-9).epsilon == 0);
}

static void senseless_levels_are_refused(void)
{
	static const struct sotto_audit_level bad[] = {{0, 0},   {1, 0},   {-0.1, 0}, {0.1, -1},
						       {0.1, 1}, {NAN, 0}, {0.1, NAN}};
	int64_t zeros[8] = {0};
	double scores[1] = {0}, epsilon = -1;
	struct sotto_audit_outcomes runs = {{zeros, zeros}, 8};
	struct sotto_audit_scores s = {{scores, scores}, 1};
	struct sotto_audit_proof proof = {.epsilon = -1};
	struct sotto_audit_event event;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		CHECK(sotto_audit_prove(&runs, &bad[i], &proof) == SOTTO_EINVAL);
		CHECK(sotto_audit_choose(&s, 10, &bad[i], &event, &epsilon) == SOTTO_EINVAL);
	}
	runs.count = 7;
	CHECK(sotto_audit_prove(&runs, &(struct sotto_audit_level){.alpha = 0.1}, &proof) ==
	      SOTTO_EINVAL);
	CHECK(proof.epsilon == -1 && epsilon == -1);
	runs.count = 8;
	CHECK(sotto_audit_prove(&runs, &(struct sotto_audit_level){.alpha = 0.1}, &proof) ==
	      SOTTO_OK);
	CHECK(proof.epsilon == 0);
}

int main(void)
{
	RUN(false_alarms_are_no_more_than_alpha);
	RUN(a_perfect_event_proves_what_the_formula_says_and_no_more);
	RUN(what_delta_allows_is_not_proved);
	RUN(a_coin_is_seen_through);
	RUN(tails_of_rare_values_are_found);
	RUN(a_set_without_order_is_found);
	RUN(nothing_is_proved_where_nothing_differs);
	RUN(runs_that_choose_the_event_prove_nothing);
	RUN(senseless_levels_are_refused);
	return tap_done();
}
