/*
 * The price of a plan: which noise, how much of it, and what is charged.
 *
 * Laplace: epsilon is divided evenly over the measures; each gets noise for its
 * L1 sensitivity groups * per_group.  Gaussian: rho (from epsilon and delta) is
 * divided evenly; each gets noise for its squared L2 sensitivity
 * groups * per_group^2.  Whichever errs less is taken (sensitivity.md).  Picks have
 * shares like measures (plan_price_pick.c).
 */
#include "central/plan/plan.h"

#include <math.h>
#include <string.h>

#include "central/plan/aggregate/aggregate_pick.h"
#include "central/plan/aggregate/top_groups.h"
#include "core/account/theorem/renyi_convert.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"
#include "core/number/nearest.h"
#include "sotto/noise.h"

enum { RHO_BITS = 64 };

/* scale = groups * per_group / epsilon, in steps */
static void laplace_scale(const struct sotto_plan *plan, const struct sotto_measure *m,
			  struct sotto_rational *scale)
{
	mpz_set_si(mpq_numref(scale->q), m->per_group);
	mpz_mul_si(mpq_numref(scale->q), mpq_numref(scale->q), plan->groups);
	mpz_set_ui(mpq_denref(scale->q), 1);
	mpq_div(scale->q, scale->q, m->epsilon->q);
}

static enum sotto_status laplace_error(const struct sotto_plan *plan,
				       const struct sotto_measure *m, size_t n,
				       const struct sotto_rational *beta, int64_t *error)
{
	struct sotto_laplace *mechanism = NULL;
	struct sotto_rational scale;
	enum sotto_status st;

	sotto_rational_init(&scale);
	laplace_scale(plan, m, &scale);
	st = sotto_laplace_new_scale(&scale, &mechanism);
	if (st == SOTTO_OK)
		st = sotto_laplace_error_up(mechanism, n, beta, error);
	sotto_laplace_free(mechanism);
	sotto_rational_release(&scale);
	return st;
}

static enum sotto_status gaussian_error(const struct sotto_measure *m, size_t n,
					const struct sotto_rational *beta, int64_t *error)
{
	struct sotto_gaussian *mechanism = NULL;
	enum sotto_status st = sotto_gaussian_new(m->sigma2, &mechanism);

	if (st == SOTTO_OK)
		st = sotto_gaussian_error_up(mechanism, n, beta, error);
	sotto_gaussian_free(mechanism);
	return st;
}

static enum sotto_status measure_error(const struct sotto_plan *plan,
				       const struct sotto_measure *m, size_t n,
				       const struct sotto_rational *beta, int64_t *error)
{
	return plan->noise == SOTTO_NOISE_LAPLACE ? laplace_error(plan, m, n, beta, error)
						  : gaussian_error(m, n, beta, error);
}

/* ---- the two noises ---------------------------------------------------------------------- */

/* What epsilon or rho is divided by: measures and picks have one share each. */
static size_t share_count(const struct sotto_plan *plan)
{
	return plan->measure_count + plan->pick_count;
}

static void set_share(const struct sotto_plan *plan, const mpq_t all, mpq_t share)
{
	mpq_set_ui(share, share_count(plan), 1);
	mpq_div(share, all, share);
}

static void split_epsilon(struct sotto_plan *plan, const struct sotto_rational *epsilon)
{
	for (size_t i = 0; i < plan->measure_count; i++)
		set_share(plan, epsilon->q, plan->measures[i].epsilon->q);
}

/* sigma2 = groups * per_group^2 * shares / (2 rho) */
static void split_rho(struct sotto_plan *plan, const mpq_t rho)
{
	for (size_t i = 0; i < plan->measure_count; i++) {
		struct sotto_measure *m = &plan->measures[i];

		mpz_set_si(mpq_numref(m->sigma2->q), m->per_group);
		mpz_mul_si(mpq_numref(m->sigma2->q), mpq_numref(m->sigma2->q), m->per_group);
		mpz_mul_si(mpq_numref(m->sigma2->q), mpq_numref(m->sigma2->q), plan->groups);
		mpz_mul_ui(mpq_numref(m->sigma2->q), mpq_numref(m->sigma2->q),
			   share_count(plan));
		mpz_set_ui(mpq_denref(m->sigma2->q), 2);
		mpq_canonicalize(m->sigma2->q);
		mpq_div(m->sigma2->q, m->sigma2->q, rho);
	}
}

/*
 * The 95 % errors of the two noises, in what one unit moves in one group.  They have one
 * ratio for every measure; the real laws decide well enough.
 */
