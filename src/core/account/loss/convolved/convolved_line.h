/*
 * convolved_line.h - where the grid of a small workload lies, and how fine it is
 */
#ifndef SOTTO_CONVOLVED_LINE_H
#define SOTTO_CONVOLVED_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "core/account/loss/convolved/convolved_events.h"

/* Points on a grid at most: all arrays together then stay within 16 MiB. */
enum { SOTTO_CONVOLVED_POINTS = 1 << 18 };

struct sotto_convolved_line {
	double order; /* masses are tilted by e^(order loss) */
	double epsilon; /* about where delta is asked for */
	double step; /* few digits, so that multiples of it are exact */
	int64_t first; /* losses from first * step on, n of them */
	size_t n; /* a power of two */
	double rise, fall; /* orders beside it that bound what lies beyond the two ends */
	double wide; /* how wide the grid makes epsilon, about */
};

/*
 * The line on which delta is exp(log_delta), with so many points at most.  Steers only: no bound depends on it.  Fails: SOTTO_EREFUSED if there is none, since infinite
 * losses alone are more, or the largest loss is met.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_convolved_line_of(struct sotto_convolved_line *line,
			const struct sotto_convolved_events *e, double log_delta,
			size_t points);

/* Puts lines of which the orders are known on one grid of so many points, as wide as all windows together.  Fails: SOTTO_EREFUSED. */
SOTTO_MUST_CHECK enum sotto_status
sotto_convolved_lines_together(struct sotto_convolved_line *lines, size_t count,
			       const struct sotto_convolved_events *e, size_t points);

#endif
