/*
 * output_type.h - types of expressions over keys and aggregates
 */
#ifndef SOTTO_OUTPUT_TYPE_H
#define SOTTO_OUTPUT_TYPE_H

#include "central/plan/plan.h"

enum sotto_sql_type
sotto_output_type(const struct sotto_plan *plan, const struct sotto_sql_expr *e);

#endif
