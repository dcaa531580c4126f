/*
 * permute_and_flip.h - inside of permute-and-flip
 */
#ifndef SOTTO_PERMUTE_AND_FLIP_H
#define SOTTO_PERMUTE_AND_FLIP_H

#include <stddef.h>
#include <stdint.h>

#include "core/mechanism/choice/preference.h"

struct sotto_permute_and_flip {
	struct sotto_preference preference;
};

/*
 * Returns the index of accepted outcome number `rank` (from 0) among n flags of 0 or 1.  Takes
 * the same time for all flags.
 */
size_t sotto_permute_and_flip_pick(const uint8_t *accepted, size_t n, uint64_t rank);

#endif
