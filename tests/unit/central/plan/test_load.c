/*
 * What a query makes the engine do is known before it is charged: patterns take time in
 * proportion to the text, expressions are measured with everything they read written
 * out, and what is free names no private table.
 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/engine.h"
#include "central/parse/pattern/pattern_automaton.h"
#include "central/parse/sql_print.h"
#include "central/plan/expression/row_function.h"
#include "central/plan/expression/row_work.h"
#include "central/plan/plan.h"
#include "central/plan/relation/free_guard.h"
#include "testlib/chance.h"
#include "testlib/tap.h"

struct clinic_world {
	struct sotto_engine *engine;
	struct sotto_policy policy;
	struct sotto_schema_table schemas[2];
};

static struct sotto_schema_column columns[] = {
	{.name = "id", .type = SOTTO_TYPE_INTEGER},
	{.name = "t", .type = SOTTO_TYPE_TEXT},
	{.name = "x", .type = SOTTO_TYPE_NUMBER, .is_double = true},
	{.name = "sex", .type = SOTTO_TYPE_TEXT},
};

static struct sotto_schema_column public_columns[] = {
	{.name = "k", .type = SOTTO_TYPE_INTEGER},
	{.name = "word", .type = SOTTO_TYPE_TEXT},
};

static enum sotto_status give_schema(void *context, const struct sotto_policy_table *table,
				     const struct sotto_schema_table **out,
				     struct sotto_error *err)
{
	struct clinic_world *w = context;
	struct sotto_schema_table *t = &w->schemas[table->is_public];

	(void)err;
	*t = (struct sotto_schema_table){.policy = table,
					 .scan = table->is_public ? "source.\"pub\""
								  : "source.\"people\"",
					 .columns = table->is_public ? public_columns : columns,
					 .column_count = table->is_public ? 2 : 4};
	*out = t;
	return SOTTO_OK;
}

static bool world_open(struct clinic_world *w)
{
	static const char policy[] =
		"budget: {epsilon: 1, delta: 1e-6}\n"
		"tables:\n"
		"  people: {source: p.csv, unit: id, max_groups: 3, columns: {x: {bounds: [0, "
		"9]}, sex: {keys: [F, M]}, t: {max_text: 500}}}\n"
		"  pub: {source: q.csv, public: true}\n";
	static const char tables[] =
		"CREATE SCHEMA source; CREATE TABLE source.people(id BIGINT, t VARCHAR, x "
		"DOUBLE, sex VARCHAR); CREATE TABLE source.pub AS SELECT range AS k, 'w' || "
		"range AS word FROM range(900)";
	struct sotto_error err = {""};
	bool ok = sotto_engine_open(1, &w->engine, &err) == SOTTO_OK &&
		  sotto_engine_execute(w->engine, tables) == SOTTO_OK &&
		  sotto_policy_parse(&w->policy, "p.yaml", policy, sizeof policy - 1, &err) ==
			  SOTTO_OK;

	if (!ok)
		tap_note("%s %s", err.text, w->engine ? sotto_engine_detail(w->engine) : "");
	return ok;
}

static void world_close(struct clinic_world *w)
{
	sotto_policy_release(&w->policy);
	sotto_engine_close(w->engine);
}

static enum sotto_status plan_make(struct clinic_world *w, struct sotto_plan *plan,
				   const char *sql, struct sotto_error *err)
{
	const struct sotto_plan_request request = {
		.policy = &w->policy, .schema = give_schema, .schema_context = w};

	return sotto_plan_make(plan, &request, sql, err);
}

/* The checks of public tables: NULL if all hold, else the sentence. */
static const char *check(struct clinic_world *w, const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->check_count; i++) {
		struct sotto_engine_result *r = NULL;
		int64_t n;

		if (!tap_check(sotto_engine_run(w->engine, plan->checks[i].query.sql, &r) ==
				       SOTTO_OK,
			       __FILE__, __LINE__, "%s", sotto_engine_detail(w->engine)))
			return "no check";
		n = sotto_engine_cell(r, 0, 0).integer;
		sotto_engine_result_free(r);
		if (n > plan->checks[i].most)
			return plan->checks[i].why;
	}
	return NULL;
}

