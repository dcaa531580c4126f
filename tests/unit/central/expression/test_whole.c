/*
 * Whole numbers of 64 bits are computed with exactly: random terms over columns with the largest
 * and smallest of them hold for the rows that arithmetic with 128 bits says, and what does not fit
 * is NULL, never an error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "central/engine/engine.h"
#include "central/plan/plan.h"
#include "testlib/chance.h"
#include "testlib/tap.h"

enum { ROWS = 60, COLUMNS = 3, LETTERS = 600, ROUNDS = 400 };

static const char *const names[COLUMNS] = {"a", "b", "small"};

struct numbers {
	struct sotto_engine *engine;
	struct sotto_policy policy;
	struct sotto_schema_table schema;
	struct sotto_schema_column columns[COLUMNS];
	int64_t rows[ROWS][COLUMNS];
};

/* A term, and what it is in each row. */
struct term {
	char text[LETTERS];
	bool null[ROWS];
	int64_t value[ROWS];
};

static enum sotto_status give_schema(void *context, const struct sotto_policy_table *table,
				     const struct sotto_schema_table **out,
				     struct sotto_error *err)
{
	struct numbers *w = context;

	(void)err;
	for (size_t i = 0; i < COLUMNS; i++) {
		sotto_schema_column_type(&w->columns[i], "BIGINT");
		w->columns[i].name = names[i];
	}
	w->schema = (struct sotto_schema_table){.policy = table,
						.scan = "numbers",
						.columns = w->columns,
						.column_count = COLUMNS};
	*out = &w->schema;
	return SOTTO_OK;
}

/* Near the ends, near 2^53, or small. */
static int64_t random_number(struct chance *c)
{
	static const int64_t places[] = {
		INT64_MIN,           INT64_MAX,       0, INT64_C(1) << 53, -(INT64_C(1) << 53),
		INT64_C(3037000500), INT64_C(1) << 62};
	int64_t x = places[chance_below(c, 7)], d = (int64_t)chance_below(c, 9) - 4;

	if (x == INT64_MIN || x == INT64_MAX)
		return x == INT64_MIN ? x + (d < 0 ? -d : d) : x - (d < 0 ? -d : d);
	return x + d;
}

static bool fill(struct numbers *w, struct chance *c)
{
	static char sql[20000];
	size_t n = (size_t)snprintf(sql, sizeof sql, "INSERT INTO numbers VALUES ");

	for (size_t r = 0; r < ROWS; r++) {
		w->rows[r][0] = random_number(c);
		w->rows[r][1] = random_number(c);
		w->rows[r][2] = (int64_t)chance_below(c, 21) - 10;
		n += (size_t)snprintf(sql + n, sizeof sql - n,
				      "%s('%" PRId64 "', '%" PRId64 "', '%" PRId64 "')",
				      r ? ", " : "", w->rows[r][0], w->rows[r][1],
				      w->rows[r][2]);
	}
	return sotto_engine_execute(w->engine, sql) == SOTTO_OK;
}

static bool numbers_open(struct numbers *w, struct chance *c)
{
	static const char policy[] = "budget: {epsilon: 1, delta: 1e-6}\n"
				     "tables:\n  numbers: {source: n.csv, unit: row, columns: "
				     "{small: {type: integer, bounds: [-10, 10]}}}\n";
	struct sotto_error err = {""};
	bool ok = sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1},
					   &w->engine, &err) == SOTTO_OK &&
		  sotto_engine_execute(w->engine, "CREATE TABLE numbers(a BIGINT, b BIGINT, "
						  "small BIGINT)") == SOTTO_OK &&
		  fill(w, c) &&
		  sotto_policy_parse(&w->policy, "p.yaml", policy, sizeof policy - 1, &err) ==
			  SOTTO_OK;

	if (!ok)
		tap_note("%s %s", err.text, w->engine ? sotto_engine_detail(w->engine) : "");
	return ok;
}

