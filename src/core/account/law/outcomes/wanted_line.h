/*
 * wanted_line.h - which orders, and how far from the real line, laws will be wanted beside each other
 *
 * Lists of outcomes are made for it; where a contour goes beyond they are made anew.  Nothing here is a bound.
 */
#ifndef SOTTO_WANTED_LINE_H
#define SOTTO_WANTED_LINE_H

#include <stdbool.h>

#include "core/account/event/workload_terms.h"

struct sotto_wanted_line {
	double order, far;
	bool few; /* so few terms that far nodes count */
};

/* For the epsilon of all terms together at a delta that is very small, where a unit is removed; orders are infinite where it is not used. */
struct sotto_wanted_line sotto_wanted_line_of(const struct sotto_terms *t, bool is_used);

#endif