/* ---- functions ----------------------------------------------------------------------------- */

static void every_function_of_text_has_a_cost_and_a_length(void)
{
	const struct sotto_function *f;

	for (size_t i = 0; (f = sotto_function_at(i)) != NULL; i++) {
		if (strchr(f->args, 't'))
			(void)tap_check(f->load.each > 0, __FILE__, __LINE__, "%s", f->name);
		if (f->type == SOTTO_TYPE_TEXT)
			(void)tap_check(f->load.length != SOTTO_LENGTH_NONE, __FILE__, __LINE__,
					"%s", f->name);
	}
}

/* ---- patterns ------------------------------------------------------------------------------ */

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

static bool fill_texts(struct clinic_world *w, struct chance *c, char (*texts)[64])
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
			       sotto_sql_print_text(&a, texts[i]));
		ok = sotto_engine_execute(w->engine, sql) == SOTTO_OK;
		sotto_arena_release(&a);
	}
	return tap_check(ok, __FILE__, __LINE__, "%s", sotto_engine_detail(w->engine));
}

static int64_t count_like(struct clinic_world *w, const char *word, const char *pattern)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_error err = {""};
	struct sotto_plan plan;
	struct sotto_arena a;
	char sql[512];
	int64_t n = -1;

	sotto_arena_init(&a, 1 << 16);
	(void)snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM people WHERE t %s E%s", word,
		       sotto_sql_print_text(&a, pattern));
	for (char *s = sql; (s = strchr(s, '\\')); s += 2) /* E'' halves backslashes */
		memmove(s + 1, s, strlen(s) + 1);
	sotto_arena_release(&a);
	if (!tap_check(plan_make(w, &plan, sql, &err) == SOTTO_OK, __FILE__, __LINE__, "%s: %s",
		       sql, err.text))
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
	struct clinic_world w;
	char texts[TEXTS][64], pattern[64];

	REQUIRE(world_open(&w));
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
	world_close(&w);
}

static void ilike_does_not_see_case(void)
{
	struct clinic_world w;

	REQUIRE(world_open(&w));
	CHECK(sotto_engine_execute(w.engine,
				   "INSERT INTO source.people VALUES (1, 'ÉtÉ', 0, "
				   "'F'), (2, 'été', 0, 'M'), (3, 'ete', 0, 'M')") == SOTTO_OK);
	CHECK(count_like(&w, "ILIKE", "Ét_") == 2);
	CHECK(count_like(&w, "ILIKE", "É%É") == 2);
	CHECK(count_like(&w, "ILIKE", "%T%") == 3);
	CHECK(count_like(&w, "ILIKE", "ETE") == 1);
	CHECK(count_like(&w, "LIKE", "Ét_") == 1);
	CHECK(count_like(&w, "LIKE", "ét_") == 1);
	world_close(&w);
}

/* ---- texts are read up to a length ------------------------------------------------------------ */

static int64_t count(struct clinic_world *w, const char *sql)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_error err = {""};
	struct sotto_plan plan;
	int64_t n = -1;

	if (!tap_check(plan_make(w, &plan, sql, &err) == SOTTO_OK, __FILE__, __LINE__, "%s: %s",
		       sql, err.text))
		return -1;
	if (tap_check(sotto_engine_run(w->engine, plan.engine_sql, &r) == SOTTO_OK, __FILE__,
		      __LINE__, "%s: %s", sql, sotto_engine_detail(w->engine)))
		n = sotto_engine_exact(r, 0, 0).secret;
	sotto_engine_result_free(r);
	sotto_plan_release(&plan);
	return n;
}

