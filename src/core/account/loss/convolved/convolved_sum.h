/*
 * convolved_sum.h - the loss of a small workload on a grid, on one side of the truth
 */
#ifndef SOTTO_CONVOLVED_SUM_H
#define SOTTO_CONVOLVED_SUM_H

#include "core/account/integral/work.h"
#include "core/account/loss/convolved/convolved_events.h"
#include "core/account/loss/convolved/convolved_line.h"
#include "sotto/status.h"

struct sotto_convolved_sum {
	enum sotto_side side;
	struct sotto_convolved_line line;
	/* Tilted masses of P and, below, of Q, which is tilted by one order more; the point of loss j * step is at j modulo n. */
	double *p, *q;
	double log_p,
		log_q; /* logs of what they are to be multiplied by, before the tilt is taken back */
	double error; /* of each of them, absolute */
	double relative; /* and relative, of everything */
	double outside; /* tilted mass of P that does not belong to the points where it is counted */
	double above; /* that beyond the top */
	double place; /* near the mean of the tilted loss, where bounds are sharp */
	double infinite; /* mass of infinite losses: above at most, below at least */
};

/* Release it in any case.  Fails: SOTTO_EREFUSED if no work is left; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_convolved_sum_make(struct sotto_convolved_sum *s, const struct sotto_convolved_events *e,
			 enum sotto_side side, const struct sotto_convolved_line *line,
			 struct sotto_work *work);
void sotto_convolved_sum_release(struct sotto_convolved_sum *s);

/* log of a bound of delta on its side; where the grid does not reach, one that is not sharp. */
double sotto_convolved_sum_delta(const struct sotto_convolved_sum *s, double epsilon);

/*
 * What lies above each of the losses 0, step, 2 step, ... of the grid: above, bounds of delta there; below, masses of P and e^epsilon times those of Q, of which
 * the difference is a bound, for larger epsilons too.  Infinite losses are not among them.
 */
struct sotto_convolved_tail {
	double p, q, delta;
};

/* That at the loss index * step, from that of the next; *sums is 0 at the last point, and is kept in between. */
struct sotto_convolved_sums {
	double p, q;
};

struct sotto_convolved_tail sotto_convolved_sum_tail(const struct sotto_convolved_sum *s,
						     int64_t index,
						     struct sotto_convolved_sums *sums);

#endif
