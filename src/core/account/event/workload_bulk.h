/*
 * workload_bulk.h - adds one workload to another
 */
#ifndef SOTTO_WORKLOAD_BULK_H
#define SOTTO_WORKLOAD_BULK_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/account.h"

/* Adds everything in other. */
SOTTO_MUST_CHECK enum sotto_status sotto_workload_merge(struct sotto_workload *w,
							const struct sotto_workload *other,
							struct sotto_error *err);

#endif
