/*
 * A list of names in which those that are equal, in any case of letters, are found without looking
 * at the others, however long it is.
 */
#ifndef SOTTO_NAME_INDEX_H
#define SOTTO_NAME_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"

/* All zero: an empty list.  Places of names stand in chains, one for each bucket. */
struct sotto_name_index {
	const char **names; /* borrowed */
	size_t count;
	uint32_t *first, *last, *next;
	size_t size; /* of these three, a power of two or 0 */
};

/*
 * Appends a name; its place is the count before.  A list that was copied may be read, but only one
 * of the copies may grow.  False: memory ran out or there are 2^32 names, and the list must not be used any more.
 */
bool sotto_name_index_add(struct sotto_arena *a, struct sotto_name_index *x, const char *name);

/*
 * The places of a name in rising order: the first one; the one after `place`, which has the same
 * name.  x->count: there is none.
 */
size_t sotto_name_index_first(const struct sotto_name_index *x, const char *name);
size_t sotto_name_index_after(const struct sotto_name_index *x, size_t place);

#endif