static double laplace_size(const struct sotto_plan *plan, const struct sotto_rational *epsilon)
{
	return log(20) * (double)plan->groups * (double)share_count(plan) /
	       sotto_nearest_double(epsilon->q);
}

static double gaussian_size(const struct sotto_plan *plan, const mpq_t rho)
{
	return 1.96 * sqrt((double)plan->groups * (double)share_count(plan) /
			   (2 * sotto_nearest_double(rho)));
}

/* The tight cost of the noise that is drawn: epsilon exactly, rho much below epsilon tanh. */
static enum sotto_status laplace_cost(struct sotto_plan *plan)
{
	struct sotto_cost one;
	struct sotto_rational step;
	enum sotto_status st = SOTTO_OK;
	int64_t sensitivity;

	sotto_cost_init(&one);
	sotto_rational_init(&step);
	for (size_t i = 0; st == SOTTO_OK && i < plan->measure_count; i++) {
		const struct sotto_measure *m = &plan->measures[i];

		if (__builtin_mul_overflow(m->per_group, plan->groups, &sensitivity)) {
			st = sotto_cost_set_pure(&one, m->epsilon);
		} else {
			mpq_set_si(step.q, sensitivity, 1);
			mpq_div(step.q, m->epsilon->q, step.q);
			st = sotto_cost_set_geometric(&one, &step, sensitivity);
		}
		if (st == SOTTO_OK)
			sotto_cost_add(&plan->cost, &one);
	}
	sotto_rational_release(&step);
	sotto_cost_release(&one);
	return st;
}

/* A Gaussian release is (epsilon, delta) and rho-zCDP at once; the ledger may use either. */
static enum sotto_status gaussian_cost(struct sotto_plan *plan,
				       const struct sotto_rational *epsilon,
				       const struct sotto_rational *delta, const mpq_t rho)
{
	SOTTO_TRY(sotto_cost_set_approx(&plan->cost, epsilon, delta));
	if (mpq_cmp(rho, plan->cost.rho.q) < 0)
		mpq_set(plan->cost.rho.q, rho);
	return SOTTO_OK;
}

/* ---- thresholds ------------------------------------------------------------------------------ */

/*
 * A key that only one unit has shows up with probability at most delta, over all
 * the keys that the unit can bring: groups * P(1 + Z >= threshold) <= delta.
 * The law is symmetric, so half of a two-sided bound at 2 delta is wanted; Z >
 * error is Z >= error + 1, hence threshold - 1 = error + 1.
 */
static enum sotto_status
set_threshold(struct sotto_plan *plan, const struct sotto_rational *delta)
{
	const struct sotto_measure *m = &plan->measures[plan->threshold_measure];
	struct sotto_rational beta;
	enum sotto_status st;
	int64_t error;

	sotto_rational_init(&beta);
	mpq_mul_2exp(beta.q, delta->q, 1);
	if (mpq_cmp_ui(beta.q, 1, 2) > 0)
		mpq_set_ui(beta.q, 1, 2);
	st = measure_error(plan, m, (size_t)plan->groups, &beta, &error);
	sotto_rational_release(&beta);
	if (st == SOTTO_OK)
		plan->threshold = error + 2;
	return st;
}

/* One value in twenty may lie outside a 95 % interval, shared by k of them: 1/(20 k). */
static enum sotto_status set_errors(struct sotto_plan *plan, struct sotto_measure *m)
{
	struct sotto_rational beta;
	enum sotto_status st = SOTTO_OK;

	sotto_rational_init(&beta);
	for (unsigned k = 1; st == SOTTO_OK && k <= SOTTO_JOINT_MAX; k++) {
		mpq_set_ui(beta.q, 1, 20 * k);
		mpq_canonicalize(beta.q);
		st = measure_error(plan, m, 1, &beta, &m->joint[k - 1]);
	}
	m->error95 = m->joint[0];
	sotto_rational_release(&beta);
	return st;
}

/* An earlier measure with the same noise, or NULL: its errors take long to find. */
static const struct sotto_measure *find_same_noise(const struct sotto_plan *plan, size_t i)
{
	const struct sotto_measure *m = &plan->measures[i];

	for (size_t j = 0; j < i; j++) {
		const struct sotto_measure *x = &plan->measures[j];

		if (plan->noise == SOTTO_NOISE_LAPLACE
			    ? x->per_group == m->per_group &&
				      mpq_equal(x->epsilon->q, m->epsilon->q)
			    : mpq_equal(x->sigma2->q, m->sigma2->q))
			return x;
	}
	return NULL;
}

