/*
 * row_draw.h - counters of bit vectors, drawn from their law for simulated people
 */
#ifndef SOTTO_ROW_DRAW_H
#define SOTTO_ROW_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "local/plan/simulation_rng.h"
#include "sotto/client.h"

/*
 * Bits of one vector are independent given the value: each cell is a sum of two binomials.
 * `with` of n users set the bit.
 */
uint64_t sotto_draw_cell(struct sotto_simulation_rng *dice, uint64_t n, uint64_t with,
			 double one, double zero);

/* Vectors in rows, one of which each user is in; flip is the chance of p. */
struct sotto_row_law {
	double zero, one; /* P(1 | bit), besides the flip */
	/* Adds the users to the bits that value number `value` sets in this row. */
	void (*set_cells)(const struct sotto_client_params *p, uint32_t row, size_t value,
			  uint64_t users, uint64_t *with);
};

/* Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_draw_rows(struct sotto_simulation_rng *dice, const struct sotto_row_law *law,
		const struct sotto_client_params *p, const uint64_t *holders, size_t values,
		uint64_t *groups, uint64_t *cells);

#endif
