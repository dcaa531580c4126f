/*
 * How much one question may ask: its aggregates, with those of its parts, and its outputs are counted
 * before they cost time, each table is looked at once, and what is computed for one output looks at
 * the aggregates that this output reads.  Explain's time follows from these counts; no clock is read.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "central/aggregate/aggregate.h"
#include "central/engine/file_identity.h"
#include "central/plan/plan.h"
#include "central/plan/planner.h"
#include "central/session/session.h"
#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

enum { SQL_MAX = 200000, PREDICTED = 100, OUTPUTS = 2000 };

/* ---- questions of a size ---------------------------------------------------------------------- */

/* before, then "what" for 0 to count - 1 with commas between them, then after. */
static void
list(char *sql, const char *before, const char *what, unsigned count, const char *after)
{
	int n = snprintf(sql, SQL_MAX, "%s", before);

	for (unsigned i = 0; i < count; i++) {
		n += snprintf(sql + n, SQL_MAX - (size_t)n, "%s", i ? ", " : "");
		n += snprintf(sql + n, SQL_MAX - (size_t)n, what, i, i);
	}
	(void)snprintf(sql + n, SQL_MAX - (size_t)n, "%s", after);
}

static enum sotto_status
explain(struct clinic *c, const char *sql, struct sotto_explanation **out)
{
	struct sotto_question q = {.sql = sql};
	struct sotto_rational epsilon;
	enum sotto_status st;

	sotto_rational_init(&epsilon);
	mpq_set_ui(epsilon.q, 1, 1);
	q.epsilon = &epsilon;
	c->err.text[0] = '\0';
	clinic_seal(c);
	st = sotto_session_explain(c->session, &q, out, &c->err);
	sotto_rational_release(&epsilon);
	return st;
}

static void expect(struct clinic *c, const char *sql, const char *refusal)
{
	struct sotto_explanation *x = NULL;
	enum sotto_status st = explain(c, sql, &x);

	(void)tap_check(st == (refusal ? SOTTO_EREFUSED : SOTTO_OK) &&
				(!refusal || strstr(c->err.text, refusal)),
			__FILE__, __LINE__, "%.60s...: %s", sql, c->err.text);
	sotto_explanation_free(x);
}

static void aggregates_are_limited_with_those_of_all_parts(void)
{
	static const char refusal[] = "more than 1000 aggregates";
	static const unsigned most = SOTTO_AGGREGATES_MAX;
	static char sql[SQL_MAX], two[SQL_MAX];
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	list(sql, "SELECT ", "SUM(x + %u)", most, " FROM visits");
	expect(&c, sql, NULL);
	list(sql, "SELECT ", "SUM(x + %u)", most + 1, " FROM visits");
	expect(&c, sql, refusal);
	list(sql, "SELECT ward FROM visits GROUP BY ward ORDER BY ", "SUM(x + %u)", most + 1,
	     "");
	expect(&c, sql, refusal);
	list(sql, "SELECT ward, ", "SUM(x + %u)", most / 2,
	     " FROM visits GROUP BY ROLLUP(ward)");
	expect(&c, sql, NULL);
	list(sql, "SELECT ward, ", "SUM(x + %u)", most / 2 + 1,
	     " FROM visits GROUP BY ROLLUP(ward)");
	expect(&c, sql, refusal);
	list(two, "SELECT ", "SUM(x + %u)", most / 2 + 1, " FROM visits");
	(void)snprintf(sql, sizeof sql, "%.90000s UNION ALL %.90000s", two, two);
	expect(&c, sql, refusal);
	/* One release that is read twice counts once. */
	list(two, "WITH a AS (SELECT ward, ", "SUM(x + %u) AS s%u", most,
	     " FROM visits GROUP BY ward)");
	(void)snprintf(sql, sizeof sql,
		       "%.190000s SELECT a.s0, b.s1 FROM a JOIN a AS b ON a.ward = b.ward",
		       two);
	expect(&c, sql, NULL);
	clinic_close(&c);
}

