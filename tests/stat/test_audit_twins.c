/*
 * Broken twins: mistakes that were published, shipped or are easy to make.  Each claims
 * epsilon, and the audit that every mechanism passes must prove that it does not keep it.
 */
#include "core/random/generator/uniform.h"
#include "testlib/statistics/audit.h"

#include <stdlib.h>

#include "core/random/coin/bernoulli.h"
#include "core/random/laplace/dlaplace.h"
#include "core/random/laplace/geometric.h"
#include "sotto/choose.h"
#include "sotto/noise.h"
#include "sotto/rng.h"
#include "testlib/number.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

enum { RUNS = 400000 };

static void must(enum sotto_status st)
{
	if (st != SOTTO_OK)
		abort();
}

static void
catches(const char *name, audit_run run, void *context, unsigned classes, double claim)
{
	struct audit a = {run, context, classes, RUNS, 0, 4242};
	struct audit_proof p = audit_prove(&a);

	tap_note("%-44s claim %.3f  proved %.3f  (p %.4g, q %.4g)", name, claim, p.epsilon, p.p,
		 p.q);
	CHECK(p.epsilon > claim);
}

static struct sotto_dlaplace *laplace_of(const char *rate)
{
	struct sotto_rational r = rational_of(rate);
	struct sotto_dlaplace *d = NULL;

	must(sotto_dlaplace_new(&r, &d));
	sotto_rational_release(&r);
	return d;
}

static int64_t draw(const struct sotto_dlaplace *d, struct sotto_rng *rng)
{
	int64_t z;

	must(sotto_dlaplace_draw(d, rng, &z));
	return z;
}

/* ---- sparse vector: Lyu, Su, Li 2017, figure 2; claim epsilon = 1 ---- */

enum { QUERIES = 12 };

struct sparse_twin {
	struct sotto_dlaplace *bar;
	struct sotto_dlaplace *query; /* NULL: no noise on the queries */
	int positives;
	bool reuse; /* answers with the noise of the comparison */
	int64_t queries[2][QUERIES];
};

/* The class: the pattern of answers, or (reuse) where the first positive is and its value. */
static unsigned run_sparse(void *context, bool neighbour, struct sotto_rng *rng)
{
	const struct sparse_twin *t = context;
	int64_t bar = draw(t->bar, rng);
	int left = t->positives;
	unsigned pattern = 0;

	for (int i = 0; i < QUERIES && left; i++) {
		int64_t noisy = t->queries[neighbour][i] + (t->query ? draw(t->query, rng) : 0);

		if (noisy < bar)
			continue;
		left--;
		pattern |= 1u << i;
		if (t->reuse) {
			int64_t value = noisy < -60 ? -60 : noisy > 60 ? 60 : noisy;

			return (unsigned)(i == QUERIES - 1) * 128 + (unsigned)(value + 60);
		}
	}
	return pattern;
}

static void sparse_release(struct sparse_twin *t)
{
	sotto_dlaplace_free(t->bar);
	sotto_dlaplace_free(t->query);
}

static void fill(int64_t *queries, int64_t first, int64_t second)
{
	for (int i = 0; i < QUERIES; i++)
		queries[i] = i < QUERIES / 2 ? first : second;
}

/* Algorithm 3 (lecture notes of 2011): the comparison's noise in the answer. */
static void reusing_the_comparison_noise_is_caught(void)
{
	struct sparse_twin t = {laplace_of("1/2"), laplace_of("1/2"), 1, true, {{0}}};

	for (int i = 0; i < QUERIES - 1; i++) {
		t.queries[0][i] = -2;
		t.queries[1][i] = -1;
	}
	catches("value with the comparison's noise", run_sparse, &t, 256, 1);
	sparse_release(&t);
}

/* Algorithm 4 (Lee, Clifton 2014): query noise that does not grow with c. */
static void noise_that_ignores_the_positives_is_caught(void)
{
	struct sparse_twin t = {laplace_of("1/4"), laplace_of("3/4"), QUERIES, false, {{0}}};

	fill(t.queries[0], 0, 1);
	fill(t.queries[1], 1, 0);
	catches("noise without the number of positives", run_sparse, &t, AUDIT_CLASSES, 1);
	sparse_release(&t);
}

/* Algorithm 5 (Stoddard et al. 2014): no noise on the queries. */
static void no_noise_on_the_queries_is_caught(void)
{
	struct sparse_twin t = {laplace_of("1/2"), NULL, QUERIES, false, {{0}}};

	fill(t.queries[0], 0, 1);
	fill(t.queries[1], 1, 0);
	catches("no noise on the queries", run_sparse, &t, AUDIT_CLASSES, 1);
	sparse_release(&t);
}

