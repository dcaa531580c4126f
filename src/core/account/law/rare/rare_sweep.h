/*
 * rare_sweep.h - how large the product of all laws of a list can be, at very many nodes of a line (rare.md)
 */
#ifndef SOTTO_RARE_SWEEP_H
#define SOTTO_RARE_SWEEP_H

#include "core/account/integral/nonuniform.h"
#include "core/account/law/rare/rare_list.h"
#include "core/account/law/rare/rare_series.h"

struct sotto_rare_sweep {
	struct sotto_rare_series list; /* the logarithm of a bound, less what it is at t = 0 */
	double h; /* of the line */
	double far; /* the largest gap */
	uint64_t stride; /* nodes that one bound is for */
	double slip; /* what may lie between the nodes that are looked at */
	struct sotto_nonuniform sums;
	bool ready;
};

/* For the line Re s = c with nodes h apart.  Fails: SOTTO_ENOMEM (release it even then). */
SOTTO_MUST_CHECK enum sotto_status sotto_rare_sweep_init(struct sotto_rare_sweep *s,
							 const struct sotto_rare *list,
							 double c, double h);

/*
 * The same step by step, for laws of any kind: begin, add some outcomes of each law, with weights that are no larger than they are in M(c), and settle.  Adding fails with
 * SOTTO_EREFUSED if the list is too long; what was added before, of this law too, stays.
 */
void sotto_rare_sweep_begin(struct sotto_rare_sweep *s, double h);
SOTTO_MUST_CHECK enum sotto_status
sotto_rare_sweep_add(struct sotto_rare_sweep *s, const double *loss, const double *weight,
		     size_t n, double count);
SOTTO_MUST_CHECK enum sotto_status sotto_rare_sweep_settle(struct sotto_rare_sweep *s);
void sotto_rare_sweep_release(struct sotto_rare_sweep *s);

/* Bounds for SOTTO_SEGMENT - 1 strides of nodes, from a multiple of the stride on. */
void sotto_rare_sweep_run(struct sotto_rare_sweep *s, uint64_t first, double *bound);

/* How many steps (work.h) that takes. */
double sotto_rare_sweep_steps(const struct sotto_rare_sweep *s);

#endif
