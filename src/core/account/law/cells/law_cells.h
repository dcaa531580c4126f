/*
 * law_cells.h - a law cut into cells of losses, and from that a law above and a law below it
 *
 * For laws that are known only by their masses.  From above, each cell [g, g+d] keeps its
 * masses under P and Q at its two ends (Connect-the-Dots, arXiv 2207.04380); from below,
 * all of a cell becomes one outcome, which is post-processing.  Both are right to
 * second order in d (law_cells.md).
 */
#ifndef SOTTO_LAW_CELLS_H
#define SOTTO_LAW_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/account/event/workload_terms.h"
#include "core/account/integral/work.h"
#include "core/account/law/law.h"
#include "sotto/account.h"
#include "sotto/status.h"

enum sotto_side { SOTTO_UPPER, SOTTO_LOWER };

/* The P-mass of one cell, and the integral of 1 - exp(g - loss) under P. */
struct sotto_cell {
	double p, excess;
};

/* A loss that is good to error, with its P-mass. */
struct sotto_outcome {
	double loss, error, mass;
};

struct sotto_cells {
	double d;
	int64_t first; /* cell i is [(first+i) d, (first+i+1) d] */
	size_t n;
	struct sotto_cell *at;
	double above, below; /* P-mass beyond the cells, or a bound of it */
	double infinite; /* of a side below: P-mass that has an infinite loss, at least */
	double error; /* relative, of the masses */
	bool of_many; /* one law of many: summed without transforms */
	bool fine; /* one of some dozens, for which transforms are made one law at a time */
	struct sotto_outcome atoms[2]; /* kept as they are, besides the cells */
	size_t n_atoms;
	double *loss, *mass; /* in place of cells: outcomes, losses growing; or NULL */
	size_t outcomes;
};

/* Which events are cut: none, those without a law of their own, or all that can be. */
enum sotto_cut_extent { SOTTO_CUT_NONE, SOTTO_CUT_LAWLESS, SOTTO_CUT_ALL };

/* How fine to cut, and how much to cut off. */
struct sotto_cutting {
	size_t cells; /* about this many */
	double tail; /* -log of the mass that may be cut off */
	struct sotto_work *work; /* borrowed, or NULL */
	size_t laws; /* that share it; 0 as 1 */
	bool of_many; /* a few outcomes for each law, where it is known by its curve */
	enum sotto_cut_extent extent;
	double order; /* Re s of the contour that the law is for, roughly; 0 if that is not known yet */
	double wide; /* of many laws: how wide cutting one may make epsilon there, before it is worth more points */
	bool all_even; /* all are of equal cells (sotto_cells_are_even), so that what they need is known */
	const double *
		needs; /* the cells are for all laws together, of which each has this part; or NULL */
	bool tables; /* of curves that are slow, where there are such (convolved_table.h) */
};

/* What bounds a law on each side; below has no cells where one set does for both. */
struct sotto_cuts {
	struct sotto_cells above, below;
};

/*
 * Cells for the losses from low to high; a range that is a point, to six digits, gets cells as
 * narrow as that.  Fails: SOTTO_ERANGE if the range is not finite; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_cells_init(struct sotto_cells *c, double low,
						    double high,
						    const struct sotto_cutting *cutting);
void sotto_cells_release(struct sotto_cells *c);

/* Whole runs of cells made one: a law above that of the fine cells (law_cells.md). */
SOTTO_MUST_CHECK enum sotto_status
sotto_cells_merge(const struct sotto_cells *fine, size_t run, struct sotto_cells *out);

/* Adds P-mass at one loss. */
void sotto_cells_add(struct sotto_cells *c, double loss, double mass);

/*
 * The law of one side, with room taken and its class set.  *lost is the mass that goes to
 * infinity (upper side) or is left out (lower side).  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_cells_law(const struct sotto_cells *c,
						   enum sotto_side side, struct sotto_law *law,
						   double *lost);

/* Whether an event is to be cut into cells. */
bool sotto_cells_need(const struct sotto_event *e, enum sotto_neighbours neighbours,
		      enum sotto_cut_extent extent);

/* Whether it is cut into cells of equal size beside two outcomes that stay as they are: sampled Laplace noise. */
bool sotto_cells_are_even(const struct sotto_event *e);

/* False if one of them is known by its zCDP bound only, which no law stands for. */
bool sotto_cells_possible(const struct sotto_terms *t);

/*
 * Cuts the law of e; release both in any case.  Fails: SOTTO_EREFUSED if it is not known
 * how; SOTTO_ERANGE; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_cells_of(struct sotto_cuts *c, const struct sotto_event *e,
	       enum sotto_neighbours neighbours, enum sotto_direction direction,
	       const struct sotto_cutting *cutting);

/* The families, as sotto_cells_of. */
SOTTO_MUST_CHECK enum sotto_status
sotto_cells_sampled_gaussian(struct sotto_cells *c, double mu, double rate,
			     enum sotto_direction direction,
			     const struct sotto_cutting *cutting);
SOTTO_MUST_CHECK enum sotto_status
sotto_cells_sampled_laplace(struct sotto_cells *c, double epsilon, double rate,
			    enum sotto_direction direction,
			    const struct sotto_cutting *cutting);
SOTTO_MUST_CHECK enum sotto_status sotto_cells_shuffle(struct sotto_cuts *c,
						       const struct sotto_event *e,
						       const struct sotto_cutting *cutting);

/* Any event whose own curve can be computed, from values of delta. */
SOTTO_MUST_CHECK enum sotto_status
sotto_cells_curve(struct sotto_cuts *c, const struct sotto_event *e,
		  enum sotto_neighbours neighbours, enum sotto_direction direction,
		  const struct sotto_cutting *cutting);

#endif
