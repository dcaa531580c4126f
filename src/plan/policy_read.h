/*
 * policy_read.h - a YAML document into a policy
 */
#ifndef SOTTO_PLAN_POLICY_READ_H
#define SOTTO_PLAN_POLICY_READ_H

#include "plan/policy.h"
#include "plan/yaml.h"

/* Fills p from the document; paths are left as written. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_read(struct sotto_yaml *y, struct sotto_policy *p);

#endif
