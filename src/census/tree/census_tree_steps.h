/*
 * census_tree_steps.h - finds the cheapest unit steps that a family can take
 *
 * A step adds one to one child.  Ties in cost are broken by the distance to the real optimum,
 * then by lots, then by the order of the children; so no two steps are equal.  Lots belong to the
 * family's children, or are NULL.
 *
 * A list has three parts: steps below the real optimum of their child, across it, and above it.
 * If the costs of the parts do not overlap, and they seldom do, only one part is searched.
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
	size_t n, ends[2]; /* of the first two parts; 0: the part overlaps the next */
};

/* Sets the ends of overlapping parts to 0.  Called once for each list, before it is sorted. */
void sotto_tree_steps_part(struct sotto_tree_steps *s);

/* Moves the k cheapest steps to the front, in any order; the `from` cheapest are there already. */
void sotto_tree_steps_select(struct sotto_tree_steps *s, size_t from, size_t k,
			     const uint64_t *lots);

#endif
