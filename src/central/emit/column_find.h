/*
 * column_find.h - which columns stand in an expression or a query
 */
#ifndef SOTTO_COLUMN_FIND_H
#define SOTTO_COLUMN_FIND_H

#include "central/tree/engine_tree.h"

/* The first column of the alias, in subqueries too; NULL: none, or there is no expression. */
const struct sotto_expression *
sotto_column_find(const struct sotto_expression *x, const char *alias);

/* A column of a row around the query that the query reads; NULL: it reads none. */
const struct sotto_expression *sotto_column_find_outer(const struct sotto_rowset *r);

#endif
