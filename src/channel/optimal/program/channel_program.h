/*
 * channel_program.h - linear programs with exact coefficients
 *
 * maximize objective . x, rows <= or = right sides, x >= 0.  COIN-OR Clp, loaded at run time,
 * proposes an answer in doubles; the result is checked in fractions (channel_program_exact.c,
 * channel_optimal.c), so nothing depends on the solver's tolerances.
 */
#ifndef SOTTO_INSIDE_CHANNEL_PROGRAM_H
#define SOTTO_INSIDE_CHANNEL_PROGRAM_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "channel/matrix/channel_eps.h"
#include "channel/matrix/channel_matrix.h"
#include "sotto/status.h"

struct sotto_program_entry {
	size_t column;
	mpq_t value;
};

struct sotto_program {
	size_t columns;
	size_t rows;
	size_t *row_start; /* rows + 1 indexes into entries */
	struct sotto_program_entry *entries;
	mpq_t *objective; /* columns */
	mpq_t *right; /* rows */
	bool *equal; /* rows; false: <= */
	size_t row_room, entry_room;
};

/* Makes a program without rows.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_program_new(size_t columns, struct sotto_program **out);
void sotto_program_free(struct sotto_program *p);

/* Begins a row with right side 0; its entries follow.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_program_row(struct sotto_program *p, bool equal);
SOTTO_MUST_CHECK enum sotto_status
sotto_program_entry(struct sotto_program *p, size_t column, const mpq_t value);

/*
 * Computes e^(epsilon length), rounded down and at most 2^36: a larger factor is out of a
 * solver's reach, and what is private with a smaller one is private.  False if it was cut: an
 * optimum is then not one for the requested epsilon.
 */
bool sotto_program_factor(const struct sotto_eps *eps, const mpq_t length, mpq_t k);

struct sotto_program_answer {
	double *x; /* columns */
	double *price; /* rows: the worth of one more unit of the right side */
	bool *basic_column, *basic_row;
};

/*
 * Solves by the dual simplex with tolerance 1e-12.  Pair a success with _release.
 *
 * Fails:    SOTTO_EMISSING if Clp is not installed (err says what to install); SOTTO_ESTATE if
 *           there is no optimum or it was not found; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_program_solve(const struct sotto_program *p,
						       struct sotto_program_answer *out,
						       struct sotto_error *err);
void sotto_program_answer_release(struct sotto_program_answer *a);

/*
 * Computes the exact vertex of the answer's basis, if it is one and optimal: all signs of x,
 * slacks and reduced costs are checked in fractions.  *x gets one column.
 *
 * Fails:    SOTTO_ESTATE if the basis is not exactly optimal; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_program_exact(const struct sotto_program *p, const struct sotto_program_answer *answer,
		    struct sotto_matrix **x);

#endif
