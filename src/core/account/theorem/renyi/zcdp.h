/*
 * zcdp.h - adds the rhos of a workload and converts the sum
 */
#ifndef SOTTO_ZCDP_H
#define SOTTO_ZCDP_H

#include <gmp.h>
#include <mpfr.h>

#include "core/account/event/workload_terms.h"
#include "sotto/status.h"

/* Adds the rhos, rounded up, and the deltas up to which they hold.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_zcdp_sum(const struct sotto_terms *t, mpfr_t sum, mpq_t delta);

/* Both write an upper bound and the Renyi order used minus one.  Fail: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_zcdp_terms_epsilon(const struct sotto_terms *t,
							    mpq_srcptr delta, double *epsilon,
							    double *order);
SOTTO_MUST_CHECK enum sotto_status sotto_zcdp_terms_log_delta(const struct sotto_terms *t,
							      mpq_srcptr epsilon,
							      double *log_delta, double *order);

#endif
