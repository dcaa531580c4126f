/*
 * The linear estimates: the same as a dense solution of all normal equations, with six marginals that
 * differ by level; intervals cover what they promise, for Gaussian and for Laplace noise;
 * deviations are those that are seen.
 *
 * Tolerances of the coverage: each run covers or not, independently; a normal deviate goes beyond
 * 6.2 standard errors with probability 6e-10.
 */
#include "census/solve/information/census_linear.h"

#include <stdlib.h>

#include "census/solve/information/census_quantile.h"
#include "core/number/normal.h"
#include "testlib/fixture/country.h"
#include "testlib/tap.h"

enum { CELLS = 12, UNKNOWNS_MAX = 20 * CELLS, EQUATIONS_MAX = UNKNOWNS_MAX + 8 };

static const char vector_plan[] =
	"hierarchy: [{level: Top}, {level: Mid, column: m}, {level: Low, column: l}]\n"
	"attributes: [{name: a, categories: 2}, {name: b, categories: 2}, {name: c, "
	"categories: 3}]\n"
	"queries: {c2: {c: [['0'], ['1', '2']]}}\n"
	"privacy: {model: zcdp, rho: 1, neighbours: replace-one}\n"
	"budget:\n"
	"  levels: {Top: 1/4, Mid: 1/4, Low: 1/2}\n"
	"  queries:\n"
	"    Top: {total: 1/4, \"a*b\": 1/4, detailed: 1/2}\n"
	"    Mid: {\"b*c\": 1/4, \"a*c2\": 1/8, c: 1/8, detailed: 1/2}\n"
	"    Low: {total: 1/8, a: 1/8, \"a*c\": 1/4, detailed: 1/2}\n"
	"invariants: [{level: Mid, query: total}]\n"
	"output: {tables: [total, a, \"a*c\", c2, detailed]}\n"
	"estimate: {mode: gls, up_levels: all}\n";

/* ---- dense ---------------------------------------------------------------------------------- */

struct dense {
	size_t unknowns, n; /* n with the equations of fixed totals */
	double a[EQUATIONS_MAX][2 * EQUATIONS_MAX]; /* beside it the inverse */
	double right[EQUATIONS_MAX];
	size_t rank, pivot[EQUATIONS_MAX];
	double sharpest; /* the largest weight: all are divided by it */
};

/*
 * Gauss and Jordan, with the largest entry left as the pivot.  Where none is left the matrix has its rank;
 * row of column c: pivot[c], or SIZE_MAX if that unknown is free.
 */
static void reduce(struct dense *d)
{
	size_t n = d->n;

	for (size_t i = 0; i < n; i++) {
		d->pivot[i] = SIZE_MAX;
		for (size_t j = 0; j < n; j++)
			d->a[i][n + j] = i == j;
	}
	for (d->rank = 0; d->rank < n; d->rank++) {
		size_t row = d->rank, column = 0;
		double most = 1e-9, scale;

		for (size_t i = d->rank; i < n; i++)
			for (size_t j = 0; j < n; j++)
				if (fabs(d->a[i][j]) > most && d->pivot[j] == SIZE_MAX) {
					most = fabs(d->a[i][j]);
					row = i;
					column = j;
				}
		if (most <= 1e-9)
			return;
		d->pivot[column] = d->rank;
		scale = d->a[row][column];
		for (size_t k = 0; k < 2 * n; k++) {
			double kept = d->a[row][k] / scale;

			d->a[row][k] = d->a[d->rank][k];
			d->a[d->rank][k] = kept;
		}
		for (size_t i = 0; i < n; i++) {
			double f = d->a[i][column];

			for (size_t k = 0; i != d->rank && f != 0 && k < 2 * n; k++)
				d->a[i][k] -= f * d->a[d->rank][k];
		}
	}
}

