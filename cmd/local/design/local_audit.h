/*
 * local_audit.h - trying to prove that a collection leaks more than it says
 */
#ifndef SOTTO_LOCAL_AUDIT_H
#define SOTTO_LOCAL_AUDIT_H

#include "local/local_command.h"

/*
 * Trials on two inputs, one event and its mirror; prints the epsilon stated and the
 * greatest that the trials prove.  Refuses if that is more, which happens with
 * probability alpha at most if nothing is wrong.
 */
enum outcome local_audit(const struct sotto_client_params *params, bool strings,
			 uint64_t trials, double alpha, const struct invocation *call,
			 struct sotto_error *err);

#endif
