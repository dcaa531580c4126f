/*
 * Keys within bounds: a row outside of them counts as one at the nearest bound, whatever is
 * computed from its columns.  The answer is that of the same question on rows that were moved to
 * the bounds beforehand, at an epsilon whose noise is 0.
 */
#include <stdio.h>
#include <string.h>

#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 10000000}\ndiagnostics: 0\ntables:\n"
	"  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 50\n    max_rows: 2\n"
	"    columns:\n      n: {bounds: [0, 7], type: integer}\n"
	"      m: {bounds: [-2, 2], type: integer}\n"
	"      x: {bounds: [0, 4], step: 1}\n"
	"      day: {bounds: [2023-03-01, 2023-05-20], type: date}\n"
	"      at: {bounds: [2023-03-01, 2023-03-20], type: timestamp}\n";

static const char raw[] = "id,n,m,x,day,at\n"
			  "1,3,1,2,2023-04-02,2023-03-05T10:00:00\n"
			  "2,9,-7,5,2023-07-09,2023-03-20T23:00:00\n"
			  "3,-1,8,-1,2022-01-31,2023-02-28T09:00:00\n"
			  "4,0,-2,0,2023-03-01,2023-03-01T00:00:00\n"
			  "5,7,2,4,2023-05-20,2024-01-01T00:00:00\n"
			  "6,,,,,\n"
			  "7,100000,0,3,2023-05-21,2023-03-02T01:02:03\n";

static const char moved[] = "id,n,m,x,day,at\n"
			    "1,3,1,2,2023-04-02,2023-03-05T10:00:00\n"
			    "2,7,-2,4,2023-05-20,2023-03-20T00:00:00\n"
			    "3,0,2,0,2023-03-01,2023-03-01T00:00:00\n"
			    "4,0,-2,0,2023-03-01,2023-03-01T00:00:00\n"
			    "5,7,2,4,2023-05-20,2023-03-20T00:00:00\n"
			    "6,,,,,\n"
			    "7,7,0,3,2023-05-20,2023-03-02T01:02:03\n";

static const char *const keys[] = {"n",
				   "n::text",
				   "CAST(n AS varchar(10))",
				   "n || 'th'",
				   "concat(n, '/', m)",
				   "n % 3",
				   "-n",
				   "n / 2",
				   "floor(x / 2) * 2",
				   "1.5 - 3 * round(x)",
				   "0.25 * (2 - trunc(x)) / 3",
				   "n * n - 5 * n",
				   "abs(m)",
				   "m * n",
				   "m + n",
				   "n, m",
				   "n::text, m::text",
				   "coalesce(n, -1)",
				   "nullif(n, 7)",
				   "n IS NULL, n",
				   "day",
				   "day::text",
				   "to_char(day, 'MM-DD')",
				   "extract(month FROM day)",
				   "extract(dow FROM day)",
				   "date_trunc('month', day)",
				   "date_trunc('month', day)::text",
				   "extract(day FROM at)",
				   "date_trunc('day', at)",
				   "to_char(at, 'YYYY-MM-DD')",
				   "dayname(at)",
				   "CASE WHEN n > 3 THEN extract(month FROM day) ELSE m END"};

static bool same(const struct sotto_answer *a, const struct sotto_answer *b)
{
	if (a->row_count != b->row_count || a->column_count != b->column_count)
		return false;
	for (size_t i = 0; i < a->row_count * a->column_count; i++) {
		const struct sotto_value *x = &a->values[i], *y = &b->values[i];

		if (x->kind != y->kind || x->number != y->number ||
		    (x->kind == SOTTO_VALUE_TEXT && strcmp(x->text, y->text) != 0))
			return false;
	}
	return true;
}

static double total(const struct sotto_answer *a)
{
	double sum = 0;

	for (size_t i = 0; i < a->row_count; i++)
		sum += a->values[(i + 1) * a->column_count - 1].number;
	return sum;
}

static bool says(const struct sotto_answer *a, const char *word)
{
	const char *sentence;

	for (size_t i = 0; (sentence = sotto_answer_sentence(a, i)); i++)
		if (strstr(sentence, word))
			return true;
	return false;
}

