/*
 * utility_real.h - the errors of noise on a real number at an epsilon
 */
#ifndef SOTTO_CMD_UTILITY_REAL_H
#define SOTTO_CMD_UTILITY_REAL_H

#include <stdio.h>

/* Prints Laplace, staircase and geometric noise at sensitivity 1; nothing at epsilon 0. */
void utility_real_print(double epsilon, FILE *out);

#endif
