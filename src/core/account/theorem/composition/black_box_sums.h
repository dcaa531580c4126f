/*
 * black_box_sums.h - sums over black boxes, from which basic and advanced composition and the optimum follow
 */
#ifndef SOTTO_BLACK_BOX_SUMS_H
#define SOTTO_BLACK_BOX_SUMS_H

#include <gmp.h>
#include <mpfr.h>
#include <stdbool.h>

#include "core/account/event/workload_terms.h"
#include "sotto/account.h"
#include "sotto/status.h"

/*
 * Sums over all boxes: of epsilon (the rational part apart) and, where the theorem asks for them, epsilon^2
 * and e expm1(e).
 */
struct sotto_black_box_sums {
	mpq_t exact;
	mpfr_t real, squares, drifts;
	struct sotto_terms boxes; /* for the optimum: each box as a pure or approx event */
	enum sotto_method method; /* which theorem they are for */
	bool infinite; /* an event has no bound at all */
	double last; /* epsilon of the last event without a loss bound: a guess for the next one */
};

void sotto_black_box_sums_init(struct sotto_black_box_sums *s, enum sotto_method method);
void sotto_black_box_sums_release(struct sotto_black_box_sums *s);

/*
 * Adds every event; an event without a loss bound enters by its epsilon at delta = share.  Fails:
 * SOTTO_ENOMEM; SOTTO_EREFUSED if the work does not suffice.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_black_box_sums_add(struct sotto_black_box_sums *s,
							    const struct sotto_terms *t,
							    mpq_srcptr share);

#endif
