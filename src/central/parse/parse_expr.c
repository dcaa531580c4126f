/*
 * Expressions of the parser's tree, one function per kind of node.  What is not
 * listed here is refused, with the reason and what to write instead.
 */
#include "central/parse/parse.h"
#include "central/parse/parse_query.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

static int place(const json_t *body)
{
	return sotto_sql_node_int(body, "location", 0);
}

struct sotto_sql_expr *
sotto_sql_parse_new(struct sotto_sql_parser *p, enum sotto_sql_kind kind, const json_t *body)
{
	return sotto_sql_expr_new(p->arena, kind, place(body));
}

enum sotto_status sotto_sql_parse_list(struct sotto_sql_parser *p, const json_t *list,
				       struct sotto_sql_expr ***out, size_t *count)
{
	size_t n = json_array_size(list);
	struct sotto_sql_expr **items = sotto_arena_alloc(p->arena, (n + 1) * sizeof *items);

	SOTTO_SQL_NEED(items);
	for (size_t i = 0; i < n; i++)
		SOTTO_TRY(sotto_sql_parse_expr(p, json_array_get(list, i), &items[i]));
	*out = items;
	*count = n;
	return SOTTO_OK;
}

static enum sotto_status
parse_constant(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *e = sotto_sql_parse_new(p, SOTTO_SQL_NULL, body);
	const json_t *fval = json_object_get(body, "fval"),
		     *sval = json_object_get(body, "sval");
	long long integer;

	SOTTO_SQL_NEED(e);
	if (fval) {
		e->kind = SOTTO_SQL_NUMBER;
		e->text = sotto_arena_text(p->arena, sotto_sql_node_word(fval, "fval"));
	} else if (sval) {
		e->kind = SOTTO_SQL_TEXT;
		e->text = sotto_arena_text(p->arena, sotto_sql_node_word(sval, "sval"));
	} else if (json_object_get(body, "boolval")) {
		e->kind = SOTTO_SQL_BOOL;
		e->truth = sotto_sql_node_true(json_object_get(body, "boolval"), "boolval");
		e->text = "";
	} else if (json_object_get(body, "ival")) {
		SOTTO_TRY(sotto_sql_parse_integer(p, body, &integer));
		e->kind = SOTTO_SQL_NUMBER;
		e->text = sotto_arena_textf(p->arena, "%lld", integer);
	} else if (sotto_sql_node_true(body, "isnull")) {
		e->text = "";
	} else {
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
				      "bit strings are not supported");
	}
	SOTTO_SQL_NEED(e->text);
	*out = e;
	return SOTTO_OK;
}

enum { DOTTED_NAMES = 10 };

static enum sotto_status
parse_column(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_expr **out)
{
	const json_t *fields = json_object_get(body, "fields");
	size_t n = json_array_size(fields);
	const json_t *last = json_array_get(fields, n ? n - 1 : 0);
	bool star = strcmp(sotto_sql_node_type(last), "A_Star") == 0;
	struct sotto_sql_expr *e =
		sotto_sql_parse_new(p, star ? SOTTO_SQL_STAR : SOTTO_SQL_COLUMN, body);

	SOTTO_SQL_NEED(e);
	if (n == 0 || n > DOTTED_NAMES)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
				      "name a column as column or table.column, and its fields "
				      "after it");
	for (size_t i = 0; i + 2 < n; i++) {
		e->prefix = sotto_arena_textf(p->arena, "%s%s%c", e->prefix ? e->prefix : "",
					      sotto_sql_node_string(json_array_get(fields, i)),
					      SOTTO_SQL_DOT);
		SOTTO_SQL_NEED(e->prefix);
	}
	if (n >= 2) {
		e->qualifier = sotto_arena_text(
			p->arena, sotto_sql_node_string(json_array_get(fields, n - 2)));
		SOTTO_SQL_NEED(e->qualifier);
	}
	if (!star) {
		e->text = sotto_arena_text(p->arena, sotto_sql_node_string(last));
		SOTTO_SQL_NEED(e->text);
	}
	*out = e;
	return SOTTO_OK;
}

/* (column).field is column.field; an element of an array is nothing here. */
static enum sotto_status
parse_field(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_expr **out)
{
	const json_t *of = json_object_get(json_object_get(body, "arg"), "ColumnRef");
	json_t *more = json_object_get(body, "indirection"), *column = json_deep_copy(of),
	       *item;
	enum sotto_status st = SOTTO_OK;
	size_t i;

	json_array_foreach(more, i, item)
	{
		if (!column || strcmp(sotto_sql_node_type(item), "String") != 0 ||
		    json_array_append(json_object_get(column, "fields"), item) != 0)
			st = SOTTO_EREFUSED;
	}
	if (st == SOTTO_OK && column)
		st = parse_column(p, column, out);
	else
		st = sotto_sql_fail(
			p->err, SOTTO_EREFUSED, p->text, place(body),
			"elements of arrays are not supported, and fields only of a "
			"column: write column.field");
	json_decref(column);
	return st;
}

static enum sotto_status
parse_null_test(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *arg;

	SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(body, "arg"), &arg));
	return sotto_sql_negated(
		p, strcmp(sotto_sql_node_word(body, "nulltesttype"), "IS_NOT_NULL") == 0,
		sotto_sql_op_new(p->arena, SOTTO_SQL_IS_NULL, arg, NULL), out);
}

