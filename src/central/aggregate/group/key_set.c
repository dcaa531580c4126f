/*
 * Public keys divided into sets: GROUP BY c.city, c.region shows the pairs that
 * the public table has, GROUP BY c.city, sex every city with every sex.
 */
#include "central/aggregate/group/key_set.h"

#include <string.h>

#include "central/expression/domain/expression_domain.h"
#include "central/expression/domain/met_condition.h"
#include "central/expression/domain/public_domain.h"
#include "central/plan/plan.h"
#include "central/plan/planner.h"
#include "core/base/failure.h"

/* Do two values read the same public relation, or the same column? */
static bool share(const struct sotto_bound *x, const struct sotto_bound *y)
{
	for (size_t i = 0; i < x->column_count; i++)
		for (size_t j = 0; j < y->column_count; j++) {
			const struct sotto_scope_column *c = x->columns[i], *d = y->columns[j];

			if (sotto_columns_together(c, d) ||
			    (!c->rows && !d->rows && c->inner && d->inner &&
			     sotto_expression_has_domain(c->inner) &&
			     sotto_expression_has_domain(d->inner) &&
			     share(c->inner, d->inner)))
				return true;
		}
	return false;
}

/* Does a condition speak of both, here or in one subquery below? */
static bool are_tied(const struct sotto_conditions *met, const struct sotto_bound *x,
		     const struct sotto_bound *y)
{
	const struct sotto_scope_column *c = x->column_count == 1 ? x->columns[0] : NULL,
					*d = y->column_count == 1 ? y->columns[0] : NULL;

	for (size_t i = 0; met && i < met->count; i++)
		if (share(&met->list[i], x) && share(&met->list[i], y))
			return true;
	return c && d && c->met && c->met == d->met && sotto_expression_has_domain(c->inner) &&
	       sotto_expression_has_domain(d->inner) && are_tied(c->met, c->inner, d->inner);
}

static const struct sotto_bound *image_of(const struct sotto_plan_key *k)
{
	return k->image ? k->image : &k->bound;
}

static bool depend(const struct sotto_conditions *met, const struct sotto_plan_key *x,
		   const struct sotto_plan_key *y)
{
	return x->is_image && y->is_image &&
	       (share(image_of(x), image_of(y)) || are_tied(met, image_of(x), image_of(y)));
}

/* label[i] becomes the first key that key i depends on, directly or by others. */
static void
label_keys(const struct sotto_plan *plan, const struct sotto_conditions *met, size_t *label)
{
	for (size_t i = 0; i < plan->key_count; i++) {
		label[i] = i;
		for (size_t j = 0; j < i; j++) {
			size_t from = label[i], to = label[j];

			if (from == to || !depend(met, &plan->keys[i], &plan->keys[j]))
				continue;
			for (size_t k = 0; k <= i; k++)
				if (label[k] == (from > to ? from : to))
					label[k] = from > to ? to : from;
		}
	}
}

static struct sotto_expression_domain_terms terms_of(const struct sotto_plan *plan,
						     const struct sotto_key_set *set,
						     const struct sotto_conditions *met)
{
	struct sotto_expression_domain_terms terms = {.met = met};

	for (size_t i = 0; i < set->count; i++) {
		const struct sotto_plan_key *k = &plan->keys[set->keys[i]];

		terms.bounded = terms.bounded || k->held;
		terms.days = terms.days || k->days;
	}
	return terms;
}

/* The values of keys that are computed together which conditions over their columns leave. */
static enum sotto_status joint_rows(struct sotto_plan *plan, struct sotto_key_set *set,
				    const struct sotto_conditions *met, const char **names)
{
	const struct sotto_expression_domain_terms terms = terms_of(plan, set, met);
	const struct sotto_bound **parts = sotto_arena_alloc(
		&plan->arena, (set->count + 1) * sizeof(struct sotto_bound *));
	const struct sotto_domain *d;

	SOTTO_NEED(parts);
	for (size_t i = 0; i < set->count; i++)
		parts[i] = image_of(&plan->keys[set->keys[i]]);
	SOTTO_TRY(sotto_expression_domain_joint(&plan->arena, parts, names, set->count, &terms,
						&d));
	if (!d && set->count > 1)
		set->size = SOTTO_DOMAIN_MAX + 1; /* too many to be written out */
	if (!d || (set->count == 1 && !d->may_be_fewer))
		return SOTTO_OK;
	set->rows = d->rows;
	set->size = d->size;
	set->may_be_fewer = d->may_be_fewer;
	return SOTTO_OK;
}

