/*
 * noisy_lookup.h - aggregates over private rows that are looked up by a key
 *
 * l_quantity < (SELECT 0.2 * AVG(l_quantity) FROM lineitem WHERE l_partkey = p_partkey): the
 * averages of all parts are finished with noise first, as one release grouped by l_partkey;
 * each row around then finds its own among them, or NULL if it is not there.
 */
#ifndef SOTTO_NOISY_LOOKUP_H
#define SOTTO_NOISY_LOOKUP_H

#include "central/relation/relation.h"

/* Is it that: one aggregate over private rows that are not tied to the unit of the row? */
bool sotto_is_lookup(struct sotto_binder *b, const struct sotto_sql_expr *e,
		     const struct sotto_relation *inner);

/* Fails: SOTTO_EREFUSED if a condition on the row around is not an equality. */
SOTTO_MUST_CHECK enum sotto_status
sotto_lookup_bind(struct sotto_binder *b, const struct sotto_sql_expr *e,
		  const struct sotto_relation *inner, struct sotto_bound *out);

#endif
