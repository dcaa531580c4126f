/*
 * One person must not be able to keep the engine busy.  Random queries are run with and
 * without a unit that has many rows of long texts and values at the ends of every type;
 * the engine counts the rows and bytes that each of its operators makes, and what the
 * unit adds to them is at most what the plan's bound on work allows.  There is no clock
 * in this: the counts are the same on any machine.  The long set reports times as well.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "central/expression/work/row_work.h"
#include "testlib/effort.h"
#include "testlib/question/question.h"
#include "testlib/tap.h"

enum { SEED = 20270101, WORLDS = 7, QUESTIONS = 16, COPIES = 20, LETTERS = 8000 };

/* What the operators of one run made. */
struct made {
	double rows, bytes;
	double seconds;
};

struct tally {
	unsigned planned, faults;
	double worst; /* share of the bound that was used */
	double slowest; /* milliseconds that one private row took, where times are looked at */
	bool quiet;
	double lowered; /* the bound is divided by this: a planted fault */
};

/* ---- the unit that works against everybody ------------------------------------------------ */

static bool make_monster(struct world *w)
{
	char sql[2048];
	int n = snprintf(sql, sizeof sql,
			 "INSERT INTO base SELECT base.* FROM base, range(%d) WHERE \"base "
			 "owner\" = %u; UPDATE base SET tk = tk",
			 COPIES, w->units);

	for (size_t i = 0; i < w->column_count; i++)
		if (strcmp(world_engine_type(&w->columns[i]), "VARCHAR") == 0)
			n += snprintf(sql + n, sizeof sql - (size_t)n,
				      ", %s = repeat('ab', %d)", w->columns[i].sql, LETTERS);
	(void)snprintf(sql + n, sizeof sql - (size_t)n, " WHERE \"base owner\" = %u", w->units);
	return world_execute(w, 0, sql);
}

static double number_of(struct world *w, const char *sql)
{
	struct sotto_engine_result *r = NULL;
	double n = 0;

	if (tap_check(sotto_engine_run(w->engines[0], sql, &r) == SOTTO_OK, __FILE__, __LINE__,
		      "%.300s: %s", sql, sotto_engine_detail(w->engines[0])))
		n = (double)sotto_engine_cell(r, 0, 0).integer;
	sotto_engine_result_free(r);
	return n;
}

static double private_rows(struct world *w)
{
	double n = number_of(w, "SELECT count(*) FROM t");

	if (w->link != WORLD_ALONE)
		n += number_of(w, "SELECT count(*) FROM v") +
		     number_of(w, "SELECT count(*) FROM z");
	return n;
}

/* ---- the engine's count --------------------------------------------------------------------- */

static double sum_of(const char *profile, const char *name)
{
	double sum = 0;

	for (const char *at = profile; (at = strstr(at, name)); at += strlen(name))
		sum += strtod(at + strlen(name), NULL);
	return sum;
}

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The fastest of three runs. */
static double seconds_of(struct world *w, const char *engine_sql)
{
	double best = 1e9;

	for (int i = 0; i < 3; i++) {
		struct sotto_engine_result *r = NULL;
		double start = now();

		CHECK(sotto_engine_run(w->engines[0], engine_sql, &r) == SOTTO_OK);
		best = now() - start < best ? now() - start : best;
		sotto_engine_result_free(r);
	}
	return best;
}

static bool measure(struct world *w, const char *engine_sql, struct made *out)
{
	struct sotto_engine_result *r = NULL;
	size_t size = strlen(engine_sql) + 64;
	char *sql = malloc(size);
	const char *text = NULL;

	(void)snprintf(sql, size, "EXPLAIN (ANALYZE, FORMAT JSON) %s", engine_sql);
	if (sotto_engine_run(w->engines[0], sql, &r) == SOTTO_OK)
		text = sotto_engine_cell(r, 0, 1).text;
	if (text)
		*out = (struct made){sum_of(text, "\"operator_cardinality\": "),
				     sum_of(text, "\"result_set_size\": "), 0};
	if (text && effort() == EFFORT_LONG)
		out->seconds = seconds_of(w, engine_sql);
	free(sql);
	sotto_engine_result_free(r);
	return tap_check(text != NULL, __FILE__, __LINE__, "%.200s: %s", engine_sql,
			 sotto_engine_detail(w->engines[0]));
}

