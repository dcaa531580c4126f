/*
 * time_zone.h - names of time zones that the engine knows
 *
 * A name that it does not know would be an error at run time, after the charge; so names are
 * looked up here first.  A test asks the engine for each.
 */
#ifndef SOTTO_TIME_ZONE_H
#define SOTTO_TIME_ZONE_H

#include <stdbool.h>
#include <stddef.h>

/* The name as the engine spells it, in whatever case it was written; NULL if it is not one. */
const char *sotto_time_zone_find(const char *name);

/* The i-th; NULL past the last. */
const char *sotto_time_zone_at(size_t i);

/* One of the names of UTC itself, which are not on the list? */
bool sotto_time_zone_is_utc(const char *name);

#endif
