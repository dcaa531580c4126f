/*
 * Measures over different values: how many there are in a group, or what they add up to.
 *
 *	d<i>: one per group     k0.., m
 */
#include "central/emit/engine_query.h"
#include "central/emit/emit.h"
#include "core/base/failure.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(&e->buffer, __VA_ARGS__))

bool sotto_measure_is_apart(const struct sotto_emitter *e, const struct sotto_plan *plan,
			    const struct sotto_measure *m)
{
	return m->addend.distinct ||
	       (m->kind == SOTTO_MEASURE_DISTINCT &&
		(plan->units || e->sets || plan->columns[m->column].set.keys));
}

bool sotto_measure_is_set(const struct sotto_emitter *e, const struct sotto_measure *m)
{
	return e->sets && m->kind == SOTTO_MEASURE_DISTINCT;
}

static enum sotto_status add_value(struct sotto_emitter *e, const struct sotto_measure *m)
{
	SOTTO_TRY(sotto_compose_clipped(e, m->column, &m->addend));
	if (!m->addend.square)
		return SOTTO_OK;
	ADD(" * ");
	SOTTO_TRY(sotto_compose_clipped(e, m->column, &m->addend));
	if (m->addend.square_shift)
		ADD(" // %lld", 1LL << m->addend.square_shift);
	return SOTTO_OK;
}

/* " WHERE ...": there is a value, and it is one of those that are declared. */
static enum sotto_status add_condition(struct sotto_emitter *e, const struct sotto_plan *plan,
				       const struct sotto_measure *m)
{
	const struct sotto_domain *keys = plan->columns[m->column].set.keys;

	ADD(" WHERE r.y%zu IS NOT NULL", m->column);
	if (!keys)
		return SOTTO_OK;
	ADD(" AND r.y%zu IN (SELECT k FROM (", m->column);
	SOTTO_TRY(sotto_emit_query(e, keys->rows));
	return sotto_buffer_append_text(&e->buffer, ") AS e)");
}

/* Each unit brings at most max_rows different values into a group, chosen as above. */
static enum sotto_status add_unit_values(struct sotto_emitter *e, const struct sotto_plan *plan,
					 const struct sotto_measure *m, uint64_t salt)
{
	ADD("SELECT * FROM (SELECT DISTINCT r.u");
	for (size_t k = 0; k < plan->key_count; k++)
		ADD(", r.k%zu", k);
	ADD(", r.y%zu FROM r", m->column);
	if (plan->window) {
		ADD(" JOIN q ON q.u = r.u");
		SOTTO_TRY(sotto_compose_same_keys(e, plan, "q", "r"));
	}
	SOTTO_TRY(add_condition(e, plan, m));
	ADD(") QUALIFY row_number() OVER (PARTITION BY u");
	for (size_t k = 0; k < plan->key_count; k++)
		ADD(", k%zu", k);
	ADD(" ORDER BY hash(y%zu, %llu), y%zu) <= %lld", m->column, (unsigned long long)salt,
	    m->column, (long long)plan->max_rows);
	return SOTTO_OK;
}

/*
 * The values, of which those of several buckets are one set: whole numbers, or texts that are
 * different where the values are.
 */
static enum sotto_status
add_set(struct sotto_emitter *e, const struct sotto_plan *plan, const struct sotto_measure *m)
{
	bool numbers = plan->columns[m->column].set.has_numbers;

	ADD(", list({'v': CAST(y%zu AS %s), 'n': CAST(1 AS HUGEINT)}) AS l", m->column,
	    numbers ? "HUGEINT" : "VARCHAR");
	return SOTTO_OK;
}

/* Different values of all units: counted, or added up, each once. */
enum sotto_status sotto_distinct_compose(struct sotto_emitter *e, const struct sotto_plan *plan,
					 size_t i, uint64_t salt)
{
	const struct sotto_measure *m = &plan->measures[i];

	ADD(", d%zu AS (SELECT 1 AS one, ", i);
	for (size_t k = 0; k < plan->key_count; k++)
		ADD("k%zu, ", k);
	ADD("CAST(");
	if (m->kind == SOTTO_MEASURE_DISTINCT) {
		ADD("count(y%zu", m->column);
	} else {
		ADD("sum(");
		SOTTO_TRY(add_value(e, m));
	}
	ADD(") AS HUGEINT) AS m");
	if (sotto_measure_is_set(e, m))
		SOTTO_TRY(add_set(e, plan, m));
	ADD(" FROM (SELECT DISTINCT ");
	for (size_t k = 0; k < plan->key_count; k++)
		ADD("k%zu, ", k);
	ADD("y%zu FROM (", m->column);
	if (plan->units) {
		SOTTO_TRY(add_unit_values(e, plan, m, salt));
	} else {
		ADD("SELECT * FROM r");
		SOTTO_TRY(add_condition(e, plan, m));
	}
	ADD("))");
	SOTTO_TRY(sotto_compose_group_by(e, plan, ""));
	return sotto_buffer_append_text(&e->buffer, ")");
}
