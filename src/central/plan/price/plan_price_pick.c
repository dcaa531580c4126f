/*
 * The price of picks.  A unit reaches at most `groups` groups and each of them is
 * one choice more, so a choice gets its share divided by them.  One rank is found
 * by the exponential mechanism; of several, a tree of noisy counts serves all at
 * once, and is taken where it errs less.
 */
#include "central/plan/aggregate/aggregate_pick.h"

#include <math.h>

#include "core/base/failure.h"
#include "core/number/nearest.h"
#include "sotto/noise.h"

/*
 * Of the epsilon of a rank 10/16 find it and 3/16 each end of its interval; of rho
 * 8/10 and 1/10, that is nearly all of the epsilon it could have, and a third.
 */
enum { EPSILON_PARTS = 16, EPSILON_POINT = 10, EPSILON_END = 3, RHO_PARTS = 10, RHO_POINT = 8 };

/* From here to the ends ranks keep a margin: it costs at most a ninth more noise. */
enum { MARGIN_PARTS = 10 };

/* Four intervals hold together with 95 % (answer.md), each with two ends. */
static const double end_beta = 1.0 / (20 * SOTTO_JOINT_MAX * 2);
static const double point_beta = 1.0 / 20;

static bool is_near_end(const struct sotto_rank *r)
{
	return (uint64_t)r->part * MARGIN_PARTS <= r->whole ||
	       (uint64_t)(r->whole - r->part) * MARGIN_PARTS <= r->whole;
}

/* floor of the root, on a grid of 2^-64 */
static void root_down(struct sotto_rational *out, const mpq_t square)
{
	mpz_t z;

	mpz_init(z);
	mpz_mul_2exp(z, mpq_numref(square), 128);
	mpz_fdiv_q(z, z, mpq_denref(square));
	mpz_sqrt(z, z);
	mpq_set_z(out->q, z);
	mpq_div_2exp(out->q, out->q, 64);
	mpz_clear(z);
}

/* ---- where a rank is looked for, and how far off that may be ------------------------- */

/*
 * Margin and ends of all ranks, for errors that are known.  Returns how far the furthest
 * end of an interval may be, and sets the largest error of a rank.
 */
static int64_t
set_ranks(struct sotto_pick *p,
	  int64_t (*error)(const struct sotto_pick *, const struct sotto_rank *, int64_t, bool),
	  int64_t rows)
{
	int64_t furthest = 0;

	p->error95 = 0;
	for (size_t i = 0; i < p->rank_count; i += 3) {
		struct sotto_rank *r = &p->ranks[i];
		int64_t found, end;

		r[0].margin = is_near_end(r);
		found = error(p, &r[0], rows, false);
		end = error(p, &r[1], rows, true);
		if (r[0].margin)
			r[0].margin = found > 1 ? found : 1;
		r[1].offset = -(end + 1);
		r[2].offset = end + 1;
		p->error95 = found > p->error95 ? found : p->error95;
		furthest = found + end > furthest ? found + end : furthest;
	}
	return furthest;
}

static int64_t
choice_error(const struct sotto_pick *p, const struct sotto_rank *r, int64_t rows, bool end)
{
	const struct sotto_rational *epsilon = end ? p->end_epsilon : p->epsilon;

	return sotto_quantile_error_up(r, rows, sotto_nearest_double(epsilon->q),
				       (double)sotto_pick_outcomes(p),
				       end ? end_beta : point_beta);
}

static int64_t laplace_tree_error(const struct sotto_pick *p, const struct sotto_rank *r,
				  int64_t rows, bool end)
{
	(void)r;
	(void)rows;
	return sotto_rank_tree_error_up(&p->shape, false, sotto_nearest_double(p->noise->q),
					end ? end_beta : point_beta);
}

static int64_t gaussian_tree_error(const struct sotto_pick *p, const struct sotto_rank *r,
				   int64_t rows, bool end)
{
	(void)r;
	(void)rows;
	return sotto_rank_tree_error_up(&p->shape, true,
					sqrt(sotto_nearest_double(p->noise->q)),
					end ? end_beta : point_beta);
}

