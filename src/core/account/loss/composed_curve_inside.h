/*
 * composed_curve_inside.h - a composed curve, for the files that compute it and search on it
 */
#ifndef SOTTO_COMPOSED_CURVE_INSIDE_H
#define SOTTO_COMPOSED_CURVE_INSIDE_H

#include <math.h>
#include <stdbool.h>

#include "core/account/event/workload_terms.h"
#include "core/account/loss/loss_level.h"
#include "core/account/loss/measure/loss_measure.h"

enum { SOTTO_COARSE_NODES = 1 << 15, SOTTO_FINE_NODES = 3 << 21 };

/* Bounds of log delta farther apart than this are worth more work. */
#define SOTTO_WIDE_DELTA 1e-9

/* What was found at an epsilon, and how. */
struct sotto_composed_value {
	double epsilon, log_low, log_high;
	uint64_t nodes;
	bool searching;
};

struct sotto_composed {
	const struct sotto_terms *terms; /* borrowed */
	enum sotto_direction direction;
	struct sotto_loss_measure measure;
	bool exact; /* sum over all outcomes */
	struct sotto_rare_curve *rare; /* NULL if few events have a usual outcome */
	struct sotto_finite_sum *sums;
	struct sotto_laplace_sum *residues; /* NULL until they are wanted */
	struct sotto_discretized_curve
		*cut; /* NULL until it is wanted; without it there is a measure */
	bool measured;
	struct sotto_contour *contour;
	double prepared, tilt; /* where sums or contour were made for */
	double hint; /* log of a delta that contours must be sharp beside */
	uint64_t nodes, made_with; /* nodes to spend, and spent on the contour */
	double made_steps; /* what making it took (work.h) */
	double level; /* log of the delta that is searched for; NAN if none is */
	bool searching; /* wide bounds will do for now */
	struct sotto_composed_value last; /* both sides of a search ask at the same places */
};

/* Before the first value. */
static inline void sotto_composed_start(struct sotto_composed *c)
{
	c->nodes = SOTTO_COARSE_NODES;
	c->last.epsilon = NAN;
	c->level = NAN;
}

/*
 * Hundreds of laws of shuffled reports: making them and a contour takes most of the work, and few nodes are not nothing, so that as many as are wanted take
 * little more than a few.
 */
static inline bool sotto_composed_has_one_contour(const struct sotto_composed *c)
{
	return c->measure.of_hundreds && c->measure.has_clones && !c->measure.has_raised;
}

/* True if the contour could say nothing: what is slow is then cut into cells. */
static inline bool sotto_composed_is_hopeless(double log_low, double log_high)
{
	return isinf(log_low) && log_high == 0;
}

/* Bounds of log delta of the finite part. */
SOTTO_MUST_CHECK enum sotto_status sotto_composed_finite(struct sotto_composed *c,
							 double epsilon, double *log_low,
							 double *log_high);

/* True if more nodes than a coarse contour has may bring its bounds nearer to each other. */
bool sotto_composed_wants_nodes(const struct sotto_composed *c);

/* Bounds of epsilon that are nearer to each other are sharp. */
#define SOTTO_SHARP_EPSILON 1e-6

/* epsilon by whichever way is usual for so many events; and by laws as they are of many where that is not sharp. */
SOTTO_MUST_CHECK enum sotto_status sotto_composed_usual_epsilon(struct sotto_composed *c,
								const struct sotto_level *level,
								double *lower, double *upper);
SOTTO_MUST_CHECK enum sotto_status
sotto_composed_patient_epsilon(struct sotto_composed *c, const struct sotto_level *level,
			       double *lower, double *upper);

/* True if a grid will tell epsilon at that delta, for little work. */
bool sotto_composed_has_grid(const struct sotto_composed *c, double log_delta);

/* Makes the cells, unless there are some. */
SOTTO_MUST_CHECK enum sotto_status sotto_composed_need_cut(struct sotto_composed *c);

#endif
