/* frequency.h - the keys by which candidates are looked up in the counters */
#ifndef SOTTO_FREQUENCY_H
#define SOTTO_FREQUENCY_H

#include "local/decode/supports.h"

/* The number or the 64-bit key of a candidate. */
uint64_t sotto_candidate_key(const struct sotto_local_candidates *c, size_t i, bool number);

#endif
