/*
 * What an answer says about the loss, over many releases of one plan: the 95 % interval of
 * each number of the loss vector covers the exact, capped number in 95 +- 1 % of runs.
 * With RUNS runs a right interval leaves that band with probability below 1e-9 (normal
 * tail at 6.4 standard deviations).  Noise that is too small must be found.
 */
#include <math.h>
#include <stdlib.h>

#include "central/session/answer/answer_inside.h"
#include "central/session/answer/answer_loss.h"
#include "central/session/release/release.h"
#include "central/session/session.h"
#include "testlib/fixture/clinic.h"
#include "testlib/question/plan_fault.h"
#include "testlib/tap.h"

enum { UNITS = 400, RUNS = 20000 };

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5}\ndiagnostics: 20 %\ntables:\n"
	"  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 2\n    max_rows: 2\n"
	"    columns:\n      x: {bounds: [0, 80], type: integer}\n"
	"      ward: {keys: [a, b, c, d, e]}\n";

/* Units with 1 to 12 rows in up to five wards; some values above their bound. */
static char *make_csv(void)
{
	char *csv = malloc((size_t)40 * 12 * UNITS + 100), *at = csv;

	if (!csv)
		abort();
	at += sprintf(at, "id,ward,x\n");
	for (unsigned i = 0; i < UNITS; i++)
		for (unsigned j = 0; j < 1 + i % 12; j++)
			at += sprintf(at, "%u,%c,%u\n", i, 'a' + (int)((i + j * j) % 5),
				      (i * 37 + j * 11) % 101);
	return csv;
}

struct trial {
	struct clinic clinic;
	struct sotto_plan plan;
	struct sotto_engine_result *exact;
	struct sotto_rng *rng;
};

static bool trial_open(struct trial *t, const char *sql)
{
	struct sotto_question q = {.sql = sql};
	char *csv = make_csv();
	struct sotto_rational e;
	bool done;

	*t = (struct trial){0};
	sotto_rational_init(&e);
	(void)!sotto_rational_set_ratio(&e, 1, 1);
	q.epsilon = &e;
	done = clinic_open(&t->clinic, policy, csv) &&
	       sotto_session_plan(t->clinic.session, &q, &t->plan, &t->clinic.err) ==
		       SOTTO_OK &&
	       sotto_session_ready(t->clinic.session, &t->clinic.err) == SOTTO_OK &&
	       sotto_engine_run(t->clinic.session->engine, sotto_plan_sql(&t->plan),
				&t->exact) == SOTTO_OK &&
	       sotto_rng_open(&t->rng) == SOTTO_OK;
	sotto_rational_release(&e);
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

static int64_t truth(const struct trial *t, size_t i)
{
	return sotto_engine_exact(t->exact, 0,
				  t->plan.key_count + t->plan.derived_count +
					  t->plan.measure_count + i)
		.secret;
}

/* How often the interval of item i covers what is true, of `runs`. */
static double coverage(struct trial *t, size_t i, unsigned runs)
{
	struct sotto_exact x[SOTTO_LOSS_KINDS];
	unsigned covered = 0;

	for (size_t k = 0; k < t->plan.loss.count; k++)
		x[k].secret = truth(t, k);
	for (unsigned run = 0; run < runs; run++) {
		struct sotto_loss_value v[SOTTO_LOSS_KINDS];

		CHECK_INT(sotto_loss_publish(&t->plan.loss, t->rng, x, v), SOTTO_OK);
		covered += fmax((double)(v[i].value - v[i].error), 0) <= (double)truth(t, i) &&
			   truth(t, i) <= v[i].value + v[i].error;
	}
	return (double)covered / runs;
}

static const char *const questions[] = {
	"SELECT ward, COUNT(*), SUM(x) FROM visits GROUP BY ward",
	"SELECT ward, COUNT(DISTINCT id) FROM visits GROUP BY ward",
	"SELECT COUNT(*) FROM visits",
};

static void the_interval_covers_the_capped_loss(void)
{
	for (size_t q = 0; q < sizeof questions / sizeof questions[0]; q++) {
		struct trial t;

		REQUIRE(trial_open(&t, questions[q]));
		CHECK(t.plan.loss.count >= 4);
		for (size_t i = 0; i < t.plan.loss.count; i++) {
			double c = coverage(&t, i, RUNS);

			(void)tap_check(c > 0.94 && c < 0.96, __FILE__, __LINE__,
					"%s: kind %d of %lld is covered in %.2f %%",
					questions[q], (int)t.plan.loss.items[i].kind,
					(long long)truth(&t, i), 100 * c);
		}
		trial_close(&t);
	}
}

static void noise_that_is_too_small_is_found(void)
{
	struct trial t;
	double c;

	REQUIRE(trial_open(&t, questions[0]));
	noise_fault_plant(t.plan.loss.items[0].noise, 2);
	c = coverage(&t, 0, RUNS);
	CHECK(c > 0.96);
	trial_close(&t);
}

/* Counted by hand from the rows: nothing is lost where the limits are wide enough. */
static void the_numbers_are_those_of_the_rows(void)
{
	struct trial t;
	int64_t rows = 0, kept = 0, lost = 0, losing = 0;

	for (unsigned i = 0; i < UNITS; i++) {
		unsigned n = 1 + i % 12, more = n > 2 ? n - 2 : 0;

		rows += n;
		kept += n < 2 ? n : 2;
		lost += more < 4 ? more : 4;
		losing += more > 0;
	}
	REQUIRE(trial_open(&t, questions[2]));
	REQUIRE(t.plan.loss.count == 4);
	CHECK_INT(truth(&t, 0), UNITS);
	CHECK_INT(truth(&t, 1), losing);
	CHECK_INT(truth(&t, 2), lost);
	CHECK_INT(truth(&t, 3), kept);
	CHECK(rows > kept + lost); /* the cap binds */
	trial_close(&t);
}

/* The share is made of two numbers that hold together: at least 95 %. */
static void the_interval_of_the_share_covers_it(void)
{
	unsigned covered = 0;
	struct trial t;
	double share;

	REQUIRE(trial_open(&t, questions[0]));
	share = (double)truth(&t, 4) / (double)(truth(&t, 4) + truth(&t, 5));
	for (unsigned run = 0; run < 2000; run++) {
		struct sotto_answer_owned *o = NULL;
		struct sotto_release r;
		const struct sotto_loss *l;

		sotto_release_init(&r);
		REQUIRE(sotto_release_publish(&r, &t.plan, t.exact, t.rng) == SOTTO_OK);
		REQUIRE(sotto_answer_new(&t.plan, &o) == SOTTO_OK);
		REQUIRE(sotto_answer_add_loss(o, &t.plan, &r, &o->answer.limits[0]) ==
			SOTTO_OK);
		l = &o->answer.limits[0].loss;
		covered += l->share.low <= share && share <= l->share.high;
		CHECK(l->biased == (l->share.low > 0 || l->units_clipped.low > 0));
		sotto_answer_free(&o->answer);
		sotto_release_release(&r);
	}
	CHECK(covered >= 1840); /* of 2000 at 95 %: six standard deviations below 1900 */
	trial_close(&t);
}

int main(void)
{
	RUN(the_numbers_are_those_of_the_rows);
	RUN(the_interval_covers_the_capped_loss);
	RUN(the_interval_of_the_share_covers_it);
	RUN(noise_that_is_too_small_is_found);
	return tap_done();
}
