/*
 * binder.h - a bound value, the columns in scope, and what binding shares
 */
#ifndef SOTTO_BINDER_H
#define SOTTO_BINDER_H

#include "central/parse/parse_query.h"
#include "central/parse/syntax_tree.h"
#include "central/expression/range/value_range.h"
#include "central/tree/engine_tree.h"
#include "core/base/name_index.h"
#include "sotto/status.h"

/* What the engine does for an expression in one row (row_work.h). */
struct sotto_load {
	double nodes; /* functions, operators and values */
	double work;
	double once; /* work before joins: the same however many rows they make */
	double length; /* characters, of a text; 0: something else */
};

struct sotto_scope_column;
struct sotto_planner;
struct sotto_relation;
struct sotto_policy_table;
struct sotto_ctes;

/* A finite set of public values: a query with one column k. */
struct sotto_domain {
	const struct sotto_rowset *rows;
	int64_t size; /* at most this many; -1 if that is not known */
	bool may_be_fewer; /* computed values may be equal, conditions leave some out */
	size_t longest; /* bytes of the longest of texts that are written out; 0: not known */
	size_t total; /* of all of them, as partials have them (merge/partial.h) */
};

/* What AT TIME ZONE makes of a timestamp depends on this. */
enum sotto_moment_kind {
	SOTTO_MOMENT_UNKNOWN,
	SOTTO_MOMENT_LOCAL, /* a timestamp without a time zone */
	SOTTO_MOMENT_ZONED, /* one with a time zone: a moment, which is read in UTC */
};

struct sotto_bound {
	const struct sotto_expression *value;
	const struct sotto_expression
		*whole; /* of a text column: before it is cut to the length that counts */
	enum sotto_sql_type type;
	bool is_double; /* the engine's value is a DOUBLE, so it may be a NaN */
	bool is_decimal; /* a number with `scale` digits after the point (decimal.md) */
	bool divides; /* whole, but of a type that divides to fractions: what floor() gives */
	bool is_rough; /* only near to that one, because it was computed */
	unsigned scale;
	unsigned digits; /* of a column that the engine has as a DECIMAL; 0: it has not */
	enum sotto_moment_kind moment; /* of a timestamp */
	bool nullable;
	bool is_length; /* of a text: its range is not a list of values that it may have */
	bool is_unit; /* the privacy unit's own column */
	bool is_place; /* of a row in its unit: 1, 2, ..., each once */
	int64_t places; /* of a condition: so many rows of a unit meet it at most; 0: not known */
	bool noisy; /* it depends on noisy values of a finished query */
	const struct sotto_expression *low, *high; /* between which it lies; NULL: not known */
	bool by_one; /* a count as it was released: noise moved it by a whole number */
	const struct sotto_expression *sure,
		*possible; /* of a condition (noisy_truth.h), or NULL */
	const struct sotto_sql_expr *literal; /* NULL if it is not a literal */
	const struct sotto_rational *number; /* of a numeric literal */
	struct sotto_value_range range;
	const struct sotto_rational *step; /* declared grid of a column, or NULL */
	const struct sotto_domain *domain; /* NULL: unknown or infinite */
	const struct sotto_scope_column **columns; /* it depends on */
	size_t column_count;
	struct sotto_load load; /* what the engine does for it in one row */
};

/* Conditions that hold in every row of a relation, each over its columns alone. */
struct sotto_conditions {
	struct sotto_bound *list;
	size_t count;
};

/* The rows of a public relation: columns of it take their values together. */
struct sotto_public_rows {
	const struct sotto_rowset *tree; /* what stands in FROM */
	bool with_null; /* an outer join may put a row of NULLs beside them */
};

