/*
 * census_run.h - what the threads of a run share
 */
#ifndef SOTTO_CENSUS_RUN_H
#define SOTTO_CENSUS_RUN_H

#include "census/solve/information/census_info.h"
#include "census/measure/census_measure.h"
#include "census/plan/shape/census_shape.h"

/* A node's total according to its own subtree. */
struct sotto_census_total {
	double z, variance;
};

/* What the threads share. */
struct sotto_census_run {
	const struct sotto_census_plan *plan;
	const struct sotto_census_schema *schema;
	const struct sotto_census_shape *shape;
	const struct sotto_census_measurement *measurement;
	struct sotto_census_basis basis;
	double *level_info[SOTTO_CENSUS_LEVELS_MAX]; /* for a node of each shape level */
	/* Without the queries that a known table answers. */
	double *level_kernel[SOTTO_CENSUS_LEVELS_MAX];
	bool measured[SOTTO_CENSUS_LEVELS_MAX];
	/* Measurements of this level count for the levels above. */
	bool up[SOTTO_CENSUS_LEVELS_MAX];
	struct sotto_census_slot *
		*slots; /* for each node above the leaves; NULL: not computed */
	struct sotto_census_total *totals; /* of each node above the leaves, in mode gls */
	int64_t *targets; /* whole totals of these nodes, or NULL (census_targets.h) */
	size_t task_level; /* subtrees from here on are processed one by one */
	uint64_t draws;
};

/* What is known about a node from its subtree. */
struct sotto_census_slot {
	struct sotto_census_total total;
	double groups[SOTTO_CENSUS_GROUPS_MAX]; /* estimates of the frame's groups */
	double *kernel; /* see census_info.h */
	double *h; /* of each cell */
	double *z, *covariance; /* what the node's parent adds up; NULL below the task level */
	double memory[];
};

/*
 * Fills a run from its plan, schema, shape and measurement; pair with _release in any case.
 * Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_census_run_prepare(struct sotto_census_run *run);
void sotto_census_run_release(struct sotto_census_run *run);

#endif
