/*
 * census_account.h - writes the budget, its meaning and the expected error as JSON
 *
 * --check prints the same text that is kept with every release.
 */
#ifndef SOTTO_CENSUS_ACCOUNT_H
#define SOTTO_CENSUS_ACCOUNT_H

#include "census/measure/census_world.h"
#include "core/base/buffer.h"

/* Appends a JSON object.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_census_account(const struct sotto_census_world *w,
							bool not_private,
							struct sotto_buffer *out);

#endif
