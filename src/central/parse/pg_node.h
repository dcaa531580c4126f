/*
 * pg_node.h - reading the parser's JSON tree
 *
 * Every node of that tree is an object with one member, whose name is the
 * node's type: {"ColumnRef": {...}}.  Fields that are zero or empty are absent.
 */
#ifndef SOTTO_PG_NODE_H
#define SOTTO_PG_NODE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "central/parse/select_tree.h"

struct sotto_sql_parser {
	struct sotto_arena *arena;
	const char *text;
	struct sotto_error *err;
	int depth;
	const struct sotto_bound_value *parameters; /* of $1, $2, … */
	size_t parameter_count;
};

/* The type name of a node ("" if it is none), and its fields. */
const char *sotto_sql_node_type(const json_t *node);
json_t *sotto_sql_node_body(const json_t *node);

/* A field that is a name or an enum's name ("" if absent); an integer; a truth value. */
const char *sotto_sql_node_word(const json_t *body, const char *field);
int sotto_sql_node_int(const json_t *body, const char *field, int otherwise);
bool sotto_sql_node_true(const json_t *body, const char *field);

/* The text of a {"String": {"sval": ...}} node; "" for any other. */
const char *sotto_sql_node_string(const json_t *node);

/* The last name of a list of strings: pg_catalog.count gives count. */
const char *sotto_sql_node_last_name(const json_t *list);

/* An expression that stands where the node does; NULL when the arena is full. */
struct sotto_sql_expr *
sotto_sql_parse_new(struct sotto_sql_parser *p, enum sotto_sql_kind kind, const json_t *body);

/* Calls and CASE: parse_call.c. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_case(struct sotto_sql_parser *p,
							const json_t *body,
							struct sotto_sql_expr **out);
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_call(struct sotto_sql_parser *p,
							const json_t *body,
							struct sotto_sql_expr **out);
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_coalesce(struct sotto_sql_parser *p,
							    const json_t *body,
							    struct sotto_sql_expr **out);
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_grouping(struct sotto_sql_parser *p,
							    const json_t *body,
							    struct sotto_sql_expr **out);
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_interval(struct sotto_sql_parser *p,
							    const json_t *body,
							    struct sotto_sql_expr **out);
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_min_max(struct sotto_sql_parser *p,
							   const json_t *body,
							   struct sotto_sql_expr **out);

/* Operators and comparisons: parse_compare.c. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_a_expr(struct sotto_sql_parser *p,
							  const json_t *body,
							  struct sotto_sql_expr **out);

/* e, or NOT e; fails with SOTTO_ENOMEM if e is NULL. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_negated(struct sotto_sql_parser *p, bool negate,
						     struct sotto_sql_expr *e,
						     struct sotto_sql_expr **out);

/* A call of another dialect becomes what it means here: function_synonym.c. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_translate(struct sotto_sql_parser *p, struct sotto_sql_expr *e);

/* The i-th word of another dialect, and the function that it means; NULL past the last. */
const char *sotto_sql_synonym(size_t i, const char **means);

/* SELECT: select_tree.c. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_select(struct sotto_sql_parser *p,
							  const json_t *body,
							  struct sotto_sql_select **out);

/* FROM, and lists of names: parse_from.c. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_from(struct sotto_sql_parser *p,
							const json_t *list,
							struct sotto_sql_from **out);
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_names(struct sotto_sql_parser *p,
							 const json_t *list, const char ***out,
							 size_t *count);

/* Rows written out, in VALUES or by a function in FROM (a RangeFunction): parse_values.c. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_values(struct sotto_sql_parser *p,
							  const json_t *lists,
							  struct sotto_sql_select **out);
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_rows(struct sotto_sql_parser *p,
							const json_t *body,
							struct sotto_sql_select **out);

/* GROUP BY: parse_group.c. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_groups(struct sotto_sql_parser *p,
							  const json_t *list,
							  struct sotto_sql_select *s);

/* ORDER BY; adds to what is there. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_parse_orders(struct sotto_sql_parser *p, const json_t *list,
		       struct sotto_sql_order **out, size_t *count);

/* Puts the values of parameters where they stand: parse_parameters.c. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_bind(const struct sotto_sql_parser *p, json_t *root);

/* Expressions: parse_expr.c. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_expr(struct sotto_sql_parser *p,
							const json_t *node,
							struct sotto_sql_expr **out);
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_parse_list(struct sotto_sql_parser *p, const json_t *list,
		     struct sotto_sql_expr ***out, size_t *count);

/* A whole number written as a constant (A_Const with ival). */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_parse_integer(struct sotto_sql_parser *p, const json_t *constant, long long *out);

#define SOTTO_SQL_NEED(pointer)                                                                \
	do {                                                                                   \
		if (!(pointer))                                                                \
			return SOTTO_ENOMEM;                                                   \
	} while (0)

#endif
