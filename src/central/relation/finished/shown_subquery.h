/*
 * shown_subquery.h - noisy results of subqueries among the outputs of a grouped SELECT
 */
#ifndef SOTTO_SHOWN_SUBQUERY_H
#define SOTTO_SHOWN_SUBQUERY_H

#include "central/parse/syntax_tree.h"
#include "central/policy/policy.h"

/* Does it read private rows?  A WITH query counts as one that does. */
bool sotto_from_is_private(const struct sotto_policy *policy,
			   const struct sotto_sql_from *from);

/*
 * Does an output have a value in it that a subquery over private rows gets with noise of its own?
 */
bool sotto_outputs_show_subquery(const struct sotto_policy *policy,
				 const struct sotto_sql_select *s);

/*
 * May e, in a subquery over `from`, only mean a column of the query around it, because its table
 * does not stand in `from`?
 */
bool sotto_column_is_around(const struct sotto_sql_from *from, const struct sotto_sql_expr *e);

#endif
