/*
 * What workers find in buckets of the units adds up to what one engine finds, in every exact
 * integer, list and group: over random schemas, data, policies and queries.  A partial that
 * comes twice counts once; one that is missing, forged or of another job ends the merge.
 *
 * The harness is checked too: tables that are not divided, or divided by rows instead of
 * units, must be found.
 */
#include <stdlib.h>

#include "central/spread/bucket.h"
#include "central/price/plan_price.h"
#include "central/session/spread/session_spread.h"
#include "core/base/arena_rational.h"
#include "testlib/effort.h"
#include "testlib/fixture/buckets.h"
#include "testlib/folder.h"
#include "testlib/question/movement.h"
#include "testlib/question/question.h"
#include "testlib/tap.h"

enum { SEED = 20261116 };

/* How tables are divided. */
enum division { BY_UNIT, BY_NOTHING, BY_ROW };

struct test {
	struct world world;
	struct sotto_embedded *engine;
	struct folder folder;
	unsigned files; /* made so far */
	enum division division;
	bool quiet;
	unsigned compared, whole, faults, sets, losses, lists;
};

/* ---- the world in a file ------------------------------------------------------------------ */

/* All types are kept in a database file; Parquet has not all of them. */
static bool export_world(struct test *t)
{
	char path[FOLDER_PATH_MAX], name[32], sql[2048];

	(void)snprintf(name, sizeof name, "world%u.duckdb", ++t->files);
	folder_file(&t->folder, name, path);
	(void)snprintf(sql, sizeof sql, "ATTACH '%s' AS f%u; ", path, t->files);
	for (size_t i = 0; i < t->world.policy.table_count; i++) {
		const char *table = t->world.policy.tables[i].name;

		(void)snprintf(sql + strlen(sql), sizeof sql - strlen(sql),
			       "CREATE TABLE f%u.%s AS SELECT * FROM %s; ", t->files, table,
			       table);
	}
	(void)snprintf(sql + strlen(sql), sizeof sql - strlen(sql), "DETACH f%u", t->files);
	if (!world_execute(&t->world, 0, sql))
		return false;
	(void)snprintf(sql, sizeof sql, "ATTACH '%s' AS f%u (READ_ONLY)", path, t->files);
	return tap_check(sotto_embedded_execute(t->engine, sql) == SOTTO_OK, __FILE__, __LINE__,
			 "%s", sotto_embedded_detail(t->engine));
}

static void forget_file(struct test *t)
{
	char sql[64];

	(void)snprintf(sql, sizeof sql, "DETACH f%u", t->files);
	CHECK(sotto_embedded_execute(t->engine, sql) == SOTTO_OK);
}

static const struct sotto_schema_column *
find_unit(const struct sotto_schema_table *t, const char *name)
{
	for (size_t i = 0; name && i < t->column_count; i++)
		if (strcasecmp(t->columns[i].name, name) == 0)
			return &t->columns[i];
	return NULL;
}

/* What the table is divided by; "": nothing. */
static bool append_bucket(struct test *t, const struct sotto_policy_table *policy,
			  uint32_t buckets, struct sotto_buffer *b)
{
	const struct sotto_schema_table *schema;
	const struct sotto_schema_column *unit;
	char quoted[80];

	if (policy->is_public || t->division == BY_NOTHING)
		return true;
	if (policy->unit_is_row || t->division == BY_ROW)
		return sotto_buffer_append_text(b, " WHERE ") == SOTTO_OK &&
		       sotto_bucket_compose(b, SOTTO_BUCKET_ROW, "'f', rowid", buckets) ==
			       SOTTO_OK;
	if (world_schema(&t->world, policy, &schema, NULL) != SOTTO_OK)
		return false;
	unit = find_unit(schema, sotto_spread_unit_column(policy));
	if (!unit)
		return sotto_spread_unit_column(policy) == NULL;
	(void)snprintf(quoted, sizeof quoted, "\"%s\"", unit->name);
	return sotto_buffer_append_text(b, " WHERE ") == SOTTO_OK &&
	       sotto_bucket_compose(b, sotto_bucket_kind_of(unit->engine_type), quoted,
				    buckets) == SOTTO_OK;
}

