/*
 * The engine's query.  With a unit in each row it has two levels: per unit and
 * group first, bounded there, then per group.  Every sum is of whole numbers,
 * so order, threads and rounding cannot matter.
 *
 *	r: one row per row        u, k0.., y0..
 *	p: one per unit and group u, k0.., n, n0.., s0..
 *	q: p with at most `groups` groups for each unit
 *	a: one per group          k0.., m0..
 *	d<i>: different values    k0.., m
 *	h<i>: counts of values    k0.., l          (engine_query_pick.c)
 *	g: groups, empty ones too k0.., m0..
 *
 * `total` in a is read by nobody: it makes a an aggregate also when there are no
 * keys and no measures in it, that is one row and not one for each unit.
 */
#include "central/plan/emit/engine_query.h"

#include <stdio.h>

#include "central/plan/planner.h"
#include "core/base/failure.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(b, __VA_ARGS__))

/* prefix k0, prefix k1, ... each followed by the mark. */
static enum sotto_status
add_keys(struct sotto_buffer *b, const struct sotto_plan *plan, const char *prefix)
{
	for (size_t i = 0; i < plan->key_count; i++)
		ADD("%s%sk%zu", i ? ", " : "", prefix, i);
	return SOTTO_OK;
}

enum sotto_status sotto_compose_group_by(struct sotto_buffer *b, const struct sotto_plan *plan,
					 const char *before)
{
	if (plan->key_count == 0 && !*before)
		return SOTTO_OK;
	ADD(" GROUP BY %s%s", before, *before && plan->key_count ? ", " : "");
	return add_keys(b, plan, "");
}

/*
 * The one engine type of a public key, in rows and in its domain: equal values
 * then are one group, however they were written, and each group is shown once.
 */
static const char *public_type(const struct sotto_bound *k)
{
	if (k->type == SOTTO_TYPE_INTEGER && k->is_double)
		return sotto_sql_type_engine(SOTTO_TYPE_NUMBER);
	return sotto_sql_type_engine(k->type);
}

/*
 * A private text is cut no shorter than its public values (relation.c).  Whole it would be
 * carried along and hashed in each row that a join makes.
 */
static const char *public_text(const struct sotto_bound *k)
{
	return k->whole && !sotto_bound_is_private(k) ? k->whole : k->sql;
}

/* A whole number that is too large to be shown is NULL: no two groups are shown alike. */
static enum sotto_status add_key(struct sotto_buffer *b, struct sotto_plan *plan, size_t i)
{
	const struct sotto_bound *k = &plan->keys[i].bound;
	const char *alike = sotto_bind_alike(&plan->arena, k);
	const char *whole = public_text(k);

	SOTTO_NEED(alike);
	if (plan->public_keys)
		ADD("TRY_CAST(%s AS %s) AS k%zu, ", whole, public_type(k), i);
	else if (k->type == SOTTO_TYPE_INTEGER && k->is_double)
		ADD("CASE WHEN TRY_CAST(%s AS BIGINT) IS NOT NULL THEN %s END AS k%zu, ",
		    k->sql, alike, i);
	else
		ADD("%s AS k%zu, ", alike, i);
	return SOTTO_OK;
}

/* The different combinations of a set of keys. */
static enum sotto_status
add_set(struct sotto_buffer *b, const struct sotto_plan *plan, const struct sotto_key_set *set)
{
	ADD("(SELECT DISTINCT ");
	for (size_t i = 0; i < set->count; i++) {
		size_t k = set->keys[i];

		ADD("%sTRY_CAST(k%zu AS %s) AS k%zu", i ? ", " : "", k,
		    public_type(&plan->keys[k].bound), k);
	}
	ADD(" FROM (%s) AS v)", set->sql);
	return SOTTO_OK;
}

/* Groups that will not be shown should not use up a unit's share of groups. */
static enum sotto_status add_shown_only(struct sotto_buffer *b, struct sotto_plan *plan)
{
	for (size_t s = 0; s < plan->set_count; s++) {
		const struct sotto_key_set *set = &plan->sets[s];

		ADD(" AND EXISTS (SELECT 1 FROM ");
		SOTTO_TRY(add_set(b, plan, set));
		ADD(" AS d WHERE TRUE");
		for (size_t i = 0; i < set->count; i++) {
			const struct sotto_bound *k = &plan->keys[set->keys[i]].bound;
			const char *text = public_text(k);

			ADD(" AND d.k%zu IS NOT DISTINCT FROM TRY_CAST(%s AS %s)", set->keys[i],
			    text, public_type(k));
		}
		ADD(")");
	}
	return SOTTO_OK;
}

