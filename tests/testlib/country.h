/*
 * country.h - small random countries for tests of the census flow
 *
 * Two levels below the top, up to 4 nodes with up to 5 leaves each, a handful of people in each.
 */
#ifndef SOTTO_TESTS_COUNTRY_H
#define SOTTO_TESTS_COUNTRY_H

#include "census/measure/census_measure.h"
#include "census/measure/census_truth.h"
#include "census/measure/census_world.h"
#include "census/solve/census_execute.h"

enum { COUNTRY_NODES_MAX = 30, COUNTRY_CELLS_MAX = 24 };

struct country {
	struct sotto_census_world w;
	int64_t counts[COUNTRY_NODES_MAX][COUNTRY_CELLS_MAX]; /* what a run released */
	size_t left; /* nodes until a run is stopped; 0: it is not */
};

/*
 * The plan's levels must be Top, Mid (column m) and Low (column l).  Large counts beyond 2^31 are
 * among them if `large`.  False if anything fails.  Pair with _close.
 */
bool country_open(struct country *c, const char *plan, uint64_t seed, bool large);
void country_close(struct country *c);

/* True counts of a node; group: of the frame, SIZE_MAX for all. */
int64_t country_truth(const struct country *c, size_t node, size_t group);

/* Totals of Mid fixed at the truth, and its groups if there is a frame.  False if infeasible. */
bool country_fix_middle(struct country *c);

/* Releases into c->counts. */
enum sotto_status
country_run(struct country *c, const struct sotto_census_measurement *m, unsigned threads);

/* The noise of key number `key`. */
enum sotto_status
country_measure(struct country *c, uint64_t key, struct sotto_census_measurement *m);

#endif
