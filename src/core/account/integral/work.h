/*
 * work.h - how much may still be computed for one answer
 *
 * Every text that can be read gets an answer or a refusal in a second or two, whatever its
 * parameters.  What limits it is a count of steps, not a clock: the same question has the same
 * answer on every machine and under any load.  A step is about one complex multiplication.  What
 * has no work left says so by SOTTO_EREFUSED or by bounds that claim nothing, and a cheaper bound
 * stands in (account.c).
 */
#ifndef SOTTO_WORK_H
#define SOTTO_WORK_H

#include <stdbool.h>

struct sotto_work {
	double left;
};

/* For a loss distribution, and for a theorem that only needs a part of it. */
#define SOTTO_WORK_WHOLE 3e8
#define SOTTO_WORK_PART 2.5e7

/* What one value in high precision costs. */
#define SOTTO_WORK_PRECISE 1.5e4

/* NULL is without limit. */
static inline void sotto_work_use(struct sotto_work *w, double steps)
{
	if (w)
		w->left -= steps;
}

static inline bool sotto_work_is_spent(const struct sotto_work *w)
{
	return w && w->left <= 0;
}

/* Whether so many steps may be begun. */
static inline bool sotto_work_allows(const struct sotto_work *w, double steps)
{
	return !w || w->left >= steps;
}

#endif
