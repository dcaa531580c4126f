/*
 * dgauss_cells.h - the staircase from which bulk Gaussian candidates are drawn
 *
 * The magnitudes are cut into cells of 2^shift integers, 127 of them and a tail.
 * Cell j has an integer weight m_j with c exp(-x) <= m_j for every exponent
 * x = y^2 / (2 sigma2) in it; the weights sum to 2^15.  A candidate y is a cell
 * drawn by weight, a uniform place in it and a fair sign; it is accepted with
 * probability (c / m_j) exp(-x).  Argument: dgauss_block.md.
 */
#ifndef SOTTO_DGAUSS_CELLS_H
#define SOTTO_DGAUSS_CELLS_H

#include <gmp.h>
#include <stdint.h>

enum {
	SOTTO_DGAUSS_CELLS = 128,
	/* The last cell stands for cells 127, 128, ... with 1/2, 1/4, ... of its weight. */
	SOTTO_DGAUSS_TAIL = SOTTO_DGAUSS_CELLS - 1,
	SOTTO_DGAUSS_COLUMN = 256, /* weight of a column of the alias table */
	SOTTO_DGAUSS_WEIGHT = SOTTO_DGAUSS_CELLS * SOTTO_DGAUSS_COLUMN,
	SOTTO_DGAUSS_SERIES = 5,
};

struct sotto_dgauss_cells {
	unsigned shift; /* cells are 2^shift wide */
	unsigned digits; /* random 16-bit digits of a place in a cell */
	uint32_t scale; /* c */
	uint16_t weight[SOTTO_DGAUSS_CELLS]; /* m_j */
	uint64_t
		acceptance; /* probability that a candidate is accepted, in units of 2^-32; for planning */

	/* Column i means cell i if a random byte is below keep[i], else other[i]. */
	_Alignas(64) uint8_t keep[SOTTO_DGAUSS_CELLS];
	uint8_t other[SOTTO_DGAUSS_CELLS];
	/*
	 * floor(2^16 p), as low and high bytes, for the acceptance p at the inner edge of cell j,
	 * and of cell j + 1 as if it had the weight of cell j.  0 in the tail.
	 */
	uint8_t inner[2][SOTTO_DGAUSS_CELLS];
	uint8_t outer[2][SOTTO_DGAUSS_CELLS];

	/* For dgauss_judge_kernel.h, with kappa = 4^shift / (2 sigma2): */
	uint16_t slope_high, slope_low; /* floor(2^24 kappa), above and below 2^8 */
	uint16_t curve; /* floor(2^21 kappa) */
	uint16_t place_mask; /* which of the first 16 digits are part of a place */
	uint16_t sign_step; /* one integer, in units of 2^-16 cells */
	uint16_t
		series[SOTTO_DGAUSS_SERIES]; /* of (1 - exp(-2 v)) / (2 v), signs alternating */
};

/* Takes about 30 us. */
void sotto_dgauss_cells_init(struct sotto_dgauss_cells *c, const mpq_t sigma2);

#endif
