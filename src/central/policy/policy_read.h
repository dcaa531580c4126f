/*
 * policy_read.h - a YAML document into a policy
 */
#ifndef SOTTO_POLICY_READ_H
#define SOTTO_POLICY_READ_H

#include "central/policy/policy.h"
#include "core/base/yaml.h"

/* Fills p from the document; paths are left as written. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read(struct sotto_yaml *y, struct sotto_policy *p);

/* One entry of `columns`; target is the struct sotto_policy_table that gets it. */
SOTTO_MUST_CHECK enum sotto_status sotto_policy_read_column(struct sotto_yaml *y,
							    const char *name, yaml_node_t *key,
							    yaml_node_t *value, void *target);

/* min_epsilon:, memory:, time: and diagnostics: of the policy, which is the target.  Fail: SOTTO_EPARSE. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_min_epsilon(struct sotto_yaml *y, yaml_node_t *value, void *target);
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_memory(struct sotto_yaml *y, yaml_node_t *value, void *target);
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_time(struct sotto_yaml *y, yaml_node_t *value, void *target);

SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_diagnostics(struct sotto_yaml *y, yaml_node_t *value, void *target);

SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_auto_epsilon(struct sotto_yaml *y, yaml_node_t *value, void *target);

SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_typical_group(struct sotto_yaml *y, yaml_node_t *value, void *target);

/* Once the budget is known: a hundredth of it, if the policy does not say. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_set_auto_epsilon(struct sotto_yaml *y, struct sotto_policy *p);

/* What these are if the policy does not say.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_set_limits(struct sotto_yaml *y, struct sotto_policy *p);

/* name:, trusted_proxy: and collections: of the policy, for sotto serve.  Fail: SOTTO_EPARSE. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_name(struct sotto_yaml *y, yaml_node_t *value, void *target);
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_proxy(struct sotto_yaml *y, yaml_node_t *value, void *target);
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_collections(struct sotto_yaml *y, yaml_node_t *value, void *target);

/* spread: of the policy.  Fails: SOTTO_EPARSE. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_spread(struct sotto_yaml *y, yaml_node_t *value, void *target);

/* max_text: of a table or a column. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_max_text(struct sotto_yaml *y, yaml_node_t *value, int64_t *out);

/* unit: of one table; the paths of all, once they are known.  Fail: SOTTO_EPARSE. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_unit(struct sotto_yaml *y, yaml_node_t *value, struct sotto_policy_table *t);
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_link_units(struct sotto_yaml *y, struct sotto_policy *p);

/* Names of SQL: as entries, and no two may differ by upper and lower case only. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_names(struct sotto_yaml *y, yaml_node_t *value, const char *what,
			sotto_yaml_entry_fn each, void *target);

/* One entry of `tables`; target is the policy that gets it. */
SOTTO_MUST_CHECK enum sotto_status sotto_policy_read_table(struct sotto_yaml *y,
							   const char *name, yaml_node_t *key,
							   yaml_node_t *value, void *target);

#endif