/* Who wrote a megabyte of digits would have it read in each row that a join makes. */
static void a_text_too_long_for_a_number_or_date_is_none(void)
{
	struct clinic_world w;

	REQUIRE(world_open(&w));
	CHECK(sotto_engine_execute(w.engine,
				   "INSERT INTO source.people VALUES (1, repeat('0', 63) || "
				   "'7', 0, 'F'), (2, repeat('0', 64) || '7', 0, 'F'), (3, "
				   "'2024-02-03' || repeat(' ', 54), 0, 'F'), (4, "
				   "'2024-02-03' || repeat(' ', 55), 0, 'F')") == SOTTO_OK);
	CHECK(count(&w, "SELECT COUNT(*) FROM people WHERE CAST(t AS INTEGER) = 7") == 1);
	CHECK(count(&w, "SELECT COUNT(*) FROM people WHERE CAST(t AS DATE) = '2024-02-03'") ==
	      1);
	world_close(&w);
}

/* Who wrote the same long text twice would have both read to their ends. */
static void two_private_texts_are_compared_up_to_the_length_that_counts(void)
{
	static const char *const queries[] = {
		"SELECT COUNT(*) FROM people WHERE t = sex",
		"SELECT COUNT(*) FROM people WHERE NOT t > sex",
		"SELECT COUNT(*) FROM people WHERE t IN (sex)",
		"SELECT COUNT(*) FROM people a JOIN people b ON a.id = b.id AND a.t = b.sex",
	};
	struct clinic_world w;

	REQUIRE(world_open(&w));
	CHECK(sotto_engine_execute(w.engine,
				   "INSERT INTO source.people VALUES (1, repeat('a', 500) || "
				   "'b', 0, repeat('a', 500)), (2, repeat('a', 500) || 'A', 0, "
				   "repeat('a', 500))") == SOTTO_OK);
	for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++)
		(void)tap_check(count(&w, queries[i]) == 2, __FILE__, __LINE__, "%s",
				queries[i]);
	world_close(&w);
}

