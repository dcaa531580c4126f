/*
 * census_tree_steps.h - the cheapest of the unit steps that a family can take
 *
 * A step adds one to one child.  Between equal costs decide what is nearer to the real optimum, lots, and
 * the order of the children; so no two steps are equal.  Lots are of the family's children, or NULL.
 *
 * A list has three parts: steps below the real optimum of their child, across it, and above it.
 * Where the costs of the parts do not overlap, and they seldom do, only one part is looked at.
 */
#ifndef SOTTO_CENSUS_TREE_STEPS_H
#define SOTTO_CENSUS_TREE_STEPS_H

#include <stddef.h>
#include <stdint.h>

struct sotto_tree_step {
	double cost;
	uint32_t place; /* greater for later steps of a child */
	uint32_t child;
};

struct sotto_tree_steps {
	struct sotto_tree_step *list;
	size_t n, ends[2]; /* of the first two parts; 0: the part overlaps with the next */
};

/* Sets the ends of parts to 0 that overlap.  Once for each list, before it is sorted. */
void sotto_tree_steps_part(struct sotto_tree_steps *s);

/* The k cheapest steps come first, in some order; the `from` cheapest are in front already. */
void sotto_tree_steps_select(struct sotto_tree_steps *s, size_t from, size_t k,
			     const uint64_t *lots);

#endif