static bool define(void *test, struct sotto_embedded *e, uint32_t bucket, uint32_t buckets)
{
	struct test *t = test;
	bool done = true;

	for (size_t i = 0; done && i < t->world.policy.table_count; i++) {
		const struct sotto_policy_table *table = &t->world.policy.tables[i];
		struct sotto_buffer b;

		sotto_buffer_init(&b, 1 << 16);
		done = sotto_buffer_appendf(&b,
					    "CREATE OR REPLACE VIEW %s AS SELECT * FROM f%u.%s",
					    table->name, t->files, table->name) == SOTTO_OK;
		size_t before = b.length;
		done = done && append_bucket(t, table, buckets, &b);
		if (done && b.length > before)
			done = sotto_buffer_appendf(&b, " = %u", bucket) == SOTTO_OK;
		done = done && sotto_embedded_execute(e, sotto_buffer_text(&b)) == SOTTO_OK;
		sotto_buffer_release(&b);
	}
	return done;
}

/* ---- one plan ----------------------------------------------------------------------------- */

static void report(struct test *t, const struct question *q, const char *what, uint32_t buckets)
{
	t->faults++;
	if (t->quiet)
		return;
	(void)tap_check(false, __FILE__, __LINE__, "%s with %u buckets", what,
			(unsigned)buckets);
	tap_note("%s", q->text);
	tap_note("%s", t->world.policy_text);
}

static void compare(struct test *t, const struct question *q, const struct sotto_plan *plan,
		    const struct sotto_engine_result *whole, uint32_t buckets)
{
	enum buckets_fault fault =
		chance_in(&t->world.chance, 4) ? BUCKETS_SAME_TWICE : BUCKETS_RIGHT;
	struct sotto_engine_result *sum = NULL;
	struct movement m;

	if (buckets_sum(t->engine, plan, buckets, define, t, fault, &sum) != SOTTO_OK) {
		report(t, q, sotto_embedded_detail(t->engine), buckets);
		return;
	}
	movement_between(&m, plan, whole, sum);
	if (!m.same)
		report(t, q, "buckets do not add up", buckets);
	sotto_engine_result_free(sum);
}

/* Nothing comes of partials that are not one for each bucket. */
static void check_refusals(struct test *t, const struct sotto_plan *plan)
{
	static const enum buckets_fault faults[] = {BUCKETS_ONE_MISSING, BUCKETS_ONE_FORGED,
						    BUCKETS_OTHER_JOB};
	static const enum sotto_status want[] = {SOTTO_ESTATE, SOTTO_ESTATE, SOTTO_ECORRUPT};
	size_t i = chance_below(&t->world.chance, 3);
	struct sotto_engine_result *sum = NULL;

	CHECK(buckets_sum(t->engine, plan, 2, define, t, faults[i], &sum) == want[i]);
	CHECK(sum == NULL);
}

static void check_plan(struct test *t, const struct question *q, const struct sotto_plan *plan)
{
	static const uint32_t counts[] = {1, 2, 7};
	struct sotto_engine_result *whole = NULL;

	if (!plan->owner || sotto_plan_is_free(plan))
		return;
	if (plan->why_whole) {
		t->whole++;
		return;
	}
	if (sotto_engine_run(t->world.engines[0], sotto_plan_sql(plan), &whole) != SOTTO_OK) {
		report(t, q, sotto_engine_detail(t->world.engines[0]), 0);
		return;
	}
	t->compared++;
	t->sets += plan->partial_sql != NULL;
	t->losses += sotto_loss_is_run(&plan->loss);
	t->lists += plan->choice_count > 0;
	for (size_t i = 0; i < 3; i++)
		if (!(t->quiet && t->faults))
			compare(t, q, plan, whole, counts[i]);
	if (!t->quiet)
		check_refusals(t, plan);
	sotto_engine_result_free(whole);
}