/* Who wrote a long text would have it hashed in each row that a join makes. */
static void a_text_with_public_keys_is_cut(void)
{
	struct sotto_error err = {""};
	struct clinic_world w;
	struct sotto_plan plan;

	REQUIRE(world_open(&w));
	REQUIRE(plan_make(&w, &plan,
			  "SELECT sex, COUNT(*) FROM people JOIN pub ON k = x GROUP BY sex",
			  &err) == SOTTO_OK);
	CHECK(strstr(plan.engine_sql, "TRY_CAST(t1.\"sotto text 3\" AS VARCHAR) AS k0") !=
	      NULL);
	CHECK(strstr(plan.engine_sql, "TRY_CAST(t1.\"sex\"") == NULL);
	sotto_plan_release(&plan);
	/* Where no join makes rows, the length is enough. */
	REQUIRE(plan_make(&w, &plan, "SELECT sex, COUNT(*) FROM people GROUP BY sex", &err) ==
		SOTTO_OK);
	CHECK(strstr(plan.engine_sql, "CASE WHEN strlen(t1.\"sex\") > ") != NULL);
	sotto_plan_release(&plan);
	world_close(&w);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void too_much_work_is_refused_before_the_charge(void)
{
	static const struct {
		const char *sql;
		bool fine;
	} cases[] = {
		{"SELECT COUNT(*) FROM people WHERE t LIKE '%a_%a_%a_%b_'", true},
		{"SELECT COUNT(*) FROM people WHERE t ILIKE '%a%b%c%' OR lower(t) LIKE 'x%'",
		 true},
		{"SELECT COUNT(*) FROM people WHERE t ~ '^[A-Z]{2}-?[0-9]{4,6}$'", true},
		{"SELECT COUNT(*) FROM people JOIN pub ON x > k", true},
		{"SELECT COUNT(*) FROM people JOIN pub ON t = word", true},
		{"SELECT COUNT(*) FROM people JOIN pub ON k = id WHERE t || word LIKE '%a%'",
		 true},
		{"SELECT COUNT(*) FROM people JOIN pub ON TRUE WHERE t || word LIKE '%a%'",
		 false},
		{"SELECT COUNT(*) FROM people JOIN pub ON TRUE WHERE regexp_matches(lpad(t, "
		 "10000, 'ab'), 'a.b')",
		 false},
		{"SELECT COUNT(*) FROM people JOIN pub a ON TRUE JOIN pub b ON TRUE", false},
		{"SELECT COUNT(*) FROM people WHERE regexp_matches(lpad(t, 10000, 'a'), "
		 "'a.{30}c')",
		 false},
		{"SELECT COUNT(*) FROM people WHERE strpos(lpad(t, 10000, 'a'), lpad(t, 9999, "
		 "'a')) = 3",
		 false},
		{"SELECT COUNT(*) FROM people WHERE EXISTS (SELECT 1 FROM pub WHERE "
		 "reverse(people.t || word) = 'x' AND k > people.x)",
		 false},
		{"SELECT COUNT(*) FROM people WHERE EXISTS (SELECT 1 FROM pub WHERE k > "
		 "people.x)",
		 true},
		{"SELECT COUNT(*) FROM people a JOIN people b ON a.id = b.id WHERE a.t < b.t",
		 true},
		{"SELECT COUNT(*) FROM people a JOIN people b ON a.id = b.id WHERE reverse(a.t "
		 "|| b.t) ILIKE '%x_%y_%'",
		 false},
		{"SELECT COUNT(*) FROM people a JOIN people b ON a.id = b.id JOIN people c ON "
		 "a.id = c.id JOIN people d ON a.id = d.id",
		 false},
		{"SELECT COUNT(*) FROM people JOIN pub ON TRUE WHERE mod(x, k) = 1", false},
		{"SELECT COUNT(*) FROM people JOIN pub ON x > k WHERE trim(CAST(x AS TEXT), "
		 "'0') = 'a'",
		 true},
		{"SELECT COUNT(*) FROM people JOIN pub ON x > k WHERE trim(CAST(x AS TEXT), "
		 "'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ') = 'a'",
		 false},
	};
	struct clinic_world w;

	REQUIRE(world_open(&w));
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sotto_error err = {""};
		struct sotto_plan plan;
		enum sotto_status st = plan_make(&w, &plan, cases[i].sql, &err);
		const char *why = st == SOTTO_OK ? check(&w, &plan) : err.text;

		(void)tap_check(!why == cases[i].fine, __FILE__, __LINE__, "%s: %s",
				cases[i].sql, why ? why : "is planned");
		if (why)
			CHECK(strstr(why, "private row") != NULL);
		if (st == SOTTO_OK)
			sotto_plan_release(&plan);
	}
	world_close(&w);
}

/* ---- nests ----------------------------------------------------------------------------------- */

struct nest {
	const char *inner; /* the innermost SELECT, with columns id and x */
	const char *layer; /* @ is what stands below */
	const char *outer;
};

