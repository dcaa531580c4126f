/*
 * calibrate_inside.h - inside of a calibration, for calibrate.c and calibrate_count.c
 */
#ifndef SOTTO_CALIBRATE_INSIDE_H
#define SOTTO_CALIBRATE_INSIDE_H

#include <stdbool.h>

#include "core/account/integral/work.h"
#include "sotto/account.h"
#include "sotto/status.h"

struct sotto_solver {
	const struct sotto_problem *problem;
	bool falls; /* epsilon falls as the value grows: noise parameters */
	enum {
		SOTTO_BY_ONE,
		SOTTO_BY_QUICK,
		SOTTO_BY_ALL
	} by; /* price by one method, by the quick ones, or by all */
	enum sotto_method method;
	struct sotto_work work; /* for all prices together */
	struct sotto_error *err;
};

/* True if the remaining steps pay for one more price. */
bool sotto_solver_may_go_on(const struct sotto_solver *s);

/* Computes what the events cost with this value.  Fails as sotto_account_epsilon. */
SOTTO_MUST_CHECK enum sotto_status sotto_solver_price(struct sotto_solver *s,
						      const struct sotto_rational *value,
						      struct sotto_account_answer *answer);

/* True if this epsilon is at most the target. */
bool sotto_solver_meets(const struct sotto_solver *s, double epsilon);

/*
 * Finds the largest count that meets the target.  Fails: SOTTO_EREFUSED; as
 * sotto_account_epsilon.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_solver_find_count(struct sotto_solver *s, struct sotto_solution *out);

#endif
