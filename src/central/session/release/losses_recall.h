/*
 * losses_recall.h - finds what the limits lost among earlier answers
 */
#ifndef SOTTO_LOSSES_RECALL_H
#define SOTTO_LOSSES_RECALL_H

#include "central/session/session.h"

/*
 * Looks for the vector among the analyst's answers about the same data, for the plan and each of
 * its parts; sets plan->loss.known where it is found.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_losses_recall(struct sotto_session *s, const char *analyst, struct sotto_plan *plan,
		    struct sotto_error *err);

#endif
