/*
 * syntax_tree.h - our own small SQL tree
 *
 * What the parser accepted, in far fewer shapes than PostgreSQL has: BETWEEN is
 * two comparisons, NOT IN is NOT over IN, every special syntax for a function
 * is a call.  The tree knows nothing of privacy; it lives in the arena it was
 * parsed into.  `at` is the byte in the query text that a refusal points to.
 */
#ifndef SOTTO_SYNTAX_TREE_H
#define SOTTO_SYNTAX_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "central/parse/value/sql_type.h"
#include "core/base/arena.h"

enum sotto_sql_kind {
	SOTTO_SQL_NULL,
	SOTTO_SQL_BOOL, /* truth */
	SOTTO_SQL_NUMBER, /* text: a decimal as written */
	SOTTO_SQL_TEXT, /* text */
	SOTTO_SQL_COLUMN, /* qualifier (or NULL) and text */
	SOTTO_SQL_STAR, /* qualifier (or NULL): only in a list of outputs, where args are the
			   columns that it leaves out, or COUNT(*) */
	SOTTO_SQL_CALL, /* text: lower-case name; args; distinct, filter, over, within */
	SOTTO_SQL_OP, /* op; one or two args */
	SOTTO_SQL_CASE, /* args: when, then, when, then, ..., else (odd count: has else) */
	SOTTO_SQL_IN, /* args: tested, item, item, ...; or tested alone, and select */
	SOTTO_SQL_SCALAR, /* select: a subquery of one row and column */
	SOTTO_SQL_EXISTS, /* select */
	SOTTO_SQL_CAST, /* args[0]; type */
	SOTTO_SQL_KEY, /* index: a group-by key of the plan */
	SOTTO_SQL_VALUE, /* index: an aggregate of the plan */
};

struct sotto_sql_select;
struct sotto_sql_window;

enum sotto_sql_op {
	SOTTO_SQL_ADD,
	SOTTO_SQL_SUBTRACT,
	SOTTO_SQL_MULTIPLY,
	SOTTO_SQL_DIVIDE,
	SOTTO_SQL_MODULO,
	SOTTO_SQL_NEGATE,
	SOTTO_SQL_CONCAT,
	SOTTO_SQL_EQ,
	SOTTO_SQL_NE,
	SOTTO_SQL_LT,
	SOTTO_SQL_LE,
	SOTTO_SQL_GT,
	SOTTO_SQL_GE,
	SOTTO_SQL_DISTINCT_FROM, /* IS DISTINCT FROM */
	SOTTO_SQL_AND,
	SOTTO_SQL_OR,
	SOTTO_SQL_NOT,
	SOTTO_SQL_IS_NULL,
	SOTTO_SQL_IS_TRUE,
	SOTTO_SQL_IS_FALSE,
	SOTTO_SQL_LIKE,
	SOTTO_SQL_ILIKE,
};

/* The same comparison from the other side: a < b is b > a. */
enum sotto_sql_op sotto_sql_op_mirrored(enum sotto_sql_op op);

enum sotto_sql_set {
	SOTTO_SQL_UNION,
	SOTTO_SQL_INTERSECT,
	SOTTO_SQL_EXCEPT,
};

/* After a name where others follow: no name has it, but one may have a dot. */
enum { SOTTO_SQL_DOT = 0x1f };

/* The call of a number and a unit that INTERVAL '3 months' becomes; nobody can write it (parse_call.c). */
#define SOTTO_SQL_INTERVAL "interval"

struct sotto_sql_expr {
	enum sotto_sql_kind kind;
	enum sotto_sql_op op;
	enum sotto_sql_type type; /* of a cast */
	bool zoned; /* a cast to a timestamp with a time zone */
	int at;
	bool truth;
	bool distinct;
	bool over; /* a window function: window says over what */
	bool within; /* WITHIN GROUP */
	bool descending; /* its ORDER BY */
	size_t index; /* in the plan; of a column that * stands for, its place if its name is not
			 enough */
	const char *text;
	const char
		*prefix; /* of a column: names before the last two, each with SOTTO_SQL_DOT */
	const char *qualifier;
	struct sotto_sql_expr **args;
	size_t count;
	double size; /* where parts of it are shared with others; 0: not counted yet */
	struct sotto_sql_expr *filter;
	const struct sotto_sql_expr *told; /* of an aggregate made for another one: the value
					      whose bounds people are told of, or NULL */
	struct sotto_sql_select *select; /* a subquery, or NULL */
	struct sotto_sql_window *window;
};

struct sotto_sql_output {
	struct sotto_sql_expr *expr;
	const char *name; /* AS name, or NULL */
};

struct sotto_sql_order {
	struct sotto_sql_expr *expr;
	bool descending;
	bool nulls_first;
};

/* ROWS BETWEEN x AND y: how many rows after this one; far: however many there are. */
struct sotto_sql_frame {
	bool given; /* not the usual frame */
	bool from_far, to_far;
	int64_t from, to; /* negative: before */
};

