/*
 * SELECT with its clauses, WITH, and UNION, INTERSECT and EXCEPT of several.
 */
#include <string.h>

#include "central/parse/dialect/sql_clause.h"
#include "central/parse/parse.h"
#include "central/parse/parse_query.h"
#include "core/base/failure.h"

static enum sotto_status refuse(struct sotto_sql_parser *p, int at, const char *why)
{
	return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, at, "%s", why);
}

static enum sotto_status
parse_outputs(struct sotto_sql_parser *p, const json_t *list, struct sotto_sql_select *s)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *target = json_object_get(json_array_get(list, i), "ResTarget");
		const char *name = sotto_sql_node_word(target, "name");
		struct sotto_sql_output *o = SOTTO_PUSH(p->arena, s->outputs, s->output_count);
		struct sotto_sql_expr *expr;

		SOTTO_SQL_NEED(o);
		SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(target, "val"), &expr));
		if (i == 0)
			s->at = sotto_sql_node_int(target, "location", 0);
		o->expr = expr;
		if (*name) {
			o->name = sotto_arena_text(p->arena, name);
			SOTTO_SQL_NEED(o->name);
		}
	}
	return SOTTO_OK;
}

enum sotto_status sotto_sql_parse_orders(struct sotto_sql_parser *p, const json_t *list,
					 struct sotto_sql_order **out, size_t *count)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *sort = json_object_get(json_array_get(list, i), "SortBy");
		const char *nulls = sotto_sql_node_word(sort, "sortby_nulls");
		struct sotto_sql_order *o = SOTTO_PUSH(p->arena, *out, *count);
		struct sotto_sql_expr *expr;

		SOTTO_SQL_NEED(o);
		SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(sort, "node"), &expr));
		if (json_object_get(sort, "useOp"))
			return refuse(p, expr->at,
				      "ORDER BY ... USING is not supported; write "
				      "ASC or DESC");
		o->expr = expr;
		o->descending =
			strcmp(sotto_sql_node_word(sort, "sortby_dir"), "SORTBY_DESC") == 0;
		o->nulls_first = strcmp(nulls, "SORTBY_NULLS_FIRST") == 0 ||
				 (o->descending && strcmp(nulls, "SORTBY_NULLS_LAST") != 0);
	}
	return SOTTO_OK;
}

static enum sotto_status
parse_limit(struct sotto_sql_parser *p, const json_t *node, int64_t otherwise, int64_t *out)
{
	const json_t *constant = json_object_get(node, "A_Const");
	long long n;

	*out = otherwise;
	if (!node || sotto_sql_node_true(constant, "isnull"))
		return SOTTO_OK;
	SOTTO_TRY(sotto_sql_parse_integer(p, constant, &n));
	if (n < 0)
		return refuse(p, sotto_sql_node_int(constant, "location", 0),
			      "LIMIT and OFFSET take a whole number from 0 on");
	*out = n;
	return SOTTO_OK;
}

static enum sotto_status
parse_ctes(struct sotto_sql_parser *p, const json_t *with, struct sotto_sql_select *s)
{
	const json_t *list = json_object_get(with, "ctes");

	if (sotto_sql_node_true(with, "recursive"))
		return refuse(
			p, 0,
			"WITH RECURSIVE is not supported; leave RECURSIVE out if no query "
			"reads itself, and write generate_series(1, 10) for a list of "
			"numbers");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *body =
			json_object_get(json_array_get(list, i), "CommonTableExpr");
		const json_t *select =
			json_object_get(json_object_get(body, "ctequery"), "SelectStmt");
		struct sotto_sql_cte cte = {0}, *slot;

		if (!select)
			return refuse(p, sotto_sql_node_int(body, "location", 0),
				      "WITH takes SELECT statements only");
		cte.name = sotto_arena_text(p->arena, sotto_sql_node_word(body, "ctename"));
		SOTTO_SQL_NEED(cte.name);
		SOTTO_TRY(sotto_sql_parse_names(p, json_object_get(body, "aliascolnames"),
						&cte.columns, &cte.column_count));
		SOTTO_TRY(sotto_sql_parse_select(p, select, &cte.select));
		slot = SOTTO_PUSH(p->arena, s->ctes, s->cte_count);
		SOTTO_SQL_NEED(slot);
		*slot = cte;
	}
	return SOTTO_OK;
}

