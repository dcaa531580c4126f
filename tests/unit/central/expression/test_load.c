/*
 * What a query makes the engine do is known before it is charged: expressions are measured with
 * everything they read written out, and texts are read up to a length.
 */
#include <stdlib.h>
#include <string.h>

#include "central/expression/row_function.h"
#include "central/relation/private_join.h"
#include "testlib/chance.h"
#include "testlib/effort.h"
#include "testlib/fixture/people_world.h"
#include "testlib/tap.h"

/* Of the engine's plan as JSON, in characters: 20 000 functions and values, and what stands around them. */
#define PLAN_MAX 4e6

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

/* ---- texts are read up to a length ------------------------------------------------------------ */

static int64_t count(struct people_world *w, const char *sql)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_error err = {""};
	struct sotto_plan plan;
	int64_t n = -1;

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

/* Who wrote a megabyte of digits would have it read in each row that a join makes. */
static void a_text_too_long_for_a_number_or_date_is_none(void)
{
	struct people_world w;

	REQUIRE(people_open(&w));
	CHECK(sotto_engine_execute(w.engine,
				   "INSERT INTO source.people VALUES (1, repeat('0', 63) || "
				   "'7', 0, 'F'), (2, repeat('0', 64) || '7', 0, 'F'), (3, "
				   "'2024-02-03' || repeat(' ', 54), 0, 'F'), (4, "
				   "'2024-02-03' || repeat(' ', 55), 0, 'F')") == SOTTO_OK);
	CHECK(count(&w, "SELECT COUNT(*) FROM people WHERE CAST(t AS INTEGER) = 7") == 1);
	CHECK(count(&w, "SELECT COUNT(*) FROM people WHERE CAST(t AS DATE) = '2024-02-03'") ==
	      1);
	people_close(&w);
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
	struct people_world w;

	REQUIRE(people_open(&w));
	CHECK(sotto_engine_execute(w.engine,
				   "INSERT INTO source.people VALUES (1, repeat('a', 500) || "
				   "'b', 0, repeat('a', 500)), (2, repeat('a', 500) || 'A', 0, "
				   "repeat('a', 500))") == SOTTO_OK);
	for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++)
		(void)tap_check(count(&w, queries[i]) == 2, __FILE__, __LINE__, "%s",
				queries[i]);
	people_close(&w);
}

/* Who wrote a long text would have it hashed in each row that a join makes. */
static void a_text_with_public_keys_is_cut(void)
{
	struct sotto_error err = {""};
	struct people_world w;
	struct sotto_plan plan;

	REQUIRE(people_open(&w));
	REQUIRE(people_plan(&w, &plan,
			    "SELECT sex, COUNT(*) FROM people JOIN pub ON k = x GROUP BY sex",
			    &err) == SOTTO_OK);
	CHECK(strstr(plan.engine_sql, "TRY_CAST(t1.\"sotto text 3\" AS VARCHAR) AS k0") !=
	      NULL);
	CHECK(strstr(plan.engine_sql, "TRY_CAST(t1.\"sex\"") == NULL);
	sotto_plan_release(&plan);
	/* Where no join makes rows, the length is enough. */
	REQUIRE(people_plan(&w, &plan, "SELECT sex, COUNT(*) FROM people GROUP BY sex", &err) ==
		SOTTO_OK);
	CHECK(strstr(plan.engine_sql, "CASE WHEN strlen(t1.\"sex\") > ") != NULL);
	sotto_plan_release(&plan);
	people_close(&w);
}

/* Rows of a unit meet all others of it, and the work of as many as are taken is counted before the charge. */
static void a_join_takes_as_many_rows_of_a_unit_as_are_counted(void)
{
	struct sotto_error err = {""};
	struct people_world w;
	struct sotto_plan plan;
	char cut[40];

	(void)snprintf(cut, sizeof cut, " <= %d) AS t2", SOTTO_UNIT_ROWS);
	REQUIRE(people_open(&w));
	REQUIRE(people_plan(&w, &plan,
			    "SELECT COUNT(*) FROM people a JOIN people b ON a.id = b.id",
			    &err) == SOTTO_OK);
	CHECK(strstr(plan.engine_sql, cut) != NULL);
	sotto_plan_release(&plan);
	people_close(&w);
}

/* ---- what is refused ------------------------------------------------------------------------ */

