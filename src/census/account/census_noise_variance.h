/*
 * census_noise_variance.h - variances of discrete noise
 */
#ifndef SOTTO_CENSUS_NOISE_VARIANCE_H
#define SOTTO_CENSUS_NOISE_VARIANCE_H

#include "sotto/rational.h"

/* Return the exact variances of the discrete laws, as doubles. */
double sotto_census_gaussian_variance(const struct sotto_rational *sigma2);
double sotto_census_laplace_variance(const struct sotto_rational *b);

#endif
