/* mode.h - publishes the most frequent value of a histogram */
#ifndef SOTTO_MODE_H
#define SOTTO_MODE_H

#include "core/mechanism/quantile/quantile.h"

SOTTO_MUST_CHECK enum sotto_status
sotto_mode_publish(const struct sotto_exponential *m, struct sotto_rng *rng,
		   const struct sotto_histogram *h, struct sotto_noisy *out);

#endif
