/*
 * One unit is taken away with all its rows, or put in, over random schemas,
 * data, policies and queries: no exact measure may move further than the plan
 * declares, in more groups than it declares, or by more than its price was
 * computed from.  Order of rows and number of threads must not matter, and no
 * row may make the engine fail.
 *
 * The harness is checked too: plans that are made wrong on purpose (a bound
 * dropped from the engine's SQL, a sensitivity or a number of groups too small)
 * must all be found.
 */
#include <stdlib.h>

#include "sotto/rational.h"
#include "testlib/movement.h"
#include "testlib/question.h"
#include "testlib/tap.h"

enum { SEED = 20260101 };

enum fault {
	FAULT_NONE,
	FAULT_ROWS,
	FAULT_WINDOW,
	FAULT_CLIP,
	FAULT_SENSITIVITY,
	FAULT_GROUPS,
	FAULT_SPREAD
};

struct tally {
	unsigned planned, refused, faults, runs, parts;
	bool quiet; /* faults are wanted, not reported */
	bool mutate; /* words of the query are changed */
	enum fault fault;
};

/* ---- plans made wrong ------------------------------------------------------------------- */

/* The number after each `before` becomes a very large one. */
static void raise_limits(struct sotto_plan *plan, const char *before)
{
	const char *from = plan->engine_sql;
	char *sql = sotto_arena_alloc(&plan->arena, 20 * strlen(from) + 1), *to = sql;
	size_t n = strlen(before);

	while (sql && *from) {
		if (strncmp(from, before, n) == 0) {
			to += sprintf(to, "%s1000000", before);
			from += n + strspn(from + n, "0123456789");
		} else {
			*to++ = *from++;
		}
	}
	if (sql) {
		*to = '\0';
		plan->engine_sql = sql;
	}
}

static void plant(struct sotto_plan *plan, enum fault fault)
{
	switch (fault) {
	case FAULT_NONE:
		break;
	case FAULT_ROWS:
		raise_limits(plan, "least(n, ");
		raise_limits(plan, "least(n0, ");
		break;
	case FAULT_WINDOW:
		raise_limits(plan, ") <= ");
		break;
	case FAULT_CLIP:
		for (size_t i = 0; i < plan->measure_count; i++)
			if (plan->measures[i].kind == SOTTO_MEASURE_SUM)
				raise_limits(plan, " AND ");
		break;
	case FAULT_SENSITIVITY:
		for (size_t i = 0; i < plan->measure_count; i++)
			plan->measures[i].per_group -= plan->measures[i].per_group > 1;
		break;
	case FAULT_SPREAD:
		raise_limits(plan, "WHEN n <= ");
		break;
	case FAULT_GROUPS:
		plan->groups -= plan->groups > 1;
		break;
	}
}

/* ---- one query ------------------------------------------------------------------------------ */

static void report(struct tally *t, const struct world *w, const struct question *q,
		   const char *what, int unit)
{
	t->faults++;
	if (t->quiet)
		return;
	(void)tap_check(false, __FILE__, __LINE__, "%s without unit %d", what, unit);
	tap_note("%s", q->text);
	tap_note("%s", w->policy_text);
}

static void compare(struct tally *t, struct world *w, const struct question *q,
		    const struct sotto_plan *plan, const struct sotto_engine_result *all,
		    int unit)
{
	struct sotto_engine_result *other = NULL;
	struct movement m;
	const char *fault;

	if (!world_without(w, unit))
		return;
	t->runs++;
	if (sotto_engine_run(w->engines[0], plan->engine_sql, &other) != SOTTO_OK) {
		report(t, w, q, sotto_engine_detail(w->engines[0]), unit);
		return;
	}
	movement_between(&m, plan, all, other);
	fault = movement_fault(&m, plan);
	if (fault)
		report(t, w, q, fault, unit);
	sotto_engine_result_free(other);
}

