/*
 * Names are spread over as many buckets as there is room for places, by a hash that takes capital
 * and small letters for the same.  Whatever names somebody invents, a chain is no longer than the
 * list, so that a search takes no more steps than one without buckets.
 */
#include "core/base/name_index.h"

#include <string.h>
#include <strings.h>

enum { FIRST_SIZE = 16 };
#define NONE UINT32_MAX

static size_t bucket_of(const struct sotto_name_index *x, const char *name)
{
	size_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + ((unsigned char)*name | 0x20u);
	return (hash ^ hash >> 16) & (x->size - 1);
}

static void link_place(struct sotto_name_index *x, uint32_t place)
{
	size_t bucket = bucket_of(x, x->names[place]);

	x->next[place] = NONE;
	if (x->first[bucket] == NONE)
		x->first[bucket] = place;
	else
		x->next[x->last[bucket]] = place;
	x->last[bucket] = place;
}

static bool link_all(struct sotto_arena *a, struct sotto_name_index *x, size_t size)
{
	x->first = sotto_arena_alloc(a, 3 * size * sizeof *x->first);
	if (!x->first)
		return false;
	x->last = x->first + size;
	x->next = x->last + size;
	x->size = size;
	for (size_t i = 0; i < size; i++)
		x->first[i] = NONE;
	for (size_t i = 0; i < x->count; i++)
		link_place(x, (uint32_t)i);
	return true;
}

bool sotto_name_index_add(struct sotto_arena *a, struct sotto_name_index *x, const char *name)
{
	const char **slot = x->count < NONE ? SOTTO_PUSH(a, x->names, x->count) : NULL;

	if (!slot)
		return false;
	*slot = name;
	if (x->count > x->size)
		return link_all(a, x, x->size ? 2 * x->size : FIRST_SIZE);
	link_place(x, (uint32_t)(x->count - 1));
	return true;
}

/* The place itself or the next one of its chain that has the name. */
static size_t with_name(const struct sotto_name_index *x, const char *name, uint32_t place)
{
	while (place != NONE && strcasecmp(x->names[place], name) != 0)
		place = x->next[place];
	return place == NONE ? x->count : place;
}

size_t sotto_name_index_first(const struct sotto_name_index *x, const char *name)
{
	return x->count ? with_name(x, name, x->first[bucket_of(x, name)]) : 0;
}

size_t sotto_name_index_after(const struct sotto_name_index *x, size_t place)
{
	return with_name(x, x->names[place], x->next[place]);
}
