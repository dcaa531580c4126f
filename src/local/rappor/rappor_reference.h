/* rappor_reference.h - the constrained fit, and all that google/rappor's decode.R does */
#ifndef SOTTO_RAPPOR_REFERENCE_H
#define SOTTO_RAPPOR_REFERENCE_H

#include "local/rappor/rappor_job.h"

/* The posts of a constrained fit, in users; is_plain: every bit alike, and x >= 0 alone. */
SOTTO_MUST_CHECK enum sotto_status
sotto_constrained_posts(const struct sotto_job *j, double users, bool is_plain,
			struct sotto_local_estimate *out, struct sotto_error *err);

/* What google/rappor's decode.R does. */
SOTTO_MUST_CHECK enum sotto_status
sotto_reference_decode(const struct sotto_job *j, const struct sotto_local_options *o,
		       struct sotto_local_estimate *out, struct sotto_local_fit *fit,
		       struct sotto_error *err);

#endif
