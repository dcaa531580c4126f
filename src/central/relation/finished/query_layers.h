/*
 * query_layers.h - SELECTs that only work on the groups of the SELECT below them
 */
#ifndef SOTTO_QUERY_LAYERS_H
#define SOTTO_QUERY_LAYERS_H

#include "central/relation/relation.h"

/* The SELECT that groups, with what all layers make of its groups. */
struct sotto_layers {
	const struct sotto_sql_select *select; /* groups; its outputs name keys of GROUP BY */
	const struct sotto_ctes *ctes; /* that it sees */
	bool flattened; /* there is at least one layer over it */
	struct sotto_sql_output *outputs;
	size_t output_count;
	struct sotto_sql_expr *having;
	struct sotto_sql_order *orders;
	size_t order_count;
	int64_t limit, offset;
	bool distinct;
};

/*
 * Takes the layers off a SELECT; without any, *out is the SELECT itself.  ctes has
 * its own WITH queries already.
 *
 * Fails:    SOTTO_EREFUSED for a name that the SELECT below does not have; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_layers_peel(struct sotto_planner *p, const struct sotto_sql_select *s,
		  const struct sotto_ctes *ctes, struct sotto_layers *out);

/*
 * What GROUP BY of a number, or of the name of an output, means; e itself if it is
 * neither.  A column of the same name goes before: ask for that first.
 */
struct sotto_sql_expr *
sotto_group_target(const struct sotto_sql_select *s, struct sotto_sql_expr *e);

/* True if a SELECT has GROUP BY, HAVING or an aggregate among its outputs. */
bool sotto_select_is_grouped(const struct sotto_sql_select *s);

#endif