/* w with A w = f, or false if there is none: then nothing determines the sum f. */
static bool solve_for(const struct dense *d, const double *f, double *w)
{
	double row[EQUATIONS_MAX] = {0};

	for (size_t i = 0; i < d->n; i++)
		for (size_t j = 0; j < d->unknowns; j++)
			row[i] += d->a[i][d->n + j] * f[j];
	for (size_t i = d->rank; i < d->n; i++)
		if (fabs(row[i]) > 1e-7)
			return false;
	for (size_t c = 0; c < d->n; c++)
		w[c] = d->pivot[c] == SIZE_MAX ? 0 : row[d->pivot[c]];
	return true;
}

/* Marks the unknowns that one cell of a query adds up in a node. */
static void mark(const struct country *c, size_t node, size_t query, size_t cell, double *f)
{
	const uint32_t *map = c->w.schema.maps[query];
	size_t first, end;

	memset(f, 0, EQUATIONS_MAX * sizeof *f);
	sotto_census_leaf_range(&c->w.shape, node, &first, &end);
	for (size_t leaf = first; leaf < end; leaf++)
		for (size_t k = 0; k < CELLS; k++)
			f[leaf * CELLS + k] = map[k] == cell;
}

static void add_row(struct dense *d, const double *f, double y, double weight)
{
	for (size_t i = 0; i < d->unknowns; i++) {
		if (f[i] == 0)
			continue;
		d->right[i] += weight * y;
		for (size_t j = 0; j < d->unknowns; j++)
			d->a[i][j] += weight * f[j];
	}
}

static bool
solve_dense(const struct country *c, const struct sotto_census_measurement *m, struct dense *d)
{
	const struct sotto_census_shape *s = &c->w.shape;
	const struct sotto_census_plan *p = &c->w.plan;
	struct sotto_census_reader *reader;
	struct sotto_noisy answers[CELLS];
	double f[EQUATIONS_MAX];

	memset(d, 0, sizeof *d);
	d->unknowns = d->n = sotto_census_leaf_count(s) * CELLS;
	for (size_t i = 0; i < p->level_count; i++)
		for (size_t k = 0; k < p->levels[i].measure_count; k++)
			d->sharpest = fmax(d->sharpest, p->levels[i].measures[k].weight);
	if (sotto_census_reader_open(m, &reader) != SOTTO_OK)
		return false;
	for (size_t v = 0; v < sotto_census_node_count(s); v++) {
		const struct sotto_census_level *l =
			&p->levels[s->plan_level[sotto_census_level_of(s, v)]];

		for (size_t i = 0; i < l->measure_count; i++) {
			size_t query = l->measures[i].query, cells = p->queries[query].cells;

			if (sotto_census_measure(reader, v, i, NULL, cells, answers) !=
			    SOTTO_OK)
				return false;
			for (size_t k = 0; k < cells; k++) {
				mark(c, v, query, k, f);
				add_row(d, f, (double)answers[k].value,
					l->measures[i].weight / d->sharpest);
			}
		}
		if (s->total_low[v] == s->total_high[v] && v >= s->start[1]) {
			mark(c, v, p->tables[0], 0, f);
			for (size_t i = 0; i < d->unknowns; i++)
				d->a[i][d->n] = d->a[d->n][i] = f[i];
			d->right[d->n++] = (double)s->total_low[v];
		}
	}
	sotto_census_reader_close(reader);
	reduce(d);
	return true;
}

static bool near(double got, double want, double scale)
{
	return fabs(got - want) <= 1e-7 * scale;
}

