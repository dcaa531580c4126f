/*
 * choice_share.h - the part of a share that one choice gets, and what choices cost
 *
 * A unit reaches several groups and each of them is one choice more, so a choice gets its
 * share divided by them.
 */
#ifndef SOTTO_CHOICE_SHARE_H
#define SOTTO_CHOICE_SHARE_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/cost.h"
#include "sotto/rational.h"
#include "sotto/status.h"

/* one = share / (groups n), so that n choices in each group cost the share. */
void sotto_choice_share(const struct sotto_rational *share, int64_t groups, size_t n,
			mpq_t one);

/*
 * The epsilon of a choice that may cost part / parts of rho: a choice of bounded range e
 * is e^2/8-zCDP, so e is the root of 8 rho part / parts, rounded down.
 */
void sotto_choice_epsilon_down(struct sotto_rational *epsilon, const mpq_t rho, unsigned part,
			       unsigned parts);

/* Adds n choices with epsilon each. */
SOTTO_MUST_CHECK enum sotto_status
sotto_choice_charge(struct sotto_cost *cost, const struct sotto_rational *epsilon, uint64_t n);

#endif
