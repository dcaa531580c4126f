/*
 * census_shape_build.h - builds a shape from the paths of its leaves, one after the other
 */
#ifndef SOTTO_CENSUS_SHAPE_BUILD_H
#define SOTTO_CENSUS_SHAPE_BUILD_H

#include "census/plan/shape/census_shape.h"
#include "core/base/arena.h"

struct sotto_census_shape_builder {
	size_t depth; /* levels below the root */
	struct sotto_arena *texts; /* holds the labels; borrowed */
	struct sotto_census_built_level {
		char **labels;
		uint32_t *children;
		size_t n, room;
	} levels[SOTTO_CENSUS_LEVELS_MAX]; /* the root's first */
};

/* Makes a builder.  Fails: SOTTO_ENOMEM.  Pair with _release in any case. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_shape_builder_init(struct sotto_census_shape_builder *b, size_t depth,
				struct sotto_arena *texts);
void sotto_census_shape_builder_release(struct sotto_census_shape_builder *b);

/*
 * Adds the next leaf and copies its labels, from the level below the root on.  Leaves come in the
 * order of their paths, each once.  Fails: SOTTO_ESTATE if they do not, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_shape_builder_add(struct sotto_census_shape_builder *b, const char *const *labels);

/*
 * Makes the shape of all leaves so far and empties the builder.  *s must be released in any case.
 * Fails:    SOTTO_EPARSE if there is no leaf, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_shape_builder_finish(struct sotto_census_shape_builder *b, size_t groups,
				  struct sotto_census_shape *s, struct sotto_error *err);

#endif
