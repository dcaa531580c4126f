/* Expressions of a question about the catalog, printed for SQLite. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "central/parse/pg_node.h"
#include "server/catalog/catalog_inside.h"

enum { DEPTH_MAX = 400 };

static const json_t *member(const json_t *body, const char *name)
{
	return json_object_get(body, name);
}

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
	const json_t *fields = member(body, "fields");
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

	if ((value = member(body, "sval"))) {
		sotto_catalog_put_text(p, sotto_sql_node_word(value, "sval"));
	} else if ((value = member(body, "fval"))) {
		sotto_catalog_put(p, "%.100s", sotto_sql_node_word(value, "fval"));
	} else if ((value = member(body, "boolval"))) {
		sotto_catalog_put(p, "%d", sotto_sql_node_true(value, "boolval"));
	} else if (member(body, "ival")) {
		if (sotto_sql_parse_integer(p->parser, body, &n) == SOTTO_OK)
			sotto_catalog_put(p, "%lld", n);
		else
			sotto_catalog_refuse(p, "this number");
	} else {
		sotto_catalog_put(p, "NULL");
	}
}

/* ---- casts ------------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	enum sotto_pg_type type;
} types[] = {
	{"bool", SOTTO_PG_BOOL},
	{"text", SOTTO_PG_TEXT},
	{"varchar", SOTTO_PG_TEXT},
	{"bpchar", SOTTO_PG_TEXT},
	{"char", SOTTO_PG_TEXT},
	{"name", SOTTO_PG_TEXT},
	{"sql_identifier", SOTTO_PG_TEXT},
	{"character_data", SOTTO_PG_TEXT},
	{"yes_or_no", SOTTO_PG_TEXT},
	{"json", SOTTO_PG_TEXT},
	{"jsonb", SOTTO_PG_TEXT},
	{"date", SOTTO_PG_DATE},
	{"timestamp", SOTTO_PG_TIMESTAMP},
	{"timestamptz", SOTTO_PG_TIMESTAMPTZ},
	{"cardinal_number", SOTTO_PG_INT4},
	{"int2", SOTTO_PG_INT2},
	{"int4", SOTTO_PG_INT4},
	{"int8", SOTTO_PG_INT8},
	{"oid", SOTTO_PG_OID},
	{"float4", SOTTO_PG_FLOAT8},
	{"float8", SOTTO_PG_FLOAT8},
	{"numeric", SOTTO_PG_FLOAT8},
	{"regclass", SOTTO_PG_REGCLASS},
	{"regtype", SOTTO_PG_REGTYPE},
	{"regnamespace", SOTTO_PG_REGNAMESPACE},
	{"regproc", SOTTO_PG_REGPROC},
};

static enum sotto_pg_type cast_type(const json_t *cast)
{
	const json_t *type = member(cast, "typeName");
	const char *name = sotto_sql_node_last_name(member(type, "names"));

	if (member(type, "arrayBounds"))
		return SOTTO_PG_TEXT_ARRAY;
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (strcmp(types[i].name, name) == 0)
			return types[i].type;
	return SOTTO_PG_ANY;
}

/* A function around the argument, or a cast of SQLite's; both "": as it is. */
static void cast_words(enum sotto_pg_type to, enum sotto_pg_type from, const char **before,
		       const char **behind)
{
	*before = "(", *behind = ")";
	if (to == SOTTO_PG_TEXT && from == SOTTO_PG_REGCLASS)
		*before = "pg_regclass_text(";
	else if (to == SOTTO_PG_TEXT && from == SOTTO_PG_REGTYPE)
		*before = "pg_regtype_text(";
	else if (to == SOTTO_PG_TEXT && from == SOTTO_PG_REGNAMESPACE)
		*before = "pg_regnamespace_text(";
	else if (to == SOTTO_PG_TEXT && from == SOTTO_PG_BOOL)
		*before = "pg_bool_text(";
	else if (to == SOTTO_PG_TEXT)
		*before = "CAST(", *behind = " AS TEXT)";
	else if (to == SOTTO_PG_BOOL)
		*before = "pg_bool(";
	else if (to == SOTTO_PG_REGCLASS)
		*before = "pg_regclass(";
	else if (to == SOTTO_PG_REGTYPE)
		*before = "pg_regtype(";
	else if (to == SOTTO_PG_REGNAMESPACE)
		*before = "pg_regnamespace(";
	else if (to == SOTTO_PG_REGPROC)
		*before = "pg_regproc(";
	else if (to == SOTTO_PG_FLOAT8)
		*before = "CAST(", *behind = " AS REAL)";
	else if (to == SOTTO_PG_INT2 || to == SOTTO_PG_INT4 || to == SOTTO_PG_INT8 ||
		 to == SOTTO_PG_OID)
		*before = "CAST(", *behind = " AS INTEGER)";
}

