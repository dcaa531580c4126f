/*
 * audit.h - the largest epsilon that runs of a mechanism prove
 *
 * A mechanism is run many times on each of two neighbours.  Its outcomes are sorted into
 * classes; half of the runs choose the set of classes that tells the neighbours apart
 * best, the other half measure it.  Clopper and Pearson's bounds of the two probabilities
 * then prove a lower bound of epsilon that is wrong with probability at most 1e-9.
 *
 * A mechanism that keeps its claim is never proved to exceed it; one that does not is.
 */
#ifndef SOTTO_TESTS_AUDIT_H
#define SOTTO_TESTS_AUDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "sotto/rng.h"

enum { AUDIT_CLASSES = 4096 };

/* One run on a dataset (neighbour or not); the class of its outcome, or above: the last. */
typedef unsigned (*audit_run)(void *context, bool neighbour, struct sotto_rng *rng);

struct audit {
	audit_run run;
	void *context;
	unsigned classes; /* at most AUDIT_CLASSES; ordered classes also give tails */
	uint64_t runs; /* on each neighbour */
	double delta; /* of the claim; 0 for pure privacy */
	uint64_t seed;
};

/* What was proved. */
struct audit_proof {
	double epsilon; /* the mechanism's epsilon is at least this; 0 if nothing is proved */
	double p; /* probability of the set on the dataset where it is likelier, measured */
	double q; /* and on the other */
};

struct audit_proof audit_prove(const struct audit *a);

/*
 * The same for classes in no order: half as many runs again, first, sort them by
 * how much they speak for the dataset, so that tails are the best sets there are.
 */
struct audit_proof audit_prove_sorted(const struct audit *a);

#endif
