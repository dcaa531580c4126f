/*
 * noise_outcomes.h - reads a list of outcomes with their scores
 *
 * They come from operands (3 1 0, or city=3 town=1), from a CSV file with the columns outcome and
 * score, or from standard input in the same form.  A CSV file without a header has the outcome
 * first and the score second, or only scores; outcomes without a name are called by their number,
 * from 0.  Names are public; scores are never shown.
 */
#ifndef SOTTO_NOISE_OUTCOMES_H
#define SOTTO_NOISE_OUTCOMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "frame/option.h"
#include "sotto/noise.h"
#include "sotto/rational.h"
#include "sotto/status.h"

struct outcome_item {
	char *name;
	struct sotto_rational score;
};

struct outcomes {
	struct outcome_item *items;
	size_t count;
};

struct outcome_source {
	const char *csv; /* file name, "-" for standard input; or NULL */
	const struct operands *operands;
	FILE *in;
};

/*
 * Reads all outcomes.  The caller calls _release in any case.
 *
 * Fails:    with a sentence in err; also if there is no outcome, or if a name is repeated.
 */
enum outcome outcomes_read(struct outcomes *list, const struct outcome_source *source,
			   struct sotto_error *err);
void outcomes_release(struct outcomes *list);

/*
 * Writes the scores as whole numbers of steps to an array that the caller wipes and frees.
 * A score that is not a multiple of the step is rounded to the nearest one, halves up, if
 * `round`; otherwise it is refused.
 */
enum outcome outcomes_steps(const struct outcomes *list, const struct sotto_rational *step,
			    bool round, struct sotto_exact **scores, struct sotto_error *err);

/* Does the same with plain numbers, for a user who asks for the law of these very scores. */
enum sotto_status
outcomes_shown(const struct outcomes *list, const struct sotto_rational *step, int64_t *scores);

#endif
