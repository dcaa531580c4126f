/*
 * pair_noise.h - how wrong a sum of two noises is, as they are drawn
 *
 * joint_noise.h predicts errors by the real laws; intervals need a bound that holds for the
 * discrete ones.
 */
#ifndef SOTTO_PAIR_NOISE_H
#define SOTTO_PAIR_NOISE_H

#include "central/price/laplace_or_gaussian.h"

/* Can the two be added up?  Noises of one kind, and Gaussian noise not below sigma 1. */
bool sotto_pair_noise_fits(const struct sotto_added_noise *x,
			   const struct sotto_added_noise *y);

/*
 * |f X + g Y| is no larger with probability 95 % at least, where X and Y are drawn from these
 * two, which fit.  It is convex in (f, g).
 */
double sotto_pair_noise_size_up(const struct sotto_added_noise *x, double f,
				const struct sotto_added_noise *y, double g);

#endif
