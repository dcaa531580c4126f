/*
 * census_round_list.h - rounds a list of fractions to whole numbers with a given sum, by exact
 * costs
 */
#ifndef SOTTO_CENSUS_ROUND_LIST_H
#define SOTTO_CENSUS_ROUND_LIST_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

/* The wanted numbers, and the whole numbers for them. */
struct sotto_round_numbers {
	size_t rows, columns, n;
	mpq_t *want;
	int64_t *x;
};

struct sotto_round_list {
	struct sotto_round_numbers numbers;
	mpq_t *weights;
	size_t weight_count;
	int64_t sum;
};

/*
 * Fills numbers.x: not negative, with the sum, and the least sum of weight * (x - want)^2.
 * Fails:    SOTTO_EINFEASIBLE, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_round_list_solve(struct sotto_round_list *l, struct sotto_error *err);

#endif
