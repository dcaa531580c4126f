/*
 * contour_floor.h - a rough lower side of epsilon, for little work
 */
#ifndef SOTTO_CONTOUR_FLOOR_H
#define SOTTO_CONTOUR_FLOOR_H

#include "core/account/loss/measure/loss_measure.h"

/*
 * Finds an epsilon at which log delta of the finite part is certainly not below log_delta: one about as large as is wanted, or 0 if that was not found (contour.md).  Fails:
 * SOTTO_EREFUSED if no work is left; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_contour_floor(const struct sotto_loss_measure *m,
						       double wanted, double log_delta,
						       double *floor);

#endif
