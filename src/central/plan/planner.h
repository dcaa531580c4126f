/*
 * planner.h - what every step of planning shares
 */
#ifndef SOTTO_PLANNER_H
#define SOTTO_PLANNER_H

#include "central/plan/expression/bind.h"
#include "central/policy/policy.h"
#include "central/policy/schema.h"

struct sotto_planner {
	struct sotto_arena *arena;
	const char *text; /* of the query */
	struct sotto_error *err;
	const struct sotto_policy *policy;
	sotto_schema_fn schema;
	void *schema_context;
	bool row_ids; /* rows of a table whose unit is the row need a number: there is a join */
	unsigned aliases; /* given out so far */
	unsigned joins; /* seen so far */
	uint64_t salt; /* of the hash that chooses groups */
	const struct sotto_sql_expr *where; /* of the SELECT whose FROM is being bound */
	const struct sotto_ctes *ctes; /* that a subquery in one of its expressions sees */
	const struct sotto_scope *outer; /* of the query around the subquery being bound */
	struct sotto_plan **parts; /* finished queries over private rows that FROM holds */
	const struct sotto_sql_select **part_selects; /* what each was made from */
	size_t part_count;
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
};

/* The WITH queries that a name may mean, innermost first. */
struct sotto_ctes {
	const struct sotto_sql_cte *cte;
	const struct sotto_ctes *outer;
};

struct sotto_relation;

struct sotto_bound_subquery {
	const struct sotto_sql_select *select;
	struct sotto_relation *relation; /* or, if it reads the row around it: */
	struct sotto_scope_column *const *scope; /* of that row */
	const struct sotto_bound *bound;
};

/* Something that stands in FROM. */
struct sotto_relation {
	const struct sotto_rowset *tree;
	struct sotto_scope scope;
	const struct sotto_policy_table *owner; /* the private table inside, or NULL */
	const struct sotto_expression *unit; /* NULL: public, or each row is a unit */
	const struct sotto_schema_column *unit_column; /* in its source: units of two types are
							  never equal */
	const char *alias; /* of a single table or subquery; NULL: a join */
	struct sotto_public_rows *rows; /* of a public relation */
	int64_t unit_rows; /* a unit has at most so many; 0: not known */
	const struct sotto_policy_table *grain; /* joins with private tables left each row of it
						   one row at most; NULL: of none */
	const struct sotto_rowset
		*without_unit; /* a single table without looking up its unit, or NULL */
	bool finished; /* public because its values are noisy: there is a part of the plan in it */
	double work; /* for each of its private rows, without what joins make of them */
	const struct sotto_expression *fanout; /* rows that joins make of one private row at
						  most: a number over public tables; NULL: one */
};

/* FROM, with all ownership rules.  A missing FROM is a public relation of one row. */
SOTTO_MUST_CHECK enum sotto_status
sotto_relation_bind(struct sotto_planner *p, const struct sotto_ctes *ctes,
		    const struct sotto_sql_from *from, struct sotto_relation *out);

/* A table of the policy. */
SOTTO_MUST_CHECK enum sotto_status
sotto_scan_bind(struct sotto_planner *p, const struct sotto_policy_table *table,
		const char *name, struct sotto_relation *out);

/* The table with what is computed once for each of its rows. */
SOTTO_MUST_CHECK enum sotto_status
sotto_scan_rows(struct sotto_planner *p, const struct sotto_schema_table *t, const char *alias,
		const struct sotto_rowset **out);

/* A table whose unit is looked up in another one: sets out->tree and out->unit. */
SOTTO_MUST_CHECK enum sotto_status sotto_via_scan(struct sotto_planner *p,
						  const struct sotto_schema_table *t,
						  struct sotto_relation *out);

/*
 * Checks that a join of two private relations is on the unit, and makes it so:
 * *on gets the equality, right->tree at most so many rows of each unit.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_private_join(struct sotto_planner *p, const struct sotto_sql_from *from,
		   struct sotto_relation *left, struct sotto_relation *right,
		   struct sotto_relation *out, const struct sotto_expression **on);

/* Rows of both belong to units of one kind, which engine SQL can compare. */
bool sotto_units_shared(const struct sotto_relation *x, const struct sotto_relation *y);

