/* Expressions of a question about the catalog, printed for SQLite. */
#include <string.h>

#include "central/parse/pg_node.h"
#include "server/catalog/catalog_inside.h"

enum { DEPTH_MAX = 400 };

void sotto_catalog_print_list(struct sotto_catalog_printer *p, const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		sotto_catalog_put(p, i ? ", " : "");
		sotto_catalog_print_expr(p, json_array_get(list, i));
	}
}

/* ---- columns and constants ------------------------------------------------------------------- */

static void print_column(struct sotto_catalog_printer *p, const json_t *body)
{
	const json_t *fields = json_object_get(body, "fields");
	size_t n = json_array_size(fields);

	/* Which table a row is of is not kept. */
	if (strcmp(sotto_sql_node_last_name(fields), "tableoid") == 0) {
		sotto_catalog_put(p, "NULL");
		return;
	}
	/* schema.table.column: tables go by their names here. */
	for (size_t i = n > 2 ? n - 2 : 0; i < n; i++) {
		const json_t *field = json_array_get(fields, i);

		sotto_catalog_put(p, i > (n > 2 ? n - 2 : 0) ? "." : "");
		if (strcmp(sotto_sql_node_type(field), "A_Star") == 0)
			sotto_catalog_put(p, "*");
		else
			sotto_catalog_put_name(p, sotto_sql_node_string(field));
	}
}

static void print_constant(struct sotto_catalog_printer *p, const json_t *body)
{
	const json_t *value;
	long long n = 0;

	if ((value = json_object_get(body, "sval"))) {
		sotto_catalog_put_text(p, sotto_sql_node_word(value, "sval"));
	} else if ((value = json_object_get(body, "fval"))) {
		sotto_catalog_put(p, "%.100s", sotto_sql_node_word(value, "fval"));
	} else if ((value = json_object_get(body, "boolval"))) {
		sotto_catalog_put(p, "%d", sotto_sql_node_true(value, "boolval"));
	} else if (json_object_get(body, "ival")) {
		if (sotto_sql_parse_integer(p->parser, body, &n) == SOTTO_OK)
			sotto_catalog_put(p, "%lld", n);
		else
			sotto_catalog_refuse(p, "this number");
	} else {
		sotto_catalog_put(p, "NULL");
	}
}

/* ---- calls, CASE, subqueries ------------------------------------------------------------------- */

static void print_window(struct sotto_catalog_printer *p, const json_t *over)
{
	const json_t *parts = json_object_get(over, "partitionClause"),
		     *orders = json_object_get(over, "orderClause");

	sotto_catalog_put(p, " OVER (");
	if (parts) {
		sotto_catalog_put(p, "PARTITION BY ");
		sotto_catalog_print_list(p, parts);
	}
	if (orders) {
		sotto_catalog_put(p, " ORDER BY ");
		sotto_catalog_print_orders(p, orders);
	}
	sotto_catalog_put(p, ")");
}

static void print_call(struct sotto_catalog_printer *p, const json_t *body)
{
	const char *name = sotto_sql_node_last_name(json_object_get(body, "funcname"));
	enum sotto_pg_type type;
	const char *ours = sotto_catalog_function(name, &type);

	if (!ours) {
		sotto_catalog_refuse(p, name);
		return;
	}
	sotto_catalog_put(p, "%s(%s", ours,
			  sotto_sql_node_true(body, "agg_distinct") ? "DISTINCT " : "");
	if (sotto_sql_node_true(body, "agg_star"))
		sotto_catalog_put(p, "*");
	else
		sotto_catalog_print_list(p, json_object_get(body, "args"));
	sotto_catalog_put(p, ")");
	if (json_object_get(body, "agg_filter")) {
		sotto_catalog_put(p, " FILTER (WHERE ");
		sotto_catalog_print_expr(p, json_object_get(body, "agg_filter"));
		sotto_catalog_put(p, ")");
	}
	if (json_object_get(body, "over"))
		print_window(p, json_object_get(body, "over"));
}

static void print_case(struct sotto_catalog_printer *p, const json_t *body)
{
	const json_t *whens = json_object_get(body, "args");

	sotto_catalog_put(p, "(CASE ");
	if (json_object_get(body, "arg"))
		sotto_catalog_print_expr(p, json_object_get(body, "arg"));
	for (size_t i = 0; i < json_array_size(whens); i++) {
		const json_t *when = json_object_get(json_array_get(whens, i), "CaseWhen");

		sotto_catalog_put(p, " WHEN ");
		sotto_catalog_print_expr(p, json_object_get(when, "expr"));
		sotto_catalog_put(p, " THEN ");
		sotto_catalog_print_expr(p, json_object_get(when, "result"));
	}
	if (json_object_get(body, "defresult")) {
		sotto_catalog_put(p, " ELSE ");
		sotto_catalog_print_expr(p, json_object_get(body, "defresult"));
	}
	sotto_catalog_put(p, " END)");
}

