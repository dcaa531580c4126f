/*
 * contour_sweep.h - bounds of the product of very many laws at all nodes, at once
 */
#ifndef SOTTO_CONTOUR_SWEEP_H
#define SOTTO_CONTOUR_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "core/account/loss/measure/loss_measure.h"
#include "sotto/status.h"

/* Nodes that one bound is for. */
enum { SOTTO_SCAN_NODES = 4, SOTTO_SCAN_BOUNDS = SOTTO_BLOCK / SOTTO_SCAN_NODES };

/* The line: Re s = c, nodes h apart, and the laws' states there. */
struct sotto_scan_line {
	const struct sotto_loss_measure *m;
	void *const *state;
	double c, h;
	double budget; /* what all blocks that are left out may weigh together */
};

/*
 * Multiplies the bounds, SOTTO_SCAN_BOUNDS of each block, by what pairs of likely outcomes say of very many laws at once, and notes of which.  Says nothing, and notes none,
 * where too few laws know such outcomes.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_scan_sweep(double *bound, size_t blocks,
						    const struct sotto_scan_line *line,
						    bool *is_swept);

#endif
