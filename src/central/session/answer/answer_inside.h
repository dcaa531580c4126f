/*
 * answer_inside.h - turns a release into what is shown
 */
#ifndef SOTTO_ANSWER_INSIDE_H
#define SOTTO_ANSWER_INSIDE_H

#include "central/plan/plan.h"
#include "central/session/release/release.h"
#include "sotto/query.h"

/* The public struct comes first, so that one pointer serves both. */
struct sotto_answer_owned {
	struct sotto_answer answer;
	struct sotto_arena arena;
};

SOTTO_MUST_CHECK enum sotto_status
sotto_answer_new(const struct sotto_plan *plan, struct sotto_answer_owned **out);

/*
 * Computes aggregates, outputs and 95 % intervals of every row; then HAVING, DISTINCT, ORDER BY,
 * LIMIT.  All of it is post-processing.  Intervals: answer.md.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_answer_fill(struct sotto_answer_owned *a,
						     const struct sotto_plan *plan,
						     const struct sotto_release *release);

/* Fills in the exact rows of a query over public tables. */
SOTTO_MUST_CHECK enum sotto_status
sotto_answer_fill_public(struct sotto_answer_owned *a, const struct sotto_plan *plan,
			 const struct sotto_engine_result *rows);

/* ---- answer_note.c --------------------------------------------------------------------------------- */

/* Writes a sentence about an output, for people; *out is NULL if there is nothing to say. */
SOTTO_MUST_CHECK enum sotto_status
sotto_note_output(struct sotto_arena *arena, const struct sotto_plan *plan,
		  const struct sotto_plan_output *o, const char **out);
SOTTO_MUST_CHECK enum sotto_status
sotto_answer_add_notes(struct sotto_answer_owned *o, const struct sotto_plan *plan);

/* Adds notes that limits were paid for, and that a repeated answer is about older data. */
struct sotto_releases;
SOTTO_MUST_CHECK enum sotto_status
sotto_answer_note_charge(struct sotto_answer_owned *o, const struct sotto_releases *r);

/* Adds a note that says why there are no rows, if there are none. */
SOTTO_MUST_CHECK enum sotto_status sotto_answer_note_empty(struct sotto_answer_owned *o,
							   const struct sotto_plan *plan,
							   const struct sotto_releases *r);

/* Adds a note that the answer is nowhere but here. */
SOTTO_MUST_CHECK enum sotto_status sotto_answer_note_unstored(struct sotto_answer_owned *o);

/* Adds a note on what a number without an interval means, if there is one. */
SOTTO_MUST_CHECK enum sotto_status sotto_answer_note_open(struct sotto_answer_owned *o);

#endif
