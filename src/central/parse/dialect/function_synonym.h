/*
 * function_synonym.h - words of other dialects, and what they mean here
 */
#ifndef SOTTO_FUNCTION_SYNONYM_H
#define SOTTO_FUNCTION_SYNONYM_H

#include "central/parse/parse.h"

/* A call of another dialect becomes what it means here. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_translate(struct sotto_sql_parser *p, struct sotto_sql_expr *e);

/* The i-th word of another dialect, and the function that it means; NULL past the last. */
const char *sotto_sql_synonym(size_t i, const char **means);

#endif
