/*
 * select_output.h - the outputs of a SELECT
 */
#ifndef SOTTO_SELECT_OUTPUT_H
#define SOTTO_SELECT_OUTPUT_H

#include "central/plan/planner.h"

/* The outputs of a SELECT with * written out. */
SOTTO_MUST_CHECK enum sotto_status
sotto_outputs_expand(struct sotto_planner *p, const struct sotto_sql_select *select,
		     const struct sotto_scope *scope, struct sotto_sql_output **out,
		     size_t *count);

/* Does * EXCLUDE (...) leave a column of that name away? */
bool sotto_star_leaves_away(const struct sotto_sql_expr *star, const char *name);

/* Refuses a name after EXCLUDE that no column has: what is misspelt would be shown. */
SOTTO_MUST_CHECK enum sotto_status sotto_star_check(struct sotto_planner *p,
						    const struct sotto_sql_expr *star,
						    const char *const *names, size_t count);

/* The outputs as columns c0, c1, ... of a SELECT, and the name of one. */
SOTTO_MUST_CHECK enum sotto_status
sotto_outputs_add(struct sotto_planner *p, const struct sotto_bound *bounds, size_t count,
		  struct sotto_rowset_select *out);
const char *sotto_output_field(struct sotto_planner *p, size_t i);

/* Where the ends of its interval stand, if it has one. */
const char *sotto_low_field(struct sotto_planner *p, size_t i);
const char *sotto_high_field(struct sotto_planner *p, size_t i);

/* What SQL calls an output without AS. */
const char *sotto_output_name(const struct sotto_sql_output *o);

/* True if e calls an aggregate, or a window function, anywhere. */
bool sotto_expr_has_aggregate(const struct sotto_sql_expr *e);
bool sotto_expr_has_window(const struct sotto_sql_expr *e);

#endif
