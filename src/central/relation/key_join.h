/*
 * key_join.h - joins of private tables along a unique key
 *
 * visits JOIN patients USING (patient_id), where sealing has found no patient_id of patients twice: each
 * visit meets one patient at most, so that the join makes no more rows than there are visits.
 */
#ifndef SOTTO_KEY_JOIN_H
#define SOTTO_KEY_JOIN_H

#include "central/relation/relation.h"

/* Each row of `many`, by its column from, finds one row of `one` at most, by its column to. */
struct sotto_key_join {
	struct sotto_relation *many;
	const struct sotto_relation *one;
	const struct sotto_scope_column *from, *to;
};

/* Is it one?  A full join is none. */
bool sotto_join_goes_along_key(struct sotto_planner *p, const struct sotto_sql_from *from,
			       struct sotto_relation *left, struct sotto_relation *right,
			       struct sotto_key_join *out);

/* The inner join along it: its unit, and *on, by which rows meet. */
SOTTO_MUST_CHECK enum sotto_status
sotto_join_along_key(struct sotto_planner *p, const struct sotto_key_join *k,
		     struct sotto_relation *out, const struct sotto_expression **on);

/* The column of r that e names, or NULL. */
const struct sotto_scope_column *sotto_relation_column(struct sotto_planner *p,
						       const struct sotto_relation *r,
						       const struct sotto_sql_expr *e);

/* How the engine knows a key: not cut, because keys of two units may begin alike. */
const char *sotto_key_field(const struct sotto_scope_column *c);

#endif
