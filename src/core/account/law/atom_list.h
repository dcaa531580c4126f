/*
 * atom_list.h - what laws with few atoms (law_atoms.c) and with many (law_cloud.c) share
 *
 * With weights w = mass exp(c loss)/M(c), which sum to 1, M(s)/M(c) - 1 is the sum of
 * w (exp(i t loss) - 1).  For many events of tiny loss the linear part, i t K'(c), is taken
 * out: K'(0) is known well (b), although its terms cancel.
 */
#ifndef SOTTO_ATOM_LIST_H
#define SOTTO_ATOM_LIST_H

#include "core/account/law/law.h"

/* Room for n atoms; sets the class.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_law_atoms_init(struct sotto_law *law, size_t n);

/*
 * log of the largest term of M(s), to a factor of 2; *size is the largest exponent.  Where the terms of large losses have masses
 * near the least double, exp(s loss) alone is larger than the sum by more than a double holds.
 */
double sotto_atoms_largest(const struct sotto_law *law, double s, double *size);

/* mass exp(x) in two steps: exp(x) may pass the largest double while the whole is at most 2. */
double sotto_atom_term(double mass, double x);

struct sotto_atoms {
	double *weight; /* mass exp(c loss)/m */
	double mean; /* K'(c) */
	double spread; /* sum of weight |loss| */
	double eta0, eta1; /* error eta0 min(1, t spread) + eta1 t */
	double reach; /* largest |loss| */
	double log_m, slack; /* of one M(c) */
};

/* Tilts the atoms of law by c.  terms is how many are added up one after another. */
SOTTO_MUST_CHECK enum sotto_status
sotto_atoms_tilt(struct sotto_atoms *a, const struct sotto_law *law, double c, double terms);
/* The same in a fifth of the time, for small counts: K(c) is good to some u of 1 only. */
SOTTO_MUST_CHECK enum sotto_status sotto_atoms_tilt_quickly(struct sotto_atoms *a,
							    const struct sotto_law *law,
							    double c, double terms);
void sotto_atoms_release(struct sotto_atoms *a);

/* True for blocks on which every t |loss| is small and the count large. */
bool sotto_atoms_are_small(const struct sotto_atoms *a, const struct sotto_law *law,
			   const struct sotto_block *b);

/* M(s)/M(c) - 1 on such a block; returns a bound of its error. */
double sotto_atoms_sum_small(const struct sotto_atoms *a, const struct sotto_law *law,
			     const struct sotto_block *b, double *dr, double *di);

/* As the member of struct sotto_law_class. */
void sotto_atoms_cumulants(const struct sotto_law *law, double s, double k[3]);
void sotto_atoms_cumulants_quickly(const struct sotto_law *law, double s, double k[3]);
void sotto_law_atoms_release(struct sotto_law *law);

#endif
