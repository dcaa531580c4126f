/*
 * Quantiles: how a share is divided, which method errs less, and drawing.
 */
#include "central/price/choice/rank_choice.h"

#include <stdlib.h>

#include "central/price/choice/choice_share.h"
#include "core/base/failure.h"
#include "core/mechanism/quantile/rank_tree.h"
#include "core/number/nearest.h"

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

/* ---- making and ending ----------------------------------------------------------------- */

static void free_mechanisms(struct sotto_rank_choice *c)
{
	for (size_t i = 0; c->choice.mechanisms && i < c->count; i++)
		sotto_quantile_free(c->choice.mechanisms[i]);
	free(c->choice.mechanisms);
	c->choice.mechanisms = NULL;
}

static void end(void *choice)
{
	struct sotto_rank_choice *c = choice;

	free_mechanisms(c);
	sotto_rational_release(&c->choice.epsilon);
	sotto_rational_release(&c->choice.end_epsilon);
}

struct sotto_rank_choice *sotto_rank_choice_in(struct sotto_arena *arena)
{
	struct sotto_rank_choice *c = sotto_arena_alloc(arena, sizeof *c);

	if (!c || !(c->tree.noise = sotto_added_noise_in(arena)) ||
	    !sotto_arena_defer(arena, end, c))
		return NULL;
	sotto_rational_init(&c->choice.epsilon);
	sotto_rational_init(&c->choice.end_epsilon);
	return c;
}

static size_t rank_count(const struct sotto_rank_question *q)
{
	return q->count / 3;
}

/* ---- where a rank is looked for, and how far off that may be ------------------------------ */

static bool is_near_end(const struct sotto_rank *r)
{
	return (uint64_t)r->part * MARGIN_PARTS <= r->whole ||
	       (uint64_t)(r->whole - r->part) * MARGIN_PARTS <= r->whole;
}

/* Half values between the rank and what is found, or between it and an end of its interval. */
static int64_t find_error(const struct sotto_rank_choice *c,
			  const struct sotto_rank_question *q, const struct sotto_rank *r,
			  bool is_end)
{
	double beta = is_end ? end_beta : point_beta;

	if (c->method == SOTTO_RANKS_BY_TREE)
		return sotto_rank_tree_error_up(&c->tree.shape,
						c->tree.noise->kind == SOTTO_NOISE_GAUSSIAN,
						sotto_added_noise_scale(c->tree.noise), beta);
	return sotto_quantile_error_up(
		r, q->rows,
		sotto_nearest_double(is_end ? c->choice.end_epsilon.q : c->choice.epsilon.q),
		(double)q->values, beta);
}

/* Margin and ends of all ranks under a method; the largest error of a rank. */
static int64_t set_ranks(struct sotto_rank_choice *c, const struct sotto_rank_question *q,
			 enum sotto_rank_method method)
{
	c->method = method;
	c->error95 = 0;
	for (size_t i = 0; i < q->count; i += 3) {
		struct sotto_rank *r = &q->ranks[i];
		int64_t found, end_error;

		r[0].margin = is_near_end(r);
		found = find_error(c, q, &r[0], false);
		end_error = find_error(c, q, &r[1], true);
		if (r[0].margin)
			r[0].margin = found > 1 ? found : 1;
		r[1].offset = -(end_error + 1);
		r[2].offset = end_error + 1;
		c->error95 = found > c->error95 ? found : c->error95;
	}
	return c->error95;
}

static void choose_method(struct sotto_rank_choice *c, const struct sotto_rank_question *q)
{
	int64_t by_choices = set_ranks(c, q, SOTTO_RANKS_BY_CHOICE);

	if (rank_count(q) > 1 && set_ranks(c, q, SOTTO_RANKS_BY_TREE) >= by_choices)
		(void)set_ranks(c, q, SOTTO_RANKS_BY_CHOICE);
}

/* Margins and offsets are part of the law: the mechanisms are made once they are known. */
static enum sotto_status
make_mechanisms(struct sotto_rank_choice *c, const struct sotto_rank_question *q)
{
	free_mechanisms(c);
	c->ranks = q->ranks;
	c->count = q->count;
	if (c->method == SOTTO_RANKS_BY_TREE)
		return SOTTO_OK;
	c->choice.mechanisms = calloc(c->count + 1, sizeof(struct sotto_quantile *));
	if (!c->choice.mechanisms)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < c->count; i++)
		SOTTO_TRY(sotto_quantile_new(&c->ranks[i], q->rows,
					     i % 3 == 0 ? &c->choice.epsilon
							: &c->choice.end_epsilon,
					     &c->choice.mechanisms[i]));
	return SOTTO_OK;
}

/* ---- the tree ---------------------------------------------------------------------------- */