/* Algorithm 6 (Chen et al. 2015): any number of positives at one price. */
static void positives_without_a_limit_are_caught(void)
{
	struct sparse_twin t = {laplace_of("1/2"), laplace_of("1/2"), QUERIES, false, {{0}}};

	fill(t.queries[0], 0, 1);
	fill(t.queries[1], 1, 0);
	catches("positives without a limit", run_sparse, &t, AUDIT_CLASSES, 1);
	sparse_release(&t);
}

/* ---- noisy max with a = exp(-1/2) on whole scores: claim epsilon = 1 ---- */

enum { SCORES = 3 };

struct max_twin {
	struct sotto_geometric *noise;
	bool by_score; /* ties go to the larger true score */
	bool redraw; /* ties are drawn anew */
	bool raw_gap;
	int64_t scores[2][SCORES];
};

static unsigned run_max(void *context, bool neighbour, struct sotto_rng *rng)
{
	const struct max_twin *t = context;
	const int64_t *q = t->scores[neighbour];
	int64_t v[SCORES], rival;
	int best;

	for (bool again = true; again;) {
		again = false;
		best = 0;
		for (int i = 0; i < SCORES; i++) {
			must(sotto_geometric_draw(t->noise, rng, &v[i]));
			v[i] += q[i];
		}
		for (int i = 1; i < SCORES; i++)
			if (v[i] > v[best] ||
			    (t->by_score && v[i] == v[best] && q[i] > q[best]))
				best = i;
		for (int i = 0; i < SCORES; i++)
			again |= t->redraw && i != best && v[i] == v[best];
	}
	rival = INT64_MIN;
	for (int i = 0; i < SCORES; i++)
		if (i != best && v[i] > rival)
			rival = v[i];
	if (!t->raw_gap)
		return (unsigned)best;
	return (unsigned)best * 32 + (unsigned)(v[best] - rival < 31 ? v[best] - rival : 31);
}

static void run_max_twin(const char *name, struct max_twin t, const char *rate, double claim)
{
	struct sotto_rational r = rational_of(rate);

	must(sotto_geometric_new(&r, &t.noise));
	catches(name, run_max, &t, t.raw_gap ? SCORES * 32 : SCORES, claim);
	sotto_geometric_free(t.noise);
	sotto_rational_release(&r);
}

static void ties_by_the_true_score_are_caught(void)
{
	run_max_twin("ties go to the larger true score",
		     (struct max_twin){.by_score = true, .scores = {{0, 1, 1}, {1, 0, 0}}}, "2",
		     4);
}

static void drawing_again_on_a_tie_is_caught(void)
{
	run_max_twin("a tie is drawn again",
		     (struct max_twin){.redraw = true, .scores = {{0, 0, -9}, {1, -1, -9}}},
		     "2", 4);
}

static void the_raw_gap_is_caught(void)
{
	run_max_twin("gap not adjusted for ties",
		     (struct max_twin){.raw_gap = true, .scores = {{2, 2, 2}, {3, 1, 1}}},
		     "1/2", 1);
}

/* ---- exponential mechanism without the factor 2, scores not monotone; claim 1 ---- */

static unsigned run_exponential(void *context, bool neighbour, struct sotto_rng *rng)
{
	const struct sotto_exact scores[2][3] = {{{0}, {1}, {1}}, {{1}, {0}, {0}}};
	size_t index;

	must(sotto_exponential_select(context, rng, scores[neighbour], 3, &index));
	return (unsigned)index;
}

static void a_missing_factor_of_two_is_caught(void)
{
	struct sotto_rational e = rational_of("1"), d = rational_of("1");
	struct sotto_selection s = {&e, &d, true, false}; /* monotone, and it is not */
	struct sotto_exponential *m = NULL;

	must(sotto_exponential_new(&s, &m, NULL));
	catches("exponential without the factor 2", run_exponential, m, 3, 1);
	sotto_exponential_free(m);
	sotto_rational_release(&e);
	sotto_rational_release(&d);
}

/* ---- additive noise; claim 1 ---- */

/* A mean of m records as sum/m with noise for half the sensitivity. */
static unsigned run_half(void *context, bool neighbour, struct sotto_rng *rng)
{
	int64_t z = draw(context, rng) + (neighbour ? 10 : 0);

	return (unsigned)(z < -100 ? 0 : z > 100 ? 200 : z + 100);
}

static void half_the_sensitivity_is_caught(void)
{
	struct sotto_dlaplace *d = laplace_of("1/5"); /* for 5 steps; the value moves by 10 */

	catches("half the sensitivity", run_half, d, 201, 1);
	sotto_dlaplace_free(d);
}

