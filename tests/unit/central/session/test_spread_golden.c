/*
 * Every accepted question of tests/sql: what workers find in 1, 2 and 7 buckets of the units
 * adds up to what one engine finds, by the statements and files of the jobs that workers get.
 *
 * test_spread_golden FOLDER N asks every N-th question of the workers that the policy in
 * FOLDER names (tools/check-spark), and compares in the same way.
 */
#include <stdlib.h>
#include <string.h>

#include "central/session/spread/session_spread.h"
#include "testlib/fixture/buckets.h"
#include "testlib/folder.h"
#include "testlib/question/movement.h"
#include "testlib/tap.h"

struct test {
	struct folder folder;
	struct sotto_session *session;
	struct sotto_embedded *engine;
	const struct sotto_plan *plan;
	unsigned questions, compared, whole, refused;
	bool by_workers; /* that the policy names */
};

/* ---- the world of golden.t ----------------------------------------------------------------- */

static bool open_world(struct test *t)
{
	const struct sotto_engine_limits limits = {.threads = 1};
	char policy[FOLDER_PATH_MAX];
	struct sotto_error err = {""};

	folder_file(&t->folder, "sotto.yaml", policy);
	return tap_check(sotto_session_open(policy, &t->session, &err) == SOTTO_OK &&
				 sotto_embedded_open(&limits, &t->engine, &err) == SOTTO_OK,
			 __FILE__, __LINE__, "%s", err.text);
}

static bool make_world(struct test *t)
{
	char command[2 * FOLDER_PATH_MAX];

	folder_open(&t->folder);
	(void)snprintf(command, sizeof command, "python3 tests/cli/golden.t --world '%s'",
		       t->folder.path);
	return system(command) == 0 && open_world(t);
}

static bool define(void *test, struct sotto_embedded *e, uint32_t bucket, uint32_t buckets)
{
	struct test *t = test;
	struct sotto_bucket_job job = {.bucket = bucket, .buckets = buckets};
	struct sotto_spread_table *tables;
	struct sotto_error err = {""};
	struct sotto_arena arena;
	size_t count;
	bool done;

	t->session->buckets = buckets;
	sotto_arena_init(&arena, (size_t)64 << 20);
	done = sotto_spread_tables(t->session, t->plan, &arena, &tables, &count, &err) ==
		       SOTTO_OK &&
	       sotto_spread_fill_job(&arena, tables, count, &job) == SOTTO_OK;
	for (size_t i = 0; done && i < job.statement_count; i++) {
		CHECK(buckets > 1 || !strstr(job.statements[i], "hash(")); /* all are in it */
		done = sotto_embedded_execute(e, job.statements[i]) == SOTTO_OK;
	}
	if (!done)
		tap_note("%s %s", err.text, sotto_embedded_detail(e));
	sotto_arena_release(&arena);
	t->session->buckets = 0;
	return done;
}

/* ---- one question -------------------------------------------------------------------------- */

static enum sotto_status
sum_up(struct test *t, uint32_t buckets, struct sotto_engine_result **out)
{
	enum sotto_status st;

	if (!t->by_workers)
		return buckets_sum(t->engine, t->plan, buckets, define, t, BUCKETS_RIGHT, out);
	sotto_spread_choose(t->session, 0);
	sotto_run_begin(t->session);
	st = sotto_session_aggregate(t->session, t->plan, out);
	t->session->buckets = 0;
	return st;
}

static void
compare(struct test *t, const char *sql, const struct sotto_plan *plan, uint32_t buckets)
{
	struct sotto_engine_result *whole = NULL, *sum = NULL;
	struct movement m;

	t->plan = plan;
	t->compared++;
	if (sotto_engine_run(t->session->engine, sotto_plan_sql(plan), &whole) != SOTTO_OK ||
	    sum_up(t, buckets, &sum) != SOTTO_OK) {
		(void)tap_check(false, __FILE__, __LINE__, "%u buckets of %s: %s",
				(unsigned)buckets, sql, sotto_embedded_detail(t->engine));
	} else {
		movement_between(&m, plan, whole, sum);
		(void)tap_check(m.same, __FILE__, __LINE__, "%u buckets do not add up: %s",
				(unsigned)buckets, sql);
	}
	sotto_engine_result_free(whole);
	sotto_engine_result_free(sum);
}

