/*
 * rare_atoms.h - what smoothing does to the likeliest single outcomes near an epsilon, exactly (rare.md)
 */
#ifndef SOTTO_RARE_ATOMS_H
#define SOTTO_RARE_ATOMS_H

#include "core/account/law/rare/rare_list.h"

/*
 * Of single outcomes of all laws together near epsilon, with a smoothing of this width: by how much the average above is too large
 * and the one below too small, at least, times exp(-log_scale).  The list is sorted.
 */
void sotto_rare_atoms_excess(const struct sotto_rare *r, double epsilon, double tau,
			     double log_scale, double *above, double *below);

/*
 * Roughly the epsilon at which this is log delta, and the slope of log delta there, from outcomes in which at most one law shows something rare; false
 * if others are not rarer still.  It steers only.
 */
bool sotto_rare_atoms_guess(const struct sotto_rare *r, double log_delta, double *epsilon,
			    double *slope);

#endif
