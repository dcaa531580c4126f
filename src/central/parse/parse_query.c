/*
 * From the text of a query to its syntax tree: PostgreSQL's parser reads it, repaired where
 * another dialect wrote it, and its JSON becomes our tree (parse_select.c).
 */
#include "central/parse/parse_query.h"

#include <pg_query.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "central/parse/parse.h"
#include "central/parse/dialect/sql_clause.h"
#include "central/parse/dialect/sql_dialect.h"
#include "core/base/failure.h"

enum sotto_status sotto_sql_fail(struct sotto_error *err, enum sotto_status status,
				 const char *text, int at, const char *format, ...)
{
	size_t line = 1, character = 1;
	va_list args;
	size_t n;

	if (!err)
		return status;
	va_start(args, format);
	(void)vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	if (!text || at < 0 || (size_t)at > strlen(text))
		return status;
	for (int i = 0; i < at; i++) {
		if (text[i] == '\n')
			line++, character = 1;
		else if (((unsigned char)text[i] & 0xc0) != 0x80)
			character++;
	}
	n = strlen(err->text);
	(void)snprintf(err->text + n, sizeof err->text - n, " (line %zu, character %zu)", line,
		       character);
	return status;
}

static enum sotto_status refuse(struct sotto_sql_parser *p, int at, const char *why)
{
	return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, at, "%s", why);
}

static enum sotto_status
parse_statements(struct sotto_sql_parser *p, const json_t *root, struct sotto_sql_select **out)
{
	const json_t *statements = json_object_get(root, "stmts");
	const json_t *first = json_object_get(json_array_get(statements, 0), "stmt");

	if (json_array_size(statements) == 0)
		return sotto_fail(p->err, SOTTO_EPARSE, "the query is empty");
	if (json_array_size(statements) > 1)
		return refuse(p, -1, "write one statement at a time; this text has several");
	if (json_object_get(first, "ExplainStmt"))
		return refuse(
			p, -1,
			"EXPLAIN is a command here: write sotto explain \"SELECT ...\", which "
			"runs nothing and costs nothing");
	if (!json_object_get(first, "SelectStmt"))
		return refuse(p, -1,
			      "only SELECT is answered; statements that change data, "
			      "settings or tables are not");
	return sotto_sql_parse_select(p, json_object_get(first, "SelectStmt"), out);
}

/* Places in a text that was changed become those of the analyst's. */
static void move_places(json_t *node, const struct sotto_sql_dialect *d)
{
	json_t *place = json_object_get(node, "location"), *value;
	const char *key;
	size_t i;

	if (json_is_integer(place))
		(void)json_integer_set(
			place, sotto_sql_dialect_place(d, (int)json_integer_value(place)));
	json_object_foreach(node, key, value) move_places(value, d);
	json_array_foreach(node, i, value) move_places(value, d);
}

static enum sotto_status parse_tree(struct sotto_sql_parser *p, const char *json,
				    const struct sotto_sql_dialect *d,
				    struct sotto_sql_select **out)
{
	enum sotto_status st;
	json_t *root;

	if (strnlen(json, SOTTO_SQL_TREE_MAX + 1) > SOTTO_SQL_TREE_MAX)
		return sotto_fail(p->err, SOTTO_ERANGE,
				  "the query has too many parts; ask for fewer at a time");
	root = json_loads(json, 0, NULL);
	if (!root)
		return sotto_fail(p->err, SOTTO_ERANGE,
				  "the query is nested too deep, or is not UTF-8");
	if (d->count)
		move_places(root, d);
	st = sotto_sql_bind(p, root);
	if (st == SOTTO_OK)
		st = parse_statements(p, root, out);
	json_decref(root);
	return st;
}

static PgQueryParseResult parse_text(struct sotto_sql_dialect *d)
{
	PgQueryParseResult result;
	int repairs = 0;

	sotto_sql_blank_comments(d);
	sotto_sql_half_joins_mark(d);
	sotto_sql_dialect_begin(d);
	result = pg_query_parse(d->text);
	while (result.error && repairs++ < SOTTO_SQL_EDITS_MAX &&
	       sotto_sql_dialect_repair(d, result.error->message,
					result.error->cursorpos - 1)) {
		pg_query_free_parse_result(result);
		result = pg_query_parse(d->text);
	}
	return result;
}

static enum sotto_status refuse_syntax(struct sotto_sql_parser *p,
				       const struct sotto_sql_dialect *d,
				       const PgQueryError *error)
{
	const char *hint = sotto_sql_dialect_hint(p->text);
	bool ours =
		strstr(error->message, "\"sotto ") != NULL; /* the analyst did not write it */

	return sotto_sql_fail(p->err, SOTTO_EPARSE, p->text,
			      sotto_sql_dialect_place(d, error->cursorpos - 1), "%.200s%s%s",
			      ours ? "syntax error" : error->message, hint ? "; " : "",
			      hint ? hint : "");
}

enum sotto_status sotto_sql_query_bind(struct sotto_sql_query *q, const char *text,
				       const struct sotto_bound_value *parameters, size_t count,
				       struct sotto_error *err)
{
	struct sotto_sql_parser p = {.err = err,
				     .text = text,
				     .arena = &q->arena,
				     .parameters = parameters,
				     .parameter_count = count};
	struct sotto_sql_dialect d = {.arena = &q->arena, .text = text};
	PgQueryParseResult result;
	enum sotto_status st;

	if (strnlen(text, SOTTO_SQL_TEXT_MAX + 1) > SOTTO_SQL_TEXT_MAX)
		return sotto_fail(err, SOTTO_ERANGE, "a query may have at most %d characters",
				  SOTTO_SQL_TEXT_MAX);
	if (sotto_sql_find_words(text, "ASOF", "JOIN"))
		return refuse(
			&p, -1,
			"ASOF JOIN is not supported; join on the unit, and pick the row "
			"with ROW_NUMBER() OVER (PARTITION BY the unit ORDER BY ...) = 1");
	*q = (struct sotto_sql_query){0};
	sotto_arena_init(&q->arena, (size_t)64 << 20);
	q->text = sotto_arena_text(&q->arena, text);
	result = parse_text(&d);
	if (result.error)
		st = refuse_syntax(&p, &d, result.error);
	else
		st = q->text ? parse_tree(&p, result.parse_tree, &d, &q->select) : SOTTO_ENOMEM;
	pg_query_free_parse_result(result);
	if (st != SOTTO_OK)
		sotto_arena_release(&q->arena);
	return st;
}

void sotto_sql_query_release(struct sotto_sql_query *q)
{
	sotto_arena_release(&q->arena);
}
