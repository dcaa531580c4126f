/*
 * beta.h - the regularised incomplete beta function, in doubles
 *
 * For intervals and tests that people read; no privacy depends on it.
 */
#ifndef SOTTO_BETA_H
#define SOTTO_BETA_H

/* Returns I_x(a, b) = P[Beta(a, b) <= x] for a, b > 0; 0 below 0 and 1 above 1. */
double sotto_beta_regularized(double a, double b, double x);

/* Returns ln Gamma(x) for x > 0, without the global variable that lgamma writes. */
double sotto_log_gamma(double x);

#endif