/* OVER (PARTITION BY ... ORDER BY ...). */
struct sotto_sql_window {
	struct sotto_sql_expr **parts;
	size_t part_count;
	struct sotto_sql_order *orders;
	size_t order_count;
	struct sotto_sql_frame frame;
};

enum sotto_sql_from_kind { SOTTO_SQL_TABLE, SOTTO_SQL_SUBQUERY, SOTTO_SQL_JOIN };
enum sotto_sql_join { SOTTO_SQL_INNER, SOTTO_SQL_LEFT, SOTTO_SQL_RIGHT, SOTTO_SQL_FULL };

struct sotto_sql_from {
	enum sotto_sql_from_kind kind;
	int at;
	const char *table;
	const char *alias; /* or NULL */
	const char **columns; /* names given with the alias: t(a, b) */
	size_t column_count;
	struct sotto_sql_select *select;
	enum sotto_sql_join join;
	struct sotto_sql_from *left, *right;
	struct sotto_sql_expr *on; /* NULL: cross join or USING */
	const char **using;
	size_t using_count;
	bool natural;
};

struct sotto_sql_cte {
	const char *name;
	const char **columns;
	size_t column_count;
	struct sotto_sql_select *select;
};

/* Keys that GROUP BY takes together; none: all rows are one group. */
struct sotto_sql_grouping {
	struct sotto_sql_expr **keys;
	size_t count;
};

struct sotto_sql_select {
	int at;
	struct sotto_sql_cte *ctes;
	size_t cte_count;
	struct sotto_sql_output *outputs;
	size_t output_count;
	bool distinct;
	struct sotto_sql_expr **distinct_on; /* DISTINCT ON (...): then distinct is false */
	size_t distinct_on_count;
	struct sotto_sql_from *from; /* NULL: none; several are cross joins */
	struct sotto_sql_expr *where;
	struct sotto_sql_expr **groups;
	size_t group_count;
	struct sotto_sql_grouping *sets; /* GROUPING SETS, ROLLUP, CUBE; then groups is empty */
	size_t set_count;
	struct sotto_sql_expr *having;
	struct sotto_sql_expr *qualify; /* a condition over windows, or NULL */
	struct sotto_sql_order *orders;
	size_t order_count;
	int64_t limit, offset; /* -1 and 0 when absent */
	struct sotto_sql_select *unite; /* put together with this one, or NULL */
	enum sotto_sql_set how; /* it is put together with those before it */
	bool all; /* equal rows stay apart */
};

/* Each returns NULL when the arena is full. */
struct sotto_sql_expr *
sotto_sql_expr_new(struct sotto_arena *a, enum sotto_sql_kind kind, int at);
struct sotto_sql_expr *sotto_sql_op_new(struct sotto_arena *a, enum sotto_sql_op op,
					struct sotto_sql_expr *left,
					struct sotto_sql_expr *right);
/* With a list of arguments of its own, which are still those of e. */
struct sotto_sql_expr *
sotto_sql_expr_copy(struct sotto_arena *a, const struct sotto_sql_expr *e);

/* SELECT * FROM (s), with s borrowed. */
struct sotto_sql_select *
sotto_sql_select_around(struct sotto_arena *a, struct sotto_sql_select *s);

/* Calls that are not functions of the list (row_function.h): each has a file that binds it. */
enum sotto_sql_form {
	SOTTO_SQL_FORM_NONE,
	SOTTO_SQL_FORM_COALESCE,
	SOTTO_SQL_FORM_GREATEST,
	SOTTO_SQL_FORM_LEAST,
	SOTTO_SQL_FORM_NULLIF,
	SOTTO_SQL_FORM_CLIP,
	SOTTO_SQL_FORM_CONCAT,
	SOTTO_SQL_FORM_CONCAT_WS,
	SOTTO_SQL_FORM_TIMEZONE,
};

enum sotto_sql_form sotto_sql_expr_form(const struct sotto_sql_expr *e);

/* COALESCE, GREATEST, LEAST or NULLIF: it gives one of its arguments, or NULL. */
bool sotto_sql_expr_chooses(const struct sotto_sql_expr *e);

/* Nodes of the tree, each as often as it stands in it. */
double sotto_sql_expr_size(const struct sotto_sql_expr *e);

/* True if there is a subquery in it. */
bool sotto_sql_expr_has_select(const struct sotto_sql_expr *e);

/*
 * An order of trees by form, so that terms that may be commuted have one order of their own.
 * 0 for equal trees, and where only what is in subqueries or windows differs.
 */
int sotto_sql_expr_compare(const struct sotto_sql_expr *x, const struct sotto_sql_expr *y);

/* The same meaning by form: equal trees, wherever they stand in the text. */
bool sotto_sql_expr_equal(const struct sotto_sql_expr *x, const struct sotto_sql_expr *y);

#endif
