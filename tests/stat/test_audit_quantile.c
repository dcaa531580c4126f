/*
 * Quantiles and the mode on neighbours that come close to the claim: their epsilon
 * is never proved to be larger than claimed, and the sample follows the law.  Twins
 * with a sensitivity that is too small must be found.
 */
#include <stdlib.h>

#include "core/mechanism/quantile/mode.h"
#include "core/mechanism/quantile/quantile.h"
#include "core/mechanism/quantile/rank_tree.h"
#include "sotto/choose.h"
#include "sotto/noise.h"
#include "testlib/statistics/audit.h"
#include "testlib/effort.h"
#include "testlib/number.h"
#include "testlib/statistics/stats.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

enum { LO = 0, HI = 9, WIDE = 99, ROWS = 2 };

/* A unit with two rows, at the top: with it and without. */
struct side {
	struct sotto_exact values[4], counts[4];
	struct sotto_histogram h;
};

struct subject {
	struct sotto_quantile *quantile;
	struct sotto_exponential *mode;
	struct sotto_laplace *laplace;
	struct sotto_rank_tree tree;
	struct side sides[2];
};

static void add(struct side *s, int64_t value, int64_t count)
{
	s->values[s->h.n] = sotto_exact_of(value);
	s->counts[s->h.n++] = sotto_exact_of(count);
}

static void fill(struct subject *s)
{
	for (int i = 0; i < 2; i++) {
		struct side *side = &s->sides[i];

		side->h = (struct sotto_histogram){
			.values = side->values, .counts = side->counts, .lo = LO, .hi = HI};
		add(side, 2, 3);
		add(side, 5, 1);
		add(side, 9, 3 + (i ? ROWS : 0));
	}
}

/*
 * Six values at 1 of a wide grid.  Two more at its top make 2 .. 98 better and 0 worse,
 * and most of the mass is at 2 .. 98: the loss at 0 is nearly all of epsilon.
 */
static void fill_wide(struct subject *s)
{
	for (int i = 0; i < 2; i++) {
		struct side *side = &s->sides[i];

		side->h = (struct sotto_histogram){
			.values = side->values, .counts = side->counts, .lo = LO, .hi = WIDE};
		add(side, 1, 6);
		if (i)
			add(side, WIDE, ROWS);
	}
}

static unsigned run_quantile(void *context, bool neighbour, struct sotto_rng *rng)
{
	struct subject *s = context;
	struct sotto_noisy out;

	if (sotto_quantile_publish(s->quantile, rng, &s->sides[neighbour].h, &out) != SOTTO_OK)
		abort();
	return (unsigned)out.value;
}

static unsigned run_mode(void *context, bool neighbour, struct sotto_rng *rng)
{
	struct subject *s = context;
	struct sotto_noisy out;

	if (sotto_mode_publish(s->mode, rng, &s->sides[neighbour].h, &out) != SOTTO_OK)
		abort();
	return (unsigned)out.value;
}

/* Three ranks at once: all of the outcome. */
static unsigned run_tree(void *context, bool neighbour, struct sotto_rng *rng)
{
	static const struct sotto_rank ranks[] = {
		{1, 4, 0, 0, 0}, {1, 2, 0, 0, 0}, {1, 1, -1, 1, 0}};
	struct subject *s = context;
	struct sotto_noisy out[3];

	if (sotto_rank_tree_publish(&s->tree, &(struct sotto_rank_noise){.laplace = s->laplace},
				    rng, &s->sides[neighbour].h, ranks, 3, out) != SOTTO_OK)
		abort();
	return (unsigned)(100 * out[0].value + 10 * out[1].value + out[2].value);
}

static struct sotto_quantile *quantile_of(const struct sotto_rank *r, int64_t rows)
{
	struct sotto_rational one = rational_of("1");
	struct sotto_quantile *m = NULL;

	if (sotto_quantile_new(r, rows, &one, &m) != SOTTO_OK)
		abort();
	sotto_rational_release(&one);
	return m;
}

/* Fewer runs prove less: twins are looked for with all of them only. */
static double prove(audit_run run, struct subject *s, unsigned classes)
{
	struct audit a = {run, s, classes, effort() == EFFORT_SANITIZED ? 40000 : 400000,
			  0,   99};
	struct audit_proof p = audit_prove(&a);

	tap_note("claim 1, proved %.3f (p %.4g, q %.4g)", p.epsilon, p.p, p.q);
	return p.epsilon;
}

static const struct sotto_rank ranks[] = {{1, 2, 0, 0, 0},
					  {1, 4, -1, 0, 0},
					  {0, 1, -1, 1, 0},
					  {1, 1, -1, 1, 0},
					  {9, 10, 0, 3, 0}};

