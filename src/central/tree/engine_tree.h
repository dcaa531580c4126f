/*
 * engine_tree.h - the engine's query as trees of expressions and relations
 *
 * A node of an expression is an operation and its arguments; leaves are columns and
 * literals.  A relation is a table, a finished query, a list of values, a join, a union, or
 * a SELECT over any of them.  Nodes are never changed once made, so they are shared, and two
 * with the same structure are equal.  Whatever is asked of them is asked of the tree; only
 * emit/ makes SQL of it.
 *
 * Each function that makes a node returns NULL when the arena is full, or when a part that
 * must be there is NULL.
 */
#ifndef SOTTO_ENGINE_TREE_H
#define SOTTO_ENGINE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "central/parse/syntax_tree.h"
#include "central/parse/value/sql_type.h"
#include "central/tree/operation.h"
#include "core/base/arena.h"
#include "sotto/rational.h"

struct sotto_rowset;

/* ---- expressions -------------------------------------------------------------------------- */

struct sotto_expression {
	const struct sotto_operation *operation;
	const struct sotto_expression *const *args;
	size_t count;
	union { /* by the operation's form */
		struct {
			const char *alias,
				*name; /* alias may be NULL; name NULL: all of them */
		} column;
		const char *literal; /* the text, or the digits */
		enum sotto_sql_type cast;
		const struct sotto_rowset *query;
	} of;
	uint64_t hash;
	double length; /* in characters of SQL, about */
	double making; /* of its columns: see sotto_expression_made() */
	bool reads_private; /* a private table stands in one of its queries */
};

/* operation(args ...), for operations that have arguments only. */
const struct sotto_expression *
sotto_expression_make(struct sotto_arena *a, const struct sotto_operation *o,
		      const struct sotto_expression *const *args, size_t count);
#define SOTTO_APPLY(arena, name, ...)                                                          \
	sotto_expression_make((arena), sotto_operation(name),                                  \
			      (const struct sotto_expression *const[]){__VA_ARGS__},           \
			      sizeof((const struct sotto_expression *const[]){__VA_ARGS__}) /  \
				      sizeof(const struct sotto_expression *))

/* An operation without arguments, like TRUE. */
const struct sotto_expression *
sotto_expression_word(struct sotto_arena *a, enum sotto_operation_name name);

/* A cast that says its type. */
const struct sotto_expression *
sotto_expression_cast(struct sotto_arena *a, enum sotto_operation_name name,
		      const struct sotto_expression *x, enum sotto_sql_type type);

/* A text as a value of the type; NULL where it has more than the given number of bytes. */
const struct sotto_expression *sotto_expression_read(struct sotto_arena *a,
						     const struct sotto_expression *text,
						     long bytes, enum sotto_sql_type type);

/* A subquery; x is NULL where the operation takes no argument. */
const struct sotto_expression *
sotto_expression_query(struct sotto_arena *a, enum sotto_operation_name name,
		       const struct sotto_expression *x, const struct sotto_rowset *query);

/* alias.name; without an alias if that is NULL; and alias.*  Both texts are borrowed. */
const struct sotto_expression *
sotto_expression_column(struct sotto_arena *a, const char *alias, const char *name);
const struct sotto_expression *sotto_expression_star(struct sotto_arena *a, const char *alias);

/*
 * A column that something is computed for below: the engine puts that into whatever reads the
 * column, so it is computed as often as the column is read.  It has the weight of so many
 * operators (emit/expression_weight.h).
 */
const struct sotto_expression *sotto_expression_made(struct sotto_arena *a, const char *alias,
						     const char *name, double weight);

const struct sotto_expression *sotto_expression_text(struct sotto_arena *a, const char *text);
/* Digits with a point, as a DECIMAL of the engine. */
const struct sotto_expression *
sotto_expression_decimal(struct sotto_arena *a, const char *digits);
const struct sotto_expression *sotto_expression_whole(struct sotto_arena *a, long long n);
const struct sotto_expression *sotto_expression_count(struct sotto_arena *a, uint64_t n);

/* A number: a whole one as it is, any other, or if it is asked for, as a DOUBLE. */
const struct sotto_expression *
sotto_expression_number(struct sotto_arena *a, const struct sotto_rational *r, bool as_double);

/* All of them, with commas between. */
const struct sotto_expression *
sotto_expression_list(struct sotto_arena *a, const struct sotto_expression *const *items,
		      size_t count);

/* What a window is divided and ordered by. */
struct sotto_over {
	const struct sotto_expression **parts, **orders;
	size_t part_count, order_count;
	const struct sotto_expression *first, *last; /* ROWS BETWEEN, with orders; or NULL */
};

const struct sotto_expression *sotto_expression_over(struct sotto_arena *a,
						     const struct sotto_expression *call,
						     const struct sotto_over *over);

bool sotto_expression_equal(const struct sotto_expression *x, const struct sotto_expression *y);

/* Does a column stand in it, or a query, which may read any? */
bool sotto_expression_reads_column(const struct sotto_expression *e);

