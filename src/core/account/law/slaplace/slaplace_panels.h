/*
 * slaplace_panels.h - where the density of sampled Laplace noise is integrated
 *
 * The density runs over the losses before sampling, from -epsilon0 to epsilon0.  Panels follow each
 * other from the end where the loss after sampling hardly changes, and are long there.
 */
#ifndef SOTTO_SLAPLACE_PANELS_H
#define SOTTO_SLAPLACE_PANELS_H

#include <stdbool.h>
#include <stddef.h>

enum { SOTTO_SLAPLACE_PANELS = 1 << 12 }; /* at most */

struct sotto_slaplace_panels {
	double log_odds; /* log of rate/(1 - rate) */
	double order; /* |s + 1| at the farthest node, at most */
	double from, to; /* what is left */
	double half; /* of the last panel */
	bool too_many; /* some are left out, since they would be too short */
};

/* Starts at -epsilon0.  With the Bernstein ellipses of sample.md each panel errs by less than 1e-16 of M(c). */
void sotto_slaplace_panels_init(struct sotto_slaplace_panels *p, double rate, double epsilon0,
				double order);

/* Computes the next panel; false if there is none, or only such as would be too many. */
bool sotto_slaplace_panels_next(struct sotto_slaplace_panels *p, double *middle, double *half);

/* How many there are, or SOTTO_SLAPLACE_PANELS if there are more. */
size_t sotto_slaplace_panels_count(double rate, double epsilon0, double order);

/* Up to about this order so many panels do. */
double sotto_slaplace_panels_reach(double rate, double epsilon0, double panels);

#endif
