/*
 * noise_region.h - the region that the exact measures of a row lie in, and expressions over it
 */
#ifndef SOTTO_NOISE_REGION_H
#define SOTTO_NOISE_REGION_H

#include "central/session/answer/answer_work.h"
#include "central/session/answer/variance_turn.h"

/* The measures that an output reads, each moved to both ends of an interval. */
struct sotto_noise_region {
	size_t row;
	size_t read[SOTTO_JOINT_MAX]; /* the first ones */
	size_t count; /* above SOTTO_JOINT_MAX they are moved one at a time */
};

void sotto_noise_region_find(struct sotto_noise_region *region,
			     const struct sotto_answer_work *w, size_t row,
			     const struct sotto_sql_expr *e);

enum { SOTTO_NOISE_POINTS = 2 + SOTTO_VARIANCE_TURNS };

/* The shifts at which expressions over a measure are looked at: to its ends, and where a variance turns. */
size_t sotto_noise_region_points(const struct sotto_noise_region *region,
				 const struct sotto_answer_work *w, size_t i, double *shifts);

/* The expression with every measure moved by its shift; NaN: it is not a number there. */
double sotto_noise_region_value(struct sotto_answer_work *w, size_t row,
				const struct sotto_sql_expr *e);

/* The values of an expression at the corners, the centre and the turns of the region. */
struct sotto_noise_range {
	double low, high; /* of the values that are numbers */
	bool is_number; /* at all of them */
};

struct sotto_noise_range sotto_noise_region_survey(const struct sotto_noise_region *region,
						   struct sotto_answer_work *w,
						   const struct sotto_sql_expr *e);

/*
 * True if its extremes can be found at the corners of the region.  False for a quotient whose
 * divisor may be 0, a root or logarithm of what may be negative and, with few measures, a
 * function that turns inside the region.
 */
bool sotto_noise_region_has_extremes_at_corners(const struct sotto_noise_region *region,
						struct sotto_answer_work *w,
						const struct sotto_sql_expr *e);

#endif
