/*
 * What explain predicts is what is observed: over many releases 95 % of the errors are within
 * the predicted one, and the 95th percentile of the errors is within 5 % of it.  For an
 * average that is the error for a group of typical_group units whose mean lies half-way
 * between the middle of the bounds and a bound.  With RUNS runs the percentile of a Laplace law is known to about
 * 0.5 % (one standard deviation): 5 % are ten of them.
 */
#include <math.h>
#include <stdlib.h>

#include "central/plan/aggregate/measure/measure_add.h"
#include "central/session/answer/answer.h"
#include "central/session/release/release.h"
#include "central/session/session.h"
#include "testlib/clinic.h"
#include "testlib/plan_fault.h"
#include "testlib/tap.h"

enum { UNITS = 100, RUNS = 30000 };

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5}\ndiagnostics: 0\ntables:\n"
	"  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 2\n    max_rows: 1\n"
	"    columns:\n      x: {bounds: [0, 100], type: integer, nullable: false}\n"
	"      ward: {keys: [a, b]}\n";

/* 100 units in each ward with values around 75. */
static char *make_csv(void)
{
	char *csv = malloc((size_t)2 * UNITS * 24 + 100), *at = csv;

	if (!csv)
		abort();
	at += sprintf(at, "id,ward,x\n");
	for (unsigned i = 0; i < 2 * UNITS; i++)
		at += sprintf(at, "%u,%c,%u\n", i, 'a' + (int)(i % 2), 65 + i / 2 % 21);
	return csv;
}

struct trial {
	struct clinic clinic;
	struct sotto_plan plan;
	struct sotto_engine_result *exact;
	struct sotto_rng *rng;
};

static bool trial_open(struct trial *t, const char *sql, const char *delta)
{
	struct sotto_question q = {.sql = sql};
	struct sotto_rational e, d;
	char *csv = make_csv();
	bool done;

	*t = (struct trial){0};
	sotto_rational_init(&e);
	sotto_rational_init(&d);
	done = sotto_rational_parse(&e, "4", NULL) == SOTTO_OK &&
	       sotto_rational_parse(&d, delta ? delta : "0", NULL) == SOTTO_OK;
	q.epsilon = &e;
	q.delta = delta ? &d : NULL;
	q.mechanism = delta ? "gaussian" : NULL;
	done = done && clinic_open(&t->clinic, policy, csv) &&
	       sotto_session_plan(t->clinic.session, &q, &t->plan, &t->clinic.err) ==
		       SOTTO_OK &&
	       sotto_session_ready(t->clinic.session, &t->clinic.err) == SOTTO_OK &&
	       sotto_engine_run(t->clinic.session->engine, sotto_plan_sql(&t->plan),
				&t->exact) == SOTTO_OK &&
	       sotto_rng_open(&t->rng) == SOTTO_OK;
	sotto_rational_release(&e);
	sotto_rational_release(&d);
	free(csv);
	return tap_check(done, __FILE__, __LINE__, "%s: %s", sql, t->clinic.err.text);
}

static void trial_close(struct trial *t)
{
	sotto_rng_close(t->rng);
	sotto_engine_result_free(t->exact);
	sotto_plan_release(&t->plan);
	clinic_close(&t->clinic);
}

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* Column 1 of ward a, as it is and without noise. */
static double value_of(struct trial *t, bool exact)
{
	struct sotto_answer_owned *o = NULL;
	struct sotto_release r;
	double x = NAN;

	sotto_release_init(&r);
	CHECK_INT(sotto_release_publish(&r, &t->plan, t->exact, t->rng), SOTTO_OK);
	for (size_t row = 0; exact && row < sotto_engine_rows(t->exact); row++)
		if (sotto_engine_cell(t->exact, row, 0).text[0] == 'a')
			for (size_t m = 0; m < t->plan.measure_count; m++)
				r.values[m].value =
					sotto_engine_exact(t->exact, row, 1 + m).secret;
	CHECK_INT(sotto_answer_new(&t->plan, &o), SOTTO_OK);
	CHECK_INT(sotto_answer_fill(o, &t->plan, &r), SOTTO_OK);
	x = o->answer.values[1].number;
	sotto_answer_free(&o->answer);
	sotto_release_release(&r);
	return x;
}

static double observed(struct trial *t)
{
	double *errors = calloc(RUNS, sizeof *errors), truth = value_of(t, true), x;

	if (!errors)
		abort();
	for (size_t i = 0; i < RUNS; i++)
		errors[i] = fabs(value_of(t, false) - truth);
	qsort(errors, RUNS, sizeof *errors, compare);
	x = errors[RUNS * 95 / 100];
	free(errors);
	return x;
}

static double predicted(const struct sotto_plan *plan)
{
	const struct sotto_aggregate *a = &plan->aggregates[plan->outputs[1].expr->index];

	return a->form == SOTTO_FORM_MEASURE ? sotto_measure_error(&plan->measures[a->measure])
					     : a->record->error_times_count(plan, a) / UNITS;
}

static const struct {
	const char *sql, *delta;
} questions[] = {
	{"SELECT ward, SUM(x) FROM visits GROUP BY ward", NULL},
	{"SELECT ward, AVG(x) FROM visits GROUP BY ward", NULL},
	{"SELECT ward, AVG(x), SUM(x) FROM visits GROUP BY ward", NULL},
	{"SELECT ward, SUM(x), COUNT(*) FROM visits GROUP BY ward", "1e-6"},
	{"SELECT ward, AVG(x) FROM visits GROUP BY ward", "1e-6"},
};

static void predicted_errors_are_observed(void)
{
	for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
		struct trial t;
		double p, o;

		REQUIRE(trial_open(&t, questions[i].sql, questions[i].delta));
		p = predicted(&t.plan);
		o = observed(&t);
		(void)tap_check(fabs(o / p - 1) < 0.05, __FILE__, __LINE__,
				"%s: predicted %.5g, observed %.5g", questions[i].sql, p, o);
		trial_close(&t);
	}
}

static void a_wrong_prediction_is_found(void)
{
	struct trial t;
	double p;

	REQUIRE(trial_open(&t, questions[1].sql, NULL));
	p = predicted(&t.plan);
	noise_fault_plant(t.plan.measures[t.plan.aggregates[0].moments.sum].noise, 2);
	CHECK(fabs(observed(&t) / p - 1) > 0.05);
	trial_close(&t);
}

int main(void)
{
	RUN(predicted_errors_are_observed);
	RUN(a_wrong_prediction_is_found);
	return tap_done();
}
