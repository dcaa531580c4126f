/*
 * parse.h - from the parser's JSON to our syntax tree: the functions that call each other
 *
 * Each parse_*.c reads one part of a statement; expressions hold subqueries and queries
 * hold expressions, so all of them are declared here.
 */
#ifndef SOTTO_PARSE_H
#define SOTTO_PARSE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "central/parse/pg_node.h"
#include "central/parse/syntax_tree.h"
#include "core/base/arena.h"
#include "sotto/status.h"

struct sotto_sql_parser {
	struct sotto_arena *arena;
	const char *text;
	struct sotto_error *err;
	int depth;
	const json_t *windows; /* that have names in this SELECT */
	struct sotto_sql_expr *half_joins; /* what semi and anti joins of this SELECT ask of a
					      row, or NULL */
	const struct sotto_bound_value *parameters; /* of $1, $2, … */
	size_t parameter_count;
};

/* An expression that stands where the node does; NULL when the arena is full. */
struct sotto_sql_expr *
sotto_sql_parse_new(struct sotto_sql_parser *p, enum sotto_sql_kind kind, const json_t *body);

/* CAST(x AS t), x::t. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_cast(struct sotto_sql_parser *p,
							const json_t *body,
							struct sotto_sql_expr **out);

/* Calls and CASE. */
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
/*
 * x ANTI JOIN y ON c, as the dialect marked it, is x, with NOT EXISTS (SELECT 1 FROM y WHERE c)
 * among what the SELECT asks of a row.
 */
bool sotto_sql_half_join_is(const json_t *join);
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_half_join(struct sotto_sql_parser *p, const json_t *join, struct sotto_sql_from *f);

/* The call interval(n, unit); a unit that is not known, or a number too large, is refused. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_new_interval(struct sotto_sql_parser *p, int at,
							  long n, const char *unit,
							  struct sotto_sql_expr **out);
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_interval(struct sotto_sql_parser *p,
							    const json_t *body,
							    struct sotto_sql_expr **out);
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_min_max(struct sotto_sql_parser *p,
							   const json_t *body,
							   struct sotto_sql_expr **out);

/* Operators and comparisons. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_a_expr(struct sotto_sql_parser *p,
							  const json_t *body,
							  struct sotto_sql_expr **out);

/* AND, OR and NOT. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_bool(struct sotto_sql_parser *p,
							const json_t *body,
							struct sotto_sql_expr **out);

/* e, or NOT e; fails with SOTTO_ENOMEM if e is NULL. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_negated(struct sotto_sql_parser *p, bool negate,
						     struct sotto_sql_expr *e,
						     struct sotto_sql_expr **out);

/* OVER (...) of a call. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_parse_over(struct sotto_sql_parser *p, const json_t *over, struct sotto_sql_expr *e);

/* The window of that name in a list of them; NULL: there is none. */
const json_t *sotto_sql_window_find(const json_t *windows, const char *name);

/* SELECT. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_select(struct sotto_sql_parser *p,
							  const json_t *body,
							  struct sotto_sql_select **out);

/* FROM, and lists of names. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_from(struct sotto_sql_parser *p,
							const json_t *list,
							struct sotto_sql_from **out);
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_names(struct sotto_sql_parser *p,
							 const json_t *list, const char ***out,
							 size_t *count);

/* Rows written out, in VALUES or by a function in FROM (a RangeFunction). */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_values(struct sotto_sql_parser *p,
							  const json_t *lists,
							  struct sotto_sql_select **out);
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_rows(struct sotto_sql_parser *p,
							const json_t *body,
							struct sotto_sql_select **out);

/* GROUP BY. */
SOTTO_MUST_CHECK enum sotto_status sotto_sql_parse_groups(struct sotto_sql_parser *p,
							  const json_t *list,
							  struct sotto_sql_select *s);

/* ORDER BY; adds to what is there. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_parse_orders(struct sotto_sql_parser *p, const json_t *list,
		       struct sotto_sql_order **out, size_t *count);

/* Puts the values of parameters where they stand. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_bind(const struct sotto_sql_parser *p, json_t *root);

/* Expressions. */
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