static enum sotto_status
parse_truth_test(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_expr **out)
{
	const char *test = sotto_sql_node_word(body, "booltesttype");
	enum sotto_sql_op op = strstr(test, "UNKNOWN") ? SOTTO_SQL_IS_NULL
			       : strstr(test, "TRUE")  ? SOTTO_SQL_IS_TRUE
						       : SOTTO_SQL_IS_FALSE;
	struct sotto_sql_expr *arg;

	SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(body, "arg"), &arg));
	return sotto_sql_negated(p, strstr(test, "NOT") != NULL,
				 sotto_sql_op_new(p->arena, op, arg, NULL), out);
}

/* x IN (SELECT ...), x <> ALL (SELECT ...), EXISTS (SELECT ...), (SELECT ...). */
static enum sotto_status
parse_sublink(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_expr **out)
{
	const char *kind = sotto_sql_node_word(body, "subLinkType");
	const char *symbol = sotto_sql_node_last_name(json_object_get(body, "operName"));
	bool any = strcmp(kind, "ANY_SUBLINK") == 0 && (!*symbol || strcmp(symbol, "=") == 0);
	bool none = strcmp(kind, "ALL_SUBLINK") == 0 && strcmp(symbol, "<>") == 0;
	struct sotto_sql_expr *e = sotto_sql_parse_new(p, SOTTO_SQL_SCALAR, body);
	const json_t *select = json_object_get(body, "subselect");

	SOTTO_SQL_NEED(e);
	if (strcmp(kind, "EXISTS_SUBLINK") == 0)
		e->kind = SOTTO_SQL_EXISTS;
	else if (any || none)
		e->kind = SOTTO_SQL_IN;
	else if (strcmp(kind, "EXPR_SUBLINK") != 0)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
				      "comparisons with ANY and ALL of a subquery are not "
				      "supported; write IN, or compare with MIN or MAX");
	SOTTO_TRY(sotto_sql_parse_select(p, json_object_get(select, "SelectStmt"), &e->select));
	if (e->kind == SOTTO_SQL_IN) {
		e->args = sotto_arena_alloc(p->arena, sizeof *e->args);
		SOTTO_SQL_NEED(e->args);
		SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(body, "testexpr"),
					       &e->args[0]));
		e->count = 1;
	}
	return sotto_sql_negated(p, none, e, out);
}

/* USER is a column of that name, as elsewhere; what else the parser knows depends on the clock. */
static enum sotto_status
parse_value(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_expr **out)
{
	if (strcmp(sotto_sql_node_word(body, "op"), "SVFOP_USER") != 0)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, place(body),
				      "the current time and user are not deterministic; write "
				      "the value, like DATE '2025-12-31'");
	*out = sotto_sql_parse_new(p, SOTTO_SQL_COLUMN, body);
	SOTTO_SQL_NEED(*out);
	(*out)->text = "user";
	return SOTTO_OK;
}

static const struct {
	const char *type;
	enum sotto_status (*parse)(struct sotto_sql_parser *, const json_t *,
				   struct sotto_sql_expr **);
} shapes[] = {
	{"A_Const", parse_constant},
	{"ColumnRef", parse_column},
	{"A_Indirection", parse_field},
	{"A_Expr", sotto_sql_parse_a_expr},
	{"BoolExpr", sotto_sql_parse_bool},
	{"NullTest", parse_null_test},
	{"BooleanTest", parse_truth_test},
	{"TypeCast", sotto_sql_parse_cast},
	{"CaseExpr", sotto_sql_parse_case},
	{"FuncCall", sotto_sql_parse_call},
	{"CoalesceExpr", sotto_sql_parse_coalesce},
	{"SubLink", parse_sublink},
	{"GroupingFunc", sotto_sql_parse_grouping},
	{"MinMaxExpr", sotto_sql_parse_min_max},
	{"SQLValueFunction", parse_value},
};

/* Why the shapes that PostgreSQL has and we have not are refused. */
static const struct {
	const char *type, *why;
} refusals[] = {
	{"A_ArrayExpr", "arrays are not supported; write one expression for each value"},
	{"NamedArgExpr",
	 "arguments with names are not supported; bounds are written as clip(x, lowest, "
	 "highest)"},
	{"RowExpr",
	 "row values are only compared, like (a, b) = (c, d); to count different pairs write "
	 "COUNT(DISTINCT concat_ws('|', a, b))"},
	{"CollateClause", "COLLATE is not supported; text is compared by its bytes"},
	{"SetToDefault", "DEFAULT has no meaning in a query"},
};

static enum sotto_status
refuse_shape(struct sotto_sql_parser *p, const char *type, const json_t *body)
{
	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
		if (strcmp(refusals[i].type, type) == 0)
			return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, place(body),
					      "%s", refusals[i].why);
	return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, place(body),
			      "this kind of expression is not supported");
}

enum sotto_status sotto_sql_parse_expr(struct sotto_sql_parser *p, const json_t *node,
				       struct sotto_sql_expr **out)
{
	const char *type = sotto_sql_node_type(node);
	const json_t *body = sotto_sql_node_body(node);
	enum sotto_status st = SOTTO_OK;
	bool known = false;

	if (p->depth >= SOTTO_SQL_DEPTH_MAX)
		return sotto_sql_fail(p->err, SOTTO_ERANGE, p->text, place(body),
				      "the query is nested more than %d deep",
				      SOTTO_SQL_DEPTH_MAX);
	p->depth++;
	for (size_t i = 0; !known && i < sizeof shapes / sizeof shapes[0]; i++)
		if (strcmp(shapes[i].type, type) == 0) {
			known = true;
			st = shapes[i].parse(p, body, out);
		}
	p->depth--;
	return known ? st : refuse_shape(p, type, body);
}
