/*
 * sgauss_rule.h - inside this folder: the trapezoid rule of a sampled Gaussian law
 *
 * With z standard normal under Q, the rule runs along Im z = shift.  What it errs by is
 * derived in sample.md.
 */
#ifndef SOTTO_SGAUSS_RULE_H
#define SOTTO_SGAUSS_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/account/integral/complex.h"
#include "core/account/law/law.h"

/* Where the quadrature only steers, it errs by less than exp(-this). */
#define SOTTO_SGAUSS_STEERING 28.0
/* The tails of its range are smaller still, by exp(-this). */
#define SOTTO_SGAUSS_TAILS 14.0

#define SOTTO_LOG_ROOT_2PI 0.91893853320467274178

struct sotto_sgauss_rule {
	double low, step, shift; /* z = low + step j + i shift */
	size_t n; /* 0 if too many points were needed */
};

/* For real orders up to c; it errs by less than exp(-digits) of M(c). */
struct sotto_sgauss_rule
sotto_sgauss_rule_for(const struct sotto_law *law, double c, double digits);

/* The digits that a contour needs, and what its quadrature may err by, relative to M(c). */
double sotto_sgauss_digits(const struct sotto_law *law);
double sotto_sgauss_error(const struct sotto_law *law);

/* Whether E(R - 1), which is 0, is 0 over the rule's range too. */
bool sotto_sgauss_has_whole_mean(const struct sotto_law *law);

/* R - 1 and log R at real z. */
void sotto_sgauss_real_ratio(const struct sotto_law *law, double x, double *excess, double *l);

/* The loss at z = x + i y, and the log of its weight: mass exp(c loss), unnormalised. */
void sotto_sgauss_atom(const struct sotto_law *law, double c, double x, double y,
		       struct cx *loss, struct cx *log_weight);

/* The error of a loss log R at Re z = x. */
double sotto_sgauss_loss_error(const struct sotto_law *law, double x, struct cx l);

#endif
