/*
 * measure.h - the loss distribution of a whole workload in one direction
 *
 * Infinite losses apart, it is a sum of independent losses: one Gaussian (all real
 * Gaussian events together) and the laws in the list.
 */
#ifndef SOTTO_ACCOUNT_MEASURE_H
#define SOTTO_ACCOUNT_MEASURE_H

#include <gmp.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>

#include "account/law.h"
#include "account/terms.h"
#include "sotto/status.h"

struct sotto_measure {
	double mu2; /* of the Gaussian part; relative error at most 2 u */
	struct sotto_law *laws;
	size_t n, capacity;
	/* log of the probability that the loss is finite, rounded both ways */
	double log_finite_low, log_finite_high;
	double top; /* the largest finite loss, rounded up; INFINITY if there is none */
	bool lattice; /* all finite losses lie in offset + spacing * integers */
	mpq_t spacing, offset;
	bool one_sided; /* removing and adding differ */
};

void sotto_measure_init(struct sotto_measure *m);
void sotto_measure_release(struct sotto_measure *m);

/*
 * The next free law, cleared, with this count.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_measure_push(struct sotto_measure *m, uint64_t count, struct sotto_law **law);

/* Each of count events has this mass at infinity. */
void sotto_measure_add_infinite(struct sotto_measure *m, const mpfr_t mass, uint64_t count);

/*
 * Everything in t.  m need not be initialised and is released on failure.
 * Fails: SOTTO_ENOMEM; SOTTO_EREFUSED if an event has no loss distribution that
 * can be composed (zcdp, or a black-box group).
 */
SOTTO_MUST_CHECK enum sotto_status sotto_measure_of(struct sotto_measure *m,
						    const struct sotto_terms *t,
						    enum sotto_direction direction);

/* K, K' and K'' at s > 0. */
void sotto_measure_cumulants(const struct sotto_measure *m, double s, double k[3]);

/* Atoms of the finite part of a pair, as a law; the infinite part goes to m. */
struct sotto_pair;
SOTTO_MUST_CHECK enum sotto_status sotto_measure_add_pair(struct sotto_measure *m,
							  const struct sotto_pair *pair,
							  uint64_t count);

#endif