/* In the short set one number of buckets for each question, in turn. */
static void check_plan(struct test *t, const char *sql, const struct sotto_plan *plan)
{
	static const uint32_t counts[] = {1, 2, 7};
	bool all = getenv("SOTTO_LONG") && !t->by_workers;

	if (!plan->owner || sotto_plan_is_free(plan) || plan->part_count)
		return;
	if (plan->why_whole) {
		t->whole++;
		return;
	}
	for (size_t i = 0; i < 3; i++)
		if (all || i == t->questions % 3)
			compare(t, sql, plan, counts[i]);
}

static void check_question(struct test *t, const char *delta, const char *sql)
{
	struct sotto_question q = {.sql = sql};
	struct sotto_rational epsilon, given;
	struct sotto_error err = {""};
	struct sotto_plan plan;

	t->questions++;
	sotto_rational_init(&epsilon);
	sotto_rational_init(&given);
	REQUIRE(sotto_rational_parse(&epsilon, "1", NULL) == SOTTO_OK);
	q.epsilon = &epsilon;
	if (*delta && sotto_rational_parse(&given, delta, NULL) == SOTTO_OK)
		q.delta = &given;
	if (sotto_session_plan(t->session, &q, &plan, &err) != SOTTO_OK) {
		/* A policy with workers refuses at planning what one engine has to find. */
		if (t->by_workers && strstr(err.text, "spread over workers"))
			t->whole++;
		else
			t->refused++;
		tap_note("%s: %s", err.text, sql);
	} else {
		if (tap_check(sotto_session_ready(t->session, &err) == SOTTO_OK, __FILE__,
			      __LINE__, "%s", err.text)) {
			for (size_t i = 0; i < plan.part_count; i++)
				check_plan(t, sql, plan.parts[i]);
			check_plan(t, sql, &plan);
		}
		sotto_plan_release(&plan);
	}
	sotto_rational_release(&epsilon);
	sotto_rational_release(&given);
}

static void check_questions(struct test *t, unsigned each)
{
	char path[FOLDER_PATH_MAX];
	struct sotto_buffer b;
	unsigned n = 0;

	folder_file(&t->folder, "questions", path);
	sotto_buffer_init(&b, 4 << 20);
	REQUIRE(sotto_buffer_append_file(&b, path) == SOTTO_OK);
	for (const char *at = b.bytes, *end = b.bytes + b.length; at < end; n++) {
		const char *sql = at + strlen(at) + 1;

		if (n % each == 0)
			check_question(t, at, sql);
		at = sql + strlen(sql) + 1;
	}
	tap_note("%u questions, %u sums compared, %u only whole", t->questions, t->compared,
		 t->whole);
	CHECK_INT(t->refused, 0);
	sotto_buffer_release(&b);
	sotto_session_close(t->session);
	sotto_embedded_close(t->engine);
}

static void every_accepted_question_adds_up(void)
{
	struct test t = {0};

	REQUIRE(make_world(&t));
	check_questions(&t, getenv("SOTTO_LONG") ? 1 : 3);
	CHECK(t.compared > 100);
	folder_close(&t.folder);
}

static int check_cluster(const char *folder, const char *each)
{
	struct test t = {.by_workers = true};

	(void)snprintf(t.folder.path, sizeof t.folder.path, "%s", folder);
	if (tap_begin("workers_of_the_policy_find_what_one_engine_finds") && open_world(&t))
		check_questions(&t, (unsigned)strtoul(each, NULL, 10));
	CHECK(t.compared > 10 * t.whole);
	tap_end("workers_of_the_policy_find_what_one_engine_finds");
	return tap_done();
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return check_cluster(argv[1], argv[2]);
	if (system("python3 -c 'import sqlite3' 2>/dev/null") != 0)
		return tap_skip_all("there is no python3 to make the rows");
	RUN(every_accepted_question_adds_up);
	return tap_done();
}
