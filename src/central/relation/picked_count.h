/*
 * picked_count.h - how many rows of a finished answer there are, where noisy values pick them
 *
 * SELECT COUNT(*) FROM answer WHERE n > 100 counts rows by what noise has made of n.  Its
 * interval goes from the rows that meet the condition surely to those that meet it possibly
 * (src/central/session/answer/answer.md).  WHERE takes rows away that are possible: where such a count is
 * shown, WHERE keeps the possible ones, and each aggregate takes those that are picked.
 */
#ifndef SOTTO_PICKED_COUNT_H
#define SOTTO_PICKED_COUNT_H

#include "central/relation/relation.h"

/* What picks the rows that a SELECT counts. */
struct sotto_picked {
	struct sotto_bound where; /* TRUE without WHERE */
	const struct sotto_expression *together; /* numbers of which the intervals must hold */
	bool finished; /* there is noise in the rows */
	bool known; /* the rows are there whatever the noise, and so are their groups */
};

/* How many noisy numbers the rows have. */
SOTTO_MUST_CHECK enum sotto_status sotto_picked_numbers(struct sotto_arena *a,
							const struct sotto_relation *from,
							const struct sotto_expression **out);

/* Is the output a count of rows, and nothing more? */
bool sotto_picked_is_count(const struct sotto_sql_expr *e);

/* Must WHERE keep all rows that are possible, for a count among the outputs? */
bool sotto_picked_keeps(const struct sotto_picked *picked,
			const struct sotto_sql_output *outputs, size_t count);

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

/* A group is there if one of its rows is picked: COUNT(*) FILTER (WHERE picked) > 0. */
const struct sotto_expression *sotto_picked_is_there(struct sotto_binder *b);

#endif
