/*
 * sigmas.h - squares of sigma that a Gaussian sampler must get right
 *
 * The ends of the range, both sides of every kind of change in the tables (cells
 * one wide or more, one, two or three digits of place), fractions with long parts.
 */
#ifndef SOTTO_TESTS_SIGMAS_H
#define SOTTO_TESTS_SIGMAS_H

#include <stddef.h>

#include "core/random/gaussian/dgauss_law.h"

extern const char *const sigmas[];
extern const size_t sigmas_count;

/* The law of sigma2 given as text; never NULL. */
struct sotto_dgauss *law_of(const char *sigma2);

#endif
