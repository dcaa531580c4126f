/*
 * nonuniform.h - sums of weight exp(i t loss) at equally spaced t, for many losses at any place
 *
 * Each weight is spread over a few points of a circle with a Gaussian, one transform gives all
 * sums, and dividing by the Gaussian's transform undoes the spreading.  Argument and error:
 * nonuniform.md.
 */
#ifndef SOTTO_NONUNIFORM_H
#define SOTTO_NONUNIFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/account/integral/fft.h"

enum { SOTTO_SEGMENT = 1 << 14 }; /* nodes of one transform */

/* To all digits; or to some 1e-7, in a third of the time. */
enum sotto_nonuniform_care { SOTTO_NONUNIFORM_SHARP, SOTTO_NONUNIFORM_ROUGH };

struct sotto_nonuniform {
	struct sotto_fft fft; /* as long as the circle */
	const struct sotto_spreading *how;
	struct cx *circle;
	double *undo; /* what each sum is multiplied by */
	uint32_t *cell; /* of each loss on the circle */
	double *rest; /* its place in the cell, 0 to 1 */
	size_t n;
	double h;
	size_t crowd; /* the most losses in one cell */
	uint64_t first; /* of the current segment */
	struct cx *sums; /* SOTTO_SEGMENT of them */
	bool made;
};

/*
 * Prepares the sums for t = h k.  Copies part of the losses.  Fails: SOTTO_ENOMEM (release it
 * even then).
 */
SOTTO_MUST_CHECK enum sotto_status sotto_nonuniform_init(struct sotto_nonuniform *u,
							 const double *loss, size_t n, double h,
							 enum sotto_nonuniform_care care);
void sotto_nonuniform_release(struct sotto_nonuniform *u);

/*
 * Computes the sums for k = first .. first + SOTTO_SEGMENT - 1 with these weights and the same
 * losses as before.
 */
void sotto_nonuniform_run(struct sotto_nonuniform *u, const double *loss, const double *weight,
			  uint64_t first);

/*
 * Returns the error bound of each sum, if the weights are not negative and sum to 1, apart from 8
 * u t |loss| in each phase.
 */
double sotto_nonuniform_error(const struct sotto_nonuniform *u);

/* How many steps (work.h) a run takes. */
double sotto_nonuniform_steps(const struct sotto_nonuniform *u);

#endif