static void compare_shuffled(struct tally *t, struct world *w, const struct question *q,
			     const struct sotto_plan *plan,
			     const struct sotto_engine_result *all)
{
	struct sotto_engine_result *other = NULL;
	struct movement m;

	if (sotto_engine_run(w->engines[1], plan->engine_sql, &other) != SOTTO_OK) {
		report(t, w, q, sotto_engine_detail(w->engines[1]), -1);
		return;
	}
	movement_between(&m, plan, all, other);
	if (!m.same && !m.repeated_keys)
		report(t, w, q, "order of rows or threads matter", -1);
	sotto_engine_result_free(other);
}

static void price(struct world *w, struct sotto_plan *plan)
{
	bool gaussian = chance_in(&w->chance, 2);
	struct sotto_rational epsilon, delta;
	struct sotto_error err = {""};

	sotto_rational_init(&epsilon);
	sotto_rational_init(&delta);
	mpq_set_ui(epsilon.q, 1, 1 + chance_below(&w->chance, 4));
	mpq_set_ui(delta.q, 1, 1000000);
	(void)tap_check(sotto_plan_price(plan, &epsilon, &delta, gaussian, &err) == SOTTO_OK,
			__FILE__, __LINE__, "%s", err.text);
	sotto_rational_release(&epsilon);
	sotto_rational_release(&delta);
}

static void
check_part(struct tally *t, struct world *w, const struct question *q, struct sotto_plan *plan)
{
	struct sotto_engine_result *all = NULL;

	plant(plan, t->fault);
	if (!world_without(w, WORLD_NOBODY))
		return;
	if (sotto_engine_run(w->engines[0], plan->engine_sql, &all) != SOTTO_OK) {
		report(t, w, q, sotto_engine_detail(w->engines[0]), -1);
		return;
	}
	if (plan->key_count == 0)
		CHECK(sotto_engine_rows(all) == 1);
	compare(t, w, q, plan, all, 0);
	compare(t, w, q, plan, all, 1);
	compare(t, w, q, plan, all,
		(int)chance_below(&w->chance, w->row_unit ? w->rows : w->units));
	compare(t, w, q, plan, all, WORLD_EVERYBODY);
	compare_shuffled(t, w, q, plan, all);
	sotto_engine_result_free(all);
}

/* Each finished query inside is a release of its own. */
static void
check_plan(struct tally *t, struct world *w, const struct question *q, struct sotto_plan *plan)
{
	price(w, plan);
	for (size_t i = 0; i < plan->part_count; i++) {
		t->parts++;
		check_part(t, w, q, plan->parts[i]);
	}
	if (plan->part_count == 0)
		check_part(t, w, q, plan);
}

static bool plan_question(struct world *w, const struct question *q, struct sotto_plan *plan)
{
	const struct sotto_plan_request request = {
		.policy = &w->policy, .schema = world_schema, .schema_context = w, .salt = 77};
	struct sotto_error err = {""};

	if (sotto_plan_make(plan, &request, q->text, &err) == SOTTO_OK)
		return true;
	(void)tap_check(err.text[0] != '\0', __FILE__, __LINE__, "refused silently: %s",
			q->text);
	return false;
}

static void check_question(struct tally *t, struct world *w)
{
	struct sotto_plan plan;
	struct question q;

	question_make(&q, w);
	if (t->mutate)
		question_mutate(&q, w);
	if (!plan_question(w, &q, &plan)) {
		t->refused++;
		return;
	}
	t->planned++;
	check_plan(t, w, &q, &plan);
	sotto_plan_release(&plan);
}

/* A query on the same rows in both engines; joins would multiply too many rows here. */
static void compare_threads(struct tally *t, struct world *w)
{
	struct sotto_engine_result *all = NULL;
	struct sotto_plan plan;
	struct question q;

	question_make(&q, w);
	if (strstr(q.text, "join") || !plan_question(w, &q, &plan))
		return;
	if (plan.part_count) {
		sotto_plan_release(&plan);
		return;
	}
	t->planned++;
	if (sotto_engine_run(w->engines[0], plan.engine_sql, &all) == SOTTO_OK)
		compare_shuffled(t, w, &q, &plan, all);
	else
		report(t, w, &q, sotto_engine_detail(w->engines[0]), -1);
	sotto_engine_result_free(all);
	sotto_plan_release(&plan);
}