struct sotto_scope_column {
	const char *table, *name;
	size_t place; /* among the outputs of a subquery, from 1; 0: of a table */
	const char *alias, *field; /* how the engine knows it: alias.field */
	const char *
		whole_field; /* how it is called in its source, where it is cut or read; or NULL */
	const char *field_name; /* in the source of a table, not quoted */
	struct sotto_bound bound;
	const struct sotto_policy_table
		*source; /* the private table it is a column of, or NULL */
	struct sotto_public_rows *rows; /* NULL: the column of a private relation */
	const struct sotto_bound *inner; /* what a subquery computes it from, or NULL */
	const struct sotto_conditions *met; /* by the rows that subquery reads, or NULL */
	bool hidden; /* merged by USING: reachable by its table's name only */
	bool is_merged; /* by USING of a full join: its value is that of two columns */
	const struct sotto_scope_column *same; /* by USING, in every row, or NULL */
	bool is_filled; /* sealing found a value in every row of its table, and no NaN */
};

struct sotto_scope {
	struct sotto_scope_column **columns;
	size_t count;
	struct sotto_name_index names; /* of the columns, at their places */
};

/* Appends a column, which has its name already.  False: memory ran out. */
bool sotto_scope_add(struct sotto_arena *a, struct sotto_scope *scope,
		     struct sotto_scope_column *column);

/* Follows a change of names.  False: memory ran out. */
bool sotto_scope_renamed(struct sotto_arena *a, struct sotto_scope *scope);

/* The places of the columns of a name, hidden ones too, as sotto_name_index_first and _after. */
size_t sotto_scope_first(const struct sotto_scope *scope, const char *name);
size_t sotto_scope_after(const struct sotto_scope *scope, size_t place);

/* True if the name means the column; one of the scope. */
bool sotto_scope_matches(const struct sotto_scope_column *c, const struct sotto_sql_expr *e);
bool sotto_scope_has(const struct sotto_scope *scope, const struct sotto_sql_expr *e);

/*
 * A private column without a type in the policy, where the question needs a value of one, or
 * (SOTTO_TYPE_TEXT) compares it with a date in quotes.
 */
struct sotto_untyped {
	const char *column;
	enum sotto_sql_type as;
};

/* What makes intervals of noisy columns hold together. */
struct sotto_joint {
	const struct sotto_expression *numbers; /* how many there are */
	const struct sotto_expression
		*factor; /* by which they are stretched; NULL in a row: not known */
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
	bool owned; /* the rows are private, with units or as units themselves */
	bool *finished; /* set where a finished query is read; NULL: that is not allowed */
	bool aggregates; /* allowed: over public tables only */
	bool grouped; /* what stands outside of them is the same in all rows of a group */
	const struct sotto_joint *together; /* all intervals of noisy columns hold with 95 %;
					       NULL: each does */
	const struct sotto_joint *joint; /* for what needs that; NULL: there is no noise */
	const struct sotto_bound
		*pick; /* rows that do not meet it do not count; NULL: all do */
	bool picks; /* noise decides which rows there are */
	bool windows; /* window functions are allowed */
	const struct sotto_expression
		*unit; /* by which windows over private rows must be divided; NULL: public */
	int64_t most_rows; /* of a unit that count */
	struct sotto_loads *below; /* of the expression being bound */
	bool rough; /* what is bound next is computed with, so it need not be settled */
	bool lazy; /* what is bound is computed only where something reads it */
	bool cut; /* of a text only what counts is read: windows tell rows apart by no more */
};

/* Is it a column of its scope, and nothing else? */
bool sotto_bound_is_column(const struct sotto_bound *x);

/* Does it depend on a column of a private table? */
bool sotto_bound_is_private(const struct sotto_bound *x);

/* out depends on what x depends on, and is NULL where x may be. */
SOTTO_MUST_CHECK enum sotto_status
sotto_bind_depend(struct sotto_binder *b, struct sotto_bound *out, const struct sotto_bound *x);

/* *out becomes what was made; NULL fails: the expression has grown too long. */
SOTTO_MUST_CHECK enum sotto_status sotto_bind_made(struct sotto_binder *b,
						   const struct sotto_expression **out,
						   const struct sotto_expression *made);

__attribute__((format(printf, 3, 4))) enum sotto_status
sotto_bind_refuse(struct sotto_binder *b, const struct sotto_sql_expr *e, const char *format,
		  ...);

#define SOTTO_NEED(pointer)                                                                    \
	do {                                                                                   \
		if (!(pointer))                                                                \
			return SOTTO_ENOMEM;                                                   \
	} while (0)

#endif
