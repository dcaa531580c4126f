/*
 * engine_query.h - pieces of the engine's query that several parts of it are made of
 */
#ifndef SOTTO_ENGINE_QUERY_H
#define SOTTO_ENGINE_QUERY_H

#include "central/emit/emit.h"
#include "central/plan/plan.h"

struct sotto_relation;

/* A look-up of units that can be done last (engine_query_unit.c). */
struct sotto_late_unit {
	const struct sotto_rowset *rows; /* without it; NULL: there is none */
	const struct sotto_rowset *keys; /* v, with their units */
	const struct sotto_expression *own; /* the column that finds a row's key */
	bool is_narrow; /* the question has several conditions on its rows */
	bool is_mapped; /* a map from keys to units does without a join */
	const char *stored; /* its name, where it is read and need not be made; or NULL */
	unsigned bytes; /* of what it gives: a unit, or its number */
};

SOTTO_MUST_CHECK enum sotto_status
sotto_late_unit_find(struct sotto_emitter *e, const struct sotto_plan *plan,
		     const struct sotto_relation *from, const struct sotto_expression *where,
		     struct sotto_late_unit *out);

/* ") AS s JOIN ...", after the rows with their key j. */
SOTTO_MUST_CHECK enum sotto_status
sotto_late_unit_compose(struct sotto_emitter *e, const struct sotto_late_unit *late);

/* Where it is mapped: the unit of a key, and "(...) AS v", the map. */
SOTTO_MUST_CHECK enum sotto_status sotto_owner_compose(struct sotto_emitter *e,
						       const struct sotto_late_unit *late,
						       const struct sotto_expression *key);
SOTTO_MUST_CHECK enum sotto_status
sotto_owners_compose(struct sotto_emitter *e, const struct sotto_late_unit *late);

/* "WITH r AS (...)": the rows of a relation where the condition holds (NULL: all). */
SOTTO_MUST_CHECK enum sotto_status
sotto_rows_compose(struct sotto_emitter *e, const struct sotto_plan *plan,
		   const struct sotto_relation *from, const struct sotto_expression *where);

/* " GROUP BY before, k0, ..."; nothing if there is nothing to group by. */
SOTTO_MUST_CHECK enum sotto_status sotto_compose_group_by(struct sotto_emitter *e,
							  const struct sotto_plan *plan,
							  const char *before);

/* " AND x.k0 IS NOT DISTINCT FROM y.k0 ..." */
SOTTO_MUST_CHECK enum sotto_status sotto_compose_same_keys(struct sotto_emitter *e,
							   const struct sotto_plan *plan,
							   const char *x, const char *y);

/* The value of key i in a row; NULL without memory. */
const struct sotto_expression *
sotto_compose_key(struct sotto_emitter *e, const struct sotto_plan *plan, size_t i);

/* The combinations of all public keys, in brackets. */
SOTTO_MUST_CHECK enum sotto_status
sotto_compose_domains(struct sotto_emitter *e, const struct sotto_plan *plan);

/* " SEMI JOIN ...": those of x that are in one of them.  Others should not use up a unit's
 * share of groups. */
SOTTO_MUST_CHECK enum sotto_status
sotto_compose_shown_only(struct sotto_emitter *e, const struct sotto_plan *plan, const char *x);

/* A measure over different values: the CTE d<i>, for each group. */
SOTTO_MUST_CHECK enum sotto_status sotto_distinct_compose(struct sotto_emitter *e,
							  const struct sotto_plan *plan,
							  size_t i, uint64_t salt);

/* The CTEs from the rows r to the groups a (engine_query_group.c). */
SOTTO_MUST_CHECK enum sotto_status sotto_groups_compose(struct sotto_emitter *e,
							const struct sotto_plan *plan,
							uint64_t salt, bool losses);

/* Whether one aggregate can go over all units, if they have numbers; and the CTE a. */
bool sotto_alone_fits(const struct sotto_emitter *e, const struct sotto_plan *plan);
SOTTO_MUST_CHECK enum sotto_status
sotto_alone_compose(struct sotto_emitter *e, const struct sotto_plan *plan, bool losses);

/* Measures over different values have a query of their own; a count of them in rows has not. */
bool sotto_measure_is_apart(const struct sotto_emitter *e, const struct sotto_plan *plan,
			    const struct sotto_measure *m);

/* A number of different values that comes with the values themselves. */
bool sotto_measure_is_set(const struct sotto_emitter *e, const struct sotto_measure *m);

/* A query that counts the combinations of one set, up to one more than most. */
SOTTO_MUST_CHECK enum sotto_status
sotto_key_set_compose_count(struct sotto_plan *plan, const struct sotto_key_set *set,
			    int64_t most, struct sotto_emitted *out);

/* A row's value in whole steps, clipped, around the centre; NULL where there is none. */
SOTTO_MUST_CHECK enum sotto_status
sotto_compose_clipped(struct sotto_emitter *e, size_t column, const struct sotto_addend *a);

