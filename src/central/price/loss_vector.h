/*
 * loss_vector.h - what the limits lost: one vector of noisy numbers, published with the answer
 *
 * Rows beyond max_rows, groups beyond max_groups and values outside their bounds do not
 * count, and no interval of the noise includes them.  Where a limit can bind, a few numbers
 * over all groups estimate what was lost, for a share of the question's epsilon.
 * Sensitivity and proof: loss_vector.md.
 */
#ifndef SOTTO_LOSS_VECTOR_H
#define SOTTO_LOSS_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "central/price/laplace_or_gaussian.h"
#include "core/base/arena.h"
#include "sotto/cost.h"
#include "sotto/rational.h"
#include "sotto/status.h"

/* Ledgers store the numbers of these kinds: a new one goes to the end. */
enum sotto_loss_kind {
	SOTTO_LOSS_UNITS, /* units with at least one row */
	SOTTO_LOSS_UNITS_OF_ROWS, /* that have more than max_rows rows in a group */
	SOTTO_LOSS_UNITS_OF_GROUPS, /* that are in more than max_groups groups */
	SOTTO_LOSS_UNITS_CLIPPED, /* with a value outside its bounds */
	SOTTO_LOSS_ROWS, /* that do not count, of each unit at most twice what may */
	SOTTO_LOSS_ROWS_KEPT,
	SOTTO_LOSS_PAIRS, /* (unit, group) that do not count, at most twice what may */
	SOTTO_LOSS_PAIRS_KEPT,
	SOTTO_LOSS_KINDS
};

struct sotto_loss_item {
	enum sotto_loss_kind kind;
	int64_t moved; /* by one unit at most */
	struct sotto_added_noise *noise; /* the price; equal noises are one object */
};

/* A noisy number that was published, with the errors that it was published with. */
struct sotto_loss_value {
	enum sotto_loss_kind kind;
	int64_t value;
	int64_t error; /* 95 % of noises are no larger */
	int64_t joint_error; /* 97.5 %: two such hold together with 95 % */
};

struct sotto_loss_vector {
	struct sotto_loss_item items[SOTTO_LOSS_KINDS];
	size_t count; /* 0: no limit can bind */
	const char *name; /* what it is of: tables, rows, keys, limits */
	const char *engine_sql; /* that of the plan, with a column more for each item */
	const char *here_sql; /* the same of the plan's here_sql; NULL: as there */
	const char *partial_sql; /* the same of the plan's partial_sql; NULL: as there */
	const struct sotto_rational *share; /* of epsilon; NULL or 0: it is not asked for */
	struct sotto_rational *epsilon; /* the share */
	/* Found earlier, for the same rows, keys and limits: neither run nor charged. */
	const struct sotto_loss_value *known;
};

/* What the limits of a plan are, as far as the vector depends on them. */
struct sotto_loss_limits {
	bool units; /* otherwise each row is a unit, in one group */
	bool rows, groups, values; /* can bind */
	bool reads_rows; /* what is lost are rows; otherwise units in groups */
	int64_t max_rows, max_groups;
};

/* The items that these limits need; none if no limit can bind. */
void sotto_loss_shape(struct sotto_loss_vector *v, const struct sotto_loss_limits *limits);

/* Is it asked for, and is it run? */
bool sotto_loss_is_wanted(const struct sotto_loss_vector *v);
bool sotto_loss_is_run(const struct sotto_loss_vector *v);

/*
 * Takes its share of epsilon: *rest is what is left for the question.  Adds to the cost
 * unless it is known.
 *
 * Privacy:  Laplace noise with, over all items, the share of epsilon.
 * Fails:    SOTTO_ERANGE if the noise cannot be drawn; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_loss_price(struct sotto_loss_vector *v, struct sotto_arena *arena,
		 const struct sotto_rational *epsilon, struct sotto_rational *rest,
		 struct sotto_cost *cost);

/*
 * Publishes exact[0 .. v->count) into out.
 *
 * Fails:    SOTTO_EENTROPY; nothing may be answered.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_loss_publish(const struct sotto_loss_vector *v, struct sotto_rng *rng,
		   const struct sotto_exact *exact, struct sotto_loss_value *out);

#endif