/* Returns how many cells nothing determines. */
static size_t check_node(const struct country *c, const struct dense *d,
			 const struct sotto_census_linear *l, size_t v)
{
	double f[EQUATIONS_MAX], w[EQUATIONS_MAX];
	size_t unknown = 0;

	for (size_t t = 0; t < l->table_count; t++) {
		size_t query = c->w.plan.tables[t];

		for (size_t k = 0; k < c->w.plan.queries[query].cells; k++) {
			size_t at = v * l->per_node + l->starts[t] + k;
			double estimate = 0, variance = 0, deviation = l->deviations[at];

			mark(c, v, query, k, f);
			if (!solve_for(d, f, w)) {
				CHECK(isinf(deviation));
				unknown++;
				continue;
			}
			for (size_t i = 0; i < d->n; i++)
				estimate += w[i] * d->right[i];
			for (size_t i = 0; i < d->unknowns; i++)
				variance += w[i] * f[i] / d->sharpest;
			CHECK(near(l->estimates[at], estimate, 1000 + sqrt(fabs(variance))));
			CHECK(near(deviation * deviation, variance, 100 + fabs(variance)));
		}
	}
	return unknown;
}

static bool estimate(struct country *c, const struct sotto_census_measurement *m,
		     struct sotto_census_linear *out)
{
	struct sotto_census_run run = {.plan = &c->w.plan,
				       .schema = &c->w.schema,
				       .shape = &c->w.shape,
				       .measurement = m};
	bool ok = sotto_census_run_prepare(&run) == SOTTO_OK &&
		  sotto_census_linear_init(out, &run) == SOTTO_OK;

	sotto_census_run_release(&run);
	return ok;
}

static size_t check_plan(const char *text, bool fixed)
{
	struct country *c = malloc(sizeof *c);
	struct dense *d = malloc(sizeof *d);
	size_t unknown = 0;

	for (uint64_t i = 0; i < 4; i++) {
		struct sotto_census_measurement m;
		struct sotto_census_linear l;

		CHECK(country_open(c, text, 40 + i, false) &&
		      (!fixed || country_fix_middle(c)));
		CHECK(country_measure(c, i, &m) == SOTTO_OK && estimate(c, &m, &l));
		CHECK(solve_dense(c, &m, d));
		for (size_t v = 0; v < sotto_census_node_count(&c->w.shape); v++)
			unknown += check_node(c, d, &l, v);
		sotto_census_linear_release(&l);
		sotto_census_measurement_release(&m);
		country_close(c);
	}
	free(c);
	free(d);
	return unknown;
}

static void marginals_that_differ_by_level_are_solved_exactly(void)
{
	CHECK(check_plan(vector_plan, true) == 0);
}

/* Plans whose queries leave some directions open at some levels, and all of them at others. */
#define PARTIAL(budget, rest)                                                                  \
	"hierarchy: [{level: Top}, {level: Mid, column: m}, {level: Low, column: l}]\n"        \
	"attributes: [{name: a, categories: 2}, {name: b, categories: 2}, {name: c, "          \
	"categories: 3}]\n"                                                                    \
	"queries: {c2: {c: [['0'], ['1', '2']]}}\n"                                            \
	"output: {tables: [total, a, \"a*c\", c2, \"b*c2\", detailed]}\n"                      \
	"estimate: {mode: gls, up_levels: all}\n" budget rest

static void what_queries_leave_open_is_known_to_be_unknown(void)
{
	const char *fixed = "invariants: [{level: Mid, query: total}]\n";
	static const char *const plans[] = {
		/* only groups below: the leaves' cells stay open, the parents' do not */
		PARTIAL("privacy: {model: zcdp, rho: 1, neighbours: replace-one}\n"
			"budget: {levels: {Top: 1/4, Mid: 1/4, Low: 1/2}, queries: {Top: "
			"{total: 1/2, "
			"detailed: 1/2}, Mid: {detailed: 1/2, \"a*b\": 1/2}, Low: {c2: 1/2, b: "
			"1/4, "
			"total: 1/4}}}\n",
			""),
		/* a level that is not measured, and fixed totals above open cells */
		PARTIAL("privacy: {model: zcdp, rho: 1, neighbours: replace-one}\n"
			"budget: {levels: {Top: 1/2, Mid: 0, Low: 1/2}, queries: {Top: "
			"{\"a*c2\": 1}, "
			"Low: {c2: 1/2, a: 1/2}}}\n",
			"invariants: [{level: Mid, query: total}]\n"),
		/* nothing below the top */
		PARTIAL("privacy: {model: zcdp, rho: 1, neighbours: add-remove}\n"
			"budget: {levels: {Top: 1, Mid: 0, Low: 0}, queries: {Top: {\"b*c\": "
			"1/2, "
			"c2: 1/2}}}\n",
			""),
		/* hardly any budget: a variance of 10^10 is no sign of ignorance */
		PARTIAL("privacy: {model: pure, epsilon: 1/20000, neighbours: replace-one}\n"
			"budget: {levels: {Top: 1/4, Mid: 1/4, Low: 1/2}, queries: {Top: {a: "
			"1}, Mid: "
			"{\"a*c2\": 1}, Low: {\"b*c2\": 1/2, total: 1/2}}}\n",
			""),
	};

	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
		CHECK(check_plan(plans[i], strstr(plans[i], fixed) != NULL) > 0);
}