static enum sotto_status add_rows(struct sotto_buffer *b, struct sotto_plan *plan,
				  const struct sotto_relation *from, const char *where)
{
	ADD("WITH r AS (SELECT ");
	if (plan->units)
		ADD("%s AS u, ", from->unit);
	for (size_t i = 0; i < plan->key_count; i++)
		SOTTO_TRY(add_key(b, plan, i));
	for (size_t i = 0; i < plan->column_count; i++)
		ADD("%s AS y%zu, ", plan->columns[i].sql, i);
	ADD("1 AS one FROM %s", from->sql);
	if (plan->units || where)
		ADD(" WHERE %s%s%s", where ? where : "", where && plan->units ? " AND " : "",
		    plan->units ? from->unit : "");
	if (plan->units)
		ADD(" IS NOT NULL");
	if (plan->window && plan->public_keys)
		SOTTO_TRY(add_shown_only(b, plan));
	return sotto_buffer_append_text(b, ")");
}

enum sotto_status
sotto_compose_clipped(struct sotto_buffer *b, size_t column, const struct sotto_addend *a)
{
	size_t y = column;
	long long lo = a->clip_lo, hi = a->clip_hi;

	ADD("(CAST(CASE WHEN y%zu BETWEEN %lld AND %lld THEN y%zu WHEN y%zu < %lld THEN %lld "
	    "WHEN y%zu > %lld THEN %lld END AS BIGINT) - (%lld))",
	    y, lo, hi, y, y, lo, lo, y, hi, hi, (long long)a->centre);
	return SOTTO_OK;
}

static enum sotto_status add_value(struct sotto_buffer *b, const struct sotto_measure *m)
{
	SOTTO_TRY(sotto_compose_clipped(b, m->column, &m->addend));
	if (!m->addend.square)
		return SOTTO_OK;
	ADD(" * ");
	SOTTO_TRY(sotto_compose_clipped(b, m->column, &m->addend));
	if (m->addend.square_shift)
		ADD(" // %lld", 1LL << m->addend.square_shift);
	return SOTTO_OK;
}

/* Measures over different values have a query of their own; a count of them in rows has not. */
static bool is_apart(const struct sotto_plan *plan, const struct sotto_measure *m)
{
	return m->addend.distinct || (plan->units && m->kind == SOTTO_MEASURE_DISTINCT);
}

/* ---- one level: each row is a unit ----------------------------------------------------- */

static enum sotto_status
add_row_measure(struct sotto_buffer *b, const struct sotto_measure *m, size_t i)
{
	if (m->kind == SOTTO_MEASURE_SUM) {
		ADD(", CAST(sum(");
		SOTTO_TRY(add_value(b, m));
		ADD(") AS HUGEINT) AS m%zu", i);
	} else if (m->column == SIZE_MAX) {
		ADD(", CAST(count(*) AS HUGEINT) AS m%zu", i);
	} else {
		ADD(", CAST(count(%sy%zu) AS HUGEINT) AS m%zu",
		    m->kind == SOTTO_MEASURE_DISTINCT ? "DISTINCT " : "", m->column, i);
	}
	return SOTTO_OK;
}

static enum sotto_status add_row_groups(struct sotto_buffer *b, const struct sotto_plan *plan)
{
	ADD(", a AS (SELECT count(*) AS total");
	for (size_t i = 0; i < plan->key_count; i++)
		ADD(", k%zu", i);
	for (size_t i = 0; i < plan->measure_count; i++)
		if (!is_apart(plan, &plan->measures[i]))
			SOTTO_TRY(add_row_measure(b, &plan->measures[i], i));
	ADD(" FROM r");
	SOTTO_TRY(sotto_compose_group_by(b, plan, ""));
	return sotto_buffer_append_text(b, ")");
}

/* ---- two levels: bounded per unit -------------------------------------------------------- */

/*
 * Is the number of a unit's values read by anything?  A sum over a column that is
 * never NULL goes by the number of rows; were it NULL after all, that number is
 * only larger, and the sum held the tighter.
 */
