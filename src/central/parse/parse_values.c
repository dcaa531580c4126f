/*
 * Rows written out in the query: VALUES, unnest(ARRAY[...]) and generate_series.
 * They become UNION ALL of one SELECT for each row, which reads no table.
 */
#include "central/parse/parse.h"
#include "central/parse/parse_query.h"

#include <string.h>

#include "core/base/failure.h"

enum { ROWS_MAX = 100 };

static enum sotto_status refuse(struct sotto_sql_parser *p, int at, const char *why)
{
	return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, at, "%s", why);
}

/* Another row: a SELECT that hangs on the last one. */
static enum sotto_status add_row(struct sotto_sql_parser *p, struct sotto_sql_expr **values,
				 size_t count, struct sotto_sql_select **first)
{
	struct sotto_sql_select *s = sotto_arena_alloc(p->arena, sizeof *s), **end = first;
	size_t rows = 0;

	SOTTO_SQL_NEED(s);
	for (; *end; end = &(*end)->unite)
		rows++;
	if (rows >= ROWS_MAX)
		return refuse(p, values[0]->at,
			      "at most 100 rows can be written out; declare a public table");
	*s = (struct sotto_sql_select){.at = values[0]->at, .limit = -1, .all = true};
	s->outputs = sotto_arena_alloc(p->arena, count * sizeof *s->outputs);
	SOTTO_SQL_NEED(s->outputs);
	s->output_count = count;
	for (size_t i = 0; i < count; i++) {
		s->outputs[i].expr = values[i];
		s->outputs[i].name = sotto_arena_textf(p->arena, "column%zu", i + 1);
		SOTTO_SQL_NEED(s->outputs[i].name);
	}
	*end = s;
	return SOTTO_OK;
}

enum sotto_status sotto_sql_parse_values(struct sotto_sql_parser *p, const json_t *lists,
					 struct sotto_sql_select **out)
{
	struct sotto_sql_expr **values;
	size_t count;

	*out = NULL;
	for (size_t i = 0; i < json_array_size(lists); i++) {
		SOTTO_TRY(sotto_sql_parse_list(
			p,
			json_object_get(json_object_get(json_array_get(lists, i), "List"),
					"items"),
			&values, &count));
		SOTTO_TRY(add_row(p, values, count, out));
	}
	return SOTTO_OK;
}

/* ---- functions in FROM ------------------------------------------------------------------------ */

static enum sotto_status
parse_unnest(struct sotto_sql_parser *p, const json_t *args, struct sotto_sql_select **out)
{
	const json_t *array = json_object_get(
		json_object_get(json_array_get(args, 0), "A_ArrayExpr"), "elements");
	struct sotto_sql_expr **values;
	size_t count;

	SOTTO_TRY(sotto_sql_parse_list(p, array, &values, &count));
	if (count == 0)
		return refuse(p, -1, "unnest takes an array written out, like ARRAY[1, 2]");
	for (size_t i = 0; i < count; i++)
		SOTTO_TRY(add_row(p, &values[i], 1, out));
	return SOTTO_OK;
}

static bool is_whole(const json_t *arg)
{
	return json_object_get(json_object_get(arg, "A_Const"), "ival") != NULL;
}

static enum sotto_status parse_series(struct sotto_sql_parser *p, const json_t *args, int at,
				      struct sotto_sql_select **out)
{
	long long ends[3] = {0, 0, 1};
	size_t count = json_array_size(args);

	for (size_t i = 0; i < count && i < 3; i++) {
		if (!is_whole(json_array_get(args, i)))
			return refuse(
				p, at,
				"generate_series takes whole numbers that are written out; for "
				"dates join with generate_series(0, 30) AS s(n) ON "
				"CAST(t.at AS date) = DATE '2024-05-01' + s.n");
		SOTTO_TRY(sotto_sql_parse_integer(
			p, json_object_get(json_array_get(args, i), "A_Const"), &ends[i]));
	}
	if (count < 2 || count > 3 || ends[2] <= 0 || ends[0] > ends[1])
		return refuse(p, at,
			      "generate_series takes two whole numbers, the smaller first, and "
			      "perhaps a step above 0");
	for (long long x = ends[0]; x <= ends[1]; x += ends[2]) {
		struct sotto_sql_expr *value =
			sotto_sql_expr_new(p->arena, SOTTO_SQL_NUMBER, -1);

		SOTTO_SQL_NEED(value);
		value->text = sotto_arena_textf(p->arena, "%lld", x);
		SOTTO_SQL_NEED(value->text);
		SOTTO_TRY(add_row(p, &value, 1, out));
	}
	return SOTTO_OK;
}

/* The column of a function in FROM is called like the function, as in PostgreSQL. */
static void name_column(struct sotto_sql_select *rows, const char *name)
{
	for (; rows; rows = rows->unite)
		rows->outputs[0].name = name;
}

enum sotto_status sotto_sql_parse_rows(struct sotto_sql_parser *p, const json_t *body,
				       struct sotto_sql_select **out)
{
	const json_t *call = json_object_get(
		json_array_get(
			json_object_get(
				json_object_get(
					json_array_get(json_object_get(body, "functions"), 0),
					"List"),
				"items"),
			0),
		"FuncCall");
	const char *name = sotto_sql_node_last_name(json_object_get(call, "funcname"));
	const json_t *args = json_object_get(call, "args");
	int at = sotto_sql_node_int(call, "location", 0);

	*out = NULL;
	if (strcmp(name, "unnest") == 0 && json_array_size(args) == 1) {
		SOTTO_TRY(parse_unnest(p, args, out));
		name_column(*out, "unnest");
		return SOTTO_OK;
	}
	if (strcmp(name, "generate_series") == 0) {
		SOTTO_TRY(parse_series(p, args, at, out));
		name_column(*out, "generate_series");
		return SOTTO_OK;
	}
	return refuse(
		p, at,
		"functions in FROM are not supported, except unnest(ARRAY[...]) and "
		"generate_series; FROM takes tables of the policy, subqueries and joins of "
		"them");
}
