/*
 * function_rewrite.h - calls of other dialects that are expressions here
 */
#ifndef SOTTO_FUNCTION_REWRITE_H
#define SOTTO_FUNCTION_REWRITE_H

#include "central/parse/parse.h"

/* DECODE, NVL2, SAFE_DIVIDE and the like become CASE, coalesce, a quotient; others stay. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_rewrite(struct sotto_sql_parser *p, struct sotto_sql_expr *e);

#endif