/* How many rows meet a condition, as the engine says; -1: it failed. */
static long counted(struct numbers *w, const char *condition)
{
	const struct sotto_plan_request request = {
		.policy = &w->policy, .schema = give_schema, .schema_context = w};
	struct sotto_engine_result *r = NULL;
	struct sotto_error err = {""};
	static char sql[100000];
	struct sotto_plan plan;
	long n = -1;

	(void)snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM numbers WHERE %s", condition);
	if (sotto_plan_make(&plan, &request, sql, &err) != SOTTO_OK) {
		tap_note("%s: %s", sql, err.text);
		return -1;
	}
	(void)snprintf(sql, sizeof sql, "SELECT CAST(m0 AS BIGINT) FROM (%s) AS z",
		       plan.engine_sql);
	if (sotto_engine_run(w->engine, sql, &r) == SOTTO_OK)
		n = (long)sotto_engine_cell(r, 0, 0).integer;
	else
		tap_note("%s: %s", condition, sotto_engine_detail(w->engine));
	sotto_engine_result_free(r);
	sotto_plan_release(&plan);
	return n;
}

/* ---- terms ------------------------------------------------------------------------------------- */

static void random_column(const struct numbers *w, struct chance *c, struct term *t)
{
	size_t i = chance_below(c, COLUMNS);

	*t = (struct term){0};
	(void)snprintf(t->text, sizeof t->text, "%s", names[i]);
	for (size_t r = 0; r < ROWS; r++)
		t->value[r] = w->rows[r][i];
}

static void random_literal(struct chance *c, struct term *t)
{
	int64_t x = chance_in(c, 2) ? (int64_t)chance_below(c, 12) - 4
				    : (INT64_C(1) << 53) + (int64_t)chance_below(c, 5);

	*t = (struct term){0};
	(void)snprintf(t->text, sizeof t->text, "%" PRId64, x);
	for (size_t r = 0; r < ROWS; r++)
		t->value[r] = x;
}

static void compute(char op, const struct term *x, const struct term *y, struct term *out)
{
	for (size_t r = 0; r < ROWS; r++) {
		__int128 u = x->value[r], v = y->value[r], z;

		out->null[r] = x->null[r] || y->null[r] || ((op == '/' || op == '%') && v == 0);
		if (out->null[r])
			continue;
		z = op == '+' ? u + v : op == '-' ? u - v : op == '*' ? u * v : 0;
		if (op == '/')
			z = u / v;
		if (op == '%')
			z = u % v;
		out->null[r] = z < INT64_MIN || z > INT64_MAX;
		out->value[r] = out->null[r] ? 0 : (int64_t)z;
	}
}

static void random_term(const struct numbers *w, struct chance *c, int depth, struct term *out)
{
	static const char symbols[] = "+-*/%";
	char op = symbols[chance_below(c, 5)];
	struct term x, y;

	if (depth == 0) {
		random_column(w, c, out);
		return;
	}
	random_term(w, c, depth - 1, &x);
	*out = (struct term){0};
	if (chance_below(c, 6) == 0) { /* -x */
		(void)snprintf(out->text, sizeof out->text, "(- %.500s)", x.text);
		compute('-', out, &x, out);
		return;
	}
	if (chance_below(c, 3))
		random_literal(c, &y);
	else
		random_term(w, c, depth - 1, &y);
	if (chance_below(c, 5) == 0) { /* what is there first; x, where y is never NULL */
		(void)snprintf(out->text, sizeof out->text, "coalesce(%.250s, %.250s)", x.text,
			       y.text);
		for (size_t r = 0; r < ROWS; r++) {
			out->null[r] = x.null[r] && y.null[r];
			out->value[r] = x.null[r] ? y.value[r] : x.value[r];
		}
		return;
	}
	(void)snprintf(out->text, sizeof out->text, "(%.250s %c %.250s)", x.text, op, y.text);
	compute(op, &x, &y, out);
}

/* To the nearest multiple of unit, half away from zero, or the next one towards zero. */
static __int128 rounded(__int128 x, int64_t unit, bool cut)
{
	__int128 rest = x % unit, half = unit / 2;

	if (!cut && unit > 1 && (rest >= half || rest <= -half))
		return x - rest + (x < 0 ? -unit : unit);
	return x - rest;
}

