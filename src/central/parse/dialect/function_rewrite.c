/*
 * Calls of other dialects that are not functions here but expressions.
 */
#include "central/parse/dialect/function_rewrite.h"

#include <string.h>

#include "central/parse/dialect/call_make.h"
#include "central/parse/dialect/function_date.h"
#include "central/parse/parse_query.h"
#include "central/parse/pattern/text_pattern.h"
#include "core/base/failure.h"

/* x as a number with digits, so that a quotient is not cut to a whole one. */
static struct sotto_sql_expr *new_number(struct sotto_sql_parser *p, struct sotto_sql_expr *x)
{
	struct sotto_sql_expr *e = sotto_sql_make_call(p, NULL, x, NULL);

	if (e) {
		e->kind = SOTTO_SQL_CAST;
		e->type = SOTTO_TYPE_NUMBER;
	}
	return e;
}

/* ---- choices ----------------------------------------------------------------------------------- */

/* DECODE(x, a, r, b, s, otherwise): NULL is found like any value. */
static enum sotto_status rewrite_decode(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	struct sotto_sql_expr *x = e->args[0], *match;
	struct sotto_sql_expr **args = sotto_arena_alloc(p->arena, e->count * sizeof *args);
	size_t count = 0;

	SOTTO_SQL_NEED(args);
	for (size_t i = 1; i + 1 < e->count; i += 2) {
		match = e->args[i]->kind == SOTTO_SQL_NULL
				? sotto_sql_make_op(p, SOTTO_SQL_IS_NULL, x, NULL)
				: sotto_sql_make_op(p, SOTTO_SQL_EQ, x, e->args[i]);
		SOTTO_SQL_NEED(match);
		args[count++] = match;
		args[count++] = e->args[i + 1];
	}
	if (e->count % 2 == 0)
		args[count++] = e->args[e->count - 1];
	e->kind = SOTTO_SQL_CASE;
	e->args = args;
	e->count = count;
	return SOTTO_OK;
}

/* NVL2(x, a, b): a where x is there. */
static enum sotto_status rewrite_nvl2(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	struct sotto_sql_expr *kept = e->args[1];

	e->args[0] = sotto_sql_make_op(p, SOTTO_SQL_IS_NULL, e->args[0], NULL);
	SOTTO_SQL_NEED(e->args[0]);
	e->args[1] = e->args[2];
	e->args[2] = kept;
	e->kind = SOTTO_SQL_CASE;
	return SOTTO_OK;
}

/* A quotient, which is NULL here where the divisor is 0; DIV0 has 0 there. */
static enum sotto_status
rewrite_quotient(struct sotto_sql_parser *p, struct sotto_sql_expr *e, bool zero)
{
	struct sotto_sql_expr *y = e->args[1];
	struct sotto_sql_expr *quotient =
		sotto_sql_make_op(p, SOTTO_SQL_DIVIDE, new_number(p, e->args[0]), y);
	struct sotto_sql_expr **args = sotto_arena_alloc(p->arena, 3 * sizeof *args);

	SOTTO_SQL_NEED(quotient && args);
	if (!zero)
		return sotto_sql_become(e, quotient);
	args[1] = sotto_sql_make_leaf(p, SOTTO_SQL_NUMBER, "0", e->at);
	args[0] = sotto_sql_make_op(p, SOTTO_SQL_EQ, y, args[1]);
	args[2] = quotient;
	SOTTO_SQL_NEED(args[0] && args[1]);
	e->kind = SOTTO_SQL_CASE;
	e->args = args;
	e->count = 3;
	return SOTTO_OK;
}

/* RATIO_TO_REPORT(x) OVER w is x / SUM(x) OVER w. */
static enum sotto_status rewrite_ratio(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	struct sotto_sql_expr *sum = sotto_sql_expr_copy(p->arena, e);

	SOTTO_SQL_NEED(sum);
	sum->text = "sum";
	return sotto_sql_become(
		e, sotto_sql_make_op(p, SOTTO_SQL_DIVIDE, new_number(p, e->args[0]), sum));
}

/* SUMIF(x, c) is SUM(x) FILTER (WHERE c). */
static bool rewrite_if(struct sotto_sql_expr *e)
{
	static const char *const names[][2] = {{"sumif", "sum"}, {"avgif", "avg"}};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (sotto_sql_is_call(e, names[i][0], 2) && !e->filter) {
			e->text = names[i][1];
			e->filter = e->args[1];
			e->count = 1;
			return true;
		}
	return false;
}

static enum sotto_status
rewrite_choice(struct sotto_sql_parser *p, struct sotto_sql_expr *e, bool *done)
{
	*done = true;
	if (strcmp(e->text, "decode") == 0 && e->count >= 3)
		return rewrite_decode(p, e);
	if (sotto_sql_is_call(e, "nvl2", 3))
		return rewrite_nvl2(p, e);
	if (sotto_sql_is_call(e, "zeroifnull", 1))
		return sotto_sql_become(
			e, sotto_sql_make_call(
				   p, "coalesce", e->args[0],
				   sotto_sql_make_leaf(p, SOTTO_SQL_NUMBER, "0", e->at)));
	if (sotto_sql_is_call(e, "nullifzero", 1))
		return sotto_sql_become(
			e, sotto_sql_make_call(
				   p, "nullif", e->args[0],
				   sotto_sql_make_leaf(p, SOTTO_SQL_NUMBER, "0", e->at)));
	if (sotto_sql_is_call(e, "safe_divide", 2) || sotto_sql_is_call(e, "try_divide", 2) ||
	    sotto_sql_is_call(e, "div0", 2))
		return rewrite_quotient(p, e, strcmp(e->text, "div0") == 0);
	if (sotto_sql_is_call(e, "ratio_to_report", 1) && e->over)
		return rewrite_ratio(p, e);
	if (sotto_sql_is_call(e, "count", 0)) /* ClickHouse and DuckDB */
		return sotto_sql_become(
			e, sotto_sql_make_call(
				   p, "count",
				   sotto_sql_make_leaf(p, SOTTO_SQL_STAR, NULL, e->at), NULL));
	*done = rewrite_if(e);
	return SOTTO_OK;
}

