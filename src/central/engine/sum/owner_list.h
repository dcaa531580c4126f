/*
 * owner_list.h - the maps of one statement, by the numbers that the engine carries
 *
 * Threads of the engine may call _keep, _load and _find at the same time.
 */
#ifndef SOTTO_OWNER_LIST_H
#define SOTTO_OWNER_LIST_H

#include "central/engine/sum/owner_map.h"
#include "sotto/status.h"

struct sotto_owners;

/* NULL without memory, or without a secret number. */
struct sotto_owners *sotto_owners_new(void);
void sotto_owners_free(struct sotto_owners *o);

/* For the next statement, while none runs. */
void sotto_owners_clear(struct sotto_owners *o);

/* Where blocks lie in its maps. */
uint64_t sotto_owners_seed(const struct sotto_owners *o);

/* Takes a map; its number, from 1 on.  0: without memory, the map is the caller's then. */
uint64_t sotto_owners_keep(struct sotto_owners *o, struct sotto_owner_map *m);

/* The map of a file (owner_file.h), read once in a statement.  Fails as that does. */
SOTTO_MUST_CHECK enum sotto_status
sotto_owners_load(struct sotto_owners *o, const char *path, size_t length, uint64_t *number);

/* NULL: there is none of that number. */
const struct sotto_owner_map *sotto_owners_find(struct sotto_owners *o, uint64_t number);

#endif
