/*
 * nested_fall.h - how M(s) of a sample of repeated sampled Gaussians falls far out
 *
 * Given all draws but one, the loss is that of a sampled Gaussian with a rate of its own, of which the transform falls (nested.md).
 */
#ifndef SOTTO_NESTED_FALL_H
#define SOTTO_NESTED_FALL_H

#include "core/account/law/law.h"
#include "sotto/account.h"

/* Bounds of |M(c+iu)/M(c)| for u from rungs on, for a line Re s = c.  e is a sample of sampled Gaussians. */
void sotto_nested_ladder(const struct sotto_event *e, enum sotto_direction direction, double c,
			 double spread, struct sotto_ladder *out);

#endif
