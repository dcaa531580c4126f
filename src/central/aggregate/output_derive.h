/*
 * output_derive.h - values computed from keys alone, which are left to the engine
 *
 * It has the reviewed functions, and the keys in their own types.  What it computes is shown like
 * one more key.
 */
#ifndef SOTTO_OUTPUT_DERIVE_H
#define SOTTO_OUTPUT_DERIVE_H

#include "central/plan/plan.h"

/* A key, or an aggregate, by its number; NULL without memory. */
struct sotto_sql_expr *
sotto_output_leaf(struct sotto_plan *plan, enum sotto_sql_kind kind, size_t index, int at);

/* The key that a value of rows is. */
bool sotto_output_find_key(const struct sotto_plan *plan, const struct sotto_expression *value,
			   size_t *index);

/* e reads columns that are keys, and no others. */
SOTTO_MUST_CHECK enum sotto_status
sotto_output_derive(struct sotto_plan *plan, struct sotto_binder *b,
		    const struct sotto_sql_expr *e, struct sotto_sql_expr **out);

/*
 * A day or a moment is a text once it is shown, so what is computed from keys that are computed
 * ones, like date_trunc('month', day) > '2024-03-01', is left to the engine too.  x is e, bound over
 * rows; *done is false if it reads anything but keys, or no day or moment.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_output_derive_moment(struct sotto_plan *plan, struct sotto_binder *b,
			   const struct sotto_sql_expr *e, const struct sotto_bound *x,
			   struct sotto_sql_expr **out, bool *done);

#endif
