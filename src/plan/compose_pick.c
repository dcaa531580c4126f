/*
 * Lists of counts for quantiles and MODE, one for each group:
 *
 *	c: per unit and group how often it has each value   u, k0.., v, c
 *	w: the same with the unit's rows in all, and up to v n, t
 *
 * A unit with n > max_rows rows counts as max_rows of them, spread evenly over
 * its values in their order: v gets as many as there are whole numbers j with
 * t(v - 1) < (j - 1/2) n / max_rows <= t(v), rounded as below.  That is a function
 * of that unit's rows alone, and the counts add up to max_rows exactly.
 */
#include "plan/pick.h"

#include "base/failure.h"
#include "plan/compose.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(b, __VA_ARGS__))

static enum sotto_status add_domain(struct sotto_buffer *b, const struct sotto_pick *p)
{
	ADD("(SELECT k, row_number() OVER (ORDER BY k) - 1 AS place FROM (SELECT DISTINCT "
	    "TRY_CAST(k AS %s) AS k FROM (%s) AS e) AS e WHERE k IS NOT NULL)",
	    p->domain_type, p->domain->sql);
	return SOTTO_OK;
}

/* The value that is counted: a number of steps, or a place in the public list. */
static enum sotto_status add_value(struct sotto_buffer *b, const struct sotto_pick *p)
{
	const struct sotto_measure clip = {
		.column = p->column, .clip_lo = p->lo, .clip_hi = p->hi};

	if (p->kind == SOTTO_PICK_MODE)
		ADD("e.place");
	else
		SOTTO_TRY(sotto_compose_clipped(b, &clip));
	return sotto_buffer_append_text(b, " AS v");
}

/* The rows that count, grouped; `unit` tells whether by unit too. */
static enum sotto_status add_counts(struct sotto_buffer *b, const struct sotto_plan *plan,
				    const struct sotto_pick *p, bool unit)
{
	ADD("(SELECT %s", unit ? "r.u, " : "");
	for (size_t k = 0; k < plan->key_count; k++)
		ADD("r.k%zu, ", k);
	SOTTO_TRY(add_value(b, p));
	ADD(", CAST(count(*) AS HUGEINT) AS c FROM r");
	if (p->kind == SOTTO_PICK_MODE) {
		ADD(" JOIN ");
		SOTTO_TRY(add_domain(b, p));
		ADD(" AS e ON e.k = r.y%zu", p->column);
	}
	if (unit && plan->window) {
		ADD(" JOIN q ON q.u = r.u");
		SOTTO_TRY(sotto_compose_same_keys(b, plan, "q", "r"));
	}
	ADD(" WHERE r.y%zu IS NOT NULL GROUP BY ALL) AS c", p->column);
	return SOTTO_OK;
}

static enum sotto_status
add_partition(struct sotto_buffer *b, const struct sotto_plan *plan, const char *order)
{
	ADD("sum(c) OVER (PARTITION BY u");
	for (size_t k = 0; k < plan->key_count; k++)
		ADD(", k%zu", k);
	return sotto_buffer_appendf(b, "%s)", order);
}

static enum sotto_status
add_bounded(struct sotto_buffer *b, const struct sotto_plan *plan, const struct sotto_pick *p)
{
	long long most = plan->max_rows;

	ADD("(SELECT *, CASE WHEN n <= %lld THEN c ELSE (2 * t * %lld + n) // (2 * n) - "
	    "(2 * (t - c) * %lld + n) // (2 * n) END AS w FROM (SELECT *, ",
	    most, most, most);
	SOTTO_TRY(add_partition(b, plan, ""));
	ADD(" AS n, ");
	SOTTO_TRY(add_partition(b, plan, " ORDER BY v"));
	ADD(" AS t FROM ");
	SOTTO_TRY(add_counts(b, plan, p, true));
	return sotto_buffer_append_text(b, ") AS t) AS w");
}

static enum sotto_status add_keys(struct sotto_buffer *b, const struct sotto_plan *plan)
{
	for (size_t k = 0; k < plan->key_count; k++)
		ADD(", k%zu", k);
	return SOTTO_OK;
}

enum sotto_status
sotto_pick_compose(struct sotto_buffer *b, const struct sotto_plan *plan, size_t i)
{
	const struct sotto_pick *p = &plan->picks[i];

	ADD(", h%zu AS (SELECT 1 AS one", i);
	SOTTO_TRY(add_keys(b, plan));
	ADD(", list({'v': CAST(v AS HUGEINT), 'n': n} ORDER BY v) AS l FROM (SELECT v");
	SOTTO_TRY(add_keys(b, plan));
	ADD(", CAST(sum(%s) AS HUGEINT) AS n FROM ", plan->units ? "w" : "c");
	if (plan->units)
		SOTTO_TRY(add_bounded(b, plan, p));
	else
		SOTTO_TRY(add_counts(b, plan, p, false));
	SOTTO_TRY(sotto_compose_group_by(b, plan, "v"));
	ADD(" HAVING n > 0) AS s");
	SOTTO_TRY(sotto_compose_group_by(b, plan, ""));
	return sotto_buffer_append_text(b, ")");
}

/* Once, with whatever row comes first: it is the same for all. */
enum sotto_status sotto_pick_compose_domain(struct sotto_buffer *b, const struct sotto_pick *p)
{
	ADD("CASE WHEN row_number() OVER () = 1 THEN (SELECT list({'v': k, 'n': CAST(0 AS "
	    "HUGEINT)} ORDER BY place) FROM ");
	SOTTO_TRY(add_domain(b, p));
	return sotto_buffer_append_text(b, " AS e) END");
}
