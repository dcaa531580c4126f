/*
 * Sensitivities: the published table, and every number of it against all small datasets.
 */
#include "sotto/accuracy.h"

#include <stdlib.h>

#include "sotto/noise.h"
#include "testlib/number.h"
#include "testlib/tap.h"

struct question {
	enum sotto_query query;
	const char *low, *high;
	uint64_t minimum, counts, contributions;
	const char *factor, *empty;
};

static bool answer(const struct question *q, bool replace, const char *l1, const char *l2)
{
	struct sotto_rational low = rational_of(q->low ? q->low : "0");
	struct sotto_rational high = rational_of(q->high ? q->high : "0");
	struct sotto_rational factor = rational_of(q->factor ? q->factor : "1");
	struct sotto_rational empty = rational_of(q->empty ? q->empty : "0");
	struct sotto_sensitivity_options o = {.query = q->query,
					      .replace = replace,
					      .low = q->low ? &low : NULL,
					      .high = q->high ? &high : NULL,
					      .minimum = q->minimum,
					      .empty = q->empty ? &empty : NULL,
					      .counts = q->counts,
					      .contributions = q->contributions,
					      .factor = q->factor ? &factor : NULL};
	struct sotto_sensitivity s;
	struct sotto_error err = {""};
	bool same;

	sotto_sensitivity_init(&s);
	same = sotto_sensitivity_set(&s, &o, &err) == SOTTO_OK ? l1 != NULL : l1 == NULL;
	if (same && l1)
		same = rational_is(s.l1.q, l1) && rational_is(s.l2_squared.q, l2) &&
		       s.formula[0] && s.reason[0];
	if (!same)
		gmp_printf("# query %d: l1 %Qd, l2^2 %Qd, %s\n", (int)q->query, s.l1.q,
			   s.l2_squared.q, err.text);
	sotto_sensitivity_release(&s);
	sotto_rational_release(&low);
	sotto_rational_release(&high);
	sotto_rational_release(&factor);
	sotto_rational_release(&empty);
	return same;
}

static void the_table_holds(void)
{
	const struct question count = {.query = SOTTO_QUERY_COUNT};
	const struct question twelve = {.query = SOTTO_QUERY_COUNTS, .counts = 12};
	const struct question cells = {.query = SOTTO_QUERY_HISTOGRAM};
	const struct question salaries = {SOTTO_QUERY_SUM, .low = "20000", .high = "200000"};
	const struct question losses = {SOTTO_QUERY_SUM, .low = "-50", .high = "10"};
	const struct question debt = {SOTTO_QUERY_SUM, .low = "0", .high = "10000000"};
	const struct question age = {SOTTO_QUERY_AVERAGE, "0", "120", .minimum = 100};
	const struct question any_age = {SOTTO_QUERY_AVERAGE, .low = "0", .high = "120"};
	const struct question middle = {SOTTO_QUERY_AVERAGE, "0", "120", .empty = "60"};
	const struct question share = {SOTTO_QUERY_PERCENTAGE, .minimum = 1000};
	const struct question median = {SOTTO_QUERY_QUANTILE, "0", "10", .minimum = 1000};
	const struct question spread = {SOTTO_QUERY_VARIANCE, "0", "10", .minimum = 10};
	const struct question sample = {SOTTO_QUERY_SAMPLE_VARIANCE, "0", "10", .minimum = 10};

	CHECK(answer(&count, false, "1", "1") && answer(&count, true, "1", "1"));
	CHECK(answer(&twelve, false, "12", "12") && answer(&twelve, true, "12", "12"));
	CHECK(answer(&cells, false, "1", "1") && answer(&cells, true, "2", "2"));
	CHECK(answer(&salaries, false, "200000", "4e10") &&
	      answer(&salaries, true, "180000", "32400000000"));
	CHECK(answer(&losses, false, "50", "2500") && answer(&losses, true, "60", "3600"));
	CHECK(answer(&debt, false, "10000000", "1e14"));
	CHECK(answer(&age, true, "1.2", "1.44") &&
	      answer(&age, false, "120/101", "14400/10201"));
	CHECK(answer(&any_age, true, "120", "14400") &&
	      answer(&any_age, false, "120", "14400"));
	CHECK(answer(&middle, true, "120", "14400") && answer(&middle, false, "60", "3600"));
	CHECK(answer(&share, true, "0.1", "0.01") &&
	      answer(&share, false, "100/1001", "10000/1002001"));
	CHECK(answer(&median, true, "10", "100") && answer(&median, false, "10", "100"));
	CHECK(answer(&spread, true, "9", "81") &&
	      answer(&spread, false, "1000/121", "1000000/14641"));
	CHECK(answer(&sample, true, "10", "100") &&
	      answer(&sample, false, "100/11", "10000/121"));
}