static enum sotto_status set_all_errors(struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->measure_count; i++) {
		struct sotto_measure *m = &plan->measures[i];
		const struct sotto_measure *same = find_same_noise(plan, i);

		if (!same) {
			SOTTO_TRY(set_errors(plan, m));
			continue;
		}
		m->error95 = same->error95;
		memcpy(m->joint, same->joint, sizeof m->joint);
	}
	return SOTTO_OK;
}

/* ---- the choice --------------------------------------------------------------------------------- */

/* What each part of delta pays for. */
struct shares {
	struct sotto_rational threshold, noise;
	struct sotto_rational pick; /* of epsilon, or of rho */
	mpq_t rho;
};

static void shares_init(struct shares *s)
{
	sotto_rational_init(&s->threshold);
	sotto_rational_init(&s->noise);
	sotto_rational_init(&s->pick);
	mpq_init(s->rho);
}

static void shares_release(struct shares *s)
{
	sotto_rational_release(&s->threshold);
	sotto_rational_release(&s->noise);
	sotto_rational_release(&s->pick);
	mpq_clear(s->rho);
}

/* With private keys half of delta is for the threshold and half for Gaussian noise. */
static bool choose_gaussian(const struct sotto_plan *plan, const struct sotto_rational *epsilon,
			    const struct sotto_rational *delta, struct shares *s)
{
	sotto_rational_set(&s->noise, delta);
	if (!plan->public_keys)
		mpq_div_2exp(s->noise.q, delta->q, 1);
	if (sotto_rational_sign(&s->noise) == 0)
		return false;
	sotto_zcdp_rho_down(s->rho, epsilon->q, s->noise.q, RHO_BITS);
	return mpq_sgn(s->rho) > 0 && gaussian_size(plan, s->rho) < laplace_size(plan, epsilon);
}

static enum sotto_status price_gaussian(struct sotto_plan *plan,
					const struct sotto_rational *epsilon,
					const struct sotto_rational *delta, struct shares *s)
{
	plan->noise = SOTTO_NOISE_GAUSSIAN;
	split_rho(plan, s->rho);
	set_share(plan, s->rho, s->pick.q);
	sotto_rational_subtract(&s->threshold, delta, &s->noise);
	SOTTO_TRY(sotto_picks_price_rho(plan, &s->pick));
	return gaussian_cost(plan, epsilon, delta, s->rho);
}

static enum sotto_status price_laplace(struct sotto_plan *plan,
				       const struct sotto_rational *epsilon,
				       const struct sotto_rational *delta, struct shares *s)
{
	plan->noise = SOTTO_NOISE_LAPLACE;
	split_epsilon(plan, epsilon);
	set_share(plan, epsilon->q, s->pick.q);
	sotto_rational_set(&s->threshold, delta);
	SOTTO_TRY(laplace_cost(plan));
	SOTTO_TRY(sotto_picks_price_pure(plan, &s->pick));
	if (!plan->public_keys)
		sotto_rational_set(&plan->cost.delta, delta);
	return SOTTO_OK;
}

static enum sotto_status price(struct sotto_plan *plan, const struct sotto_rational *epsilon,
			       const struct sotto_rational *delta, bool delta_is_wish,
			       struct shares *s)
{
	bool gaussian;

	sotto_cost_release(&plan->cost);
	sotto_cost_init(&plan->cost);
	gaussian = delta_is_wish && choose_gaussian(plan, epsilon, delta, s);
	if (gaussian)
		SOTTO_TRY(price_gaussian(plan, epsilon, delta, s));
	else
		SOTTO_TRY(price_laplace(plan, epsilon, delta, s));
	SOTTO_TRY(sotto_top_price(plan, epsilon,
				  gaussian ? gaussian_size(plan, s->rho)
					   : laplace_size(plan, epsilon)));
	SOTTO_TRY(set_all_errors(plan));
	return plan->public_keys ? SOTTO_OK : set_threshold(plan, &s->threshold);
}

static enum sotto_status explain_failure(enum sotto_status st, struct sotto_error *err)
{
	if (st == SOTTO_ERANGE || st == SOTTO_EOVERFLOW || st == SOTTO_EINVAL)
		return sotto_fail(
			err, SOTTO_ERANGE,
			"the noise would be outside what can be drawn (a scale of 2^-10 to "
			"2^50 steps); change epsilon, the bounds or the step");
	return st;
}