/* The same with `to` wherever `from` stood. */
const struct sotto_expression *sotto_expression_replace(struct sotto_arena *a,
							const struct sotto_expression *e,
							const struct sotto_expression *from,
							const struct sotto_expression *to);

/* More bytes taken into a hash. */
uint64_t sotto_expression_hash(uint64_t hash, const void *bytes, size_t n);

/* ---- relations ---------------------------------------------------------------------------- */

enum sotto_rowset_kind {
	SOTTO_ROWSET_SCAN,
	SOTTO_ROWSET_PART,
	SOTTO_ROWSET_VALUES,
	SOTTO_ROWSET_RANGE,
	SOTTO_ROWSET_JOIN,
	SOTTO_ROWSET_SET,
	SOTTO_ROWSET_SELECT,
	SOTTO_ROWSET_HELD,
};

enum sotto_rowset_join {
	SOTTO_ROWSET_INNER,
	SOTTO_ROWSET_LEFT,
	SOTTO_ROWSET_RIGHT,
	SOTTO_ROWSET_FULL,
};

/* A value and the name it gets; NULL: none. */
struct sotto_rowset_output {
	const struct sotto_expression *value;
	const char *name;
};

/* What is NULL is left out; there is at least one output. */
struct sotto_rowset_select {
	bool distinct;
	bool replace; /* all columns, with these in the place of those of their names */
	unsigned unit_bytes; /* of keys with units: each key is there once, key and unit are
				INTEGER or BIGINT, and units have so many bytes; 0: it is not so */
	const char
		*stored; /* where so: the engine's name of a map of them; NULL: there is none */
	const char *numbers; /* of one with a number for each unit; NULL: there is none */
	struct sotto_rowset_output *outputs;
	size_t output_count;
	const struct sotto_rowset **from; /* crossed */
	size_t from_count;
	const struct sotto_expression *where, *groups, *having, *qualify, *orders, *limit,
		*offset;
};

struct sotto_rowset {
	enum sotto_rowset_kind kind;
	const char *alias; /* in FROM; NULL: none */
	union {
		struct {
			const char *table; /* as the engine knows it */
			bool is_private;
		} scan;
		size_t part; /* of the plan: its finished answer */
		size_t held; /* of what emit/after_join.c computes first */
		struct {
			const struct sotto_expression *const *list; /* one column */
			size_t count;
			const char *column;
		} values;
		struct {
			int64_t lo, end; /* whole numbers: the first, and one past the last */
		} range;
		struct {
			enum sotto_rowset_join how;
			const struct sotto_rowset *left, *right;
			const struct sotto_expression *on;
		} join;
		struct {
			enum sotto_sql_set how;
			bool all; /* equal rows stay apart */
			const struct sotto_rowset *first, *second;
		} both;
		struct sotto_rowset_select select;
	} of;
	uint64_t hash;
	double length; /* in characters of SQL, about */
	bool reads_private;
};

/* Texts and lists are borrowed. */
const struct sotto_rowset *
sotto_rowset_scan(struct sotto_arena *a, const char *table, bool is_private, const char *alias);
const struct sotto_rowset *
sotto_rowset_part(struct sotto_arena *a, size_t part, const char *alias);
const struct sotto_rowset *
sotto_rowset_values(struct sotto_arena *a, const struct sotto_expression *const *list,
		    size_t count, const char *alias, const char *column);
const struct sotto_rowset *sotto_rowset_range(struct sotto_arena *a, int64_t lo, int64_t hi);
const struct sotto_rowset *sotto_rowset_join(struct sotto_arena *a, enum sotto_rowset_join how,
					     const struct sotto_rowset *left,
					     const struct sotto_rowset *right,
					     const struct sotto_expression *on);
const struct sotto_rowset *sotto_rowset_set(struct sotto_arena *a, enum sotto_sql_set how,
					    bool all, const struct sotto_rowset *first,
					    const struct sotto_rowset *second);
const struct sotto_rowset *sotto_rowset_select(struct sotto_arena *a,
					       const struct sotto_rowset_select *select,
					       const char *alias);

/* The same under another alias. */
const struct sotto_rowset *
sotto_rowset_named(struct sotto_arena *a, const struct sotto_rowset *r, const char *alias);

/* Add to a SELECT that is being made; false without memory, or where what is added is NULL. */
_Bool sotto_rowset_output(struct sotto_arena *a, struct sotto_rowset_select *s,
			  const struct sotto_expression *value, const char *name);
_Bool sotto_rowset_from(struct sotto_arena *a, struct sotto_rowset_select *s,
			const struct sotto_rowset *from);

/* SELECT value FROM from: what many subqueries are. */
const struct sotto_rowset *sotto_rowset_one(struct sotto_arena *a,
					    const struct sotto_expression *value,
					    const char *name, const struct sotto_rowset *from);

/* How many rows there are, up to so many: one row with one number. */
const struct sotto_rowset *
sotto_rowset_counted(struct sotto_arena *a, const struct sotto_rowset *from, long long most);

bool sotto_rowset_equal(const struct sotto_rowset *x, const struct sotto_rowset *y);

#endif
