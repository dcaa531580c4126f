/*
 * call_make.h - recognising a call of another dialect, and making the nodes it becomes
 *
 * A node is NULL if the arena is full; sotto_sql_become then fails.
 */
#ifndef SOTTO_CALL_MAKE_H
#define SOTTO_CALL_MAKE_H

#include <stdbool.h>
#include <stddef.h>

#include "central/parse/parse.h"
#include "central/parse/parse_query.h"

/* A call of this function with that many arguments. */
bool sotto_sql_is_call(const struct sotto_sql_expr *e, const char *name, size_t args);

/* A whole number as it is written, with its sign; at most nine digits. */
bool sotto_sql_is_number(const struct sotto_sql_expr *e, long *out);

/* A literal, or another node that is all text. */
struct sotto_sql_expr *sotto_sql_make_leaf(struct sotto_sql_parser *p, enum sotto_sql_kind kind,
					   const char *text, int at);

/* A call of one or two arguments; the second may be NULL. */
struct sotto_sql_expr *sotto_sql_make_call(struct sotto_sql_parser *p, const char *name,
					   struct sotto_sql_expr *x, struct sotto_sql_expr *y);
struct sotto_sql_expr *sotto_sql_make_op(struct sotto_sql_parser *p, enum sotto_sql_op op,
					 struct sotto_sql_expr *x, struct sotto_sql_expr *y);

/* e is replaced by what was made. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_become(struct sotto_sql_expr *e, const struct sotto_sql_expr *made);

#endif
