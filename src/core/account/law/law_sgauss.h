/*
 * law_sgauss.h - the rule of a sampled Gaussian law, for laws that are made of it
 */
#ifndef SOTTO_LAW_SGAUSS_H
#define SOTTO_LAW_SGAUSS_H

#include <stddef.h>

#include "core/account/integral/complex.h"
#include "core/account/law/law.h"
#include "sotto/status.h"

/* M(s) is the sum of exp(log_mass + s loss); rounding: what log_mass and loss may be wrong by. */
struct sotto_sgauss_point {
	struct cx loss, log_mass;
	double loss_error, mass_error;
};

struct sotto_sgauss_points {
	struct sotto_sgauss_point *at; /* the caller frees it */
	size_t n;
	double error; /* of the sum, beside M(Re s) */
};

/* For all s with 0 < Re s <= c.  Fails: SOTTO_EREFUSED if too many would be needed; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sgauss_points_for(const struct sotto_law *law, double c, struct sotto_sgauss_points *out);

/* exp(i t loss) - 1 at each node of the block, loss complex. */
void sotto_sgauss_turns(const struct sotto_block *b, struct cx loss, double *xr, double *xi);

#endif
