/*
 * ledger_limit.h - one budget and what was spent of it in one window, for the whole or one analyst
 */
#ifndef SOTTO_LEDGER_LIMIT_H
#define SOTTO_LEDGER_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "sotto/cost.h"
#include "sotto/ledger.h"

struct sotto_limit {
	char *analyst; /* NULL for the whole */
	/* The whole as analysts see it: answers that were shared count too, so that nobody
	 * learns from it what others ask.  It admits and refuses nothing. */
	bool is_shown;
	/* What an analyst without a share has spent: it admits and refuses nothing either. */
	bool is_tally;
	struct sotto_ledger_budget budget;
	struct sotto_filter filter;
	struct sotto_cost
		spent; /* as the filter's, but also what did not fit a lowered budget */
	int64_t window; /* number of the one that is counted */
	uint64_t entries; /* in it */
	/* More was spent than a budget that was lowered since: nothing is admitted. */
	bool overspent;
	/* What is left is asked for far more often than it changes, and costs a search. */
	struct sotto_filter_left left;
	bool left_is_known; /* of what is counted now */
};

/* Copies name and budget.  Fails: SOTTO_EINVAL for a bad budget; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_limit_init(struct sotto_limit *l, const char *analyst,
						    const struct sotto_ledger_budget *budget,
						    struct sotto_error *err);
void sotto_limit_release(struct sotto_limit *l);

/* The window that a time lies in, and when a window begins; all is in one that is never renewed. */
int64_t sotto_limit_window(const struct sotto_limit *l, int64_t time);
int64_t sotto_limit_start(const struct sotto_limit *l, int64_t window);

/* Counts another window from now on, in which nothing is spent yet. */
void sotto_limit_turn(struct sotto_limit *l, int64_t window);

/* Does a charge in that name have to pass it? */
bool sotto_limit_concerns(const struct sotto_limit *l, const char *analyst);

/* Is an entry of that kind in that name counted in it? */
bool sotto_limit_counts(const struct sotto_limit *l, enum sotto_ledger_kind kind,
			const char *analyst);

/* Counts a charge, whether it fits or not. */
SOTTO_MUST_CHECK enum sotto_status
sotto_limit_count(struct sotto_limit *l, const struct sotto_cost *cost);

/* What is left once a cost (nothing, if NULL) is spent too; all zero once overspent. */
void sotto_limit_left(struct sotto_limit *l, const struct sotto_cost *cost,
		      struct sotto_filter_left *out);

/* How many charges of a cost fit, one after the other; UINT64_MAX: any number. */
uint64_t sotto_limit_fits(const struct sotto_limit *l, const struct sotto_cost *first,
			  const struct sotto_cost *cost);

/* SOTTO_OK if a charge fits, SOTTO_EBUDGET and why if not. */
SOTTO_MUST_CHECK enum sotto_status sotto_limit_check(const struct sotto_limit *l,
						     const struct sotto_cost *cost,
						     struct sotto_error *err);

#endif
