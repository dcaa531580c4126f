/*
 * Public keys divided into sets: GROUP BY c.city, c.region shows the pairs that
 * the public table has, GROUP BY c.city, sex every city with every sex.
 */
#include "central/plan/aggregate/key_set.h"

#include <string.h>

#include "central/plan/expression/domain_image.h"
#include "central/plan/expression/public_domain.h"
#include "central/plan/plan.h"
#include "central/plan/planner.h"
#include "core/base/failure.h"

/* Do two keys read the same public relation, or the same column? */
static bool share(const struct sotto_bound *x, const struct sotto_bound *y)
{
	if (!sotto_domain_has_image(x) || !sotto_domain_has_image(y))
		return false;
	for (size_t i = 0; i < x->column_count; i++)
		for (size_t j = 0; j < y->column_count; j++) {
			const struct sotto_scope_column *c = x->columns[i], *d = y->columns[j];

			if (c == d || (c->rows && c->rows == d->rows) ||
			    (!c->rows && !d->rows && c->inner && d->inner &&
			     share(c->inner, d->inner)))
				return true;
		}
	return false;
}

/* label[i] becomes the first key that key i depends on, directly or by others. */
static void label_keys(const struct sotto_plan *plan, size_t *label)
{
	for (size_t i = 0; i < plan->key_count; i++) {
		label[i] = i;
		for (size_t j = 0; j < i; j++) {
			size_t from = label[i], to = label[j];

			if (from == to || !share(&plan->keys[i].bound, &plan->keys[j].bound))
				continue;
			for (size_t k = 0; k <= i; k++)
				if (label[k] == (from > to ? from : to))
					label[k] = from > to ? to : from;
		}
	}
}

static enum sotto_status set_rows(struct sotto_plan *plan, struct sotto_key_set *set)
{
	const struct sotto_bound **parts = sotto_arena_alloc(
		&plan->arena, (set->count + 1) * sizeof(struct sotto_bound *));
	const char **names = sotto_arena_alloc(&plan->arena, (set->count + 1) * sizeof *names);
	const struct sotto_domain *d = plan->keys[set->keys[0]].domain;

	SOTTO_NEED(parts && names);
	for (size_t i = 0; i < set->count; i++) {
		parts[i] = &plan->keys[set->keys[i]].bound;
		names[i] = sotto_arena_textf(&plan->arena, "k%zu", set->keys[i]);
		SOTTO_NEED(names[i]);
	}
	if (set->count > 1) {
		SOTTO_TRY(sotto_domain_joint(&plan->arena, parts, names, set->count, &d));
		SOTTO_NEED(d);
		set->rows = d->rows;
	} else {
		set->rows = sotto_rowset_one(
			&plan->arena, sotto_expression_column(&plan->arena, NULL, "k"),
			names[0], sotto_rowset_named(&plan->arena, d->rows, "v"));
	}
	set->size = d->size;
	return set->rows ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_key_sets_make(struct sotto_plan *plan)
{
	size_t *label = sotto_arena_alloc(&plan->arena, (plan->key_count + 1) * sizeof *label);

	SOTTO_NEED(label);
	label_keys(plan, label);
	for (size_t i = 0; i < plan->key_count; i++) {
		struct sotto_key_set set = {0}, *slot;

		if (label[i] != i)
			continue;
		set.keys = sotto_arena_alloc(&plan->arena, plan->key_count * sizeof *set.keys);
		SOTTO_NEED(set.keys);
		for (size_t j = i; j < plan->key_count; j++)
			if (label[j] == i)
				set.keys[set.count++] = j;
		SOTTO_TRY(set_rows(plan, &set));
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
