/*
 * bind.h - expressions over rows: names resolved, types checked, made total
 *
 * Binding turns an analyst's expression into engine SQL that cannot raise an
 * error on any row (casts that try, divisors that are never zero, arithmetic
 * that cannot overflow), with its type, its range, and the finite set of public
 * values it takes if it has one.
 */
#ifndef SOTTO_BIND_H
#define SOTTO_BIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "central/parse/select_tree.h"
#include "central/parse/syntax_tree.h"
#include "central/plan/expression/row_work.h"
#include "central/plan/expression/value_range.h"
#include "sotto/status.h"

struct sotto_scope_column;
struct sotto_planner;
struct sotto_relation;
struct sotto_policy_table;
struct sotto_ctes;

/* A finite set of public values: an engine query with one column k. */
struct sotto_domain {
	const char *sql;
	int64_t size; /* at most this many; -1 if that is not known */
};

struct sotto_bound {
	const char *sql;
	const char *whole; /* of a text column: before it is cut to the length that counts */
	enum sotto_sql_type type;
	bool is_double; /* the engine's value is a DOUBLE, so it may be a NaN */
	bool nullable;
	bool is_unit; /* the privacy unit's own column */
	bool noisy; /* it depends on noisy values of a finished query */
	const struct sotto_sql_expr *literal; /* NULL if it is none */
	const struct sotto_rational *number; /* of a numeric literal */
	struct sotto_value_range range;
	const struct sotto_rational *step; /* declared grid of a column, or NULL */
	const struct sotto_domain *domain; /* NULL: unknown or infinite */
	const struct sotto_scope_column **columns; /* it depends on */
	size_t column_count;
	struct sotto_load load; /* what the engine does for it in one row */
};

/* The rows of a public relation: columns of it take their values together. */
struct sotto_public_rows {
	const char *sql; /* what stands in FROM */
	bool with_null; /* an outer join may put a row of NULLs beside them */
};

struct sotto_scope_column {
	const char *table, *name;
	const char *alias, *field; /* how the engine knows it: alias.field, both quoted */
	const char *whole_field; /* of a text: how it is called before it is cut, or NULL */
	const char *field_name; /* in the source of a table, not quoted */
	struct sotto_bound bound;
	const struct sotto_policy_table
		*source; /* the private table it is a column of, or NULL */
	struct sotto_public_rows *rows; /* NULL: the column of a private relation */
	const struct sotto_bound *inner; /* what a subquery computes it from, or NULL */
	bool hidden; /* merged by USING: reachable by its table's name only */
};

struct sotto_scope {
	struct sotto_scope_column **columns;
	size_t count;
};

struct sotto_binder {
	struct sotto_arena *arena;
	const char *text;
	struct sotto_error *err;
	const struct sotto_scope *scope;
	struct sotto_planner *planner; /* for subqueries; NULL: there are none */
	const struct sotto_ctes *ctes;
	const struct sotto_scope *outer; /* of the query around a subquery, or NULL */
	const struct sotto_scope *correlated; /* the same, where its columns may be read */
	const struct sotto_relation *from; /* private rows that are read one by one, or NULL */
	bool *finished; /* set where a finished query is read; NULL: that is not allowed */
	bool aggregates; /* allowed: over public tables only */
	bool windows; /* window functions are allowed */
	const char *unit; /* by which windows over private rows must be divided; NULL: public */
	int64_t most_rows; /* of a unit that count */
	struct sotto_loads *below; /* of the expression being bound */
	bool lazy; /* what is bound is computed only where something reads it */
};

SOTTO_MUST_CHECK enum sotto_status
sotto_bind(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out);

/* What is added up: a truth value is 0 or 1. */
SOTTO_MUST_CHECK enum sotto_status sotto_bind_summand(struct sotto_binder *b,
						      const struct sotto_sql_expr *e,
						      struct sotto_bound *out);

/* A condition: boolean, NULL counts as false for whoever filters by it. */
SOTTO_MUST_CHECK enum sotto_status sotto_bind_condition(struct sotto_binder *b,
							const struct sotto_sql_expr *e,
							struct sotto_bound *out);

/* True if the name means a column of the scope. */
bool sotto_scope_has(const struct sotto_scope *scope, const struct sotto_sql_expr *e);

/* ---- for the files of binding ------------------------------------------------- */

