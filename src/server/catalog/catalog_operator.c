/*
 * Operators and comparisons of a question about the catalog, printed for SQLite.
 */
#include <string.h>

#include "central/parse/pg_node.h"
#include "server/catalog/catalog_inside.h"

/* ---- operators -------------------------------------------------------------------------------- */

static void print_pair(struct sotto_catalog_printer *p, const json_t *body, const char *before,
		       const char *between, const char *behind)
{
	sotto_catalog_put(p, "%s", before);
	sotto_catalog_print_expr(p, json_object_get(body, "lexpr"));
	sotto_catalog_put(p, "%s", between);
	sotto_catalog_print_expr(p, json_object_get(body, "rexpr"));
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
	const char *name = sotto_sql_node_last_name(
		json_object_get(json_object_get(node, "ColumnRef"), "fields"));

	for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

static bool is_text_constant(const json_t *node)
{
	return json_object_get(json_object_get(node, "A_Const"), "sval") != NULL;
}

static void print_operator(struct sotto_catalog_printer *p, const json_t *body)
{
	const char *name = sotto_sql_node_last_name(json_object_get(body, "name"));
	const json_t *left = json_object_get(body, "lexpr"),
		     *right = json_object_get(body, "rexpr");

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
	const json_t *right = json_object_get(body, "rexpr"),
		     *items =
			     json_object_get(json_object_get(right, "A_ArrayExpr"), "elements");

	if (json_object_get(right, "List"))
		items = json_object_get(json_object_get(right, "List"), "items");
	if (!items) {
		print_pair(p, body, negated ? "(NOT pg_in_array(" : "(pg_in_array(", ", ",
			   "))");
		return;
	}
	sotto_catalog_put(p, "(");
	sotto_catalog_print_expr(p, json_object_get(body, "lexpr"));
	sotto_catalog_put(p, negated ? " NOT IN (" : " IN (");
	sotto_catalog_print_list(p, items);
	sotto_catalog_put(p, "))");
}

static void print_between(struct sotto_catalog_printer *p, const json_t *body, bool negated)
{
	const json_t *ends = json_object_get(
		json_object_get(json_object_get(body, "rexpr"), "List"), "items");

	sotto_catalog_put(p, "(");
	sotto_catalog_print_expr(p, json_object_get(body, "lexpr"));
	sotto_catalog_put(p, negated ? " NOT BETWEEN " : " BETWEEN ");
	sotto_catalog_print_expr(p, json_array_get(ends, 0));
	sotto_catalog_put(p, " AND ");
	sotto_catalog_print_expr(p, json_array_get(ends, 1));
	sotto_catalog_put(p, ")");
}

void sotto_catalog_print_operator(struct sotto_catalog_printer *p, const json_t *body)
{
	const char *kind = sotto_sql_node_word(body, "kind"),
		   *name = sotto_sql_node_last_name(json_object_get(body, "name"));
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

void sotto_catalog_print_bool(struct sotto_catalog_printer *p, const json_t *body)
{
	const char *kind = sotto_sql_node_word(body, "boolop");
	const json_t *args = json_object_get(body, "args");

	sotto_catalog_put(p, strcmp(kind, "NOT_EXPR") == 0 ? "(NOT " : "(");
	for (size_t i = 0; i < json_array_size(args); i++) {
		sotto_catalog_put(p, i == 0                          ? ""
				     : strcmp(kind, "AND_EXPR") == 0 ? " AND "
								     : " OR ");
		sotto_catalog_print_expr(p, json_array_get(args, i));
	}
	sotto_catalog_put(p, ")");
}

void sotto_catalog_print_null_test(struct sotto_catalog_printer *p, const json_t *body)
{
	bool is_null = strcmp(sotto_sql_node_word(body, "nulltesttype"), "IS_NULL") == 0;

	sotto_catalog_put(p, "(");
	sotto_catalog_print_expr(p, json_object_get(body, "arg"));
	sotto_catalog_put(p, is_null ? " IS NULL)" : " IS NOT NULL)");
}

void sotto_catalog_print_truth_test(struct sotto_catalog_printer *p, const json_t *body)
{
	static const char *const words[][2] = {
		{"IS_TRUE", " IS TRUE)"},    {"IS_NOT_TRUE", " IS NOT TRUE)"},
		{"IS_FALSE", " IS FALSE)"},  {"IS_NOT_FALSE", " IS NOT FALSE)"},
		{"IS_UNKNOWN", " IS NULL)"}, {"IS_NOT_UNKNOWN", " IS NOT NULL)"}};
	const char *kind = sotto_sql_node_word(body, "booltesttype");

	sotto_catalog_put(p, "(");
	sotto_catalog_print_expr(p, json_object_get(body, "arg"));
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i][0], kind) == 0)
			sotto_catalog_put(p, "%s", words[i][1]);
}
