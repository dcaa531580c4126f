/*
 * sql_clause_from.h - semi and anti joins, and FROM before SELECT
 */
#ifndef SOTTO_SQL_CLAUSE_FROM_H
#define SOTTO_SQL_CLAUSE_FROM_H

#include "central/parse/dialect/sql_text.h"

/* Names that stand for these joins in the text that is parsed. */
#define SOTTO_SQL_ANTI "sotto anti" /* the first of a condition or of USING: an anti join */
#define SOTTO_SQL_SEMI "sotto semi" /* the same for a semi join */

/* x ANTI JOIN y ON c, if it begins at s; false if it does not, or no memory. */
bool sotto_sql_half_join_mark(struct sotto_sql_dialect *d, const char *s);

/* FROM t SELECT x WHERE ..., if it begins at s: FROM goes after the outputs. */
bool sotto_sql_from_first(struct sotto_sql_dialect *d, const char *s);

#endif
