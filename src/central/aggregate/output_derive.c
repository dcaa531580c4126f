/*
 * Binds an expression over the keys k0, k1, ... of the finished groups, or puts these into one that
 * was bound over rows; the engine computes it for each group that is shown.
 */
#include "central/aggregate/output_derive.h"

#include "central/expression/bind.h"
#include "central/plan/planner.h"
#include "core/base/failure.h"

struct sotto_sql_expr *
sotto_output_leaf(struct sotto_plan *plan, enum sotto_sql_kind kind, size_t index, int at)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(&plan->arena, kind, at);

	if (e)
		e->index = index;
	return e;
}

bool sotto_output_find_key(const struct sotto_plan *plan, const struct sotto_expression *value,
			   size_t *index)
{
	for (size_t i = 0; i < plan->key_count; i++)
		if (sotto_expression_equal(plan->keys[i].bound.value, value)) {
			*index = i;
			return true;
		}
	return false;
}

/* Columns that are keys, under the names k0, k1, ... of the finished groups. */
static enum sotto_status
key_scope(struct sotto_plan *plan, const struct sotto_scope *rows, struct sotto_scope *out)
{
	size_t key;

	for (size_t i = 0; i < rows->count; i++) {
		struct sotto_scope_column *c;

		if (!sotto_output_find_key(plan, rows->columns[i]->bound.value, &key))
			continue;
		c = sotto_arena_alloc(&plan->arena, sizeof *c);
		SOTTO_NEED(c);
		*c = *rows->columns[i];
		c->bound.whole = NULL;
		c->bound.value = sotto_expression_column(
			&plan->arena, "g", sotto_arena_textf(&plan->arena, "k%zu", key));
		SOTTO_NEED(c->bound.value && sotto_scope_add(&plan->arena, out, c));
	}
	return SOTTO_OK;
}

/* A private row may make a group of its own; public groups are there without it. */
static enum sotto_status bind_over_groups(const struct sotto_plan *plan, struct sotto_binder *b,
					  const struct sotto_sql_expr *e,
					  struct sotto_bound *out)
{
	double work = b->planner->work, once = b->planner->work_once;

	SOTTO_TRY(sotto_bind(b, e, out));
	if (!plan->public_keys)
		return SOTTO_OK;
	b->planner->work = work;
	b->planner->work_once = once;
	return SOTTO_OK;
}

static enum sotto_status
add_derived(struct sotto_plan *plan, const struct sotto_expression *computed,
	    enum sotto_sql_type its_type, int at, struct sotto_sql_expr **out)
{
	size_t types = plan->derived_count;
	enum sotto_sql_type *type = SOTTO_PUSH(&plan->arena, plan->derived_types, types);
	const struct sotto_expression **value =
		SOTTO_PUSH(&plan->arena, plan->derived, plan->derived_count);

	SOTTO_NEED(type && value && computed);
	*value = computed;
	*type = its_type;
	*out = sotto_output_leaf(plan, SOTTO_SQL_KEY, plan->key_count + plan->derived_count - 1,
				 at);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_output_derive(struct sotto_plan *plan, struct sotto_binder *b,
				      const struct sotto_sql_expr *e,
				      struct sotto_sql_expr **out)
{
	struct sotto_scope scope = {0};
	struct sotto_binder inner = *b;
	struct sotto_bound bound;

	SOTTO_TRY(key_scope(plan, b->scope, &scope));
	inner.scope = &scope;
	inner.from = NULL; /* finished groups are not private rows any more */
	SOTTO_TRY(bind_over_groups(plan, &inner, e, &bound));
	return add_derived(plan, bound.value, bound.type, e->at, out);
}

static bool stands_in(const struct sotto_expression *key, const struct sotto_expression *x)
{
	if (sotto_expression_equal(key, x))
		return true;
	for (size_t i = 0; i < x->count; i++)
		if (stands_in(key, x->args[i]))
			return true;
	return false;
}

/* With what stands for each key in its place; NULL without memory. */
static const struct sotto_expression *
over_keys(struct sotto_plan *plan, const struct sotto_expression *x, bool marked)
{
	struct sotto_arena *a = &plan->arena;

	for (size_t i = 0; x && i < plan->key_count; i++) {
		const struct sotto_expression *to =
			marked ? sotto_expression_word(a, SOTTO_OP_STAR)
			       : sotto_expression_column(a, "g",
							 sotto_arena_textf(a, "k%zu", i));

		x = to ? sotto_expression_replace(a, x, plan->keys[i].bound.value, to) : NULL;
	}
	return x;
}

enum sotto_status sotto_output_derive_moment(struct sotto_plan *plan, struct sotto_binder *b,
					     const struct sotto_sql_expr *e,
					     const struct sotto_bound *x,
					     struct sotto_sql_expr **out, bool *done)
{
	const struct sotto_expression *rest = over_keys(plan, x->value, true);
	bool moment = false;

	*done = false;
	SOTTO_NEED(rest);
	for (size_t i = 0; i < plan->key_count; i++) {
		enum sotto_sql_type type = plan->keys[i].bound.type;

		moment = moment || ((type == SOTTO_TYPE_DATE || type == SOTTO_TYPE_TIMESTAMP) &&
				    stands_in(plan->keys[i].bound.value, x->value));
	}
	if (!moment || sotto_expression_reads_column(rest))
		return SOTTO_OK;
	if (!plan->public_keys) { /* a row may make a group of its own */
		struct sotto_bound counted;

		SOTTO_TRY(sotto_bind(b, e, &counted));
	}
	*done = true;
	return add_derived(plan, over_keys(plan, x->value, false), x->type, e->at, out);
}
