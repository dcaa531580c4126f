/*
 * Splits conditions at AND, binds each quietly and keeps those over public columns; equalities
 * lead from one public relation to the next.
 */
#include "central/expression/domain/met_condition.h"

#include "central/expression/bind.h"
#include "core/base/failure.h"

/* More are not looked at: each is compared with each. */
enum { CONDITIONS_MAX = 200 };

/* ---- which there are --------------------------------------------------------------------- */

static enum sotto_status add_one(struct sotto_binder *quiet, const struct sotto_sql_expr *e,
				 struct sotto_conditions *out)
{
	struct sotto_bound x, *slot;
	enum sotto_status st;

	if (out->count >= CONDITIONS_MAX || sotto_sql_expr_has_select(e))
		return SOTTO_OK;
	st = sotto_bind_condition(quiet, e, &x);
	if (st != SOTTO_OK) /* whoever binds the whole says why */
		return st == SOTTO_ENOMEM ? st : SOTTO_OK;
	if (x.column_count == 0 || x.value->reads_private)
		return SOTTO_OK;
	slot = SOTTO_PUSH(quiet->arena, out->list, out->count);
	SOTTO_NEED(slot);
	*slot = x;
	return SOTTO_OK;
}

static enum sotto_status add_all(struct sotto_binder *quiet, const struct sotto_sql_expr *e,
				 struct sotto_conditions *out)
{
	if (e->kind != SOTTO_SQL_OP || e->op != SOTTO_SQL_AND)
		return add_one(quiet, e, out);
	SOTTO_TRY(add_all(quiet, e->args[0], out));
	return add_all(quiet, e->args[1], out);
}

enum sotto_status sotto_conditions_add(struct sotto_binder *b, const struct sotto_sql_expr *e,
				       struct sotto_conditions *out)
{
	struct sotto_binder quiet = *b;

	quiet.err = NULL;
	return e ? add_all(&quiet, e, out) : SOTTO_OK;
}

enum sotto_status sotto_conditions_of_joins(struct sotto_binder *b,
					    const struct sotto_sql_from *from,
					    struct sotto_conditions *out)
{
	if (!from || from->kind != SOTTO_SQL_JOIN)
		return SOTTO_OK;
	if (from->join == SOTTO_SQL_INNER)
		SOTTO_TRY(sotto_conditions_add(b, from->on, out));
	if (from->join == SOTTO_SQL_INNER || from->join == SOTTO_SQL_LEFT)
		SOTTO_TRY(sotto_conditions_of_joins(b, from->left, out));
	if (from->join == SOTTO_SQL_INNER || from->join == SOTTO_SQL_RIGHT)
		SOTTO_TRY(sotto_conditions_of_joins(b, from->right, out));
	return SOTTO_OK;
}

/* ---- which are about some columns --------------------------------------------------------- */

bool sotto_columns_together(const struct sotto_scope_column *x,
			    const struct sotto_scope_column *y)
{
	return x == y || (x->rows && x->rows == y->rows);
}

static bool is_among(const struct sotto_scope_column *x,
		     const struct sotto_scope_column *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sotto_columns_together(x, list[i]))
			return true;
	return false;
}

static bool are_among(const struct sotto_bound *x, const struct sotto_scope_column *const *list,
		      size_t count)
{
	for (size_t i = 0; i < x->column_count; i++)
		if (!is_among(x->columns[i], list, count))
			return false;
	return true;
}

static const struct sotto_expression *
both(struct sotto_arena *a, const struct sotto_expression *x, const struct sotto_expression *y)
{
	return x ? SOTTO_APPLY(a, SOTTO_OP_BOTH, x, y) : y;
}

enum sotto_status sotto_conditions_over(struct sotto_arena *a,
					const struct sotto_conditions *met,
					const struct sotto_scope_column *const *list,
					size_t count, const struct sotto_expression **out)
{
	*out = NULL;
	for (size_t i = 0; met && i < met->count; i++)
		if (are_among(&met->list[i], list, count)) {
			*out = both(a, *out, met->list[i].value);
			SOTTO_NEED(*out);
		}
	return SOTTO_OK;
}

