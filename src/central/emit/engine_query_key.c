/*
 * Keys in the engine's query: what they are in rows, and the values of public ones.
 */
#include <string.h>

#include "central/emit/emit.h"
#include "central/emit/engine_query.h"
#include "central/expression/bind.h"
#include "central/plan/plan.h"
#include "core/base/failure.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(&e->buffer, __VA_ARGS__))
#define ADD_EXPRESSION(x) SOTTO_TRY(sotto_emit_expression(e, x))

/*
 * The one engine type of a public key, in rows and in its domain: equal values
 * then are one group, however they were written, and each group is shown once.
 */
static enum sotto_sql_type public_type(const struct sotto_bound *k)
{
	return k->type == SOTTO_TYPE_INTEGER && k->is_double ? SOTTO_TYPE_NUMBER : k->type;
}

enum { SHORT_KEY = 64 };

/* A key of its own, which is one of few short texts that the policy lists. */
static bool is_short(const struct sotto_emitter *e, const struct sotto_plan *plan, size_t i)
{
	const struct sotto_plan_key *key = &plan->keys[i];

	if (!e->is_one_table || key->held || !key->bound.whole || !key->domain ||
	    key->bound.type != SOTTO_TYPE_TEXT || key->domain->longest == 0 ||
	    key->domain->longest > SHORT_KEY ||
	    key->bound.value->operation->form != SOTTO_OPERATION_COLUMN)
		return false;
	for (size_t s = 0; s < plan->set_count; s++)
		for (size_t k = 0; k < plan->sets[s].count; k++)
			if (plan->sets[s].keys[k] == i)
				return plan->sets[s].count == 1;
	return false;
}

/*
 * Of a text that is longer than all of them nothing is read but its length, and it becomes one
 * that is longer than all: no public value either way.  Unlike one that is cut, the engine then
 * knows that it is short, and groups by a number that stands for it.
 */
static const struct sotto_expression *
short_value(struct sotto_emitter *e, const struct sotto_plan_key *key)
{
	size_t n = key->domain->longest;
	char *longer = sotto_arena_alloc(e->arena, n + 2);

	if (!longer)
		return NULL;
	memset(longer, '.', n + 1);
	longer[n + 1] = '\0';
	return sotto_expression_cast(e->arena, SOTTO_OP_TRY_CAST,
				     SOTTO_APPLY(e->arena, SOTTO_OP_NO_KEY_IF_LONG,
						 key->bound.whole,
						 sotto_expression_whole(e->arena, (long long)n),
						 sotto_expression_text(e->arena, longer)),
				     SOTTO_TYPE_TEXT);
}

/*
 * A private text is cut no shorter than its public values (relation_scan.c).  Whole it would be
 * carried along and hashed in each row that a join makes.
 */
static const struct sotto_expression *
public_value(struct sotto_emitter *e, const struct sotto_plan_key *key)
{
	const struct sotto_bound *k = &key->bound;

	if (key->held)
		return sotto_expression_cast(e->arena, SOTTO_OP_TRY_CAST, key->held,
					     public_type(k));
	return sotto_expression_cast(
		e->arena, SOTTO_OP_TRY_CAST,
		k->whole && !sotto_bound_is_private(k) ? k->whole : k->value, public_type(k));
}

/* A whole number that is too large to be shown is NULL: no two groups are shown alike. */
const struct sotto_expression *
sotto_compose_key(struct sotto_emitter *e, const struct sotto_plan *plan, size_t i)
{
	const struct sotto_bound *k = &plan->keys[i].bound;
	const struct sotto_expression *alike = sotto_bind_alike(e->arena, k);

	if (plan->public_keys && is_short(e, plan, i))
		return short_value(e, &plan->keys[i]);
	if (plan->public_keys)
		return public_value(e, &plan->keys[i]);
	if (k->type == SOTTO_TYPE_INTEGER && k->is_double)
		return SOTTO_APPLY(e->arena, SOTTO_OP_SHOWN_WHOLE, k->value, alike);
	return alike;
}

/* The different combinations of a set of keys. */
static enum sotto_status
add_set(struct sotto_emitter *e, const struct sotto_plan *plan, const struct sotto_key_set *set)
{
	ADD("(SELECT DISTINCT ");
	for (size_t i = 0; i < set->count; i++) {
		size_t k = set->keys[i];

		ADD("%sTRY_CAST(k%zu AS %s) AS k%zu", i ? ", " : "", k,
		    sotto_sql_type_engine(public_type(&plan->keys[k].bound)), k);
	}
	ADD(" FROM (");
	SOTTO_TRY(sotto_emit_query(e, set->rows));
	return sotto_buffer_append_text(&e->buffer, ") AS v)");
}

enum sotto_status
sotto_compose_shown_only(struct sotto_emitter *e, const struct sotto_plan *plan, const char *x)
{
	for (size_t s = 0; s < plan->set_count; s++) {
		const struct sotto_key_set *set = &plan->sets[s];

		ADD(" SEMI JOIN ");
		SOTTO_TRY(add_set(e, plan, set));
		/* Equalities and nothing else: the engine then looks them up in a table. */
		ADD(" AS d%zu ON ", s);
		for (size_t i = 0; i < set->count; i++)
			ADD("%sd%zu.k%zu IS NOT DISTINCT FROM %s.k%zu", i ? " AND " : "", s,
			    set->keys[i], x, set->keys[i]);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_compose_domains(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	ADD("(SELECT * FROM ");
	for (size_t i = 0; i < plan->set_count; i++) {
		ADD("%s", i ? ", " : "");
		SOTTO_TRY(add_set(e, plan, &plan->sets[i]));
		ADD(" AS d%zu", i);
	}
	return sotto_buffer_append_text(&e->buffer, ")");
}

static enum sotto_status compose_count(struct sotto_emitter *e, const struct sotto_plan *plan,
				       const struct sotto_key_set *set, int64_t most)
{
	ADD("SELECT count(*) FROM (SELECT 1 FROM ");
	SOTTO_TRY(add_set(e, plan, set));
	ADD(" AS d LIMIT %lld) AS c", (long long)most + 1);
	return SOTTO_OK;
}

enum sotto_status sotto_key_set_compose_count(struct sotto_plan *plan,
					      const struct sotto_key_set *set, int64_t most,
					      struct sotto_emitted *out)
{
	struct sotto_emitter e;
	enum sotto_status st;

	sotto_emitter_init(&e, &plan->arena);
	st = compose_count(&e, plan, set, most);
	if (st == SOTTO_OK)
		st = sotto_emitter_finish(&e, out);
	sotto_emitter_release(&e);
	return st;
}
