/*
 * event.h - making and checking an event in code instead of text
 */
#ifndef SOTTO_EVENT_H
#define SOTTO_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/account.h"

/* The name used in text ("laplace"). */
const char *sotto_event_name(enum sotto_event_kind kind);

/* An event of this kind with all parameters 0 and count 1.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_event_new(enum sotto_event_kind kind, struct sotto_event **out);

/* A copy with its own children.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_event_copy(const struct sotto_event *e, struct sotto_event **out);

/* Takes child on success.  Fails: SOTTO_ENOMEM; SOTTO_ERANGE past 65536 children. */
SOTTO_MUST_CHECK enum sotto_status
sotto_event_adopt(struct sotto_event *e, struct sotto_event *child);

/*
 * Fails: SOTTO_EINVAL, err saying which parameter is wrong, if the event or a
 * child has a negative epsilon, a rate or probability outside [0, 1], the wrong
 * number of children and so on; SOTTO_ERANGE past 16 levels or for a parameter
 * beyond 2^+-4096.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_event_check(const struct sotto_event *e, struct sotto_error *err);

#endif