/* A table of groups that no query uses: the axis stays regular. */
static void groups_of_a_table_are_as_wide_as_their_cells(void)
{
	CHECK(check_plan(PARTIAL("privacy: {model: zcdp, rho: 1, neighbours: replace-one}\n"
				 "budget: {levels: {Top: 1/4, Mid: 1/4, Low: 1/2}, queries: "
				 "{Top: {total: 1/2, detailed: 1/2}, Mid: {c: 1/2, "
				 "detailed: 1/2}, Low: {detailed: 1}}}\n",
				 ""),
			 false) == 0);
}

/* ---- coverage ------------------------------------------------------------------------------- */

static const char interval_plan[] =
	"hierarchy: [{level: Top}, {level: Mid, column: m}, {level: Low, column: l}]\n"
	"attributes: [{name: a, categories: 2}]\n"
	"privacy: {model: %s, neighbours: add-remove}\n"
	"budget:\n"
	"  levels: {Top: 1/4, Mid: 1/4, Low: 1/2}\n"
	"  queries: {Top: {total: 1}, Mid: {a: 1}, Low: {total: 1/4, a: 3/4}}\n"
	"output: {tables: [total, a], intervals: 0.95}\n"
	"estimate: {mode: %s, up_levels: all}\n";

/* How often the true value of each number lay in its interval, and the mean of (error/sd)^2. */
struct tally {
	size_t covered;
	double squares;
};

static double true_value(const struct country *c, size_t node, size_t query, size_t cell)
{
	const struct sotto_census_truth *t = c->w.truth;
	size_t first, end;
	int64_t sum = 0;

	sotto_census_leaf_range(&c->w.shape, node, &first, &end);
	for (uint64_t i = t->starts[first]; i < t->starts[end]; i++)
		if (c->w.schema.maps[query][t->cells[i]] == cell)
			sum += t->counts[i];
	return (double)sum;
}

static void
tally_run(const struct country *c, const struct sotto_census_linear *l, struct tally *tallies)
{
	const struct sotto_census_shape *s = &c->w.shape;

	for (size_t v = 0; v < sotto_census_node_count(s); v++)
		for (size_t t = 0; t < l->table_count; t++)
			for (size_t k = 0; k < c->w.plan.queries[c->w.plan.tables[t]].cells;
			     k++) {
				size_t at = v * l->per_node + l->starts[t] + k;
				double quantile = l->quantiles[sotto_census_level_of(s, v) *
								       l->table_count +
							       t];
				double sd = l->deviations[at];
				double off = l->estimates[at] -
					     true_value(c, v, c->w.plan.tables[t], k);

				tallies[at].covered +=
					fabs(off) <=
					sotto_census_half_width(quantile, sd, false);
				tallies[at].squares += off * off / (sd * sd);
			}
}

