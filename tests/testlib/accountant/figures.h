/*
 * figures.h - figures of the accountant that were computed elsewhere
 *
 * A figure counts as met if the answer is on the safe side of it and within 1e-9, or
 * within half a unit of its last digit where it has fewer.
 */
#ifndef SOTTO_TESTS_FIGURES_H
#define SOTTO_TESTS_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "sotto/account.h"

struct figure {
	const char *events;
	enum sotto_method method;
	const char *at; /* the delta, or the epsilon */
	const char *value; /* without a point: exact */
};

void figures_check_epsilons(const struct figure *list, size_t n);
void figures_check_deltas(const struct figure *list, size_t n);

/* One figure against an answer from elsewhere; the lower side only if there is one. */
void figure_check(const char *what, const struct figure *f, double lower, double upper,
		  bool has_lower);

/* From above: never less than what is true. */
void figure_check_up(const char *what, double got, const char *value);

#define EPSILONS(list) figures_check_epsilons(list, sizeof list / sizeof list[0])
#define DELTAS(list) figures_check_deltas(list, sizeof list / sizeof list[0])

#endif
