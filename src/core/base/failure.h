/*
 * failure.h - sets the text of a struct sotto_error and passes statuses on
 */
#ifndef SOTTO_FAILURE_H
#define SOTTO_FAILURE_H

#include "sotto/status.h"

/*
 * Writes the sentence (cut at the size of err->text) and returns status, so
 * that a refusal is one line: return sotto_fail(err, SOTTO_EINVAL, "...").
 * err may be NULL.
 */
__attribute__((format(printf, 3, 4))) enum sotto_status
sotto_fail(struct sotto_error *err, enum sotto_status status, const char *format, ...);

/* Returns from the function with the status of the call if that is not SOTTO_OK. */
#define SOTTO_TRY(call)                                                                        \
	do {                                                                                   \
		enum sotto_status sotto_try_status_ = (call);                                  \
		if (sotto_try_status_ != SOTTO_OK)                                             \
			return sotto_try_status_;                                              \
	} while (0)

#endif
