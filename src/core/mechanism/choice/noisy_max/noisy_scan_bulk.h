/*
 * noisy_scan_bulk.h - finds the leaders of a run of noisy scores in constant time
 */
#ifndef SOTTO_NOISY_SCAN_BULK_H
#define SOTTO_NOISY_SCAN_BULK_H

#include "core/mechanism/choice/noisy_max/noisy_max_state.h"

/*
 * Start with {SOTTO_NOISY_NOBODY, SOTTO_NOISY_NOBODY, 0}.  _scan maintains the rival; _race does
 * not and is faster.
 */
void sotto_noisy_leader_scan(struct sotto_noisy_leader *l, const struct sotto_noisy_run *run);

void sotto_noisy_leader_race(struct sotto_noisy_leader *l, const struct sotto_noisy_run *run);

/* Start with all places {SOTTO_NOISY_NOBODY, 0}; they are kept in order, best first. */
void sotto_noisy_places_scan(struct sotto_noisy_place *places, size_t top,
			     const struct sotto_noisy_run *run);

#endif
