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

/* Calls each for every entry of a list.  Fails: SOTTO_EPARSE if it is none. */
typedef enum sotto_status (*sotto_census_item_fn)(struct sotto_yaml *y, yaml_node_t *item,
						  void *target);
SOTTO_MUST_CHECK enum sotto_status sotto_census_items(struct sotto_yaml *y, yaml_node_t *list,
						      const char *what,
						      sotto_census_item_fn each, void *target);

/* A scalar that is one of the words (ended by NULL); *out is its place. */
SOTTO_MUST_CHECK enum sotto_status sotto_census_word(struct sotto_yaml *y, yaml_node_t *node,
						     const char *what, const char *const *words,
						     size_t *out);

/* The query that a scalar names. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_read_query(struct sotto_yaml *y, yaml_node_t *node, struct sotto_census_plan *p,
			size_t *out);

#endif
