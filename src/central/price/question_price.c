/*
 * Laplace: epsilon is divided over the measures (share_split.c); each gets noise for its L1
 * sensitivity groups * per_group.  Gaussian: rho (from epsilon and delta) is divided; each gets
 * noise for its squared L2 sensitivity groups * per_group^2.  Whichever errs less is taken
 * (sensitivity.md).  Picks have shares like measures (choice/).
 */
#include "central/price/question_price.h"

#include "central/price/share_split.h"
#include "core/account/theorem/renyi/renyi_convert.h"
#include "core/base/failure.h"

enum { RHO_BITS = 64 };

/* What epsilon or rho is divided by: measures and choices have one share each, pairs one. */
static size_t share_count(const struct sotto_plan *plan)
{
	size_t shares = plan->measure_count + plan->choice_count;

	for (size_t i = 0; i < plan->measure_count; i++)
		shares -= plan->measures[i].is_second;
	return shares;
}

static void set_share(const struct sotto_plan *plan, const struct sotto_rational *all,
		      struct sotto_rational *share)
{
	mpq_set_ui(share->q, share_count(plan), 1);
	mpq_div(share->q, all->q, share->q);
}

/* An earlier measure that a unit moves as far, with the same share. */
static const struct sotto_measure *find_same(const struct sotto_plan *plan, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (plan->measures[j].per_group == plan->measures[i].per_group &&
		    plan->weights[j] == plan->weights[i])
			return &plan->measures[j];
	return NULL;
}

/* For what one unit moves by `each` in every group that it reaches. */
static enum sotto_status set_noise(const struct sotto_plan *plan, struct sotto_added_noise *n,
				   int64_t each, const struct sotto_rational *share,
				   enum sotto_noise_kind kind)
{
	enum sotto_status st;
	mpz_t moved;

	mpz_init_set_si(moved, each);
	mpz_mul_si(moved, moved, plan->groups);
	if (kind == SOTTO_NOISE_GAUSSIAN) {
		mpz_mul_si(moved, moved, each);
		st = sotto_added_noise_set_gaussian(n, moved, share);
	} else {
		st = sotto_added_noise_set_laplace(n, moved, share);
	}
	mpz_clear(moved);
	return st;
}

/* Noise that an earlier price shared is not that of an earlier measure any more. */
static bool is_shared(const struct sotto_plan *plan, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (plan->measures[j].noise == plan->measures[i].noise)
			return true;
	return false;
}

static enum sotto_status set_noises(struct sotto_plan *plan, const struct sotto_rational *all,
				    struct sotto_rational *share)
{
	for (size_t i = 0; i < plan->measure_count; i++) {
		struct sotto_measure *m = &plan->measures[i];
		const struct sotto_measure *same = find_same(plan, i);

		if (same) {
			m->noise = same->noise;
			continue;
		}
		if (!m->noise || is_shared(plan, i))
			m->noise = sotto_added_noise_in(&plan->arena);
		if (!m->noise)
			return SOTTO_ENOMEM;
		sotto_split_share(plan, i, all, share);
		SOTTO_TRY(set_noise(plan, m->noise, m->per_group, share, plan->noise));
	}
	return SOTTO_OK;
}

static enum sotto_status set_errors(struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->measure_count; i++)
		if (!find_same(plan, i))
			SOTTO_TRY(sotto_added_noise_set_errors(plan->measures[i].noise));
	return SOTTO_OK;
}

static struct sotto_rank_question
rank_question(const struct sotto_plan *plan, const struct sotto_choice_of_ranks *p)
{
	return (struct sotto_rank_question){.ranks = p->ranks,
					    .count = p->rank_count,
					    .values = p->hi - p->lo + 1,
					    .rows = plan->max_rows,
					    .groups = plan->groups};
}

static struct sotto_mode_question
mode_question(const struct sotto_plan *plan, const struct sotto_choice_of_mode *p)
{
	return (struct sotto_mode_question){
		.values = p->size, .rows = plan->max_rows, .groups = plan->groups};
}

static enum sotto_status price_choice_pure(struct sotto_plan *plan, struct sotto_choice *p,
					   const struct sotto_rational *share)
{
	if (p->kind == SOTTO_CHOICE_MODE) {
		const struct sotto_mode_question q = mode_question(plan, &p->mode);

		return sotto_mode_choice_price_pure(p->mode.choice, &q, share, &plan->cost);
	}
	const struct sotto_rank_question q = rank_question(plan, &p->quantiles);

	return sotto_rank_choice_price_pure(p->quantiles.choice, &q, share, &plan->cost);
}

static enum sotto_status price_choice_rho(struct sotto_plan *plan, struct sotto_choice *p,
					  const struct sotto_rational *share)
{
	if (p->kind == SOTTO_CHOICE_MODE) {
		const struct sotto_mode_question q = mode_question(plan, &p->mode);

		return sotto_mode_choice_price_rho(p->mode.choice, &q, share);
	}
	const struct sotto_rank_question q = rank_question(plan, &p->quantiles);

	return sotto_rank_choice_price_rho(p->quantiles.choice, &q, share);
}

