/*
 * join_scope.h - the FROM of one query, as after_join.c looks at it
 */
#ifndef SOTTO_JOIN_SCOPE_H
#define SOTTO_JOIN_SCOPE_H

#include "central/emit/emit.h"

/* What the engine would compute for all rows of one table, or for none, before it joins them. */
struct sotto_join_side {
	const struct sotto_expression *condition; /* in which it stands */
	const struct sotto_rowset *leaf;
	const struct sotto_expression *value, *column; /* and what it is called */
	const struct sotto_expression *here; /* a column that is TRUE, if rows may be missing */
};

struct sotto_join_scope {
	struct sotto_emitter *e;
	const struct sotto_rowset **leaves; /* what is joined */
	size_t leaf_count;
	const struct sotto_expression **read; /* where columns of theirs may stand */
	size_t read_count;
	const struct sotto_expression *outer; /* a column of the row around it; or NULL */
	struct sotto_join_side *sides; /* computed with the rows of one leaf */
	size_t side_count;
};

/* Each fails with SOTTO_ENOMEM.  An expression that is NULL adds nothing. */
SOTTO_MUST_CHECK enum sotto_status
sotto_join_add_reading(struct sotto_join_scope *s, const struct sotto_expression *x);
SOTTO_MUST_CHECK enum sotto_status
sotto_join_add_leaves(struct sotto_join_scope *s, const struct sotto_rowset *r);

/* A column of the leaf; NULL: none is read. */
const struct sotto_expression *
sotto_join_column(const struct sotto_join_scope *s, const struct sotto_rowset *leaf);

/* The one leaf whose columns it reads; NULL: there is none, or there are several. */
const struct sotto_rowset *
sotto_join_only_leaf(const struct sotto_join_scope *s, const struct sotto_expression *x);

/* Is there a private leaf besides this one (NULL: any), or a row around all of them? */
bool sotto_join_has_private(const struct sotto_join_scope *s, const struct sotto_rowset *leaf);

/* Can the join's condition read a column of each private leaf; and is it one for joined rows? */
bool sotto_join_holds_private(const struct sotto_join_scope *s, const struct sotto_rowset *r);
bool sotto_join_can_wait(const struct sotto_join_scope *s, const struct sotto_rowset *r);

/* Do outer joins in it make rows of NULL in the place of the leaf's? */
bool sotto_join_may_miss(const struct sotto_rowset *r, const struct sotto_rowset *leaf);

/* Has the rows computed first, and in full, and puts what is computed in their place. */
SOTTO_MUST_CHECK enum sotto_status
sotto_join_hold(struct sotto_emitter *e, const struct sotto_rowset **r);

#endif
