/*
 * The engine's query.  With a unit in each row it has two levels: per unit and
 * group first, bounded there, then per group.  Every sum is of whole numbers,
 * so order, threads and rounding cannot matter.
 *
 *	r: one row per row        u, k0.., y0..    (engine_query_row.c)
 *	p: one per unit and group u, k0.., t0..    (engine_query_sum.c)
 *	q: p with at most `groups` groups for each unit
 *	a: one per group          k0.., m0..
 *	d<i>: different values    k0.., m
 *	h<i>: counts of values    k0.., l          (engine_query_choice.c)
 *	g: groups, empty ones too k0.., m0..
 *
 * `total` in a is read by nobody: it makes a an aggregate also when there are no
 * keys and no measures in it, that is one row and not one for each unit.
 */
#include "central/emit/engine_query.h"

#include <stdio.h>

#include "central/emit/emit.h"
#include "central/expression/bind.h"
#include "central/plan/plan.h"
#include "central/relation/relation.h"
#include "core/base/failure.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(&e->buffer, __VA_ARGS__))
#define ADD_EXPRESSION(x) SOTTO_TRY(sotto_emit_expression(e, x))

/* prefix k0, prefix k1, ... each followed by the mark. */
static enum sotto_status
add_keys(struct sotto_emitter *e, const struct sotto_plan *plan, const char *prefix)
{
	for (size_t i = 0; i < plan->key_count; i++)
		ADD("%s%sk%zu", i ? ", " : "", prefix, i);
	return SOTTO_OK;
}

enum sotto_status sotto_compose_group_by(struct sotto_emitter *e, const struct sotto_plan *plan,
					 const char *before)
{
	if (plan->key_count == 0 && !*before)
		return SOTTO_OK;
	ADD(" GROUP BY %s%s", before, *before && plan->key_count ? ", " : "");
	return add_keys(e, plan, "");
}

enum sotto_status
sotto_compose_clipped(struct sotto_emitter *e, size_t column, const struct sotto_addend *a)
{
	size_t y = column;
	long long lo = a->clip_lo, hi = a->clip_hi;

	ADD("(CAST(CASE WHEN y%zu BETWEEN %lld AND %lld THEN y%zu WHEN y%zu < %lld THEN %lld "
	    "WHEN y%zu > %lld THEN %lld END AS BIGINT) - (%lld))",
	    y, lo, hi, y, y, lo, lo, y, hi, hi, (long long)a->centre);
	return SOTTO_OK;
}

enum sotto_status sotto_compose_same_keys(struct sotto_emitter *e,
					  const struct sotto_plan *plan, const char *x,
					  const char *y)
{
	for (size_t i = 0; i < plan->key_count; i++)
		ADD(" AND %s.k%zu IS NOT DISTINCT FROM %s.k%zu", x, i, y, i);
	return SOTTO_OK;
}

/* ---- groups --------------------------------------------------------------------------------- */

/* What belongs to a group and was found elsewhere. */
static enum sotto_status
add_join(struct sotto_emitter *e, const struct sotto_plan *plan, const char *name)
{
	bool joined = plan->public_keys && plan->key_count > 0;

	ADD(" LEFT JOIN %s ON TRUE", name);
	return sotto_compose_same_keys(e, plan, joined ? "z" : "a", name);
}

/* Public keys are joined in, so that empty groups appear. */
static enum sotto_status
add_final(struct sotto_emitter *e, const struct sotto_plan *plan, bool losses)
{
	bool joined = plan->public_keys && plan->key_count > 0;

	ADD(", g AS (SELECT 1 AS one");
	if (losses && sotto_loss_is_beside(plan))
		for (size_t i = 0; i < plan->loss.count; i++)
			ADD(", a.w%zu AS v%zu", i, i);
	for (size_t i = 0; i < plan->key_count; i++)
		ADD(", %s.k%zu", joined ? "z" : "a", i);
	for (size_t i = 0; i < plan->measure_count; i++) {
		if (sotto_measure_is_apart(e, plan, &plan->measures[i]))
			ADD(", d%zu.m AS m%zu", i, i);
		else
			ADD(", a.m%zu", i);
		if (sotto_measure_is_set(e, &plan->measures[i]))
			ADD(", d%zu.l AS s%zu", i, i);
	}
	for (size_t i = 0; i < plan->choice_count; i++)
		ADD(", h%zu.l AS l%zu", i, i);
	ADD(" FROM ");
	if (joined) {
		SOTTO_TRY(sotto_compose_domains(e, plan));
		ADD(" AS z LEFT JOIN a ON TRUE");
		SOTTO_TRY(sotto_compose_same_keys(e, plan, "z", "a"));
	} else {
		ADD("a");
	}
	for (size_t i = 0; i < plan->measure_count; i++) {
		char name[24];

		if (!sotto_measure_is_apart(e, plan, &plan->measures[i]))
			continue;
		(void)snprintf(name, sizeof name, "d%zu", i);
		SOTTO_TRY(add_join(e, plan, name));
	}
	for (size_t i = 0; i < plan->choice_count; i++) {
		char name[24];

		(void)snprintf(name, sizeof name, "h%zu", i);
		SOTTO_TRY(add_join(e, plan, name));
	}
	return sotto_buffer_append_text(&e->buffer, ")");
}

