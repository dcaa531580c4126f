/*
 * sgauss_cumulants.h - K of a sampled Gaussian law at real orders
 */
#ifndef SOTTO_SGAUSS_CUMULANTS_H
#define SOTTO_SGAUSS_CUMULANTS_H

#include "core/account/law/law.h"

/* As a class of laws has them (law.h). */
void sotto_sgauss_cumulants(const struct sotto_law *law, double s, double k[3]);
double sotto_sgauss_terms(const struct sotto_law *law, double s);

/* K, K', K'' of one event from the rule on the real line; *size bounds the rounding error of K in units u. */
void sotto_sgauss_one_cumulants(const struct sotto_law *law, double s, double digits,
				double k[3], double *size);

/*
 * Of many: what K(s) on the real line is a sum of, for orders up to the reach and to so many digits (sgauss_rule.h); none where it would be
 * longer than the most.  Fails: SOTTO_ENOMEM.
 */
#define SOTTO_SGAUSS_LISTED_REACH 16.0
enum { SOTTO_SGAUSS_LIST_MAX = 256 };
SOTTO_MUST_CHECK enum sotto_status sotto_sgauss_list(struct sotto_law *law, double digits);

#endif
