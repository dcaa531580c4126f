/*
 * sotto/status.h - what a fallible function returns
 *
 * Every function that can fail returns an enum sotto_status, and writes its
 * outputs only when that is SOTTO_OK.  No function sets errno, prints or exits.
 */
#ifndef SOTTO_STATUS_H
#define SOTTO_STATUS_H

#include "sotto/api.h"

/* X(name, text): the one list from which the enum and both tables are made. */
#define SOTTO_STATUS_LIST(X)                                                                   \
	X(SOTTO_OK, "success")                                                                 \
	X(SOTTO_EINVAL, "an argument is not allowed")                                          \
	X(SOTTO_ERANGE, "a parameter is outside the supported range")                          \
	X(SOTTO_EOVERFLOW, "a number does not fit")                                            \
	X(SOTTO_EPARSE, "text could not be understood")                                        \
	X(SOTTO_ENOMEM, "out of memory")                                                       \
	X(SOTTO_EENTROPY, "the system's random source failed")                                 \
	X(SOTTO_EIO, "reading or writing failed")                                              \
	X(SOTTO_ECORRUPT, "stored data are damaged")                                           \
	X(SOTTO_ESTATE, "the object is not in a state that allows this")                       \
	X(SOTTO_EREFUSED, "refused: the request cannot be answered privately")                 \
	X(SOTTO_EBUDGET, "refused: the budget does not allow it")                              \
	X(SOTTO_EMISSING, "something that is needed is not there")                             \
	X(SOTTO_EINFEASIBLE, "the constraints contradict each other")

enum sotto_status {
#define SOTTO_STATUS_ENUM(name, text) name,
	SOTTO_STATUS_LIST(SOTTO_STATUS_ENUM)
#undef SOTTO_STATUS_ENUM
};

/* The name ("SOTTO_EINVAL") or a short lower-case text; never NULL, never to be freed. */
SOTTO_API const char *sotto_status_name(enum sotto_status status);
SOTTO_API const char *sotto_status_text(enum sotto_status status);

#endif
