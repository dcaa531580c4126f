/*
 * idset.h - the batch ids that have been counted
 *
 * Ids are random, so their first bytes are the hash.
 */
#ifndef SOTTO_IDSET_H
#define SOTTO_IDSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

struct sotto_idset {
	uint8_t (*slots)[16];
	uint8_t *taken;
	size_t capacity, count;
};

void sotto_idset_release(struct sotto_idset *s);
bool sotto_idset_has(const struct sotto_idset *s, const uint8_t id[16]);

/* Adds an id that is not there.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_idset_add(struct sotto_idset *s, const uint8_t id[16]);

#endif