/* ---- one query ------------------------------------------------------------------------------ */

/* What the plan says about one private row: checks of public tables know about joins. */
static double bound_of(struct world *w, const struct sotto_plan *plan)
{
	double most = plan->work;

	for (size_t i = 0; i < plan->check_count; i++) {
		double n;

		if (plan->checks[i].most != SOTTO_WORK_MAX)
			continue;
		n = number_of(w, plan->checks[i].query.sql);
		n = (double)sotto_check_value(&plan->checks[i], (int64_t)n);
		most = n > most ? n : most;
	}
	return most;
}

/*
 * A row that an operator makes takes more than ten nanoseconds, and a byte more than a
 * quarter of one: with a bound of W, a private row adds at most W / 10 rows to what all
 * operators make together, and at most 4 W bytes.
 */
static void compare(struct tally *t, struct world *w, const struct question *q,
		    const struct sotto_plan *plan)
{
	double added, bound = bound_of(w, plan) / t->lowered, share;
	struct made with, without;

	if (bound > SOTTO_WORK_MAX)
		return; /* refused before the charge */
	if (!world_without(w, WORLD_NOBODY) || !measure(w, plan->engine_sql, &without))
		return;
	added = private_rows(w);
	if (!world_without(w, WORLD_EVERYBODY) || !measure(w, plan->engine_sql, &with))
		return;
	added = private_rows(w) - added;
	t->planned++;
	share = (with.rows - without.rows) / (added * bound / 10);
	share = (with.bytes - without.bytes) / (added * bound * 4) > share
			? (with.bytes - without.bytes) / (added * bound * 4)
			: share;
	t->worst = share > t->worst ? share : t->worst;
	if ((with.seconds - without.seconds) * 1e3 / added > t->slowest)
		t->slowest = (with.seconds - without.seconds) * 1e3 / added;
	if (share <= 1)
		return;
	t->faults++;
	if (t->quiet)
		return;
	(void)tap_check(false, __FILE__, __LINE__,
			"%.0f private rows made %.0f rows and %.0f bytes, bound %.0f", added,
			with.rows - without.rows, with.bytes - without.bytes, bound);
	tap_note("%s", q->text);
	tap_note("%s", plan->engine_sql);
}

static void ask(struct tally *t, struct world *w, enum question_focus focus)
{
	const struct sotto_plan_request request = {
		.policy = &w->policy, .schema = world_schema, .schema_context = w};
	struct sotto_error err = {""};
	struct question q;
	struct sotto_plan plan;

	question_make(&q, w, focus);
	if (sotto_plan_make(&plan, &request, q.text, &err) != SOTTO_OK)
		return;
	if (plan.part_count == 0)
		compare(t, w, &q, &plan);
	for (size_t i = 0; i < plan.part_count; i++)
		compare(t, w, &q, plan.parts[i]);
	sotto_plan_release(&plan);
}

static void ask_many(struct tally *t)
{
	struct world w;

	if (!world_open(&w, SEED))
		return;
	for (int i = 0; i < (effort() == EFFORT_SANITIZED ? 1 : WORLDS); i++) {
		if (world_make(&w) && make_monster(&w))
			for (int j = 0; j < QUESTIONS && !(t->quiet && t->faults); j++)
				ask(t, &w, (enum question_focus)(j % QUESTION_FOCUSES));
		world_forget(&w);
	}
	world_close(&w);
}

static void a_unit_adds_no_more_rows_and_bytes_than_the_bound_allows(void)
{
	struct tally t = {.lowered = 1};

	ask_many(&t);
	tap_note("%u queries, at most %.3f of the bound", t.planned, t.worst);
	if (effort() == EFFORT_LONG)
		tap_note("one private row took %.3f ms at most", t.slowest);
	CHECK(t.planned > (effort() == EFFORT_SANITIZED ? 5 : 60));
	CHECK(t.faults == 0);
}

static void a_bound_that_is_too_low_is_found(void)
{
	struct tally t = {.lowered = 1000, .quiet = true};

	ask_many(&t);
	CHECK(t.faults > 0);
}

int main(void)
{
	RUN(a_unit_adds_no_more_rows_and_bytes_than_the_bound_allows);
	RUN(a_bound_that_is_too_low_is_found);
	return tap_done();
}