/* Textbook Laplace in doubles: the floating-point numbers that come out differ (Mironov). */
static double textbook(struct sotto_rng *rng)
{
	uint64_t word;
	double u;

	must(sotto_uniform_word(rng, &word));
	u = ((double)(word >> 52) + 0.5) / 4096; /* few digits make the test quick */
	return (word & 1 ? 1 : -1) * log(u);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct support {
	double values[2 * 4096];
};

static unsigned run_doubles(void *context, bool neighbour, struct sotto_rng *rng)
{
	const struct support *s = context;
	double y = (neighbour ? 1.0 : 0.0) + textbook(rng);

	return bsearch(&y, s->values, 2 * 4096, sizeof y, by_value) != NULL;
}

static void noise_added_to_a_double_is_caught(void)
{
	struct support *s = malloc(sizeof *s);

	for (int k = 0; k < 4096; k++) {
		s->values[2 * k] = log((k + 0.5) / 4096);
		s->values[2 * k + 1] = -log((k + 0.5) / 4096);
	}
	qsort(s->values, 2 * 4096, sizeof s->values[0], by_value);
	catches("noise added to a double", run_doubles, s, 2, 1);
	free(s);
}

/* ---- randomized response that flips only one way; claim ln 3 ---- */

static unsigned run_one_way(void *context, bool neighbour, struct sotto_rng *rng)
{
	bool honest, second;

	(void)context;
	must(sotto_bernoulli_ratio(rng, 1, 2, &honest));
	must(sotto_bernoulli_ratio(rng, 1, 2, &second));
	return neighbour ? 1 : !honest && second; /* a 1 is never flipped to 0 */
}

static void never_flipping_a_one_is_caught(void)
{
	catches("response that never flips a 1", run_one_way, NULL, 2, log(3));
}

/* ---- attacks on the accounting ---- */

/* Averaging: 16 answers to one question, charged once. */
static unsigned run_average(void *context, bool neighbour, struct sotto_rng *rng)
{
	int64_t sum = 0;

	for (int i = 0; i < 16; i++)
		sum += neighbour + draw(context, rng);
	return (unsigned)(sum < -100 ? 0 : sum > 100 ? 200 : sum + 100);
}

static void averaging_answers_that_are_charged_once_is_caught(void)
{
	struct sotto_dlaplace *once = laplace_of("1"), *shared = laplace_of("1/16");
	struct audit honest = {run_average, shared, 201, RUNS, 0, 77};

	catches("16 answers charged as one", run_average, once, 201, 1);
	CHECK(audit_prove(&honest).epsilon <= 1); /* an epsilon of 1/16 each keeps 1 */
	sotto_dlaplace_free(once);
	sotto_dlaplace_free(shared);
}

/* Differencing: a count with and without one person; the second answer reuses the noise. */
static unsigned run_difference(void *context, bool neighbour, struct sotto_rng *rng)
{
	int64_t noise = draw(context, rng);
	int64_t with = 100 + neighbour + noise, without = 100 + noise;

	return (unsigned)(with - without);
}

static unsigned run_fresh_difference(void *context, bool neighbour, struct sotto_rng *rng)
{
	int64_t with = 100 + neighbour + draw(context, rng), without = 100 + draw(context, rng);
	int64_t d = with - without;

	return (unsigned)(d < -100 ? 0 : d > 100 ? 200 : d + 100);
}

static void differencing_answers_with_one_noise_is_caught(void)
{
	struct sotto_dlaplace *d = laplace_of("1");
	struct audit honest = {run_fresh_difference, d, 201, RUNS, 0, 78};

	catches("two answers with one noise", run_difference, d, 2, 1);
	CHECK(audit_prove(&honest).epsilon <= 1); /* only the first sees the person */
	sotto_dlaplace_free(d);
}

int main(void)
{
	RUN(reusing_the_comparison_noise_is_caught);
	RUN(noise_that_ignores_the_positives_is_caught);
	RUN(no_noise_on_the_queries_is_caught);
	RUN(positives_without_a_limit_are_caught);
	RUN(ties_by_the_true_score_are_caught);
	RUN(drawing_again_on_a_tie_is_caught);
	RUN(the_raw_gap_is_caught);
	RUN(a_missing_factor_of_two_is_caught);
	RUN(half_the_sensitivity_is_caught);
	RUN(noise_added_to_a_double_is_caught);
	RUN(never_flipping_a_one_is_caught);
	RUN(averaging_answers_that_are_charged_once_is_caught);
	RUN(differencing_answers_with_one_noise_is_caught);
	return tap_done();
}
