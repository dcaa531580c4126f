/*
 * covariance.h - aggregates of two columns
 */
#ifndef SOTTO_COVARIANCE_H
#define SOTTO_COVARIANCE_H

#include "central/plan/expression/bind.h"

/* True for COVAR_POP, COVAR_SAMP, CORR and REGR_SLOPE, _INTERCEPT, _R2. */
bool sotto_covariance_knows(const char *name);

/*
 * The call as an expression over COUNT and SUM.  Fails: SOTTO_EREFUSED if an
 * argument has no bounds; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_covariance_expand(struct sotto_binder *b,
							   const struct sotto_sql_expr *call,
							   struct sotto_sql_expr **out);

#endif