static bool is_counted(const struct sotto_plan *plan, size_t column)
{
	for (size_t i = 0; i < plan->measure_count; i++) {
		const struct sotto_measure *m = &plan->measures[i];

		if (m->column == column && m->kind != SOTTO_MEASURE_DISTINCT &&
		    !m->addend.distinct &&
		    (m->kind != SOTTO_MEASURE_SUM || !plan->columns[column].never_null))
			return true;
	}
	return false;
}

static enum sotto_status add_units(struct sotto_buffer *b, const struct sotto_plan *plan)
{
	ADD(", p AS (SELECT u, ");
	for (size_t i = 0; i < plan->key_count; i++)
		ADD("k%zu, ", i);
	ADD("count(*) AS n");
	for (size_t i = 0; i < plan->column_count; i++)
		if (is_counted(plan, i))
			ADD(", count(y%zu) AS n%zu", i, i);
	for (size_t i = 0; i < plan->measure_count; i++) {
		if (plan->measures[i].kind != SOTTO_MEASURE_SUM ||
		    plan->measures[i].addend.distinct)
			continue;
		ADD(", sum(");
		SOTTO_TRY(add_value(b, &plan->measures[i]));
		ADD(") AS s%zu", i);
	}
	ADD(" FROM r");
	SOTTO_TRY(sotto_compose_group_by(b, plan, "u"));
	return sotto_buffer_append_text(b, ")");
}

/*
 * The groups that a unit keeps are chosen by a hash of the unit and the group:
 * a function of that unit's rows alone.  Where the unit is a row, its number is
 * not one (it moves when another row goes), so the group alone is hashed.
 */
static enum sotto_status
add_kept(struct sotto_buffer *b, const struct sotto_plan *plan, uint64_t salt)
{
	ADD(", q AS (SELECT * FROM p");
	if (plan->window) {
		ADD(" QUALIFY row_number() OVER (PARTITION BY u ORDER BY hash(%s%llu, ",
		    plan->owner->unit_is_row ? "" : "u, ", (unsigned long long)salt);
		SOTTO_TRY(add_keys(b, plan, ""));
		ADD("), ");
		SOTTO_TRY(add_keys(b, plan, ""));
		ADD(") <= %lld", (long long)plan->groups);
	}
	return sotto_buffer_append_text(b, ")");
}

/*
 * A unit with more than max_rows rows keeps its mean: both count and sum are
 * scaled down, in integers, so the result stays within max_rows times the bounds.
 */
static enum sotto_status add_unit_measure(struct sotto_buffer *b, const struct sotto_plan *plan,
					  const struct sotto_measure *m, size_t i)
{
	long long most = plan->max_rows;
	char n[24] = "n";

	if (m->column != SIZE_MAX && is_counted(plan, m->column))
		(void)snprintf(n, sizeof n, "n%zu", m->column);
	if (m->kind == SOTTO_MEASURE_UNITS && m->column == SIZE_MAX)
		ADD(", CAST(count(*) AS HUGEINT) AS m%zu", i);
	else if (m->kind == SOTTO_MEASURE_UNITS)
		ADD(", CAST(sum(least(%s, 1)) AS HUGEINT) AS m%zu", n, i);
	else if (m->kind == SOTTO_MEASURE_ROWS)
		ADD(", CAST(sum(least(%s, %lld)) AS HUGEINT) AS m%zu", n, most, i);
	else if (m->kind == SOTTO_MEASURE_SUM && !m->addend.distinct)
		ADD(", CAST(sum(CASE WHEN %s > %lld THEN CAST(s%zu * %lld // %s AS BIGINT) "
		    "ELSE CAST(s%zu AS BIGINT) END) AS HUGEINT) AS m%zu",
		    n, most, i, most, n, i, i);
	return SOTTO_OK;
}

static enum sotto_status
add_unit_groups(struct sotto_buffer *b, const struct sotto_plan *plan, uint64_t salt)
{
	SOTTO_TRY(add_units(b, plan));
	SOTTO_TRY(add_kept(b, plan, salt));
	ADD(", a AS (SELECT count(*) AS total");
	for (size_t i = 0; i < plan->key_count; i++)
		ADD(", k%zu", i);
	for (size_t i = 0; i < plan->measure_count; i++)
		SOTTO_TRY(add_unit_measure(b, plan, &plan->measures[i], i));
	ADD(" FROM q");
	SOTTO_TRY(sotto_compose_group_by(b, plan, ""));
	return sotto_buffer_append_text(b, ")");
}

