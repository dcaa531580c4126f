/*
 * shuffle_curve.h - amplification by shuffling: the clone pair, and bounds in closed form
 *
 * There are n users, each with an epsilon0-LDP randomizer; neighbours replace one of them.
 * Theory and bounds of the computation: shuffle_curve.md.
 */
#ifndef SOTTO_SHUFFLE_CURVE_H
#define SOTTO_SHUFFLE_CURVE_H

#include "core/account/integral/work.h"
#include "sotto/account.h"
#include "sotto/status.h"

struct sotto_shuffle;

/* Makes the curve; work is borrowed, or NULL.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_shuffle_new(const struct sotto_event *e,
						     struct sotto_work *work,
						     struct sotto_shuffle **out);
void sotto_shuffle_free(struct sotto_shuffle *s);

/* Returns mu of a Gaussian mechanism that roughly matches the clone pair, for steering. */
double sotto_shuffle_mu(const struct sotto_shuffle *s);

/*
 * Computes log delta(epsilon) of the clone pair, bounded on both sides; if no work is left, delta
 * is bounded by 0 and 1.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_shuffle_delta(const struct sotto_shuffle *s,
						       double epsilon, double *log_low,
						       double *log_high);

#endif
