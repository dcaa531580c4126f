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
#include <string.h>

#include "central/price/plan_price.h"
#include "core/base/arena_rational.h"
#include "sotto/rational.h"
#include "testlib/effort.h"
#include "testlib/question/made_answer.h"
#include "testlib/question/movement.h"
#include "testlib/question/plan_fault.h"
#include "testlib/question/question.h"
#include "testlib/tap.h"

enum { SEED = 20260101 };

struct tally {
	unsigned planned, refused, faults, runs, parts, around;
	bool quiet; /* faults are wanted, not reported */
	bool mutate; /* words of the query are changed */
	bool only_sealed; /* other tables find their units by keys that sealing has looked at */
	unsigned mapped; /* queries that look units up in a map instead of joining keys */
	const struct folder *maps; /* where maps are stored; NULL: they are made */
	unsigned stored, numbered; /* queries that read such a map, of units or of numbers */
	bool wrong_maps;
	enum plan_fault fault;
	enum question_focus focus;
	unsigned bins; /* spreads compared */
	unsigned chosen; /* of which the first groups are chosen */
};

/* ---- one query ------------------------------------------------------------------------------ */

/* One planted fault found is enough. */
static bool is_done(const struct tally *t)
{
	return t->quiet && t->faults > 0;
}

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

/* SQL that a planted fault has broken shows nothing. */
static void report_engine(struct tally *t, const struct world *w, const struct question *q,
			  int engine, int unit)
{
	if (t->fault == FAULT_NONE)
		report(t, w, q, sotto_engine_detail(w->engines[engine]), unit);
}

/* The bins of how units are spread: a unit is in one of each histogram. */
static bool run_bins(struct world *w, const struct sotto_plan *plan, int64_t *bins)
{
	struct sotto_engine_result *r = NULL;
	bool done = sotto_engine_run(w->engines[0], plan->spread.engine_sql, &r) == SOTTO_OK &&
		    sotto_engine_has_shape(r, 0, SOTTO_SPREAD_ALL, 0) &&
		    sotto_engine_rows(r) == 1;

	for (size_t i = 0; done && i < SOTTO_SPREAD_ALL; i++)
		bins[i] = sotto_engine_exact(r, 0, i).secret;
	sotto_engine_result_free(r);
	return done;
}

static void check_bins(struct tally *t, struct world *w, const struct question *q,
		       const struct sotto_plan *plan)
{
	int64_t all[SOTTO_SPREAD_ALL], less[SOTTO_SPREAD_ALL], moved[2] = {0, 0};
	int unit = (int)chance_below(&w->chance, w->row_unit ? w->rows : w->units);

	if (is_done(t) || !plan->spread.is_pending || !world_without(w, WORLD_NOBODY))
		return;
	t->bins++;
	if (!run_bins(w, plan, all) || !world_without(w, unit) || !run_bins(w, plan, less)) {
		report_engine(t, w, q, 0, unit);
		return;
	}
	for (size_t i = 0; i < SOTTO_SPREAD_ALL; i++)
		moved[i / SOTTO_SPREAD_BINS] += llabs(all[i] - less[i]);
	if (moved[0] > 1 || moved[1] > 1)
		report(t, w, q, "a unit is in several bins", unit);
}

