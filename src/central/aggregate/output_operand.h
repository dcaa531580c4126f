/*
 * output_operand.h - what stands beside a number in an expression over aggregates is a number
 */
#ifndef SOTTO_OUTPUT_OPERAND_H
#define SOTTO_OUTPUT_OPERAND_H

#include "central/plan/plan.h"

struct sotto_binder;

/*
 * A number in quotes that is computed with, or compared with a number, becomes one, as in PostgreSQL and in
 * conditions on rows: HAVING COUNT(*) > '50'.  Other texts and truth values there are refused before
 * anything is charged: evaluate.c would make NULL of them, or order them by their kinds.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_output_check_operands(const struct sotto_plan *plan,
							       struct sotto_binder *b,
							       struct sotto_sql_expr *e);

#endif