static void check_coverage(const char *model, const char *mode)
{
	size_t runs = getenv("SOTTO_LONG") ? 200000 : 4000;
	double error = 6.2 * sqrt(0.95 * 0.05 / (double)runs) + 0.005;
	double kurtosis = strstr(model, "pure") ? 6 : 3;
	double spread = 6.2 * sqrt((kurtosis - 1) / (double)runs) + 0.01;
	struct country *c = malloc(sizeof *c);
	struct sotto_census_measurement m;
	struct sotto_census_linear first, l;
	struct tally *tallies;
	char text[1000];
	size_t numbers;

	snprintf(text, sizeof text, interval_plan, model, mode);
	REQUIRE(country_open(c, text, 8, false) && country_measure(c, 0, &m) == SOTTO_OK);
	REQUIRE(estimate(c, &m, &first)); /* with quantiles */
	numbers = sotto_census_node_count(&c->w.shape) * first.per_node;
	tallies = calloc(numbers, sizeof *tallies);
	c->w.plan.intervals = NULL; /* they need not be found again */
	for (uint64_t i = 1; i <= runs; i++) {
		memcpy(m.key + 8, &i, sizeof i);
		REQUIRE(estimate(c, &m, &l));
		memcpy(l.quantiles, first.quantiles,
		       c->w.shape.level_count * l.table_count * sizeof *l.quantiles);
		tally_run(c, &l, tallies);
		sotto_census_linear_release(&l);
	}
	for (size_t i = 0; i < numbers; i++) {
		double share = (double)tallies[i].covered / (double)runs;

		if (fabs(share - 0.95) > error ||
		    fabs(tallies[i].squares / (double)runs - 1) > spread)
			tap_note("%s %s, number %zu: covered %.4f, variance %.4f", model, mode,
				 i, share, tallies[i].squares / (double)runs);
		CHECK(fabs(share - 0.95) <= error);
		CHECK(fabs(tallies[i].squares / (double)runs - 1) <= spread);
	}
	sotto_census_linear_release(&first);
	sotto_census_measurement_release(&m);
	country_close(c);
	free(tallies);
	free(c);
}

static void gaussian_intervals_cover_in_least_squares(void)
{
	check_coverage("zcdp, rho: 1/100", "gls");
}

static void gaussian_intervals_cover_in_top_down(void)
{
	check_coverage("zcdp, rho: 1/100", "topdown");
}

static void laplace_intervals_cover_in_least_squares(void)
{
	check_coverage("pure, epsilon: 1/5", "gls");
}

static void laplace_intervals_cover_in_top_down(void)
{
	check_coverage("pure, epsilon: 1/5", "topdown");
}

/* ---- quantiles -------------------------------------------------------------------------------- */

static void quantiles_of_known_laws(void)
{
	CHECK(fabs(sotto_normal_upper(0.025) - 1.959963985) < 1e-8);
	CHECK(fabs(sotto_census_sum_quantile(true, 0.95, 1) - log(20) / sqrt(2)) < 1e-12);
	CHECK(fabs(sotto_census_sum_quantile(true, 0.95, 40) - 1.96) < 0.03);
	CHECK(sotto_census_sum_quantile(false, 0.95, 1) == sotto_normal_upper((1 - 0.95) / 2));
	/* P[|X| <= 1] = 0.9991 for sigma^2 = 0.25, and P[X = 0] = 0.79 */
	CHECK(sotto_census_half_width(1.96, 0.4637, true) == 1);
	CHECK(sotto_census_half_width(1.96, 0, true) == 0);
	CHECK(sotto_census_half_width(1.96, 10, false) == 19.6);
}

int main(void)
{
	RUN(marginals_that_differ_by_level_are_solved_exactly);
	RUN(what_queries_leave_open_is_known_to_be_unknown);
	RUN(groups_of_a_table_are_as_wide_as_their_cells);
	RUN(gaussian_intervals_cover_in_least_squares);
	RUN(gaussian_intervals_cover_in_top_down);
	RUN(laplace_intervals_cover_in_least_squares);
	RUN(laplace_intervals_cover_in_top_down);
	RUN(quantiles_of_known_laws);
	return tap_done();
}
