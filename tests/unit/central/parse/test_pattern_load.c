/*
 * Patterns take time in proportion to the text: the states of their automata are counted, and
 * LIKE says what it says in PostgreSQL.
 */
#include <regex.h>
#include <string.h>

#include "central/parse/pattern/like_pattern.h"
#include "central/parse/pattern/pattern_automaton.h"
#include "central/parse/pattern/pattern_beyond.h"
#include "core/base/sql_quote.h"
#include "testlib/chance.h"
#include "testlib/fixture/people_world.h"
#include "testlib/tap.h"

static void the_states_of_a_pattern_are_counted(void)
{
	static const struct {
		const char *pattern;
		unsigned least, most;
	} cases[] = {
		{"abc", 4, 5},
		{"a", 2, 3},
		{"a[ab]c", 5, 8},
		{"^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,6}$", 3, 60},
		{"a.{5}b", 64, 130},
		{"(a|b)*a(a|b){6}c", 64, 260},
		{"a.{20}c", SOTTO_SQL_AUTOMATON_MAX + 1, SOTTO_SQL_AUTOMATON_MAX + 1},
		{"x(a.{99}|b.{99}|c.{99})", 501, 501},
		{"a[aA]{20}c", 501, 501},
		{"[^a][ab]{20}c", 501, 501},
		{"\\D[0-9a]{20}c", 501, 501},
		{"[[:upper:]][aA]{20}c", 501, 501},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sotto_sql_automaton m = {0};

		CHECK(sotto_sql_automaton_make(cases[i].pattern, false, &m) == SOTTO_OK);
		(void)tap_check(m.states >= cases[i].least && m.states <= cases[i].most,
				__FILE__, __LINE__, "%s: %u states", cases[i].pattern,
				m.states);
	}
}

static void random_text(struct chance *c, const char *const *pieces, unsigned count,
			unsigned most, char *out)
{
	unsigned n = chance_below(c, most + 1);

	*out = '\0';
	for (unsigned i = 0; i < n; i++)
		strcat(out, pieces[chance_below(c, count)]);
}

/* A prefix by what may follow it: one bit for each ending that completes a match. */
static uint64_t future(const regex_t *r, const char *prefix)
{
	char text[16];
	uint64_t bits = 0;
	unsigned bit = 0;

	for (unsigned n = 0; n <= 4; n++)
		for (unsigned i = 0; i < 1u << n; i++, bit++) {
			size_t m = strlen(prefix);

			memcpy(text, prefix, m + 1);
			for (unsigned j = 0; j < n; j++)
				text[m++] = i >> j & 1 ? 'b' : 'A';
			text[m] = '\0';
			bits |= (uint64_t)(regexec(r, text, 0, NULL, 0) == 0) << bit;
		}
	return bits;
}

/* Prefixes without a match that differ in what may follow: each needs a state of its own. */
static unsigned count_futures(const regex_t *r)
{
	uint64_t seen[256];
	unsigned count = 0;

	for (unsigned n = 0; n <= 6; n++)
		for (unsigned i = 0; i < 1u << n; i++) {
			char prefix[8] = "";
			uint64_t bits;
			unsigned j;

			for (j = 0; j < n; j++)
				prefix[j] = i >> j & 1 ? 'b' : 'A';
			bits = future(r, prefix);
			if (bits & 1)
				continue; /* found already */
			for (j = 0; j < count && seen[j] != bits; j++)
				;
			if (j == count)
				seen[count++] = bits;
		}
	return count;
}

/* Another implementation of regular expressions tells states apart: none may be missing. */
static void no_state_of_a_pattern_is_missed(void)
{
	static const char *const pieces[] = {
		"A",           "b", "a",   ".",   "[Ab]", "[^A]", "(Ab)", "(A|b)",
		"[[:upper:]]", "*", "{2}", "{3}", "?",    "+",    "|",    "[aA]"};
	struct chance c = {5};
	unsigned tried = 0, large = 0;

	for (int i = 0; i < 1500; i++) {
		struct sotto_sql_automaton m;
		char pattern[128];
		unsigned needed;
		regex_t r;

		random_text(&c, pieces, 16, 7, pattern);
		if (sotto_sql_automaton_make(pattern, false, &m) != SOTTO_OK ||
		    regcomp(&r, pattern, REG_EXTENDED | REG_NOSUB) != 0)
			continue;
		needed = count_futures(&r);
		regfree(&r);
		tried++;
		large += needed > 6;
		(void)tap_check(m.states >= needed, __FILE__, __LINE__,
				"%s has %u states, not %u", pattern, needed, m.states);
	}
	tap_note("%u patterns, %u with more than six states", tried, large);
	CHECK(tried > 300 && large > 20);
}

/* ---- beyond a match ----------------------------------------------------------------------------- */

