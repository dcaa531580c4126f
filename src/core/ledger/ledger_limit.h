/*
 * ledger_limit.h - one budget and what was spent of it in one window, for all or for one analyst
 */
#ifndef SOTTO_LEDGER_LIMIT_H
#define SOTTO_LEDGER_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "sotto/cost.h"
#include "sotto/ledger.h"

enum { SOTTO_WINDOW_NONE = -1 };

struct sotto_limit {
	char *analyst; /* NULL: for all together */
	/*
	 * This is the whole as analysts see it: answers that were shared count too, so that
	 * nobody learns from it what others ask.  It never admits or refuses a charge.
	 */
	bool is_shown;
	/*
	 * This counts what an analyst without a share has spent; it never admits or refuses
	 * either.
	 */
	bool is_tally;
	struct sotto_ledger_budget budget;
	struct sotto_filter filter;
	struct sotto_cost spent; /* by the filter, plus what did not fit a lowered budget */
	int64_t window; /* number of the window that is counted; SOTTO_WINDOW_NONE: nobody has looked
			   yet */
	bool is_recounted; /* while rows are read again */
	uint64_t entries; /* in that window */
	/* More was spent than a since lowered budget: nothing is admitted. */
	bool overspent;
	/* Cached: it is read far more often than it changes, and computing it takes a search. */
	struct sotto_filter_left left;
	bool left_is_known; /* the cached value is current */
};

/*
 * Copies name and budget.  If `alike` (or NULL) has the same budget, what the filter admits is not
 * computed again.  Fails: SOTTO_EINVAL for a bad budget; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_limit_init(struct sotto_limit *l, const char *analyst,
						    const struct sotto_ledger_budget *budget,
						    const struct sotto_limit *alike,
						    struct sotto_error *err);
void sotto_limit_release(struct sotto_limit *l);

/*
 * Return the window that contains a time, and the time at which a window begins; a budget that is
 * never renewed has one window.
 */
int64_t sotto_limit_window(const struct sotto_limit *l, int64_t time);
int64_t sotto_limit_start(const struct sotto_limit *l, int64_t window);

/* Starts counting another window, in which nothing is spent yet. */
void sotto_limit_turn(struct sotto_limit *l, int64_t window);

/* True if a charge under that name must pass this limit. */
bool sotto_limit_concerns(const struct sotto_limit *l, const char *analyst);

/* True if an entry of that kind under that name counts in this limit. */
bool sotto_limit_counts(const struct sotto_limit *l, enum sotto_ledger_kind kind,
			const char *analyst);

/* Counts a charge, whether or not it fits. */
SOTTO_MUST_CHECK enum sotto_status
sotto_limit_count(struct sotto_limit *l, const struct sotto_cost *cost);

/* Computes what is left once a cost (NULL: nothing) is spent too; all zero once overspent. */
void sotto_limit_left(struct sotto_limit *l, const struct sotto_cost *cost,
		      struct sotto_filter_left *out);

/* Returns how many charges of a cost fit after the first; UINT64_MAX: any number. */
uint64_t sotto_limit_fits(const struct sotto_limit *l, const struct sotto_cost *first,
			  const struct sotto_cost *cost);

/* Returns SOTTO_OK if a charge fits, else SOTTO_EBUDGET and says why. */
SOTTO_MUST_CHECK enum sotto_status sotto_limit_check(const struct sotto_limit *l,
						     const struct sotto_cost *cost,
						     struct sotto_error *err);

#endif