static void compare(struct tally *t, struct world *w, const struct question *q,
		    const struct sotto_plan *plan, const struct sotto_engine_result *all,
		    int unit)
{
	struct sotto_engine_result *other = NULL;
	struct movement m;
	const char *fault;

	if (is_done(t) || !world_without(w, unit))
		return;
	t->runs++;
	if (sotto_engine_run(w->engines[0], sotto_plan_sql(plan), &other) != SOTTO_OK) {
		report_engine(t, w, q, 0, unit);
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

	if (sotto_engine_run(w->engines[1], sotto_plan_sql(plan), &other) != SOTTO_OK) {
		report_engine(t, w, q, 1, -1);
		return;
	}
	movement_between(&m, plan, all, other);
	if (!m.same)
		report(t, w, q, "order of rows or threads matter", -1);
	sotto_engine_result_free(other);
}

/* Half of the plans also say what their limits lost. */
static void want_losses(struct world *w, struct sotto_plan *plan)
{
	struct sotto_rational *share = sotto_arena_rational(&plan->arena);

	REQUIRE(share);
	mpq_set_ui(share->q, chance_in(&w->chance, 2), 4);
	mpq_canonicalize(share->q);
	plan->loss.share = share;
	for (size_t i = 0; i < plan->part_count; i++)
		plan->parts[i]->loss.share = share;
}

static void price(struct world *w, struct sotto_plan *plan)
{
	bool gaussian = chance_in(&w->chance, 2);
	struct sotto_rational epsilon, delta;
	struct sotto_error err = {""};

	sotto_rational_init(&epsilon);
	sotto_rational_init(&delta);
	want_losses(w, plan);
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

	t->chosen += plan->top.chosen;
	if (!plan_fault_plant(plan, t->fault) && t->fault != FAULT_NONE)
		return; /* this plan has nothing that the fault is about */
	if (!world_without(w, WORLD_NOBODY))
		return;
	if (sotto_engine_run(w->engines[0], sotto_plan_sql(plan), &all) != SOTTO_OK) {
		report_engine(t, w, q, 0, -1);
		return;
	}
	if (plan->key_count == 0 && !t->quiet)
		CHECK(sotto_engine_rows(all) == 1);
	check_bins(t, w, q, plan);
	compare(t, w, q, plan, all, 0);
	compare(t, w, q, plan, all,
		(int)chance_below(&w->chance, w->row_unit ? w->rows : w->units));
	compare(t, w, q, plan, all, WORLD_EVERYBODY);
	if (t->fault == FAULT_NONE)
		compare_shuffled(t, w, q, plan, all);
	sotto_engine_result_free(all);
}

/* What the parts cost together is what is charged. */
static void check_sum(struct tally *t, const struct world *w, const struct question *q,
		      const struct sotto_plan *plan)
{
	struct sotto_rational epsilon, delta;

	sotto_rational_init(&epsilon);
	sotto_rational_init(&delta);
	sotto_rational_set(&epsilon, &plan->own_cost.epsilon);
	sotto_rational_set(&delta, &plan->own_cost.delta);
	for (size_t i = 0; i < plan->part_count; i++) {
		sotto_rational_add(&epsilon, &epsilon, &plan->parts[i]->cost.epsilon);
		sotto_rational_add(&delta, &delta, &plan->parts[i]->cost.delta);
	}
	if (sotto_rational_compare(&epsilon, &plan->cost.epsilon) > 0 ||
	    sotto_rational_compare(&delta, &plan->cost.delta) > 0)
		report(t, w, q, "parts cost more than is charged", -1);
	sotto_rational_release(&epsilon);
	sotto_rational_release(&delta);
}

/*
 * Each finished query inside is a release of its own that reads no other one.  So is what
 * reads private rows around them: it is as safe whatever came out of them.
 */
static void
check_plan(struct tally *t, struct world *w, const struct question *q, struct sotto_plan *plan)
{
	price(w, plan);
	if (t->fault == FAULT_PARTS && plan->part_count > 1)
		mpq_mul_2exp(plan->parts[1]->cost.epsilon.q, plan->parts[1]->cost.epsilon.q, 1);
	check_sum(t, w, q, plan);
	for (size_t i = 0; i < plan->part_count; i++) {
		t->parts++;
		check_part(t, w, q, plan->parts[i]);
	}
	if (plan->part_count > 0 && !plan->owner)
		return;
	t->around += plan->part_count > 0;
	if (made_answers_write(w, plan))
		check_part(t, w, q, plan);
	made_answers_drop(w, plan);
}

/* Public values are counted as a session counts them. */
static enum sotto_status
count_values(void *context, const char *sql, int64_t *out, struct sotto_error *err)
{
	struct world *w = context;
	struct sotto_engine_result *rows = NULL;

	(void)err;
	if (sotto_engine_run(w->engines[0], sql, &rows) != SOTTO_OK)
		return SOTTO_EIO;
	*out = sotto_engine_cell(rows, 0, 0).integer;
	sotto_engine_result_free(rows);
	return SOTTO_OK;
}

/* Limits can be found for most questions, and not for joins with WHERE: those go without. */
static bool plan_question(struct world *w, const struct question *q, struct sotto_plan *plan)
{
	struct sotto_plan_request request = {.policy = &w->policy,
					     .schema = world_schema,
					     .schema_context = w,
					     .count = count_values,
					     .count_context = w,
					     .salt = 77,
					     .finds_limits = true};
	struct sotto_error err = {""};

	if (sotto_plan_make(plan, &request, q->text, &err) == SOTTO_OK)
		return true;
	request.finds_limits = false;
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

	question_make(&q, w, t->focus);
	if (t->mutate)
		question_mutate(&q, w);
	if (!plan_question(w, &q, &plan)) {
		t->refused++;
		return;
	}
	t->planned++;
	t->mapped += plan.part_count == 0 && strstr(sotto_plan_sql(&plan), "sotto_owner_");
	t->stored += plan.part_count == 0 && strstr(sotto_plan_sql(&plan), "SELECT owners()");
	t->numbered +=
		plan.part_count == 0 && strstr(sotto_plan_sql(&plan), "SELECT numbers()");
	check_plan(t, w, &q, &plan);
	sotto_plan_release(&plan);
}

/* A query on the same rows in both engines; joins would multiply too many rows here. */
static void compare_threads(struct tally *t, struct world *w)
{
	struct sotto_engine_result *all = NULL;
	struct sotto_plan plan;
	struct question q;

	question_make(&q, w, QUESTION_ANY);
	if (strstr(q.text, "join") || !plan_question(w, &q, &plan))
		return;
	if (plan.part_count) {
		sotto_plan_release(&plan);
		return;
	}
	t->planned++;
	if (sotto_engine_run(w->engines[0], sotto_plan_sql(&plan), &all) == SOTTO_OK)
		compare_shuffled(t, w, &q, &plan, all);
	else
		report(t, w, &q, sotto_engine_detail(w->engines[0]), -1);
	sotto_engine_result_free(all);
	sotto_plan_release(&plan);
}

/* Names that groups by unit go by are mistaken for columns only where columns have them. */
static bool can_show(enum plan_fault fault, const struct world *w)
{
	bool has_such_names = false;

	for (size_t i = 0; i < w->column_count; i++)
		has_such_names |= strcmp(w->columns[i].name, "u") == 0 ||
				  strcmp(w->columns[i].name, "k0") == 0;
	return fault != FAULT_NAMES || has_such_names;
}

static void run_worlds(struct tally *t, uint64_t seed, unsigned worlds, unsigned questions)
{
	struct world w;

	if (!world_open(&w, seed))
		return;
	w.only_sealed = t->only_sealed;
	w.maps = t->maps;
	w.wrong_maps = t->wrong_maps;
	for (unsigned i = 0; i < worlds; i++) {
		if (!t->quiet) /* half of the worlds are asked about anything */
			t->focus = t->only_sealed ? QUESTION_LINKED
				   : i % 2 ? (enum question_focus)(i / 2 % QUESTION_FOCUSES)
					   : QUESTION_ANY;
		if (world_make(&w) && can_show(t->fault, &w))
			for (unsigned j = 0; j < questions && !is_done(t); j++)
				check_question(t, &w);
		world_forget(&w);
	}
	world_close(&w);
}

/* ---- tests ---------------------------------------------------------------------------------------- */

static void no_unit_moves_more_than_declared(void)
{
	static const unsigned worlds_by_effort[] = {3, 24, 1500};
	struct tally t = {0};
	unsigned worlds = worlds_by_effort[effort()]; /* all that queries are about */
	const char *seed = getenv("SOTTO_SEED");

	run_worlds(&t, seed ? strtoull(seed, NULL, 10) : SEED, worlds,
		   effort() == EFFORT_SHORT ? 3 : 5);
	tap_note("%u queries planned, %u refused, %u runs on neighbours, %u around others, %u "
		 "choices of groups",
		 t.planned, t.refused, t.runs, t.around, t.chosen);
	CHECK(t.planned > 2 * worlds);
	CHECK(t.bins > worlds);
	if (effort() != EFFORT_SANITIZED) { /* too few questions to draw what is rare */
		CHECK(t.around > worlds / 16);
		CHECK(t.parts > worlds / 8);
		CHECK(t.chosen > 0);
	}
	CHECK_INT(t.faults, 0);
}

static void units_found_in_a_map_move_no_more_than_declared(void)
{
	static const unsigned worlds_by_effort[] = {1, 2, 400};
	struct tally t = {.only_sealed = true};
	unsigned worlds = worlds_by_effort[effort()];

	run_worlds(&t, SEED + 2, worlds, 12);
	tap_note("%u queries planned, %u of them with a map, %u runs on neighbours", t.planned,
		 t.mapped, t.runs);
	if (effort() != EFFORT_SANITIZED) /* as above */
		CHECK(t.mapped > 0);
	CHECK_INT(t.faults, 0);
}

static void units_found_in_a_stored_map_move_no_more_than_declared(void)
{
	static const unsigned worlds_by_effort[] = {1, 2, 400};
	unsigned worlds = worlds_by_effort[effort()];
	struct folder maps;
	struct tally t = {.only_sealed = true, .maps = &maps};

	folder_open(&maps);
	for (unsigned i = 0; i < worlds || (i < 60 && (t.stored == 0 || t.numbered == 0)); i++)
		run_worlds(&t, SEED + 100 + i, 1, 12); /* few look units up, and without keys */
	folder_close(&maps);
	tap_note(
		"%u queries planned, %u of them with a stored map, %u with numbers, %u runs on "
		"neighbours",
		t.planned, t.stored, t.numbered, t.runs);
	CHECK(t.stored > 0 && t.numbered > 0);
	CHECK_INT(t.faults, 0);
}

static void stored_maps_with_wrong_units_are_found(void)
{
	struct folder maps;
	struct tally t = {.quiet = true,
			  .only_sealed = true,
			  .maps = &maps,
			  .wrong_maps = true,
			  .focus = QUESTION_LINKED};

	folder_open(&maps);
	for (unsigned i = 0; t.faults == 0 && i < 100; i++)
		run_worlds(&t, SEED + i, 2, 6);
	folder_close(&maps);
	(void)tap_check(t.faults > 0, __FILE__, __LINE__, "not found in %u plans", t.planned);
}

static void mutated_queries_are_refused_or_just_as_safe(void)
{
	static const unsigned worlds_by_effort[] = {1, 4, 600};
	struct tally t = {.mutate = true};

	run_worlds(&t, SEED + 1, worlds_by_effort[effort()], 20);
	for (unsigned i = 0; t.planned == 0 && i < 60; i++) /* few of them mean something */
		run_worlds(&t, SEED + 1000 + i, 1, 20);
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
	for (unsigned i = 0; i < 2; i++) {
		REQUIRE(world_make(&w) && world_multiply(&w, 200000 / w.rows));
		for (unsigned j = 0; j < 50; j++)
			compare_threads(&t, &w);
		world_forget(&w);
	}
	world_close(&w);
	tap_note("%u queries compared", t.planned);
	CHECK(t.planned > 9);
	CHECK_INT(t.faults, 0);
}

static void a_planted_fault_is_found(enum plan_fault fault, enum question_focus focus)
{
	struct tally t = {.quiet = true, .fault = fault, .focus = focus};

	for (unsigned i = 0; t.faults == 0 && i < 100; i++)
		run_worlds(&t, SEED + i, 2, 6);
	(void)tap_check(t.faults > 0, __FILE__, __LINE__, "fault %d was not found in %u plans",
			(int)fault, t.planned);
}

static void a_dropped_row_limit_is_found(void)
{
	a_planted_fault_is_found(FAULT_ROWS, QUESTION_ANY);
}

static void a_dropped_group_limit_is_found(void)
{
	a_planted_fault_is_found(FAULT_WINDOW, QUESTION_ANY);
}

static void a_raised_clip_is_found(void)
{
	a_planted_fault_is_found(FAULT_CLIP, QUESTION_ANY);
}

static void a_sensitivity_one_too_small_is_found(void)
{
	a_planted_fault_is_found(FAULT_SENSITIVITY, QUESTION_ANY);
}

static void an_uncapped_loss_is_found(void)
{
	a_planted_fault_is_found(FAULT_LOSS_CAP, QUESTION_ANY);
}

static void a_unit_that_counts_as_lost_in_each_group_is_found(void)
{
	a_planted_fault_is_found(FAULT_LOSS_GROUPS, QUESTION_ANY);
}

static void a_loss_declared_one_too_small_is_found(void)
{
	a_planted_fault_is_found(FAULT_LOSS_SENSITIVITY, QUESTION_ANY);
}

static void a_unit_in_several_bins_is_found(void)
{
	a_planted_fault_is_found(FAULT_BINS, QUESTION_PICKS);
}

static void one_group_too_few_is_found(void)
{
	a_planted_fault_is_found(FAULT_GROUPS, QUESTION_ANY);
}

static void a_dropped_row_limit_of_quantiles_is_found(void)
{
	a_planted_fault_is_found(FAULT_SPREAD, QUESTION_PICKS);
}

static void rows_of_a_path_under_another_owner_are_found(void)
{
	a_planted_fault_is_found(FAULT_OWNER, QUESTION_LINKED);
}

static void a_dropped_row_limit_of_joins_is_found(void)
{
	a_planted_fault_is_found(FAULT_ROWS, QUESTION_LINKED);
}

static void a_join_that_is_not_on_the_unit_is_found(void)
{
	a_planted_fault_is_found(FAULT_MATCH, QUESTION_LINKED);
}

static void a_union_with_other_units_is_found(void)
{
	a_planted_fault_is_found(FAULT_UNION, QUESTION_UNITED);
}

static void a_window_over_all_units_is_found(void)
{
	a_planted_fault_is_found(FAULT_PARTITION, QUESTION_WINDOWS);
}

static void a_first_row_of_all_units_is_found(void)
{
	a_planted_fault_is_found(FAULT_PARTITION, QUESTION_FIRST);
}

static void groups_by_names_that_columns_have_are_found(void)
{
	a_planted_fault_is_found(FAULT_NAMES, QUESTION_BY_UNIT);
}

static void two_rows_of_a_unit_where_one_is_declared_are_found(void)
{
	a_planted_fault_is_found(FAULT_GROUPS, QUESTION_PAIRS);
}

static void a_dropped_limit_of_different_values_is_found(void)
{
	a_planted_fault_is_found(FAULT_WINDOW, QUESTION_DISTINCT);
}

static void a_quantile_chosen_too_sharply_is_found(void)
{
	a_planted_fault_is_found(FAULT_CHOICE, QUESTION_PICKS);
}

static void a_set_of_keys_that_costs_too_much_is_found(void)
{
	a_planted_fault_is_found(FAULT_PARTS, QUESTION_SETS);
}

static void scores_that_move_both_ways_are_found(void)
{
	a_planted_fault_is_found(FAULT_ONE_WAY, QUESTION_TOP);
}

static void rows_compared_with_exact_values_are_found(void)
{
	a_planted_fault_is_found(FAULT_EXACT, QUESTION_LOOKUPS);
}

/* They show that the tests above can fail; sanitizers have nothing to say about that. */
static void run_planted_faults(void)
{
	RUN(a_dropped_row_limit_is_found);
	RUN(a_dropped_group_limit_is_found);
	RUN(a_raised_clip_is_found);
	RUN(a_sensitivity_one_too_small_is_found);
	RUN(an_uncapped_loss_is_found);
	RUN(a_unit_that_counts_as_lost_in_each_group_is_found);
	RUN(a_loss_declared_one_too_small_is_found);
	RUN(a_unit_in_several_bins_is_found);
	RUN(one_group_too_few_is_found);
	RUN(a_dropped_row_limit_of_quantiles_is_found);
	RUN(rows_of_a_path_under_another_owner_are_found);
	RUN(a_dropped_row_limit_of_joins_is_found);
	RUN(a_join_that_is_not_on_the_unit_is_found);
	RUN(a_union_with_other_units_is_found);
	RUN(a_window_over_all_units_is_found);
	RUN(a_first_row_of_all_units_is_found);
	RUN(groups_by_names_that_columns_have_are_found);
	RUN(two_rows_of_a_unit_where_one_is_declared_are_found);
	RUN(a_dropped_limit_of_different_values_is_found);
	RUN(a_quantile_chosen_too_sharply_is_found);
	RUN(a_set_of_keys_that_costs_too_much_is_found);
	RUN(scores_that_move_both_ways_are_found);
	RUN(rows_compared_with_exact_values_are_found);
	RUN(stored_maps_with_wrong_units_are_found);
}

int main(void)
{
	RUN(no_unit_moves_more_than_declared);
	RUN(units_found_in_a_map_move_no_more_than_declared);
	RUN(units_found_in_a_stored_map_move_no_more_than_declared);
	RUN(mutated_queries_are_refused_or_just_as_safe);
	if (effort() != EFFORT_SANITIZED) {
		RUN(order_and_threads_do_not_matter_over_many_rows);
		run_planted_faults();
	}
	return tap_done();
}
