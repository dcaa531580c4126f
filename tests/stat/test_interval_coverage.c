/*
 * Intervals of what is computed from finished answers hold the truth in 95 % of the runs: ratios,
 * differences, chains of WITH, sets of keys, windows, UNION.  Each question is asked as a user
 * asks it, over and over; the truth is the same question with next to no noise.
 *
 * Of one number of an answer, of n runs at 95 %, six standard deviations are 6 sqrt(0.05 0.95 n).
 * An interval may be conservative where its question says so; none may hold the truth less often.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "testlib/fixture/clinic.h"
#include "testlib/effort.h"
#include "testlib/tap.h"

enum { UNITS = 240, CELLS_MAX = 64, TRUTHS = 9 };

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000000000, delta: 0.5}\ndiagnostics: "
	"0\ntables:\n"
	"  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 1\n    max_rows: 1\n"
	"    columns:\n      id: {unique: true}\n"
	"      x: {bounds: [0, 100], type: integer, nullable: false}\n"
	"      ward: {keys: [a, b, c], nullable: false}\n"
	"      sex: {keys: [f, m], nullable: false}\n";

static char *make_csv(void)
{
	char *csv = malloc((size_t)UNITS * 32 + 100), *at = csv;

	if (!csv)
		abort();
	at += sprintf(at, "id,ward,sex,x\n");
	for (unsigned i = 0; i < UNITS; i++)
		at += sprintf(at, "%u,%c,%c,%u\n", i, "abc"[i % 3], "fm"[i % 7 < 3],
			      (i * 37 % 60) + 10 * (i % 3));
	return csv;
}

static const struct {
	const char *sql, *epsilon;
	bool exact; /* the interval is not wider than 95 % needs */
} questions[] = {
	{"SELECT ward, COUNT(*) AS v FROM visits GROUP BY ward", "1/5", true},
	{"SELECT SUM(x) * 1.0 / COUNT(*) AS v FROM visits", "1/2", false},
	{"SELECT ward, 100.0 * COUNT(*) FILTER (WHERE x > 40) / COUNT(*) AS v FROM visits "
	 "GROUP BY ward",
	 "1/2", false},
	{"SELECT COUNT(*) FILTER (WHERE x > 40) - COUNT(*) FILTER (WHERE x <= 40) AS v FROM "
	 "visits",
	 "1/5", false},
	{"SELECT (SELECT COUNT(*) FROM visits WHERE ward = 'a') - (SELECT COUNT(*) FROM visits "
	 "WHERE "
	 "ward = 'b') AS v",
	 "1/2", false},
	{"WITH a AS (SELECT ward, COUNT(*) AS n, SUM(x) AS s FROM visits GROUP BY ward) SELECT "
	 "ward, s / n AS v "
	 "FROM a",
	 "1", false},
	{"WITH a AS (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward), b AS (SELECT "
	 "SUM(n) AS m FROM a) "
	 "SELECT ward, 1.0 * n / m AS v FROM a, b",
	 "1", false},
	{"SELECT ward, COUNT(*) AS n, 1.0 * n / 2 AS v FROM visits GROUP BY ward", "1/5", true},
	{"SELECT COUNT(*) AS v FROM visits UNION ALL SELECT SUM(x) FROM visits", "1/2", true},
	{"SELECT ward, sex, COUNT(*) AS v FROM visits GROUP BY ROLLUP (ward, sex)", "1", true},
	{"SELECT ward, SUM(COUNT(*)) OVER (ORDER BY ward) AS v FROM visits GROUP BY ward",
	 "1/2", false},
	{"SELECT ward, COUNT(*) - AVG(COUNT(*)) OVER () AS v FROM visits GROUP BY ward", "1/2",
	 false},
	{"SELECT ward, 1.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS v FROM visits GROUP BY ward",
	 "1", false},
	{"SELECT ward, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY ward) AS v FROM visits GROUP BY "
	 "ward",
	 "1/2", false},
	{"SELECT DISTINCT SUM(COUNT(*)) OVER () AS v FROM visits GROUP BY ward", "1/2", false},
	{"SELECT ward, ABS(COUNT(*) - 60) AS v FROM visits GROUP BY ward", "1/2", false},
	{"SELECT ward, ROUND(AVG(x), 1) AS v FROM visits GROUP BY ward", "1", false},
	{"SELECT AVG(n) AS v FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) AS t",
	 "1/2", false},
	{"SELECT a.n - b.n AS v FROM (SELECT COUNT(*) AS n FROM visits WHERE sex = 'f') AS a, "
	 "(SELECT COUNT(*) "
	 "AS n FROM visits WHERE sex = 'm') AS b",
	 "1/2", false},
};

/* Numbers of an answer that have intervals, in its order. */
static size_t noisy_cells(const struct sotto_answer *a, size_t *cells)
{
	size_t n = 0;

	for (size_t i = 0; i < a->row_count * a->column_count && n < CELLS_MAX; i++)
		if (a->columns[i % a->column_count].noisy)
			cells[n++] = i;
	return n;
}

