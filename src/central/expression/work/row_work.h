/*
 * row_work.h - how much work the engine has with one row
 *
 * The engine puts the expressions of subqueries into each other, so what counts is an
 * expression with everything it reads written out.  Its work is an upper bound in
 * nanoseconds of an ordinary core, whatever the row holds: texts are as long as they
 * may be, and every character is a costly one.  Above the limits a query is refused
 * before anything is charged (sensitivity.md, 8).
 */
#ifndef SOTTO_ROW_WORK_H
#define SOTTO_ROW_WORK_H

#include <stdbool.h>
#include <stddef.h>

#include "central/expression/binder.h"
#include "sotto/status.h"

enum {
	SOTTO_WORK_MAX = 1000000, /* for one private row: a millisecond */
	SOTTO_NODES_MAX = 20000, /* of all expressions of a query */
	SOTTO_TEXT_MADE = 10000, /* characters of a text that an expression makes */
	SOTTO_TEXT_SHORT = 60, /* of a number, date or hash as a text, at most */
	SOTTO_LOAD_DECIMAL = 1700, /* nanoseconds to make a DOUBLE of a DECIMAL above 64 bits */
};

/* What was bound inside an expression. */
struct sotto_loaded {
	const struct sotto_expression *value, *whole;
	struct sotto_load load;
	bool literal, is_private;
};

struct sotto_loads {
	struct sotto_loaded *list;
	size_t count;
};

/* Sets out->load; where it is inside another expression, adds it to that one's list. */
SOTTO_MUST_CHECK enum sotto_status
sotto_load_measure(struct sotto_binder *b, const struct sotto_sql_expr *e,
		   const struct sotto_loads *below, struct sotto_bound *out);

/*
 * Adds an expression that the engine computes for every row to what the query does;
 * each once, however often the planner looks at it.
 *
 * Fails:    SOTTO_EREFUSED if the query is too large; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_load_count(struct sotto_binder *b,
						    const struct sotto_sql_expr *e,
						    const struct sotto_bound *x);

/* Says that the query has more than SOTTO_NODES_MAX nodes. */
enum sotto_status sotto_load_refuse(struct sotto_planner *p, int at);

/* Of something that is one or the other. */
struct sotto_load sotto_load_greatest(struct sotto_load x, struct sotto_load y);

/* The work of reading all columns of a scope, as a window that orders whole rows does. */
double sotto_load_row(const struct sotto_scope *scope);

/* The work of writing them all as texts, by which rows that an order leaves equal are told apart. */
double sotto_load_ties(const struct sotto_scope *scope);

/* Of a text that is read as a number, date or truth value (sotto_bind_read). */
double sotto_load_reading(enum sotto_sql_type type);

/*
 * Of a column that such a value is computed for below, in `once` nanoseconds if it is no text: the
 * operators that take as long as making it, and comparing it with another (sotto_expression_made).
 */
double sotto_load_making(const struct sotto_bound *x, double once);

/* Adds work that the expression being bound does besides what stands below it. */
SOTTO_MUST_CHECK enum sotto_status sotto_load_add(struct sotto_binder *b, double work);

/* What an expression does itself, without what was bound inside it: row_work_step.c. */
SOTTO_MUST_CHECK enum sotto_status
sotto_load_step(struct sotto_binder *b, const struct sotto_sql_expr *e,
		const struct sotto_loads *below, struct sotto_load *out);

#endif