enum sotto_status sotto_compose_same_keys(struct sotto_buffer *b, const struct sotto_plan *plan,
					  const char *x, const char *y)
{
	for (size_t i = 0; i < plan->key_count; i++)
		ADD(" AND %s.k%zu IS NOT DISTINCT FROM %s.k%zu", x, i, y, i);
	return SOTTO_OK;
}

/* Each unit brings at most max_rows different values into a group, chosen as above. */
static enum sotto_status add_unit_values(struct sotto_buffer *b, const struct sotto_plan *plan,
					 const struct sotto_measure *m, uint64_t salt)
{
	ADD("SELECT * FROM (SELECT DISTINCT r.u");
	for (size_t k = 0; k < plan->key_count; k++)
		ADD(", r.k%zu", k);
	ADD(", r.y%zu FROM r", m->column);
	if (plan->window) {
		ADD(" JOIN q ON q.u = r.u");
		SOTTO_TRY(sotto_compose_same_keys(b, plan, "q", "r"));
	}
	ADD(" WHERE r.y%zu IS NOT NULL) QUALIFY row_number() OVER (PARTITION BY u", m->column);
	for (size_t k = 0; k < plan->key_count; k++)
		ADD(", k%zu", k);
	ADD(" ORDER BY hash(y%zu, %llu), y%zu) <= %lld", m->column, (unsigned long long)salt,
	    m->column, (long long)plan->max_rows);
	return SOTTO_OK;
}

/* Different values of all units: counted, or added up, each once. */
static enum sotto_status add_distinct(struct sotto_buffer *b, const struct sotto_plan *plan,
				      const struct sotto_measure *m, size_t i, uint64_t salt)
{
	ADD(", d%zu AS (SELECT 1 AS one, ", i);
	for (size_t k = 0; k < plan->key_count; k++)
		ADD("k%zu, ", k);
	ADD("CAST(");
	if (m->kind == SOTTO_MEASURE_DISTINCT) {
		ADD("count(y%zu", m->column);
	} else {
		ADD("sum(");
		SOTTO_TRY(add_value(b, m));
	}
	ADD(") AS HUGEINT) AS m FROM (SELECT DISTINCT ");
	for (size_t k = 0; k < plan->key_count; k++)
		ADD("k%zu, ", k);
	ADD("y%zu FROM (", m->column);
	if (plan->units)
		SOTTO_TRY(add_unit_values(b, plan, m, salt));
	else
		ADD("SELECT * FROM r WHERE y%zu IS NOT NULL", m->column);
	ADD("))");
	SOTTO_TRY(sotto_compose_group_by(b, plan, ""));
	return sotto_buffer_append_text(b, ")");
}

/* ---- groups --------------------------------------------------------------------------------- */

static enum sotto_status add_domains(struct sotto_buffer *b, const struct sotto_plan *plan)
{
	ADD("(SELECT * FROM ");
	for (size_t i = 0; i < plan->set_count; i++) {
		ADD("%s", i ? ", " : "");
		SOTTO_TRY(add_set(b, plan, &plan->sets[i]));
		ADD(" AS d%zu", i);
	}
	return sotto_buffer_append_text(b, ")");
}

/* What belongs to a group and was found elsewhere. */
static enum sotto_status
add_join(struct sotto_buffer *b, const struct sotto_plan *plan, const char *name)
{
	bool joined = plan->public_keys && plan->key_count > 0;

	ADD(" LEFT JOIN %s ON TRUE", name);
	return sotto_compose_same_keys(b, plan, joined ? "z" : "a", name);
}

/* Public keys are joined in, so that empty groups appear. */
static enum sotto_status add_final(struct sotto_buffer *b, const struct sotto_plan *plan)
{
	bool joined = plan->public_keys && plan->key_count > 0;

	ADD(", g AS (SELECT 1 AS one");
	for (size_t i = 0; i < plan->key_count; i++)
		ADD(", %s.k%zu", joined ? "z" : "a", i);
	for (size_t i = 0; i < plan->measure_count; i++) {
		if (is_apart(plan, &plan->measures[i]))
			ADD(", d%zu.m AS m%zu", i, i);
		else
			ADD(", a.m%zu", i);
	}
	for (size_t i = 0; i < plan->pick_count; i++)
		ADD(", h%zu.l AS l%zu", i, i);
	ADD(" FROM ");
	if (joined) {
		SOTTO_TRY(add_domains(b, plan));
		ADD(" AS z LEFT JOIN a ON TRUE");
		SOTTO_TRY(sotto_compose_same_keys(b, plan, "z", "a"));
	} else {
		ADD("a");
	}
	for (size_t i = 0; i < plan->measure_count; i++) {
		char name[24];

		if (!is_apart(plan, &plan->measures[i]))
			continue;
		(void)snprintf(name, sizeof name, "d%zu", i);
		SOTTO_TRY(add_join(b, plan, name));
	}
	for (size_t i = 0; i < plan->pick_count; i++) {
		char name[24];

		(void)snprintf(name, sizeof name, "h%zu", i);
		SOTTO_TRY(add_join(b, plan, name));
	}
	return sotto_buffer_append_text(b, ")");
}