static void print_cast(struct sotto_catalog_printer *p, const json_t *body)
{
	const char *before, *behind;

	if (cast_type(body) == SOTTO_PG_ANY) {
		sotto_catalog_refuse(p, "a cast to this type");
		return;
	}
	cast_words(cast_type(body), sotto_catalog_type_of(member(body, "arg")), &before,
		   &behind);
	sotto_catalog_put(p, "%s", before);
	sotto_catalog_print_expr(p, member(body, "arg"));
	sotto_catalog_put(p, "%s", behind);
}

/* ---- operators -------------------------------------------------------------------------------- */

static void print_pair(struct sotto_catalog_printer *p, const json_t *body, const char *before,
		       const char *between, const char *behind)
{
	sotto_catalog_put(p, "%s", before);
	sotto_catalog_print_expr(p, member(body, "lexpr"));
	sotto_catalog_put(p, "%s", between);
	sotto_catalog_print_expr(p, member(body, "rexpr"));
	sotto_catalog_put(p, "%s", behind);
}

/* How an operator of PostgreSQL is written here: before, between, behind. */
static const struct {
	const char *name, *before, *between, *behind;
} operators[] = {
	{"=", "(", " = ", ")"},
	{"<>", "(", " <> ", ")"},
	{"!=", "(", " <> ", ")"},
	{"<", "(", " < ", ")"},
	{"<=", "(", " <= ", ")"},
	{">", "(", " > ", ")"},
	{">=", "(", " >= ", ")"},
	{"+", "(", " + ", ")"},
	{"-", "(", " - ", ")"},
	{"*", "(", " * ", ")"},
	{"/", "(", " / ", ")"},
	{"%", "(", " % ", ")"},
	{"||", "(", " || ", ")"},
	{"&", "(", " & ", ")"},
	{"|", "(", " | ", ")"},
	{"~", "pg_match(", ", ", ", 0)"},
	{"~*", "pg_match(", ", ", ", 1)"},
	{"!~", "(NOT pg_match(", ", ", ", 0))"},
	{"!~*", "(NOT pg_match(", ", ", ", 1))"},
	{"~~", "pg_like(", ", ", ", 0)"},
	{"~~*", "pg_like(", ", ", ", 1)"},
	{"!~~", "(NOT pg_like(", ", ", ", 0))"},
	{"!~~*", "(NOT pg_like(", ", ", ", 1))"},
};