static void factors_and_contributions_multiply(void)
{
	const struct question sum = {SOTTO_QUERY_SUM, "0", "10", .contributions = 3,
				     .factor = "-1/2"};
	const struct question cells = {SOTTO_QUERY_HISTOGRAM, .contributions = 4};

	CHECK(answer(&sum, false, "15", "225"));
	CHECK(answer(&cells, false, "4", "16"));
	CHECK(answer(&cells, true, "8", "32"));
}

static void what_is_missing_is_refused_and_never_taken_as_zero(void)
{
	const struct question no_bounds = {.query = SOTTO_QUERY_SUM};
	const struct question one_bound = {SOTTO_QUERY_AVERAGE, .low = "0"};
	const struct question turned = {SOTTO_QUERY_SUM, .low = "5", .high = "4"};
	const struct question small = {SOTTO_QUERY_SAMPLE_VARIANCE, "0", "1", .minimum = 1};
	const struct question odd = {SOTTO_QUERY_SUM, "0", "1", .counts = 3};
	const struct question endless = {SOTTO_QUERY_AVERAGE, "0", "1", 1,
					 .contributions = UINT64_MAX};
	const struct question all = {SOTTO_QUERY_AVERAGE, "0", "1", .minimum = UINT64_MAX};

	CHECK(answer(&no_bounds, false, NULL, NULL));
	CHECK(answer(&one_bound, false, NULL, NULL));
	CHECK(answer(&turned, false, NULL, NULL));
	CHECK(answer(&small, false, NULL, NULL));
	CHECK(answer(&odd, false, NULL, NULL));
	CHECK(answer(&endless, false, NULL, NULL) && answer(&all, false, NULL, NULL));
}

/* ---- brute force over all datasets of up to SIZE records with values in A .. B ---- */

enum { VALUES = 5, SIZE = 5, RECORDS = 3 };

static const double grid[VALUES] = {-1, 0, 0.5, 1, 2}; /* A = -1, B = 2 */

static double evaluate(enum sotto_query query, const int *x, int n, double empty)
{
	double sum = 0, mean, square = 0;
	int hits = 0, sorted[SIZE + RECORDS], below;

	for (int i = 0; i < n; i++) {
		sum += grid[x[i]];
		hits += x[i] >= 3;
	}
	if (query == SOTTO_QUERY_SUM)
		return sum;
	if (query == SOTTO_QUERY_COUNT)
		return hits;
	if (n == 0)
		return empty;
	mean = sum / n;
	for (int i = 0; i < n; i++) {
		square += (grid[x[i]] - mean) * (grid[x[i]] - mean);
		below = 0;
		for (int j = 0; j < n; j++)
			below += x[j] < x[i] || (x[j] == x[i] && j < i);
		sorted[below] = x[i];
	}
	switch (query) {
	case SOTTO_QUERY_AVERAGE:
		return mean;
	case SOTTO_QUERY_PERCENTAGE:
		return 100.0 * hits / n;
	case SOTTO_QUERY_QUANTILE:
		return grid[sorted[(n - 1) / 2]];
	case SOTTO_QUERY_VARIANCE:
		return square / n;
	default:
		return square / (n - 1);
	}
}

/* The next of n records in rising order; false after the last. */
static bool next_dataset(int *x, int n)
{
	int i = n - 1;

	while (i >= 0 && x[i] == VALUES - 1)
		i--;
	if (i < 0)
		return false;
	for (int value = x[i] + 1; i < n; i++)
		x[i] = value;
	return true;
}

struct neighbours {
	enum sotto_query query;
	int common, removed, added;
	double empty;
};

static double worst_of(const struct neighbours *p)
{
	int x[SIZE + RECORDS] = {0}, y[SIZE + RECORDS] = {0};
	double worst = 0;

	do {
		memset(x + p->common, 0, (size_t)p->removed * sizeof *x);
		memcpy(y, x, (size_t)p->common * sizeof *y);
		do {
			double before = evaluate(p->query, x, p->common + p->removed, p->empty);

			memset(y + p->common, 0, (size_t)p->added * sizeof *y);
			do
				worst = fmax(worst, fabs(before - evaluate(p->query, y,
									   p->common + p->added,
									   p->empty)));
			while (next_dataset(y + p->common, p->added));
		} while (next_dataset(x + p->common, p->removed));
	} while (next_dataset(x, p->common));
	return worst;
}

