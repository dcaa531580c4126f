/*
 * black_box.h - what is known about an event as a black box: (epsilon, delta), and rho
 */
#ifndef SOTTO_BLACK_BOX_H
#define SOTTO_BLACK_BOX_H

#include <gmp.h>
#include <mpfr.h>
#include <stdbool.h>

#include "core/account/event/workload_terms.h"
#include "sotto/status.h"

/* A loss bound that holds up to probability delta. */
struct sotto_black_box {
	bool bounded; /* false: there is none worth using */
	bool rational; /* epsilon is exact */
	bool only_delta; /* nobody asks for epsilon; it is left out where delta does not depend on it */
	mpq_t exact; /* epsilon if rational */
	mpfr_t epsilon; /* rounded up */
	mpq_t delta; /* rounded up where it is not rational by nature */
};

void sotto_black_box_init(struct sotto_black_box *b);
void sotto_black_box_release(struct sotto_black_box *b);

/* The box of one event, its count not looked at. */
void sotto_black_box_of(struct sotto_black_box *b, const struct sotto_event *e,
			enum sotto_neighbours neighbours);

/* Only the delta of that box, which is quick; false and no delta if it has none. */
bool sotto_black_box_delta(mpq_t delta, const struct sotto_event *e,
			   enum sotto_neighbours neighbours);

/* Of a rho that is only added up: formulas lose up to 130 of them, and doubles need 53. */
enum { SOTTO_RHO_BITS = 320 };

/*
 * Computes the least known rho of one event, up to probability delta, rounded up.  If no work is
 * left (NULL: no limit) a simpler bound is used.  Fails: SOTTO_ENOMEM; SOTTO_EREFUSED if even that is too
 * much.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_rho_of(mpfr_t rho, mpq_t delta, const struct sotto_event *e,
	     enum sotto_neighbours neighbours, struct sotto_work *work);

#endif