/* The values of one key with values of its own which conditions over it leave. */
static enum sotto_status own_rows(struct sotto_plan *plan, struct sotto_key_set *set,
				  const struct sotto_conditions *met, const char *name)
{
	struct sotto_arena *a = &plan->arena;
	const struct sotto_plan_key *key = &plan->keys[set->keys[0]];
	const struct sotto_expression *k = sotto_expression_column(a, "v", "k");
	struct sotto_rowset_select s = {0};

	if (!key->is_image)
		SOTTO_TRY(sotto_conditions_over_value(a, met, key->bound.value, k, &s.where));
	SOTTO_NEED(sotto_rowset_output(a, &s, k, name) &&
		   sotto_rowset_from(a, &s, sotto_rowset_named(a, key->domain->rows, "v")));
	set->rows = sotto_rowset_select(a, &s, NULL);
	set->size = key->domain->size;
	set->may_be_fewer = s.where != NULL;
	return set->rows ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
set_rows(struct sotto_plan *plan, struct sotto_key_set *set, const struct sotto_conditions *met)
{
	const char **names = sotto_arena_alloc(&plan->arena, (set->count + 1) * sizeof *names);

	SOTTO_NEED(names);
	for (size_t i = 0; i < set->count; i++) {
		names[i] = sotto_arena_textf(&plan->arena, "k%zu", set->keys[i]);
		SOTTO_NEED(names[i]);
	}
	if (plan->keys[set->keys[0]].is_image)
		SOTTO_TRY(joint_rows(plan, set, met, names));
	return set->rows || set->count > 1 ? SOTTO_OK : own_rows(plan, set, met, names[0]);
}

enum sotto_status
sotto_key_sets_make(struct sotto_plan *plan, const struct sotto_conditions *met)
{
	size_t *label = sotto_arena_alloc(&plan->arena, (plan->key_count + 1) * sizeof *label);

	SOTTO_NEED(label);
	label_keys(plan, met, label);
	for (size_t i = 0; i < plan->key_count; i++) {
		struct sotto_key_set set = {0}, *slot;

		if (label[i] != i)
			continue;
		set.keys = sotto_arena_alloc(&plan->arena, plan->key_count * sizeof *set.keys);
		SOTTO_NEED(set.keys);
		for (size_t j = i; j < plan->key_count; j++)
			if (label[j] == i)
				set.keys[set.count++] = j;
		SOTTO_TRY(set_rows(plan, &set, met));
		slot = SOTTO_PUSH(&plan->arena, plan->sets, plan->set_count);
		SOTTO_NEED(slot);
		*slot = set;
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_key_sets_count(struct sotto_plan *plan, int64_t most, const struct sotto_rowset **query)
{
	struct sotto_arena *a = &plan->arena;
	const struct sotto_expression *star = sotto_expression_word(a, SOTTO_OP_STAR);
	struct sotto_rowset_select s = {.limit = sotto_expression_whole(a, most + 1)};

	SOTTO_NEED(s.limit && sotto_rowset_output(a, &s, sotto_expression_whole(a, 1), NULL));
	for (size_t i = 0; i < plan->set_count; i++)
		SOTTO_NEED(
			sotto_rowset_from(a, &s,
					  sotto_rowset_named(a, plan->sets[i].rows,
							     sotto_arena_textf(a, "s%zu", i))));
	*query = sotto_rowset_one(a, SOTTO_APPLY(a, SOTTO_OP_COUNT, star), NULL,
				  sotto_rowset_select(a, &s, "c"));
	return *query ? SOTTO_OK : SOTTO_ENOMEM;
}
