/*
 * What is joined, which columns of it are read, and what is computed before it is joined.
 */
#include "central/emit/join_scope.h"

#include "central/emit/column_find.h"
#include "central/expression/binder.h"
#include "core/base/failure.h"

enum sotto_status
sotto_join_add_reading(struct sotto_join_scope *s, const struct sotto_expression *x)
{
	const struct sotto_expression **slot =
		x ? SOTTO_PUSH(s->e->arena, s->read, s->read_count) : NULL;

	if (slot)
		*slot = x;
	return slot || !x ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status
sotto_join_add_leaves(struct sotto_join_scope *s, const struct sotto_rowset *r)
{
	const struct sotto_rowset **slot;

	if (r->kind == SOTTO_ROWSET_JOIN) {
		SOTTO_TRY(sotto_join_add_reading(s, r->of.join.on));
		SOTTO_TRY(sotto_join_add_leaves(s, r->of.join.left));
		return sotto_join_add_leaves(s, r->of.join.right);
	}
	slot = SOTTO_PUSH(s->e->arena, s->leaves, s->leaf_count);
	SOTTO_NEED(slot);
	*slot = r;
	return SOTTO_OK;
}

const struct sotto_expression *
sotto_join_column(const struct sotto_join_scope *s, const struct sotto_rowset *leaf)
{
	const struct sotto_expression *found = NULL;

	for (size_t i = 0; leaf->alias && !found && i < s->read_count; i++)
		found = sotto_column_find(s->read[i], leaf->alias);
	return found;
}

const struct sotto_rowset *
sotto_join_only_leaf(const struct sotto_join_scope *s, const struct sotto_expression *x)
{
	const struct sotto_rowset *found = NULL;

	for (size_t i = 0; i < s->leaf_count; i++) {
		const struct sotto_rowset *leaf = s->leaves[i];

		if (!leaf->alias || !sotto_column_find(x, leaf->alias))
			continue;
		if (found)
			return NULL;
		found = leaf;
	}
	return found;
}

bool sotto_join_has_private(const struct sotto_join_scope *s, const struct sotto_rowset *leaf)
{
	for (size_t i = 0; i < s->leaf_count; i++)
		if (s->leaves[i] != leaf && s->leaves[i]->reads_private)
			return true;
	return s->outer != NULL;
}

static bool stands_in(const struct sotto_rowset *r, const struct sotto_rowset *leaf)
{
	return r == leaf ||
	       (r->kind == SOTTO_ROWSET_JOIN &&
		(stands_in(r->of.join.left, leaf) || stands_in(r->of.join.right, leaf)));
}

bool sotto_join_holds_private(const struct sotto_join_scope *s, const struct sotto_rowset *r)
{
	for (size_t i = 0; i < s->leaf_count; i++)
		if (s->leaves[i]->reads_private && !stands_in(r, s->leaves[i]))
			return false;
	return true;
}

bool sotto_join_can_wait(const struct sotto_join_scope *s, const struct sotto_rowset *r)
{
	return r->of.join.how == SOTTO_ROWSET_INNER && sotto_join_holds_private(s, r);
}

bool sotto_join_may_miss(const struct sotto_rowset *r, const struct sotto_rowset *leaf)
{
	const struct sotto_rowset *left, *right;

	if (r->kind != SOTTO_ROWSET_JOIN)
		return false;
	left = r->of.join.left;
	right = r->of.join.right;
	if (r->of.join.how != SOTTO_ROWSET_INNER &&
	    ((r->of.join.how != SOTTO_ROWSET_LEFT && stands_in(left, leaf)) ||
	     (r->of.join.how != SOTTO_ROWSET_RIGHT && stands_in(right, leaf))))
		return true;
	return sotto_join_may_miss(left, leaf) || sotto_join_may_miss(right, leaf);
}

enum sotto_status sotto_join_hold(struct sotto_emitter *e, const struct sotto_rowset **r)
{
	struct sotto_rowset *made = sotto_arena_alloc(e->arena, sizeof *made);
	const struct sotto_rowset **slot = SOTTO_PUSH(e->arena, e->held, e->held_count);

	SOTTO_NEED(made && slot);
	*made = **r;
	*slot = *r;
	made->kind = SOTTO_ROWSET_HELD;
	made->of.held = e->held_count - 1;
	*r = made;
	return SOTTO_OK;
}
