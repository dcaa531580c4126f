/* FROM, printed for SQLite. */
#include <string.h>

#include "central/parse/pg_node.h"
#include "server/catalog/catalog_inside.h"

static bool is_cte(const struct sotto_catalog_printer *p, const char *name)
{
	for (size_t i = 0; i < p->cte_count; i++)
		for (size_t k = 0; k < json_array_size(p->ctes[i]); k++)
			if (strcmp(sotto_sql_node_word(
					   json_object_get(json_array_get(p->ctes[i], k),
							   "CommonTableExpr"),
					   "ctename"),
				   name) == 0)
				return true;
	return false;
}

static const char *alias_of(const json_t *body)
{
	return sotto_sql_node_word(json_object_get(body, "alias"), "aliasname");
}

static void print_alias(struct sotto_catalog_printer *p, const char *name)
{
	if (*name) {
		sotto_catalog_put(p, " AS ");
		sotto_catalog_put_name(p, name);
	}
}

static void print_table(struct sotto_catalog_printer *p, const json_t *body)
{
	const char *schema = sotto_sql_node_word(body, "schemaname"),
		   *name = sotto_sql_node_word(body, "relname"), *alias = alias_of(body);

	if (!*schema && is_cte(p, name)) {
		sotto_catalog_put_name(p, name);
		print_alias(p, alias);
		return;
	}
	if (!sotto_catalog_has(schema, name)) {
		sotto_catalog_refuse(p, name);
		return;
	}
	sotto_catalog_put(p, "\"%s %s\"", *schema ? schema : "pg_catalog", name);
	print_alias(p, *alias ? alias : name);
}

/* (q) AS t(a, b): SQLite gives names to columns in WITH only. */
static void print_subselect(struct sotto_catalog_printer *p, const json_t *body)
{
	const json_t *names = json_object_get(json_object_get(body, "alias"), "colnames");

	sotto_catalog_put(p, "(");
	for (size_t i = 0; i < json_array_size(names); i++) {
		sotto_catalog_put(p, i ? ", " : "WITH \"named\"(");
		sotto_catalog_put_name(p, sotto_sql_node_string(json_array_get(names, i)));
	}
	sotto_catalog_put(p, names ? ") AS (" : "");
	sotto_catalog_print_select(
		p, json_object_get(json_object_get(body, "subquery"), "SelectStmt"), false);
	sotto_catalog_put(p, names ? ") SELECT * FROM \"named\")" : ")");
	print_alias(p, alias_of(body));
}

/* ---- functions that give rows ------------------------------------------------------------------ */

static void print_series(struct sotto_catalog_printer *p, const json_t *args)
{
	if (json_array_size(args) != 2) {
		sotto_catalog_refuse(p, "generate_series with a step");
		return;
	}
	sotto_catalog_put(p, "SELECT value FROM json_each(pg_series(");
	sotto_catalog_print_list(p, args);
	sotto_catalog_put(p, "))");
}

/* False if the function gives one row like any other. */
static bool print_rows_of(struct sotto_catalog_printer *p, const char *name, const json_t *args)
{
	if (strcmp(name, "generate_series") == 0) {
		print_series(p, args);
	} else if (strcmp(name, "unnest") == 0) {
		sotto_catalog_put(p, "SELECT value FROM json_each(pg_array_json(");
		sotto_catalog_print_list(p, args);
		sotto_catalog_put(p, "))");
	} else if (strcmp(name, "pg_get_keywords") == 0) {
		sotto_catalog_put(p, "SELECT word FROM \"pg_catalog pg_keywords\"");
	} else {
		return false;
	}
	return true;
}

