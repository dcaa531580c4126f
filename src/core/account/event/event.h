/*
 * event.h - makes, checks, compares and simplifies events in code instead of text
 */
#ifndef SOTTO_EVENT_H
#define SOTTO_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/account.h"

/* Returns the name used in text ("laplace"). */
const char *sotto_event_name(enum sotto_event_kind kind);

/* Makes an event of this kind with all parameters 0 and count 1.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_event_new(enum sotto_event_kind kind, struct sotto_event **out);

/* Copies an event with its children.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_event_copy(const struct sotto_event *e, struct sotto_event **out);

/* Adds a child and takes it on success.  Fails: SOTTO_ENOMEM; SOTTO_ERANGE past 65536 children. */
SOTTO_MUST_CHECK enum sotto_status
sotto_event_adopt(struct sotto_event *e, struct sotto_event *child);

/*
 * Checks an event.
 *
 * Fails:    SOTTO_EINVAL if the event or a child has a negative epsilon, a rate or probability
 *           outside [0, 1], the wrong number of children and so on; err says which parameter is
 *           wrong.  SOTTO_ERANGE past 16 levels or for a parameter beyond 2^+-4096.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_event_check(const struct sotto_event *e, struct sotto_error *err);

/* Returns how many events it is made of, itself included. */
size_t sotto_event_parts(const struct sotto_event *e);

/* Compares two events in a total order that includes the count. */
int sotto_event_compare(const struct sotto_event *a, const struct sotto_event *b);

/*
 * Makes the equivalent event in simplest form; its count may differ from e's, and is 0 if it
 * costs nothing.  Fails: SOTTO_ENOMEM, SOTTO_ERANGE.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_event_simplify(const struct sotto_event *e,
							enum sotto_neighbours neighbours,
							struct sotto_event **out);

/* True if the form shows that every delta(epsilon) of a is at least that of b. */
bool sotto_event_dominates(const struct sotto_event *a, const struct sotto_event *b);

#endif
