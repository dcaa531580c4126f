/* SELECT and its clauses, printed for SQLite. */
#include "server/catalog/catalog_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "central/parse/pg_node.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

enum { DEPTH_MAX = 60 };

void sotto_catalog_put(struct sotto_catalog_printer *p, const char *format, ...)
{
	char text[512];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (p->status == SOTTO_OK)
		p->status = n >= 0 && (size_t)n < sizeof text
				    ? sotto_buffer_append(p->out, text, (size_t)n)
				    : SOTTO_ERANGE;
}

void sotto_catalog_put_name(struct sotto_catalog_printer *p, const char *name)
{
	if (p->status == SOTTO_OK)
		p->status = sotto_sql_append_quoted(p->out, name, '"');
}

void sotto_catalog_put_text(struct sotto_catalog_printer *p, const char *text)
{
	if (p->status == SOTTO_OK)
		p->status = sotto_sql_append_quoted(p->out, text, '\'');
}

void sotto_catalog_refuse(struct sotto_catalog_printer *p, const char *what)
{
	if (p->status == SOTTO_OK)
		p->status = sotto_fail(p->err, SOTTO_EREFUSED,
				       "%.100s is not understood in a question about the "
				       "catalog",
				       what);
}

/* ---- columns ------------------------------------------------------------------------------- */

/* What stands for a number of the catalog inside is shown by its name. */
static void print_shown(struct sotto_catalog_printer *p, const json_t *value)
{
	enum sotto_pg_type type = sotto_catalog_type_of(value);
	const char *wrap = type == SOTTO_PG_REGCLASS       ? "pg_regclass_text"
			   : type == SOTTO_PG_REGTYPE      ? "pg_regtype_text"
			   : type == SOTTO_PG_REGNAMESPACE ? "pg_regnamespace_text"
							   : "";

	sotto_catalog_put(p, "%s(", wrap);
	sotto_catalog_print_expr(p, value);
	sotto_catalog_put(p, ")");
}

static bool is_star(const json_t *value)
{
	const json_t *fields = json_object_get(json_object_get(value, "ColumnRef"), "fields");

	return strcmp(sotto_sql_node_type(json_array_get(fields, json_array_size(fields) - 1)),
		      "A_Star") == 0;
}

static void
print_target(struct sotto_catalog_printer *p, const json_t *target, bool is_outermost)
{
	const json_t *value = json_object_get(target, "val");
	const char *name = sotto_sql_node_word(target, "name");

	if (is_star(value)) {
		sotto_catalog_print_expr(p, value);
		return;
	}
	if (is_outermost && strcmp(sotto_sql_node_type(value), "ColumnRef") != 0)
		print_shown(p, value);
	else
		sotto_catalog_print_expr(p, value);
	sotto_catalog_put(p, " AS ");
	sotto_catalog_put_name(p, *name ? name : sotto_catalog_column_name(value));
}

static void
print_targets(struct sotto_catalog_printer *p, const json_t *list, bool is_outermost)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		sotto_catalog_put(p, i ? ", " : "");
		print_target(p, json_object_get(json_array_get(list, i), "ResTarget"),
			     is_outermost);
	}
}

/* ---- clauses ------------------------------------------------------------------------------- */

static void print_where(struct sotto_catalog_printer *p, const char *word, const json_t *node)
{
	if (!node)
		return;
	sotto_catalog_put(p, " %s ", word);
	sotto_catalog_print_expr(p, node);
}

void sotto_catalog_print_orders(struct sotto_catalog_printer *p, const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *sort = json_object_get(json_array_get(list, i), "SortBy");
		const char *nulls = sotto_sql_node_word(sort, "sortby_nulls");
		bool down = strcmp(sotto_sql_node_word(sort, "sortby_dir"), "SORTBY_DESC") == 0;

		sotto_catalog_put(p, i ? ", " : "");
		sotto_catalog_print_expr(p, json_object_get(sort, "node"));
		sotto_catalog_put(p, down ? " DESC" : "");
		/* PostgreSQL has NULL as the largest, SQLite as the smallest. */
		if (strcmp(nulls, "SORTBY_NULLS_FIRST") == 0 ||
		    (down && strcmp(nulls, "SORTBY_NULLS_LAST") != 0))
			sotto_catalog_put(p, " NULLS FIRST");
		else
			sotto_catalog_put(p, " NULLS LAST");
	}
}

static void print_tail(struct sotto_catalog_printer *p, const json_t *select)
{
	const json_t *orders = json_object_get(select, "sortClause");

	if (orders) {
		sotto_catalog_put(p, " ORDER BY ");
		sotto_catalog_print_orders(p, orders);
	}
	if (json_object_get(select, "limitCount"))
		print_where(p, "LIMIT", json_object_get(select, "limitCount"));
	else if (json_object_get(select, "limitOffset"))
		sotto_catalog_put(p, " LIMIT -1");
	print_where(p, "OFFSET", json_object_get(select, "limitOffset"));
}

