/*
 * gathered_list.h - very many outcomes as a few hundred at equal distances
 *
 * Each outcome's mass goes to the sixteen nearest of these, so that exp(s loss) stays what it was to many digits, at every s up to a limit
 * (gathered.md).  The new masses need not be positive.
 */
#ifndef SOTTO_GATHERED_LIST_H
#define SOTTO_GATHERED_LIST_H

#include <stddef.h>

#include "sotto/status.h"

enum { SOTTO_GATHERED_MAX = 2048 };

struct sotto_gathered_list {
	double *loss, *mass; /* one allocation: free loss */
	size_t n;
	double gap; /* between two losses */
	double shift; /* added to the order for errors: 1 for a mirrored list, of which one half is a list at s + 1 */
	double rounding; /* relative to M(c) at any c, besides what the gap does */
};

/* Gathers n outcomes of positive mass in a list of the given size, at least 32.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_gathered_list_of(struct sotto_gathered_list *out, const double *loss, const double *mass,
		       size_t n, size_t size);

/*
 * Adds to a list of losses that are not negative, save for what gathering did, their opposites: mass exp(-loss) at -loss.  The list must have been
 * gathered in at most half the most.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_gathered_list_mirror(struct sotto_gathered_list *l);

/* power[i] = exp(s (loss[i] - last loss)), good to 32 u and what 4 u of the largest loss do to it. */
void sotto_gathered_list_powers(const struct sotto_gathered_list *l, double s, double *power);

/* The largest |s| that the list is meant for; and that one of such a size would be, of losses from low to high. */
double sotto_gathered_list_reach(const struct sotto_gathered_list *l);
double sotto_gathered_reach_of(double low, double high, size_t size);

/* What M(c+it) of the list is wrong by, relative to M(c) of the outcomes. */
double sotto_gathered_list_error(const struct sotto_gathered_list *l, double c, double t);

#endif
