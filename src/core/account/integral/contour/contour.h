/*
 * contour.h - computes delta(epsilon) of a measure by a certified contour integral
 *
 * Argument and bounds: contour.md.
 */
#ifndef SOTTO_CONTOUR_H
#define SOTTO_CONTOUR_H

#include <stdbool.h>

#include "core/account/loss/measure/loss_measure.h"

struct sotto_contour;

/*
 * Prepares the integral for epsilons near this one.  Aliases and tails are kept small beside an
 * estimated delta, or beside exp(log_delta) if that is less (0 for no such hint).  nodes is the
 * most nodes to use; more nodes give a narrower answer.  The measures are borrowed; steer is m,
 * or one that dominates it and is cheaper on the real line.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_contour_new(const struct sotto_loss_measure *m, const struct sotto_loss_measure *steer,
		  double epsilon, double log_delta, uint64_t nodes, struct sotto_contour **out);
void sotto_contour_free(struct sotto_contour *k);

/*
 * Computes log delta(epsilon) of the finite part, bounded on both sides; -INFINITY if 0.
 * Fails:    SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_contour_delta(struct sotto_contour *k, double epsilon, double *log_low, double *log_high);

/* True if log_high, an answer, is far below the delta for which the integral was prepared. */
bool sotto_contour_was_too_bold(const struct sotto_contour *k, double log_high);

/* True if more nodes would make answers narrower. */
bool sotto_contour_wants_nodes(const struct sotto_contour *k);

/* Returns the rough slope of log delta at the prepared epsilon (negative), for steering. */
double sotto_contour_slope(const struct sotto_contour *k);

#endif