static void how_far_a_search_reads_beyond_a_match_is_known(void)
{
	enum { ALL = SOTTO_SQL_BEYOND_MAX + 1 };
	static const struct {
		const char *pattern;
		unsigned beyond;
	} cases[] = {
		{"a", 0},
		{"\\s+", 0},
		{"[^a-z]", 0},
		{"<[^>]*>", 0},
		{"a|abc", 1},
		{"(ab)*", 1},
		{"a(bcd)?", 2},
		{"\\w+@\\w+\\.com", 0},
		{"^\\s+|\\s+$", 0},
		{"a.*z|a", ALL},
		{"a(.*z)?", ALL},
		{"(a.*z)?", ALL},
		{"(a+b)*", ALL},
		{"a(.{40}z)?", ALL},
		{"<[^>]*>|x", ALL}, /* <x<x<x<x */
		{"a([^,]*$)?", ALL}, /* aaaa, */
		{"a|^a.*b", 0}, /* only the first search reads on */
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sotto_sql_automaton m = {0};

		CHECK(sotto_sql_automaton_make(cases[i].pattern, false, &m) == SOTTO_OK);
		(void)tap_check(m.beyond == cases[i].beyond, __FILE__, __LINE__, "%s: %u",
				cases[i].pattern, m.beyond);
	}
}

/* Whether what may follow the text can make a longer match of it, or one further to the left. */
static bool may_grow(const regex_t *r, const char *text, regmatch_t found)
{
	char longer[16];
	size_t n = strlen(text);

	for (unsigned m = 1; m <= 3; m++)
		for (unsigned i = 0; i < 1u << m; i++) {
			regmatch_t now;

			memcpy(longer, text, n);
			for (unsigned j = 0; j < m; j++)
				longer[n + j] = i >> j & 1 ? 'b' : 'A';
			longer[n + m] = '\0';
			if (regexec(r, longer, 1, &now, 0) == 0 && now.rm_so <= found.rm_so &&
			    now.rm_eo > (regoff_t)n)
				return true;
		}
	return false;
}

/* What any search has to read beyond its match, over all short texts. */
static unsigned needed_beyond(const regex_t *r)
{
	unsigned most = 0;

	for (unsigned n = 0; n <= 6; n++)
		for (unsigned i = 0; i < 1u << n; i++) {
			char text[8] = "";
			regmatch_t found;

			for (unsigned j = 0; j < n; j++)
				text[j] = i >> j & 1 ? 'b' : 'A';
			if (regexec(r, text, 1, &found, 0) == 0 &&
			    n - (unsigned)found.rm_eo > most && may_grow(r, text, found))
				most = n - (unsigned)found.rm_eo;
		}
	return most;
}

/* (Kills: leaving out beginnings further to the left; leaving out empty matches.) */
static void no_search_reads_further_beyond_a_match(void)
{
	static const char *const pieces[] = {"A",     "b",      ".", "[^A]", "(Ab)",
					     "(A|b)", "(b.*A)", "*", "{2}",  "(.b)*",
					     "?",     "+",      "|", "|"};
	struct chance c = {6};
	unsigned tried = 0, far = 0;

	for (int i = 0; i < 1500; i++) {
		struct sotto_sql_automaton m;
		char pattern[128];
		unsigned needed;
		regex_t r;

		random_text(&c, pieces, 14, 6, pattern);
		if (strstr(pattern, "}?") || strstr(pattern, "*?") || strstr(pattern, "+?") ||
		    strstr(pattern, "??")) /* means something else there */
			continue;
		if (sotto_sql_automaton_make(pattern, false, &m) != SOTTO_OK ||
		    regcomp(&r, pattern, REG_EXTENDED) != 0)
			continue;
		needed = needed_beyond(&r);
		regfree(&r);
		tried++;
		far += needed > 1 && m.beyond <= SOTTO_SQL_BEYOND_MAX;
		(void)tap_check(m.beyond >= needed, __FILE__, __LINE__, "%s: %u, not %u",
				pattern, needed, m.beyond);
	}
	tap_note("%u patterns, %u of a bound above one", tried, far);
	CHECK(tried > 300 && far > 10);
}

/* LIKE as the standard says it, one character after another. */
static bool likes(const char *s, const char *p)
{
	if (*p == '\0')
		return *s == '\0';
	if (*p == '%') {
		for (;; s++) {
			if (likes(s, p + 1))
				return true;
			if (!*s)
				return false;
		}
	}
	if (!*s)
		return false;
	if (*p == '_') {
		do
			s++;
		while (((unsigned char)*s & 0xc0) == 0x80);
		return likes(s, p + 1);
	}
	p += *p == '\\';
	return *s == *p && likes(s + 1, p + 1);
}

enum { TEXTS = 120, PATTERNS = 250 };

static bool fill_texts(struct people_world *w, struct chance *c, char (*texts)[64])
{
	static const char *const pieces[] = {"a", "b",  "%", "_", "\\",
					     "é", "\n", ".", "*", "A"};
	bool ok = sotto_engine_execute(w->engine, "DELETE FROM source.people") == SOTTO_OK;

	for (int i = 0; ok && i < TEXTS; i++) {
		struct sotto_arena a;
		char sql[512];

		random_text(c, pieces, 10, 7, texts[i]);
		sotto_arena_init(&a, 1 << 16);
		(void)snprintf(sql, sizeof sql,
			       "INSERT INTO source.people VALUES (%d, %s, 0, 'F')", i,
			       sotto_sql_quote_text(&a, texts[i]));
		ok = sotto_engine_execute(w->engine, sql) == SOTTO_OK;
		sotto_arena_release(&a);
	}
	return tap_check(ok, __FILE__, __LINE__, "%s", sotto_engine_detail(w->engine));
}

