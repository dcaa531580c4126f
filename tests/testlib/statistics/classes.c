/*
 * An open-addressing table over the bytes and their length (FNV-1a); what does not fit shares
 * the last class.
 */
#include "testlib/statistics/classes.h"

#include <stdlib.h>
#include <string.h>

unsigned class_of(struct classes *c, const uint8_t *bytes, size_t n)
{
	uint8_t key[CLASS_BYTES + 1] = {(uint8_t)n};
	uint32_t hash = 2166136261u;
	unsigned at;

	if (n > CLASS_BYTES)
		abort();
	memcpy(key + 1, bytes, n);
	for (size_t i = 0; i < sizeof key; i++)
		hash = (hash ^ key[i]) * 16777619u;
	for (at = hash % (4 * CLASSES); c->slot[at]; at = (at + 1) % (4 * CLASSES))
		if (memcmp(c->seen[c->slot[at] - 1], key, sizeof key) == 0)
			return c->slot[at] - 1;
	if (c->count == CLASSES)
		return CLASSES - 1;
	memcpy(c->seen[c->count], key, sizeof key);
	c->slot[at] = ++c->count;
	return c->count - 1;
}
