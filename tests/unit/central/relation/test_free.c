/* What is free names no private table: listed queries, and random ones that ask for their groups alone. */
#include <string.h>

#include "central/relation/free_guard.h"
#include "testlib/effort.h"
#include "testlib/fixture/people_world.h"
#include "testlib/question/question.h"
#include "testlib/tap.h"

enum { SEED = 20261119, WORLDS = 12, QUESTIONS = 40 };

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
static bool runs(struct people_world *w, const struct sotto_plan *plan)
{
	struct sotto_engine_result *r = NULL;
	bool ok = true;

	for (size_t i = 0; i < plan->part_count; i++)
		ok = ok && runs(w, plan->parts[i]);
	if (plan->part_count > 0)
		return ok;
	ok = ok && !people_check(w, plan) &&
	     sotto_engine_run(w->engine, plan->engine_sql, &r) == SOTTO_OK;
	sotto_engine_result_free(r);
	return ok;
}

static void what_is_free_runs_where_there_is_no_private_table(void)
{
	struct people_world w;

	REQUIRE(people_open(&w));
	CHECK(sotto_engine_execute(w.engine, "DROP TABLE source.people") == SOTTO_OK);
	for (size_t i = 0; i < sizeof free_queries / sizeof free_queries[0]; i++) {
		struct sotto_error err = {""};
		struct sotto_plan plan;

		if (!tap_check(people_plan(&w, &plan, free_queries[i], &err) == SOTTO_OK,
			       __FILE__, __LINE__, "%s: %s", free_queries[i], err.text))
			continue;
		(void)tap_check(sotto_plan_is_free(&plan), __FILE__, __LINE__, "%s",
				free_queries[i]);
		(void)tap_check(runs(&w, &plan), __FILE__, __LINE__, "%s: %s", free_queries[i],
				sotto_engine_detail(w.engine));
		sotto_plan_release(&plan);
	}
	people_close(&w);
}

/* ---- random questions -------------------------------------------------------------------------- */

/* Where a word begins that stands in no parentheses and no quotes, from at on; NULL if nowhere. */
static char *outside(char *at, const char *word)
{
	int depth = 0;
	char quote = 0;

	for (; *at; at++) {
		if (quote || *at == '\'' || *at == '"') {
			quote = !quote ? *at : *at == quote ? 0 : quote;
			continue;
		}
		if (depth == 0 && strncmp(at, word, strlen(word)) == 0)
			return at;
		depth += (*at == '(') - (*at == ')');
	}
	return NULL;
}

/* SELECT 1 FROM ... WHERE ... GROUP BY ...: what the question reads and its groups, and no aggregate. */
static bool ask_groups_alone(struct question *q)
{
	char text[QUESTION_MAX], *list = outside(q->text, "select "), *from, *end;

	from = list ? outside(list, " from ") : NULL;
	if (!from)
		return false;
	end = outside(from, " qualify ");
	if (end)
		*end = '\0';
	(void)snprintf(text, sizeof text, "%.*sselect 1 as one%.15800s", (int)(list - q->text),
		       q->text, from);
	(void)snprintf(q->text, sizeof q->text, "%s", text);
	return true;
}

/* The public tables are there, and of the private ones not even the names. */
static bool take_private_tables_away(struct world *w)
{
	return world_execute(
		w, 1,
		"DROP TABLE IF EXISTS t; DROP TABLE IF EXISTS v; DROP TABLE IF "
		"EXISTS z; DROP TABLE IF EXISTS base; DROP TABLE IF EXISTS base_v; "
		"DROP TABLE IF EXISTS base_z");
}

static void run_free(struct world *w, const struct question *q, const struct sotto_plan *plan)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_error err = {""};

	for (size_t i = 0; i < plan->part_count; i++)
		run_free(w, q, plan->parts[i]);
	if (plan->part_count > 0)
		return;
	(void)tap_check(sotto_plan_guard(plan, &err) == SOTTO_OK && !plan->reads_private,
			__FILE__, __LINE__, "%s: %s", q->text, err.text);
	(void)tap_check(sotto_engine_run(w->engines[1], plan->engine_sql, &r) == SOTTO_OK,
			__FILE__, __LINE__, "%s: %s", q->text,
			sotto_engine_detail(w->engines[1]));
	sotto_engine_result_free(r);
}

/* Checks are made before any charge, whatever the question costs. */
static void run_checks(struct world *w, const struct question *q, const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->check_count; i++) {
		struct sotto_engine_result *r = NULL;

		(void)tap_check(sotto_engine_run(w->engines[1], plan->checks[i].query.sql,
						 &r) == SOTTO_OK,
				__FILE__, __LINE__, "%s: %s: %s", q->text,
				plan->checks[i].query.sql, sotto_engine_detail(w->engines[1]));
		sotto_engine_result_free(r);
	}
	for (size_t i = 0; i < plan->part_count; i++)
		run_checks(w, q, plan->parts[i]);
}

struct tally {
	unsigned planned, free, checks;
};

static void ask_one(struct world *w, int number, struct tally *t)
{
	const struct sotto_plan_request request = {
		.policy = &w->policy, .schema = world_schema, .schema_context = w};
	struct sotto_error err = {""};
	struct sotto_plan plan;
	struct question q;

	question_make(&q, w, (enum question_focus)(number % QUESTION_FOCUSES));
	if (number % 4 && !ask_groups_alone(&q))
		return;
	if (sotto_plan_make(&plan, &request, q.text, &err) != SOTTO_OK)
		return;
	t->planned++;
	t->checks += plan.check_count > 0;
	run_checks(w, &q, &plan);
	if (sotto_plan_is_free(&plan)) {
		t->free++;
		run_free(w, &q, &plan);
	}
	sotto_plan_release(&plan);
}

static void random_questions_without_an_aggregate_read_no_private_table(void)
{
	unsigned worlds = effort() == EFFORT_LONG    ? 20 * WORLDS
			  : effort() == EFFORT_SHORT ? WORLDS
						     : 2;
	struct tally t = {0};
	struct world w;

	REQUIRE(world_open(&w, SEED));
	for (unsigned i = 0; i < worlds; i++) {
		if (world_make(&w) && take_private_tables_away(&w))
			for (int k = 0; k < QUESTIONS; k++)
				ask_one(&w, k, &t);
		world_forget(&w);
	}
	world_close(&w);
	tap_note("%u questions, %u of them free, %u with checks", t.planned, t.free, t.checks);
	CHECK(t.free > 2 * worlds && t.checks > worlds);
}

/* ---- the second lock ------------------------------------------------------------------------------ */

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
	struct people_world w;
	struct sotto_plan plan;

	REQUIRE(people_open(&w));
	REQUIRE(people_plan(&w, &plan, "SELECT sex FROM people GROUP BY sex", &err) ==
		SOTTO_OK);
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
	REQUIRE(people_plan(&w, &plan, "SELECT sex, COUNT(*) FROM people GROUP BY sex", &err) ==
		SOTTO_OK);
	CHECK(sotto_plan_guard(&plan, &err) == SOTTO_OK);
	CHECK(plan.reads_private);
	REQUIRE(emit_scan(&plan, "source.\"people\"", true, &planted.query));
	plan.checks = &planted;
	plan.check_count = 1;
	CHECK(sotto_plan_guard(&plan, &err) == SOTTO_EREFUSED);
	sotto_plan_release(&plan);
	people_close(&w);
}

int main(void)
{
	RUN(what_is_free_runs_where_there_is_no_private_table);
	RUN(random_questions_without_an_aggregate_read_no_private_table);
	RUN(a_free_plan_that_names_a_private_table_is_stopped);
	return tap_done();
}
