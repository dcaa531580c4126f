/*
 * law_raised.h - two cells together, and what others are above them: M(s) is the product of theirs and a sum over the corners of a polygon
 * (couples.md)
 */
#ifndef SOTTO_LAW_RAISED_H
#define SOTTO_LAW_RAISED_H

#include <stddef.h>

#include "core/account/law/couples/couples.h"
#include "core/account/law/gathered/gathered_list.h"
#include "core/account/law/gathered/law_rise.h"
#include "core/account/law/law.h"
#include "sotto/status.h"

struct sotto_raised {
	struct sotto_law *cells; /* taken, and free them */
	size_t n;
	double mu2; /* of a Gaussian cell */
	double top; /* no corner is farther out */
	struct sotto_gathered_list corners;
	struct sotto_rise size,
		rounding; /* of the corners' masses, and what these are wrong by, at each order */
	struct sotto_rise error;
};

/* Makes law, whose count and top are set, that of the cells raised by the polygon; takes the cells unless it fails.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_law_raised_of(struct sotto_law *law, struct sotto_law *cells, size_t n, double mu2,
		    const struct sotto_largest_couple *largest, bool of_many);

#endif
