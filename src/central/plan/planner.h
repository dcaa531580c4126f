/*
 * planner.h - what every step of planning shares
 */
#ifndef SOTTO_PLANNER_H
#define SOTTO_PLANNER_H

#include "central/expression/binder.h"
#include "central/policy/policy.h"
#include "central/policy/schema.h"

/* The WITH queries that a name may mean, innermost first. */
struct sotto_ctes {
	const struct sotto_sql_cte *cte;
	const struct sotto_ctes *outer;
};

struct sotto_relation;
struct sotto_found_limits;

/*
 * Limits that were found for these tables and keys; *found is false if none were.  Its
 * context is that of the schema function.
 */
typedef enum sotto_status (*sotto_limits_fn)(void *context, const char *name,
					     struct sotto_found_limits *out, bool *found);

struct sotto_bound_subquery {
	const struct sotto_sql_select *select;
	struct sotto_relation *relation; /* or, if it reads the row around it: */
	struct sotto_scope_column *const *scope; /* of that row */
	bool cut; /* of its texts only what counts is read */
	const struct sotto_bound *bound;
};

struct sotto_planner {
	struct sotto_arena *arena;
	const char *text; /* of the query */
	struct sotto_error *err;
	const struct sotto_policy *policy;
	sotto_schema_fn schema;
	void *schema_context;
	const struct sotto_schema_table *
		*seen; /* of each table of the policy; NULL: not asked for
						   yet */
	sotto_limits_fn limits; /* NULL: none are known */
	bool finds_limits; /* they are what is asked for */
	bool is_preview; /* an answer has at most so many values as can be drawn at once */
	enum sotto_status (*count)(void *context, const char *sql, int64_t *out,
				   struct sotto_error *err); /* NULL: nothing is counted */
	void *count_context;
	bool row_ids; /* rows of a table whose unit is the row need a number: there is a join */
	unsigned aliases; /* given out so far */
	unsigned joins; /* seen so far */
	uint64_t salt; /* of the hash that chooses groups */
	const struct sotto_sql_expr *where; /* of the SELECT whose FROM is being bound */
	const struct sotto_sql_from *from; /* of the same SELECT */
	const struct sotto_ctes *ctes; /* that a subquery in one of its expressions sees */
	const struct sotto_scope *outer; /* of the query around the subquery being bound */
	struct sotto_plan **parts; /* finished queries over private rows that FROM holds */
	const struct sotto_sql_select **part_selects; /* what each was made from */
	size_t part_count;
	bool takes_values; /* private rows may be compared with finished values: it is no part */
	struct sotto_bound_subquery *subqueries; /* bound so far: each is bound once */
	size_t subquery_count;
	const struct sotto_expression *
		*counted; /* expressions over rows whose load is in the two sums */
	size_t counted_count;
	double work, nodes;
	double work_once; /* for a private row before joins make several of it */
	const struct sotto_expression
		*more_work; /* for what depends on public tables, or NULL */
	struct sotto_plan_check *checks; /* of public tables, before anything is charged */
	size_t check_count;
	struct sotto_untyped *untyped; /* each column once for each type */
	size_t untyped_count;
	const char **cut; /* private tables of which a unit has at most SOTTO_UNIT_ROWS rows */
	size_t cut_count;
};

/*
 * Of a question with all its parts: each has a thousandth of the budget then, and explain, whose
 * work grows with the square of their number, has a second.
 */
enum { SOTTO_AGGREGATES_MAX = 1000 };

#endif
