/*
 * renyi_curve.h - adds Renyi curves and converts at the best order (renyi_convert.md)
 */
#ifndef SOTTO_RENYI_CURVE_H
#define SOTTO_RENYI_CURVE_H

#include <gmp.h>

#include "core/account/event/workload_terms.h"
#include "sotto/status.h"

/* Both write an upper bound and the order used minus one.  Fail: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_renyi_epsilon(const struct sotto_terms *t,
						       mpq_srcptr delta, double *epsilon,
						       double *order);
SOTTO_MUST_CHECK enum sotto_status sotto_renyi_log_delta(const struct sotto_terms *t,
							 double epsilon, double *log_delta,
							 double *order);

/*
 * Computes the Renyi divergence of order alpha > 1 of one workload, rounded up; INFINITY if
 * unknown.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_renyi_divergence(const struct sotto_terms *t, double alpha, double *divergence);

#endif
