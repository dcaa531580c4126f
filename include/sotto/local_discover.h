/*
 * sotto/local_discover.h - frequent strings that nobody listed beforehand
 *
 * PEM and TREEHIST extend frequent prefixes bit by bit; SFP puts fragments
 * together that carry the same puzzle hash.  What is found is tested on other
 * reports than those that found it (PEM, TREEHIST, SFP each have a last oracle on
 * the whole value), corrected for every candidate that was queried there.
 */
#ifndef SOTTO_LOCAL_DISCOVER_H
#define SOTTO_LOCAL_DISCOVER_H

#include "sotto/error.h"
#include "sotto/local_aggregate.h"
#include "sotto/local_estimate.h"

struct sotto_local_search {
	struct sotto_local_options options;
	size_t keep; /* prefixes or fragments kept per round; 0: 2^first prefix bits, or 80 */
	const uint8_t *alphabet; /* SFP: bytes that strings are made of, besides padding */
	size_t alphabet_size;
	uint32_t screen_rows; /* SFP: rows looked at first; 0: 64 */
};

struct sotto_local_found {
	uint8_t bytes[128]; /* padded with zeros */
	size_t length; /* without the padding */
	struct sotto_local_estimate estimate;
};

struct sotto_local_findings {
	struct sotto_local_found *items; /* most frequent first */
	size_t count;
	size_t queried; /* candidates that were tested */
	bool capped; /* a limit on the combinations bit: something may be missing */
};

/*
 * All candidates of the last round, significant or not.
 *
 * Fails: SOTTO_EINVAL for another protocol, no reports or no alphabet,
 *        SOTTO_ERANGE if a round would take more than 2^24 candidates, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_discover(struct sotto_local_aggregate *a, const struct sotto_local_search *search,
		     struct sotto_local_findings *out, struct sotto_error *err);
SOTTO_API void sotto_local_findings_release(struct sotto_local_findings *f);

#endif
