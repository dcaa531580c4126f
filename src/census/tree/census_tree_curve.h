/*
 * census_tree_curve.h - the best value of a node as a function of the price of one more unit
 *
 * A curve is nondecreasing and piecewise linear: it begins flat at `low`, and each bend adds to
 * its slope or lets it jump.  Curves of a sum are the bends of its parts, sorted (tree.md,
 * "Bounds").
 */
#ifndef SOTTO_CENSUS_TREE_CURVE_H
#define SOTTO_CENSUS_TREE_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "sotto/status.h"

struct sotto_tree_bend {
	double at; /* the price */
	double slope; /* how much steeper the curve is from here on */
	double jump; /* how much it jumps here */
};

/* Bends in memory that grows.  Start from zeros; free the list. */
struct sotto_tree_bends {
	struct sotto_tree_bend *list;
	size_t n, room;
};

/* A sum of curves, seen from `left` on: there it is `x` high and `slope` steep. */
struct sotto_tree_curve {
	double left, right; /* where it is known; may be infinite */
	double x, slope;
	size_t first, n; /* bends right of `left` */
};

/* What a node alone prefers: y with variance s, between low and high. */
struct sotto_tree_wish {
	double y, s, low, high;
};

/* Begins an empty curve between left and right, at the end of the bends. */
void sotto_tree_curve_begin(struct sotto_tree_curve *c, const struct sotto_tree_bends *b,
			    double left, double right);

/* Adds a leaf to the curve begun last; high is finite if s is infinite. */
SOTTO_MUST_CHECK enum sotto_status sotto_tree_curve_add_leaf(struct sotto_tree_curve *c,
							     struct sotto_tree_bends *b,
							     struct sotto_tree_wish leaf);

/* Adds a node whose children have the curve `below`. */
SOTTO_MUST_CHECK enum sotto_status
sotto_tree_curve_add_node(struct sotto_tree_curve *c, struct sotto_tree_bends *b,
			  const struct sotto_tree_curve *below, struct sotto_tree_wish node);

/* Sorts the bends that were added.  `spare` grows as needed. */
SOTTO_MUST_CHECK enum sotto_status sotto_tree_curve_end(struct sotto_tree_curve *c,
							struct sotto_tree_bends *b,
							struct sotto_tree_bends *spare);

/* How high a node is at a price: before the jump there, if there is one, and after it. */
struct sotto_tree_height {
	double before, after;
	bool known; /* this follows from the known part of the children's curve */
};

struct sotto_tree_height sotto_tree_leaf_height(struct sotto_tree_wish leaf, double price);
struct sotto_tree_height sotto_tree_node_height(const struct sotto_tree_curve *below,
						const struct sotto_tree_bends *b,
						struct sotto_tree_wish node, double price);

/*
 * Returns a price at which the curve has height x; outside left or right if there is none
 * between.
 */
double sotto_tree_curve_price(const struct sotto_tree_curve *c,
			      const struct sotto_tree_bends *b, double x);

#endif
