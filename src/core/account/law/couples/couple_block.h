/*
 * couple_block.h - products of two lists of masses at equal distances
 */
#ifndef SOTTO_COUPLE_BLOCK_H
#define SOTTO_COUPLE_BLOCK_H

#include <stddef.h>

#include "sotto/status.h"

/* So many places more than the last sum has out, which may be written to. */
enum { SOTTO_COUPLE_ROOM = 8 };

/* Places of a list from which to the next one masses grow by a ratio. */
struct sotto_couple_run {
	size_t from, count;
	double ratio;
};

struct sotto_couple_masses {
	const double *mass;
	size_t n;
	struct sotto_couple_run run; /* or none */
};

/* Adds all products of x and y to out[i + j], which is 0.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_couple_products(const struct sotto_couple_masses *x,
							 const struct sotto_couple_masses *y,
							 double *out);

#endif
