/*
 * chromium.h - counting what Chromium's RAPPOR clients upload
 *
 * An upload is a protocol buffer: the client's seed, and a bit vector for each
 * metric, named by a hash.  The counts are those of a counts.csv
 * (sotto/decode.h), which sotto_local_rappor decodes.
 */
#ifndef SOTTO_CHROMIUM_H
#define SOTTO_CHROMIUM_H

#include "sotto/decode.h"

/* What uploads call the metric of this name. */
uint64_t sotto_local_chromium_name(const void *name, size_t length);

/*
 * Adds the upload's reports of one metric: reports[cohort] and
 * ones[cohort * bits + bit].  Other metrics and unknown fields are passed over.
 *
 * Fails: SOTTO_EPARSE if the upload is not one, says no seed or one that no client
 *        has, or has a vector of another length for the metric.  Nothing of it is
 *        counted then.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_local_chromium_add(const uint8_t *upload, size_t n,
			 const struct sotto_local_google *params, uint64_t metric,
			 uint64_t *reports, uint64_t *ones, struct sotto_error *err);

#endif
