/*
 * account_inside.h - an answer in fewer steps than it may usually take, for calibrations
 */
#ifndef SOTTO_ACCOUNT_INSIDE_H
#define SOTTO_ACCOUNT_INSIDE_H

#include "sotto/account.h"

/* As sotto_account_epsilon, with at most so many steps for the method itself. */
SOTTO_MUST_CHECK enum sotto_status
sotto_account_epsilon_within(const struct sotto_workload *w, const struct sotto_rational *delta,
			     enum sotto_method method, double steps,
			     struct sotto_account_answer *answer);

#endif
