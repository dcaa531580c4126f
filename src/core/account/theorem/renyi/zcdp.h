/*
 * zcdp.h - the sum of rhos of a workload, converted
 */
#ifndef SOTTO_ZCDP_H
#define SOTTO_ZCDP_H

#include <gmp.h>
#include <mpfr.h>

#include "core/account/event/workload_terms.h"
#include "sotto/status.h"

/* Sum of rhos, rounded up, and of the deltas that they hold up to.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_zcdp_sum(const struct sotto_terms *t, mpfr_t sum, mpq_t delta);

/* Both write an upper bound and the Renyi order used, less one.  Fail: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_zcdp_terms_epsilon(const struct sotto_terms *t,
							    mpq_srcptr delta, double *epsilon,
							    double *order);
SOTTO_MUST_CHECK enum sotto_status sotto_zcdp_terms_log_delta(const struct sotto_terms *t,
							      mpq_srcptr epsilon,
							      double *log_delta, double *order);

#endif
