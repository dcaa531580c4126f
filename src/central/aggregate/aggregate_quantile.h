/*
 * aggregate_quantile.h - the rank that a call of a quantile asks for
 */
#ifndef SOTTO_AGGREGATE_QUANTILE_H
#define SOTTO_AGGREGATE_QUANTILE_H

#include "central/expression/bind.h"
#include "core/mechanism/quantile/quantile.h"

/* True for the records of sotto_aggregate_quantile. */
struct sotto_aggregate_record;
bool sotto_quantile_is(const struct sotto_aggregate_record *r);

/*
 * The rank, and the argument that it is of; call is one of sotto_aggregate_quantile.
 * Fails: SOTTO_EREFUSED.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_quantile_read_rank(struct sotto_binder *b, const struct sotto_sql_expr *call,
			 struct sotto_rank *r, const struct sotto_sql_expr **arg);

#endif
