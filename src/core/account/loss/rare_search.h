/*
 * rare_search.h - finds both sides of an epsilon where a curve of log delta may be flat for long and then fall off a cliff
 */
#ifndef SOTTO_RARE_SEARCH_H
#define SOTTO_RARE_SEARCH_H

#include "sotto/status.h"

/* Computes bounds of the value at epsilon >= 0, which falls. */
typedef enum sotto_status
sotto_rare_value(void *context, double epsilon, double *log_low, double *log_high);

/* Points of proven sides around a crossing: the high value is above its level at high_from (unless that is 0), and at most that at high_to; the low value is at least its level
 * at low_from, or that is 0. */
struct sotto_rare_search {
	sotto_rare_value *value;
	void *context;
	double down, up; /* levels of the high and of the low value */
	double high_from, high_to, low_from, low_to;
};

/* Looks for points around a guess, with steps that grow.  Fails as the value does. */
SOTTO_MUST_CHECK enum sotto_status
sotto_rare_search_around(struct sotto_rare_search *s, double guess, double step);

/* Narrows both gaps to the tolerance, or to neighbouring numbers.  Fails as the value does. */
SOTTO_MUST_CHECK enum sotto_status
sotto_rare_search_narrow(struct sotto_rare_search *s, double tolerance);

#endif