/* Clauses that PostgreSQL has and we have not. */
static enum sotto_status refuse_clauses(struct sotto_sql_parser *p, const json_t *body)
{
	if (json_object_get(body, "lockingClause"))
		return refuse(p, -1,
			      "FOR UPDATE and FOR SHARE are not supported: leave them out");
	if (json_object_get(body, "intoClause"))
		return refuse(p, -1, "SELECT INTO is not supported: nothing is ever written");
	if (strcmp(sotto_sql_node_word(body, "limitOption"), "LIMIT_OPTION_WITH_TIES") == 0)
		return refuse(p, -1, "WITH TIES is not supported; write LIMIT");
	return SOTTO_OK;
}

/* DISTINCT has one empty item, DISTINCT ON its keys. */
static enum sotto_status
parse_distinct(struct sotto_sql_parser *p, const json_t *list, struct sotto_sql_select *s)
{
	struct sotto_sql_expr **slot, *key;

	s->distinct = list && json_object_size(json_array_get(list, 0)) == 0;
	for (size_t i = 0; list && !s->distinct && i < json_array_size(list); i++) {
		SOTTO_TRY(sotto_sql_parse_expr(p, json_array_get(list, i), &key));
		slot = SOTTO_PUSH(p->arena, s->distinct_on, s->distinct_on_count);
		SOTTO_SQL_NEED(slot);
		*slot = key;
	}
	return SOTTO_OK;
}

/* The condition of QUALIFY, which stands among the windows (dialect/sql_clause.c). */
static enum sotto_status parse_qualify(struct sotto_sql_parser *p, struct sotto_sql_select *s)
{
	const json_t *window = sotto_sql_window_find(p->windows, SOTTO_SQL_QUALIFY);
	const json_t *list = json_object_get(window, "partitionClause");

	if (!window)
		return SOTTO_OK;
	if (json_array_size(list) != 1)
		return refuse(p, -1, "QUALIFY takes one condition; join several with AND");
	return sotto_sql_parse_expr(p, json_array_get(list, 0), &s->qualify);
}

/* WHERE, and what semi joins ask of a row besides. */
static enum sotto_status
parse_where(struct sotto_sql_parser *p, const json_t *node, struct sotto_sql_select *s)
{
	s->where = p->half_joins;
	if (!node)
		return SOTTO_OK;
	SOTTO_TRY(sotto_sql_parse_expr(p, node, &s->where));
	if (!p->half_joins)
		return SOTTO_OK;
	s->where = sotto_sql_op_new(p->arena, SOTTO_SQL_AND, p->half_joins, s->where);
	SOTTO_SQL_NEED(s->where);
	return SOTTO_OK;
}

static enum sotto_status
parse_own_clauses(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_select *s)
{
	SOTTO_TRY(refuse_clauses(p, body));
	SOTTO_TRY(parse_distinct(p, json_object_get(body, "distinctClause"), s));
	SOTTO_TRY(parse_outputs(p, json_object_get(body, "targetList"), s));
	SOTTO_TRY(sotto_sql_parse_from(p, json_object_get(body, "fromClause"), &s->from));
	SOTTO_TRY(parse_where(p, json_object_get(body, "whereClause"), s));
	SOTTO_TRY(sotto_sql_parse_groups(p, json_object_get(body, "groupClause"), s));
	if (json_object_get(body, "havingClause"))
		SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(body, "havingClause"),
					       &s->having));
	SOTTO_TRY(parse_qualify(p, s));
	return sotto_sql_parse_orders(p, json_object_get(body, "sortClause"), &s->orders,
				      &s->order_count);
}

