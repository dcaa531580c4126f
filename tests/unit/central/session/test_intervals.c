/*
 * The interval of an expression over noisy numbers holds its truth in 95 % of the answers, or is
 * not shown: also of quotients, roots and whatever turns between the ends of the noise.
 */
#include <math.h>

#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

enum { ANSWERS = 200, MISSES_MAX = 38 /* of 10 expected; more with 1e-11 */ };

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000000}\ndiagnostics: 0\ntables:\n"
	"  visits:\n    source: visits.csv\n    unit: row\n"
	"    columns: {x: {bounds: [-50, 50], type: integer}, y: {bounds: [-50, 50], type: "
	"number, step: "
	"10}}\n";

/* Five rows, whose sum is 3; all y are rounded by 4, to 20 for one and to 0 for the others. */
static const char csv[] = "x,y\n-50,4\n20,4\n30,24\n1,4\n2,4\n";

struct interval_case {
	const char *sql;
	double truth;
	bool is_shown; /* always, with an interval */
};

static const struct interval_case over_sums[] = {
	{"COUNT(*) + 0.5", 5.5, true},
	{"EXP(SUM(x) / 100.0)", 1.0304545339535169, true},
	{"COUNT(*) * SUM(x)", 15, true},
	{"GREATEST(COUNT(*), 0)", 5, true},
	{"SUM(x) / 7.0", 3 / 7.0, true},
	{"1.0 / COUNT(*)", 0.2, false},
	{"SUM(x) * 1.0 / COUNT(*)", 0.6, false},
	{"1.0 / (SUM(x) - 1)", 0.5, false},
	{"COALESCE(1.0 / NULLIF(COUNT(*), 0), 0)", 0.2, false},
	{"CASE WHEN SUM(x) < 1e9 THEN 1.0 / COUNT(*) END", 0.2, false},
	{"SQRT(COUNT(*))", 2.2360679774997898, false},
	{"LN(COUNT(*))", 1.6094379124341003, false},
	{"ABS(SUM(x))", 3, true},
	{"ABS(SUM(x) - 5)", 2, true},
	{"POWER(SUM(x), 2)", 9, true},
	{"COSH(SUM(x) / 100.0)", 1.0004500337510125, true},
	{"SUM(x) * SUM(x)", 9, true},
	{"COUNT(*) % 4", 1, false},
	{"COS(SUM(x))", -0.98999249660044542, false},
	{"SUM(x) + ABS(SUM(x))", 6, true},
	{"ROUND(ABS(SUM(x) / 7.0), 1)", 0.4, true},
	{"100 - SQRT(ABS(SUM(x)))", 98.267949192431123, true},
	{"CAST(ABS(SUM(x)) * 2.5 AS INTEGER)", 8, true},
	{"LN(ABS(SUM(x)) + 1)", 1.3862943611198906, true},
	{"ATAN(ABS(SUM(x)) / 10.0)", 0.29145679447786709, true},
	{"CBRT(ABS(SUM(x)))", 1.4422495703074083, true},
	{"SIN(ABS(SUM(x)))", 0.14112000805986722, false},
};

/* Where the noisy variance is below 0, so is it at all corners of the noise, and yet not between them. */
static const struct interval_case over_variances[] = {
	{"VAR_POP(x)", 760.64, true},
	{"VARIANCE(x)", 950.8, true},
	{"STDDEV_POP(x)", 27.579702682405202, true},
	{"STDDEV(x)", 30.834963924095192, true},
	{"AVG(x) + 2 * STDDEV(x)", 62.269927848190385, true},
	{"VARIANCE(x) - VAR_POP(x)", 190.16, true},
};

/* At a price for which there is hardly any noise: what is left is rounding. */
static const struct interval_case average[] = {{"AVG(y)", 8, true}};
static const struct interval_case variances[] = {{"VAR_POP(y)", 64, true},
						 {"STDDEV(y)", 8.9442719099991592, true}};

enum { CASES_MAX = 40 };

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static void
write_question(const struct interval_case *cases, size_t count, char *sql, size_t size)
{
	size_t n = (size_t)snprintf(sql, size, "SELECT ");

	for (size_t i = 0; i < count; i++)
		n += (size_t)snprintf(sql + n, size - n, "%s%s AS c%zu", i ? ", " : "",
				      cases[i].sql, i);
	(void)snprintf(sql + n, size - n, " FROM visits");
}

static bool is_missed(const struct sotto_answer *a, size_t i, double truth)
{
	if (a->lows[i].kind == SOTTO_VALUE_NULL)
		return false;
	return truth < a->lows[i].number - 1e-9 || truth > a->highs[i].number + 1e-9;
}

/* Asks for all of them at once, again and again, and counts. */
static void
check_intervals(const struct interval_case *cases, size_t count, const char *epsilon)
{
	unsigned missed[CASES_MAX] = {0}, shown[CASES_MAX] = {0};
	char sql[2000];
	struct clinic c;

	write_question(cases, count, sql, sizeof sql);
	REQUIRE(clinic_open(&c, policy, csv));
	for (int n = 0; n < ANSWERS; n++) {
		struct sotto_answer *a = clinic_ask(&c, sql, epsilon, NULL, true);

		(void)tap_check(a != NULL, __FILE__, __LINE__, "%s", c.err.text);
		if (!a)
			break;
		for (size_t i = 0; i < count; i++) {
			missed[i] += is_missed(a, i, cases[i].truth);
			shown[i] += a->lows[i].kind != SOTTO_VALUE_NULL;
		}
		sotto_answer_free(a);
	}
	clinic_close(&c);
	for (size_t i = 0; i < count; i++) {
		(void)tap_check(missed[i] <= MISSES_MAX, __FILE__, __LINE__,
				"%s: %u of %u intervals miss the truth", cases[i].sql,
				missed[i], shown[i]);
		(void)tap_check(!cases[i].is_shown || shown[i] == ANSWERS, __FILE__, __LINE__,
				"%s: %u intervals are shown", cases[i].sql, shown[i]);
	}
}

static void intervals_hold_the_truth_or_are_not_shown(void)
{
	check_intervals(over_sums, COUNT(over_sums), "0.5");
}

static void intervals_of_variances_hold_what_turns_between_the_corners(void)
{
	check_intervals(over_variances, COUNT(over_variances), "0.5");
	check_intervals(over_variances, COUNT(over_variances), "5");
}

static void intervals_hold_the_truth_that_was_rounded(void)
{
	check_intervals(average, COUNT(average), "90");
	check_intervals(variances, COUNT(variances), "90");
}

int main(void)
{
	RUN(intervals_hold_the_truth_or_are_not_shown);
	RUN(intervals_of_variances_hold_what_turns_between_the_corners);
	RUN(intervals_hold_the_truth_that_was_rounded);
	return tap_done();
}