static void outside_counts_as_the_nearest_bound(void)
{
	struct clinic as_they_are, at_bounds;

	REQUIRE(clinic_open(&as_they_are, policy, raw));
	REQUIRE(clinic_open(&at_bounds, policy, moved));
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		struct sotto_answer *a, *b;
		char sql[300];

		(void)snprintf(sql, sizeof sql, "SELECT %s, COUNT(*) FROM visits GROUP BY %s",
			       keys[i], keys[i]);
		a = clinic_ask(&as_they_are, sql, "4000", NULL, false);
		b = clinic_ask(&at_bounds, sql, "4000", NULL, false);
		(void)tap_check(a && b && same(a, b) && total(a) == 7, __FILE__, __LINE__,
				"%s: %s", keys[i], as_they_are.err.text);
		(void)tap_check(a && says(a, "are grouped with"), __FILE__, __LINE__,
				"%s is said", keys[i]);
		sotto_answer_free(a);
		sotto_answer_free(b);
	}
	clinic_close(&as_they_are);
	clinic_close(&at_bounds);
}

/* What a condition rules out is in no group, and its values count nowhere. */
static const struct {
	const char *sql, *said; /* NULL: nothing about what lies outside */
} conditions[] = {
	{"SELECT n, COUNT(*) FROM visits WHERE n BETWEEN 1 AND 6 GROUP BY n", NULL},
	{"SELECT n, COUNT(*) FROM visits WHERE n IN (2, 3) GROUP BY n", NULL},
	{"SELECT n / 2, COUNT(*) FROM visits WHERE n >= 0 AND n < 5 GROUP BY 1", NULL},
	{"SELECT day, COUNT(*) FROM visits WHERE day BETWEEN '2023-03-01' AND '2023-03-05' "
	 "GROUP BY day",
	 NULL},
	{"SELECT n, COUNT(*) FROM visits WHERE n > 2 GROUP BY n",
	 "rows with n above 7 are grouped with those of 7"},
	{"SELECT n, COUNT(*) FROM visits WHERE n < 5 GROUP BY n",
	 "rows with n below 0 are grouped with those of 0"},
	{"SELECT day, COUNT(*) FROM visits WHERE day > '2023-05-01' GROUP BY day",
	 "rows with day after 2023-05-20 are grouped with those of 2023-05-20"},
	{"SELECT SUM(x) FROM visits WHERE x BETWEEN 1 AND 3", NULL},
	{"SELECT SUM(x) FROM visits WHERE x >= 1", "values of x above 4 count as 4"},
	{"SELECT SUM(x) FILTER (WHERE x < 3) FROM visits", "values of x below 0 count as 0"},
	{"SELECT SUM(x) FROM visits", "values of x outside 0 to 4 count as the nearest bound"},
};

static void only_what_can_lie_outside_is_said(void)
{
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, raw));
	for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
		const char *said = conditions[i].said;
		struct sotto_answer *a = clinic_ask(&c, conditions[i].sql, "900", NULL, false);

		(void)tap_check(
			a && (said ? says(a, said)
				   : !says(a, "are grouped with") && !says(a, "count as")),
			__FILE__, __LINE__, "%s: %s", conditions[i].sql,
			said ? said : "nothing");
		sotto_answer_free(a);
	}
	clinic_close(&c);
}

static bool notes(const struct sotto_answer *a, const char *word)
{
	for (size_t i = 0; i < a->note_count; i++)
		if (strstr(a->notes[i], word))
			return true;
	return false;
}

/* An average over groups is another one than that of the groups which rows have. */
static void empty_groups_in_figures_over_groups_are_said(void)
{
	static const struct {
		const char *sql;
		bool said;
	} cases[] = {
		{"SELECT AVG(k) FROM (SELECT n, COUNT(*) AS k FROM visits GROUP BY n) AS t",
		 true},
		{"SELECT n, k + 1 FROM (SELECT n, COUNT(*) AS k FROM visits GROUP BY n) AS t",
		 false},
		{"SELECT AVG(k) FROM (SELECT id, COUNT(*) AS k FROM visits GROUP BY id) AS t",
		 false},
	};
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, raw));
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sotto_answer *a = clinic_ask(&c, cases[i].sql, "900", NULL, false);

		(void)tap_check(a && notes(a, "even empty ones") == cases[i].said, __FILE__,
				__LINE__, "%s", cases[i].sql);
		sotto_answer_free(a);
	}
	clinic_close(&c);
}

int main(void)
{
	RUN(empty_groups_in_figures_over_groups_are_said);
	RUN(only_what_can_lie_outside_is_said);
	RUN(outside_counts_as_the_nearest_bound);
	return tap_done();
}
