/*
 * contour_kernel.h - the weights with which contour nodes add up to delta (contour.md)
 *
 *	plain	 1/(s(s+1)): delta itself, if the integrand falls off
 *	lattice	 the sum of the plain weights over all periods of a lattice law
 *	smooth	 plain, times the transform of a narrow average over epsilon: one that is
 *		 above delta and one that is below, both by convexity
 */
#ifndef SOTTO_CONTOUR_KERNEL_H
#define SOTTO_CONTOUR_KERNEL_H

#include <gmp.h>
#include <stdint.h>

#include "core/account/integral/compensated_sum.h"
#include "core/account/law/law.h"
#include "core/account/loss/measure/loss_measure.h"

/* |t| tau at which a smooth kernel has fallen to exp(-REACH^2/2), about 1e-12 */
#define SOTTO_KERNEL_REACH 7.4

enum sotto_kernel_kind { SOTTO_KERNEL_PLAIN, SOTTO_KERNEL_LATTICE, SOTTO_KERNEL_SMOOTH };

struct sotto_kernel {
	enum sotto_kernel_kind kind;
	double tau; /* smooth: standard deviation of the average */
	mpq_t spacing, offset; /* lattice */
	uint64_t period_nodes;
	double alias_factor; /* how much larger the aliases may be than those of delta */
};

struct sotto_kernel_sums {
	double epsilon, gap; /* lattice: distance from epsilon to the next point above */
	double spacing;
	uint64_t nodes;
	struct sotto_sum high, low; /* of the two kernels, first node halved */
	double error; /* bound on the rounding error of either */
};

void sotto_kernel_init(struct sotto_kernel *k);
void sotto_kernel_release(struct sotto_kernel *k);
void sotto_kernel_plain(struct sotto_kernel *k);
void sotto_kernel_lattice(struct sotto_kernel *k, const struct sotto_loss_measure *m,
			  uint64_t period_nodes);
void sotto_kernel_smooth(struct sotto_kernel *k, double c, double tau);

/* Returns log of the sum of |kernel| h/pi over nodes from t on, times sup |product| = 1. */
double sotto_kernel_log_tail(const struct sotto_kernel *k, double c, double t);

void sotto_kernel_begin(const struct sotto_kernel *k, double epsilon, uint64_t nodes,
			struct sotto_kernel_sums *sums);
void sotto_kernel_add(const struct sotto_kernel *k, const struct sotto_block *b,
		      struct sotto_kernel_sums *sums);
void sotto_kernel_end(struct sotto_kernel_sums *sums);

#endif
