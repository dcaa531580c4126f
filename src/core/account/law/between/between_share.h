/*
 * between_share.h - two polygons, and what making them may take (between.md)
 */
#ifndef SOTTO_BETWEEN_SHARE_H
#define SOTTO_BETWEEN_SHARE_H

#include <stddef.h>
#include <stdlib.h>

#include "core/account/law/between/mirrored.h"

/*
 * About how many outcomes such an event has, and in what proportion it needs them: bounds of rows by fewer of them count so much more (between.md).  The scale is that of
 * its loss.
 */
struct sotto_between_need {
	double outcomes, weight, scale;
};

/* What a law may take: cells, over its scale to the power 2/3, between two limits; outcomes that are looked at, over its weight. */
struct sotto_between_share {
	double cells, cells_least, cells_most;
	double outcomes;
};

/*
 * Both polygons.  The curve of the hull is between them, but for what is left out of the upper one, once values are moved by a part wrong of themselves and losses by
 * as much as moved.
 */
struct sotto_polygons {
	struct sotto_corners below, above;
	double wrong, moved, left_out;
};

static inline void sotto_polygons_release(struct sotto_polygons *p)
{
	free(p->below.loss);
	free(p->above.loss);
}

#endif