static void no_rank_loses_more_than_epsilon(void)
{
	for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
		struct subject s = {.quantile = quantile_of(&ranks[i], ROWS)};

		double proved;

		fill_wide(&s);
		proved = prove(run_quantile, &s, WIDE + 1);
		CHECK(proved <= 1);
		if (i == 0 && effort() != EFFORT_SANITIZED) /* or this would be no test */
			CHECK(proved > 0.6);
		sotto_quantile_free(s.quantile);
	}
}

/* A twin that forgets that a unit has two rows. */
static void a_unit_counted_as_one_row_is_found(void)
{
	struct subject s = {.quantile = quantile_of(&ranks[0], ROWS - 1)};

	fill_wide(&s);
	CHECK(prove(run_quantile, &s, WIDE + 1) > (effort() == EFFORT_SANITIZED ? 0 : 1));
	sotto_quantile_free(s.quantile);
}

static struct sotto_exponential *mode_of(const char *rows)
{
	struct sotto_rational one = rational_of("1"), d = rational_of(rows);
	struct sotto_selection c = {&one, &d, true, false};
	struct sotto_exponential *m = NULL;

	if (sotto_exponential_new(&c, &m, NULL) != SOTTO_OK)
		abort();
	sotto_rational_release(&one);
	sotto_rational_release(&d);
	return m;
}

static void the_mode_loses_no_more_than_epsilon(void)
{
	struct subject s = {.mode = mode_of("2")}, twin = {.mode = mode_of("1")};

	fill(&s);
	fill(&twin);
	CHECK(prove(run_mode, &s, HI + 1) <= 1);
	CHECK(prove(run_mode, &twin, HI + 1) > 1);
	sotto_exponential_free(s.mode);
	sotto_exponential_free(twin.mode);
}

/* Laplace noise of scale rows * levels / epsilon; a twin forgets the levels. */
static void a_tree_loses_no_more_than_epsilon(void)
{
	struct subject s = {.tree = {2, 2}}, twin = {.tree = {2, 2}};
	struct sotto_rational six = rational_of("6"), half = rational_of("1/2");

	if (sotto_laplace_new_scale(&six, &s.laplace) != SOTTO_OK ||
	    sotto_laplace_new_scale(&half, &twin.laplace) != SOTTO_OK)
		abort();
	fill(&s);
	fill(&twin);
	CHECK(prove(run_tree, &s, 1000) <= 1);
	CHECK(prove(run_tree, &twin, 1000) > 1);
	sotto_laplace_free(s.laplace);
	sotto_laplace_free(twin.laplace);
	sotto_rational_release(&six);
	sotto_rational_release(&half);
}

/* ---- the law ------------------------------------------------------------------------ */

/* Values that are on the wrong side of v for the median of 2 2 2 5 9 9 9. */
static const int64_t wrong[] = {7, 7, 1, 1, 1, 0, 1, 1, 1, 1};

/* P[v] is proportional to exp(-wrong / (2 ROWS)): halves of values, sensitivity ROWS / 2. */
static double log_p_of_sample(int64_t rows, uint64_t runs)
{
	struct subject s = {.quantile = quantile_of(&ranks[0], rows)};
	double observed[HI + 1] = {0}, expected[HI + 1], total = 0;
	struct sotto_rng *rng = stream_open(31);

	fill(&s);
	for (uint64_t i = 0; i < runs; i++)
		observed[run_quantile(&s, false, rng)]++;
	for (int v = 0; v <= HI; v++)
		total += expected[v] = exp(-(double)wrong[v] / (2.0 * ROWS));
	for (int v = 0; v <= HI; v++)
		expected[v] *= (double)runs / total;
	stream_close(rng);
	sotto_quantile_free(s.quantile);
	return log_p_chi_square(expected, observed, HI + 1);
}

static void a_median_has_the_law_of_the_exponential_mechanism(void)
{
	uint64_t runs = effort() == EFFORT_SANITIZED ? 30000 : 300000;

	CHECK(log_p_of_sample(ROWS, runs) > log(1e-9));
	CHECK(log_p_of_sample(ROWS + 1, runs) < log(1e-9));
}

int main(void)
{
	RUN(no_rank_loses_more_than_epsilon);
	RUN(a_unit_counted_as_one_row_is_found);
	RUN(the_mode_loses_no_more_than_epsilon);
	RUN(a_tree_loses_no_more_than_epsilon);
	RUN(a_median_has_the_law_of_the_exponential_mechanism);
	return tap_done();
}