/* NULL, as the first LAG is, has no interval and is as it should be. */
static bool holds(const struct sotto_answer *a, size_t cell, const struct sotto_value *truth)
{
	if (truth->kind == SOTTO_VALUE_NULL)
		return a->values[cell].kind == SOTTO_VALUE_NULL;
	return a->lows[cell].kind != SOTTO_VALUE_NULL &&
	       a->lows[cell].number <= truth->number + 1e-9 &&
	       a->highs[cell].number >= truth->number - 1e-9;
}

/* How often each number held the truth; false: an answer had another shape, or none came. */
static bool count_held(struct clinic *c, const char *sql, const char *epsilon, unsigned runs,
		       const struct sotto_answer *truth, unsigned *held)
{
	size_t cells[CELLS_MAX], n = noisy_cells(truth, cells);

	for (unsigned i = 0; i < runs; i++) {
		struct sotto_answer *a = clinic_ask(c, sql, epsilon, NULL, true);
		bool same = a && a->row_count == truth->row_count;

		for (size_t k = 0; same && k < n; k++)
			held[k] += holds(a, cells[k], &truth->values[cells[k]]);
		sotto_answer_free(a);
		if (!same)
			return tap_check(false, __FILE__, __LINE__, "%s: %s", sql, c->err.text);
	}
	return true;
}

static unsigned runs_of_effort(void)
{
	static const unsigned runs[] = {10, 25, 2000};

	return runs[effort()];
}

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* With next to no noise: of a sum one in many is off by one, so each number is a median. */
static struct sotto_answer *ask_truth(struct clinic *c, const char *sql)
{
	struct sotto_answer *truths[TRUTHS] = {NULL};
	double x[TRUTHS];
	bool done = true;

	for (size_t i = 0; done && i < TRUTHS; i++) {
		truths[i] = clinic_ask(c, sql, "900", NULL, true);
		done = truths[i] && truths[i]->row_count == truths[0]->row_count;
	}
	for (size_t k = 0; done && k < truths[0]->row_count * truths[0]->column_count; k++) {
		for (size_t i = 0; i < TRUTHS; i++)
			x[i] = truths[i]->values[k].number;
		qsort(x, TRUTHS, sizeof *x, compare);
		truths[0]->values[k].number = x[TRUTHS / 2];
	}
	for (size_t i = done; i < TRUTHS; i++)
		sotto_answer_free(truths[i]);
	return done ? truths[0] : NULL;
}

static void intervals_hold_the_truth(void)
{
	unsigned runs = runs_of_effort();
	double slack = 6 * sqrt(0.05 * 0.95 * runs);
	struct clinic c;
	char *csv = make_csv();

	REQUIRE(clinic_open(&c, policy, csv));
	for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
		struct sotto_answer *truth = ask_truth(&c, questions[i].sql);
		unsigned held[CELLS_MAX] = {0}, least = runs, most = 0;
		size_t cells[CELLS_MAX], n;

		if (!tap_check(truth != NULL, __FILE__, __LINE__, "%s: %s", questions[i].sql,
			       c.err.text))
			continue;
		n = noisy_cells(truth, cells);
		CHECK(n > 0);
		if (count_held(&c, questions[i].sql, questions[i].epsilon, runs, truth, held)) {
			for (size_t k = 0; k < n; k++) {
				least = held[k] < least ? held[k] : least;
				if (truth->values[cells[k]].kind != SOTTO_VALUE_NULL)
					most = held[k] > most ? held[k] : most;
			}
			tap_note("%.1f %% to %.1f %%: %s", 100.0 * least / runs,
				 100.0 * most / runs, questions[i].sql);
			(void)tap_check(least >= 0.95 * runs - slack, __FILE__, __LINE__,
					"%s: %u of %u", questions[i].sql, least, runs);
			/* whole noise steps over the end of 95 %: by 2 % at these epsilons */
			(void)tap_check(!questions[i].exact || most <= 0.97 * runs + slack,
					__FILE__, __LINE__, "%s is too wide: %u of %u",
					questions[i].sql, most, runs);
		}
		sotto_answer_free(truth);
	}
	clinic_close(&c);
	free(csv);
}

/* Noise for a four-hundredth of the epsilon under intervals of the whole: hardly one holds it. */
static void intervals_that_are_too_narrow_are_found(void)
{
	unsigned runs = runs_of_effort(), held = 0;
	struct clinic c;
	char *csv = make_csv();
	struct sotto_answer *truth;

	REQUIRE(clinic_open(&c, policy, csv));
	truth = ask_truth(&c, questions[3].sql);
	REQUIRE(truth);
	for (unsigned i = 0; i < runs; i++) {
		struct sotto_answer *noisy =
			clinic_ask(&c, questions[3].sql, "1/2000", NULL, true);
		struct sotto_answer *narrow =
			clinic_ask(&c, questions[3].sql, "1/5", NULL, true);
		double half;

		REQUIRE(noisy && narrow);
		half = narrow->highs[0].number - narrow->values[0].number;
		held += fabs(noisy->values[0].number - truth->values[0].number) <= half;
		sotto_answer_free(noisy);
		sotto_answer_free(narrow);
	}
	CHECK(held < 0.95 * runs - 6 * sqrt(0.05 * 0.95 * runs));
	sotto_answer_free(truth);
	clinic_close(&c);
	free(csv);
}

int main(void)
{
	RUN(intervals_hold_the_truth);
	RUN(intervals_that_are_too_narrow_are_found);
	return tap_done();
}
