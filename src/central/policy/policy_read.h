/*
 * policy_read.h - reads a policy from a YAML document
 */
#ifndef SOTTO_POLICY_READ_H
#define SOTTO_POLICY_READ_H

#include "central/policy/policy.h"
#include "core/base/yaml.h"

/* Fills p from the document; paths are left as written. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read(struct sotto_yaml *y, struct sotto_policy *p);

/* Reads one entry of `columns` into target, a struct sotto_policy_table. */
SOTTO_MUST_CHECK enum sotto_status sotto_policy_read_column(struct sotto_yaml *y,
							    const char *name, yaml_node_t *key,
							    yaml_node_t *value, void *target);

/*
 * Read min_epsilon:, memory:, time:, diagnostics:, auto_epsilon: and typical_group: into target, the
 * policy.  Fail: SOTTO_EPARSE.
 */
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

/* Sets the default of auto_epsilon, a hundredth of the budget, once that is known. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_set_auto_epsilon(struct sotto_yaml *y, struct sotto_policy *p);

/* Sets the defaults of the others.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_set_limits(struct sotto_yaml *y, struct sotto_policy *p);

/* Read name:, trusted_proxy: and collections:, for sotto serve.  Fail: SOTTO_EPARSE. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_name(struct sotto_yaml *y, yaml_node_t *value, void *target);
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_proxy(struct sotto_yaml *y, yaml_node_t *value, void *target);
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_collections(struct sotto_yaml *y, yaml_node_t *value, void *target);

/* Reads spread:.  Fails: SOTTO_EPARSE. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_spread(struct sotto_yaml *y, yaml_node_t *value, void *target);

/* Reads max_text: of a table or a column. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_max_text(struct sotto_yaml *y, yaml_node_t *value, int64_t *out);

/* Read unit: of one table; connect the paths of all tables once all are read.  Fail: SOTTO_EPARSE. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_unit(struct sotto_yaml *y, yaml_node_t *value, struct sotto_policy_table *t);
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_link_units(struct sotto_yaml *y, struct sotto_policy *p);

/* Reads a mapping whose keys are SQL names: no two may differ only in case. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read_names(struct sotto_yaml *y, yaml_node_t *value, const char *what,
			sotto_yaml_entry_fn each, void *target);

/* Reads one entry of `tables` into target, the policy. */
SOTTO_MUST_CHECK enum sotto_status sotto_policy_read_table(struct sotto_yaml *y,
							   const char *name, yaml_node_t *key,
							   yaml_node_t *value, void *target);

#endif