/* indisprimary = 'f': what is a truth value here is 0 or 1. */
static bool is_truth_column(const json_t *node)
{
	static const char *const beginnings[] = {"indis",  "attis", "atthas",     "attnotnull",
						 "relhas", "relis", "typnotnull", "rolsuper",
						 "rolcan", "datis", "datallow",   "condefer"};
	const char *name =
		sotto_sql_node_last_name(member(member(node, "ColumnRef"), "fields"));

	for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

static bool is_text_constant(const json_t *node)
{
	return member(member(node, "A_Const"), "sval") != NULL;
}

static void print_operator(struct sotto_catalog_printer *p, const json_t *body)
{
	const char *name = sotto_sql_node_last_name(member(body, "name"));
	const json_t *left = member(body, "lexpr"), *right = member(body, "rexpr");

	if (!left && (strcmp(name, "-") == 0 || strcmp(name, "+") == 0)) {
		sotto_catalog_put(p, "(%s ", name);
		sotto_catalog_print_expr(p, right);
		sotto_catalog_put(p, ")");
		return;
	}
	if (left && is_truth_column(left) && is_text_constant(right)) {
		print_pair(p, body, "(",
			   strcmp(name, "=") == 0 ? " = pg_bool(" : " <> pg_bool(", "))");
		return;
	}
	for (size_t i = 0; left && i < sizeof operators / sizeof operators[0]; i++)
		if (strcmp(operators[i].name, name) == 0) {
			print_pair(p, body, operators[i].before, operators[i].between,
				   operators[i].behind);
			return;
		}
	sotto_catalog_refuse(p, name);
}

/* x IN (list), x = ANY (ARRAY[list]): as lists; x = ANY (array) asks a function. */
static void print_in(struct sotto_catalog_printer *p, const json_t *body, bool negated)
{
	const json_t *right = member(body, "rexpr"),
		     *items = member(member(right, "A_ArrayExpr"), "elements");

	if (json_object_get(right, "List"))
		items = member(member(right, "List"), "items");
	if (!items) {
		print_pair(p, body, negated ? "(NOT pg_in_array(" : "(pg_in_array(", ", ",
			   "))");
		return;
	}
	sotto_catalog_put(p, "(");
	sotto_catalog_print_expr(p, member(body, "lexpr"));
	sotto_catalog_put(p, negated ? " NOT IN (" : " IN (");
	sotto_catalog_print_list(p, items);
	sotto_catalog_put(p, "))");
}

static void print_between(struct sotto_catalog_printer *p, const json_t *body, bool negated)
{
	const json_t *ends = member(member(member(body, "rexpr"), "List"), "items");

	sotto_catalog_put(p, "(");
	sotto_catalog_print_expr(p, member(body, "lexpr"));
	sotto_catalog_put(p, negated ? " NOT BETWEEN " : " BETWEEN ");
	sotto_catalog_print_expr(p, json_array_get(ends, 0));
	sotto_catalog_put(p, " AND ");
	sotto_catalog_print_expr(p, json_array_get(ends, 1));
	sotto_catalog_put(p, ")");
}

static void print_a_expr(struct sotto_catalog_printer *p, const json_t *body)
{
	const char *kind = sotto_sql_node_word(body, "kind"),
		   *name = sotto_sql_node_last_name(member(body, "name"));
	bool is_equal = strcmp(name, "=") == 0;

	if (strcmp(kind, "AEXPR_OP") == 0 || strcmp(kind, "AEXPR_LIKE") == 0 ||
	    strcmp(kind, "AEXPR_ILIKE") == 0)
		print_operator(p, body);
	else if (strcmp(kind, "AEXPR_IN") == 0)
		print_in(p, body, !is_equal);
	else if (strcmp(kind, "AEXPR_OP_ANY") == 0 && is_equal)
		print_in(p, body, false);
	else if (strcmp(kind, "AEXPR_OP_ALL") == 0 && strcmp(name, "<>") == 0)
		print_in(p, body, true);
	else if (strcmp(kind, "AEXPR_DISTINCT") == 0)
		print_pair(p, body, "(", " IS NOT ", ")");
	else if (strcmp(kind, "AEXPR_NOT_DISTINCT") == 0)
		print_pair(p, body, "(", " IS ", ")");
	else if (strcmp(kind, "AEXPR_NULLIF") == 0)
		print_pair(p, body, "nullif(", ", ", ")");
	else if (strcmp(kind, "AEXPR_BETWEEN") == 0)
		print_between(p, body, false);
	else if (strcmp(kind, "AEXPR_NOT_BETWEEN") == 0)
		print_between(p, body, true);
	else
		sotto_catalog_refuse(p, name);
}

static void print_bool(struct sotto_catalog_printer *p, const json_t *body)
{
	const char *kind = sotto_sql_node_word(body, "boolop");
	const json_t *args = member(body, "args");

	sotto_catalog_put(p, strcmp(kind, "NOT_EXPR") == 0 ? "(NOT " : "(");
	for (size_t i = 0; i < json_array_size(args); i++) {
		sotto_catalog_put(p, i == 0                          ? ""
				     : strcmp(kind, "AND_EXPR") == 0 ? " AND "
								     : " OR ");
		sotto_catalog_print_expr(p, json_array_get(args, i));
	}
	sotto_catalog_put(p, ")");
}

static void print_null_test(struct sotto_catalog_printer *p, const json_t *body)
{
	bool is_null = strcmp(sotto_sql_node_word(body, "nulltesttype"), "IS_NULL") == 0;

	sotto_catalog_put(p, "(");
	sotto_catalog_print_expr(p, member(body, "arg"));
	sotto_catalog_put(p, is_null ? " IS NULL)" : " IS NOT NULL)");
}

static void print_truth_test(struct sotto_catalog_printer *p, const json_t *body)
{
	static const char *const words[][2] = {
		{"IS_TRUE", " IS TRUE)"},    {"IS_NOT_TRUE", " IS NOT TRUE)"},
		{"IS_FALSE", " IS FALSE)"},  {"IS_NOT_FALSE", " IS NOT FALSE)"},
		{"IS_UNKNOWN", " IS NULL)"}, {"IS_NOT_UNKNOWN", " IS NOT NULL)"}};
	const char *kind = sotto_sql_node_word(body, "booltesttype");

	sotto_catalog_put(p, "(");
	sotto_catalog_print_expr(p, member(body, "arg"));
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i][0], kind) == 0)
			sotto_catalog_put(p, "%s", words[i][1]);
}

