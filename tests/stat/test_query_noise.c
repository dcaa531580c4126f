/*
 * What answers promise, over many releases of one plan: 95 % intervals cover the
 * exact values, noise has the spread that the charge asks for, a key that one unit
 * has alone is shown no more often than delta.  Exact binomial bounds, each with
 * a false-alarm rate of 1e-11; noise that is too small must be found by them.
 */
#include <stdlib.h>

#include "central/price/plan_price.h"
#include "central/session/answer/answer_inside.h"
#include "central/session/release/release.h"
#include "central/session/session.h"
#include "core/number/nearest.h"
#include "local/decode/special.h"
#include "testlib/fixture/clinic.h"
#include "testlib/question/plan_fault.h"
#include "testlib/tap.h"

#define FALSE_ALARM 1e-11

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5}\ndiagnostics: 0\ntables:\n"
	"  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 3\n    max_rows: 2\n"
	"    columns:\n      x: {bounds: [0, 100], type: integer}\n      w: {bounds: [-2.5, "
	"7.5]}\n"
	"      ward: {keys: [a, b, c]}\n";

/* 600 units with up to two rows inside the bounds, so that answers aim at the plain values. */
static char *make_csv(unsigned units, bool own_keys)
{
	char *csv = malloc(200 * (size_t)units + 100), *at = csv;

	if (!csv)
		abort();
	at += sprintf(at, "id,ward,x,w,own\n");
	for (unsigned i = 0; i < units; i++)
		for (unsigned j = 0; j < (own_keys ? 3 : 1 + i % 2); j++)
			at += sprintf(at, "%u,%c,%u,%u.5,own%u-%u\n", i, 'a' + (int)(i % 3),
				      (i * 37 + j * 11) % 101, i % 7, i, j);
	return csv;
}

/* A plan, priced, and the exact result of its engine query. */
struct trial {
	struct clinic clinic;
	struct sotto_plan plan;
	struct sotto_engine_result *exact;
	struct sotto_rng *rng;
};

static bool trial_open(struct trial *t, const char *csv, const char *sql, const char *epsilon,
		       const char *delta)
{
	struct sotto_question q = {.sql = sql};
	struct sotto_rational e, d;
	bool done;

	*t = (struct trial){0};
	sotto_rational_init(&e);
	sotto_rational_init(&d);
	done = clinic_open(&t->clinic, policy, csv) &&
	       sotto_rational_parse(&e, epsilon, NULL) == SOTTO_OK &&
	       sotto_rational_parse(&d, delta ? delta : "0", NULL) == SOTTO_OK;
	q.epsilon = &e;
	q.delta = delta ? &d : NULL;
	done = done &&
	       sotto_session_plan(t->clinic.session, &q, &t->plan, &t->clinic.err) ==
		       SOTTO_OK &&
	       sotto_session_ready(t->clinic.session, &t->clinic.err) == SOTTO_OK &&
	       sotto_engine_run(t->clinic.session->engine, t->plan.engine_sql, &t->exact) ==
		       SOTTO_OK &&
	       sotto_rng_open(&t->rng) == SOTTO_OK;
	sotto_rational_release(&e);
	sotto_rational_release(&d);
	return tap_check(done, __FILE__, __LINE__, "%s: %s", sql, t->clinic.err.text);
}

static void trial_close(struct trial *t)
{
	sotto_rng_close(t->rng);
	sotto_engine_result_free(t->exact);
	sotto_plan_release(&t->plan);
	clinic_close(&t->clinic);
}

/* Measures that a unit moves equally far share their noise. */
static bool has_own_noise(const struct sotto_plan *plan, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (plan->measures[j].noise == plan->measures[i].noise)
			return false;
	return true;
}

/* A planted fault. */
static void weaken(struct trial *t, unsigned factor)
{
	for (size_t i = 0; i < t->plan.measure_count; i++)
		if (has_own_noise(&t->plan, i))
			noise_fault_plant(t->plan.measures[i].noise, factor);
}

/* ---- intervals -------------------------------------------------------------------------------- */

/* The answer without noise. */
static struct sotto_answer_owned *exact_answer(struct trial *t)
{
	size_t keys = t->plan.key_count + t->plan.derived_count,
	       n = sotto_engine_rows(t->exact);
	struct sotto_answer_owned *a = NULL;
	struct sotto_release r;
	enum sotto_status st;

