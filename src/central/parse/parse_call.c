/*
 * Calls of functions and aggregates, and CASE.
 */
#include "central/parse/parse.h"
#include "central/parse/dialect/function_synonym.h"
#include "central/parse/dialect/sql_clause.h"
#include "central/parse/parse_query.h"

#include <string.h>

#include "core/base/failure.h"

static enum sotto_status
push_arg(struct sotto_sql_parser *p, struct sotto_sql_expr *e, struct sotto_sql_expr *arg)
{
	struct sotto_sql_expr **slot = SOTTO_PUSH(p->arena, e->args, e->count);

	SOTTO_SQL_NEED(slot && arg);
	*slot = arg;
	return SOTTO_OK;
}

enum sotto_status sotto_sql_parse_case(struct sotto_sql_parser *p, const json_t *body,
				       struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *e = sotto_sql_parse_new(p, SOTTO_SQL_CASE, body), *tested = NULL,
			      *part;
	const json_t *whens = json_object_get(body, "args"), *when;
	const json_t *otherwise = json_object_get(body, "defresult");

	SOTTO_SQL_NEED(e);
	if (json_object_get(body, "arg"))
		SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(body, "arg"), &tested));
	for (size_t i = 0; i < json_array_size(whens); i++) {
		when = json_object_get(json_array_get(whens, i), "CaseWhen");
		SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(when, "expr"), &part));
		if (tested)
			part = sotto_sql_op_new(p->arena, SOTTO_SQL_EQ, tested, part);
		SOTTO_TRY(push_arg(p, e, part));
		SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(when, "result"), &part));
		SOTTO_TRY(push_arg(p, e, part));
	}
	if (otherwise) {
		SOTTO_TRY(sotto_sql_parse_expr(p, otherwise, &part));
		SOTTO_TRY(push_arg(p, e, part));
	}
	*out = e;
	return SOTTO_OK;
}

/* PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x) becomes a call of (q, x). */
static enum sotto_status
parse_within_group(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_expr *e)
{
	const json_t *order = json_object_get(body, "agg_order"), *sort;
	struct sotto_sql_expr *sorted;

	if (!order)
		return SOTTO_OK;
	if (!sotto_sql_node_true(body, "agg_within_group"))
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
				      "ORDER BY inside an aggregate is not supported");
	e->within = true;
	for (size_t i = 0; i < json_array_size(order); i++) {
		sort = json_object_get(json_array_get(order, i), "SortBy");
		SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(sort, "node"), &sorted));
		SOTTO_TRY(push_arg(p, e, sorted));
		e->descending =
			strcmp(sotto_sql_node_word(sort, "sortby_dir"), "SORTBY_DESC") == 0;
	}
	return SOTTO_OK;
}

/* * EXCLUDE (a, b), which stands as a call in the text (dialect/sql_clause.c). */
static enum sotto_status
parse_exclude(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_expr *e)
{
	const json_t *names = json_object_get(body, "funcname");
	size_t n = json_array_size(names);

	for (size_t i = 0; i < e->count; i++)
		if (e->args[i]->kind != SOTTO_SQL_COLUMN)
			return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
					      "EXCLUDE takes names of columns");
	e->kind = SOTTO_SQL_STAR;
	e->text = NULL;
	if (n < 2)
		return SOTTO_OK;
	e->qualifier =
		sotto_arena_text(p->arena, sotto_sql_node_string(json_array_get(names, n - 2)));
	return e->qualifier ? SOTTO_OK : SOTTO_ENOMEM;
}

/* PERCENTILE_CONT(ARRAY[0.25, 0.75]), quantile_cont(x, [0.25, 0.75]). */
static bool is_list_of_quantiles(const json_t *body, const char *name)
{
	const json_t *args = json_object_get(body, "args");

	if (!strstr(name, "quantile") && !strstr(name, "percentile"))
		return false;
	for (size_t i = 0; i < json_array_size(args); i++)
		if (strcmp(sotto_sql_node_type(json_array_get(args, i)), "A_ArrayExpr") == 0)
			return true;
	return false;
}

enum sotto_status sotto_sql_parse_call(struct sotto_sql_parser *p, const json_t *body,
				       struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *e = sotto_sql_parse_new(p, SOTTO_SQL_CALL, body), **args;
	size_t count;

	SOTTO_SQL_NEED(e);
	e->text = sotto_arena_text(p->arena,
				   sotto_sql_node_last_name(json_object_get(body, "funcname")));
	SOTTO_SQL_NEED(e->text);
	if (strcmp(e->text, SOTTO_SQL_INTERVAL) == 0)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
				      "interval is not a function; write INTERVAL '3 months'");
	if (is_list_of_quantiles(body, e->text))
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
				      "a list of quantiles is not supported; write one "
				      "expression for each value, like PERCENTILE_CONT(0.25) "
				      "WITHIN GROUP (ORDER BY x): together they cost no more");
	SOTTO_TRY(sotto_sql_parse_list(p, json_object_get(body, "args"), &args, &count));
	for (size_t i = 0; i < count; i++)
		SOTTO_TRY(push_arg(p, e, args[i]));
	if (strcmp(e->text, SOTTO_SQL_EXCLUDE) == 0) {
		*out = e;
		return parse_exclude(p, body, e);
	}
	SOTTO_TRY(parse_within_group(p, body, e));
	if (sotto_sql_node_true(body, "agg_star")) {
		struct sotto_sql_expr *star = sotto_sql_parse_new(p, SOTTO_SQL_STAR, body);

		SOTTO_TRY(push_arg(p, e, star));
	}
	e->distinct = sotto_sql_node_true(body, "agg_distinct");
	if (json_object_get(body, "over"))
		SOTTO_TRY(sotto_sql_parse_over(p, json_object_get(body, "over"), e));
	if (json_object_get(body, "agg_filter"))
		SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(body, "agg_filter"),
					       &e->filter));
	SOTTO_TRY(sotto_sql_translate(p, e));
	*out = e;
	return SOTTO_OK;
}

static enum sotto_status parse_named_list(struct sotto_sql_parser *p, const json_t *body,
					  const char *name, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *e = sotto_sql_parse_new(p, SOTTO_SQL_CALL, body);

	SOTTO_SQL_NEED(e);
	e->text = name;
	SOTTO_TRY(sotto_sql_parse_list(p, json_object_get(body, "args"), &e->args, &e->count));
	*out = e;
	return SOTTO_OK;
}

enum sotto_status sotto_sql_parse_grouping(struct sotto_sql_parser *p, const json_t *body,
					   struct sotto_sql_expr **out)
{
	return parse_named_list(p, body, "grouping", out);
}

enum sotto_status sotto_sql_parse_coalesce(struct sotto_sql_parser *p, const json_t *body,
					   struct sotto_sql_expr **out)
{
	return parse_named_list(p, body, "coalesce", out);
}

enum sotto_status sotto_sql_parse_min_max(struct sotto_sql_parser *p, const json_t *body,
					  struct sotto_sql_expr **out)
{
	bool greatest = strcmp(sotto_sql_node_word(body, "op"), "IS_GREATEST") == 0;

	return parse_named_list(p, body, greatest ? "greatest" : "least", out);
}
