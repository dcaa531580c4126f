/*
 * answer_limits.h - the limits of a plan and its parts, in words and numbers
 */
#ifndef SOTTO_ANSWER_LIMITS_H
#define SOTTO_ANSWER_LIMITS_H

#include "central/plan/plan.h"
#include "core/base/arena.h"
#include "sotto/answer.h"

/*
 * Lists what limits a unit under the plan: one record for the plan, or one for each part over
 * private rows; none for what is free.  Everything lives in the arena.
 *
 * Fails:    SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_limits_list(struct sotto_arena *arena,
						     const struct sotto_plan *plan,
						     struct sotto_limits **out, size_t *count);

/* Returns what a sentence calls one unit: "patient" for a unit column patient_id. */
const char *sotto_unit_word(struct sotto_arena *arena, const struct sotto_plan *plan);

#endif
