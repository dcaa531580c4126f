/*
 * The table of aggregates: every record is complete, stands in the manual with its own
 * words, is asked for in the golden cases, and answers or refuses its example.
 */
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/parse/dialect/function_synonym.h"
#include "central/aggregate/aggregate.h"
#include "central/expression/row_function.h"
#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1e9, delta: 0.5}\ndiagnostics: 0\ntables:\n"
	"  visits:\n    source: visits.csv\n    unit: id\n"
	"    columns:\n      x: {bounds: [1, 100], type: integer}\n"
	"      y: {bounds: [2, 50]}\n      ward: {keys: [a, b]}\n"
	"  prices: {source: visits.csv, public: true}\n";

/* Enough people for noise to leave no variance of 0. */
enum { PEOPLE = 400 };

static const char *csv(void)
{
	static char text[20 * PEOPLE] = "id,ward,x,y\n";
	size_t n = strlen("id,ward,x,y\n");

	for (int i = 0; i < PEOPLE; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%d,%c,%d,%d.5\n", i,
				      i % 3 ? 'a' : 'b', 1 + i % 100, 2 + i % 100 * 47 / 100);
	return text;
}

/* Appends the files that match, in lower case. */
static char *read_all(const char *pattern)
{
	size_t length = 0;
	char *text = calloc(1, 1);
	glob_t found;

	if (glob(pattern, 0, NULL, &found) != 0)
		return text;
	for (size_t i = 0; text && i < found.gl_pathc; i++) {
		FILE *f = fopen(found.gl_pathv[i], "re");
		int c;

		while (f && (c = fgetc(f)) != EOF) {
			text = realloc(text, length + 2);
			if (!text)
				abort();
			text[length++] = (char)c;
			text[length] = '\0';
		}
		if (f)
			(void)fclose(f);
	}
	globfree(&found);
	return text;
}

static void lower(char *text)
{
	for (; *text; text++)
		*text = (char)tolower((unsigned char)*text);
}

/* name( as a word of its own */
static bool calls(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = text; (at = strstr(at, name)) != NULL; at += n)
		if ((at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
		    at[n] == '(')
			return true;
	return false;
}

static void every_record_is_complete(void)
{
	const struct sotto_aggregate_record *r;
	size_t i;

	for (i = 0; (r = sotto_aggregate_at(i)) != NULL; i++) {
		int ways = (r->plan != NULL) + (r->expand != NULL) + (r->refusal != NULL);

		(void)tap_check(r->syntax && r->manual && r->example && ways == 1, __FILE__,
				__LINE__, "%s is not complete", r->names[0]);
		(void)tap_check(!r->estimate || (r->error_times_count && r->predict), __FILE__,
				__LINE__, "%s predicts no error", r->names[0]);
		for (const char *const *name = r->names; *name; name++)
			(void)tap_check(sotto_aggregate_find(*name) == r, __FILE__, __LINE__,
					"%s stands in the table twice", *name);
	}
	CHECK(i > 20);
	CHECK(!sotto_aggregate_find("bitstring_agg"));
}

static void every_record_is_in_the_manual_in_its_own_words(void)
{
	const struct sotto_aggregate_record *r;
	char *manual = read_all("man/sotto-sql.7");

	for (size_t i = 0; (r = sotto_aggregate_at(i)) != NULL; i++) {
		char entry[512];
		int n = snprintf(entry, sizeof entry, ".It %s\n%s\n", r->syntax, r->manual);

		(void)tap_check(n > 0 && (size_t)n < sizeof entry && strstr(manual, entry),
				__FILE__, __LINE__, "man/sotto-sql.7 has no entry\n%s", entry);
	}
	free(manual);
}

static void every_name_is_asked_for_in_the_golden_cases(void)
{
	const struct sotto_aggregate_record *r;
	char *cases = read_all("tests/sql/*.case");

	lower(cases);
	for (size_t i = 0; (r = sotto_aggregate_at(i)) != NULL; i++)
		for (const char *const *name = r->names; *name; name++)
			(void)tap_check(calls(cases, *name), __FILE__, __LINE__,
					"no case in tests/sql calls %s", *name);
	CHECK(!calls(cases, "bitstring_agg"));
	free(cases);
}

/* A number has an interval with the number in it, where noise leaves no divisor that may be 0. */
static void check_answer(const struct sotto_aggregate_record *r, const struct sotto_answer *a)
{
	const struct sotto_value *v = &a->values[0];

	CHECK_INT(a->row_count, 1);
	CHECK(v->kind != SOTTO_VALUE_NULL && a->columns[0].noisy);
	if (v->kind == SOTTO_VALUE_INTEGER || v->kind == SOTTO_VALUE_NUMBER)
		(void)tap_check(a->lows[0].number <= v->number &&
					v->number <= a->highs[0].number,
				__FILE__, __LINE__, "%s has no interval", r->names[0]);
}

static void every_example_is_answered_or_refused_with_its_words(void)
{
	const struct sotto_aggregate_record *r;
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, csv()));
	for (size_t i = 0; (r = sotto_aggregate_at(i)) != NULL; i++) {
		struct sotto_answer *a;
		char sql[200];

		(void)snprintf(sql, sizeof sql, "SELECT %s FROM visits", r->example);
		a = clinic_ask(&c, sql, "500", NULL, false);
		(void)tap_check((a != NULL) == !r->refusal &&
					(a || strstr(c.err.text, r->refusal)),
				__FILE__, __LINE__, "%s: %s", sql, c.err.text);
		if (a)
			check_answer(r, a);
		sotto_answer_free(a);
	}
	clinic_close(&c);
}

/* What a record says of public tables is true of the engine, alone and as a window. */
static void every_public_form_is_known_to_the_engine(void)
{
	const struct sotto_aggregate_record *r;
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, csv()));
	for (size_t i = 0; (r = sotto_aggregate_at(i)) != NULL; i++) {
		for (int window = 0; window < 2; window++) {
			struct sotto_answer *a;
			char sql[200];

			if (!(window ? r->public_window : r->is_public))
				continue;
			(void)snprintf(sql, sizeof sql, "SELECT %s%s AS a FROM prices",
				       r->example, window ? " OVER (PARTITION BY ward)" : "");
			a = clinic_ask(&c, sql, NULL, NULL, false);
			(void)tap_check(a != NULL, __FILE__, __LINE__, "%s: %s", sql,
					c.err.text);
			sotto_answer_free(a);
		}
	}
	clinic_close(&c);
}

/* Words of other dialects mean something that is there. */
static void every_synonym_means_a_function_or_an_aggregate(void)
{
	const char *means, *name;
	size_t i;

	for (i = 0; (name = sotto_sql_synonym(i, &means)) != NULL; i++)
		(void)tap_check(sotto_aggregate_find(means) || sotto_function_find(means) ||
					strcmp(means, "coalesce") == 0,
				__FILE__, __LINE__, "%s means %s, which is not there", name,
				means);
	CHECK(i > 20);
}

int main(void)
{
	RUN(every_record_is_complete);
	RUN(every_record_is_in_the_manual_in_its_own_words);
	RUN(every_name_is_asked_for_in_the_golden_cases);
	RUN(every_example_is_answered_or_refused_with_its_words);
	RUN(every_public_form_is_known_to_the_engine);
	RUN(every_synonym_means_a_function_or_an_aggregate);
	return tap_done();
}
