/*
 * discretized_curve_inside.h - a curve from cells, for the files that compute it and that say how many points each law gets
 */
#ifndef SOTTO_DISCRETIZED_CURVE_INSIDE_H
#define SOTTO_DISCRETIZED_CURVE_INSIDE_H

#include "core/account/integral/contour/contour.h"
#include "core/account/law/cells/law_cells.h"
#include "core/account/loss/measure/loss_measure.h"

/* Beside more others than this events with a law of their own are left as they are. */
enum { SOTTO_CUT_MANY_TERMS = 16 };

/* So few laws can be cut finely, and all nodes of a contour be made law by law (contour.md); and so many if all are cut evenly. */
enum { SOTTO_FINE_LAWS = 32, SOTTO_FINE_EVEN_LAWS = 320 };

/* Laws that are cut finely together make epsilon as wide as this, if there are enough outcomes. */
#define SOTTO_FINE_WIDTH 1.5e-7

/* A measure and a contour through it near some epsilon. */
struct sotto_cut_line {
	const struct sotto_loss_measure *measure;
	uint64_t nodes;
	struct sotto_contour *contour;
	uint64_t made_with;
	double prepared, tilt;
};

struct sotto_discretized_curve {
	const struct sotto_terms *terms;
	enum sotto_direction direction;
	enum sotto_cut_extent extent;
	size_t cells; /* of each law */
	size_t laws; /* that are cut */
	size_t even; /* of which so many into cells of equal size (law_cells.h) */
	double log_count; /* of all events that are cut */
	double hint; /* log of a delta beside which everything left out must be small */
	bool made;
	bool fine; /* cut for the order of a contour, which is known */
	bool slow; /* values take too long for that */
	double steps; /* that cutting took (work.h) */
	double order;
	double needs
		[SOTTO_FINE_EVEN_LAWS]; /* of each law that is cut: its part of all points */
	double wanted; /* points of all laws that are enough, roughly */
	struct sotto_cut_measures measures;
	const struct sotto_loss_measure *steer; /* coarse, or of many laws the one above */
	struct sotto_cut_line above, below, coarse;
	int blind; /* values of the lower side in a row that said nothing */
};

/* How many cells each law gets, or all together; and how many laws are cut. */
void sotto_discretized_count_cells(struct sotto_discretized_curve *c);

/* The same after a rough cut that took long: no more cells than half of the work that is left pays for. */
void sotto_discretized_count_affordable(struct sotto_discretized_curve *c);

/* So many laws, cut or not, that each gets outcomes and no cells. */
bool sotto_discretized_is_of_many(const struct sotto_discretized_curve *c);

/* Whether so few that they may be cut finely, once it is known where the contour goes. */
bool sotto_discretized_may_be_fine(const struct sotto_discretized_curve *c);

/* What part of all outcomes each law needs at the order, from the measures that there are. */
void sotto_discretized_find_needs(struct sotto_discretized_curve *c);

#endif