enum sotto_sql_type sotto_plan_shown_type(enum sotto_sql_type type)
{
	switch (type) {
	case SOTTO_TYPE_BOOLEAN:
	case SOTTO_TYPE_INTEGER:
	case SOTTO_TYPE_NUMBER:
		return type;
	default:
		return SOTTO_TYPE_TEXT;
	}
}

static const char *key_type(enum sotto_sql_type type)
{
	return sotto_sql_type_engine(sotto_plan_shown_type(type));
}

static enum sotto_status
add_select(struct sotto_emitter *e, const struct sotto_plan *plan, bool losses)
{
	bool is_apart = losses && !sotto_loss_is_beside(plan);

	ADD(" SELECT ");
	for (size_t i = 0; i < plan->key_count; i++)
		ADD("TRY_CAST(g.k%zu AS %s) AS k%zu, ", i, key_type(plan->keys[i].bound.type),
		    i);
	for (size_t i = 0; i < plan->derived_count; i++) {
		ADD("TRY_CAST(");
		ADD_EXPRESSION(plan->derived[i]);
		ADD(" AS %s) AS x%zu, ", key_type(plan->derived_types[i]), i);
	}
	for (size_t i = 0; i < plan->measure_count; i++)
		ADD("g.m%zu, ", i);
	for (size_t i = 0; losses && i < plan->loss.count; i++)
		ADD("%s.v%zu, ", is_apart ? "lost" : "g", i);
	for (size_t i = 0; i < plan->choice_count; i++)
		ADD("g.l%zu, ", i);
	for (size_t i = 0; i < plan->choice_count; i++) {
		if (plan->choices[i].kind != SOTTO_CHOICE_MODE)
			continue;
		SOTTO_TRY(sotto_choice_compose_domain(e, &plan->choices[i].mode));
		ADD(" AS o%zu, ", i);
	}
	for (size_t i = 0; i < plan->measure_count; i++)
		if (sotto_measure_is_set(e, &plan->measures[i]))
			ADD("g.s%zu, ", i);
	ADD("CAST(1 AS BIGINT) AS one FROM g%s", is_apart ? " CROSS JOIN lost" : "");
	return SOTTO_OK;
}

/*
 * Only public keys are asked for.  They are what their domains say, whoever is in the
 * table: no private row is read, so that neither answer nor time depends on one.
 */
static enum sotto_status add_keys_alone(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	ADD("WITH g AS (SELECT 1 AS one");
	for (size_t i = 0; i < plan->key_count; i++)
		ADD(", z.k%zu", i);
	if (plan->key_count > 0) {
		ADD(" FROM ");
		SOTTO_TRY(sotto_compose_domains(e, plan));
		ADD(" AS z");
	}
	return sotto_buffer_append_text(&e->buffer, ")");
}

static enum sotto_status
compose(struct sotto_emitter *e, struct sotto_plan *plan, const struct sotto_relation *from,
	const struct sotto_expression *where, uint64_t salt, bool losses)
{
	if (sotto_plan_is_free(plan)) {
		SOTTO_TRY(add_keys_alone(e, plan));
		return add_select(e, plan, false);
	}
	e->unit_is_whole = from->unit_column && from->unit_column->type == SOTTO_TYPE_INTEGER;
	SOTTO_TRY(sotto_sums_lay_out(e, plan, losses));
	SOTTO_TRY(sotto_rows_compose(e, plan, from, where));
	SOTTO_TRY(sotto_groups_compose(e, plan, salt, losses));
	if (losses && !sotto_loss_is_beside(plan))
		SOTTO_TRY(sotto_loss_compose(e, plan, salt));
	for (size_t i = 0; i < plan->measure_count; i++)
		if (sotto_measure_is_apart(e, plan, &plan->measures[i]))
			SOTTO_TRY(sotto_distinct_compose(e, plan, i, salt));
	for (size_t i = 0; i < plan->choice_count; i++)
		SOTTO_TRY(sotto_choice_compose(e, plan, i));
	SOTTO_TRY(add_final(e, plan, losses));
	return add_select(e, plan, losses);
}

static enum sotto_status finish(struct sotto_emitter *e, struct sotto_plan *plan)
{
	struct sotto_emitted query;

	SOTTO_TRY(sotto_emitter_finish(e, &query));
	plan->engine_sql = query.sql;
	plan->scans = query.scans;
	plan->scan_count = query.scan_count;
	plan->reads_private = query.reads_private;
	plan->reads_parts = query.reads_parts;
	return SOTTO_OK;
}

/* Which of the plan's queries is written. */
struct form {
	bool losses, sets, here;
	bool rows; /* private tables row by row */
};