	sotto_release_init(&r);
	st = sotto_release_publish(&r, &t->plan, t->exact, t->rng);
	for (size_t i = 0; st == SOTTO_OK && i < n; i++) /* public keys come sorted from both */
		for (size_t j = 0; j < n; j++)
			for (size_t m = 0; m < t->plan.measure_count; m++)
				if (keys == 0 || strcmp(sotto_engine_cell(t->exact, j, 0).text,
							r.keys[i * keys].text) == 0)
					r.values[i * t->plan.measure_count + m].value =
						sotto_engine_exact(t->exact, j, keys + m)
							.secret;
	if (st == SOTTO_OK)
		st = sotto_answer_new(&t->plan, &a);
	if (st == SOTTO_OK)
		st = sotto_answer_fill(a, &t->plan, &r);
	sotto_release_release(&r);
	return st == SOTTO_OK ? a : NULL;
}

/* How many of the runs have the true value of column and row within the interval. */
static void count_covered(struct trial *t, const struct sotto_answer *truth, unsigned runs,
			  unsigned *covered)
{
	size_t cells = truth->row_count * truth->column_count;

	for (unsigned i = 0; i < runs; i++) {
		struct sotto_answer_owned *a = NULL;
		struct sotto_release r;

		sotto_release_init(&r);
		REQUIRE(sotto_release_publish(&r, &t->plan, t->exact, t->rng) == SOTTO_OK);
		REQUIRE(sotto_answer_new(&t->plan, &a) == SOTTO_OK);
		REQUIRE(sotto_answer_fill(a, &t->plan, &r) == SOTTO_OK);
		REQUIRE(a->answer.row_count * a->answer.column_count == cells);
		for (size_t c = 0; c < cells; c++)
			covered[c] += a->answer.lows[c].number <= truth->values[c].number &&
				      truth->values[c].number <= a->answer.highs[c].number;
		sotto_answer_free(&a->answer);
		sotto_release_release(&r);
	}
}

/* The lowest coverage over the noisy cells, as a tail: how likely so few would be at 95 %. */
static double coverage_tail(const char *sql, const char *epsilon, const char *delta,
			    unsigned factor, unsigned runs)
{
	unsigned covered[64] = {0};
	struct sotto_answer_owned *truth;
	char *csv = make_csv(600, false);
	double worst = 1;
	struct trial t;

	if (trial_open(&t, csv, sql, epsilon, delta) && (truth = exact_answer(&t)) != NULL) {
		for (size_t i = 0; i < t.plan.measure_count; i++)
			for (size_t j = 0; has_own_noise(&t.plan, i) && j < SOTTO_JOINT_MAX;
			     j++)
				t.plan.measures[i].noise->errors[j] /= (int64_t)factor;
		count_covered(&t, &truth->answer, runs, covered);
		for (size_t c = 0; c < truth->answer.row_count * truth->answer.column_count;
		     c++) {
			double tail = sotto_binomial_at_most(runs, 0.95, covered[c]);

			if (t.plan.outputs[c % truth->answer.column_count].noisy)
				worst = fmin(worst, tail);
		}
		sotto_answer_free(&truth->answer);
	}
	trial_close(&t);
	free(csv);
	return worst;
}

static unsigned runs_of(unsigned few)
{
	return getenv("SOTTO_LONG") ? 20 * few : few;
}

static void intervals_cover_the_truth_in_95_percent(void)
{
	static const struct {
		const char *sql, *epsilon, *delta;
	} cases[] = {
		{"SELECT COUNT(*), SUM(x), AVG(x) FROM visits", "1", NULL},
		{"SELECT COUNT(*), SUM(x), AVG(x) FROM visits", "0.3", "1e-6"},
		{"SELECT ward, COUNT(*), AVG(w) FROM visits GROUP BY ward", "2", NULL},
		{"SELECT ward, SUM(w), COUNT(DISTINCT id) FROM visits GROUP BY ward", "1",
		 "1e-5"},
		{"SELECT SUM(x) / COUNT(*), 100.0 * COUNT(*) FILTER (WHERE x > 50) / COUNT(*) "
		 "FROM "
		 "visits",
		 "1", NULL},
		{"SELECT STDDEV(x), VAR_POP(w) FROM visits", "2", NULL},
		{"SELECT COUNT(*) FROM visits", "5", NULL},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double tail = coverage_tail(cases[i].sql, cases[i].epsilon, cases[i].delta, 1,
					    runs_of(4000));

		(void)tap_check(tail > FALSE_ALARM, __FILE__, __LINE__, "%s at %s: tail %g",
				cases[i].sql, cases[i].epsilon, tail);
	}
}

static void intervals_half_as_wide_are_found(void)
{
	CHECK(coverage_tail("SELECT SUM(x) FROM visits", "1", NULL, 2, 4000) < FALSE_ALARM);
	CHECK(coverage_tail("SELECT SUM(x) FROM visits", "1", "1e-6", 2, 4000) < FALSE_ALARM);
}

/* ---- private keys ------------------------------------------------------------------------------- */

