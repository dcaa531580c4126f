/*
 * laplace_beside.h - Laplace noise beside a list of outcomes, as points of a polygon above or below the curve of both (between.md)
 */
#ifndef SOTTO_LAPLACE_BESIDE_H
#define SOTTO_LAPLACE_BESIDE_H

#include <stdbool.h>

#include "core/account/law/between/mirrored.h"
#include "sotto/status.h"

/* Outcomes of both signs, losses growing; masses of P and Q, and their geometric means, of each and all above it. */
struct sotto_tails {
	double *loss, *p, *q, *h; /* one allocation: free loss */
	size_t n;
};

/* Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_tails_of(const struct sotto_mirrored *m, struct sotto_tails *out);

/* Losses x >= 0, growing from 0, at which the curve is computed. */
struct sotto_loss_grid {
	double *x;
	size_t n;
};

/* So many points: half of them up to the largest loss of both, and half where an outcome of Laplace noise is spread out by the list.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_laplace_grid(const struct sotto_tails *t,
						      double epsilon, size_t n,
						      struct sotto_loss_grid *out);

/*
 * So many points again, most of them between two losses of one person, as close to each other as they bend the curve.  Fails: as
 * above.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_regrid(const struct sotto_tails *t, double epsilon,
		     const struct sotto_loss_grid *rough, double from, double to, size_t n,
		     struct sotto_loss_grid *out);

/* The curve itself at all of these, a bit too high; or where the lines meet that touch it there, a bit too low.  Fails: as above. */
SOTTO_MUST_CHECK enum sotto_status
sotto_laplace_points(const struct sotto_tails *t, double epsilon,
		     const struct sotto_loss_grid *grid, bool above, struct sotto_points *out);

#endif