/* A function around a term: what floor(x) is divided by later is not cut, so it comes last. */
static void wrap_term(struct chance *c, struct term *t)
{
	static const struct {
		const char *format;
		int64_t unit; /* 0: the absolute value */
		bool cut;
	} functions[] = {{"abs(%s)", 0, false},
			 {"floor(%s)", 1, true},
			 {"ceil(%s)", 1, true},
			 {"round(%s)", 1, false},
			 {"round(%s, 3)", 1, false},
			 {"round(%s, -1)", 10, false},
			 {"round(%s, -4)", 10000, false},
			 {"trunc(%s, -2)", 100, true},
			 {"truncate(%s, -18)", INT64_C(1000000000000000000), true},
			 {"round(%s, -18)", INT64_C(1000000000000000000), false}};
	size_t i = chance_below(c, sizeof functions / sizeof functions[0]);
	struct term x = *t;

	(void)snprintf(t->text, sizeof t->text, functions[i].format, x.text);
	for (size_t r = 0; r < ROWS; r++) {
		__int128 u = x.value[r],
			 z = functions[i].unit ? rounded(u, functions[i].unit, functions[i].cut)
			     : u < 0           ? -u
					       : u;

		t->null[r] = x.null[r] || z < INT64_MIN || z > INT64_MAX;
		t->value[r] = t->null[r] ? 0 : (int64_t)z;
	}
}

/* ---- tests ------------------------------------------------------------------------------------- */

static void terms_have_the_values_that_128_bits_say(void)
{
	static const char *const comparisons[] = {"=", "<", ">="};
	struct numbers w = {0};
	struct chance c = {11};
	char condition[LETTERS + 60];

	REQUIRE(numbers_open(&w, &c));
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned how = chance_below(&c, 3), at = chance_below(&c, ROWS);
		long want = 0, nulls = 0;
		struct term t;

		random_term(&w, &c, 1 + (int)chance_below(&c, 3), &t);
		if (chance_in(&c, 2) && strlen(t.text) < LETTERS - 30)
			wrap_term(&c, &t);
		for (size_t r = 0; r < ROWS; r++) {
			nulls += t.null[r];
			want += !t.null[r] && (how == 0   ? t.value[r] == t.value[at]
					       : how == 1 ? t.value[r] < t.value[at]
							  : t.value[r] >= t.value[at]);
		}
		(void)snprintf(condition, sizeof condition, "%s %s %" PRId64, t.text,
			       comparisons[how], t.value[at]);
		(void)tap_check(counted(&w, condition) == want, __FILE__, __LINE__, "%s",
				condition);
		(void)snprintf(condition, sizeof condition, "(%s) IS NULL", t.text);
		(void)tap_check(counted(&w, condition) == nulls, __FILE__, __LINE__, "%s",
				condition);
	}
	sotto_policy_release(&w.policy);
	sotto_engine_close(w.engine);
}

static void what_was_wrong_in_doubles_is_right(void)
{
	static const struct {
		const char *condition;
		bool holds;
	} cases[] = {
		{"x + 1 = 9007199254740994", true},
		{"x + 1 = 9007199254740993", false},
		{"x - 1 = 9007199254740992", true},
		{"mod(x, 10) = 3", true},
		{"x / 1 = 9007199254740993", true},
		{"(x & 1) = 1", true},
		{"-x = -9007199254740993", true},
		{"coalesce(x, 0) = 9007199254740993", true},
		{"case when x > 0 then x else 0 end = 9007199254740993", true},
		{"greatest(x, 7) = 9007199254740993", true},
		{"nullif(x, 9007199254740992) is null", false},
		{"x * 1 + x * 0 = 9007199254740993", true},
		{"x * 1025 is null", true},
	};
	struct numbers w = {0};
	struct chance c = {12};
	char condition[200], *to;

	REQUIRE(numbers_open(&w, &c));
	REQUIRE(sotto_engine_execute(w.engine, "DELETE FROM numbers") == SOTTO_OK &&
		sotto_engine_execute(w.engine, "INSERT INTO numbers VALUES (9007199254740993, "
					       "0, 0)") == SOTTO_OK);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		to = condition;
		for (const char *s = cases[i].condition; *s; s++)
			*to++ = *s == 'x' &&
						(s == cases[i].condition ||
						 !strchr("abcdefghijklmnopqrstuvwyz", s[-1])) &&
						s[1] != 't'
					? 'a'
					: *s;
		*to = '\0';
		(void)tap_check(counted(&w, condition) == cases[i].holds, __FILE__, __LINE__,
				"%s", condition);
	}
	sotto_policy_release(&w.policy);
	sotto_engine_close(w.engine);
}