/* One of the conditions that must hold for e says that units are equal, or leads to that. */
bool sotto_units_equated(struct sotto_planner *p, const struct sotto_relation *left,
			 const struct sotto_relation *right, const struct sotto_sql_expr *e);

/* The policy says that one of the columns leads to the other, towards the unit. */
bool sotto_units_path(const struct sotto_scope_column *x, const struct sotto_scope_column *y);

enum { SOTTO_UNIT_ROWS = 100 };

/* At most so many rows of each unit, unless there are not more anyway; r is no join. */
SOTTO_MUST_CHECK enum sotto_status
sotto_units_cut(struct sotto_planner *p, struct sotto_relation *r);

SOTTO_MUST_CHECK enum sotto_status
sotto_join_bind(struct sotto_planner *p, const struct sotto_ctes *ctes,
		const struct sotto_sql_from *from, struct sotto_relation *out);

/* Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_public_rows_new(struct sotto_arena *a, struct sotto_public_rows **out);

/* What a join with a public relation makes of one private row: out->fanout. */
SOTTO_MUST_CHECK enum sotto_status
sotto_fanout_join(struct sotto_planner *p, const struct sotto_sql_from *from,
		  const struct sotto_relation *private, const struct sotto_relation *public,
		  struct sotto_relation *out);

/* Both together: one private row may be in both parts of UNION ALL. */
SOTTO_MUST_CHECK enum sotto_status
sotto_fanout_unite(struct sotto_planner *p, const struct sotto_expression *x,
		   const struct sotto_expression *y, const struct sotto_expression **out);

/* Each row finds so many others, each of which takes that work. */
SOTTO_MUST_CHECK enum sotto_status
sotto_fanout_work(struct sotto_planner *p, const struct sotto_expression *rows, double work);

/* Adds the checks that the rows of a part of the query, and work with them, stay within limits. */
SOTTO_MUST_CHECK enum sotto_status
sotto_fanout_check(struct sotto_planner *p, const struct sotto_relation *r);

/* The same for the whole, where each row takes so much more to be counted. */
SOTTO_MUST_CHECK enum sotto_status
sotto_fanout_finish(struct sotto_planner *p, const struct sotto_relation *r, double row);

/* Refuses with why where the number is above most. */
SOTTO_MUST_CHECK enum sotto_status sotto_fanout_limit(struct sotto_planner *p,
						      const struct sotto_expression *fanout,
						      int64_t most, const char *why);

/* query gives one whole number; where it is above most, the analyst's is refused with why. */
SOTTO_MUST_CHECK enum sotto_status sotto_planner_check(struct sotto_planner *p,
						       const struct sotto_rowset *query,
						       int64_t most, const char *why);

/*
 * What GROUP BY of a number, or of the name of an output, means; e itself if it is
 * neither.  A column of the same name goes before: ask for that first.
 */
struct sotto_sql_expr *
sotto_group_target(const struct sotto_sql_select *s, struct sotto_sql_expr *e);

/* A SELECT with sets of keys as UNION ALL of one SELECT for each. */
SOTTO_MUST_CHECK enum sotto_status
sotto_grouping_expand(struct sotto_planner *p, const struct sotto_ctes *ctes,
		      const struct sotto_sql_select *s, const struct sotto_sql_select **out);

/* A grouped SELECT with window functions as one over a subquery that groups. */
bool sotto_select_is_windowed(const struct sotto_sql_select *s);
SOTTO_MUST_CHECK enum sotto_status sotto_windowed_expand(struct sotto_planner *p,
							 const struct sotto_sql_select *s,
							 const struct sotto_sql_select **out);

