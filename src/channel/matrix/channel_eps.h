/*
 * channel_eps.h - an epsilon that stays exact: 0.1, ln2, ln(3/2) or alpha=1/2
 *
 * The logarithm of a fraction is kept as that fraction, so e^epsilon is rational.  A decimal
 * epsilon other than 0 is a rational number, and e^epsilon is then irrational (Lindemann):
 * comparing it with a fraction by enclosures of rising precision terminates.
 */
#ifndef SOTTO_INSIDE_CHANNEL_EPS_H
#define SOTTO_INSIDE_CHANNEL_EPS_H

#include <gmp.h>
#include <stdbool.h>

#include "sotto/channel.h"

struct sotto_eps {
	bool is_log; /* e^epsilon is the fraction; otherwise epsilon is */
	mpq_t value;
};

bool sotto_eps_is_zero(const struct sotto_eps *e);

/*
 * Returns the sign of ratio - e^(epsilon times), decided exactly; ratio > 0.  times is a distance
 * of channel_graph.h: its parts fit unsigned longs and it is at most SOTTO_DISTANCE_MAX.
 */
int sotto_eps_compare(const struct sotto_eps *e, const mpq_t times, const mpq_t ratio);

/*
 * Compute e^(-epsilon times): exactly if it is a fraction (they then return true), otherwise just
 * above it, or below it, with this many significant bits, also of its distance from 1.  _up gives
 * 1 if epsilon is too small to matter (2^-4000).
 */
bool sotto_eps_alpha_up(const struct sotto_eps *e, const mpq_t times, unsigned bits,
			mpq_t alpha);
bool sotto_eps_alpha_down(const struct sotto_eps *e, const mpq_t times, unsigned bits,
			  mpq_t alpha);

#endif