/*
 * REGEXP_EXTRACT(x, p, n): the n-th group of the first match; REGEXP_SUBSTR(x, p): all of it.  Which
 * group is meant where the pattern has some and none is named, dialects do not agree on.
 */
static enum sotto_status
rewrite_extract(struct sotto_sql_parser *p, struct sotto_sql_expr *e, bool *done)
{
	bool whole = sotto_sql_is_call(e, "regexp_substr", 2);
	struct sotto_sql_expr **args, *match;
	const char *pattern;
	long group = 0;

	*done = false;
	if (!whole && !sotto_sql_is_call(e, "regexp_extract", 2) &&
	    !sotto_sql_is_call(e, "regexp_extract", 3))
		return SOTTO_OK;
	pattern = e->args[1]->kind == SOTTO_SQL_TEXT ? e->args[1]->text : "";
	if ((e->count == 3 && !sotto_sql_is_number(e->args[2], &group)) || group < 0 ||
	    group > (long)sotto_sql_pattern_groups(pattern) ||
	    (e->count == 2 && !whole && sotto_sql_pattern_groups(pattern) > 0))
		return sotto_sql_fail(
			p->err, SOTTO_EREFUSED, p->text, e->at,
			"%s takes a text, a pattern written out, and which of its "
			"groups is meant, like REGEXP_EXTRACT(x, '^/([a-z]+)', 1); 0 is "
			"the whole match",
			e->text);
	args = sotto_arena_alloc(p->arena, 3 * sizeof *args);
	SOTTO_SQL_NEED(args);
	args[0] = e->args[0];
	args[1] = e->args[1];
	args[2] = e->count == 3 ? e->args[2]
				: sotto_sql_make_leaf(p, SOTTO_SQL_NUMBER, "0", e->at);
	SOTTO_SQL_NEED(args[2]);
	e->text = "regexp_extract";
	e->args = args;
	e->count = 3;
	*done = true;
	if (!whole)
		return SOTTO_OK;
	match = sotto_sql_expr_copy(p->arena, e); /* none is NULL for it */
	return sotto_sql_become(
		e, sotto_sql_make_call(p, "nullif", match,
				       sotto_sql_make_leaf(p, SOTTO_SQL_TEXT, "", e->at)));
}

/* Backslashes in what takes the place of a match: groups that the pattern has, and backslashes. */
static bool names_groups(const char *text, unsigned groups)
{
	for (const char *s = strchr(text, '\\'); s; s = strchr(s + 2, '\\'))
		if (s[1] != '\\' && !(s[1] >= '0' && s[1] <= '9' && s[1] - '0' <= (int)groups))
			return false;
	return true;
}

/* REGEXP_REPLACE(x, '^(a+)b', '\1') puts a group in the place of the match; \& is all of it. */
static enum sotto_status rewrite_groups(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	bool all = sotto_sql_is_call(e, "regexp_replace_all", 3);
	char *text, *s;

	if (!all && !sotto_sql_is_call(e, "regexp_replace", 3) &&
	    !sotto_sql_is_call(e, "regexp_replace", 4))
		return SOTTO_OK;
	if (e->args[1]->kind != SOTTO_SQL_TEXT || e->args[2]->kind != SOTTO_SQL_TEXT ||
	    !strchr(e->args[2]->text, '\\'))
		return SOTTO_OK;
	text = sotto_arena_text(p->arena, e->args[2]->text);
	SOTTO_SQL_NEED(text);
	for (s = text; (s = strstr(s, "\\&")); s += 2)
		s[1] = '0';
	if (!names_groups(text, sotto_sql_pattern_groups(e->args[1]->text)))
		return sotto_sql_fail(
			p->err, SOTTO_EREFUSED, p->text, e->args[2]->at,
			"a backslash in the replacement is followed by the number "
			"of a group that the pattern has, like '\\1', or by "
			"another backslash");
	e->args[2] = sotto_sql_make_leaf(p, SOTTO_SQL_TEXT, text, e->args[2]->at);
	SOTTO_SQL_NEED(e->args[2]);
	if (e->count == 4 &&
	    (e->args[3]->kind != SOTTO_SQL_TEXT || strcmp(e->args[3]->text, "g") != 0))
		return SOTTO_OK;
	e->text = all || e->count == 4 ? "regexp_rewrite_all" : "regexp_rewrite";
	e->count = 3;
	return SOTTO_OK;
}

enum sotto_status sotto_sql_rewrite(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	bool done;

	SOTTO_TRY(rewrite_choice(p, e, &done));
	if (!done)
		SOTTO_TRY(rewrite_extract(p, e, &done));
	if (done)
		return SOTTO_OK;
	SOTTO_TRY(rewrite_groups(p, e));
	if (sotto_sql_is_call(e, "quantile", 2) && e->args[0]->kind == SOTTO_SQL_NUMBER &&
	    e->args[1]->kind != SOTTO_SQL_NUMBER) { /* quantile(0.9)(x) */
		struct sotto_sql_expr *rank = e->args[0];

		e->args[0] = e->args[1];
		e->args[1] = rank;
	}
	return sotto_sql_rewrite_date(p, e);
}
