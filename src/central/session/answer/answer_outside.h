/*
 * answer_outside.h - values that count as others: outside of bounds or keys, or not of a type
 */
#ifndef SOTTO_ANSWER_OUTSIDE_H
#define SOTTO_ANSWER_OUTSIDE_H

#include "central/plan/plan.h"
#include "core/base/arena.h"
#include "sotto/answer.h"

/* Adds a sentence; NULL is one that there was no memory for.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_limits_say(struct sotto_arena *arena, struct sotto_limits *l, const char *sentence);

/* Sets l->clips, the bounds of the plan's columns.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_limits_set_clips(struct sotto_arena *arena,
							  const struct sotto_plan *plan,
							  struct sotto_limits *l);

/*
 * Adds a sentence for each column that a row can have such a value of, after
 * sotto_limits_set_clips.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_limits_say_values(struct sotto_arena *arena,
							   const struct sotto_plan *plan,
							   struct sotto_limits *l);

#endif
