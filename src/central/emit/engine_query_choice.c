/*
 * Lists of counts for quantiles and MODE, one for each group:
 *
 *	o: per unit and group its values, and how many   u, k0.., n, l
 *	x: the values that count                         k0.., v
 *
 * A unit with n > max_rows rows counts with max_rows of them, evenly spaced: those at
 * places ceil((2 j - 1) n / (2 max_rows)), j = 1 .. max_rows, of its values in order.
 * That is a function of that unit's rows alone.
 */
#include "central/emit/engine_query.h"
#include "core/base/failure.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(&e->buffer, __VA_ARGS__))

static enum sotto_status
add_domain(struct sotto_emitter *e, const struct sotto_choice_of_mode *p)
{
	ADD("(SELECT k, row_number() OVER (ORDER BY k) - 1 AS place FROM (SELECT DISTINCT "
	    "TRY_CAST(k AS %s) AS k FROM (",
	    sotto_sql_type_engine(p->domain_type));
	SOTTO_TRY(sotto_emit_query(e, p->domain->rows));
	return sotto_buffer_append_text(&e->buffer, ") AS e) AS e WHERE k IS NOT NULL)");
}

/* The value that is counted: a number of steps, or a place in the public list. */
static enum sotto_status add_value(struct sotto_emitter *e, const struct sotto_choice *p)
{
	const struct sotto_choice_of_ranks *q = &p->quantiles;

	if (p->kind == SOTTO_CHOICE_MODE)
		return sotto_buffer_append_text(&e->buffer, "e.place");
	return sotto_compose_clipped(
		e, p->column, &(struct sotto_addend){.clip_lo = q->lo, .clip_hi = q->hi});
}

/* " FROM r ...": the rows that have a value, of groups that the unit keeps. */
static enum sotto_status
add_source(struct sotto_emitter *e, const struct sotto_plan *plan, const struct sotto_choice *p)
{
	ADD(" FROM r");
	if (p->kind == SOTTO_CHOICE_MODE) {
		ADD(" JOIN ");
		SOTTO_TRY(add_domain(e, &p->mode));
		ADD(" AS e ON e.k = r.y%zu", p->column);
	}
	if (plan->units && plan->window) {
		ADD(" JOIN q ON q.u = r.u");
		SOTTO_TRY(sotto_compose_same_keys(e, plan, "q", "r"));
	}
	return sotto_buffer_appendf(&e->buffer, " WHERE r.y%zu IS NOT NULL", p->column);
}

/* The keys, each followed by a comma. */
static enum sotto_status
add_keys(struct sotto_emitter *e, const struct sotto_plan *plan, const char *prefix)
{
	for (size_t k = 0; k < plan->key_count; k++)
		ADD("%sk%zu, ", prefix, k);
	return SOTTO_OK;
}

static enum sotto_status add_bounded(struct sotto_emitter *e, const struct sotto_plan *plan,
				     const struct sotto_choice *p)
{
	long long most = plan->max_rows;

	ADD("(SELECT ");
	SOTTO_TRY(add_keys(e, plan, ""));
	ADD("unnest(CASE WHEN n <= %lld THEN l ELSE [s[((2 * j - 1) * n + %lld) // %lld] "
	    "FOR j IN range(1, %lld)] END) AS v FROM (SELECT *, CASE WHEN n > %lld THEN "
	    "list_sort(l) END AS s FROM (SELECT r.u, ",
	    most, 2 * most - 1, 2 * most, most + 1, most);
	SOTTO_TRY(add_keys(e, plan, "r."));
	ADD("count(*) AS n, list(");
	SOTTO_TRY(add_value(e, p));
	ADD(") AS l");
	SOTTO_TRY(add_source(e, plan, p));
	return sotto_buffer_append_text(&e->buffer, " GROUP BY ALL) AS o) AS o) AS x");
}

static enum sotto_status
add_rows(struct sotto_emitter *e, const struct sotto_plan *plan, const struct sotto_choice *p)
{
	ADD("(SELECT ");
	SOTTO_TRY(add_keys(e, plan, "r."));
	SOTTO_TRY(add_value(e, p));
	ADD(" AS v");
	SOTTO_TRY(add_source(e, plan, p));
	return sotto_buffer_append_text(&e->buffer, ") AS x");
}

enum sotto_status
sotto_choice_compose(struct sotto_emitter *e, const struct sotto_plan *plan, size_t i)
{
	const struct sotto_choice *p = &plan->choices[i];

	ADD(", h%zu AS (SELECT ", i);
	SOTTO_TRY(add_keys(e, plan, ""));
	ADD("list({'v': v, 'n': n}) AS l FROM (SELECT ");
	SOTTO_TRY(add_keys(e, plan, ""));
	ADD("CAST(v AS HUGEINT) AS v, CAST(count(*) AS HUGEINT) AS n FROM ");
	SOTTO_TRY(plan->units ? add_bounded(e, plan, p) : add_rows(e, plan, p));
	SOTTO_TRY(sotto_compose_group_by(e, plan, "v"));
	ADD(") AS s");
	SOTTO_TRY(sotto_compose_group_by(e, plan, ""));
	return sotto_buffer_append_text(&e->buffer, ")");
}

/* Once, with whatever row comes first: it is the same for all. */
enum sotto_status
sotto_choice_compose_domain(struct sotto_emitter *e, const struct sotto_choice_of_mode *p)
{
	ADD("CASE WHEN row_number() OVER () = 1 THEN (SELECT list({'v': k, 'n': CAST(0 AS "
	    "HUGEINT)} ORDER BY place) FROM ");
	SOTTO_TRY(add_domain(e, p));
	return sotto_buffer_append_text(&e->buffer, " AS e) END");
}
