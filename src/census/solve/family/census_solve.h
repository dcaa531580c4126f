/*
 * census_solve.h - one parent's children: the non-negative optimum on the parent's cells
 *
 *	minimise  sum over children c of 1/2 X_c' P_c X_c - h_c' X_c
 *	subject to  X >= 0, children adding up to the parent's cells, fixed row totals, and
 *	group totals within their bounds
 *
 * by accelerated projected gradients; the projection by Newton steps on the multipliers of
 * columns, rows and groups (nonnegative.md).
 */
#ifndef SOTTO_CENSUS_SOLVE_H
#define SOTTO_CENSUS_SOLVE_H

#include "census/solve/information/census_info.h"
#include "census/solve/family/census_loops.h"

struct sotto_census_family {
	const struct sotto_census_basis *basis;
	size_t children, cells;
	const uint32_t *cell; /* the parent's cells that may be nonzero, group by group */
	size_t groups;
	const uint32_t *group; /* of each cell, ascending */
	const double *parent; /* the parent's count of each; NULL at the root */
	const double *const *kernels; /* of each child (census_info.h); may be the same */
	const double *h; /* children x cells */
	const double *totals; /* fixed row totals, or NULL */
	double slack; /* by how much a row may miss its total */
	const uint64_t *masks; /* places that each child may have */
	const double *low, *high; /* children x groups, or NULL */
	double *x; /* the result, children x cells */
};

/* Memory that grows as needed.  Start from zeros. */
struct sotto_census_solver {
	double *memory;
	size_t size;
	/* For tests, which compare: */
	const struct sotto_census_loops *loops; /* NULL: the best for this processor */
	bool by_parts; /* matrices are never written out, even small ones */
};

void sotto_census_solver_release(struct sotto_census_solver *s);

/* Computes the optimum.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_solve(const struct sotto_census_family *f, struct sotto_census_solver *s);

#endif
