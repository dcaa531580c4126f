/*
 * sql_dialect.h - SQL of other databases that PostgreSQL's parser does not accept
 *
 * A text that does not parse is looked at again: names in ` ` and [ ], TOP n,
 * INTERVAL 3 DAY and subqueries without a name are written as PostgreSQL has them.
 * Places in the text stay those of what the analyst wrote.
 */
#ifndef SOTTO_SQL_DIALECT_H
#define SOTTO_SQL_DIALECT_H

#include <stdbool.h>

#include "central/parse/dialect/sql_text.h"

/* Before the text is parsed: what the parser takes for something else. */
void sotto_sql_dialect_begin(struct sotto_sql_dialect *d);

/*
 * Changes d->text so that the parser, which complained with message at byte at,
 * gets further; false if there is nothing to change, or no memory.
 */
bool sotto_sql_dialect_repair(struct sotto_sql_dialect *d, const char *message, int at);

/* The place in the analyst's text of a place in d->text. */
int sotto_sql_dialect_place(const struct sotto_sql_dialect *d, int at);

/* What to write instead of what is not PostgreSQL in the text; NULL: nothing is known. */
const char *sotto_sql_dialect_hint(const char *text);

#endif
