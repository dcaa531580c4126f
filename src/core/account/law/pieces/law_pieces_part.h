/*
 * law_pieces_part.h - a part before and after sampling
 *
 * For law_pieces_part.c and law_pieces_panels.c.
 */
#ifndef SOTTO_LAW_PIECES_PART_H
#define SOTTO_LAW_PIECES_PART_H

#include "core/account/law/pieces/law_pieces.h"

/* Gaussian parts are integrated up to here, in standard deviations. */
#define SOTTO_PART_SIGMAS 12.0

/* The loss that x becomes by sampling; and the loss before sampling that becomes epsilon. */
double sotto_part_loss_of(const struct sotto_curve_part *p, double x);
double sotto_part_base_of(const struct sotto_curve_part *p, double epsilon);

/* log of what sampling multiplies the P-mass at x by: q + (1-q) e^-x */
double sotto_part_log_factor(const struct sotto_curve_part *p, double x);

/* The tails at epsilon, which x before sampling becomes. */
struct sotto_part_tails
sotto_part_tails_at(const struct sotto_curve_part *p, double x, double epsilon);

/* The range before sampling; the lower end holds all of Q too. */
void sotto_part_base_range(const struct sotto_curve_part *p, double *low, double *high);

#endif