/* The column is called by the alias's column, else by the alias, else by the function. */
static void print_function(struct sotto_catalog_printer *p, const json_t *body)
{
	const json_t *item = json_array_get(json_object_get(body, "functions"), 0);
	const json_t *node =
		json_array_get(json_object_get(sotto_sql_node_body(item), "items"), 0);
	const json_t *call = json_object_get(node, "FuncCall");
	const json_t *names = json_object_get(json_object_get(body, "alias"), "colnames");
	const char *function = sotto_sql_node_last_name(json_object_get(call, "funcname")),
		   *alias = alias_of(body),
		   *column = names ? sotto_sql_node_string(json_array_get(names, 0))
			     : strcmp(function, "pg_get_keywords") == 0 ? "word"
			     : *alias                                   ? alias
									: function;

	if (!call || json_array_size(json_object_get(body, "functions")) != 1 ||
	    sotto_sql_node_true(body, "ordinality") || json_array_size(names) > 1) {
		sotto_catalog_refuse(p, "this function in FROM");
		return;
	}
	sotto_catalog_put(p, "(WITH \"rows\"(");
	sotto_catalog_put_name(p, column);
	sotto_catalog_put(p, ") AS (");
	if (!print_rows_of(p, function, json_object_get(call, "args"))) {
		sotto_catalog_put(p, "SELECT ");
		sotto_catalog_print_expr(p, node);
	}
	sotto_catalog_put(p, ") SELECT * FROM \"rows\")");
	print_alias(p, *alias ? alias : function);
}

/* ---- joins ---------------------------------------------------------------------------------- */

static void print_item(struct sotto_catalog_printer *p, const json_t *node);

static void print_join(struct sotto_catalog_printer *p, const json_t *body)
{
	static const char *const kinds[][2] = {{"JOIN_INNER", "JOIN"},
					       {"JOIN_LEFT", "LEFT JOIN"},
					       {"JOIN_RIGHT", "RIGHT JOIN"},
					       {"JOIN_FULL", "FULL JOIN"}};
	const char *kind = sotto_sql_node_word(body, "jointype"), *word = NULL;
	const json_t *names = json_object_get(body, "usingClause"),
		     *quals = json_object_get(body, "quals");

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(kinds[i][0], kind) == 0)
			word = kinds[i][1];
	if (!word || json_object_get(body, "alias")) {
		sotto_catalog_refuse(p, "this join");
		return;
	}
	print_item(p, json_object_get(body, "larg"));
	sotto_catalog_put(p, " %s%s ", sotto_sql_node_true(body, "isNatural") ? "NATURAL " : "",
			  word);
	if (json_object_get(json_object_get(body, "rarg"), "JoinExpr"))
		sotto_catalog_put(p, "(");
	print_item(p, json_object_get(body, "rarg"));
	if (json_object_get(json_object_get(body, "rarg"), "JoinExpr"))
		sotto_catalog_put(p, ")");
	for (size_t i = 0; i < json_array_size(names); i++) {
		sotto_catalog_put(p, i ? ", " : " USING (");
		sotto_catalog_put_name(p, sotto_sql_node_string(json_array_get(names, i)));
	}
	sotto_catalog_put(p, names ? ")" : "");
	if (quals) {
		sotto_catalog_put(p, " ON ");
		sotto_catalog_print_expr(p, quals);
	}
}

static void print_item(struct sotto_catalog_printer *p, const json_t *node)
{
	static const struct {
		const char *type;
		void (*print)(struct sotto_catalog_printer *, const json_t *);
	} kinds[] = {{"RangeVar", print_table},
		     {"RangeSubselect", print_subselect},
		     {"RangeFunction", print_function},
		     {"JoinExpr", print_join}};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(kinds[i].type, sotto_sql_node_type(node)) == 0) {
			if (p->status == SOTTO_OK)
				kinds[i].print(p, sotto_sql_node_body(node));
			return;
		}
	sotto_catalog_refuse(p, "this in FROM");
}

void sotto_catalog_print_from(struct sotto_catalog_printer *p, const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		sotto_catalog_put(p, i ? ", " : "");
		print_item(p, json_array_get(list, i));
	}
}