/* Each part has the same share; what they cost together is the cost of the plan. */
static enum sotto_status
price_parts(struct sotto_plan *plan, const struct sotto_rational *epsilon,
	    const struct sotto_rational *delta, bool delta_is_wish, struct sotto_error *err)
{
	struct sotto_rational one, other;
	enum sotto_status st = SOTTO_OK;

	sotto_rational_init(&one);
	sotto_rational_init(&other);
	mpq_set_ui(one.q, plan->part_count, 1);
	mpq_div(other.q, delta->q, one.q);
	mpq_div(one.q, epsilon->q, one.q);
	sotto_cost_release(&plan->cost);
	sotto_cost_init(&plan->cost);
	plan->noise = SOTTO_NOISE_NONE;
	for (size_t i = 0; st == SOTTO_OK && i < plan->part_count; i++) {
		st = sotto_plan_price(plan->parts[i], &one, &other, delta_is_wish, err);
		if (st != SOTTO_OK)
			break;
		sotto_cost_add(&plan->cost, &plan->parts[i]->cost);
		if (plan->parts[i]->noise != SOTTO_NOISE_NONE)
			plan->noise = plan->parts[i]->noise;
	}
	sotto_rational_release(&one);
	sotto_rational_release(&other);
	return st;
}

enum sotto_status sotto_plan_price(struct sotto_plan *plan,
				   const struct sotto_rational *epsilon,
				   const struct sotto_rational *delta, bool delta_is_wish,
				   struct sotto_error *err)
{
	struct shares s;
	enum sotto_status st;

	if (plan->part_count) {
		SOTTO_TRY(price_parts(plan, epsilon, delta, delta_is_wish, err));
		sotto_rational_set(plan->epsilon, epsilon);
		sotto_rational_set(plan->delta, &plan->cost.delta);
		plan->priced = true;
		return SOTTO_OK;
	}
	if (!plan->owner || share_count(plan) == 0) {
		plan->noise = SOTTO_NOISE_NONE;
		plan->priced = true;
		return SOTTO_OK;
	}
	if (!plan->public_keys && sotto_rational_sign(delta) == 0)
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"the keys of GROUP BY are private, so showing them needs a delta: "
			"give --delta, or declare the keys in the policy");
	shares_init(&s);
	st = price(plan, epsilon, delta, delta_is_wish, &s);
	shares_release(&s);
	if (st != SOTTO_OK)
		return explain_failure(st, err);
	sotto_rational_set(plan->epsilon, epsilon);
	sotto_rational_set(plan->delta, &plan->cost.delta);
	plan->priced = true;
	return SOTTO_OK;
}

double sotto_plan_error(const struct sotto_plan *plan)
{
	double largest = NAN;

	for (size_t i = 0; i < plan->output_count; i++) {
		const struct sotto_sql_expr *e = plan->outputs[i].expr;
		const struct sotto_aggregate *a;
		const struct sotto_measure *m;
		double error;

		if (!e || e->kind != SOTTO_SQL_VALUE)
			continue;
		a = &plan->aggregates[e->index];
		if (a->kind != SOTTO_AGGREGATE_COUNT && a->kind != SOTTO_AGGREGATE_SUM)
			continue;
		m = &plan->measures[a->kind == SOTTO_AGGREGATE_COUNT ? a->count : a->sum];
		error = (double)m->error95 * sotto_nearest_double(m->step->q);
		largest = isnan(largest) || error > largest ? error : largest;
	}
	return largest;
}

static const char *mechanism_of_parts(const struct sotto_plan *plan)
{
	const char *all = "exact";

	for (size_t i = 0; i < plan->part_count; i++) {
		const char *one = sotto_plan_mechanism(plan->parts[i]);

		if (strcmp(one, "exact") == 0 || strcmp(one, all) == 0)
			continue;
		all = strcmp(all, "exact") == 0 ? one : "several mechanisms";
	}
	return all;
}

const char *sotto_plan_mechanism(const struct sotto_plan *plan)
{
	static const char *const names[2][2] = {
		{"discrete Laplace", "discrete Laplace and exponential mechanism"},
		{"discrete Gaussian", "discrete Gaussian and exponential mechanism"}};
	bool noise = plan->measure_count > 0, choice = false;

	if (plan->part_count)
		return mechanism_of_parts(plan);
	if (plan->noise == SOTTO_NOISE_NONE)
		return "exact";
	if (plan->top.chosen)
		return "noisy max";
	for (size_t i = 0; i < plan->pick_count; i++) {
		noise = noise || plan->picks[i].tree;
		choice = choice || !plan->picks[i].tree;
	}
	return noise ? names[plan->noise == SOTTO_NOISE_GAUSSIAN][choice]
		     : "exponential mechanism";
}