/* ---- calls, CASE, subqueries ------------------------------------------------------------------- */

static void print_window(struct sotto_catalog_printer *p, const json_t *over)
{
	const json_t *parts = member(over, "partitionClause"),
		     *orders = member(over, "orderClause");

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
	const char *name = sotto_sql_node_last_name(member(body, "funcname"));
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
		sotto_catalog_print_list(p, member(body, "args"));
	sotto_catalog_put(p, ")");
	if (member(body, "agg_filter")) {
		sotto_catalog_put(p, " FILTER (WHERE ");
		sotto_catalog_print_expr(p, member(body, "agg_filter"));
		sotto_catalog_put(p, ")");
	}
	if (member(body, "over"))
		print_window(p, member(body, "over"));
}

static void print_case(struct sotto_catalog_printer *p, const json_t *body)
{
	const json_t *whens = member(body, "args");

	sotto_catalog_put(p, "(CASE ");
	if (member(body, "arg"))
		sotto_catalog_print_expr(p, member(body, "arg"));
	for (size_t i = 0; i < json_array_size(whens); i++) {
		const json_t *when = member(json_array_get(whens, i), "CaseWhen");

		sotto_catalog_put(p, " WHEN ");
		sotto_catalog_print_expr(p, member(when, "expr"));
		sotto_catalog_put(p, " THEN ");
		sotto_catalog_print_expr(p, member(when, "result"));
	}
	if (member(body, "defresult")) {
		sotto_catalog_put(p, " ELSE ");
		sotto_catalog_print_expr(p, member(body, "defresult"));
	}
	sotto_catalog_put(p, " END)");
}

