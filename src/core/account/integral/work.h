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
	double left, used;
};

/*
 * For a loss distribution; for a sum of Renyi curves, which take a part of it; and for a theorem
 * that only needs a number for each event.
 */
#define SOTTO_WORK_WHOLE 5e8
#define SOTTO_WORK_RENYI 6e7
#define SOTTO_WORK_PART 2.5e7

/* For a calibration, which is many answers; and what one of them may take. */
#define SOTTO_WORK_SOLVE 2.5e8
#define SOTTO_WORK_PRICE 1e8

/* What one value in high precision costs. */
#define SOTTO_WORK_PRECISE 1.5e4

/* NULL is without limit. */
static inline void sotto_work_use(struct sotto_work *w, double steps)
{
	if (!w)
		return;
	w->left -= steps;
	w->used += steps;
}

static inline bool sotto_work_is_spent(const struct sotto_work *w)
{
	return w && w->left <= 0;
}

/* Takes so many steps at once; where there are not so many nothing is left, and false is said. */
static inline bool sotto_work_take(struct sotto_work *w, double steps)
{
	if (w && !(w->left > steps)) {
		w->left = 0;
		return false;
	}
	sotto_work_use(w, steps);
	return true;
}

/* Whether so many steps may be begun. */
static inline bool sotto_work_allows(const struct sotto_work *w, double steps)
{
	return !w || w->left >= steps;
}

#endif
