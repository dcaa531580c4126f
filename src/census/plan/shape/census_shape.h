/*
 * census_shape.h - the hierarchy's nodes, and the constraints on them
 *
 * Nodes are numbered level by level, children of one node next to each other, leaves in the order
 * of their paths.  Unions of nodes with an invariant of their own get a level between.
 */
#ifndef SOTTO_CENSUS_SHAPE_H
#define SOTTO_CENSUS_SHAPE_H

#include "census/plan/shape/census_bounds_table.h"
#include "census/plan/shape/census_known.h"
#include "census/plan/census_schema.h"

struct sotto_census_shape {
	size_t level_count;
	size_t plan_level[SOTTO_CENSUS_LEVELS_MAX]; /* SIZE_MAX: a level of unions */
	size_t start[SOTTO_CENSUS_LEVELS_MAX +
		     1]; /* nodes of level l: start[l] .. start[l+1]-1 */
	uint32_t *first, *count, *parent;
	char **labels; /* of each node; NULL in a level of unions and at the root */
	/* Constraints; groups are those of the schema's frame.  Saturated at the ends. */
	int64_t *total_low, *total_high;
	size_t groups;
	bool has_groups; /* bounds of groups: of inner nodes in low and high, of leaves in boxes */
	int64_t *low, *high; /* node by node, groups each */
	uint32_t *box; /* of each leaf */
	struct sotto_census_bounds_table boxes;
	/*
	 * Where totals are fixed below a node, bounds of single groups do not say everything: the
	 * least p(A) and greatest f(A) of every set A of groups, p first; NULL elsewhere.
	 */
	int64_t **sets;
	struct sotto_census_known known; /* of the schema's known query */
};

static const int64_t sotto_census_unlimited = INT64_MAX / 4;

void sotto_census_shape_release(struct sotto_census_shape *s);

static inline size_t sotto_census_node_count(const struct sotto_census_shape *s)
{
	return s->start[s->level_count];
}

static inline size_t sotto_census_leaf_count(const struct sotto_census_shape *s)
{
	return s->start[s->level_count] - s->start[s->level_count - 1];
}

/* Allocates bounds of groups, none of which limits anything yet.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_shape_reserve_groups(struct sotto_census_shape *s);

/* Return the bounds of a node's groups; the shape must have some. */
static inline const int64_t *
sotto_census_group_low(const struct sotto_census_shape *s, size_t node)
{
	size_t inner = s->start[s->level_count - 1];

	return node < inner ? s->low + node * s->groups
			    : sotto_census_bounds_table_row(&s->boxes, s->box[node - inner]);
}

static inline const int64_t *
sotto_census_group_high(const struct sotto_census_shape *s, size_t node)
{
	return node < s->start[s->level_count - 1]
		       ? s->high + node * s->groups
		       : sotto_census_group_low(s, node) + s->groups;
}

/* Sets them: the groups' lower ones, then the upper ones.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_shape_set_groups(struct sotto_census_shape *s, size_t node, const int64_t *bounds);

/* Finds the leaves below a node, counted from the first leaf. */
void sotto_census_leaf_range(const struct sotto_census_shape *s, size_t node, size_t *first,
			     size_t *end);

size_t sotto_census_level_of(const struct sotto_census_shape *s, size_t node);

/* Returns "a/b/c", or "/" for the root; malloc'd, NULL if out of memory. */
char *sotto_census_node_path(const struct sotto_census_shape *s, size_t node);

/* Returns the node with this path at a plan's level; SIZE_MAX if there is none. */
size_t sotto_census_node_find(const struct sotto_census_shape *s, const char *path);

#endif
