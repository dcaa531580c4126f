/*
 * between_polygons.h - the hull of an event's curve between two polygons (between.md)
 */
#ifndef SOTTO_BETWEEN_POLYGONS_H
#define SOTTO_BETWEEN_POLYGONS_H

#include <stdbool.h>

#include "core/account/integral/work.h"
#include "core/account/law/between/mirrored.h"
#include "core/account/law/clones/clone_pair.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* No law for larger losses of one person. */
#define SOTTO_BETWEEN_EPSILON_MAX 12.0

/* A group in shuffled reports, beside Laplace noise or not. */
struct sotto_between_event {
	struct sotto_clone_pair pair;
	const struct sotto_event *shuffle, *noise; /* the noise may be NULL */
	double epsilon; /* of the noise; or 0 */
	size_t people;
};

/* False for events of which no polygons are known. */
bool sotto_between_read(const struct sotto_event *e, struct sotto_between_event *out);

/* About how many outcomes such an event has, and in what proportion it needs them: bounds of rows by fewer of them count so much more (between.md). */
struct sotto_between_need {
	double outcomes, weight;
};

struct sotto_between_need sotto_between_need_of(const struct sotto_event *e);

/* What a law may take: cells, and outcomes that are looked at, over its weight. */
struct sotto_between_share {
	size_t cells;
	double outcomes;
};

/* Of so many laws. */
struct sotto_between_share
sotto_between_share_of(const struct sotto_between_need *needs, size_t laws);

/*
 * Both polygons.  The curve of the hull is between them, but for what is left out of the upper one, once values are moved by a part wrong of themselves and losses by
 * as much as moved.
 */
struct sotto_polygons {
	struct sotto_corners below, above;
	double wrong, moved, left_out;
};

/* Fails: SOTTO_EREFUSED; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_polygons_of(const struct sotto_between_event *e, const struct sotto_between_share *share,
		  struct sotto_work *work, struct sotto_polygons *out);
void sotto_polygons_release(struct sotto_polygons *p);

#endif
