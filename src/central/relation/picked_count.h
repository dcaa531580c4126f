/*
 * picked_count.h - how many rows of a finished answer there are, where noisy values pick them
 *
 * SELECT COUNT(*) FROM answer WHERE n > 100 counts rows by what noise has made of n.  Its
 * interval goes from the rows that meet the condition surely to those that meet it possibly
 * (src/central/session/answer/answer.md).  WHERE takes rows away that are possible: it
 * keeps the possible ones instead, and each aggregate takes those that are picked.
 */
#ifndef SOTTO_PICKED_COUNT_H
#define SOTTO_PICKED_COUNT_H

#include "central/relation/relation.h"

/* What picks the rows that a SELECT counts. */
struct sotto_picked {
	struct sotto_bound where; /* TRUE without WHERE */
	struct sotto_joint joint; /* for intervals that must hold together */
	bool finished; /* there is noise in the rows */
	bool known; /* the rows are there whatever the noise, and so are their groups */
};

/* What makes the intervals of all noisy numbers in the rows hold together; both NULL: there are none. */
SOTTO_MUST_CHECK enum sotto_status sotto_picked_joint(struct sotto_planner *p,
						      const struct sotto_relation *from,
						      struct sotto_joint *out);

/* Is the output a count of rows, and nothing more? */
bool sotto_picked_is_count(const struct sotto_sql_expr *e);

/* The condition of FILTER together with what b picks; NULL in *out if there is neither. */
SOTTO_MUST_CHECK enum sotto_status sotto_picked_filter(struct sotto_binder *b,
						       const struct sotto_sql_expr *e,
						       const struct sotto_expression **out);

/*
 * The interval of a count, and whether noise picks its rows at all; none if that does not, or if it is
 * not known which rows are possible.  b is as for outputs.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_picked_interval(struct sotto_binder *b, const struct sotto_picked *picked,
		      const struct sotto_sql_expr *e, struct sotto_bound *out);

/* The interval of SUM, AVG, MIN or MAX of x over the rows that b picks; b is as for their arguments. */
SOTTO_MUST_CHECK enum sotto_status
sotto_picked_aggregate(struct sotto_binder *b, enum sotto_operation_name operation,
		       const struct sotto_bound *x, struct sotto_bound *out);

/* A group is there if one of its rows is picked: COUNT(*) FILTER (WHERE picked) > 0. */
const struct sotto_expression *sotto_picked_is_there(struct sotto_binder *b);

/* Says of r, which the SELECT s read, whether it depends on noise which rows s has. */
void sotto_picked_mark(const struct sotto_picked *picked, const struct sotto_sql_select *s,
		       bool grouped, struct sotto_relation *r);

#endif
