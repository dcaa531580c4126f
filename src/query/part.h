/*
 * part.h - the noisy answer of a finished query as a table
 */
#ifndef SOTTO_QUERY_PART_H
#define SOTTO_QUERY_PART_H

#include "engine/engine.h"
#include "plan/plan.h"
#include "sotto/query.h"

/* Makes the table "sotto part <index>" from the answer.  Fails: SOTTO_EIO, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_part_write(struct sotto_engine *e,
						    const struct sotto_plan *part, size_t index,
						    const struct sotto_answer *answer);

/* The same table, empty. */
SOTTO_MUST_CHECK enum sotto_status
sotto_part_create(struct sotto_engine *e, const struct sotto_plan *part, size_t index);
void sotto_part_drop(struct sotto_engine *e, size_t index);

#endif