static const struct nest nests[] = {
	{"SELECT id, t AS x FROM people", "SELECT id, x || x AS x FROM (@) AS q",
	 "SELECT COUNT(*) FROM (@) AS q WHERE x = 'a'"},
	{"SELECT id, x FROM people", "SELECT id, x * x + x AS x FROM (@) AS q",
	 "SELECT COUNT(*) FROM (@) AS q WHERE x > 1"},
	{"SELECT id, x FROM people", "SELECT id, x / (1 + x) AS x FROM (@) AS q",
	 "SELECT COUNT(*) FROM (@) AS q WHERE x > 1"},
	{"SELECT id, x FROM people",
	 "SELECT id, CASE WHEN x > 1 THEN x ELSE -x END AS x FROM (@) AS q",
	 "SELECT COUNT(*) FROM (@) AS q WHERE x > 1"},
	{"SELECT id, x FROM people", "SELECT id, coalesce(x, nullif(x, 1)) AS x FROM (@) AS q",
	 "SELECT AVG(clip(x, 0, 1)) FROM (@) AS q"},
	{"SELECT id, x FROM people",
	 "SELECT id, greatest(x, least(x, sqrt(x))) AS x FROM (@) AS q",
	 "SELECT COUNT(DISTINCT x) FROM (@) AS q"},
	{"SELECT id, x FROM people", "SELECT id, x FROM (@) AS q WHERE x IN (x, x + 1)",
	 "SELECT COUNT(*) FROM (@) AS q"},
	{"SELECT id, x FROM people",
	 "WITH c AS (@) SELECT id, x FROM c UNION ALL SELECT id, x FROM c",
	 "SELECT COUNT(*) FROM (@) AS q"},
	{"SELECT id, x FROM people",
	 "SELECT a.id, a.x FROM (@) AS a JOIN (@) AS b ON a.id = b.id",
	 "SELECT COUNT(*) FROM (@) AS q"},
	{"SELECT id, x FROM people",
	 "SELECT id, x + SUM(x) OVER (PARTITION BY id) AS x FROM (@) AS q",
	 "SELECT COUNT(*) FROM (@) AS q WHERE x > 1"},
	{"SELECT id, x FROM people",
	 "SELECT id, x FROM (@) AS q WHERE EXISTS (SELECT 1 FROM people p WHERE p.id = q.id "
	 "AND p.x > q.x)",
	 "SELECT COUNT(*) FROM (@) AS q"},
	{"SELECT sex AS id, COUNT(*) AS x FROM people GROUP BY sex",
	 "SELECT id, x * x + x AS x FROM (@) AS q", "SELECT id, x FROM (@) AS q"},
	{"SELECT sex AS id, COUNT(*) AS x FROM people GROUP BY sex",
	 "SELECT id, x + SUM(x) OVER () AS x FROM (@) AS q", "SELECT id, x FROM (@) AS q"},
	{"SELECT k AS id, word AS x FROM pub", "SELECT id, x || x AS x FROM (@) AS q",
	 "SELECT COUNT(*) FROM (@) AS q WHERE x = 'a'"},
};

/* Doubles what it holds if @ stands twice: not beyond the text that is taken at all. */
static char *wrap(const char *layer, char *below)
{
	size_t n = strlen(below), size = strlen(layer) + 2 * n + 1;
	char *out = malloc(size), *to = out;

	for (const char *s = layer; *s; s++) {
		if (*s != '@') {
			*to++ = *s;
			continue;
		}
		memcpy(to, below, n);
		to += n;
	}
	*to = '\0';
	free(below);
	return out;
}

static char *write_nest(const struct nest *n, int depth)
{
	char *sql = strdup(n->inner);

	for (int i = 0; i < depth && strlen(sql) < 250000; i++)
		sql = wrap(n->layer, sql);
	return wrap(n->outer, sql);
}

/* Planned means small: what the engine gets has a size that it can work with. */
static void try_nest(struct clinic_world *w, const struct nest *n, int depth)
{
	char *sql = write_nest(n, depth);
	struct sotto_error err = {""};
	struct sotto_plan plan;
	enum sotto_status st = plan_make(w, &plan, sql, &err);

	if (depth == 1)
		(void)tap_check(st == SOTTO_OK, __FILE__, __LINE__, "%s: %s", sql, err.text);
	if (st == SOTTO_OK) {
		struct sotto_engine_result *r = NULL;

		if (!check(w, &plan) && plan.part_count == 0)
			(void)tap_check(sotto_engine_run(w->engine, plan.engine_sql, &r) ==
						SOTTO_OK,
					__FILE__, __LINE__, "%.200s", sql);
		sotto_engine_result_free(r);
		sotto_plan_release(&plan);
	} else {
		(void)tap_check(err.text[0] && (st == SOTTO_EREFUSED || st == SOTTO_ERANGE ||
						st == SOTTO_EPARSE),
				__FILE__, __LINE__, "%s", err.text);
	}
	free(sql);
}

