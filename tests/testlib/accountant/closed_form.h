/*
 * closed_form.h - bounds in closed form that the accountant is compared with
 */
#ifndef SOTTO_CLOSED_FORM_H
#define SOTTO_CLOSED_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/account.h"

/*
 * Computes the same authors' optimum for k equal events, on their grid: the least epsilon (k -
 * 2i), i <= k/2, whose delta fits.  Between the grid's points the method "kov" is better.
 *
 * Fails:    SOTTO_EINVAL if a parameter is negative or delta0 > 1; SOTTO_ERANGE past 10^6 events
 *           or an epsilon of 10^6.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_closed_kov_grid_up(const struct sotto_rational *epsilon,
			 const struct sotto_rational *delta0, uint64_t k,
			 const struct sotto_rational *delta, double *total);

/*
 * Computes rho + 2 sqrt(rho log(1/delta)), the older conversion.  Fails: SOTTO_EINVAL if one is
 * negative.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_closed_zcdp_up(const struct sotto_rational *rho,
							const struct sotto_rational *delta,
							double *epsilon);

/*
 * Prices k exponential mechanisms, each as (epsilon^2/8)-zCDP, converted at the best order; or k
 * epsilon, if that is less.
 * Fails:    SOTTO_EINVAL if epsilon or delta is negative.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_closed_exponential_up(const struct sotto_rational *epsilon, uint64_t k,
			    const struct sotto_rational *delta, double *total);

/*
 * The direct filter bound sqrt(2 V log(1/delta)) + V/2: what a filter with the limit V on the
 * sum of epsilon^2 guarantees.  Never better than the zCDP filter.
 * Fails: SOTTO_EINVAL unless V >= 0 and 0 < delta < 1.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_filter_direct_up(const struct sotto_rational *V,
							  const struct sotto_rational *delta,
							  double *epsilon);

#endif