static void print_sublink(struct sotto_catalog_printer *p, const json_t *body)
{
	const char *kind = sotto_sql_node_word(body, "subLinkType");
	const json_t *select =
		json_object_get(json_object_get(body, "subselect"), "SelectStmt");
	bool is_array = strcmp(kind, "ARRAY_SUBLINK") == 0;

	if (strcmp(kind, "EXISTS_SUBLINK") == 0) {
		sotto_catalog_put(p, "EXISTS (");
	} else if (strcmp(kind, "ANY_SUBLINK") == 0 && !json_object_get(body, "operName")) {
		sotto_catalog_put(p, "(");
		sotto_catalog_print_expr(p, json_object_get(body, "testexpr"));
		sotto_catalog_put(p, " IN (");
	} else if (is_array) {
		sotto_catalog_put(p, "(WITH \"items\"(\"item\") AS (");
	} else if (strcmp(kind, "EXPR_SUBLINK") == 0) {
		sotto_catalog_put(p, "(");
	} else {
		sotto_catalog_refuse(p, "this kind of subquery");
	}
	sotto_catalog_print_select(p, select, false);
	sotto_catalog_put(p, is_array ? ") SELECT pg_array_agg(\"item\") FROM \"items\")"
			     : strcmp(kind, "ANY_SUBLINK") == 0 ? "))"
								: ")");
}

static void print_value_function(struct sotto_catalog_printer *p, const json_t *body)
{
	const char *op = sotto_sql_node_word(body, "op");

	if (strstr(op, "USER") || strstr(op, "ROLE"))
		sotto_catalog_put(p, "\"current_user\"()");
	else if (strstr(op, "CATALOG"))
		sotto_catalog_put(p, "\"current_database\"()");
	else if (strstr(op, "SCHEMA"))
		sotto_catalog_put(p, "\"current_schema\"()");
	else
		sotto_catalog_refuse(p, "the current time");
}

static void print_coalesce(struct sotto_catalog_printer *p, const json_t *body)
{
	bool alone = json_array_size(json_object_get(body, "args")) == 1;

	sotto_catalog_put(p, "coalesce(");
	sotto_catalog_print_list(p, json_object_get(body, "args"));
	sotto_catalog_put(p, alone ? ", NULL)" : ")");
}

static void print_min_max(struct sotto_catalog_printer *p, const json_t *body)
{
	bool is_most = strcmp(sotto_sql_node_word(body, "op"), "IS_GREATEST") == 0;

	sotto_catalog_put(p, is_most ? "max(" : "min(");
	sotto_catalog_print_list(p, json_object_get(body, "args"));
	sotto_catalog_put(p, json_array_size(json_object_get(body, "args")) == 1 ? ", NULL)"
										 : ")");
}

static void print_array(struct sotto_catalog_printer *p, const json_t *body)
{
	sotto_catalog_put(p, "pg_array(");
	sotto_catalog_print_list(p, json_object_get(body, "elements"));
	sotto_catalog_put(p, ")");
}

static void print_collated(struct sotto_catalog_printer *p, const json_t *body)
{
	sotto_catalog_print_expr(p, json_object_get(body, "arg"));
}

/* array[i]; (row).field, which only things have that are not here: NULL. */
static void print_indirection(struct sotto_catalog_printer *p, const json_t *body)
{
	const json_t *first = json_array_get(json_object_get(body, "indirection"), 0),
		     *index = json_object_get(first, "A_Indices");

	if (!index) {
		sotto_catalog_put(p, "NULL");
		return;
	}
	if (sotto_sql_node_true(index, "is_slice")) {
		sotto_catalog_refuse(p, "a slice of an array");
		return;
	}
	sotto_catalog_put(p, "pg_array_at(");
	sotto_catalog_print_expr(p, json_object_get(body, "arg"));
	sotto_catalog_put(p, ", ");
	sotto_catalog_print_expr(p, json_object_get(index, "uidx"));
	sotto_catalog_put(p, ")");
}

/* ---- all of them --------------------------------------------------------------------------------- */

void sotto_catalog_print_expr(struct sotto_catalog_printer *p, const json_t *node)
{
	static const struct {
		const char *type;
		void (*print)(struct sotto_catalog_printer *, const json_t *);
	} kinds[] = {
		{"ColumnRef", print_column},
		{"A_Const", print_constant},
		{"TypeCast", sotto_catalog_print_cast},
		{"A_Expr", sotto_catalog_print_operator},
		{"BoolExpr", sotto_catalog_print_bool},
		{"NullTest", sotto_catalog_print_null_test},
		{"BooleanTest", sotto_catalog_print_truth_test},
		{"FuncCall", print_call},
		{"CaseExpr", print_case},
		{"SubLink", print_sublink},
		{"SQLValueFunction", print_value_function},
		{"CoalesceExpr", print_coalesce},
		{"MinMaxExpr", print_min_max},
		{"A_ArrayExpr", print_array},
		{"CollateClause", print_collated},
		{"A_Indirection", print_indirection},
	};
	const char *type = sotto_sql_node_type(node);

	if (p->status != SOTTO_OK || p->depth >= DEPTH_MAX) {
		sotto_catalog_refuse(p, "an expression so deep");
		return;
	}
	p->depth++;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(kinds[i].type, type) == 0) {
			kinds[i].print(p, sotto_sql_node_body(node));
			p->depth--;
			return;
		}
	p->depth--;
	sotto_catalog_refuse(p, *type ? type : "this");
}