/* The CTE h<i> of a choice: for each group the list l of (value or place, how often). */
SOTTO_MUST_CHECK enum sotto_status
sotto_choice_compose(struct sotto_emitter *e, const struct sotto_plan *plan, size_t i);

/* The public list of a MODE, as an expression. */
SOTTO_MUST_CHECK enum sotto_status
sotto_choice_compose_domain(struct sotto_emitter *e, const struct sotto_choice_of_mode *p);

/*
 * The aggregates of the measures: first which call adds up what, then the calls, ", ... AS t0"
 * and so on, then what comes out of them: a sum, the number of a column's values, that of units
 * with one (where one aggregate goes over all units), the largest of a field over all calls.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sums_lay_out(struct sotto_emitter *e, const struct sotto_plan *plan, bool losses);
SOTTO_MUST_CHECK enum sotto_status
sotto_sums_compose(struct sotto_emitter *e, const struct sotto_plan *plan, bool losses);
SOTTO_MUST_CHECK enum sotto_status
sotto_sums_compose_sum(struct sotto_emitter *e, size_t measure);
SOTTO_MUST_CHECK enum sotto_status
sotto_sums_compose_count(struct sotto_emitter *e, size_t column);
SOTTO_MUST_CHECK enum sotto_status
sotto_sums_compose_units(struct sotto_emitter *e, size_t column);
SOTTO_MUST_CHECK enum sotto_status
sotto_sums_compose_most(struct sotto_emitter *e, const char *field);
bool sotto_sums_is_one_call(const struct sotto_emitter *e);

/* Which numbers of rows of a column are read: all with a value, or different ones. */
bool sotto_loss_reads(const struct sotto_plan *plan, size_t column, bool different);

/* What the loss vector needs of a unit in a group (in p), of rows that are units (in a). */
SOTTO_MUST_CHECK enum sotto_status
sotto_loss_compose_pair(struct sotto_emitter *e, const struct sotto_plan *plan);
SOTTO_MUST_CHECK enum sotto_status
sotto_loss_compose_row(struct sotto_emitter *e, const struct sotto_plan *plan);

/* Where units have one group, their items are summed up with the measures, ", ... AS w0". */
bool sotto_loss_is_beside(const struct sotto_plan *plan);
SOTTO_MUST_CHECK enum sotto_status
sotto_loss_compose_beside(struct sotto_emitter *e, const struct sotto_plan *plan);

/* Where no unit can have too many groups, over all groups, in each of them: ", ... AS l". */
bool sotto_loss_is_within(const struct sotto_plan *plan);
SOTTO_MUST_CHECK enum sotto_status sotto_loss_compose_within(struct sotto_emitter *e,
							     const struct sotto_plan *plan,
							     uint64_t salt);

/* What the vector is of, as a text: equal texts have equal vectors. */
SOTTO_MUST_CHECK enum sotto_status
sotto_loss_compose_name(struct sotto_emitter *e, const struct sotto_plan *plan,
			const struct sotto_rowset *from, const struct sotto_expression *where);

/* The CTE `lost` where items are not beside: one row, with a column for each of them. */
SOTTO_MUST_CHECK enum sotto_status
sotto_loss_compose(struct sotto_emitter *e, const struct sotto_plan *plan, uint64_t salt);

/* What follows the rows r in the query of a spread; its name, by which it is found again. */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_compose(struct sotto_emitter *e, const struct sotto_plan *plan);
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_name(struct sotto_plan *plan, const struct sotto_rowset *from, const char **out);

/* A name of tables and keys, whatever aliases the query around gave them. */
SOTTO_MUST_CHECK enum sotto_status
sotto_name_without_aliases(struct sotto_arena *arena, const char *text, const char **out);

/* The type that a key or public output comes out as: one of four. */
enum sotto_sql_type sotto_plan_shown_type(enum sotto_sql_type type);

/*
 * Whether what the engine finds in buckets of the units can be added up, decided by what is
 * measured (spread.md): NULL if it can, else a sentence.
 */
const char *sotto_plan_why_whole(const struct sotto_plan *plan);

/* Does it count different values, of which workers send sets? */
bool sotto_plan_has_sets(const struct sotto_plan *plan);

/*
 * What these sets take in a partial at most, in bytes, whatever the rows are; INT64_MAX: that or
 * more.  Of a plan that sotto_plan_why_whole lets pass.
 */
int64_t sotto_plan_set_bytes(const struct sotto_plan *plan);

/* Writes plan->engine_sql, and what else is asked of the engine. */
SOTTO_MUST_CHECK enum sotto_status
sotto_plan_compose(struct sotto_plan *plan, const struct sotto_relation *from,
		   const struct sotto_expression *where, uint64_t salt);

/* The same for a query over public rows, as it is. */
SOTTO_MUST_CHECK enum sotto_status
sotto_plan_compose_public(struct sotto_plan *plan, const struct sotto_rowset *rows);

#endif
