/*
 * work.h - how much may still be computed for one answer
 *
 * Every text that can be read gets an answer or a refusal in a second or two, whatever its
 * parameters.  The limit is a count of steps, not a clock: the same question has the same answer
 * on every machine and under any load.  A step is about one complex multiplication.  A function
 * that has no work left returns SOTTO_EREFUSED, or bounds that claim nothing, and a cheaper bound
 * is used instead (account.c).
 */
#ifndef SOTTO_WORK_H
#define SOTTO_WORK_H

#include <stdbool.h>

struct sotto_work {
	double left, used;
	double apart; /* kept for a way that is tried where the usual ones were not sharp */
};

/*
 * The limits for a loss distribution; for a sum of Renyi curves, which use a part of it; and for
 * a theorem that needs only a number for each event.
 */
#define SOTTO_WORK_WHOLE 5e8
#define SOTTO_WORK_RENYI 6e7
#define SOTTO_WORK_PART 2.5e7

/* What is kept apart beside the first of them. */
#define SOTTO_WORK_APART 5e8

/* What simple bounds may take beyond a limit. */
#define SOTTO_WORK_OVERDRAFT 1e8

/* The limits for a calibration, which is many answers; and for one of its answers. */
#define SOTTO_WORK_SOLVE 2.5e8
#define SOTTO_WORK_PRICE 1e8

/* The limit for each method at the value that is returned, where none is left of the others. */
#define SOTTO_WORK_SETTLE 2e8

/* The cost of one value in high precision. */
#define SOTTO_WORK_PRECISE 1.5e4

/* Uses up steps; NULL means no limit. */
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

/*
 * True if the simple bounds that are used where no work is left have taken much more on top: a list
 * so long gets no bound of that kind.
 */
static inline bool sotto_work_is_overdrawn(const struct sotto_work *w)
{
	return w && w->left <= -SOTTO_WORK_OVERDRAFT;
}

/* Uses up this many steps at once.  False if there are fewer; then none is left. */
static inline bool sotto_work_take(struct sotto_work *w, double steps)
{
	if (w && !(w->left > steps)) {
		w->left = 0;
		return false;
	}
	sotto_work_use(w, steps);
	return true;
}

/* Keeps steps for later, and gives them back: what was used beyond the others is not made up for. */
static inline void sotto_work_set_aside(struct sotto_work *w, double steps)
{
	if (w)
		w->left -= steps;
}

static inline void sotto_work_give_back(struct sotto_work *w, double steps)
{
	if (w)
		w->left = (w->left > 0 ? w->left : 0) + steps;
}

/* True if this many steps may be begun. */
static inline bool sotto_work_allows(const struct sotto_work *w, double steps)
{
	return !w || w->left >= steps;
}

#endif