static int64_t count_like(struct people_world *w, const char *word, const char *pattern)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_error err = {""};
	struct sotto_plan plan;
	struct sotto_arena a;
	char sql[512];
	int64_t n = -1;

	sotto_arena_init(&a, 1 << 16);
	(void)snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM people WHERE t %s E%s", word,
		       sotto_sql_quote_text(&a, pattern));
	for (char *s = sql; (s = strchr(s, '\\')); s += 2) /* E'' halves backslashes */
		memmove(s + 1, s, strlen(s) + 1);
	sotto_arena_release(&a);
	if (!tap_check(people_plan(w, &plan, sql, &err) == SOTTO_OK, __FILE__, __LINE__,
		       "%s: %s", sql, err.text))
		return -1;
	if (tap_check(sotto_engine_run(w->engine, plan.engine_sql, &r) == SOTTO_OK, __FILE__,
		      __LINE__, "%s: %s", sql, sotto_engine_detail(w->engine)))
		n = sotto_engine_exact(r, 0, 0).secret;
	sotto_engine_result_free(r);
	sotto_plan_release(&plan);
	return n;
}

static void like_says_what_it_says_in_postgresql(void)
{
	static const char *const pieces[] = {"a",    "b",   "%", "%",  "_", "\\%",
					     "\\\\", "\\_", "é", "\n", ".", "*"};
	struct chance c = {77};
	struct people_world w;
	char texts[TEXTS][64], pattern[64];

	REQUIRE(people_open(&w));
	if (fill_texts(&w, &c, texts))
		for (int i = 0; i < PATTERNS; i++) {
			int64_t wanted = 0;

			random_text(&c, pieces, 12, 6, pattern);
			for (int j = 0; j < TEXTS; j++)
				wanted += likes(texts[j], pattern);
			(void)tap_check(count_like(&w, "LIKE", pattern) == wanted, __FILE__,
					__LINE__, "'%s' finds %lld texts", pattern,
					(long long)wanted);
		}
	people_close(&w);
}

/*
 * The engine's own search tries all ways to divide a text where a pattern has several %: such a
 * pattern, and one with a _, is a regular expression (test_pattern_time.c has the engine search).
 */
static void no_pattern_makes_the_engine_go_back(void)
{
	static const char *const pieces[] = {"a",   "b",   "%",    "%", "%", "_",
					     "\\%", "\\_", "\\\\", "é", ".", "*"};
	unsigned several = 0, signs = 0;
	struct chance c = {78};

	for (int i = 0; i < 20 * PATTERNS; i++) {
		struct sotto_sql_like like;
		struct sotto_arena a;
		char pattern[64], last = '\0';
		unsigned percents = 0;
		bool has_sign = false;

		random_text(&c, pieces, 12, 9, pattern);
		for (const char *s = pattern; *s; last = *s, s += 1 + (*s == '\\')) {
			has_sign = has_sign || *s == '_';
			percents += *s == '%' && last != '%';
		}
		sotto_arena_init(&a, 1 << 16);
		REQUIRE(sotto_sql_like_read(&a, pattern, &like) == SOTTO_OK);
		signs += has_sign;
		several += percents > 2;
		(void)tap_check(
			(!has_sign && percents <= 2) || like.kind == SOTTO_SQL_LIKE_REGEX,
			__FILE__, __LINE__, "'%s' could be divided in many ways", pattern);
		sotto_arena_release(&a);
	}
	tap_note("%u patterns with several %%, %u with a _", several, signs);
	CHECK(several > 20 && signs > 20);
}

static void ilike_does_not_see_case(void)
{
	struct people_world w;

	REQUIRE(people_open(&w));
	CHECK(sotto_engine_execute(w.engine,
				   "INSERT INTO source.people VALUES (1, 'ÉtÉ', 0, "
				   "'F'), (2, 'été', 0, 'M'), (3, 'ete', 0, 'M')") == SOTTO_OK);
	CHECK(count_like(&w, "ILIKE", "Ét_") == 2);
	CHECK(count_like(&w, "ILIKE", "É%É") == 2);
	CHECK(count_like(&w, "ILIKE", "%T%") == 3);
	CHECK(count_like(&w, "ILIKE", "ETE") == 1);
	CHECK(count_like(&w, "LIKE", "Ét_") == 1);
	CHECK(count_like(&w, "LIKE", "ét_") == 1);
	people_close(&w);
}

int main(void)
{
	RUN(the_states_of_a_pattern_are_counted);
	RUN(no_state_of_a_pattern_is_missed);
	RUN(how_far_a_search_reads_beyond_a_match_is_known);
	RUN(no_search_reads_further_beyond_a_match);
	RUN(like_says_what_it_says_in_postgresql);
	RUN(no_pattern_makes_the_engine_go_back);
	RUN(ilike_does_not_see_case);
	return tap_done();
}
