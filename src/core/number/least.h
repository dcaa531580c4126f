/*
 * least.h - finds the smallest positive number on a binary grid at which a condition holds
 */
#ifndef SOTTO_LEAST_H
#define SOTTO_LEAST_H

#include <gmp.h>
#include <stdbool.h>

/* The range from 2^least to 2^most. */
struct sotto_span {
	long least;
	long most;
};

typedef bool (*sotto_least_predicate)(const void *context, const mpq_t x);

/*
 * Finds x = n 2^k with n of 32 bits by bisection, first over powers of two, then within one.  The
 * condition has been tested at the x that is returned; if it also holds at every larger x, then x
 * is the least.
 *
 * Returns false if the condition holds at no power of two of the span.
 */
bool sotto_least_find(mpq_t x, struct sotto_span span, sotto_least_predicate holds,
		      const void *context);

bool sotto_span_holds(struct sotto_span span, const mpq_t x);

#endif