/* A unit has up to c records; a replaced one has as many as before. */
static double brute(enum sotto_query query, bool replace, int minimum, double empty, int c)
{
	double worst = 0;

	for (int common = 0; common <= SIZE; common++)
		for (int moved = 1; moved <= c; moved++) {
			struct neighbours p = {query, common, replace ? moved : 0, moved,
					       empty};

			if (common + p.removed >= minimum && common + moved <= SIZE + 2)
				worst = fmax(worst, worst_of(&p));
		}
	return worst;
}

static double
formula(enum sotto_query query, bool replace, int minimum, const char *empty, int c)
{
	struct sotto_rational low = rational_of("-1"), high = rational_of("2");
	struct sotto_rational e = rational_of(empty);
	struct sotto_sensitivity_options o = {.query = query,
					      .replace = replace,
					      .low = &low,
					      .high = &high,
					      .minimum = (uint64_t)minimum,
					      .empty = &e,
					      .contributions = (uint64_t)c};
	struct sotto_sensitivity s;
	double d;

	sotto_sensitivity_init(&s);
	CHECK_INT(sotto_sensitivity_set(&s, &o, NULL), SOTTO_OK);
	d = rational_double(&s.l1);
	sotto_sensitivity_release(&s);
	sotto_rational_release(&low);
	sotto_rational_release(&high);
	sotto_rational_release(&e);
	return d;
}

static void compare_with_small_datasets(int c)
{
	static const enum sotto_query queries[] = {SOTTO_QUERY_COUNT,    SOTTO_QUERY_SUM,
						   SOTTO_QUERY_AVERAGE,  SOTTO_QUERY_PERCENTAGE,
						   SOTTO_QUERY_QUANTILE, SOTTO_QUERY_VARIANCE};

	for (size_t q = 0; q < sizeof queries / sizeof queries[0]; q++)
		for (int minimum = 0; minimum <= 3; minimum++)
			for (int replace = 0; replace <= 1; replace++)
				for (int empty = -3; empty <= 3; empty += 3) {
					char text[8];

					snprintf(text, sizeof text, "%d", empty);
					CHECK_REL(
						formula(queries[q], replace, minimum, text, c),
						brute(queries[q], replace, minimum, empty, c),
						1e-12);
				}
	for (int minimum = 2; minimum <= 4; minimum++)
		for (int replace = 0; replace <= 1; replace++)
			CHECK_REL(
				formula(SOTTO_QUERY_SAMPLE_VARIANCE, replace, minimum, "0", c),
				brute(SOTTO_QUERY_SAMPLE_VARIANCE, replace, minimum, 0, c),
				1e-12);
}

static void every_formula_is_the_maximum_over_small_datasets(void)
{
	for (int c = 1; c <= RECORDS; c++)
		compare_with_small_datasets(c);
}

/* ---- grids ---- */

static int64_t sum_steps(const char *low, const char *high, const char *step, bool replace)
{
	struct sotto_rational a = rational_of(low), b = rational_of(high),
			      g = rational_of(step);
	int64_t steps = -1;

	if (sotto_sensitivity_sum_steps(&a, &b, &g, replace, &steps) != SOTTO_OK)
		steps = -1;
	sotto_rational_release(&a);
	sotto_rational_release(&b);
	sotto_rational_release(&g);
	return steps;
}

static void sums_on_a_grid_have_exactly_the_rounded_bound(void)
{
	CHECK_INT(sum_steps("0", "10000000", "0.01", false), 1000000000);
	CHECK_INT(sum_steps("20000", "200000", "1", true), 180000);
	CHECK_INT(sum_steps("-7.6", "2", "1", false), 8);
	CHECK_INT(sum_steps("-7.6", "2.4", "1", true), 10);
	CHECK_INT(sum_steps("0", "1e30", "1", false), -1);
	CHECK_INT(sum_steps("-9223372036854775808", "9223372036854775807", "1", true), -1);
	CHECK_INT(sum_steps("2", "1", "1", true), -1);
}

int main(void)
{
	RUN(the_table_holds);
	RUN(factors_and_contributions_multiply);
	RUN(what_is_missing_is_refused_and_never_taken_as_zero);
	RUN(every_formula_is_the_maximum_over_small_datasets);
	RUN(sums_on_a_grid_have_exactly_the_rounded_bound);
	return tap_done();
}