static void outputs_are_limited(void)
{
	static char sql[SQL_MAX];
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	list(sql, "SELECT ", "COUNT(*) + %u", OUTPUTS, " FROM visits");
	expect(&c, sql, NULL);
	list(sql, "SELECT ", "COUNT(*) + %u", OUTPUTS + 1, " FROM visits");
	expect(&c, sql, "more than 2000 outputs");
	list(sql, "SELECT ", "1 + %u", OUTPUTS + 1, "");
	expect(&c, sql, "more than 2000 outputs");
	clinic_close(&c);
}

static unsigned predicted(struct clinic *c, unsigned outputs)
{
	static char sql[SQL_MAX];
	struct sotto_explanation *x = NULL;
	unsigned count = 0;

	list(sql, "SELECT ", "SUM(x) / (COUNT(*) + %u)", outputs, " FROM visits");
	if (explain(c, sql, &x) == SOTTO_OK)
		for (size_t i = 0; i < x->column_count; i++)
			count += !isnan(x->columns[i].typical_error);
	sotto_explanation_free(x);
	return count;
}

static void errors_of_computed_values_are_told_for_a_hundred_outputs(void)
{
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	CHECK_INT(predicted(&c, PREDICTED), PREDICTED);
	CHECK_INT(predicted(&c, PREDICTED + 1), 0);
	clinic_close(&c);
}

/* ---- plans ------------------------------------------------------------------------------------ */

struct watched {
	struct sotto_session *session;
	unsigned looks;
};

static enum sotto_status watch(void *context, const struct sotto_policy_table *table,
			       const struct sotto_schema_table **out, struct sotto_error *err)
{
	struct watched *w = context;

	w->looks++;
	return sotto_session_schema(w->session, table, out, err);
}

static void a_plan_looks_at_each_table_once(void)
{
	static const char sql[] =
		"SELECT COUNT(*) FROM visits AS v WHERE "
		"EXISTS (SELECT 1 FROM visits AS u WHERE u.id = v.id AND u.x > 1) AND "
		"EXISTS (SELECT 1 FROM visits AS u WHERE u.id = v.id AND u.x > 2) AND "
		"x > (SELECT AVG(x) FROM visits)";
	struct watched w = {0};
	struct sotto_plan_request request;
	struct sotto_plan plan;
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	clinic_seal(&c);
	w.session = c.session;
	request = sotto_session_request(c.session);
	request.schema = watch;
	request.schema_context = &w;
	REQUIRE(sotto_plan_make(&plan, &request, sql, &c.err) == SOTTO_OK);
	CHECK_INT(w.looks, 1);
	sotto_plan_release(&plan);
	clinic_close(&c);
}

/* Both lists of what an output reads: one made at once, one by asking for each. */
static void compare_reads(const struct sotto_plan *plan, const struct sotto_sql_expr *e)
{
	size_t movable = plan->measure_count + plan->outcome_count, count = 0, found = 0;
	size_t *reads = calloc(movable + 1, sizeof *reads);

	REQUIRE(reads);
	sotto_output_list_reads(plan, e, reads, movable, &count);
	for (size_t i = 0; i < movable; i++)
		if (sotto_output_reads(plan, e, i)) {
			CHECK(found < count && reads[found] == i);
			found++;
		}
	CHECK_INT(found, count);
	for (size_t most = 0; most < found; most++) {
		count = 0;
		sotto_output_list_reads(plan, e, reads, most, &count);
		CHECK_INT(count, most + 1);
	}
	free(reads);
}