/*
 * Each unit has three keys that nobody else has.  How likely would so many units
 * with a shown key be if each had one with probability delta?
 */
static double shown_tail(const char *epsilon, const char *delta, unsigned factor, unsigned runs,
			 double *share)
{
	enum { UNITS = 100 };
	char *csv = make_csv(UNITS, true);
	uint64_t shown = 0;
	struct trial t;

	if (trial_open(&t, csv, "SELECT own, COUNT(*) FROM visits GROUP BY own", epsilon,
		       delta)) {
		t.plan.threshold.least /= (int64_t)factor;
		for (unsigned i = 0; i < runs; i++) {
			bool seen[UNITS] = {false};
			struct sotto_release r;

			sotto_release_init(&r);
			if (sotto_release_publish(&r, &t.plan, t.exact, t.rng) != SOTTO_OK)
				break;
			for (size_t row = 0; row < r.rows; row++)
				seen[atoi(r.keys[row * r.key_count].text + 3)] = true;
			for (unsigned u = 0; u < UNITS; u++)
				shown += seen[u];
			sotto_release_release(&r);
		}
	}
	trial_close(&t);
	free(csv);
	*share = (double)shown / ((double)runs * UNITS);
	return 1 - sotto_binomial_at_most((uint64_t)runs * UNITS, strtod(delta, NULL),
					  (int64_t)shown - 1);
}

static void a_units_own_keys_are_shown_at_most_delta_often(void)
{
	static const char *const epsilons[] = {"0.5", "1", "3", "0.01"};

	for (size_t i = 0; i < 4; i++) {
		double share, tail = shown_tail(epsilons[i], "0.1", 1, runs_of(400), &share);

		(void)tap_check(tail > FALSE_ALARM, __FILE__, __LINE__,
				"epsilon %s: shown with %g, tail %g", epsilons[i], share, tail);
		tap_note("epsilon %s, delta 0.1: shown with probability %.4f", epsilons[i],
			 share);
	}
}

static void a_lower_threshold_is_found(void)
{
	double share;

	CHECK(shown_tail("1", "0.1", 2, 400, &share) < FALSE_ALARM);
}

/* P(1 + Z >= t) for t > 1 */
static double chance_shown(const struct sotto_plan *plan, int64_t t)
{
	const struct sotto_added_noise *n = plan->measures[plan->threshold.measure].noise;
	double scale = sotto_added_noise_scale(n), a = exp(-1 / scale);
	double sigma2 = scale * scale, tail = 0, all = 1;

	if (plan->noise == SOTTO_NOISE_LAPLACE)
		return pow(a, (double)(t - 1)) / (1 + a);
	for (int64_t z = 1; (double)z < 60 * sqrt(sigma2) + 2; z++) {
		double mass = exp(-(double)(z * z) / (2 * sigma2));

		all += 2 * mass;
		tail += z >= t - 1 ? mass : 0;
	}
	return tail / all;
}

/* The mass at the threshold itself is counted, and no threshold is higher than it need be. */
static void check_threshold(struct trial *t, const char *delta, bool wish)
{
	/* Of a wished delta half may go into Gaussian noise. */
	double most = strtod(delta, NULL) / 3;
	struct sotto_rational d, e;

	sotto_rational_init(&d);
	sotto_rational_init(&e);
	sotto_rational_set(&e, t->plan.epsilon);
	REQUIRE(sotto_rational_parse(&d, delta, NULL) == SOTTO_OK);
	REQUIRE(sotto_plan_price(&t->plan, &e, &d, wish, NULL) == SOTTO_OK);
	if (t->plan.noise == SOTTO_NOISE_GAUSSIAN)
		most /= 2;
	CHECK(chance_shown(&t->plan, t->plan.threshold.least) <= most * (1 + 1e-9));
	CHECK(chance_shown(&t->plan, t->plan.threshold.least - 1) > most * (1 - 1e-9));
	sotto_rational_release(&d);
	sotto_rational_release(&e);
}

static void the_threshold_is_the_lowest_that_delta_allows(void)
{
	static const char *const deltas[] = {"0.2", "0.05", "1e-3", "1e-6", "1e-12"};
	static const char *const epsilons[] = {"0.1", "1", "7/3"};
	char *csv = make_csv(10, true);

	for (size_t j = 0; j < 3; j++) {
		struct trial t;

		REQUIRE(trial_open(&t, csv, "SELECT own, COUNT(*) FROM visits GROUP BY own",
				   epsilons[j], "0.1"));
		for (size_t i = 0; i < 5; i++) {
			check_threshold(&t, deltas[i], false);
			check_threshold(&t, deltas[i], true);
		}
		trial_close(&t);
	}
	free(csv);
}

/* ---- spread ----------------------------------------------------------------------------------------- */

