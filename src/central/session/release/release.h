/*
 * release.h - exact integers in, noisy integers out
 *
 * A release is what the ledger stores: the keys that may be shown, one noisy
 * integer per key and measure, and what was chosen for each key.  Everything an
 * answer shows is computed from it.
 */
#ifndef SOTTO_RELEASE_H
#define SOTTO_RELEASE_H

#include "central/engine/engine.h"
#include "central/plan/plan.h"
#include "sotto/query.h"
#include "sotto/rng.h"

struct sotto_release {
	struct sotto_arena arena;
	size_t rows, key_count, measure_count;
	struct sotto_value *keys; /* row by row, derived values included */
	struct sotto_noisy *values; /* row by row */
	size_t outcome_count;
	struct sotto_value *outcomes; /* of choices, row by row */
	struct sotto_loss_value *losses; /* what the limits lost, over all groups */
	size_t loss_count; /* 0: not asked for */
	const char *loss_key, *loss_data; /* what they are about, and about which data */
};

void sotto_release_init(struct sotto_release *r);

/* Sets how much a row holds.  Groups that are chosen have no values. */
void sotto_release_shape(struct sotto_release *r, const struct sotto_plan *plan);
void sotto_release_release(struct sotto_release *r);

/*
 * Adds the plan's noise to what the engine found, and keeps the keys that pass.  Rows come out in
 * the order of their keys, in whatever order they came in; groups that are chosen come best
 * first.
 *
 * Privacy:  the plan's cost.
 * Fails:    SOTTO_EENTROPY, SOTTO_ENOMEM, SOTTO_ERANGE; nothing may be answered.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_release_publish(struct sotto_release *r, const struct sotto_plan *plan,
		      const struct sotto_engine_result *exact, struct sotto_rng *rng);

/*
 * Write the releases of one answer as text for the ledger (malloc'd), and read it back.
 * Fail:     SOTTO_ECORRUPT, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_write(const struct sotto_release *r, size_t count, char **text);
SOTTO_MUST_CHECK enum sotto_status sotto_releases_read(struct sotto_release *r,
						       const struct sotto_plan *const *plans,
						       size_t count, const char *text);

/* Two questions are the same if this agrees: a digest of engine SQL, noise and threshold. */
enum { SOTTO_RELEASE_KEY_SIZE = 72 };
SOTTO_MUST_CHECK enum sotto_status
sotto_release_key(const struct sotto_plan *plan, char key[SOTTO_RELEASE_KEY_SIZE]);

/* Copies a value of the engine into the arena.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_value_copy(struct sotto_arena *a, struct sotto_engine_cell cell, struct sotto_value *out);

/* True if the engine sent what the plan asked for: keys, then measures, then lists. */
bool sotto_plan_has_shape(const struct sotto_plan *plan, const struct sotto_engine_result *r);

/* ---- release_choice.c ------------------------------------------------------------------------- */

/*
 * Chooses the outcomes of every choice for the engine's rows rows[0..n):
 * out[i * outcome_count ...].  Texts go into the arena.
 *
 * Privacy:  the plan's cost.
 * Fails:    SOTTO_EENTROPY, SOTTO_ENOMEM, SOTTO_ERANGE, SOTTO_EINVAL; nothing may be
 *           answered.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_choices_publish(const struct sotto_plan *plan, const struct sotto_engine_result *exact,
		      const size_t *rows, size_t n, struct sotto_rng *rng,
		      struct sotto_arena *arena, struct sotto_value *out);

/*
 * Chooses the best of rows[0..n), whose order does not depend on data: places of the
 * best first, *count of them.
 *
 * Privacy, Fails: as above.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_top_groups_publish(const struct sotto_plan *plan, const struct sotto_engine_result *exact,
			 const size_t *rows, size_t n, struct sotto_rng *rng, size_t *places,
			 size_t *count);

/* ---- release_loss.c ------------------------------------------------------------------------- */

/*
 * Publishes the vector from the engine's result, or takes the known values; does nothing if it
 * was not asked for.
 *
 * Privacy:  its share of the plan's cost.
 * Fails:    SOTTO_EENTROPY, SOTTO_ENOMEM, SOTTO_ERANGE; nothing may be answered.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_release_publish_losses(struct sotto_release *r, const struct sotto_plan *plan,
			     const struct sotto_engine_result *exact, struct sotto_rng *rng);

#endif