static void print_values(struct sotto_catalog_printer *p, const json_t *lists)
{
	sotto_catalog_put(p, "VALUES ");
	for (size_t i = 0; i < json_array_size(lists); i++) {
		sotto_catalog_put(p, i ? ", (" : "(");
		sotto_catalog_print_list(
			p, json_object_get(sotto_sql_node_body(json_array_get(lists, i)),
					   "items"));
		sotto_catalog_put(p, ")");
	}
}

static void
print_block(struct sotto_catalog_printer *p, const json_t *select, bool is_outermost)
{
	const json_t *from = json_object_get(select, "fromClause"),
		     *groups = json_object_get(select, "groupClause"),
		     *distinct = json_object_get(select, "distinctClause");

	if (json_object_get(select, "valuesLists")) {
		print_values(p, json_object_get(select, "valuesLists"));
		return;
	}
	if (json_is_object(json_array_get(distinct, 0)) &&
	    json_object_size(json_array_get(distinct, 0)) > 0) {
		sotto_catalog_refuse(p, "DISTINCT ON");
		return;
	}
	sotto_catalog_put(p, distinct ? "SELECT DISTINCT " : "SELECT ");
	print_targets(p, json_object_get(select, "targetList"), is_outermost);
	if (from) {
		sotto_catalog_put(p, " FROM ");
		sotto_catalog_print_from(p, from);
	}
	print_where(p, "WHERE", json_object_get(select, "whereClause"));
	if (groups) {
		sotto_catalog_put(p, " GROUP BY ");
		sotto_catalog_print_list(p, groups);
	}
	print_where(p, "HAVING", json_object_get(select, "havingClause"));
}

/* UNION and the like; an operand that is more than a block stands in brackets of its own. */
static void
print_operand(struct sotto_catalog_printer *p, const json_t *select, bool is_outermost)
{
	bool is_plain = !json_object_get(select, "sortClause") &&
			!json_object_get(select, "limitCount") &&
			!json_object_get(select, "withClause");
	const char *op = sotto_sql_node_word(select, "op");

	if (is_plain && (!*op || strcmp(op, "SETOP_NONE") == 0)) {
		print_block(p, select, is_outermost);
		return;
	}
	sotto_catalog_put(p, "SELECT * FROM (");
	sotto_catalog_print_select(p, select, is_outermost);
	sotto_catalog_put(p, ")");
}

static void print_united(struct sotto_catalog_printer *p, const json_t *select, const char *op,
			 bool is_outermost)
{
	bool all = sotto_sql_node_true(select, "all");

	print_operand(p, json_object_get(select, "larg"), is_outermost);
	if (strcmp(op, "SETOP_UNION") == 0)
		sotto_catalog_put(p, all ? " UNION ALL " : " UNION ");
	else if (strcmp(op, "SETOP_INTERSECT") == 0 && !all)
		sotto_catalog_put(p, " INTERSECT ");
	else if (strcmp(op, "SETOP_EXCEPT") == 0 && !all)
		sotto_catalog_put(p, " EXCEPT ");
	else
		sotto_catalog_refuse(p, "this way to unite queries");
	print_operand(p, json_object_get(select, "rarg"), is_outermost);
}

static void print_with(struct sotto_catalog_printer *p, const json_t *with)
{
	const json_t *list = json_object_get(with, "ctes");

	if (p->cte_count == sizeof p->ctes / sizeof p->ctes[0]) {
		sotto_catalog_refuse(p, "so many WITH");
		return;
	}
	p->ctes[p->cte_count++] = list;
	sotto_catalog_put(p, "WITH %s",
			  sotto_sql_node_true(with, "recursive") ? "RECURSIVE " : "");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *cte = json_object_get(json_array_get(list, i), "CommonTableExpr");
		const json_t *names = json_object_get(cte, "aliascolnames");

		sotto_catalog_put(p, i ? ", " : "");
		sotto_catalog_put_name(p, sotto_sql_node_word(cte, "ctename"));
		for (size_t k = 0; k < json_array_size(names); k++) {
			sotto_catalog_put(p, k ? ", " : "(");
			sotto_catalog_put_name(p,
					       sotto_sql_node_string(json_array_get(names, k)));
		}
		sotto_catalog_put(p, names ? ") AS (" : " AS (");
		sotto_catalog_print_select(
			p, json_object_get(json_object_get(cte, "ctequery"), "SelectStmt"),
			false);
		sotto_catalog_put(p, ")");
	}
	sotto_catalog_put(p, " ");
}

void sotto_catalog_print_select(struct sotto_catalog_printer *p, const json_t *select,
				bool is_outermost)
{
	const char *op = sotto_sql_node_word(select, "op");
	const json_t *with = json_object_get(select, "withClause");

	if (!select || p->status != SOTTO_OK || p->depth >= DEPTH_MAX) {
		sotto_catalog_refuse(p, "a query so deep");
		return;
	}
	p->depth++;
	if (with)
		print_with(p, with);
	if (*op && strcmp(op, "SETOP_NONE") != 0)
		print_united(p, select, op, is_outermost);
	else
		print_block(p, select, is_outermost);
	print_tail(p, select);
	if (with)
		p->cte_count--;
	p->depth--;
}
