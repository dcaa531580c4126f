/*
 * release_pick.h - quantiles, modes and groups, chosen
 */
#ifndef SOTTO_RELEASE_PICK_H
#define SOTTO_RELEASE_PICK_H

#include "central/engine/engine.h"
#include "central/plan/plan.h"
#include "sotto/query.h"
#include "sotto/rng.h"

/*
 * Chooses the outcomes of every pick for the engine's rows rows[0..n):
 * out[i * outcome_count ...].  Texts go into the arena.
 *
 * Privacy:  the plan's cost.
 * Fails:    SOTTO_EENTROPY, SOTTO_ENOMEM, SOTTO_ERANGE, SOTTO_EINVAL; nothing may be
 *           answered.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_picks_publish(const struct sotto_plan *plan, const struct sotto_engine_result *exact,
		    const size_t *rows, size_t n, struct sotto_rng *rng,
		    struct sotto_arena *arena, struct sotto_value *out);

/*
 * Chooses the best of rows[0..n), whose order does not depend on data: places of the
 * best first, *count of them.
 *
 * Privacy, Fails: as above.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_top_publish(const struct sotto_plan *plan, const struct sotto_engine_result *exact,
		  const size_t *rows, size_t n, struct sotto_rng *rng, size_t *places,
		  size_t *count);

#endif
