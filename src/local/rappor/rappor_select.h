/* rappor_select.h - marks the candidates for a fit, when there are too many for all of them */
#ifndef SOTTO_RAPPOR_SELECT_H
#define SOTTO_RAPPOR_SELECT_H

#include "local/rappor/rappor_job.h"

/* Marks at most `limit` candidates for a fit.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_select_columns(const struct sotto_job *j, size_t limit, bool *keep);

#endif
