/*
 * workload_state.h - inside of a workload, for the accountant only
 */
#ifndef SOTTO_WORKLOAD_STATE_H
#define SOTTO_WORKLOAD_STATE_H

#include "core/account/cost/exact_sum.h"
#include "sotto/account.h"

struct sotto_item {
	struct sotto_event *event; /* with count 1 */
	char *key; /* its canonical text */
	uint64_t count;
};

/* Real Laplace events whose epsilons are doubles; sorted and merged when first needed. */
struct sotto_laplaces {
	double *epsilon;
	size_t n, capacity;
};

struct sotto_workload {
	enum sotto_neighbours neighbours;
	struct sotto_item *items;
	size_t n, capacity;
	size_t *slots; /* hash table of item numbers + 1 */
	size_t n_slots;
	struct sotto_laplaces laplace;
	struct sotto_exactsum *mu2; /* of Gaussians added in bulk, or NULL */
	struct sotto_exactsum *rho;
};

#endif
