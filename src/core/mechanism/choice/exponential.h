/*
 * exponential.h - inside of a prepared exponential mechanism
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
 * Selects as sotto_exponential_select does, where copies[i] outcomes have score i, in total at
 * least 1 and fewer than 2^63: P[*index = i] is proportional to copies[i] exp(...).  The best
 * score must have copies.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_exponential_select_copies(const struct sotto_exponential *m, struct sotto_rng *rng,
				const struct sotto_exact *scores, const uint64_t *copies,
				size_t n, size_t *index);

#endif