/* x as engine SQL of the type, total.  Fails: SOTTO_EREFUSED if no such cast makes sense. */
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_as(struct sotto_binder *b, const struct sotto_sql_expr *e,
	      const struct sotto_bound *x, enum sotto_sql_type type, const char **out);

/*
 * A text of a table as a number, date or truth value.  One that is longer than any of them
 * is none: reading it would take as long as somebody likes to write, and behind a join
 * once for each row that the join makes.
 */
const char *sotto_bind_read(struct sotto_arena *a, const char *text, enum sotto_sql_type type);

/* Does it depend on a column of a private table? */
bool sotto_bound_is_private(const struct sotto_bound *x);

/*
 * A date that is cast: NULL if it is outside of what a timestamp can be, where the engine
 * takes a hundred times as long.  Anything else stays as it is.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_near(struct sotto_binder *b, const struct sotto_bound *x, const char **out);

/* A date or timestamp within years 1 to 9999, NULL outside: safe for every date function. */
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_temporal(struct sotto_binder *b, const struct sotto_sql_expr *e,
		    const struct sotto_bound *x, const char **out);

/* A date moved by an interval, which is one side of e; or by a number of days. */
bool sotto_expr_is_interval(const struct sotto_sql_expr *e);
SOTTO_MUST_CHECK enum sotto_status sotto_bind_interval(struct sotto_binder *b,
						       const struct sotto_sql_expr *e,
						       struct sotto_bound *out);
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_days(struct sotto_binder *b, const struct sotto_sql_expr *e,
		const struct sotto_bound *date, const struct sotto_bound *days,
		struct sotto_bound *out);

/* The type that two values are compared or merged in.  Fails: SOTTO_EREFUSED. */
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_common(struct sotto_binder *b, const struct sotto_sql_expr *e,
		  const struct sotto_bound *x, const struct sotto_bound *y,
		  enum sotto_sql_type *out);

/* out depends on what x depends on, and is NULL where x may be. */
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_depend(struct sotto_binder *b, struct sotto_bound *out, const struct sotto_bound *x);

SOTTO_MUST_CHECK enum sotto_status sotto_bind_operator(struct sotto_binder *b,
						       const struct sotto_sql_expr *e,
						       struct sotto_bound *out);
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_in(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out);
SOTTO_MUST_CHECK enum sotto_status sotto_bind_subquery(struct sotto_binder *b,
						       const struct sotto_sql_expr *e,
						       struct sotto_bound *out);
SOTTO_MUST_CHECK enum sotto_status sotto_bind_case(struct sotto_binder *b,
						   const struct sotto_sql_expr *e,
						   struct sotto_bound *out);
SOTTO_MUST_CHECK enum sotto_status sotto_bind_merged(struct sotto_binder *b,
						     const struct sotto_sql_expr *e,
						     struct sotto_bound *out);
SOTTO_MUST_CHECK enum sotto_status sotto_bind_window(struct sotto_binder *b,
						     const struct sotto_sql_expr *e,
						     struct sotto_bound *out);
SOTTO_MUST_CHECK enum sotto_status sotto_bind_call(struct sotto_binder *b,
						   const struct sotto_sql_expr *e,
						   struct sotto_bound *out);

/* The template with the texts put in; fails with SOTTO_ERANGE when it grows too long. */
SOTTO_MUST_CHECK enum sotto_status sotto_bind_print(struct sotto_binder *b, const char **out,
						    const char *template,
						    const char *const *args, size_t count);

/* The texts with a mark between them; fails as _print does. */
SOTTO_MUST_CHECK enum sotto_status sotto_bind_join(struct sotto_binder *b, const char **out,
						   const char *mark, const char *const *texts,
						   size_t count);

__attribute__((format(printf, 3, 4))) enum sotto_status
sotto_bind_refuse(struct sotto_binder *b, const struct sotto_sql_expr *e, const char *format,
		  ...);

/* A number as engine SQL: a whole one as it is, any other as a DOUBLE. */
const char *
sotto_bind_number(struct sotto_arena *a, const struct sotto_rational *r, bool as_double);

/*
 * The reviewed functions, one after another: the name and its arguments, in the
 * letters of row_function.h.  NULL past the last.
 */
const char *sotto_bind_function(size_t i, const char **args);

/*
 * x as engine SQL in which equal values are identical: -0.0 is 0.0 and there is
 * one NaN, so that what a group shows is not what one of its rows wrote.  NULL
 * without memory.
 */
const char *sotto_bind_alike(struct sotto_arena *a, const struct sotto_bound *x);

#endif
