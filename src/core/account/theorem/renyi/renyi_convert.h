/*
 * renyi_convert.h - converts zCDP to (epsilon, delta) and back, certified (renyi_convert.md)
 *
 * Arguments are exact or rounded outwards by the caller; results are on the safe side.  delta is
 * given by its logarithm, so that no delta is too small.
 */
#ifndef SOTTO_RENYI_CONVERT_H
#define SOTTO_RENYI_CONVERT_H

#include <gmp.h>
#include <mpfr.h>

/*
 * Computes the least epsilon >= 0 (rounded up) such that rho-zCDP implies (epsilon, delta).
 * log_delta < 0, or +-infinity.  *order, if not NULL, is the Renyi order used minus one.
 */
void sotto_zcdp_epsilon_up(mpfr_t epsilon, const mpfr_t rho, const mpfr_t log_delta,
			   double *order);

/* Computes the least log delta (rounded up) such that rho-zCDP implies (epsilon, delta). */
void sotto_zcdp_log_delta_up(mpfr_t log_delta, const mpfr_t rho, const mpfr_t epsilon,
			     double *order);

/*
 * Computes log sqrt(1 - exp(-divergence)), which bounds log delta at every epsilon >= 0; rounded
 * up.
 */
void sotto_log_total_variation_up(mpfr_t out, const mpfr_t divergence);

/*
 * Computes the epsilon that a Renyi divergence of order 1 + x gives at delta, rounded up; it may
 * be negative.
 */
void sotto_order_epsilon_up(mpfr_t epsilon, const mpfr_t divergence, const mpfr_t log_delta,
			    const mpfr_t x);

/*
 * Finds the largest multiple of 2^-bits with sotto_zcdp_epsilon_up <= epsilon; 0 if there is
 * none.
 */
void sotto_zcdp_rho_down(mpq_t rho, mpq_srcptr epsilon, mpq_srcptr delta, unsigned bits);

/* Computes the log of a rational >= 0; -infinity for 0. */
void sotto_log_rational(mpfr_t out, mpq_srcptr q, mpfr_rnd_t side);

#endif
