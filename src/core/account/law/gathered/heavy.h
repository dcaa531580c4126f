/*
 * heavy.h - outcomes of a law that are known one by one
 *
 * They bound M(s) where nothing else about it is known: what is not among them counts whole.
 */
#ifndef SOTTO_HEAVY_H
#define SOTTO_HEAVY_H

#include "core/account/law/law.h"

enum { SOTTO_HEAVY = 64 };
struct sotto_heavy {
	double loss[SOTTO_HEAVY], mass[SOTTO_HEAVY]; /* in no order; masses rounded down */
	size_t n;
};

/* Sets bound[j], of |M(s)/M(c)| at each node of b; log_m is at least log M(c). */
void sotto_heavy_bounds(const struct sotto_heavy *heavy, const struct sotto_block *b,
			double log_m, double *bound);

/*
 * What a class of laws says of its heaviest outcomes (law.h), the heaviest first.  Up to `wrong` is taken off each mass
 * under P or Q, whichever is larger.  Returns how many there are.
 */
size_t sotto_heavy_first(const struct sotto_heavy *heavy, double c, double log_m, double wrong,
			 double *loss, double *weight);

#endif