/* The longest of n characters with k in the place of each, and around it: n + (n + 1) k. */
static void a_text_with_parts_replaced_is_no_longer_than_is_counted(void)
{
	static const char *const queries[] = {
		"SELECT COUNT(*) FROM people WHERE length(regexp_replace(t, '', 'bcd', 'g')) = "
		"43",
		"SELECT COUNT(*) FROM people WHERE length(regexp_replace(t, 'x*', 'bcd', 'g')) "
		"= "
		"43",
		"SELECT COUNT(*) FROM people WHERE length(regexp_replace(t, '', 'bcd')) = 13",
		"SELECT COUNT(*) FROM people WHERE length(replace(t, 'a', 'bcd')) = 30",
		"SELECT COUNT(*) FROM people WHERE length(replace(t, '', 'bcd')) <= 43",
		"SELECT COUNT(*) FROM people WHERE length(translate(t, 'a', 'b')) = 10",
		"SELECT COUNT(*) FROM people WHERE length(translate(t, 'ab', 'bcde')) = 10",
	};
	struct people_world w;

	REQUIRE(people_open(&w));
	CHECK(sotto_engine_execute(w.engine, "INSERT INTO source.people VALUES (1, repeat('a', "
					     "10), 0, 'F')") == SOTTO_OK);
	for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++)
		(void)tap_check(count(&w, queries[i]) == 1, __FILE__, __LINE__, "%s",
				queries[i]);
	people_close(&w);
}

