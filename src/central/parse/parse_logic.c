/*
 * AND, OR and NOT.  Terms are sorted, so that the same question in another order is the same;
 * a term that stands in every part of OR is taken out of it: a join condition in each part,
 * as TPC-H's 19th query has it, is then a join condition.
 */
#include "central/parse/parse.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

/* A term of AND or OR, and where it was written among the others. */
struct term {
	struct sotto_sql_expr *expr;
	size_t place;
};

static int compare_terms(const void *x, const void *y)
{
	const struct term *a = x, *b = y;
	int order = sotto_sql_expr_compare(a->expr, b->expr);

	return order ? order : (a->place > b->place) - (a->place < b->place);
}

/* The terms below a chain of one operator, from left to right. */
static bool collect_terms(struct sotto_arena *a, struct sotto_sql_expr *e, enum sotto_sql_op op,
			  struct term **terms, size_t *count)
{
	struct term *slot;

	while (e->kind == SOTTO_SQL_OP && e->op == op) { /* chains grow to the left */
		if (!collect_terms(a, e->args[1], op, terms, count))
			return false;
		e = e->args[0];
	}
	slot = SOTTO_PUSH(a, *terms, *count);
	if (!slot)
		return false;
	*slot = (struct term){.expr = e, .place = (size_t)e->at};
	return true;
}

/* More terms than this are divided in halves: who walks the tree goes no deeper for thousands. */
enum { CHAIN_MAX = 64 };

/* NULL without memory. */
static struct sotto_sql_expr *
join_terms(struct sotto_arena *a, enum sotto_sql_op op, const struct term *terms, size_t n)
{
	struct sotto_sql_expr *e = terms[0].expr, *rest;
	size_t half = n / 2;

	if (n > CHAIN_MAX) {
		e = join_terms(a, op, terms, half);
		rest = join_terms(a, op, terms + half, n - half);
		return e && rest ? sotto_sql_op_new(a, op, e, rest) : NULL;
	}
	for (size_t i = 1; e && i < n; i++)
		e = sotto_sql_op_new(a, op, e, terms[i].expr);
	return e;
}

/*
 * AND and OR in an order of their own: the same terms in another order, or in other
 * brackets, are the same question.
 */
static enum sotto_status chain(struct sotto_sql_parser *p, enum sotto_sql_op op,
			       struct sotto_sql_expr **args, size_t count,
			       struct sotto_sql_expr **out)
{
	struct term *terms = NULL;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		SOTTO_SQL_NEED(collect_terms(p->arena, args[i], op, &terms, &n));
	qsort(terms, n, sizeof *terms, compare_terms);
	*out = join_terms(p->arena, op, terms, n);
	SOTTO_SQL_NEED(*out);
	return SOTTO_OK;
}

/* ---- terms that all parts of OR have -------------------------------------------------------- */

/* One part of OR: the terms that AND joins in it. */
struct part {
	struct term *terms;
	size_t count;
};

enum { COMPARISONS_MAX = 20000 };

/* a = b is b = a. */
static bool is_same(const struct sotto_sql_expr *x, const struct sotto_sql_expr *y)
{
	bool equations = x->kind == SOTTO_SQL_OP && x->op == SOTTO_SQL_EQ &&
			 y->kind == SOTTO_SQL_OP && y->op == SOTTO_SQL_EQ;

	return sotto_sql_expr_equal(x, y) ||
	       (equations && sotto_sql_expr_equal(x->args[0], y->args[1]) &&
		sotto_sql_expr_equal(x->args[1], y->args[0]));
}

static struct sotto_sql_expr **find_term(const struct part *x, const struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < x->count; i++)
		if (x->terms[i].expr && is_same(x->terms[i].expr, e))
			return &x->terms[i].expr;
	return NULL;
}

/* Takes a term out of all parts if all have it. */
static bool take_out(struct part *parts, size_t count, struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < count; i++)
		if (!find_term(&parts[i], e))
			return false;
	for (size_t i = 0; i < count; i++)
		*find_term(&parts[i], e) = NULL;
	return true;
}

/* What is left of a part; NULL: nothing, so that it is always true. */
static enum sotto_status
rest_of(struct sotto_sql_parser *p, const struct part *x, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr **left =
		sotto_arena_alloc(p->arena, (x->count + 1) * sizeof(struct sotto_sql_expr *));
	size_t n = 0;

	SOTTO_SQL_NEED(left);
	for (size_t i = 0; i < x->count; i++)
		if (x->terms[i].expr)
			left[n++] = x->terms[i].expr;
	*out = NULL;
	return n ? chain(p, SOTTO_SQL_AND, left, n, out) : SOTTO_OK;
}

/* (a AND x) OR (a AND y) is a AND (x OR y), and a OR (a AND y) is a, also where some are NULL. */
static enum sotto_status factor(struct sotto_sql_parser *p, struct part *parts, size_t count,
				struct sotto_sql_expr **out)
{
	struct sotto_sql_expr **all = sotto_arena_alloc(
		p->arena, (parts[0].count + 1) * sizeof(struct sotto_sql_expr *));
	struct sotto_sql_expr **rests =
		sotto_arena_alloc(p->arena, (count + 1) * sizeof(struct sotto_sql_expr *));
	size_t n = 0;

	SOTTO_SQL_NEED(all && rests);
	for (size_t i = 0; i < parts[0].count; i++) {
		struct sotto_sql_expr *e = parts[0].terms[i].expr;

		if (e && take_out(parts, count, e))
			all[n++] = e;
	}
	*out = NULL;
	if (n == 0)
		return SOTTO_OK;
	for (size_t i = 0; i < count; i++) {
		SOTTO_TRY(rest_of(p, &parts[i], &rests[i]));
		if (!rests[i])
			return chain(p, SOTTO_SQL_AND, all, n, out);
	}
	SOTTO_TRY(chain(p, SOTTO_SQL_OR, rests, count, &all[n]));
	return chain(p, SOTTO_SQL_AND, all, n + 1, out);
}

/* *out is NULL if no term is in all parts. */
static enum sotto_status factor_or(struct sotto_sql_parser *p, struct sotto_sql_expr **args,
				   size_t count, struct sotto_sql_expr **out)
{
	struct part *parts = sotto_arena_alloc(p->arena, count * sizeof *parts);
	size_t terms = 0;

	SOTTO_SQL_NEED(parts);
	for (size_t i = 0; i < count; i++) {
		SOTTO_SQL_NEED(collect_terms(p->arena, args[i], SOTTO_SQL_AND, &parts[i].terms,
					     &parts[i].count));
		terms += parts[i].count;
	}
	*out = NULL;
	if (terms == count || terms * parts[0].count > COMPARISONS_MAX)
		return SOTTO_OK;
	return factor(p, parts, count, out);
}

enum sotto_status sotto_sql_parse_bool(struct sotto_sql_parser *p, const json_t *body,
				       struct sotto_sql_expr **out)
{
	const char *op = sotto_sql_node_word(body, "boolop");
	bool any = strcmp(op, "OR_EXPR") == 0;
	struct sotto_sql_expr **args;
	size_t count;

	SOTTO_TRY(sotto_sql_parse_list(p, json_object_get(body, "args"), &args, &count));
	if (strcmp(op, "NOT_EXPR") == 0)
		return sotto_sql_negated(p, true, args[0], out);
	if (any) {
		SOTTO_TRY(factor_or(p, args, count, out));
		if (*out)
			return SOTTO_OK;
	}
	return chain(p, any ? SOTTO_SQL_OR : SOTTO_SQL_AND, args, count, out);
}
