/* What is free names no private table. */

#include "central/relation/free_guard.h"
#include "testlib/fixture/people_world.h"
#include "testlib/tap.h"

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
	RUN(a_free_plan_that_names_a_private_table_is_stopped);
	return tap_done();
}
