/*
 * Casts: to a type, and to the digits or characters that it says.
 */
#include "central/parse/parse.h"
#include "central/parse/parse_query.h"

#include <string.h>

#include "core/base/failure.h"

enum { DIGITS_MAX = 15, CHARACTERS_MAX = 100000 };

/* A call of name with the cast and a whole number. */
static enum sotto_status limit(struct sotto_sql_parser *p, const char *name,
			       struct sotto_sql_expr *cast, long long n,
			       struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *call = sotto_sql_expr_new(p->arena, SOTTO_SQL_CALL, cast->at);
	struct sotto_sql_expr *number =
		sotto_sql_expr_new(p->arena, SOTTO_SQL_NUMBER, cast->at);
	struct sotto_sql_expr **args = sotto_arena_alloc(p->arena, 2 * sizeof *args);

	SOTTO_SQL_NEED(call && number && args);
	number->text = sotto_arena_textf(p->arena, "%lld", n);
	SOTTO_SQL_NEED(number->text);
	args[0] = cast;
	args[1] = number;
	call->text = name;
	call->args = args;
	call->count = 2;
	*out = call;
	return SOTTO_OK;
}

static enum sotto_status
modifier(struct sotto_sql_parser *p, const json_t *mods, size_t i, long long *out)
{
	const json_t *constant = json_object_get(json_array_get(mods, i), "A_Const");

	*out = 0;
	return constant ? sotto_sql_parse_integer(p, constant, out) : SOTTO_OK;
}

/* numeric(6, 2) has two digits after the point, numeric(6) none; varchar(3) three characters. */
static enum sotto_status apply_modifiers(struct sotto_sql_parser *p, const char *type,
					 const json_t *mods, struct sotto_sql_expr *cast,
					 struct sotto_sql_expr **out)
{
	bool numeric = strcmp(type, "numeric") == 0 || strcmp(type, "decimal") == 0;
	bool text = strcmp(type, "varchar") == 0 || strcmp(type, "bpchar") == 0;
	long long n;

	*out = cast;
	if (json_array_size(mods) == 0 || (!numeric && !text))
		return SOTTO_OK;
	SOTTO_TRY(modifier(p, mods, numeric ? 1 : 0, &n));
	if (n < (text ? 1 : 0) || n > (text ? CHARACTERS_MAX : DIGITS_MAX))
		return SOTTO_OK;
	return limit(p, numeric ? "round" : "left", cast, n, out);
}

/* r'...' of BigQuery, a text in which a backslash is one; it is one in every text here. */
static bool is_raw(const char *type, const json_t *body)
{
	const json_t *constant = json_object_get(json_object_get(body, "arg"), "A_Const");

	return strcmp(type, "r") == 0 && json_object_get(constant, "sval");
}

enum sotto_status sotto_sql_parse_cast(struct sotto_sql_parser *p, const json_t *body,
				       struct sotto_sql_expr **out)
{
	const json_t *name = json_object_get(body, "typeName");
	const char *type = sotto_sql_node_last_name(json_object_get(name, "names"));
	struct sotto_sql_expr *e = sotto_sql_expr_new(p->arena, SOTTO_SQL_CAST,
						      sotto_sql_node_int(name, "location", 0));

	SOTTO_SQL_NEED(e);
	if (strcmp(type, "interval") == 0)
		return sotto_sql_parse_interval(p, body, out);
	if (is_raw(type, body))
		return sotto_sql_parse_expr(p, json_object_get(body, "arg"), out);
	e->type = sotto_sql_type_of_name(type);
	e->zoned = strcmp(type, "timestamptz") == 0;
	if (e->type == SOTTO_TYPE_OTHER || json_object_get(name, "arrayBounds"))
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
				      "values of type %.40s are not supported; the types are "
				      "boolean, integer, numeric, text, date and timestamp",
				      type);
	e->count = 1;
	e->args = sotto_arena_alloc(p->arena, sizeof *e->args);
	SOTTO_SQL_NEED(e->args);
	SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(body, "arg"), &e->args[0]));
	return apply_modifiers(p, type, json_object_get(name, "typmods"), e, out);
}
