/*
 * census_plan_read.h - the readers of a plan's keys, one for each; the target is the plan
 */
#ifndef SOTTO_CENSUS_PLAN_READ_H
#define SOTTO_CENSUS_PLAN_READ_H

#include "census/plan/census_plan.h"
#include "core/base/yaml.h"

/* Each fails with SOTTO_EPARSE, "path:line: sentence", or SOTTO_ENOMEM. */
#define SOTTO_CENSUS_READER(key)                                                               \
	SOTTO_MUST_CHECK enum sotto_status sotto_census_read_##key(                            \
		struct sotto_yaml *y, yaml_node_t *value, void *plan)

/* census_plan_schema.c: what is counted */
SOTTO_CENSUS_READER(hierarchy);
SOTTO_CENSUS_READER(attributes);
SOTTO_CENSUS_READER(groupings);
SOTTO_CENSUS_READER(zeros);

/* census_plan_budget.c: what it costs */
SOTTO_CENSUS_READER(privacy);
SOTTO_CENSUS_READER(budget);

/* census_plan_constraint.c: what must hold */
SOTTO_CENSUS_READER(invariants);
SOTTO_CENSUS_READER(acknowledgement);
SOTTO_CENSUS_READER(bounds);

/* census_plan_files.c: where things come from and go to */
SOTTO_CENSUS_READER(input);
SOTTO_CENSUS_READER(nodes);
SOTTO_CENSUS_READER(fanout);
SOTTO_CENSUS_READER(estimate);
SOTTO_CENSUS_READER(output);

#undef SOTTO_CENSUS_READER

#endif