static void set_price(struct test *t, struct sotto_plan *plan)
{
	struct sotto_rational *share = sotto_arena_rational(&plan->arena), epsilon, delta;

	REQUIRE(share);
	mpq_set_ui(share->q, chance_in(&t->world.chance, 2), 4);
	mpq_canonicalize(share->q);
	plan->loss.share = share;
	for (size_t i = 0; i < plan->part_count; i++)
		plan->parts[i]->loss.share = share;
	sotto_rational_init(&epsilon);
	sotto_rational_init(&delta);
	mpq_set_ui(epsilon.q, 1, 1);
	mpq_set_ui(delta.q, 1, 1000000);
	CHECK(sotto_plan_price(plan, &epsilon, &delta, false, NULL) == SOTTO_OK);
	sotto_rational_release(&epsilon);
	sotto_rational_release(&delta);
}

static void check_question(struct test *t, enum question_focus focus)
{
	const struct sotto_plan_request request = {.policy = &t->world.policy,
						   .schema = world_schema,
						   .schema_context = &t->world,
						   .salt = 77};
	struct sotto_error err = {""};
	struct sotto_plan plan;
	struct question q;

	question_make(&q, &t->world, focus);
	if (sotto_plan_make(&plan, &request, q.text, &err) != SOTTO_OK)
		return;
	set_price(t, &plan);
	for (size_t i = 0; i < plan.part_count; i++)
		check_plan(t, &q, plan.parts[i]);
	if (plan.part_count == 0)
		check_plan(t, &q, &plan);
	sotto_plan_release(&plan);
}

/* ---- tests -------------------------------------------------------------------------------- */

static bool open_test(struct test *t, uint64_t seed)
{
	const struct sotto_engine_limits limits = {.threads = 1};
	struct sotto_error err = {""};

	folder_open(&t->folder);
	if (!tap_check(sotto_embedded_open(&limits, &t->engine, &err) == SOTTO_OK, __FILE__,
		       __LINE__, "%s", err.text))
		return false;
	return world_open(&t->world, seed);
}

static void run_worlds(struct test *t, uint64_t seed, unsigned worlds, unsigned questions)
{
	REQUIRE(open_test(t, seed));
	for (unsigned i = 0; i < worlds && !(t->quiet && t->faults); i++) {
		enum question_focus focus =
			i % 2 ? (enum question_focus)(i / 2 % QUESTION_FOCUSES) : QUESTION_ANY;

		if (world_make(&t->world) && world_without(&t->world, WORLD_NOBODY) &&
		    export_world(t)) {
			for (unsigned j = 0; j < questions; j++)
				check_question(t, focus);
			forget_file(t);
		}
		world_forget(&t->world);
	}
	world_close(&t->world);
	sotto_embedded_close(t->engine);
	folder_close(&t->folder);
}

static void buckets_add_up_to_what_one_engine_finds(void)
{
	struct test t = {0};
	unsigned worlds = effort() == EFFORT_LONG ? 600 : effort() == EFFORT_SHORT ? 12 : 4;
	const char *seed = getenv("SOTTO_SEED");

	run_worlds(&t, seed ? strtoull(seed, NULL, 10) : SEED, worlds, 5);
	tap_note("%u plans compared (%u with sets, %u with losses, %u with lists), %u only "
		 "whole",
		 t.compared, t.sets, t.losses, t.lists, t.whole);
	CHECK(t.compared > 2 * worlds);
	CHECK(t.losses > worlds / 4);
	CHECK(t.lists > worlds / 4);
	CHECK_INT(t.faults, 0);
}

static void tables_that_are_not_divided_are_found(void)
{
	struct test t = {.quiet = true, .division = BY_NOTHING};

	run_worlds(&t, SEED + 1, 4, 6);
	CHECK(t.faults > 0);
}

/* Then a unit counts in several buckets, with more than its limits allow. */
static void tables_divided_by_rows_are_found(void)
{
	struct test t = {.quiet = true, .division = BY_ROW};

	run_worlds(&t, SEED + 2, 8, 6);
	CHECK(t.faults > 0);
}

int main(void)
{
	RUN(buckets_add_up_to_what_one_engine_finds);
	RUN(tables_that_are_not_divided_are_found);
	RUN(tables_divided_by_rows_are_found);
	return tap_done();
}