/* Several ranks: a choice for each, or the tree, whichever errs less. */
static void choose_method(const struct sotto_plan *plan, struct sotto_pick *p, bool gaussian)
{
	int64_t by_choices = set_ranks(p, choice_error, plan->max_rows), by_tree;

	p->tree = false;
	if (p->rank_count <= 3)
		return;
	by_tree = set_ranks(p, gaussian ? gaussian_tree_error : laplace_tree_error,
			    plan->max_rows);
	p->tree = by_tree < by_choices;
	if (!p->tree)
		(void)set_ranks(p, choice_error, plan->max_rows);
}

/* Fails: SOTTO_ERANGE if the tree's noise cannot be drawn. */
static enum sotto_status check_tree(const struct sotto_pick *p, bool gaussian)
{
	struct sotto_laplace *l = NULL;
	struct sotto_gaussian *g = NULL;
	enum sotto_status st = SOTTO_OK;

	if (p->tree)
		st = gaussian ? sotto_gaussian_new(p->noise, &g)
			      : sotto_laplace_new_scale(p->noise, &l);
	sotto_laplace_free(l);
	sotto_gaussian_free(g);
	return st;
}

/* MODE: counts only grow with a unit, so no factor of two. */
static void set_mode_error(const struct sotto_plan *plan, struct sotto_pick *p)
{
	double error = (double)plan->max_rows *
		       log((double)sotto_pick_outcomes(p) / point_beta) /
		       sotto_nearest_double(p->epsilon->q);

	p->error95 = error < 0x1p60 ? (int64_t)ceil(error) : (int64_t)1 << 60;
}

/* ---- pure ---------------------------------------------------------------------------- */

/* q = share / (groups n), so that n choices in each group cost the share. */
static void
divide(const struct sotto_plan *plan, const struct sotto_rational *share, size_t n, mpq_t q)
{
	mpz_set_ui(mpq_numref(q), 1);
	mpz_set_ui(mpq_denref(q), n);
	mpz_mul_si(mpq_denref(q), mpq_denref(q), plan->groups);
	mpq_mul(q, q, share->q);
}

/* rows (height + 1) groups: how far a unit moves all counts of the tree. */
static void tree_reach(const struct sotto_plan *plan, const struct sotto_pick *p, mpz_t z)
{
	mpz_set_si(z, plan->max_rows);
	mpz_mul_ui(z, z, p->shape.height + 1);
	mpz_mul_si(z, z, plan->groups);
}

static void take_part(struct sotto_rational *out, const struct sotto_rational *of,
		      unsigned part, unsigned parts)
{
	struct sotto_rational share;

	sotto_rational_init(&share);
	mpq_set_ui(share.q, part, parts);
	mpq_canonicalize(share.q);
	sotto_rational_multiply(out, of, &share);
	sotto_rational_release(&share);
}

static void
set_pure(struct sotto_plan *plan, struct sotto_pick *p, const struct sotto_rational *share)
{
	size_t n = p->kind == SOTTO_PICK_MODE ? 1 : p->rank_count / 3;

	divide(plan, share, n, p->epsilon->q);
	if (p->kind == SOTTO_PICK_MODE) {
		set_mode_error(plan, p);
		return;
	}
	take_part(p->end_epsilon, p->epsilon, EPSILON_END, EPSILON_PARTS);
	take_part(p->epsilon, p->epsilon, EPSILON_POINT, EPSILON_PARTS);
	p->shape = sotto_rank_tree_best(sotto_pick_outcomes(p), false);
	mpq_set_ui(p->noise->q, 1, 1);
	tree_reach(plan, p, mpq_numref(p->noise->q));
	mpq_div(p->noise->q, p->noise->q, share->q);
	choose_method(plan, p, false);
}

/* n choices with epsilon each. */
static enum sotto_status
add_choices(struct sotto_plan *plan, const struct sotto_rational *epsilon, uint64_t n)
{
	struct sotto_cost cost;
	enum sotto_status st;

	sotto_cost_init(&cost);
	st = sotto_cost_set_bounded_range(&cost, epsilon);
	if (st == SOTTO_OK) {
		sotto_cost_repeat(&cost, n);
		sotto_cost_add(&plan->cost, &cost);
	}
	sotto_cost_release(&cost);
	return st;
}

