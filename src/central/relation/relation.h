/*
 * relation.h - the relations of FROM: tables, joins, subqueries
 */
#ifndef SOTTO_RELATION_H
#define SOTTO_RELATION_H

#include "central/plan/planner.h"
#include "central/relation/select_output.h"

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
	const struct sotto_conditions *met; /* by the rows that a SELECT reads, or NULL */
	bool finished; /* public because its values are noisy: there is a part of the plan in it */
	bool picked; /* finished, and which rows it has depends on noise */
	bool selected; /* the same by the noisy values in them: HAVING, WHERE, LIMIT */
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

/*
 * A server's numeric without a limit of 18 digits is sent as a DOUBLE, and two of them may be one
 * there: such a column of t is refused as a unit, or as a key that leads to one.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_unit_check_exact(struct sotto_planner *p,
							  const struct sotto_schema_table *t,
							  const struct sotto_schema_column *c);

/* A table whose unit is looked up in another one: sets out->tree and out->unit. */
SOTTO_MUST_CHECK enum sotto_status sotto_unit_path_scan(struct sotto_planner *p,
							const struct sotto_schema_table *t,
							struct sotto_relation *out);

/* Two relations that are bound, joined as from says. */
SOTTO_MUST_CHECK enum sotto_status
sotto_join_relations(struct sotto_planner *p, const struct sotto_sql_from *from,
		     struct sotto_relation *left, struct sotto_relation *right,
		     struct sotto_relation *out);

SOTTO_MUST_CHECK enum sotto_status
sotto_join_bind(struct sotto_planner *p, const struct sotto_ctes *ctes,
		const struct sotto_sql_from *from, struct sotto_relation *out);

/* Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_public_rows_new(struct sotto_arena *a, struct sotto_public_rows **out);

/* A SELECT in FROM: (SELECT ...) AS alias. */
SOTTO_MUST_CHECK enum sotto_status
sotto_subquery_bind(struct sotto_planner *p, const struct sotto_ctes *ctes,
		    const struct sotto_sql_select *select, const char *alias,
		    const char *const *names, size_t name_count, struct sotto_relation *out);

/* One SELECT of several that are put together. */
struct sotto_arm {
	struct sotto_sql_output *outputs;
	struct sotto_bound *bounds; /* of each output */
	size_t count;
	const struct sotto_rowset *rows; /* with columns c0, c1, ... */
};

/* A SELECT without those that it is put together with. */
SOTTO_MUST_CHECK enum sotto_status
sotto_arm_bind(struct sotto_planner *p, const struct sotto_ctes *ctes,
	       const struct sotto_sql_select *s, struct sotto_relation *from,
	       struct sotto_arm *out);

/* Adds the WITH queries of a SELECT. */
SOTTO_MUST_CHECK enum sotto_status sotto_ctes_push(struct sotto_planner *p,
						   const struct sotto_sql_select *select,
						   const struct sotto_ctes **ctes);

/* What a table of the policy has, of which each plan sees one state. */
SOTTO_MUST_CHECK enum sotto_status
sotto_planner_schema(const struct sotto_planner *p, const struct sotto_policy_table *table,
		     const struct sotto_schema_table **out, struct sotto_error *err);

/* A fresh alias: t1, t2, ... */
const char *sotto_planner_alias(struct sotto_planner *p);

struct sotto_binder
sotto_planner_binder(struct sotto_planner *p, const struct sotto_scope *scope);

/* Of the rows of a relation: subqueries may be about the unit of a private row. */
struct sotto_binder
sotto_relation_binder(struct sotto_planner *p, const struct sotto_relation *from);

#endif