static void check_signs(struct numbers *w, const char *term, long above, long below, long nulls)
{
	const struct {
		const char *is;
		long many;
	} cases[] = {{"> 0", above}, {"< 0", below}, {"IS NULL", nulls}};
	char condition[400];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		(void)snprintf(condition, sizeof condition, "(%s) %s", term, cases[i].is);
		(void)tap_check(counted(w, condition) == cases[i].many, __FILE__, __LINE__,
				"%s: %ld, expected %ld", condition, counted(w, condition),
				cases[i].many);
	}
}

/* Every operation at the ends of 64 bits, by a literal: what the engine folds must not change it. */
static void overflow_is_null_in_every_comparison(void)
{
	static const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -1,       0,
				       1,         INT64_MAX - 1, INT64_MAX};
	static const int64_t literals[] = {-2, -1, 1, 2};
	enum { N = sizeof ends / sizeof ends[0] };
	struct numbers w = {0};
	struct chance c = {13};
	char text[300];

	REQUIRE(numbers_open(&w, &c));
	REQUIRE(sotto_engine_execute(w.engine, "DELETE FROM numbers") == SOTTO_OK);
	for (size_t r = 0; r < N; r++) {
		(void)snprintf(text, sizeof text,
			       "INSERT INTO numbers VALUES (CAST('%" PRId64
			       "' AS BIGINT), 0, 0)",
			       ends[r]);
		REQUIRE(sotto_engine_execute(w.engine, text) == SOTTO_OK);
	}
	for (size_t i = 0; i < 5 * sizeof literals / sizeof literals[0]; i++) {
		long above = 0, below = 0, nulls = 0;
		char op = "+-*/%"[i % 5];

		for (size_t r = 0; r < N; r++) {
			__int128 u = ends[r], v = literals[i / 5];
			__int128 z = op == '+'   ? u + v
				     : op == '-' ? u - v
				     : op == '*' ? u * v
				     : op == '/' ? u / v
						 : u % v;

			nulls += z < INT64_MIN || z > INT64_MAX;
			above += z > 0 && z <= INT64_MAX;
			below += z < 0 && z >= INT64_MIN;
		}
		(void)snprintf(text, sizeof text, "a %c (%" PRId64 ")", op, literals[i / 5]);
		check_signs(&w, text, above, below, nulls);
	}
	sotto_policy_release(&w.policy);
	sotto_engine_close(w.engine);
}

/* Whether something of 128 bits stands in a TRY_CAST. */
static bool casts_wide(const char *sql)
{
	for (const char *at = sql; (at = strstr(at, "TRY_CAST(")); at++) {
		const char *end = at + strlen("TRY_CAST(");

		for (int depth = 1; *end && depth > 0; end++)
			depth += (*end == '(') - (*end == ')');
		for (const char *c = at; c < end; c++)
			if (strncmp(c, "HUGEINT", 7) == 0)
				return true;
	}
	return false;
}

/*
 * The engine's cast takes half a microsecond for each number that does not fit, because it writes it
 * into a sentence: one row would have that in each of the 10 000 that a join makes of it.
 */
static void no_number_that_does_not_fit_is_written_into_a_sentence(void)
{
	static const char *const terms[] = {
		"a + b", "a - b",  "a * b",        "a / b",
		"-a",    "abs(a)", "round(a, -2)", "truncate(a, -2)"};
	struct numbers w = {0};
	struct chance c = {14};
	char text[200];

	REQUIRE(numbers_open(&w, &c));
	for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
		const struct sotto_plan_request request = {
			.policy = &w.policy, .schema = give_schema, .schema_context = &w};
		struct sotto_error err = {""};
		struct sotto_plan plan;

		(void)snprintf(text, sizeof text, "SELECT COUNT(*) FROM numbers WHERE %s > 3",
			       terms[i]);
		REQUIRE(sotto_plan_make(&plan, &request, text, &err) == SOTTO_OK);
		(void)tap_check(strstr(plan.engine_sql, "HUGEINT") &&
					!casts_wide(plan.engine_sql),
				__FILE__, __LINE__, "%s: %s", text, plan.engine_sql);
		sotto_plan_release(&plan);
	}
	sotto_policy_release(&w.policy);
	sotto_engine_close(w.engine);
}

int main(void)
{
	RUN(no_number_that_does_not_fit_is_written_into_a_sentence);
	RUN(overflow_is_null_in_every_comparison);
	RUN(terms_have_the_values_that_128_bits_say);
	RUN(what_was_wrong_in_doubles_is_right);
	return tap_done();
}