static enum sotto_status add_tree(struct sotto_plan *plan, const struct sotto_pick *p)
{
	struct sotto_rational step;
	struct sotto_cost cost;
	enum sotto_status st;
	mpz_t reach;

	mpz_init(reach);
	sotto_rational_init(&step);
	sotto_cost_init(&cost);
	tree_reach(plan, p, reach);
	mpq_inv(step.q, p->noise->q);
	st = mpz_fits_slong_p(reach) ? sotto_cost_set_geometric(&cost, &step, mpz_get_si(reach))
				     : SOTTO_ERANGE;
	if (st == SOTTO_OK)
		sotto_cost_add(&plan->cost, &cost);
	sotto_cost_release(&cost);
	sotto_rational_release(&step);
	mpz_clear(reach);
	return st;
}

static enum sotto_status add_cost(struct sotto_plan *plan, const struct sotto_pick *p)
{
	uint64_t groups = (uint64_t)plan->groups, ranks = p->rank_count / 3;

	if (p->tree)
		return add_tree(plan, p);
	if (p->kind == SOTTO_PICK_MODE)
		return add_choices(plan, p->epsilon, groups);
	SOTTO_TRY(add_choices(plan, p->epsilon, ranks * groups));
	return add_choices(plan, p->end_epsilon, 2 * ranks * groups);
}

enum sotto_status
sotto_picks_price_pure(struct sotto_plan *plan, const struct sotto_rational *share)
{
	for (size_t i = 0; i < plan->pick_count; i++) {
		set_pure(plan, &plan->picks[i], share);
		SOTTO_TRY(check_tree(&plan->picks[i], false));
		SOTTO_TRY(add_cost(plan, &plan->picks[i]));
	}
	return SOTTO_OK;
}

/* ---- under zCDP ------------------------------------------------------------------------ */

/* A choice with bounded range e is e^2/8-zCDP: e is the root of 8 rho, rounded down. */
static void
set_choice(struct sotto_rational *epsilon, const mpq_t rho, unsigned part, unsigned parts)
{
	mpq_t square;

	mpq_init(square);
	mpq_set_ui(square, 8 * part, parts);
	mpq_canonicalize(square);
	mpq_mul(square, square, rho);
	root_down(epsilon, square);
	mpq_clear(square);
}

static void
set_rho(struct sotto_plan *plan, struct sotto_pick *p, const struct sotto_rational *share)
{
	size_t n = p->kind == SOTTO_PICK_MODE ? 1 : p->rank_count / 3;
	mpq_t rho;

	mpq_init(rho);
	divide(plan, share, n, rho);
	if (p->kind == SOTTO_PICK_MODE) {
		set_choice(p->epsilon, rho, 1, 1);
		set_mode_error(plan, p);
	} else {
		set_choice(p->epsilon, rho, RHO_POINT, RHO_PARTS);
		set_choice(p->end_epsilon, rho, 1, RHO_PARTS);
		p->shape = sotto_rank_tree_best(sotto_pick_outcomes(p), true);
		mpq_set_ui(p->noise->q, 1, 1);
		tree_reach(plan, p, mpq_numref(p->noise->q));
		mpz_mul_si(mpq_numref(p->noise->q), mpq_numref(p->noise->q), plan->max_rows);
		mpq_div_2exp(p->noise->q, p->noise->q, 1);
		mpq_div(p->noise->q, p->noise->q, share->q);
		choose_method(plan, p, true);
	}
	mpq_clear(rho);
}

enum sotto_status
sotto_picks_price_rho(struct sotto_plan *plan, const struct sotto_rational *share)
{
	for (size_t i = 0; i < plan->pick_count; i++) {
		struct sotto_pick *p = &plan->picks[i];

		set_rho(plan, p, share);
		if (sotto_rational_sign(p->epsilon) == 0 ||
		    (p->kind == SOTTO_PICK_RANKS && sotto_rational_sign(p->end_epsilon) == 0))
			return SOTTO_ERANGE;
		SOTTO_TRY(check_tree(p, true));
	}
	return SOTTO_OK;
}
