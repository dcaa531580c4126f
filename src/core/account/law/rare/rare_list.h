/*
 * rare_list.h - laws of few outcomes, of which one is the usual, as gaps to it and ratios (rare.md)
 */
#ifndef SOTTO_RARE_LIST_H
#define SOTTO_RARE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/account/integral/compensated_sum.h"
#include "core/account/law/law.h"

/* Lists are complete for orders up to this. */
#define SOTTO_RARE_ORDER 2.0

/* What log ratios are wrong by, relative. */
#define SOTTO_RARE_LOG (8 * SOTTO_U)

/* One law: its usual outcome, and where the others are. */
struct sotto_rare_law {
	uint64_t count;
	size_t first, n;
	double log_mass; /* of the usual outcome, */
	double mass_error; /* good to this */
	double ratio_error; /* of log ratios, besides SOTTO_RARE_LOG of themselves; */
	double gap_shift, gap_error; /* of gaps: so much, and so much of themselves */
	double left_out; /* ratios exp(s gap) of what is not listed, in all, at orders up to that */
	double steepness; /* K is at most steepness s^2/2 if not all is listed; else 0 */
};

struct sotto_rare {
	struct sotto_rare_law *laws;
	size_t n, capacity;
	double *gap, *log_ratio; /* of each outcome other than the usual, beside that */
	size_t outcomes, room;
	struct sotto_sum usual; /* the sum of all usual losses, */
	double usual_error; /* and its error */
	struct sotto_sum log_usual; /* log of the mass of the usual outcome of all */
	double log_usual_error;
	size_t *by_gap; /* outcomes in the order of their gaps, and whose they are; NULL until wanted */
	uint32_t *whose;
};

/* Whether a law can be listed. */
bool sotto_rare_takes(const struct sotto_law *law);

/* Lists it.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_rare_add(struct sotto_rare *r, const struct sotto_law *law);

/* What the gap of an outcome is wrong by. */
static inline double sotto_rare_gap_error(const struct sotto_rare_law *law, double gap)
{
	return law->gap_shift + law->gap_error * fabs(gap);
}

/* Sorts outcomes by their gaps.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_rare_sort(struct sotto_rare *r);

void sotto_rare_free(struct sotto_rare *r);

#endif
