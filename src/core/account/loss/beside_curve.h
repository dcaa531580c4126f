/*
 * beside_curve.h - one continuous law beside events with finitely many outcomes
 *
 * With outcomes of loss l and probability p, delta(epsilon) is the sum of p base(epsilon - l): as
 * sharp as the closed form of the continuous law.  For epsilon below l the base is evaluated in
 * the other direction, base(-x) = 1 - e^-x + e^-x back(x).
 */
#ifndef SOTTO_BESIDE_CURVE_H
#define SOTTO_BESIDE_CURVE_H

#include <stdbool.h>

#include "core/account/event/workload_terms.h"
#include "core/account/law/law.h"
#include "core/account/loss/loss_level.h"
#include "sotto/status.h"

struct sotto_beside;

/*
 * Makes the curve.
 *
 * Fails:    SOTTO_EREFUSED unless one event, once, or all Gaussians together are continuous and
 *           have a closed form, and the others have few outcomes in total; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_beside_new(const struct sotto_terms *t,
						    enum sotto_direction direction,
						    struct sotto_beside **out);
void sotto_beside_free(struct sotto_beside *b);

/* See sotto_curve_make_rough. */
bool sotto_beside_make_rough(struct sotto_beside *b);

/* See sotto_curve_delta and sotto_curve_epsilon. */
SOTTO_MUST_CHECK enum sotto_status
sotto_beside_delta(struct sotto_beside *b, double epsilon, double *log_low, double *log_high);
SOTTO_MUST_CHECK enum sotto_status sotto_beside_epsilon(struct sotto_beside *b,
							const struct sotto_level *level,
							double *lower, double *upper);

#endif