static void run_worlds(struct tally *t, uint64_t seed, unsigned worlds, unsigned questions)
{
	struct world w;

	if (!world_open(&w, seed))
		return;
	for (unsigned i = 0; i < worlds; i++) {
		if (world_make(&w))
			for (unsigned j = 0; j < questions; j++)
				check_question(t, &w);
		world_forget(&w);
	}
	world_close(&w);
}

/* ---- tests ---------------------------------------------------------------------------------------- */

static void no_unit_moves_more_than_declared(void)
{
	struct tally t = {0};
	unsigned worlds = getenv("SOTTO_LONG") ? 1500 : 16;
	const char *seed = getenv("SOTTO_SEED");

	run_worlds(&t, seed ? strtoull(seed, NULL, 10) : SEED, worlds, 12);
	tap_note("%u queries planned, %u refused, %u runs on neighbours", t.planned, t.refused,
		 t.runs);
	CHECK(t.planned > 6 * worlds);
	CHECK(t.parts > worlds / 8);
	CHECK_INT(t.faults, 0);
}

static void mutated_queries_are_refused_or_just_as_safe(void)
{
	struct tally t = {.mutate = true};

	run_worlds(&t, SEED + 1, getenv("SOTTO_LONG") ? 600 : 6, 40);
	tap_note("%u queries planned, %u refused, %u runs on neighbours", t.planned, t.refused,
		 t.runs);
	CHECK(t.planned > 0);
	CHECK_INT(t.faults, 0);
}

/* Enough rows for the engine to divide the work. */
static void order_and_threads_do_not_matter_over_many_rows(void)
{
	struct tally t = {0};
	struct world w;

	REQUIRE(world_open(&w, SEED + 2));
	for (unsigned i = 0; i < 3; i++) {
		REQUIRE(world_make(&w) && world_multiply(&w, 200000 / w.rows));
		for (unsigned j = 0; j < 30; j++)
			compare_threads(&t, &w);
		world_forget(&w);
	}
	world_close(&w);
	tap_note("%u queries compared", t.planned);
	CHECK(t.planned > 9);
	CHECK_INT(t.faults, 0);
}

static void a_planted_fault_is_found(enum fault fault)
{
	struct tally t = {.quiet = true, .fault = fault};

	for (unsigned i = 0; t.faults == 0 && i < 8; i++)
		run_worlds(&t, SEED + i, 2, 12);
	(void)tap_check(t.faults > 0, __FILE__, __LINE__, "fault %d was not found in %u plans",
			(int)fault, t.planned);
}

static void a_dropped_row_limit_is_found(void)
{
	a_planted_fault_is_found(FAULT_ROWS);
}

static void a_dropped_group_limit_is_found(void)
{
	a_planted_fault_is_found(FAULT_WINDOW);
}

static void a_raised_clip_is_found(void)
{
	a_planted_fault_is_found(FAULT_CLIP);
}

static void a_sensitivity_one_too_small_is_found(void)
{
	a_planted_fault_is_found(FAULT_SENSITIVITY);
}

static void one_group_too_few_is_found(void)
{
	a_planted_fault_is_found(FAULT_GROUPS);
}

static void a_dropped_row_limit_of_quantiles_is_found(void)
{
	a_planted_fault_is_found(FAULT_SPREAD);
}

int main(void)
{
	RUN(no_unit_moves_more_than_declared);
	RUN(mutated_queries_are_refused_or_just_as_safe);
	RUN(order_and_threads_do_not_matter_over_many_rows);
	RUN(a_dropped_row_limit_is_found);
	RUN(a_dropped_group_limit_is_found);
	RUN(a_raised_clip_is_found);
	RUN(a_sensitivity_one_too_small_is_found);
	RUN(one_group_too_few_is_found);
	RUN(a_dropped_row_limit_of_quantiles_is_found);
	return tap_done();
}