enum { GROUPS = 3, PER_GROUP = 2 * 100 }; /* of the policy: rows times the bound of x */

/* The measure of SUM(x), the first aggregate that a question asks for. */
static size_t first_measure(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->output_count; i++)
		if (plan->outputs[i].expr && plan->outputs[i].expr->kind == SOTTO_SQL_VALUE)
			return plan->aggregates[plan->outputs[i].expr->index].measure;
	return 0;
}

/*
 * Variance that noise must have for what is charged, whatever the plan says about itself:
 * a unit moves SUM(x) by PER_GROUP in each of `groups`, and SUM(x) has one share of `count`.
 */
static double variance_for(const struct sotto_plan *plan, int groups, int count)
{
	double shares = 0, scale;

	for (int i = 0; i < count; i++)
		shares += (double)plan->weights[i] / plan->weights[first_measure(plan)];
	scale = (double)groups * PER_GROUP * shares /
		sotto_nearest_double(plan->cost.epsilon.q);
	if (plan->noise == SOTTO_NOISE_LAPLACE)
		return 2 * scale * scale;
	return (double)groups * PER_GROUP * PER_GROUP * shares /
	       (2 * sotto_nearest_double(plan->cost.rho.q));
}

/* Squared noise of SUM(x), added over the groups of one release. */
static double squares_of(struct trial *t)
{
	size_t keys = t->plan.key_count, n = sotto_engine_rows(t->exact);
	size_t m = first_measure(&t->plan);
	struct sotto_release r;
	double squares = 0;

	sotto_release_init(&r);
	CHECK_INT(sotto_release_publish(&r, &t->plan, t->exact, t->rng), SOTTO_OK);
	CHECK_INT(r.rows, n);
	for (size_t i = 0; i < r.rows; i++)
		for (size_t j = 0; j < n; j++)
			if (keys == 0 || strcmp(sotto_engine_cell(t->exact, j, 0).text,
						r.keys[i * keys].text) == 0)
				squares += pow(
					(double)r.values[i * t->plan.measure_count + m].value -
						(double)sotto_engine_exact(t->exact, j,
									   keys + m)
							.secret,
					2);
	sotto_release_release(&r);
	return squares / (double)n;
}

/* A question whose first aggregate is SUM(x). */
struct spread {
	const char *sql;
	int groups, shares;
};

static const struct spread spreads[] = {
	{"SELECT SUM(x) FROM visits", 1, 1},
	{"SELECT SUM(x), COUNT(*) FROM visits", 1, 2},
	{"SELECT ward, SUM(x) FROM visits GROUP BY ward", GROUPS, 1},
	{"SELECT ward, SUM(x), COUNT(*), SUM(w) FROM visits GROUP BY ward", GROUPS, 3}};

static double
variance_ratio(const struct spread *s, const char *delta, unsigned factor, unsigned runs)
{
	char *csv = make_csv(600, false);
	double squares = 0, claimed = 1;
	struct trial t;

	if (trial_open(&t, csv, s->sql, "0.5", delta)) {
		claimed = variance_for(&t.plan, s->groups, s->shares);
		if (factor > 1)
			weaken(&t, factor);
		for (unsigned i = 0; i < runs; i++)
			squares += squares_of(&t);
	}
	trial_close(&t);
	free(csv);
	return squares / runs / claimed;
}

/*
 * The estimate has a standard deviation of sqrt(5/n) for Laplace, sqrt(2/n) for Gaussian;
 * eight of them, since its law is skew.
 */
static void noise_has_the_spread_that_the_charge_asks_for(void)
{
	unsigned n = runs_of(5000);

	for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++) {
		double values = (double)n * spreads[i].groups;

		CHECK(fabs(variance_ratio(&spreads[i], NULL, 1, n) - 1) < 8 * sqrt(5 / values));
		CHECK(fabs(variance_ratio(&spreads[i], "1e-6", 1, n) - 1) <
		      8 * sqrt(5 / values));
	}
}

static void noise_that_is_too_small_is_found(void)
{
	for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++) {
		CHECK(fabs(variance_ratio(&spreads[i], NULL, 2, 5000) - 1) > 0.3);
		CHECK(fabs(variance_ratio(&spreads[i], "1e-6", 2, 5000) - 1) > 0.3);
	}
}

int main(void)
{
	RUN(intervals_cover_the_truth_in_95_percent);
	RUN(intervals_half_as_wide_are_found);
	RUN(a_units_own_keys_are_shown_at_most_delta_often);
	RUN(a_lower_threshold_is_found);
	RUN(the_threshold_is_the_lowest_that_delta_allows);
	RUN(noise_has_the_spread_that_the_charge_asks_for);
	RUN(noise_that_is_too_small_is_found);
	return tap_done();
}
