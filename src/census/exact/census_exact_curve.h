/*
 * census_exact_curve.h - the best value of a node as a function of the price, exactly
 *
 * A nondecreasing piecewise-linear function X(mu), kept as corner points; left of the first
 * and right of the last it is constant, and a jump is two points with one mu.
 */
#ifndef SOTTO_CENSUS_EXACT_CURVE_H
#define SOTTO_CENSUS_EXACT_CURVE_H

#include <gmp.h>
#include <stddef.h>

#include "sotto/status.h"

struct sotto_exact_corner {
	mpq_t mu, x;
};

struct sotto_exact_curve {
	struct sotto_exact_corner *corners;
	size_t n, room;
};

void sotto_exact_curve_release(struct sotto_exact_curve *c);

/* Adds a corner at the right end.  Fails: SOTTO_ENOMEM, like the others. */
SOTTO_MUST_CHECK enum sotto_status
sotto_exact_curve_push(struct sotto_exact_curve *c, const mpq_t mu, const mpq_t x);

/* Computes X(mu-) and X(mu+). */
void sotto_exact_curve_at(const struct sotto_exact_curve *c, const mpq_t mu, mpq_t left,
			  mpq_t right);

/* Finds a mu with X(mu-) <= x <= X(mu+). */
void sotto_exact_curve_invert(const struct sotto_exact_curve *c, const mpq_t x, mpq_t mu);

/* Clamps X between low and high. */
SOTTO_MUST_CHECK enum sotto_status
sotto_exact_curve_clip(struct sotto_exact_curve *c, const mpq_t low, const mpq_t high);

/* Makes X constant left of `left` and right of `right`; NULL: no such end. */
SOTTO_MUST_CHECK enum sotto_status
sotto_exact_curve_cut(struct sotto_exact_curve *c, mpq_srcptr left, mpq_srcptr right);

/* Appends a copy. */
SOTTO_MUST_CHECK enum sotto_status
sotto_exact_curve_copy(const struct sotto_exact_curve *from, struct sotto_exact_curve *out);

/* Adds n curves, at least one, in time N log N for N corners in total. */
SOTTO_MUST_CHECK enum sotto_status sotto_exact_curve_sum(const struct sotto_exact_curve *curves,
							 size_t n,
							 struct sotto_exact_curve *out);

#endif
