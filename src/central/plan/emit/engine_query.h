/*
 * engine_query.h - pieces of the engine's query that several parts of it are made of
 */
#ifndef SOTTO_ENGINE_QUERY_H
#define SOTTO_ENGINE_QUERY_H

#include "central/plan/emit/emit.h"
#include "central/plan/plan.h"

/* " GROUP BY before, k0, ..."; nothing if there is nothing to group by. */
SOTTO_MUST_CHECK enum sotto_status sotto_compose_group_by(struct sotto_emitter *e,
							  const struct sotto_plan *plan,
							  const char *before);

/* " AND x.k0 IS NOT DISTINCT FROM y.k0 ..." */
SOTTO_MUST_CHECK enum sotto_status sotto_compose_same_keys(struct sotto_emitter *e,
							   const struct sotto_plan *plan,
							   const char *x, const char *y);

/* A row's value in whole steps, clipped, around the centre; NULL where there is none. */
SOTTO_MUST_CHECK enum sotto_status
sotto_compose_clipped(struct sotto_emitter *e, const struct sotto_measure *m);

#endif
