/*
 * rank_choice.h - quantiles: one choice for each rank, or one tree of noisy counts for all
 *
 * One rank is found by the exponential mechanism; of several, a tree of noisy counts serves
 * all at once, and is taken where it errs less (core/mechanism/quantile/quantile.md).
 */
#ifndef SOTTO_RANK_CHOICE_H
#define SOTTO_RANK_CHOICE_H

#include <stddef.h>
#include <stdint.h>

#include "central/price/laplace_or_gaussian.h"
#include "core/base/arena.h"
#include "sotto/cost.h"
#include "core/mechanism/quantile/quantile.h"

enum sotto_rank_method { SOTTO_RANKS_BY_CHOICE, SOTTO_RANKS_BY_TREE };

/* What is looked for. */
struct sotto_rank_question {
	struct sotto_rank *ranks; /* three for each: itself and the ends of its interval;
				     pricing sets margins and offsets */
	size_t count; /* of those */
	int64_t values; /* of the grid */
	int64_t rows; /* of a unit in a group */
	int64_t groups; /* that a unit reaches */
};

struct sotto_rank_choice {
	enum sotto_rank_method method;
	const struct sotto_rank *ranks;
	size_t count;
	int64_t error95; /* half values between a rank and what is found */

	/* the two ways; the tree only if there are several ranks */
	struct {
		struct sotto_rational epsilon; /* of one choice in one group */
		struct sotto_rational end_epsilon; /* of one that finds an end of an interval */
		struct sotto_quantile **mechanisms; /* one for each of `count` ranks */
	} choice;
	struct {
		struct sotto_rank_tree shape;
		struct sotto_added_noise *noise; /* of every count */
	} tree;
};

/* Without a price yet; ends with the arena.  NULL without memory. */
struct sotto_rank_choice *sotto_rank_choice_in(struct sotto_arena *arena);

/*
 * Gives all ranks in all groups a share of epsilon together, and adds what they cost.
 * q->ranks is kept.
 *
 * Fails:    SOTTO_ERANGE if the noise cannot be drawn; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_rank_choice_price_pure(struct sotto_rank_choice *c, const struct sotto_rank_question *q,
			     const struct sotto_rational *share, struct sotto_cost *cost);

/* The same with a share of rho, whose cost is that of the plan. */
SOTTO_MUST_CHECK enum sotto_status
sotto_rank_choice_price_rho(struct sotto_rank_choice *c, const struct sotto_rank_question *q,
			    const struct sotto_rational *share);

/*
 * Finds every rank in one group's histogram: out[0..count).
 *
 * Fails:    as sotto_quantile_publish; nothing may be answered.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_rank_choice_publish(const struct sotto_rank_choice *c, struct sotto_rng *rng,
			  const struct sotto_histogram *h, struct sotto_noisy *out);

#endif
