/*
 * joint_noise.h - how wrong a sum of noises is
 */
#ifndef SOTTO_JOINT_NOISE_H
#define SOTTO_JOINT_NOISE_H

#include "central/price/laplace_or_gaussian.h"

/* A noise, and what it is multiplied by. */
struct sotto_noise_term {
	const struct sotto_added_noise *noise;
	double factor;
};

/* 95 % of the sums of all terms are no larger, either way; by the real laws, to about 1e-5. */
double sotto_joint_noise_size(const struct sotto_noise_term *terms, size_t count);

#endif
