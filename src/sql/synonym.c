/*
 * Functions that other dialects have, in the words of this one.
 */
#include "sql/node.h"

#include <string.h>

static const struct {
	const char *name, *means;
	size_t args;
} plain[] = {
	{"var", "var_samp", 1},      {"varp", "var_pop", 1},     {"stdev", "stddev_samp", 1},
	{"stdevp", "stddev_pop", 1}, {"ifnull", "coalesce", 2},  {"nvl", "coalesce", 2},
	{"mean", "avg", 1},          {"substring", "substr", 3}, {"len", "length", 1},
};

/* year(d) is extract(year FROM d). */
static const struct {
	const char *name, *part;
} parts[] = {
	{"year", "year"},     {"quarter", "quarter"}, {"month", "month"},
	{"week", "week"},     {"day", "day"},         {"hour", "hour"},
	{"minute", "minute"}, {"second", "second"},   {"dayofweek", "dow"},
	{"dayofyear", "doy"},
};

static enum sotto_status
as_part(struct sotto_sql_parser *p, struct sotto_sql_expr *e, const char *part)
{
	struct sotto_sql_expr **args = sotto_arena_alloc(p->arena, 2 * sizeof *args);

	SOTTO_SQL_NEED(args);
	args[0] = sotto_sql_expr_new(p->arena, SOTTO_SQL_TEXT, e->at);
	SOTTO_SQL_NEED(args[0]);
	args[0]->text = part;
	args[1] = e->args[0];
	e->text = "extract";
	e->args = args;
	e->count = 2;
	return SOTTO_OK;
}

/* COUNTIF(x) is COUNT(*) FILTER (WHERE x). */
static enum sotto_status as_filter(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	e->filter = e->args[0];
	e->text = "count";
	e->args[0] = sotto_sql_expr_new(p->arena, SOTTO_SQL_STAR, e->at);
	SOTTO_SQL_NEED(e->args[0]);
	return SOTTO_OK;
}

static bool is(const struct sotto_sql_expr *e, const char *name, size_t args)
{
	return e->count == args && strcmp(e->text, name) == 0;
}

enum sotto_status sotto_sql_translate(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
		if (is(e, plain[i].name, plain[i].args)) {
			e->text = plain[i].means;
			return SOTTO_OK;
		}
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (is(e, parts[i].name, 1))
			return as_part(p, e, parts[i].part);
	if ((is(e, "countif", 1) || is(e, "count_if", 1)) && !e->filter && !e->distinct)
		return as_filter(p, e);
	if (is(e, "if", 3) || is(e, "iif", 3))
		e->kind = SOTTO_SQL_CASE;
	if (is(e, "approx_count_distinct", 1)) {
		e->text = "count";
		e->distinct = true;
	}
	if (is(e, "pi", 0)) {
		e->kind = SOTTO_SQL_NUMBER;
		e->text = "3.141592653589793";
	}
	return SOTTO_OK;
}
