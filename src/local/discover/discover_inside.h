/*
 * discover_inside.h - frequent strings that nobody listed: prospects that grow from round to round
 */
#ifndef SOTTO_DISCOVER_INSIDE_H
#define SOTTO_DISCOVER_INSIDE_H

#include "local/decode/sketch.h"
#include "sotto/discover.h"

#define SOTTO_ROUND_MAX ((size_t)1 << 24)
#define SOTTO_VALUE_BYTES 128

struct sotto_prospect {
	uint8_t bytes[SOTTO_VALUE_BYTES];
	double score;
};

struct sotto_prospects {
	struct sotto_prospect *items;
	size_t count;
};

SOTTO_MUST_CHECK enum sotto_status sotto_discover_pem(const struct sotto_local_counts *c,
						      const struct sotto_local_search *s,
						      struct sotto_local_findings *out);

SOTTO_MUST_CHECK enum sotto_status sotto_discover_tree(const struct sotto_local_counts *c,
						       const struct sotto_local_search *s,
						       struct sotto_local_findings *out);

/* Takes the prospects as findings whose estimates are then filled in. */
SOTTO_MUST_CHECK enum sotto_status sotto_findings_of(const struct sotto_prospects *p,
						     size_t value_bytes,
						     struct sotto_local_findings *out);

/* Fills the estimates of findings with these keys from a sketch of all users. */
SOTTO_MUST_CHECK enum sotto_status
sotto_findings_read(const struct sotto_sketch *s, const uint64_t *keys,
		    const struct sotto_local_options *o, struct sotto_local_findings *out);

#endif
