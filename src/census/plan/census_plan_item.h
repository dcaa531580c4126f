/*
 * census_plan_item.h - reads lists, words and queries of a plan's YAML
 */
#ifndef SOTTO_CENSUS_PLAN_ITEM_H
#define SOTTO_CENSUS_PLAN_ITEM_H

#include "census/plan/census_plan.h"
#include "core/base/yaml.h"

/* Calls each for every entry of a list.  Fails: SOTTO_EPARSE if it is not a list. */
typedef enum sotto_status (*sotto_census_item_fn)(struct sotto_yaml *y, yaml_node_t *item,
						  void *target);
SOTTO_MUST_CHECK enum sotto_status sotto_census_items(struct sotto_yaml *y, yaml_node_t *list,
						      const char *what,
						      sotto_census_item_fn each, void *target);

/* Reads a scalar that is one of the words (ended by NULL); *out is its index. */
SOTTO_MUST_CHECK enum sotto_status sotto_census_word(struct sotto_yaml *y, yaml_node_t *node,
						     const char *what, const char *const *words,
						     size_t *out);

/* Reads the query that a scalar names. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_read_query(struct sotto_yaml *y, yaml_node_t *node, struct sotto_census_plan *p,
			size_t *out);

#endif
