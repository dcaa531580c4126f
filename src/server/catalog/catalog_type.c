/*
 * Types of a question about the catalog: casts, what the form of an expression tells, and what
 * PostgreSQL calls a column that has no name.
 */
#include <string.h>

#include "central/parse/pg_node.h"
#include "server/catalog/catalog_inside.h"

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
	const json_t *type = json_object_get(cast, "typeName");
	const char *name = sotto_sql_node_last_name(json_object_get(type, "names"));

	if (json_object_get(type, "arrayBounds"))
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

void sotto_catalog_print_cast(struct sotto_catalog_printer *p, const json_t *body)
{
	const char *before, *behind;

	if (cast_type(body) == SOTTO_PG_ANY) {
		sotto_catalog_refuse(p, "a cast to this type");
		return;
	}
	cast_words(cast_type(body), sotto_catalog_type_of(json_object_get(body, "arg")),
		   &before, &behind);
	sotto_catalog_put(p, "%s", before);
	sotto_catalog_print_expr(p, json_object_get(body, "arg"));
	sotto_catalog_put(p, "%s", behind);
}

/* ---- types and names ------------------------------------------------------------------------------ */

static enum sotto_pg_type constant_type(const json_t *body)
{
	return json_object_get(body, "boolval") ? SOTTO_PG_BOOL
	       : json_object_get(body, "ival")  ? SOTTO_PG_INT4
	       : json_object_get(body, "fval")  ? SOTTO_PG_FLOAT8
						: SOTTO_PG_TEXT;
}

static enum sotto_pg_type operator_type(const json_t *body)
{
	const char *name = sotto_sql_node_last_name(json_object_get(body, "name"));
	enum sotto_pg_type left = sotto_catalog_type_of(json_object_get(body, "lexpr"));

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
	const json_t *whens = json_object_get(body, "args");
	enum sotto_pg_type type = sotto_catalog_type_of(json_object_get(body, "defresult"));

	for (size_t i = 0; i < json_array_size(whens); i++) {
		const json_t *result = json_object_get(
			json_object_get(json_array_get(whens, i), "CaseWhen"), "result");

		if (!sotto_sql_node_true(json_object_get(result, "A_Const"), "isnull"))
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
		return sotto_catalog_type_of(json_array_get(json_object_get(body, "args"), 0));
	if (strcmp(kind, "A_ArrayExpr") == 0)
		return SOTTO_PG_TEXT_ARRAY;
	if (strcmp(kind, "CollateClause") == 0)
		return sotto_catalog_type_of(json_object_get(body, "arg"));
	if (strcmp(kind, "FuncCall") == 0)
		(void)sotto_catalog_function(
			sotto_sql_node_last_name(json_object_get(body, "funcname")), &type);
	if (strcmp(kind, "SubLink") == 0) {
		const char *link = sotto_sql_node_word(body, "subLinkType");
		const json_t *targets = json_object_get(
			json_object_get(json_object_get(body, "subselect"), "SelectStmt"),
			"targetList");

		type = strcmp(link, "ARRAY_SUBLINK") == 0 ? SOTTO_PG_TEXT_ARRAY
		       : strcmp(link, "EXPR_SUBLINK") == 0
			       ? sotto_catalog_type_of(json_object_get(
					 json_object_get(json_array_get(targets, 0),
							 "ResTarget"),
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
		name = sotto_sql_node_last_name(json_object_get(body, "fields"));
	else if (strcmp(kind, "FuncCall") == 0)
		name = sotto_sql_node_last_name(json_object_get(body, "funcname"));
	else if (strcmp(kind, "CaseExpr") == 0)
		name = "case";
	else if (strcmp(kind, "CoalesceExpr") == 0)
		name = "coalesce";
	else if (strcmp(kind, "SQLValueFunction") == 0)
		name = strstr(sotto_sql_node_word(body, "op"), "USER") ? "current_user"
								       : "current_catalog";
	else if (strcmp(kind, "CollateClause") == 0)
		name = sotto_catalog_column_name(json_object_get(body, "arg"));
	else if (strcmp(kind, "TypeCast") == 0) {
		name = sotto_catalog_column_name(json_object_get(body, "arg"));
		if (strcmp(name, "?column?") == 0)
			name = sotto_sql_node_last_name(
				json_object_get(json_object_get(body, "typeName"), "names"));
	}
	return *name ? name : "?column?";
}
