/*
 * Walks through expressions and the queries in them.  Each alias is there once in a question, so a
 * column belongs to the query that defines its alias.
 */
#include "central/emit/column_find.h"

#include <string.h>

typedef bool (*column_fn)(const void *context, const struct sotto_expression *column);

static const struct sotto_expression *
find_in_rows(const struct sotto_rowset *r, column_fn fits, const void *context);

/* The first column that fits, in subqueries too; NULL: none. */
static const struct sotto_expression *
find(const struct sotto_expression *x, column_fn fits, const void *context)
{
	const struct sotto_expression *found = NULL;

	if (!x)
		return NULL;
	if (x->operation->form == SOTTO_OPERATION_COLUMN)
		return fits(context, x) ? x : NULL;
	if (x->operation->form == SOTTO_OPERATION_QUERY)
		found = find_in_rows(x->of.query, fits, context);
	for (size_t i = 0; !found && i < x->count; i++)
		found = find(x->args[i], fits, context);
	return found;
}

static const struct sotto_expression *
find_in_select(const struct sotto_rowset_select *s, column_fn fits, const void *context)
{
	const struct sotto_expression *clauses[] = {s->where, s->groups, s->having, s->qualify,
						    s->orders};
	const struct sotto_expression *found = NULL;

	for (size_t i = 0; !found && i < s->from_count; i++)
		found = find_in_rows(s->from[i], fits, context);
	for (size_t i = 0; !found && i < sizeof clauses / sizeof clauses[0]; i++)
		found = find(clauses[i], fits, context);
	for (size_t i = 0; !found && i < s->output_count; i++)
		found = find(s->outputs[i].value, fits, context);
	return found;
}

static const struct sotto_expression *
find_in_rows(const struct sotto_rowset *r, column_fn fits, const void *context)
{
	const struct sotto_expression *found;

	if (r->kind == SOTTO_ROWSET_SELECT)
		return find_in_select(&r->of.select, fits, context);
	if (r->kind == SOTTO_ROWSET_SET) {
		found = find_in_rows(r->of.both.first, fits, context);
		return found ? found : find_in_rows(r->of.both.second, fits, context);
	}
	if (r->kind != SOTTO_ROWSET_JOIN)
		return NULL;
	found = find(r->of.join.on, fits, context);
	if (!found)
		found = find_in_rows(r->of.join.left, fits, context);
	return found ? found : find_in_rows(r->of.join.right, fits, context);
}

/* Is it a column of this alias? */
static bool is_of(const void *alias, const struct sotto_expression *column)
{
	return column->of.column.alias && column->of.column.name &&
	       strcmp(column->of.column.alias, alias) == 0;
}

/* ---- what a query reads of those around it ---------------------------------------------------- */

static bool defines(const struct sotto_rowset *r, const char *alias);

static bool subqueries_define(const struct sotto_expression *x, const char *alias)
{
	if (!x)
		return false;
	if (x->operation->form == SOTTO_OPERATION_QUERY && defines(x->of.query, alias))
		return true;
	for (size_t i = 0; i < x->count; i++)
		if (subqueries_define(x->args[i], alias))
			return true;
	return false;
}

static bool select_defines(const struct sotto_rowset_select *s, const char *alias)
{
	for (size_t i = 0; i < s->from_count; i++)
		if (defines(s->from[i], alias))
			return true;
	for (size_t i = 0; i < s->output_count; i++)
		if (subqueries_define(s->outputs[i].value, alias))
			return true;
	return subqueries_define(s->where, alias) || subqueries_define(s->having, alias) ||
	       subqueries_define(s->qualify, alias);
}

static bool defines(const struct sotto_rowset *r, const char *alias)
{
	if (r->alias && strcmp(r->alias, alias) == 0)
		return true;
	if (r->kind == SOTTO_ROWSET_SELECT)
		return select_defines(&r->of.select, alias);
	if (r->kind == SOTTO_ROWSET_SET)
		return defines(r->of.both.first, alias) || defines(r->of.both.second, alias);
	return r->kind == SOTTO_ROWSET_JOIN &&
	       (defines(r->of.join.left, alias) || defines(r->of.join.right, alias) ||
		subqueries_define(r->of.join.on, alias));
}

static bool is_from_outside(const void *query, const struct sotto_expression *column)
{
	return column->of.column.alias && column->of.column.name &&
	       !defines(query, column->of.column.alias);
}

const struct sotto_expression *sotto_column_find_outer(const struct sotto_rowset *r)
{
	return find_in_rows(r, is_from_outside, r);
}

const struct sotto_expression *
sotto_column_find(const struct sotto_expression *x, const char *alias)
{
	return find(x, is_of, alias);
}
