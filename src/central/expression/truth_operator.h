/*
 * truth_operator.h - the operators of SQL whose value is true, false or NULL
 */
#ifndef SOTTO_TRUTH_OPERATOR_H
#define SOTTO_TRUTH_OPERATOR_H

#include "central/parse/syntax_tree.h"
#include "central/tree/engine_tree.h"

/* Returns op applied to its arguments; NULL if op is not such an operator or if out of memory. */
const struct sotto_expression *sotto_truth_operator(struct sotto_arena *a, enum sotto_sql_op op,
						    const struct sotto_expression *const *args,
						    size_t count);

#endif
