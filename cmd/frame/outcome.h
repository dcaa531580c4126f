/*
 * outcome.h - how a command ends: the exit status of the program
 */
#ifndef SOTTO_OUTCOME_H
#define SOTTO_OUTCOME_H

/* Exit statuses of the program, which its functions return. */
enum outcome {
	OUTCOME_DONE = 0,
	OUTCOME_REFUSED = 1, /* understood but not allowed, or it failed */
	OUTCOME_USAGE = 2, /* not understood */
	OUTCOME_INFEASIBLE = 3, /* sotto release: the constraints contradict each other */
	OUTCOME_BUDGET = 4 /* sotto release: the ledger does not admit it */
};

#endif
