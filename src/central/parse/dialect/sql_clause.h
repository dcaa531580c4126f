/*
 * sql_clause.h - clauses that other databases have, in forms that PostgreSQL's parser takes
 */
#ifndef SOTTO_SQL_CLAUSE_H
#define SOTTO_SQL_CLAUSE_H

#include "central/parse/dialect/sql_text.h"

/* Names that stand for these clauses in the text that is parsed. */
#define SOTTO_SQL_ALL "sotto all" /* "sotto all"(): the key of GROUP BY ALL, ORDER BY ALL */
#define SOTTO_SQL_QUALIFY "sotto qualify" /* a window; PARTITION BY has the condition */
#define SOTTO_SQL_EXCLUDE "sotto star exclude" /* a call with the columns left out */

/* Changes every such clause of the text; false if there is none, or no memory. */
bool sotto_sql_clause_repair(struct sotto_sql_dialect *d);

/*
 * Marks semi and anti joins.  Without this, PostgreSQL takes ANTI in "t ANTI JOIN u" for another
 * name of t and answers an inner join.
 */
void sotto_sql_half_joins_mark(struct sotto_sql_dialect *d);

#endif
