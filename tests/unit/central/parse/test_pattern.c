/*
 * Whatever regular expression and format of a date is taken, the engine takes: an
 * error after the charge would cost the analyst the budget for nothing.
 */
#include "central/engine/engine.h"
#include "central/parse/pattern/text_pattern.h"
#include "central/parse/value/date_format.h"
#include "core/base/sql_quote.h"
#include "testlib/chance.h"
#include "testlib/tap.h"

/* The text, quoted, stands for $1 in the template. */
static bool engine_takes(struct sotto_engine *engine, const char *template, const char *text)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_arena a;
	const char *place = strstr(template, "$1"), *quoted;
	bool ok;

	sotto_arena_init(&a, 1 << 20);
	quoted = sotto_sql_quote_text(&a, text);
	ok = sotto_engine_run(engine,
			      sotto_arena_textf(&a, "%.*s%s%s", (int)(place - template),
						template, quoted, place + 2),
			      &r) == SOTTO_OK;
	sotto_engine_result_free(r);
	sotto_arena_release(&a);
	return ok;
}

static void random_text(struct chance *c, const char *const *pieces, unsigned count, char *out)
{
	size_t n = 1 + chance_below(c, 10), at = 0;

	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(out + at, 12, "%s", pieces[chance_below(c, count)]);
}

static const char regexp[] = "SELECT count(*) FROM range(3) AS t(x) WHERE "
			     "regexp_matches(CAST(x AS VARCHAR), $1, 's')";

static void the_engine_takes_every_pattern_that_is_plain(void)
{
	static const char *const pieces[] = {
		"a",  "é",  "(",   ")",   "[",   "]",         "|",   "*",  "+", "?",
		"{2", "}",  ",3}", "^",   "$",   ".",         "\\d", "\\", "-", "1",
		"[^", "(?", ":",   "a-z", "\\.", "[:alpha:]", "(?:", "{",  "b]"};
	struct sotto_engine *engine = NULL;
	struct sotto_error err;
	struct chance c = {11};
	unsigned plain = 0;
	char text[160];

	REQUIRE(sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1},
					 &engine, &err) == SOTTO_OK);
	for (int i = 0; i < 6000; i++) {
		random_text(&c, pieces, sizeof pieces / sizeof pieces[0], text);
		if (!sotto_sql_pattern_is_plain(text))
			continue;
		plain++;
		(void)tap_check(engine_takes(engine, regexp, text), __FILE__, __LINE__, "%s",
				text);
	}
	CHECK(plain > 300);
	sotto_engine_close(engine);
}

/* Without the check the engine would complain about these. */
static void patterns_that_the_engine_dislikes_are_not_plain(void)
{
	static const char *const bad[] = {
		"(",     ")",  "[",     "[]",      "a**",      "*",   "{2}",     "a{3,2}",
		"[z-a]", "\\", "(?=a)", "a{1001}", "(?P<n>a)", "\\1", "a{2}{2}", "[a"};
	struct sotto_engine *engine = NULL;
	struct sotto_error err;
	unsigned raised = 0;

	REQUIRE(sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1},
					 &engine, &err) == SOTTO_OK);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		(void)tap_check(!sotto_sql_pattern_is_plain(bad[i]), __FILE__, __LINE__, "%s",
				bad[i]);
		raised += !engine_takes(engine, regexp, bad[i]);
	}
	CHECK(raised >= 10);
	CHECK(!sotto_sql_pattern_is_plain("((a{100}){100}){100}"));
	sotto_engine_close(engine);
}

static void the_engine_takes_every_format_that_is_plain(void)
{
	static const char *const pieces[] = {"%",  "Y",   "m", "-", "d", "q",
					     "%j", "%-H", "E", " ", "%z"};
	struct sotto_engine *engine = NULL;
	struct sotto_error err;
	struct chance c = {5};
	char text[160];

	REQUIRE(sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1},
					 &engine, &err) == SOTTO_OK);
	for (int i = 0; i < 3000; i++) {
		random_text(&c, pieces, sizeof pieces / sizeof pieces[0], text);
		if (sotto_sql_format_is_plain(text))
			(void)tap_check(engine_takes(engine,
						     "SELECT strftime(DATE '2024-02-29', $1)",
						     text),
					__FILE__, __LINE__, "%s", text);
	}
	CHECK(!sotto_sql_format_is_plain("%"));
	CHECK(!engine_takes(engine, "SELECT strftime(DATE '2024-02-29', $1)", "%q"));
	sotto_engine_close(engine);
}

static void other_patterns_become_regular_expressions_or_plain_like(void)
{
	struct sotto_arena a;

	sotto_arena_init(&a, 1 << 16);
	CHECK(strcmp(sotto_sql_pattern_similar(&a, "a%(b|_)."), "^(?:a.*(b|.)\\.)$") == 0);
	CHECK(strcmp(sotto_sql_pattern_similar(&a, "[%_]"), "^(?:[%_])$") == 0);
	CHECK(strcmp(sotto_sql_pattern_like(&a, "5!%!!\\%", "!"), "5\\%!\\\\%") == 0);
	CHECK(strcmp(sotto_sql_pattern_like(&a, "a\\%", ""), "a\\\\%") == 0);
	CHECK(strcmp(sotto_sql_format_of_to_char(&a, "YYYY-MM FMMonth"), "%Y-%m %B") == 0);
	CHECK(strcmp(sotto_sql_format_of_to_char(&a, "Month"), "") == 0);
	CHECK(strcmp(sotto_sql_format_of_to_char(&a, "YYYY\"Qx 5%\"DD"), "%YQx 5%%%d") == 0);
	CHECK(strcmp(sotto_sql_format_of_to_char(&a, "YYYY\"Q"), "%YQ") == 0);
	CHECK(strcmp(sotto_sql_format_of_to_char(&a, "HH24:00 (Dy)"), "%H:00 (%a)") == 0);
	CHECK(sotto_sql_format_before_quarter("YYYY\"Q\"Q") == 7);
	CHECK(sotto_sql_format_before_quarter("YYYY\"Q") == 6);
	sotto_arena_release(&a);
}

int main(void)
{
	RUN(the_engine_takes_every_pattern_that_is_plain);
	RUN(patterns_that_the_engine_dislikes_are_not_plain);
	RUN(the_engine_takes_every_format_that_is_plain);
	RUN(other_patterns_become_regular_expressions_or_plain_like);
	return tap_done();
}