static const struct {
	const char *sql;
	bool fine;
} costly[] = {
	{"SELECT SUM(clip(CAST(replace(t, ',', '.') AS DOUBLE), 0, 3)), "
	 "SUM(clip(CAST(replace(sex, ',', '.') AS DOUBLE), 0, 200)) FROM people",
	 true},
	{"SELECT SUM(clip(CAST(translate(t, ',', '.') AS DOUBLE), 0, 3)), "
	 "SUM(clip(CAST(translate(sex, ',', '.') AS DOUBLE), 0, 200)) FROM people",
	 true},
	{"SELECT SUM(clip(CAST(regexp_replace(t, ',', '') AS DOUBLE), 0, 3)) FROM people",
	 true},
	{"SELECT SUM(clip(CAST(replace(t, ',', 'a long text for each') AS DOUBLE), 0, 3)), "
	 "SUM(clip(CAST(replace(sex, ',', 'a long text for each') AS DOUBLE), 0, 200)) FROM "
	 "people",
	 false},
	{"SELECT COUNT(*) FROM people WHERE t LIKE '%a_%a_%a_%b_'", true},
	{"SELECT COUNT(*) FROM people WHERE t ILIKE '%a%b%c%' OR lower(t) LIKE 'x%'", true},
	{"SELECT COUNT(*) FROM people WHERE t ~ '^[A-Z]{2}-?[0-9]{4,6}$'", true},
	{"SELECT COUNT(*) FROM people JOIN pub ON x > k", true},
	{"SELECT COUNT(*) FROM people JOIN pub ON t = word", true},
	{"SELECT COUNT(*) FROM people JOIN pub ON k = id WHERE t || word LIKE '%a%'", true},
	{"SELECT COUNT(*) FROM people JOIN pub ON TRUE WHERE t || word LIKE '%a%'", false},
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
	{"SELECT COUNT(*) FROM people a JOIN people b ON a.id = b.id WHERE a.t < b.t", true},
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

static void too_much_work_is_refused_before_the_charge(void)
{
	struct people_world w;

	REQUIRE(people_open(&w));
	for (size_t i = 0; i < sizeof costly / sizeof costly[0]; i++) {
		struct sotto_error err = {""};
		struct sotto_plan plan;
		enum sotto_status st = people_plan(&w, &plan, costly[i].sql, &err);
		const char *why = st == SOTTO_OK ? people_check(&w, &plan) : err.text;

		(void)tap_check(!why == costly[i].fine, __FILE__, __LINE__, "%s: %s",
				costly[i].sql, why ? why : "is planned");
		if (why)
			CHECK(strstr(why, "private row") != NULL);
		if (st == SOTTO_OK)
			sotto_plan_release(&plan);
	}
	people_close(&w);
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

/* How long the engine's own plan is, with everything that it writes out; -1: it could not make one. */
static double engine_plan_length(struct people_world *w, const char *sql)
{
	struct sotto_engine_result *r = NULL;
	size_t size = strlen(sql) + 64;
	char *explain = malloc(size);
	double length = -1;

	(void)snprintf(explain, size, "EXPLAIN (FORMAT JSON) %s", sql);
	if (sotto_engine_run(w->engine, explain, &r) == SOTTO_OK)
		length = (double)strlen(sotto_engine_cell(r, 0, 1).text);
	sotto_engine_result_free(r);
	free(explain);
	return length;
}

/* Planned means small: the engine makes of it a plan that it can work with. */
static void
check_planned(struct people_world *w, const struct sotto_plan *plan, const char *sql)
{
	struct sotto_engine_result *r = NULL;
	double length;

	if (people_check(w, plan) || plan->part_count > 0)
		return;
	length = engine_plan_length(w, plan->engine_sql);
	(void)tap_check(length >= 0 && length <= PLAN_MAX, __FILE__, __LINE__, "%.0f: %.200s",
			length, sql);
	(void)tap_check(sotto_engine_run(w->engine, plan->engine_sql, &r) == SOTTO_OK, __FILE__,
			__LINE__, "%.200s", sql);
	sotto_engine_result_free(r);
}

/* Whether it is planned; what is not is refused with words.  Frees the query. */
static bool try_query(struct people_world *w, char *sql)
{
	struct sotto_error err = {""};
	struct sotto_plan plan;
	enum sotto_status st = people_plan(w, &plan, sql, &err);

	if (st == SOTTO_OK) {
		check_planned(w, &plan, sql);
		sotto_plan_release(&plan);
	} else {
		(void)tap_check(err.text[0] && (st == SOTTO_EREFUSED || st == SOTTO_ERANGE ||
						st == SOTTO_EPARSE),
				__FILE__, __LINE__, "%s", err.text);
	}
	free(sql);
	return st == SOTTO_OK;
}

static void nests_of_any_depth_are_small_or_refused(void)
{
	static const int depths[] = {1, 3, 8, 15, 17, 35, 1000};
	struct people_world w;

	REQUIRE(people_open(&w));
	for (size_t i = 0; i < sizeof nests / sizeof nests[0]; i++)
		for (size_t j = 0; j < sizeof depths / sizeof depths[0]; j++) {
			bool planned = try_query(&w, write_nest(&nests[i], depths[j]));

			CHECK(planned || depths[j] > 1);
		}
	people_close(&w);
}

/* Over SELECT id, t AS x FROM people: the engine writes texts out where it finds numbers alike. */
static const char *const text_layers[] = {
	"SELECT id, x || x AS x FROM (@) AS q",
	"SELECT id, lower(x) || upper(x) AS x FROM (@) AS q",
	"SELECT id, CASE WHEN x > 'm' THEN x ELSE reverse(x) END AS x FROM (@) AS q",
	"SELECT id, greatest(x, least(x, lower(x))) AS x FROM (@) AS q",
	"SELECT id, coalesce(nullif(x, 'a'), x) AS x FROM (@) AS q",
	"SELECT id, x FROM (@) AS q WHERE x IN (x, 'a')",
};

/* A layer of numbers, of numbers and joins, which come last in nests, or of texts. */
static const char *any_layer(struct chance *c, unsigned kinds)
{
	enum { TEXTS = sizeof text_layers / sizeof text_layers[0] };

	return kinds == 0 ? text_layers[chance_below(c, TEXTS)]
			  : nests[1 + chance_below(c, kinds)].layer;
}

/* Layers of all kinds above each other, in any order: those of numbers go together, and those of texts. */
static void random_nests_are_small_or_refused(void)
{
	unsigned tries = effort() == EFFORT_LONG ? 2000 : effort() == EFFORT_SHORT ? 150 : 20;
	static const unsigned kinds_of[] = {6, 10, 0};
	struct chance c = {.state = 20261119};
	unsigned planned = 0;
	struct people_world w;

	REQUIRE(people_open(&w));
	for (unsigned i = 0; i < tries; i++) {
		unsigned kinds = kinds_of[i % 3];
		const struct nest *ends = &nests[kinds > 0];
		char *sql = strdup(ends->inner);

		for (unsigned depth = 1 + chance_below(&c, 30); depth > 0; depth--)
			if (strlen(sql) < 100000)
				sql = wrap(any_layer(&c, kinds), sql);
		planned += try_query(&w, wrap(ends->outer, sql));
	}
	people_close(&w);
	tap_note("%u of %u nests are planned", planned, tries);
	CHECK(planned > tries / 8 && planned < tries);
}

static void doubled_columns_are_refused(void)
{
	struct people_world w;

	REQUIRE(people_open(&w));
	for (int i = 0; i < 6; i++) {
		char *sql = write_nest(&nests[i], 17);
		struct sotto_error err = {""};
		struct sotto_plan plan;

		(void)tap_check(people_plan(&w, &plan, sql, &err) == SOTTO_EREFUSED, __FILE__,
				__LINE__, "%s", sql);
		CHECK(strstr(err.text, "20000 functions") != NULL);
		free(sql);
	}
	people_close(&w);
}

int main(void)
{
	RUN(every_function_of_text_has_a_cost_and_a_length);
	RUN(a_text_too_long_for_a_number_or_date_is_none);
	RUN(two_private_texts_are_compared_up_to_the_length_that_counts);
	RUN(a_text_with_public_keys_is_cut);
	RUN(a_text_with_parts_replaced_is_no_longer_than_is_counted);
	RUN(a_join_takes_as_many_rows_of_a_unit_as_are_counted);
	RUN(too_much_work_is_refused_before_the_charge);
	RUN(nests_of_any_depth_are_small_or_refused);
	RUN(random_nests_are_small_or_refused);
	RUN(doubled_columns_are_refused);
	return tap_done();
}
