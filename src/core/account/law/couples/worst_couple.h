/*
 * worst_couple.h - disjoint cells of which two cost more than any other two, all but nothing (couples.md)
 */
#ifndef SOTTO_WORST_COUPLE_H
#define SOTTO_WORST_COUPLE_H

#include <stddef.h>

#include "core/account/integral/work.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* Children of the event; the curve of all couples is at least theirs, and at most that with so much more mass at infinity. */
struct sotto_worst_couple {
	size_t one, other;
	double left_out;
};

/* Of an event that is possible (couples.h).  Fails: SOTTO_EREFUSED if it is not known which two they are; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_worst_couple_of(const struct sotto_event *e,
							 struct sotto_work *work,
							 struct sotto_worst_couple *out);

#endif