/* A SELECT in FROM: (SELECT ...) AS alias. */
SOTTO_MUST_CHECK enum sotto_status
sotto_subquery_bind(struct sotto_planner *p, const struct sotto_ctes *ctes,
		    const struct sotto_sql_select *select, const char *alias,
		    const char *const *names, size_t name_count, struct sotto_relation *out);

/*
 * A SELECT over private rows (layers over from) whose groups are no units: it is
 * finished by itself, and what stands in FROM is its noisy answer, a table
 * "sotto part N".  bounds has a place for each output.
 */
struct sotto_layers;
SOTTO_MUST_CHECK enum sotto_status
sotto_part_bind(struct sotto_planner *p, const struct sotto_sql_select *select,
		const struct sotto_layers *layers, struct sotto_relation *from,
		struct sotto_bound *bounds, const struct sotto_rowset **rows);

/* Adds the WITH queries of a SELECT. */
SOTTO_MUST_CHECK enum sotto_status sotto_ctes_push(struct sotto_planner *p,
						   const struct sotto_sql_select *select,
						   const struct sotto_ctes **ctes);

/* The outputs of a SELECT with * written out. */
SOTTO_MUST_CHECK enum sotto_status
sotto_outputs_expand(struct sotto_planner *p, const struct sotto_sql_select *select,
		     const struct sotto_scope *scope, struct sotto_sql_output **out,
		     size_t *count);

/* The outputs as columns c0, c1, ... of a SELECT, and the name of one. */
SOTTO_MUST_CHECK enum sotto_status
sotto_outputs_add(struct sotto_planner *p, const struct sotto_bound *bounds, size_t count,
		  struct sotto_rowset_select *out);
const char *sotto_output_field(struct sotto_planner *p, size_t i);

/* What SQL calls an output without AS. */
const char *sotto_output_name(const struct sotto_sql_output *o);

/* A fresh alias: t1, t2, ... */
const char *sotto_planner_alias(struct sotto_planner *p);

struct sotto_binder
sotto_planner_binder(struct sotto_planner *p, const struct sotto_scope *scope);

/* Of the rows of a relation: subqueries may be about the unit of a private row. */
struct sotto_binder
sotto_relation_binder(struct sotto_planner *p, const struct sotto_relation *from);

/* True if a SELECT over private rows groups them by their unit, and perhaps by more. */
bool sotto_select_is_by_unit(struct sotto_planner *p, const struct sotto_sql_select *s,
			     const struct sotto_relation *from);

/* Such a SELECT: each of its rows belongs to one unit.  Sets from->unit_rows. */
SOTTO_MUST_CHECK enum sotto_status
sotto_by_unit_select(struct sotto_planner *p, const struct sotto_sql_select *s,
		     struct sotto_relation *from, const struct sotto_sql_output *outputs,
		     size_t count, struct sotto_bound *bounds,
		     const struct sotto_rowset **rows);

/* True if e calls an aggregate, or a window function, anywhere. */
bool sotto_expr_has_aggregate(const struct sotto_sql_expr *e);
bool sotto_expr_has_window(const struct sotto_sql_expr *e);

/* True if a SELECT has GROUP BY, HAVING or an aggregate among its outputs. */
bool sotto_select_is_grouped(const struct sotto_sql_select *s);

/* A SELECT over public tables only.  The types of its outputs go to bounds (as many as outputs). */
SOTTO_MUST_CHECK enum sotto_status
sotto_public_select(struct sotto_planner *p, const struct sotto_sql_select *select,
		    struct sotto_relation *from, const struct sotto_sql_output *outputs,
		    size_t count, struct sotto_bound *bounds, const struct sotto_rowset **rows);

/* An aggregate over public rows. */
SOTTO_MUST_CHECK enum sotto_status sotto_public_aggregate(struct sotto_binder *b,
							  const struct sotto_sql_expr *e,
							  struct sotto_bound *out);

#define SOTTO_NEED(pointer)                                                                    \
	do {                                                                                   \
		if (!(pointer))                                                                \
			return SOTTO_ENOMEM;                                                   \
	} while (0)

#endif