/* What is charged, what it is divided into, and the noises to choose from. */
struct pricing {
	struct sotto_plan *plan;
	const struct sotto_rational *delta;
	struct sotto_rational own; /* what the loss vector leaves of the question's epsilon */
	const struct sotto_rational *epsilon; /* the same */
	struct sotto_rational threshold_delta, noise_delta;
	struct sotto_rational rho; /* that epsilon and noise_delta are worth */
	struct sotto_rational epsilon_share, rho_share; /* of a measure or a choice */
	struct sotto_added_noise laplace,
		gaussian; /* for what one unit moves by 1 in a group */
};

static void pricing_init(struct pricing *s)
{
	sotto_rational_init(&s->own);
	sotto_rational_init(&s->threshold_delta);
	sotto_rational_init(&s->noise_delta);
	sotto_rational_init(&s->rho);
	sotto_rational_init(&s->epsilon_share);
	sotto_rational_init(&s->rho_share);
}

static void pricing_release(struct pricing *s)
{
	sotto_rational_release(&s->own);
	sotto_rational_release(&s->threshold_delta);
	sotto_rational_release(&s->noise_delta);
	sotto_rational_release(&s->rho);
	sotto_rational_release(&s->epsilon_share);
	sotto_rational_release(&s->rho_share);
	sotto_added_noise_release(&s->laplace);
	sotto_added_noise_release(&s->gaussian);
}

/* The two noises have one ratio of errors for every measure; the real laws decide well enough. */
static void try_noise(struct pricing *s, enum sotto_noise_kind kind)
{
	bool gaussian = kind == SOTTO_NOISE_GAUSSIAN;

	set_share(s->plan, gaussian ? &s->rho : s->epsilon,
		  gaussian ? &s->rho_share : &s->epsilon_share);
	/* Noise that cannot be drawn can be compared; measures have their own. */
	(void)!set_noise(s->plan, gaussian ? &s->gaussian : &s->laplace, 1,
			 gaussian ? &s->rho_share : &s->epsilon_share, kind);
}

/* A Gaussian release is (epsilon, delta) and rho-zCDP at once; the ledger may use either. */
static enum sotto_status gaussian_cost(const struct pricing *s)
{
	struct sotto_cost *cost = &s->plan->cost;

	SOTTO_TRY(sotto_cost_set_approx(cost, s->epsilon, s->delta));
	if (sotto_rational_compare(&s->rho, &cost->rho) < 0)
		sotto_rational_set(&cost->rho, &s->rho);
	return SOTTO_OK;
}

/* With private keys half of delta is for the threshold and half for Gaussian noise. */
static bool choose_gaussian(struct pricing *s)
{
	sotto_rational_set(&s->noise_delta, s->delta);
	if (!s->plan->public_keys)
		mpq_div_2exp(s->noise_delta.q, s->delta->q, 1);
	if (sotto_rational_sign(&s->noise_delta) == 0)
		return false;
	sotto_zcdp_rho_down(s->rho.q, s->epsilon->q, s->noise_delta.q, RHO_BITS);
	if (sotto_rational_sign(&s->rho) <= 0)
		return false;
	try_noise(s, SOTTO_NOISE_GAUSSIAN);
	return s->plan->wanted_noise == SOTTO_NOISE_GAUSSIAN ||
	       sotto_added_noise_size(&s->gaussian) < sotto_added_noise_size(&s->laplace);
}

static enum sotto_status price_gaussian(struct pricing *s)
{
	struct sotto_plan *plan = s->plan;

	plan->noise = SOTTO_NOISE_GAUSSIAN;
	sotto_rational_subtract(&s->threshold_delta, s->delta, &s->noise_delta);
	SOTTO_TRY(sotto_split_shares(plan, plan->noise));
	SOTTO_TRY(set_noises(plan, &s->rho, &s->rho_share));
	for (size_t i = 0; i < plan->choice_count; i++) {
		sotto_split_share(plan, plan->measure_count + i, &s->rho, &s->rho_share);
		SOTTO_TRY(price_choice_rho(plan, &plan->choices[i], &s->rho_share));
	}
	return gaussian_cost(s);
}

/* Two that are moved together cost their share, whichever of them is moved by how much. */
static enum sotto_status charge_measure(struct sotto_plan *plan, size_t i)
{
	const struct sotto_added_noise *noise = plan->measures[i].noise;
	struct sotto_cost pair;
	enum sotto_status st;

	if (plan->measures[i].is_second)
		return SOTTO_OK;
	if (i + 1 == plan->measure_count || !plan->measures[i + 1].is_second)
		return sotto_added_noise_charge(noise, &plan->cost);
	sotto_cost_init(&pair);
	st = sotto_cost_set_pure(&pair, &noise->laplace.epsilon);
	if (st == SOTTO_OK)
		sotto_cost_add(&plan->cost, &pair);
	sotto_cost_release(&pair);
	return st;
}

