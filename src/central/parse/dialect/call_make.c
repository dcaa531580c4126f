/*
 * The nodes that a call of another dialect is made into.
 */
#include "central/parse/dialect/call_make.h"

#include <stdlib.h>
#include <string.h>

bool sotto_sql_is_call(const struct sotto_sql_expr *e, const char *name, size_t args)
{
	return e->count == args && strcmp(e->text, name) == 0;
}

struct sotto_sql_expr *sotto_sql_make_leaf(struct sotto_sql_parser *p, enum sotto_sql_kind kind,
					   const char *text, int at)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(p->arena, kind, at);

	if (e)
		e->text = text;
	return e;
}

struct sotto_sql_expr *sotto_sql_make_call(struct sotto_sql_parser *p, const char *name,
					   struct sotto_sql_expr *x, struct sotto_sql_expr *y)
{
	struct sotto_sql_expr *e =
		x ? sotto_sql_expr_new(p->arena, SOTTO_SQL_CALL, x->at) : NULL;

	if (!e)
		return NULL;
	e->text = name;
	e->args = sotto_arena_alloc(p->arena, 2 * sizeof *e->args);
	if (!e->args)
		return NULL;
	e->args[0] = x;
	e->args[1] = y;
	e->count = y ? 2 : 1;
	return e;
}

struct sotto_sql_expr *sotto_sql_make_op(struct sotto_sql_parser *p, enum sotto_sql_op op,
					 struct sotto_sql_expr *x, struct sotto_sql_expr *y)
{
	return x ? sotto_sql_op_new(p->arena, op, x, y) : NULL;
}

enum sotto_status sotto_sql_become(struct sotto_sql_expr *e, const struct sotto_sql_expr *made)
{
	SOTTO_SQL_NEED(made);
	*e = *made;
	return SOTTO_OK;
}

bool sotto_sql_is_number(const struct sotto_sql_expr *e, long *out)
{
	bool negative = e->kind == SOTTO_SQL_OP && e->op == SOTTO_SQL_NEGATE;
	char *end = NULL;

	if (negative)
		e = e->args[0];
	if (e->kind != SOTTO_SQL_NUMBER || strlen(e->text) > 9)
		return false;
	*out = strtol(e->text, &end, 10) * (negative ? -1 : 1);
	return !*end;
}