/* The same tables are read: what finish() notes holds for all forms. */
static enum sotto_status compose_form(struct sotto_plan *plan,
				      const struct sotto_relation *from,
				      const struct sotto_expression *where, uint64_t salt,
				      struct form form, const char **out)
{
	struct sotto_emitted query;
	struct sotto_emitter e;
	enum sotto_status st;

	sotto_emitter_init(&e, &plan->arena);
	e.sets = form.sets;
	e.is_here = form.here;
	e.has_each = form.here || form.sets;
	e.is_row_by_row = form.rows;
	st = compose(&e, plan, from, where, salt, form.losses);
	if (st == SOTTO_OK)
		st = sotto_emitter_finish(&e, &query);
	if (st == SOTTO_OK)
		*out = query.sql;
	sotto_emitter_release(&e);
	return st;
}

static enum sotto_status
compose_sets(struct sotto_plan *plan, const struct sotto_relation *from,
	     const struct sotto_expression *where, uint64_t salt, bool rows)
{
	SOTTO_TRY(compose_form(plan, from, where, salt,
			       (struct form){.sets = true, .rows = rows}, &plan->partial_sql));
	if (plan->loss.count == 0)
		return SOTTO_OK;
	return compose_form(plan, from, where, salt,
			    (struct form){.losses = true, .sets = true, .rows = rows},
			    &plan->loss.partial_sql);
}

static enum sotto_status
compose_here(struct sotto_plan *plan, const struct sotto_relation *from,
	     const struct sotto_expression *where, uint64_t salt, bool rows)
{
	SOTTO_TRY(compose_form(plan, from, where, salt,
			       (struct form){.here = true, .rows = rows}, &plan->here_sql));
	if (plan->loss.count == 0)
		return SOTTO_OK;
	return compose_form(plan, from, where, salt,
			    (struct form){.losses = true, .here = true, .rows = rows},
			    &plan->loss.here_sql);
}

/* Over all rows of the tables, whatever the question asks for. */
static enum sotto_status
compose_spread(struct sotto_plan *plan, const struct sotto_relation *from, bool rows)
{
	struct sotto_emitted query;
	struct sotto_emitter e;
	enum sotto_status st;

	sotto_emitter_init(&e, &plan->arena);
	e.has_each = true;
	e.is_row_by_row = rows;
	st = sotto_rows_compose(&e, plan, from, NULL);
	if (st == SOTTO_OK)
		st = sotto_spread_compose(&e, plan);
	if (st == SOTTO_OK)
		st = sotto_emitter_finish(&e, &query);
	if (st == SOTTO_OK)
		plan->spread.engine_sql = query.sql;
	sotto_emitter_release(&e);
	return st;
}

static enum sotto_status name_losses(struct sotto_plan *plan, const struct sotto_relation *from,
				     const struct sotto_expression *where)
{
	struct sotto_emitted text;
	struct sotto_emitter e;
	enum sotto_status st;

	sotto_emitter_init(&e, &plan->arena);
	st = sotto_loss_compose_name(&e, plan, from->tree, where);
	if (st == SOTTO_OK)
		st = sotto_emitter_finish(&e, &text);
	if (st == SOTTO_OK)
		st = sotto_name_without_aliases(&plan->arena, text.sql, &plan->loss.name);
	sotto_emitter_release(&e);
	return st;
}

enum sotto_status sotto_plan_compose(struct sotto_plan *plan, const struct sotto_relation *from,
				     const struct sotto_expression *where, uint64_t salt)
{
	struct sotto_emitter e;
	enum sotto_status st;
	bool differs_here, heavy;

	sotto_emitter_init(&e, &plan->arena);
	st = compose(&e, plan, from, where, salt, false);
	if (st == SOTTO_OK)
		st = finish(&e, plan);
	heavy = e.finds_heavy;
	differs_here = e.finds_stored || heavy;
	sotto_emitter_release(&e);
	if (st == SOTTO_OK && plan->loss.count > 0)
		st = compose_form(plan, from, where, salt, (struct form){.losses = true},
				  &plan->loss.engine_sql);
	if (st == SOTTO_OK && differs_here)
		st = compose_here(plan, from, where, salt, heavy);
	if (st == SOTTO_OK && plan->loss.count > 0)
		st = name_losses(plan, from, where);
	if (st == SOTTO_OK && plan->spread.is_pending)
		st = compose_spread(plan, from, heavy);
	plan->why_whole = sotto_plan_why_whole(plan);
	if (st == SOTTO_OK && !plan->why_whole && (sotto_plan_has_sets(plan) || heavy))
		st = compose_sets(plan, from, where, salt, heavy);
	return st;
}

enum sotto_status
sotto_plan_compose_public(struct sotto_plan *plan, const struct sotto_rowset *rows)
{
	struct sotto_emitter e;
	enum sotto_status st = SOTTO_ENOMEM;

	sotto_emitter_init(&e, &plan->arena);
	if (rows)
		st = sotto_emit_query(&e, rows);
	if (st == SOTTO_OK)
		st = finish(&e, plan);
	sotto_emitter_release(&e);
	return st;
}
