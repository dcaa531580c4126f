/*
 * between_polygons.h - the hull of an event's curve between two polygons (between.md)
 */
#ifndef SOTTO_BETWEEN_POLYGONS_H
#define SOTTO_BETWEEN_POLYGONS_H

#include <stdbool.h>

#include "core/account/integral/work.h"
#include "core/account/law/between/between_share.h"
#include "core/account/law/clones/clone_pair.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* No law for larger losses of one person. */
#define SOTTO_BETWEEN_EPSILON_MAX 12.0

/* A group in shuffled reports. */
struct sotto_between_event {
	struct sotto_clone_pair pair;
	const struct sotto_event *shuffle;
	size_t people;
};

/* False for events of which no polygons are known. */
bool sotto_between_read(const struct sotto_event *e, struct sotto_between_event *out);

struct sotto_between_need sotto_between_need_of(const struct sotto_event *e);

/* Of so many laws. */
struct sotto_between_share
sotto_between_share_of(const struct sotto_between_need *needs, size_t laws);

/* Both polygons.  Fails: SOTTO_EREFUSED; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_polygons_of(const struct sotto_between_event *e, const struct sotto_between_share *share,
		  struct sotto_work *work, struct sotto_polygons *out);

#endif
