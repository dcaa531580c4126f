/*
 * contour_scan.h - finds blocks of a contour's nodes that cannot matter, by a few laws
 *
 * Each |M(s)/M(c)| is at most 1, so the product of a few laws bounds the product of all.  A law
 * is evaluated only at every few nodes; between them its values change by no more than its first
 * nodes show (contour.md).
 */
#ifndef SOTTO_CONTOUR_SCAN_H
#define SOTTO_CONTOUR_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/account/integral/contour/contour_sweep.h"
#include "sotto/status.h"

struct sotto_scan {
	size_t blocks;
	double *bound; /* of |product|, for every few nodes of each block */
	/* Blocks that weigh no more are left out: together at most half the budget. */
	double cut;
};

/*
 * Scans this many blocks: by a sweep over all laws, and, unless that is enough, by one law after the other.  Fails: SOTTO_ENOMEM; *scan then needs no
 * release.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_scan_make(struct sotto_scan *scan, size_t blocks,
						   const struct sotto_scan_line *line,
						   bool one_by_one);
void sotto_scan_release(struct sotto_scan *scan);

/* Returns a bound on what the block may add to either sum of a kernel that is at most 4/|s|^2. */
double sotto_scan_weight(const struct sotto_scan *scan, const struct sotto_scan_line *line,
			 size_t block);

#endif