/* Windows have names, and joins leave rows away, in their own SELECT alone. */
static enum sotto_status
parse_plain_select(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_select *s)
{
	const json_t *outer = p->windows;
	struct sotto_sql_expr *half_joins = p->half_joins;
	enum sotto_status st;

	p->windows = json_object_get(body, "windowClause");
	p->half_joins = NULL;
	st = parse_own_clauses(p, body, s);
	p->windows = outer;
	p->half_joins = half_joins;
	return st;
}

/* What has clauses of its own, or is put together itself, is a table to the one around it. */
static enum sotto_status parse_arm(struct sotto_sql_parser *p, const json_t *body, bool first,
				   struct sotto_sql_select **out)
{
	struct sotto_sql_select *s;

	SOTTO_TRY(sotto_sql_parse_select(p, body, &s));
	if ((!first && s->unite) || s->cte_count || s->order_count || s->limit >= 0 ||
	    s->offset > 0)
		s = sotto_sql_select_around(p->arena, s);
	SOTTO_SQL_NEED(s);
	*out = s;
	return SOTTO_OK;
}

/* The left select keeps the clauses of the whole; the right one hangs on it. */
static enum sotto_status
parse_set(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_select **out)
{
	const char *op = sotto_sql_node_word(body, "op");
	struct sotto_sql_select *last;

	SOTTO_TRY(parse_arm(p, json_object_get(body, "larg"), true, out));
	for (last = *out; last->unite;)
		last = last->unite;
	SOTTO_TRY(parse_arm(p, json_object_get(body, "rarg"), false, &last->unite));
	last->unite->how = strcmp(op, "SETOP_UNION") == 0       ? SOTTO_SQL_UNION
			   : strcmp(op, "SETOP_INTERSECT") == 0 ? SOTTO_SQL_INTERSECT
								: SOTTO_SQL_EXCEPT;
	last->unite->all = sotto_sql_node_true(body, "all");
	return SOTTO_OK;
}

static enum sotto_status
parse_clauses(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_select **out)
{
	bool plain = strcmp(sotto_sql_node_word(body, "op"), "SETOP_NONE") == 0 &&
		     !json_object_get(body, "valuesLists");
	struct sotto_sql_select *s = sotto_arena_alloc(p->arena, sizeof *s);

	SOTTO_SQL_NEED(s);
	s->limit = -1;
	if (json_object_get(body, "valuesLists"))
		SOTTO_TRY(sotto_sql_parse_values(p, json_object_get(body, "valuesLists"), &s));
	else if (plain)
		SOTTO_TRY(parse_plain_select(p, body, s));
	else
		SOTTO_TRY(parse_set(p, body, &s));
	if (json_object_get(body, "withClause"))
		SOTTO_TRY(parse_ctes(p, json_object_get(body, "withClause"), s));
	if (!plain)
		SOTTO_TRY(sotto_sql_parse_orders(p, json_object_get(body, "sortClause"),
						 &s->orders, &s->order_count));
	SOTTO_TRY(parse_limit(p, json_object_get(body, "limitCount"), -1, &s->limit));
	SOTTO_TRY(parse_limit(p, json_object_get(body, "limitOffset"), 0, &s->offset));
	*out = s;
	return SOTTO_OK;
}

enum sotto_status sotto_sql_parse_select(struct sotto_sql_parser *p, const json_t *body,
					 struct sotto_sql_select **out)
{
	enum sotto_status st;

	if (!body)
		return refuse(p, -1, "a SELECT is expected here");
	if (p->depth >= SOTTO_SQL_DEPTH_MAX)
		return sotto_sql_fail(p->err, SOTTO_ERANGE, p->text, -1,
				      "the query is nested more than %d deep",
				      SOTTO_SQL_DEPTH_MAX);
	p->depth++;
	st = parse_clauses(p, body, out);
	p->depth--;
	return st;
}
