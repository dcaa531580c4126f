/*
 * relation_list.h - FROM a, b, c: relations whose joins WHERE describes
 */
#ifndef SOTTO_RELATION_LIST_H
#define SOTTO_RELATION_LIST_H

#include "central/relation/relation.h"

/* A join without any condition of its own: a, b or a CROSS JOIN b. */
bool sotto_from_is_list(const struct sotto_sql_from *from);

/*
 * Joins the members of a list in an order in which WHERE ties each to those before it, where
 * there is one; the columns stay in the order in which the list has them.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_list_bind(struct sotto_planner *p, const struct sotto_ctes *ctes,
		const struct sotto_sql_from *from, struct sotto_relation *out);

/* Notes for the public side of an inner join what WHERE says about that side alone. */
SOTTO_MUST_CHECK enum sotto_status
sotto_list_conditions(struct sotto_planner *p, const struct sotto_sql_from *from,
		      struct sotto_relation *left, struct sotto_relation *right);

#endif