static void nests_of_any_depth_are_small_or_refused(void)
{
	static const int depths[] = {1, 3, 8, 15, 17, 35, 1000};
	struct clinic_world w;

	REQUIRE(world_open(&w));
	for (size_t i = 0; i < sizeof nests / sizeof nests[0]; i++)
		for (size_t j = 0; j < sizeof depths / sizeof depths[0]; j++)
			try_nest(&w, &nests[i], depths[j]);
	world_close(&w);
}

static void doubled_columns_are_refused(void)
{
	struct clinic_world w;

	REQUIRE(world_open(&w));
	for (int i = 0; i < 6; i++) {
		char *sql = write_nest(&nests[i], 17);
		struct sotto_error err = {""};
		struct sotto_plan plan;

		(void)tap_check(plan_make(&w, &plan, sql, &err) == SOTTO_EREFUSED, __FILE__,
				__LINE__, "%s", sql);
		CHECK(strstr(err.text, "20000 functions") != NULL);
		free(sql);
	}
	world_close(&w);
}

/* ---- what is free ---------------------------------------------------------------------------- */

static const char *const free_queries[] = {
	"SELECT sex FROM people GROUP BY sex",
	"SELECT DISTINCT sex FROM people",
	"SELECT sex FROM people WHERE t LIKE '%a_%b' GROUP BY sex",
	"SELECT sex, sex || 'x' AS y FROM people GROUP BY sex ORDER BY y DESC LIMIT 1",
	"SELECT sex FROM people GROUP BY sex HAVING sex = 'F'",
	"SELECT 1 AS one FROM people HAVING TRUE",
	"SELECT sex, x > 3 AS big FROM people GROUP BY sex, big",
	"SELECT sex FROM people GROUP BY GROUPING SETS ((sex), ())",
	"SELECT sex, x > 1 AS b FROM people GROUP BY CUBE (sex, b)",
	"SELECT sex FROM people GROUP BY ROLLUP (sex)",
	"SELECT word FROM people JOIN pub ON id = k GROUP BY word",
	"SELECT sex, word FROM people JOIN pub ON id = k WHERE x > 3 GROUP BY sex, word",
	"SELECT s FROM (SELECT sex AS s FROM people WHERE x > 1 GROUP BY sex) AS q",
	"SELECT COUNT(*) FROM (SELECT sex FROM people GROUP BY sex) AS q",
	"SELECT sex, row_number() OVER (ORDER BY sex) AS n FROM people GROUP BY sex",
	"SELECT sex FROM people a WHERE id IN (SELECT id FROM people WHERE x > 1) GROUP BY sex",
	"SELECT width_bucket(x, 0, 9, 3) AS b FROM people GROUP BY b",
	"SELECT k FROM pub WHERE word = 'source.\"people\"'",
};

/* Runs what was planned, parts first, as tables. */
static bool runs(struct clinic_world *w, const struct sotto_plan *plan)
{
	struct sotto_engine_result *r = NULL;
	bool ok = true;

	for (size_t i = 0; i < plan->part_count; i++)
		ok = ok && runs(w, plan->parts[i]);
	if (plan->part_count > 0)
		return ok;
	ok = ok && !check(w, plan) &&
	     sotto_engine_run(w->engine, plan->engine_sql, &r) == SOTTO_OK;
	sotto_engine_result_free(r);
	return ok;
}

static void what_is_free_runs_where_there_is_no_private_table(void)
{
	struct clinic_world w;

	REQUIRE(world_open(&w));
	CHECK(sotto_engine_execute(w.engine, "DROP TABLE source.people") == SOTTO_OK);
	for (size_t i = 0; i < sizeof free_queries / sizeof free_queries[0]; i++) {
		struct sotto_error err = {""};
		struct sotto_plan plan;

		if (!tap_check(plan_make(&w, &plan, free_queries[i], &err) == SOTTO_OK,
			       __FILE__, __LINE__, "%s: %s", free_queries[i], err.text))
			continue;
		(void)tap_check(sotto_plan_is_free(&plan), __FILE__, __LINE__, "%s",
				free_queries[i]);
		(void)tap_check(runs(&w, &plan), __FILE__, __LINE__, "%s: %s", free_queries[i],
				sotto_engine_detail(w.engine));
		sotto_plan_release(&plan);
	}
	world_close(&w);
}

