/*
 * Each value that a grouped SELECT shows, filters or orders by is made of its keys and of
 * aggregates.  A key is recognised however its columns are qualified: by what it is bound to.
 */
#include "central/relation/grouped_check.h"

#include "central/aggregate/aggregate.h"
#include "central/expression/bind.h"
#include "central/tree/engine_tree.h"
#include "core/base/failure.h"

static bool is_same(const struct sotto_grouped *g, const struct sotto_sql_expr *x,
		    const struct sotto_sql_expr *y)
{
	struct sotto_binder quiet = *g->rows;
	struct sotto_bound a, b;

	if (x->kind != y->kind || sotto_sql_expr_size(x) != sotto_sql_expr_size(y))
		return false;
	if (sotto_sql_expr_equal(x, y))
		return true;
	quiet.err = NULL;
	quiet.aggregates = false;
	return sotto_bind(&quiet, x, &a) == SOTTO_OK && sotto_bind(&quiet, y, &b) == SOTTO_OK &&
	       sotto_expression_equal(a.value, b.value);
}

static bool is_key(const struct sotto_grouped *g, const struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < g->key_count; i++)
		if (is_same(g, e, g->keys[i]))
			return true;
	return false;
}

/* Of these rows, not of a query around. */
static bool is_of_rows(const struct sotto_grouped *g, const struct sotto_sql_expr *column)
{
	struct sotto_binder quiet = *g->rows;
	struct sotto_bound x;

	quiet.err = NULL;
	quiet.outer = NULL;
	return sotto_bind(&quiet, column, &x) == SOTTO_OK;
}

static enum sotto_status
check_window(const struct sotto_grouped *g, const struct sotto_sql_window *w)
{
	for (size_t i = 0; w && i < w->part_count; i++)
		SOTTO_TRY(sotto_grouped_check(g, w->parts[i]));
	for (size_t i = 0; w && i < w->order_count; i++)
		SOTTO_TRY(sotto_grouped_check(g, w->orders[i].expr));
	return SOTTO_OK;
}

enum sotto_status
sotto_grouped_check(const struct sotto_grouped *g, const struct sotto_sql_expr *e)
{
	if (!e || (g->is_grouped && is_key(g, e)))
		return SOTTO_OK;
	if (e->kind == SOTTO_SQL_CALL && !e->over && sotto_aggregate_find(e->text))
		return g->is_grouped
			       ? SOTTO_OK
			       : sotto_bind_refuse(g->rows, e,
						   "%.40s is over rows that are not grouped "
						   "here; order by a column or an output",
						   e->text);
	if (e->kind == SOTTO_SQL_COLUMN && g->is_grouped && is_of_rows(g, e))
		return sotto_bind_refuse(
			g->rows, e,
			"the column %.40s has several values in a group; put it "
			"into GROUP BY or inside an aggregate",
			e->text);
	for (size_t i = 0; i < e->count; i++)
		SOTTO_TRY(sotto_grouped_check(g, e->args[i]));
	return check_window(g, e->window);
}
