/*
 * contribution_spread.h - in how many groups units are, and with how many rows, found privately
 *
 * Two histograms of units: by the number of their groups, and by the largest number of their
 * rows in one group, in bins 1, 2, 3-4, 5-8, ... with noise.  A limit is the end of a bin:
 * at most of the first beyond which few units lie, and less where the noise that it needs is
 * larger than what it keeps.  Argument: contribution_spread.md.
 */
#ifndef SOTTO_CONTRIBUTION_SPREAD_H
#define SOTTO_CONTRIBUTION_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "central/price/laplace_or_gaussian.h"
#include "core/base/arena.h"
#include "sotto/cost.h"

enum { SOTTO_SPREAD_BINS = 14, SOTTO_SPREAD_ALL = 2 * SOTTO_SPREAD_BINS };

/* Limits that were found, and about which share of the units would lose something. */
struct sotto_found_limits {
	int64_t groups, rows;
	double groups_beyond, rows_beyond;
	double hidden; /* noise alone may make up, or hide, this share of the units; HUGE_VAL: all */
};

/* Limits of a grouping that are still to be found. */
struct sotto_spread {
	bool is_pending;
	const char *name; /* of the tables and the keys */
	const char *engine_sql; /* gives the bins: first of groups, then of rows */
	struct sotto_added_noise *noise; /* of every bin, once it is priced */
};

/* Units with more than 2^(b-1) and at most 2^b are in bin b; the last has no end. */
int64_t sotto_spread_edge(size_t bin);

/*
 * Prices both histograms at epsilon together and adds it to the cost.
 *
 * Privacy:  a unit is in one bin of each histogram: epsilon-DP.
 * Fails:    SOTTO_ERANGE if the noise cannot be drawn; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_price(struct sotto_spread *s, struct sotto_arena *arena,
		   const struct sotto_rational *epsilon, struct sotto_cost *cost);

/* What the limits are for: public figures, and how much a usual question pays. */
struct sotto_spread_use {
	double group_count; /* groups that are shown; 0 if that is not known */
	double typical_group; /* then so many units are in a group */
	double epsilon; /* of a usual question */
};

/*
 * Publishes the bins and reads the limits off them: those with which a count in one group
 * errs least, by noise and by what they drop.
 *
 * Fails:    SOTTO_EENTROPY; nothing may be answered.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_publish(const struct sotto_spread *s, struct sotto_rng *rng,
		     const struct sotto_exact *bins, const struct sotto_spread_use *use,
		     struct sotto_found_limits *out);

#endif