static enum sotto_status price_laplace(struct pricing *s)
{
	struct sotto_plan *plan = s->plan;

	plan->noise = SOTTO_NOISE_LAPLACE;
	sotto_rational_set(&s->threshold_delta, s->delta);
	SOTTO_TRY(sotto_split_shares(plan, plan->noise));
	SOTTO_TRY(set_noises(plan, s->epsilon, &s->epsilon_share));
	for (size_t i = 0; i < plan->measure_count; i++)
		SOTTO_TRY(charge_measure(plan, i));
	for (size_t i = 0; i < plan->choice_count; i++) {
		sotto_split_share(plan, plan->measure_count + i, s->epsilon, &s->epsilon_share);
		SOTTO_TRY(price_choice_pure(plan, &plan->choices[i], &s->epsilon_share));
	}
	if (!plan->public_keys)
		sotto_rational_set(&plan->cost.delta, s->delta);
	return SOTTO_OK;
}

static enum sotto_status price_question(struct pricing *s, bool delta_is_wish)
{
	struct sotto_plan *plan = s->plan;
	const struct sotto_added_noise *noise = &s->laplace;

	sotto_cost_release(&plan->cost);
	sotto_cost_init(&plan->cost);
	try_noise(s, SOTTO_NOISE_LAPLACE);
	if (plan->wanted_noise != SOTTO_NOISE_LAPLACE && delta_is_wish && choose_gaussian(s))
		noise = &s->gaussian;
	SOTTO_TRY(noise == &s->gaussian ? price_gaussian(s) : price_laplace(s));
	if (plan->measure_count > 0)
		SOTTO_TRY(sotto_group_choice_price(
			&plan->top, plan->measures[plan->top.measure].per_group, s->epsilon,
			sotto_added_noise_size(noise), &plan->cost));
	SOTTO_TRY(set_errors(plan));
	if (plan->public_keys)
		return SOTTO_OK;
	return sotto_key_threshold_set(&plan->threshold,
				       plan->measures[plan->threshold.measure].noise,
				       plan->groups, &s->threshold_delta);
}

/* The question and what its limits lost: two releases side by side, whose costs add up. */
static enum sotto_status
price(struct pricing *s, const struct sotto_rational *epsilon, bool delta_is_wish)
{
	struct sotto_cost loss;
	enum sotto_status st;

	s->epsilon = &s->own;
	sotto_cost_init(&loss);
	st = sotto_loss_price(&s->plan->loss, &s->plan->arena, epsilon, &s->own, &loss);
	if (st == SOTTO_OK)
		st = price_question(s, delta_is_wish);
	if (st == SOTTO_OK)
		sotto_cost_add(&s->plan->cost, &loss);
	sotto_cost_release(&loss);
	return st;
}

/* A unit moves each number by a step at least, so only a large epsilon makes a scale too small. */
enum { LARGE_EPSILON = 1024 };

static enum sotto_status explain_failure(enum sotto_status st,
					 const struct sotto_rational *epsilon,
					 struct sotto_error *err)
{
	if (st != SOTTO_ERANGE && st != SOTTO_EOVERFLOW && st != SOTTO_EINVAL)
		return st;
	if (mpq_cmp_ui(epsilon->q, LARGE_EPSILON, 1) >= 0)
		return sotto_fail(err, SOTTO_ERANGE,
				  "the scale of the noise would be below 2^-10 steps; choose a "
				  "smaller epsilon, or declare a finer step");
	return sotto_fail(err, SOTTO_ERANGE,
			  "the scale of the noise would be above 2^50 steps; choose a larger "
			  "epsilon, or declare closer bounds or a coarser step");
}

bool sotto_question_has_price(const struct sotto_plan *plan)
{
	return plan->owner && share_count(plan) > 0;
}

enum sotto_status sotto_question_price(struct sotto_plan *plan,
				       const struct sotto_rational *epsilon,
				       const struct sotto_rational *delta, bool delta_is_wish,
				       struct sotto_error *err)
{
	struct pricing s = {.plan = plan, .delta = delta};
	enum sotto_status st;

	if (!sotto_question_has_price(plan)) {
		plan->noise = SOTTO_NOISE_NONE;
		return SOTTO_OK;
	}
	if (!plan->public_keys && sotto_rational_sign(delta) == 0)
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"the keys of GROUP BY are private, so showing them needs a delta "
			"above 0, of the budget and of the question (--delta); or declare "
			"the keys in the policy");
	pricing_init(&s);
	st = price(&s, epsilon, delta_is_wish);
	pricing_release(&s);
	return st == SOTTO_OK ? SOTTO_OK : explain_failure(st, epsilon, err);
}
