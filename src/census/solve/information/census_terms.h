/*
 * census_terms.h - what is known about one node, on the cells of its parent
 */
#ifndef SOTTO_CENSUS_TERMS_H
#define SOTTO_CENSUS_TERMS_H

#include "census/solve/census_worker.h"

/*
 * Computes the linear term of a node on the listed cells, its kernel, and the estimate of its
 * total (infinite variance: nothing is known).  *own is set to memory that the caller frees, or
 * NULL.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_node_terms(struct sotto_census_worker *w, size_t node, const uint32_t *cells,
			size_t n, double *h, const double **kernel, double **own, double *total,
			double *variance);

/*
 * Estimates a node's groups (unbiased, so some may be negative); *known is false if none were
 * measured.  Groups are settled before cells: clipping hundreds of small cells would move people
 * into groups that hardly anybody is in.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_census_node_groups(struct sotto_census_worker *w,
							    size_t node, double *groups,
							    bool *known);

#endif
