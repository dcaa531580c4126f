/*
 * limit.h - one budget and what was spent of it, for the whole or one analyst
 */
#ifndef SOTTO_LEDGER_LIMIT_H
#define SOTTO_LEDGER_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "sotto/filter.h"
#include "sotto/ledger.h"

struct sotto_limit {
	char *analyst; /* NULL for the whole */
	struct sotto_ledger_budget budget;
	struct sotto_filter filter;
	struct sotto_cost
		spent; /* as the filter's, but also what did not fit a lowered budget */
	int64_t window; /* number of the running one */
	uint64_t entries; /* in it */
	/* More was spent than a budget that was lowered since: nothing is admitted. */
	bool overspent;
};

/* Copies name and budget.  Fails: SOTTO_EINVAL for a bad budget; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_limit_init(struct sotto_limit *l, const char *analyst,
						    const struct sotto_ledger_budget *budget,
						    struct sotto_error *err);
void sotto_limit_release(struct sotto_limit *l);

/* Forgets what was spent. */
void sotto_limit_reset(struct sotto_limit *l);

/* Starts a new window if `time` lies in a later one than the last. */
void sotto_limit_roll(struct sotto_limit *l, int64_t time);

bool sotto_limit_concerns(const struct sotto_limit *l, const char *analyst);

/* Counts a charge that was made at `time`, whether it fits or not. */
SOTTO_MUST_CHECK enum sotto_status
sotto_limit_count(struct sotto_limit *l, int64_t time, const struct sotto_cost *cost);

/* SOTTO_OK if a charge at `time` fits, SOTTO_EBUDGET and why if not. */
SOTTO_MUST_CHECK enum sotto_status sotto_limit_check(struct sotto_limit *l, int64_t time,
						     const struct sotto_cost *cost,
						     struct sotto_error *err);

#endif
