/*
 * law_outcomes.h - the law of an event whose outcomes are listed (outcomes.h), beside many others
 */
#ifndef SOTTO_LAW_OUTCOMES_H
#define SOTTO_LAW_OUTCOMES_H

#include <stdbool.h>

#include "core/account/integral/work.h"
#include "core/account/law/law.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* Whether e is sampled noise, or a group in it, that has such a law; more than a few of them need more digits. */
bool sotto_law_outcomes_possible(const struct sotto_event *e, uint64_t count);

/* What the law of the finite losses lacks: P-mass at infinity, or a bit less, and mass that is not listed, at most. */
struct sotto_outcomes_rest {
	double infinite, left_out;
};

/*
 * A law beside many others of an event that can be listed, for the line that they want, or NULL; the count stays as it is.  Fails as
 * sotto_outcomes_of.
 */
struct sotto_wanted_line;
SOTTO_MUST_CHECK enum sotto_status
sotto_law_outcomes_of(struct sotto_law *law, const struct sotto_event *e,
		      enum sotto_direction direction, const struct sotto_wanted_line *wanted,
		      struct sotto_work *work, struct sotto_outcomes_rest *rest);

#endif
