/*
 * The table of reviewed functions: the manual names each of them, each name stands once,
 * those that are also computed over answers give what the engine gives, and each has the shape
 * that its row says, on which intervals rely.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "central/expression/row_function.h"
#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

static char text[1 << 16];

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool names(const char *manual, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = manual; (at = strstr(at, name)) != NULL; at += n)
		if (at > manual && !is_word(at[-1]) && !is_word(at[n]))
			return true;
	return false;
}

static void every_reviewed_function_is_in_the_manual(void)
{
	FILE *f = fopen("man/sotto-sql.7", "re");
	const struct sotto_function *function;
	size_t i;

	REQUIRE(f != NULL);
	CHECK(fread(text, 1, sizeof text - 1, f) > 1000);
	(void)fclose(f);
	for (i = 0; (function = sotto_function_at(i)) != NULL; i++) {
		(void)tap_check(names(text, function->name), __FILE__, __LINE__,
				"%s is not in the manual", function->name);
		(void)tap_check(sotto_function_find(function->name) == function, __FILE__,
				__LINE__, "%s stands in the table twice", function->name);
	}
	CHECK(i > 40);
	CHECK(!names(text, "soundex"));
}

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 10, delta: 0.5}\ndiagnostics: 0\ntables:\n"
	"  visits:\n    source: visits.csv\n    public: true\n"
	"    columns: {x: {type: number}, y: {type: integer}}\n";

static const char csv[] = "x,y\n-7.5,2\n-2,1\n-1,0\n-0.25,1\n0,2\n0.3,0\n1,-1\n2.345,1\n"
			  "12.5,2\n1234.5678,-2\n";

/* What the engine makes of every x and y, against what is made of a noisy x here. */
static void compare(struct clinic *c, const struct sotto_function *f, const char *call)
{
	struct sotto_answer *a;
	char sql[200];

	(void)snprintf(sql, sizeof sql, "SELECT x, y, %s AS z FROM visits", call);
	a = clinic_ask(c, sql, NULL, NULL, false);
	if (!tap_check(a != NULL, __FILE__, __LINE__, "%s: %s", call, c->err.text))
		return;
	CHECK_INT(a->row_count, 10);
	for (size_t i = 0; i < a->row_count; i++) {
		double x = a->values[3 * i].number, y = a->values[3 * i + 1].number;
		const struct sotto_value *engine = &a->values[3 * i + 2];
		double here = f->answer.one ? f->answer.one(x) : f->answer.two(x, y);
		bool same = engine->kind == SOTTO_VALUE_NULL
				    ? isnan(here) || isinf(here)
				    : fabs(engine->number - here) <= 1e-12 * (1 + fabs(here)) ||
					      engine->number == here;

		(void)tap_check(same, __FILE__, __LINE__, "%s of %g, %g is %.17g", call, x, y,
				here);
	}
	sotto_answer_free(a);
}

static void functions_over_answers_give_what_the_engine_gives(void)
{
	const struct sotto_function *f;
	size_t compared = 0;
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, csv));
	for (size_t i = 0; (f = sotto_function_at(i)) != NULL; i++) {
		char call[80];

		if (!f->answer.one && !(f->answer.two && f->args[1] == 'n'))
			continue;
		(void)snprintf(call, sizeof call, f->answer.one ? "%s(x)" : "%s(x, y)",
			       f->name);
		compare(&c, f, call);
		compared++;
	}
	CHECK(compared > 25);
	clinic_close(&c);
}

static double value_of(const struct sotto_function *f, double x, double y)
{
	return f->answer.one ? f->answer.one(x) : f->answer.two(x, y);
}

/* Whether the values over [from, from + 8] only grow or only fall, where there are any. */
static bool is_monotone(const struct sotto_function *f, double from, double y)
{
	bool rises = false, falls = false;
	double last = NAN;

	for (int i = 0; i <= 256; i++) {
		double value = value_of(f, from + i / 32.0, y);

		if (!isfinite(value)) {
			last = NAN;
			continue;
		}
		rises = rises || value > last;
		falls = falls || value < last;
		last = value;
	}
	return !rises || !falls;
}

static void functions_over_answers_have_the_shape_that_their_row_says(void)
{
	const struct sotto_function *f;
	size_t turning = 0;

	for (size_t i = 0; (f = sotto_function_at(i)) != NULL; i++) {
		bool two = f->answer.two != NULL;

		if (!f->answer.one && !two)
			continue;
		for (int y = two ? -2 : 0; y <= (two ? 2 : 0); y++) {
			bool sides = is_monotone(f, -8, y) && is_monotone(f, 0, y);
			bool all = sides && is_monotone(f, -4, y);
			bool ok = f->answer.shape == SOTTO_SHAPE_MONOTONE ? all
				  : f->answer.shape == SOTTO_SHAPE_TURNS  ? sides
									  : true;

			turning += !all;
			(void)tap_check(ok, __FILE__, __LINE__, "%s(x, %d) turns", f->name, y);
		}
	}
	CHECK(turning >= 6); /* ABS, COSH, POWER, SIN, COS, ... */
}

int main(void)
{
	RUN(every_reviewed_function_is_in_the_manual);
	RUN(functions_over_answers_give_what_the_engine_gives);
	RUN(functions_over_answers_have_the_shape_that_their_row_says);
	return tap_done();
}
