/*
 * pure.h - estimates of a pure protocol, in which a report supports a value or does not
 */
#ifndef SOTTO_PURE_H
#define SOTTO_PURE_H

#include "local/decode/collide.h"
#include "local/decode/estimate.h"
#include "sotto/decode.h"

/* One estimate per key, from the rates and supports of the protocol's record. */
SOTTO_MUST_CHECK enum sotto_status
sotto_pure_estimate(const struct sotto_local_counts *c, const uint64_t *keys, size_t count,
		    double alpha, enum sotto_local_target target,
		    struct sotto_local_estimate *out);

/* The same from the supports; x is NULL if values share no hash functions. */
SOTTO_MUST_CHECK enum sotto_status
sotto_pure_estimate_supports(uint64_t reports, const uint64_t *supports, size_t count,
			     struct sotto_rates rates, const struct sotto_collisions *x,
			     double alpha, enum sotto_local_target target,
			     struct sotto_local_estimate *out);

#endif