/* Keys come out as one of four types: truth values, whole numbers, numbers and text. */
static const char *key_type(enum sotto_sql_type type)
{
	switch (type) {
	case SOTTO_TYPE_BOOLEAN:
		return "BOOLEAN";
	case SOTTO_TYPE_INTEGER:
		return "BIGINT";
	case SOTTO_TYPE_NUMBER:
		return "DOUBLE";
	default:
		return "VARCHAR";
	}
}

static enum sotto_status add_select(struct sotto_buffer *b, const struct sotto_plan *plan)
{
	ADD(" SELECT ");
	for (size_t i = 0; i < plan->key_count; i++)
		ADD("TRY_CAST(g.k%zu AS %s) AS k%zu, ", i, key_type(plan->keys[i].bound.type),
		    i);
	for (size_t i = 0; i < plan->derived_count; i++)
		ADD("TRY_CAST(%s AS %s) AS x%zu, ", plan->derived[i],
		    key_type(plan->derived_types[i]), i);
	for (size_t i = 0; i < plan->measure_count; i++)
		ADD("g.m%zu, ", i);
	for (size_t i = 0; i < plan->pick_count; i++)
		ADD("g.l%zu, ", i);
	for (size_t i = 0; i < plan->pick_count; i++) {
		if (plan->picks[i].kind != SOTTO_PICK_MODE)
			continue;
		SOTTO_TRY(sotto_pick_compose_domain(b, &plan->picks[i].mode));
		ADD(" AS o%zu, ", i);
	}
	ADD("CAST(1 AS BIGINT) AS one FROM g");
	return SOTTO_OK;
}

/*
 * Only public keys are asked for.  They are what their domains say, whoever is in the
 * table: no private row is read, so that neither answer nor time depends on one.
 */
static enum sotto_status add_keys_alone(struct sotto_buffer *b, const struct sotto_plan *plan)
{
	ADD("WITH g AS (SELECT 1 AS one");
	for (size_t i = 0; i < plan->key_count; i++)
		ADD(", z.k%zu", i);
	if (plan->key_count > 0) {
		ADD(" FROM ");
		SOTTO_TRY(add_domains(b, plan));
		ADD(" AS z");
	}
	return sotto_buffer_append_text(b, ")");
}

static enum sotto_status compose(struct sotto_buffer *b, struct sotto_plan *plan,
				 const struct sotto_relation *from, const char *where,
				 uint64_t salt)
{
	if (sotto_plan_is_free(plan)) {
		SOTTO_TRY(add_keys_alone(b, plan));
		return add_select(b, plan);
	}
	SOTTO_TRY(add_rows(b, plan, from, where));
	SOTTO_TRY(plan->units ? add_unit_groups(b, plan, salt) : add_row_groups(b, plan));
	for (size_t i = 0; i < plan->measure_count; i++)
		if (is_apart(plan, &plan->measures[i]))
			SOTTO_TRY(add_distinct(b, plan, &plan->measures[i], i, salt));
	for (size_t i = 0; i < plan->pick_count; i++)
		SOTTO_TRY(sotto_pick_compose(b, plan, i));
	SOTTO_TRY(add_final(b, plan));
	return add_select(b, plan);
}

enum sotto_status sotto_plan_compose(struct sotto_plan *plan, const struct sotto_relation *from,
				     const char *where, uint64_t salt)
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, 16 << 20);
	st = compose(&b, plan, from, where, salt);
	if (st == SOTTO_OK) {
		plan->engine_sql = sotto_arena_text(&plan->arena, sotto_buffer_text(&b));
		st = plan->engine_sql ? SOTTO_OK : SOTTO_ENOMEM;
	}
	sotto_buffer_release(&b);
	return st;
}
