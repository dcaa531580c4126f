/*
 * output_expression.h - outputs, HAVING and ORDER BY over keys and aggregates
 */
#ifndef SOTTO_OUTPUT_EXPRESSION_H
#define SOTTO_OUTPUT_EXPRESSION_H

#include "central/aggregate/output_type.h"
#include "central/plan/plan.h"

/* The expression over keys and aggregates. */
SOTTO_MUST_CHECK enum sotto_status
sotto_output_rewrite(struct sotto_plan *plan, struct sotto_binder *b,
		     const struct sotto_sql_expr *e, struct sotto_sql_expr **out);
bool sotto_output_is_noisy(const struct sotto_sql_expr *e);

/* ANY_VALUE(k), MIN(k) and MAX(k) of a key are the key: all rows of a group have it. */
bool sotto_output_is_key(struct sotto_plan *plan, struct sotto_binder *b,
			 const struct sotto_sql_expr *e);

/* Is it true, false or NULL?  What HAVING and the like take; and the sentence if not. */
bool sotto_output_is_condition(const struct sotto_plan *plan, const struct sotto_sql_expr *e);
enum sotto_status
sotto_output_refuse_condition(struct sotto_binder *b, const struct sotto_sql_expr *e);

/* Between which values it lies by the bounds of its aggregates; open where that is not known. */
SOTTO_MUST_CHECK enum sotto_status
sotto_output_range(const struct sotto_plan *plan, const struct sotto_sql_expr *e,
		   struct sotto_arena *a, struct sotto_value_range *out);

#endif
