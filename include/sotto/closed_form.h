/*
 * sotto/closed_form.h - the bounds that papers give in closed form
 *
 * For comparison and display: sotto/account.h is mostly sharper.  Every result is a valid
 * bound by itself, computed in high precision and rounded once to the side that its name
 * says.  Formulas and sources: src/core/account/theorem/closed_form.md.
 *
 * Where an epsilon is asked for at a delta: delta >= 1 gives 0, and INFINITY means that
 * no epsilon goes with this delta.
 */
#ifndef SOTTO_CLOSED_FORM_H
#define SOTTO_CLOSED_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/rational.h"
#include "sotto/status.h"
#include "sotto/workload.h"

/*
 * Kairouz, Oh and Viswanath for events that differ: the least of the sum of epsilons and
 * two forms that grow with the root of the sum of their squares.
 *
 * Fails: SOTTO_EINVAL if delta is negative; SOTTO_EREFUSED if an event is neither pure
 *        nor approx.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_closed_kov_up(const struct sotto_workload *w, const struct sotto_rational *delta,
		    double *epsilon);

/*
 * The same authors' optimum for k equal events, on their grid: the least epsilon (k - 2i),
 * i <= k/2, whose delta fits.  Between the grid's points the method "kov" is better.
 *
 * Fails: SOTTO_EINVAL if a parameter is negative or delta0 > 1; SOTTO_ERANGE past 10^6
 *        events or an epsilon of 10^6.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_closed_kov_grid_up(const struct sotto_rational *epsilon,
			 const struct sotto_rational *delta0, uint64_t k,
			 const struct sotto_rational *delta, double *total);

/* rho + 2 sqrt(rho log(1/delta)), the older conversion.  Fails: SOTTO_EINVAL if one is negative. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_closed_zcdp_up(const struct sotto_rational *rho, const struct sotto_rational *delta,
		     double *epsilon);

/*
 * k exponential mechanisms, each taken as (epsilon^2/8)-zCDP, converted at the best order;
 * or k epsilon, if that is less.
 * Fails: SOTTO_EINVAL if epsilon or delta is negative.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_closed_exponential_up(const struct sotto_rational *epsilon, uint64_t k,
			    const struct sotto_rational *delta, double *total);

/* What a list of Renyi divergences says at a delta. */
struct sotto_closed_renyi {
	double epsilon; /* rounded up */
	size_t best; /* which of the list gave it */
	bool edge; /* that is the first or the last: a longer list may give less */
};

/*
 * orders rise and are more than 1; a divergence may be INFINITY (no bound at this order).
 * Fails: SOTTO_EINVAL otherwise, for an empty list or a negative delta.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_closed_renyi_up(const double *orders, const double *divergences, size_t n,
		      const struct sotto_rational *delta, struct sotto_closed_renyi *out);

/*
 * n shuffled reports of local epsilon0, any randomizer: the clones' bound of Feldman,
 * McMillan and Talwar.
 *
 * Privacy: neighbours replace one user; nothing but the reports reaches the analyst.
 * Fails:   SOTTO_EINVAL unless epsilon0 >= 0, n > 0 and 0 < delta < 1; SOTTO_EREFUSED
 *          where the theorem says nothing: epsilon0 > log(n/(16 log(4/delta))).
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_closed_shuffle_up(const struct sotto_rational *epsilon0, uint64_t n,
			const struct sotto_rational *delta, double *epsilon);

/*
 * The same by the privacy blanket of Balle, Bell, Gascon and Nissim with Hoeffding's
 * inequality; never more than epsilon0.  answers is K if every report is a K-ary
 * randomized response, 0 for any other randomizer.
 *
 * Privacy: as above.
 * Fails:   SOTTO_EINVAL as above or if answers is 1; SOTTO_ERANGE past an epsilon0 of 10^6.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_closed_blanket_up(const struct sotto_rational *epsilon0, uint64_t n, uint64_t answers,
			const struct sotto_rational *delta, double *epsilon);

/*
 * Who tells two neighbours apart with false positive rate fpr: the most that his true
 * positive rate can be under mu-GDP, rounded up.
 * Fails: SOTTO_EINVAL unless mu >= 0 and 0 <= fpr <= 1.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_closed_gaussian_tpr_up(const struct sotto_rational *mu, const struct sotto_rational *fpr,
			     double *tpr);

/*
 * The least that his false negative rate can be under (epsilon, delta), rounded down.
 * Fails: SOTTO_EINVAL unless epsilon >= 0, and delta and fpr lie between 0 and 1.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_closed_tradeoff_down(const struct sotto_rational *epsilon,
			   const struct sotto_rational *delta, const struct sotto_rational *fpr,
			   double *fnr);

#endif
