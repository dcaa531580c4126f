/*
 * SELECT city, COUNT(*) / (SELECT COUNT(*) FROM people) ... GROUP BY city.  Beside private rows such a
 * result would be a number without noise; the interval of what is computed from it takes both
 * answers as finished ones (windowed_select.c).
 */
#include "central/relation/finished/shown_subquery.h"

#include <strings.h>

#include "central/aggregate/aggregate.h"
#include "central/relation/relation.h"

bool sotto_from_is_private(const struct sotto_policy *policy, const struct sotto_sql_from *from)
{
	const struct sotto_policy_table *table;

	if (!from)
		return false;
	if (from->kind == SOTTO_SQL_JOIN)
		return sotto_from_is_private(policy, from->left) ||
		       sotto_from_is_private(policy, from->right);
	if (from->kind == SOTTO_SQL_SUBQUERY)
		return sotto_from_is_private(policy, from->select->from);
	table = sotto_policy_table_find(policy, from->table);
	return !table || !table->is_public;
}

/* One of rows is about the row: those inside aggregates are. */
static bool has_noisy(const struct sotto_policy *policy, const struct sotto_sql_expr *e)
{
	if (!e || (e->kind == SOTTO_SQL_CALL && !e->over && sotto_aggregate_find(e->text)))
		return false;
	if (e->kind == SOTTO_SQL_SCALAR)
		return sotto_from_is_private(policy, e->select->from);
	for (size_t i = 0; i < e->count; i++)
		if (has_noisy(policy, e->args[i]))
			return true;
	return false;
}

bool sotto_outputs_show_subquery(const struct sotto_policy *policy,
				 const struct sotto_sql_select *s)
{
	for (size_t i = 0; i < s->output_count; i++)
		if (has_noisy(policy, s->outputs[i].expr))
			return true;
	return false;
}

static bool has_table(const struct sotto_sql_from *from, const char *name)
{
	if (!from)
		return false;
	if (from->kind == SOTTO_SQL_JOIN)
		return has_table(from->left, name) || has_table(from->right, name);
	if (from->alias)
		return strcasecmp(from->alias, name) == 0;
	return from->table && strcasecmp(from->table, name) == 0;
}

bool sotto_column_is_around(const struct sotto_sql_from *from, const struct sotto_sql_expr *e)
{
	return e->kind == SOTTO_SQL_COLUMN && e->qualifier && !has_table(from, e->qualifier);
}