/* rows (height + 1) groups: how far a unit moves all counts of the tree. */
static void
tree_reach(const struct sotto_rank_choice *c, const struct sotto_rank_question *q, mpz_t z)
{
	mpz_set_si(z, q->rows);
	mpz_mul_ui(z, z, c->tree.shape.height + 1);
	mpz_mul_si(z, z, q->groups);
}

/* Of the squares: one unit moves a count by `rows` at most. */
static enum sotto_status set_tree(struct sotto_rank_choice *c,
				  const struct sotto_rank_question *q,
				  const struct sotto_rational *share, bool gaussian)
{
	enum sotto_status st;
	mpz_t reach;

	c->tree.shape = sotto_rank_tree_best(q->values, gaussian);
	mpz_init(reach);
	tree_reach(c, q, reach);
	if (gaussian) {
		mpz_mul_si(reach, reach, q->rows);
		st = sotto_added_noise_set_gaussian(c->tree.noise, reach, share);
	} else {
		st = sotto_added_noise_set_laplace(c->tree.noise, reach, share);
	}
	mpz_clear(reach);
	return st;
}

/* Both ways are known but for the tree's noise, which may turn out not to be drawable. */
static enum sotto_status finish(struct sotto_rank_choice *c,
				const struct sotto_rank_question *q,
				const struct sotto_rational *share, bool gaussian)
{
	enum sotto_status tree = SOTTO_OK;

	if (rank_count(q) > 1)
		tree = set_tree(c, q, share, gaussian);
	choose_method(c, q);
	if (c->method == SOTTO_RANKS_BY_TREE)
		SOTTO_TRY(tree);
	return make_mechanisms(c, q);
}

/* ---- prices -------------------------------------------------------------------------------- */

static void take_part(struct sotto_rational *out, const mpq_t of, unsigned part, unsigned parts)
{
	struct sotto_rational share;

	sotto_rational_init(&share);
	mpq_set_ui(share.q, part, parts);
	mpq_canonicalize(share.q);
	mpq_mul(out->q, of, share.q);
	sotto_rational_release(&share);
}

static enum sotto_status charge(const struct sotto_rank_choice *c,
				const struct sotto_rank_question *q, struct sotto_cost *cost)
{
	uint64_t choices = (uint64_t)q->groups * rank_count(q);

	if (c->method == SOTTO_RANKS_BY_TREE)
		return sotto_added_noise_charge(c->tree.noise, cost);
	SOTTO_TRY(sotto_choice_charge(cost, &c->choice.epsilon, choices));
	return sotto_choice_charge(cost, &c->choice.end_epsilon, 2 * choices);
}

enum sotto_status
sotto_rank_choice_price_pure(struct sotto_rank_choice *c, const struct sotto_rank_question *q,
			     const struct sotto_rational *share, struct sotto_cost *cost)
{
	mpq_t one;

	mpq_init(one);
	sotto_choice_share(share, q->groups, rank_count(q), one);
	take_part(&c->choice.epsilon, one, EPSILON_POINT, EPSILON_PARTS);
	take_part(&c->choice.end_epsilon, one, EPSILON_END, EPSILON_PARTS);
	mpq_clear(one);
	SOTTO_TRY(finish(c, q, share, false));
	return charge(c, q, cost);
}

enum sotto_status sotto_rank_choice_price_rho(struct sotto_rank_choice *c,
					      const struct sotto_rank_question *q,
					      const struct sotto_rational *share)
{
	mpq_t rho;

	mpq_init(rho);
	sotto_choice_share(share, q->groups, rank_count(q), rho);
	sotto_choice_epsilon_down(&c->choice.epsilon, rho, RHO_POINT, RHO_PARTS);
	sotto_choice_epsilon_down(&c->choice.end_epsilon, rho, 1, RHO_PARTS);
	mpq_clear(rho);
	if (sotto_rational_sign(&c->choice.epsilon) == 0 ||
	    sotto_rational_sign(&c->choice.end_epsilon) == 0)
		return SOTTO_ERANGE;
	return finish(c, q, share, true);
}

/* ---- drawing ------------------------------------------------------------------------------- */

enum sotto_status
sotto_rank_choice_publish(const struct sotto_rank_choice *c, struct sotto_rng *rng,
			  const struct sotto_histogram *h, struct sotto_noisy *out)
{
	const struct sotto_added_noise *n = c->tree.noise;
	struct sotto_rank_noise noise = {0};

	if (c->method == SOTTO_RANKS_BY_TREE) {
		if (n->kind == SOTTO_NOISE_GAUSSIAN)
			noise.gaussian = n->gaussian.mechanism;
		else
			noise.laplace = n->laplace.mechanism;
		return sotto_rank_tree_publish(&c->tree.shape, &noise, rng, h, c->ranks,
					       c->count, out);
	}
	for (size_t i = 0; i < c->count; i++)
		SOTTO_TRY(sotto_quantile_publish(c->choice.mechanisms[i], rng, h, &out[i]));
	return SOTTO_OK;
}
