/*
 * rho.h - computes the least rho for which a mechanism is rho-zCDP, rounded up
 *
 * Each is the supremum over orders of the Renyi divergence over its order (cost.md).  Results
 * have the precision of rho and are upper bounds.
 */
#ifndef SOTTO_RHO_H
#define SOTTO_RHO_H

#include <gmp.h>
#include <mpfr.h>

/* any loss at most epsilon: epsilon tanh(epsilon/2) */
void sotto_rho_pure_up(mpfr_t rho, mpq_srcptr epsilon);

/* epsilon-bounded range: y - 1 - log y, y = epsilon/expm1(epsilon) */
void sotto_rho_bounded_range_up(mpfr_t rho, mpq_srcptr epsilon);

/* real Laplace noise: epsilon - 1 + exp(-epsilon) */
void sotto_rho_laplace_up(mpfr_t rho, mpq_srcptr epsilon);

/* discrete Laplace, a per step, sensitivity steps: a n - (a/sinh a)(1 - exp(-a n)) */
void sotto_rho_geometric_up(mpfr_t rho, mpq_srcptr a, const mpz_t steps);

#endif
