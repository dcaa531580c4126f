/*
 * census_predictor.h - computes variances of totals, step by step along a tree
 */
#ifndef SOTTO_CENSUS_PREDICTOR_H
#define SOTTO_CENSUS_PREDICTOR_H

#include "census/measure/census_world.h"
#include "census/solve/information/census_spread.h"

/* The error of a total; infinite if nothing determines it. */
struct sotto_census_prediction {
	double sd, mae_linear, mae; /* mae: of whole numbers */
};

struct sotto_predictor {
	const struct sotto_census_world *w;
	struct sotto_census_basis basis; /* of one component */
	size_t size; /* doubles of a spread */
	double *info[SOTTO_CENSUS_LEVELS_MAX]; /* of a node, by plan level */
	/* For each node above the leaves: the spread from below, later from all measurements. */
	double *up;
	/* For each node above the leaves: what whole numbers add to the variance. */
	double *whole;
	double *work, *matrices; /* for one step: spreads, and 6 matrices */
	double *sum, *own; /* of a family's children; of the node, one matrix */
	enum sotto_census_mode mode;
	struct {
		double sd, mae_linear, mae, n;
	} sums[SOTTO_CENSUS_LEVELS_MAX];
	size_t watched; /* a node of interest, or SIZE_MAX */
	struct sotto_census_prediction seen; /* its prediction */
};

/* True if totals are fixed; those of a whole level fix every level above it too. */
bool sotto_predictor_is_fixed_level(const struct sotto_census_plan *p, size_t plan_level);

/* True if measurements of the children count for a node of this level. */
bool sotto_predictor_looks_below(const struct sotto_predictor *p, size_t plan_level);

/* Computes the spread of a node from its own queries and its children's sum (NULL: none). */
void sotto_predictor_join(struct sotto_predictor *p, const double *info, const double *children,
			  bool fixed, double *out);

/*
 * Computes the spread of a child from all measurements, given the one from below (child), its
 * family's sum and its parent's from all measurements (v).
 */
void sotto_predictor_descend(struct sotto_predictor *p, const double *child, const double *sum,
			     const double *v, double *out);

/* Counts `nodes` equal nodes, the first of which is `node`. */
void sotto_predictor_count(struct sotto_predictor *p, size_t plan_level, size_t node,
			   const double *v, double whole, double nodes);

/*
 * Returns what rounding adds to the variance of each of n children's totals whose sum is given
 * (rounding.md).  If all measurements are whole numbers and equally good, all fractions are
 * equal; otherwise fractions are spread evenly.
 */
double sotto_predictor_round_variance(const struct sotto_predictor *p, double n, bool alike);

/* Returns the same for a child: its own, and its share of the parent's. */
double sotto_predictor_whole_variance(const struct sotto_predictor *p, const double *child,
				      const double *sum, double parent, double own);

/* ---- census_predictor_tree.c ---------------------------------------------------------------- */

/* Visits all nodes of the real tree; leaf and v have room for a spread each. */
void sotto_predictor_run_tree(struct sotto_predictor *p, double *leaf, double *v);

#endif
