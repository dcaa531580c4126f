/*
 * census_world.h - plan, nodes, constraints and private counts of one release, read and checked
 */
#ifndef SOTTO_CENSUS_WORLD_H
#define SOTTO_CENSUS_WORLD_H

#include "census/plan/census_schema.h"
#include "census/plan/census_shape.h"
#include "census/measure/census_truth.h"

struct sotto_census_world {
	struct sotto_census_plan plan;
	struct sotto_census_schema schema;
	struct sotto_census_shape shape;
	struct sotto_census_truth truth;
	struct sotto_arena texts; /* labels of nodes */
	bool has_shape;
};

/*
 * Reads the plan; with `data` also nodes, constraints and counts, without it only what is
 * public (invariants from the data are then not known and not checked).
 *
 * Fails:    SOTTO_EPARSE, SOTTO_EMISSING for plan and input, SOTTO_EINFEASIBLE, SOTTO_EIO.
 *           Pair with _release in any case.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_census_world_open(struct sotto_census_world *w,
							   const char *plan, bool data,
							   struct sotto_error *err);
void sotto_census_world_close(struct sotto_census_world *w);

#endif
