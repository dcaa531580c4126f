/*
 * Counts far above their noise are right on average: the mean error of every cell of every node over
 * many noises is 0 within its standard error.  Equal fractions are frequent here, so a rule that
 * always favours the same sibling fails.
 *
 * Tolerance: a normal deviate goes beyond 6.6 with probability 4e-11; there are some 600 numbers.
 */
#include <stdlib.h>

#include "testlib/fixture/country.h"
#include "testlib/effort.h"
#include "testlib/tap.h"

enum { CELLS = 3 };

static const char plan_text[] =
	"hierarchy: [{level: Top}, {level: Mid, column: m}, {level: Low, column: l}]\n"
	"attributes: [{name: a, categories: 3}]\n"
	"privacy: {model: zcdp, rho: 1/2, neighbours: add-remove}\n"
	"budget:\n"
	"  levels: {Top: 1/4, Mid: 1/4, Low: 1/2}\n"
	"  queries: {Top: {total: 1}, Mid: {total: 1/2, a: 1/2}, Low: {a: 1}}\n"
	"estimate: {mode: %s, rounding: %s}\n";

/* Everybody's cells are full. */
static void fill(struct country *c)
{
	struct sotto_census_truth *t = c->w.truth;
	size_t n = t->leaves * CELLS;

	free(t->cells);
	free(t->counts);
	t->cells = malloc(n * sizeof *t->cells);
	t->counts = malloc(n * sizeof *t->counts);
	if (!t->cells || !t->counts)
		abort();
	t->n = n;
	for (size_t i = 0; i < n; i++) {
		t->starts[i / CELLS] = i / CELLS * CELLS;
		t->cells[i] = (uint32_t)(i % CELLS);
		t->counts[i] = (uint32_t)(1000 + 37 * i);
	}
	t->starts[t->leaves] = n;
}

static int64_t truth_of(const struct country *c, size_t node, size_t cell)
{
	size_t first, end;
	int64_t sum = 0;

	sotto_census_leaf_range(&c->w.shape, node, &first, &end);
	for (size_t leaf = first; leaf < end; leaf++)
		sum += c->w.truth->counts[leaf * CELLS + cell];
	return sum;
}

static void check_mean(const char *mode, const char *rounding)
{
	static double sums[COUNTRY_NODES_MAX][CELLS], squares[COUNTRY_NODES_MAX][CELLS];
	static const double runs_by_effort[] = {1000, 4000, 200000};
	double runs = runs_by_effort[effort()];
	struct country *c = malloc(sizeof *c);
	struct sotto_census_measurement m;
	char text[1000];

	memset(sums, 0, sizeof sums);
	memset(squares, 0, sizeof squares);
	snprintf(text, sizeof text, plan_text, mode, rounding);
	REQUIRE(country_open(c, text, 5, false));
	fill(c);
	for (uint64_t key = 0; key < (uint64_t)runs; key++) {
		REQUIRE(country_measure(c, key, &m) == SOTTO_OK &&
			country_run(c, &m, 1) == SOTTO_OK);
		sotto_census_measurement_release(&m);
		for (size_t v = 0; v < sotto_census_node_count(&c->w.shape); v++)
			for (size_t k = 0; k < CELLS; k++) {
				double off = (double)(c->counts[v][k] - truth_of(c, v, k));

				sums[v][k] += off;
				squares[v][k] += off * off;
			}
	}
	for (size_t v = 0; v < sotto_census_node_count(&c->w.shape); v++)
		for (size_t k = 0; k < CELLS; k++) {
			double mean = sums[v][k] / runs;
			double error = sqrt((squares[v][k] / runs - mean * mean) / runs);

			if (fabs(mean) > 6.6 * error)
				tap_note("%s %s, node %zu, cell %zu: %.4f +- %.4f", mode,
					 rounding, v, k, mean, error);
			CHECK(error > 0 && fabs(mean) <= 6.6 * error);
		}
	country_close(c);
	free(c);
}

static void least_squares(void)
{
	check_mean("gls", "l1");
}

static void least_squares_with_unbiased_rounding(void)
{
	check_mean("gls", "unbiased");
}

static void top_down(void)
{
	check_mean("topdown", "l1");
}

static void top_down_with_unbiased_rounding(void)
{
	check_mean("topdown", "unbiased");
}

int main(void)
{
	RUN(least_squares);
	RUN(least_squares_with_unbiased_rounding);
	RUN(top_down);
	RUN(top_down_with_unbiased_rounding);
	return tap_done();
}