/* SELECT 'source."people"' FROM the table, as planning would have the engine asked. */
static bool emit_scan(struct sotto_plan *plan, const char *table, bool is_private,
		      struct sotto_emitted *out)
{
	struct sotto_arena *a = &plan->arena;

	return sotto_emit(a,
			  sotto_rowset_one(a, sotto_expression_text(a, "source.\"people\""),
					   NULL, sotto_rowset_scan(a, table, is_private, "t1")),
			  out) == SOTTO_OK;
}

static void take(struct sotto_plan *plan, const struct sotto_emitted *query)
{
	plan->engine_sql = query->sql;
	plan->scans = query->scans;
	plan->scan_count = query->scan_count;
	plan->reads_private = query->reads_private;
}

static void a_free_plan_that_names_a_private_table_is_stopped(void)
{
	struct sotto_plan_check planted = {.most = 5, .why = ""};
	struct sotto_emitted private, public;
	struct sotto_error err = {""};
	struct clinic_world w;
	struct sotto_plan plan;

	REQUIRE(world_open(&w));
	REQUIRE(plan_make(&w, &plan, "SELECT sex FROM people GROUP BY sex", &err) == SOTTO_OK);
	CHECK(sotto_plan_guard(&plan, &err) == SOTTO_OK);
	CHECK(!sotto_plan_names(&plan, "source.\"people\""));
	REQUIRE(emit_scan(&plan, "source.\"people\"", true, &private));
	REQUIRE(emit_scan(&plan, "source.\"pub\"", false, &public));
	take(&plan, &private);
	CHECK(sotto_plan_guard(&plan, &err) == SOTTO_EREFUSED);
	CHECK(sotto_plan_names(&plan, "source.\"people\""));
	take(&plan, &public);
	CHECK(sotto_plan_guard(&plan, &err) == SOTTO_OK);
	CHECK(!sotto_plan_names(&plan, "source.\"people\""));
	planted.query = private;
	plan.checks = &planted;
	plan.check_count = 1;
	CHECK(sotto_plan_guard(&plan, &err) == SOTTO_EREFUSED);
	sotto_plan_release(&plan);
	REQUIRE(plan_make(&w, &plan, "SELECT sex, COUNT(*) FROM people GROUP BY sex", &err) ==
		SOTTO_OK);
	CHECK(sotto_plan_guard(&plan, &err) == SOTTO_OK);
	CHECK(plan.reads_private);
	REQUIRE(emit_scan(&plan, "source.\"people\"", true, &planted.query));
	plan.checks = &planted;
	plan.check_count = 1;
	CHECK(sotto_plan_guard(&plan, &err) == SOTTO_EREFUSED);
	sotto_plan_release(&plan);
	world_close(&w);
}

int main(void)
{
	RUN(every_function_of_text_has_a_cost_and_a_length);
	RUN(the_states_of_a_pattern_are_counted);
	RUN(no_state_of_a_pattern_is_missed);
	RUN(like_says_what_it_says_in_postgresql);
	RUN(ilike_does_not_see_case);
	RUN(a_text_too_long_for_a_number_or_date_is_none);
	RUN(two_private_texts_are_compared_up_to_the_length_that_counts);
	RUN(a_text_with_public_keys_is_cut);
	RUN(too_much_work_is_refused_before_the_charge);
	RUN(nests_of_any_depth_are_small_or_refused);
	RUN(doubled_columns_are_refused);
	RUN(what_is_free_runs_where_there_is_no_private_table);
	RUN(a_free_plan_that_names_a_private_table_is_stopped);
	return tap_done();
}
