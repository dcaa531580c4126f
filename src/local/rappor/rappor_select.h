/*
 * Which candidates deserve a place in the fit, when there are too many for all of them.
 *
 * Screening looks at one candidate at a time: the mean of what is left of y over its
 * bits.  Frequent strings hide rarer ones, because everybody's bits overlap by chance;
 * so what is found is fitted and taken out, and the screen looks again (iterated sure
 * independence screening, Fan and Lv 2008).
 */
#ifndef SOTTO_RAPPOR_SELECT_H
#define SOTTO_RAPPOR_SELECT_H

#include "local/rappor/rappor_job.h"

/* Marks at most `limit` candidates for a fit.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_select_columns(const struct sotto_job *j, size_t limit, bool *keep);

#endif
