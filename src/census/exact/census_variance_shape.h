/*
 * census_variance_shape.h - the shape given to --variance: attributes, queries, levels
 */
#ifndef SOTTO_CENSUS_VARIANCE_SHAPE_H
#define SOTTO_CENSUS_VARIANCE_SHAPE_H

#include <gmp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "sotto/status.h"

enum {
	SOTTO_VARIANCE_ATTRIBUTES_MAX = 10,
	SOTTO_VARIANCE_LEVELS_MAX = 64,
	SOTTO_VARIANCE_QUERIES_MAX = 64,
	SOTTO_VARIANCE_GROUPINGS_MAX = 32,
	SOTTO_VARIANCE_LIMIT_BITS = 2048, /* an invariant is treated as variance 2^-2048 */
};

enum sotto_variance_part { SOTTO_VARIANCE_SUMMED, SOTTO_VARIANCE_KEPT, SOTTO_VARIANCE_GROUPED };

struct sotto_variance_attribute {
	const char *name;
	unsigned long n;
	bool is_explicit;
};

/* What a query does with each attribute. */
struct sotto_variance_query {
	enum sotto_variance_part parts[SOTTO_VARIANCE_ATTRIBUTES_MAX];
	const size_t *groups[SOTTO_VARIANCE_ATTRIBUTES_MAX]; /* of each category; NULL: none */
	mpq_t weight;
	const char *name;
};

struct sotto_variance_grouping {
	const char *name;
	size_t *groups[SOTTO_VARIANCE_ATTRIBUTES_MAX]; /* NULL: not grouped */
};

struct sotto_variance_level {
	unsigned long children; /* how many nodes of this level a node above has */
	struct sotto_variance_query queries[SOTTO_VARIANCE_QUERIES_MAX];
	size_t query_count;
};

struct sotto_variance_shape {
	struct sotto_variance_attribute attributes[SOTTO_VARIANCE_ATTRIBUTES_MAX];
	size_t attribute_count;
	struct sotto_variance_grouping groupings[SOTTO_VARIANCE_GROUPINGS_MAX];
	size_t grouping_count;
	struct sotto_variance_level *levels;
	size_t level_count;
	size_t dimension; /* product of the explicit attributes' categories */
	bool has_invariants;
};

/*
 * Reads a shape and borrows names from the JSON.  Pair with _release in any case; start from
 * zeros.
 * Fails:    SOTTO_EPARSE with the path of the place, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_variance_shape_read(struct sotto_variance_shape *s,
							     json_t *root,
							     struct sotto_error *err);
void sotto_variance_shape_release(struct sotto_variance_shape *s);

#endif
