/*
 * exponential.h - the inside of a prepared exponential mechanism
 */
#ifndef SOTTO_EXPONENTIAL_H
#define SOTTO_EXPONENTIAL_H

#include "core/mechanism/choice/preference.h"
#include "sotto/noise.h"
#include "sotto/rng.h"

struct sotto_exponential {
	struct sotto_preference preference;
};

/*
 * As sotto_exponential_select, where copies[i] outcomes have score i, some and fewer than
 * 2^63 together: P[*index = i] proportional to copies[i] exp(...).  The best score has
 * copies.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_exponential_select_copies(const struct sotto_exponential *m, struct sotto_rng *rng,
				const struct sotto_exact *scores, const uint64_t *copies,
				size_t n, size_t *index);

#endif
