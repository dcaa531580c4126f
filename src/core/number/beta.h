/*
 * beta.h - the regularised incomplete beta function, in doubles
 *
 * For intervals and tests that people read; nothing private depends on it.
 */
#ifndef SOTTO_BETA_H
#define SOTTO_BETA_H

/* I_x(a, b) for a, b > 0: P[Beta(a, b) <= x]; 0 below 0 and 1 above 1. */
double sotto_beta_regularized(double a, double b, double x);

/* ln Gamma(x), x > 0, without the global variable that lgamma writes. */
double sotto_log_gamma(double x);

#endif
