/*
 * The table of aggregates.
 */
#include "central/aggregate/aggregate.h"

#include <ctype.h>
#include <string.h>

static const struct sotto_aggregate_record *const families[] = {
#define FAMILY(name) sotto_aggregate_##name,
	SOTTO_AGGREGATES(FAMILY)
#undef FAMILY
};

const struct sotto_aggregate_record *sotto_aggregate_at(size_t i)
{
	for (size_t f = 0; f < sizeof families / sizeof families[0]; f++)
		for (const struct sotto_aggregate_record *r = families[f]; r->names; r++)
			if (i-- == 0)
				return r;
	return NULL;
}

static bool has_name(const struct sotto_aggregate_record *r, const char *name)
{
	for (const char *const *n = r->names; *n; n++)
		if (strcmp(*n, name) == 0)
			return true;
	return false;
}

const struct sotto_aggregate_record *sotto_aggregate_find(const char *name)
{
	for (size_t f = 0; f < sizeof families / sizeof families[0]; f++)
		for (const struct sotto_aggregate_record *r = families[f]; r->names; r++)
			if (has_name(r, name))
				return r;
	return NULL;
}

const char *sotto_aggregate_list(struct sotto_arena *a)
{
	const struct sotto_aggregate_record *r;
	char *list = NULL;

	for (size_t i = 0; (r = sotto_aggregate_at(i)) != NULL; i++) {
		if (!r->is_usual)
			continue;
		list = sotto_arena_textf(a, "%s%s%s", list ? list : "", list ? ", " : "",
					 r->names[0]);
		if (!list)
			return NULL;
	}
	for (char *c = list; c && *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return list;
}
