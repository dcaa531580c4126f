/*
 * expression_weight.h - whether an expression takes the engine long
 */
#ifndef SOTTO_EXPRESSION_WEIGHT_H
#define SOTTO_EXPRESSION_WEIGHT_H

#include "central/tree/engine_tree.h"

/*
 * Columns of two tables that are equal: these are joined along them, so the engine has to see them, and makes
 * each once to join.  Many such are much together (after_join.c).
 */
bool sotto_expression_is_tie(const struct sotto_expression *x);

/* More than about a microsecond; what its subqueries do is not counted. */
bool sotto_expression_is_heavy(const struct sotto_expression *x);

/* Adds what it takes to what those before it do; true if they are heavy together. */
bool sotto_expression_is_one_too_many(const struct sotto_expression *x, double *before);

/* The same of all that a question computes for a row: true if that is more than some microseconds. */
bool sotto_expression_is_much(const struct sotto_expression *x, double *before);

/* Does one stand in it, in an output, a condition or a subquery at any depth? */
bool sotto_rowset_is_heavy(const struct sotto_rowset *r);

#endif
