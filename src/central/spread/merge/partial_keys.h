/*
 * partial_keys.h - groups by the bytes of their keys
 *
 * Keys have numbers in the order in which they came; a key is found by its bytes.  What is
 * kept is wiped when it goes.
 */
#ifndef SOTTO_PARTIAL_KEYS_H
#define SOTTO_PARTIAL_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

enum { SOTTO_NO_KEY = -1 };

struct sotto_partial_key;

struct sotto_partial_keys {
	struct sotto_partial_key *items;
	size_t count, capacity;
	int64_t *slots; /* numbers of keys by hash; SOTTO_NO_KEY: free */
	size_t slot_count; /* a power of two */
};

void sotto_partial_keys_init(struct sotto_partial_keys *k);
void sotto_partial_keys_release(struct sotto_partial_keys *k);

/* Its number, or SOTTO_NO_KEY. */
int64_t
sotto_partial_keys_find(const struct sotto_partial_keys *k, const char *bytes, size_t n);

/* One that is not there yet; its number is k->count before the call.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_partial_keys_add(struct sotto_partial_keys *k, const char *bytes, size_t n);

#endif