enum sotto_status sotto_conditions_over_value(struct sotto_arena *a,
					      const struct sotto_conditions *met,
					      const struct sotto_expression *value,
					      const struct sotto_expression *k,
					      const struct sotto_expression **out)
{
	/* a word without meaning in SQL, so that k itself is not taken for a column of rows */
	const struct sotto_expression *mark = sotto_expression_word(a, SOTTO_OP_STAR);

	*out = NULL;
	SOTTO_NEED(mark);
	for (size_t i = 0; met && i < met->count; i++) {
		const struct sotto_expression *x =
			sotto_expression_replace(a, met->list[i].value, value, mark);

		SOTTO_NEED(x);
		if (sotto_expression_reads_column(x))
			continue;
		x = sotto_expression_replace(a, met->list[i].value, value, k);
		SOTTO_NEED(x);
		*out = both(a, *out, x);
		SOTTO_NEED(*out);
	}
	return SOTTO_OK;
}

/* ---- which public relations they lead to -------------------------------------------------- */

/* A walk over public relations: those seen so far, by one column of each. */
struct walk {
	struct sotto_arena *arena;
	const struct sotto_conditions *met;
	const struct sotto_scope_column **seen;
	size_t seen_count;
};

/* x is an equality between a column beside c and one of another public relation; that one. */
static const struct sotto_scope_column *
tied(const struct sotto_bound *x, const struct sotto_scope_column *c)
{
	if (x->column_count != 2 || x->value->operation != sotto_operation(SOTTO_OP_EQ))
		return NULL;
	for (int i = 0; i < 2; i++) {
		const struct sotto_scope_column *other = x->columns[1 - i];

		if (other->rows && other->rows != x->columns[i]->rows &&
		    sotto_columns_together(x->columns[i], c))
			return other;
	}
	return NULL;
}

static enum sotto_status see(struct walk *w, const struct sotto_scope_column *c)
{
	const struct sotto_scope_column **slot = SOTTO_PUSH(w->arena, w->seen, w->seen_count);

	SOTTO_NEED(slot);
	*slot = c;
	return SOTTO_OK;
}

/* Does c's relation have a condition of its own, or lead to one that has? */
static enum sotto_status
is_limited(struct walk *w, const struct sotto_scope_column *c, bool *limited)
{
	*limited = false;
	SOTTO_TRY(see(w, c));
	for (size_t i = 0; !*limited && i < w->met->count; i++) {
		const struct sotto_bound *x = &w->met->list[i];
		const struct sotto_scope_column *next = tied(x, c);

		*limited = are_among(x, &c, 1);
		if (next && !is_among(next, w->seen, w->seen_count))
			SOTTO_TRY(is_limited(w, next, limited));
	}
	return SOTTO_OK;
}

/* Declared values are limited by the relation itself: those that it does not have are in no row. */
static enum sotto_status add_tied(struct sotto_arena *a, const struct sotto_conditions *met,
				  const struct sotto_scope_column ***list, size_t *count,
				  bool is_declared, const struct sotto_scope_column *next)
{
	struct walk w = {.arena = a, .met = met};
	const struct sotto_scope_column **slot;
	bool limited;

	for (size_t i = 0; i < *count; i++)
		SOTTO_TRY(see(&w, (*list)[i]));
	SOTTO_TRY(is_limited(&w, next, &limited));
	if (!limited && !is_declared)
		return SOTTO_OK;
	slot = SOTTO_PUSH(a, *list, *count);
	SOTTO_NEED(slot);
	*slot = next;
	return SOTTO_OK;
}

enum sotto_status sotto_conditions_reach(struct sotto_arena *a,
					 const struct sotto_conditions *met,
					 const struct sotto_scope_column ***list, size_t *count)
{
	for (size_t i = 0; met && i < *count; i++)
		for (size_t j = 0; j < met->count; j++) {
			const struct sotto_scope_column *next = tied(&met->list[j], (*list)[i]);

			if (next && !is_among(next, *list, *count))
				SOTTO_TRY(
					add_tied(a, met, list, count, !(*list)[i]->rows, next));
		}
	return SOTTO_OK;
}
