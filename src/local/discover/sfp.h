/*
 * Sequence fragment puzzle: per start the most frequent (hash, piece) pairs, then
 * all strings whose pieces carry one hash and which hash to it themselves.
 */
#ifndef SOTTO_SFP_H
#define SOTTO_SFP_H

#include "local/discover/discover_inside.h"

SOTTO_MUST_CHECK enum sotto_status sotto_discover_sfp(const struct sotto_local_counts *c,
						      const struct sotto_local_search *s,
						      struct sotto_local_findings *out);

#endif