static void compare_values(const struct sotto_plan *plan, const struct sotto_sql_expr *e)
{
	struct sotto_noisy *measures = calloc(plan->measure_count + 1, sizeof *measures);
	struct sotto_value *outcomes = calloc(plan->outcome_count + 1, sizeof *outcomes);
	double *shift = calloc(plan->measure_count + plan->outcome_count + 1, sizeof *shift);
	struct sotto_value *all = calloc(plan->aggregate_count + 1, sizeof *all);
	struct sotto_value *some = calloc(plan->aggregate_count + 1, sizeof *some);
	const struct sotto_group_values g = {
		.measures = measures, .outcomes = outcomes, .shift = shift};

	REQUIRE(measures && outcomes && shift && all && some);
	for (size_t i = 0; i < plan->measure_count; i++)
		measures[i].value = 50 + 7 * (int64_t)i;
	sotto_aggregates_compute(plan, &g, all);
	sotto_aggregates_compute_read(plan, e, &g, some);
	for (size_t i = 0; i < plan->aggregate_count; i++)
		CHECK(some[i].kind == SOTTO_VALUE_NULL ||
		      (some[i].kind == all[i].kind && some[i].number == all[i].number));
	if (e->kind == SOTTO_SQL_VALUE)
		CHECK(some[e->index].kind == all[e->index].kind);
	free(measures);
	free(outcomes);
	free(shift);
	free(all);
	free(some);
}

static void what_an_output_reads_is_found_at_once(void)
{
	static const char sql[] =
		"SELECT AVG(x), SUM(x), COUNT(*), VARIANCE(x), MEDIAN(x), MAX(x) - MIN(x), "
		"SUM(x) / COUNT(*) + AVG(x + 1), CASE WHEN COUNT(x) > 3 THEN STDDEV(x) ELSE 0 "
		"END, 1 + 1, SUM(x + 1) * SUM(x + 2) - SUM(x + 3) / SUM(x + 4) + SUM(x + 5) "
		"FROM visits";
	struct sotto_plan_request request;
	struct sotto_plan plan;
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	clinic_seal(&c);
	request = sotto_session_request(c.session);
	REQUIRE(sotto_plan_make(&plan, &request, sql, &c.err) == SOTTO_OK);
	for (size_t i = 0; i < plan.output_count; i++) {
		compare_reads(&plan, plan.outputs[i].expr);
		compare_values(&plan, plan.outputs[i].expr);
	}
	sotto_plan_release(&plan);
	clinic_close(&c);
}

/* ---- files ------------------------------------------------------------------------------------ */

static void set_time(const char *path, time_t second)
{
	const struct timespec times[2] = {{second, 0}, {second, 0}};

	REQUIRE(utimensat(AT_FDCWD, path, times, 0) == 0);
}

/* A text that was copied has other times: its contents are compared once, not for each question. */
static void a_text_with_other_times_is_read_once(void)
{
	struct sotto_identity id, old;
	char path[FOLDER_PATH_MAX];
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	folder_file(&c.folder, "visits.csv", path);
	REQUIRE(sotto_identity_take(&id, path, SOTTO_FILE_TEXT) == SOTTO_OK);
	set_time(path, 1000000);
	old = id;
	CHECK_INT(sotto_identity_confirm(&id, path, SOTTO_FILE_TEXT), SOTTO_OK);
	CHECK(id.changed == 1000000 * INT64_C(1000000000) && id.changed != old.changed);
	CHECK_STR(id.digest, old.digest);
	REQUIRE(clinic_write(&c, "other.csv", clinic_csv));
	folder_file(&c.folder, "other.csv", path);
	CHECK_INT(sotto_identity_confirm(&id, path, SOTTO_FILE_TEXT), SOTTO_OK);
	old = id;
	REQUIRE(truncate(path, (off_t)id.size - 1) == 0 && truncate(path, (off_t)id.size) == 0);
	CHECK_INT(sotto_identity_confirm(&id, path, SOTTO_FILE_TEXT), SOTTO_ESTATE);
	CHECK(memcmp(&id, &old, sizeof id) == 0);
	clinic_close(&c);
}

int main(void)
{
	RUN(aggregates_are_limited_with_those_of_all_parts);
	RUN(outputs_are_limited);
	RUN(errors_of_computed_values_are_told_for_a_hundred_outputs);
	RUN(a_plan_looks_at_each_table_once);
	RUN(what_an_output_reads_is_found_at_once);
	RUN(a_text_with_other_times_is_read_once);
	return tap_done();
}