static void print_sublink(struct sotto_catalog_printer *p, const json_t *body)
{
	const char *kind = sotto_sql_node_word(body, "subLinkType");
	const json_t *select = member(member(body, "subselect"), "SelectStmt");
	bool is_array = strcmp(kind, "ARRAY_SUBLINK") == 0;

	if (strcmp(kind, "EXISTS_SUBLINK") == 0) {
		sotto_catalog_put(p, "EXISTS (");
	} else if (strcmp(kind, "ANY_SUBLINK") == 0 && !member(body, "operName")) {
		sotto_catalog_put(p, "(");
		sotto_catalog_print_expr(p, member(body, "testexpr"));
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
	bool alone = json_array_size(member(body, "args")) == 1;

	sotto_catalog_put(p, "coalesce(");
	sotto_catalog_print_list(p, member(body, "args"));
	sotto_catalog_put(p, alone ? ", NULL)" : ")");
}

static void print_min_max(struct sotto_catalog_printer *p, const json_t *body)
{
	bool is_most = strcmp(sotto_sql_node_word(body, "op"), "IS_GREATEST") == 0;

	sotto_catalog_put(p, is_most ? "max(" : "min(");
	sotto_catalog_print_list(p, member(body, "args"));
	sotto_catalog_put(p, json_array_size(member(body, "args")) == 1 ? ", NULL)" : ")");
}

static void print_array(struct sotto_catalog_printer *p, const json_t *body)
{
	sotto_catalog_put(p, "pg_array(");
	sotto_catalog_print_list(p, member(body, "elements"));
	sotto_catalog_put(p, ")");
}

static void print_collated(struct sotto_catalog_printer *p, const json_t *body)
{
	sotto_catalog_print_expr(p, member(body, "arg"));
}

/* array[i]; (row).field, which only things have that are not here: NULL. */
static void print_indirection(struct sotto_catalog_printer *p, const json_t *body)
{
	const json_t *first = json_array_get(member(body, "indirection"), 0),
		     *index = member(first, "A_Indices");

	if (!index) {
		sotto_catalog_put(p, "NULL");
		return;
	}
	if (sotto_sql_node_true(index, "is_slice")) {
		sotto_catalog_refuse(p, "a slice of an array");
		return;
	}
	sotto_catalog_put(p, "pg_array_at(");
	sotto_catalog_print_expr(p, member(body, "arg"));
	sotto_catalog_put(p, ", ");
	sotto_catalog_print_expr(p, member(index, "uidx"));
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
		{"TypeCast", print_cast},
		{"A_Expr", print_a_expr},
		{"BoolExpr", print_bool},
		{"NullTest", print_null_test},
		{"BooleanTest", print_truth_test},
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

/* ---- types and names ------------------------------------------------------------------------------ */

static enum sotto_pg_type constant_type(const json_t *body)
{
	return member(body, "boolval") ? SOTTO_PG_BOOL
	       : member(body, "ival")  ? SOTTO_PG_INT4
	       : member(body, "fval")  ? SOTTO_PG_FLOAT8
				       : SOTTO_PG_TEXT;
}

static enum sotto_pg_type operator_type(const json_t *body)
{
	const char *name = sotto_sql_node_last_name(member(body, "name"));
	enum sotto_pg_type left = sotto_catalog_type_of(member(body, "lexpr"));

	if (strcmp(sotto_sql_node_word(body, "kind"), "AEXPR_NULLIF") == 0)
		return left;
	if (strcmp(name, "||") == 0)
		return SOTTO_PG_TEXT;
	if (strlen(name) == 1 && strchr("+-*/%&|", *name))
		return left == SOTTO_PG_FLOAT8 ? left : SOTTO_PG_INT8;
	return SOTTO_PG_BOOL;
}

static enum sotto_pg_type case_type(const json_t *body)
{
	const json_t *whens = member(body, "args");
	enum sotto_pg_type type = sotto_catalog_type_of(member(body, "defresult"));

	for (size_t i = 0; i < json_array_size(whens); i++) {
		const json_t *result =
			member(member(json_array_get(whens, i), "CaseWhen"), "result");

		if (!sotto_sql_node_true(member(result, "A_Const"), "isnull"))
			return sotto_catalog_type_of(result);
	}
	return type;
}

enum sotto_pg_type sotto_catalog_type_of(const json_t *node)
{
	const char *kind = sotto_sql_node_type(node);
	const json_t *body = sotto_sql_node_body(node);
	enum sotto_pg_type type = SOTTO_PG_ANY;

	if (strcmp(kind, "TypeCast") == 0)
		return cast_type(body);
	if (strcmp(kind, "A_Const") == 0)
		return constant_type(body);
	if (strcmp(kind, "A_Expr") == 0)
		return operator_type(body);
	if (strcmp(kind, "BoolExpr") == 0 || strcmp(kind, "NullTest") == 0 ||
	    strcmp(kind, "BooleanTest") == 0)
		return SOTTO_PG_BOOL;
	if (strcmp(kind, "CaseExpr") == 0)
		return case_type(body);
	if (strcmp(kind, "CoalesceExpr") == 0 || strcmp(kind, "MinMaxExpr") == 0)
		return sotto_catalog_type_of(json_array_get(member(body, "args"), 0));
	if (strcmp(kind, "A_ArrayExpr") == 0)
		return SOTTO_PG_TEXT_ARRAY;
	if (strcmp(kind, "CollateClause") == 0)
		return sotto_catalog_type_of(member(body, "arg"));
	if (strcmp(kind, "FuncCall") == 0)
		(void)sotto_catalog_function(sotto_sql_node_last_name(member(body, "funcname")),
					     &type);
	if (strcmp(kind, "SubLink") == 0) {
		const char *link = sotto_sql_node_word(body, "subLinkType");
		const json_t *targets =
			member(member(member(body, "subselect"), "SelectStmt"), "targetList");

		type = strcmp(link, "ARRAY_SUBLINK") == 0 ? SOTTO_PG_TEXT_ARRAY
		       : strcmp(link, "EXPR_SUBLINK") == 0
			       ? sotto_catalog_type_of(
					 member(member(json_array_get(targets, 0), "ResTarget"),
						"val"))
			       : SOTTO_PG_BOOL;
	}
	return type;
}

const char *sotto_catalog_column_name(const json_t *node)
{
	const char *kind = sotto_sql_node_type(node), *name = "";
	const json_t *body = sotto_sql_node_body(node);

	if (strcmp(kind, "ColumnRef") == 0)
		name = sotto_sql_node_last_name(member(body, "fields"));
	else if (strcmp(kind, "FuncCall") == 0)
		name = sotto_sql_node_last_name(member(body, "funcname"));
	else if (strcmp(kind, "CaseExpr") == 0)
		name = "case";
	else if (strcmp(kind, "CoalesceExpr") == 0)
		name = "coalesce";
	else if (strcmp(kind, "SQLValueFunction") == 0)
		name = strstr(sotto_sql_node_word(body, "op"), "USER") ? "current_user"
								       : "current_catalog";
	else if (strcmp(kind, "CollateClause") == 0)
		name = sotto_catalog_column_name(member(body, "arg"));
	else if (strcmp(kind, "TypeCast") == 0) {
		name = sotto_catalog_column_name(member(body, "arg"));
		if (strcmp(name, "?column?") == 0)
			name = sotto_sql_node_last_name(
				member(member(body, "typeName"), "names"));
	}
	return *name ? name : "?column?";
}
