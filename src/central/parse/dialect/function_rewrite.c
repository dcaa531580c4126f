/*
 * Calls of other dialects that are not functions here but expressions.
 */
#include "central/parse/dialect/function_rewrite.h"
#include "central/parse/parse.h"
#include "central/parse/pattern/text_pattern.h"
#include "central/parse/parse_query.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/failure.h"

static bool is(const struct sotto_sql_expr *e, const char *name, size_t args)
{
	return e->count == args && strcmp(e->text, name) == 0;
}

/* ---- new nodes, each NULL when the arena is full ---------------------------------------------- */

static struct sotto_sql_expr *
new_leaf(struct sotto_sql_parser *p, enum sotto_sql_kind kind, const char *text, int at)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(p->arena, kind, at);

	if (e)
		e->text = text;
	return e;
}

/* Of up to two arguments; the second may be NULL. */
static struct sotto_sql_expr *new_call(struct sotto_sql_parser *p, const char *name,
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

static struct sotto_sql_expr *new_op(struct sotto_sql_parser *p, enum sotto_sql_op op,
				     struct sotto_sql_expr *x, struct sotto_sql_expr *y)
{
	return x ? sotto_sql_op_new(p->arena, op, x, y) : NULL;
}

/* x as a number with digits, so that a quotient is not cut to a whole one. */
static struct sotto_sql_expr *new_number(struct sotto_sql_parser *p, struct sotto_sql_expr *x)
{
	struct sotto_sql_expr *e = new_call(p, NULL, x, NULL);

	if (e) {
		e->kind = SOTTO_SQL_CAST;
		e->type = SOTTO_TYPE_NUMBER;
	}
	return e;
}

static enum sotto_status become(struct sotto_sql_expr *e, const struct sotto_sql_expr *made)
{
	SOTTO_SQL_NEED(made);
	*e = *made;
	return SOTTO_OK;
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
				? new_op(p, SOTTO_SQL_IS_NULL, x, NULL)
				: new_op(p, SOTTO_SQL_EQ, x, e->args[i]);
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

	e->args[0] = new_op(p, SOTTO_SQL_IS_NULL, e->args[0], NULL);
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
		new_op(p, SOTTO_SQL_DIVIDE, new_number(p, e->args[0]), y);
	struct sotto_sql_expr **args = sotto_arena_alloc(p->arena, 3 * sizeof *args);

	SOTTO_SQL_NEED(quotient && args);
	if (!zero)
		return become(e, quotient);
	args[1] = new_leaf(p, SOTTO_SQL_NUMBER, "0", e->at);
	args[0] = new_op(p, SOTTO_SQL_EQ, y, args[1]);
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
	return become(e, new_op(p, SOTTO_SQL_DIVIDE, new_number(p, e->args[0]), sum));
}

/* SUMIF(x, c) is SUM(x) FILTER (WHERE c). */
static bool rewrite_if(struct sotto_sql_expr *e)
{
	static const char *const names[][2] = {{"sumif", "sum"}, {"avgif", "avg"}};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (is(e, names[i][0], 2) && !e->filter) {
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
	if (is(e, "nvl2", 3))
		return rewrite_nvl2(p, e);
	if (is(e, "zeroifnull", 1))
		return become(e, new_call(p, "coalesce", e->args[0],
					  new_leaf(p, SOTTO_SQL_NUMBER, "0", e->at)));
	if (is(e, "nullifzero", 1))
		return become(e, new_call(p, "nullif", e->args[0],
					  new_leaf(p, SOTTO_SQL_NUMBER, "0", e->at)));
	if (is(e, "safe_divide", 2) || is(e, "try_divide", 2) || is(e, "div0", 2))
		return rewrite_quotient(p, e, strcmp(e->text, "div0") == 0);
	if (is(e, "ratio_to_report", 1) && e->over)
		return rewrite_ratio(p, e);
	if (is(e, "count", 0)) /* ClickHouse and DuckDB */
		return become(e, new_call(p, "count", new_leaf(p, SOTTO_SQL_STAR, NULL, e->at),
					  NULL));
	*done = rewrite_if(e);
	return SOTTO_OK;
}

/* ---- dates ------------------------------------------------------------------------------------- */

static const struct {
	const char *name, *part;
} truncations[] = {
	{"tostartofyear", "year"},     {"tostartofquarter", "quarter"},
	{"tostartofmonth", "month"},   {"tomonday", "week"},
	{"tostartofday", "day"},       {"tostartofhour", "hour"},
	{"tostartofminute", "minute"},
};

/* Formats of Oracle's TRUNC. */
static const struct {
	const char *format, *part;
} formats[] = {
	{"YEAR", "year"},   {"YYYY", "year"}, {"YY", "year"},   {"Q", "quarter"},
	{"MONTH", "month"}, {"MON", "month"}, {"MM", "month"},  {"IW", "week"},
	{"DDD", "day"},     {"DD", "day"},    {"HH24", "hour"}, {"HH", "hour"},
	{"MI", "minute"},
};

static const char *part_of_trunc(const struct sotto_sql_expr *e)
{
	for (size_t i = 0; e->count == 1 && i < sizeof truncations / sizeof truncations[0]; i++)
		if (strcmp(truncations[i].name, e->text) == 0)
			return truncations[i].part;
	if (!is(e, "trunc", 2) || e->args[1]->kind != SOTTO_SQL_TEXT)
		return NULL;
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
		if (strcasecmp(formats[i].format, e->args[1]->text) == 0)
			return formats[i].part;
	return NULL;
}

/* Parts of dates by the names that other dialects have for them. */
static void rename_part(struct sotto_sql_expr *part)
{
	static const char *const names[][2] = {
		{"dayofweek", "dow"},       {"dayofyear", "doy"}, {"isoweek", "week"},
		{"weekofyear", "week"},     {"weekiso", "week"},  {"dayofweekiso", "isodow"},
		{"dayofweek_iso", "isodow"}};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcasecmp(names[i][0], part->text) == 0)
			part->text = names[i][1];
}

/* MySQL's signs of a format that mean something else here. */
static const char *sign_of(char c)
{
	static const struct {
		char sign;
		const char *means;
	} signs[] = {{'i', "%M"}, {'M', "%B"}, {'W', "%A"}, {'e', "%-d"}, {'c', "%-m"},
		     {'s', "%S"}, {'h', "%I"}, {'Y', "%Y"}, {'m', "%m"},  {'d', "%d"},
		     {'H', "%H"}, {'S', "%S"}, {'y', "%y"}, {'b', "%b"},  {'a', "%a"},
		     {'j', "%j"}, {'p', "%p"}};

	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
		if (signs[i].sign == c)
			return signs[i].means;
	return NULL;
}

/* Letters of a format of Java, which Spark has. */
static const char *letters_of(const char *s, size_t *length)
{
	static const char *const words[][2] = {{"yyyy", "%Y"}, {"MM", "%m"}, {"dd", "%d"},
					       {"HH", "%H"},   {"mm", "%M"}, {"ss", "%S"}};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strncmp(s, words[i][0], strlen(words[i][0])) == 0) {
			*length = strlen(words[i][0]);
			return words[i][1];
		}
	*length = 1;
	return strchr(" -/.,:_", *s) ? "" : NULL;
}

/* DATE_FORMAT(d, f), with a format of MySQL or of Spark, as one of strftime; "": unknown. */
static const char *format_of(struct sotto_sql_parser *p, const char *f)
{
	bool signs = strchr(f, '%') != NULL;
	const char *out = "";
	size_t n = 1;

	for (; *f && out; f += n) {
		const char *means =
			signs ? (*f == '%' ? sign_of(f[1]) : "") : letters_of(f, &n);

		if (signs)
			n = *f == '%' ? 2 : 1;
		if (!means)
			return "";
		out = *means ? sotto_arena_textf(p->arena, "%s%s", out, means)
			     : sotto_arena_textf(p->arena, "%s%c", out, *f);
	}
	return out;
}

static enum sotto_status rewrite_format(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	bool last = strcmp(e->text, "date_format") == 0;
	struct sotto_sql_expr *format = e->args[last], *d = e->args[!last];
	const char *text = format->kind != SOTTO_SQL_TEXT ? ""
			   : last                         ? format_of(p, format->text)
							  : format->text;

	SOTTO_SQL_NEED(text);
	if (!*text)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
				      "date_format takes a date and a format like '%%Y-%%m' or "
				      "'yyyy-MM'; strftime(d, '%%Y-%%m') is another way");
	return become(
		e, new_call(p, "strftime", d, new_leaf(p, SOTTO_SQL_TEXT, text, format->at)));
}

/* EXTRACT(EPOCH FROM AVG(a - b)) is AVG(EXTRACT(EPOCH FROM a - b)): seconds are averaged. */
static enum sotto_status
rewrite_span(struct sotto_sql_parser *p, struct sotto_sql_expr *e, bool *done)
{
	static const char *const names[] = {"sum", "avg", "min", "max", "median"};
	struct sotto_sql_expr *call = e->count == 2 ? e->args[1] : NULL, *seconds;

	*done = false;
	if ((!is(e, "extract", 2) && !is(e, "date_part", 2)) ||
	    e->args[0]->kind != SOTTO_SQL_TEXT || strcasecmp(e->args[0]->text, "epoch") != 0 ||
	    call->kind != SOTTO_SQL_CALL || call->count != 1 || call->over ||
	    call->args[0]->kind != SOTTO_SQL_OP || call->args[0]->op != SOTTO_SQL_SUBTRACT)
		return SOTTO_OK;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		*done = *done || strcmp(names[i], call->text) == 0;
	if (!*done)
		return SOTTO_OK;
	seconds = new_call(p, "extract", e->args[0], call->args[0]);
	SOTTO_SQL_NEED(seconds);
	*e = *call;
	e->args[0] = seconds;
	return SOTTO_OK;
}

static bool number_of(const struct sotto_sql_expr *e, long *out);

/*
 * REGEXP_EXTRACT(x, p, n): the n-th group of the first match; REGEXP_SUBSTR(x, p): all of it.  Which
 * group is meant where the pattern has some and none is named, dialects do not agree on.
 */
static enum sotto_status
rewrite_extract(struct sotto_sql_parser *p, struct sotto_sql_expr *e, bool *done)
{
	bool whole = is(e, "regexp_substr", 2);
	struct sotto_sql_expr **args, *match;
	const char *pattern;
	long group = 0;

	*done = false;
	if (!whole && !is(e, "regexp_extract", 2) && !is(e, "regexp_extract", 3))
		return SOTTO_OK;
	pattern = e->args[1]->kind == SOTTO_SQL_TEXT ? e->args[1]->text : "";
	if ((e->count == 3 && !number_of(e->args[2], &group)) || group < 0 ||
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
	args[2] = e->count == 3 ? e->args[2] : new_leaf(p, SOTTO_SQL_NUMBER, "0", e->at);
	SOTTO_SQL_NEED(args[2]);
	e->text = "regexp_extract";
	e->args = args;
	e->count = 3;
	*done = true;
	if (!whole)
		return SOTTO_OK;
	match = sotto_sql_expr_copy(p->arena, e); /* none is NULL for it */
	return become(e, new_call(p, "nullif", match, new_leaf(p, SOTTO_SQL_TEXT, "", e->at)));
}

/* A whole number as it is written, with its sign. */
static bool number_of(const struct sotto_sql_expr *e, long *out)
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

/* DATEADD(day, -30, d), TIMESTAMPADD(DAY, 3, d) and ADD_MONTHS(d, 2): d + INTERVAL. */
static enum sotto_status
rewrite_move(struct sotto_sql_parser *p, struct sotto_sql_expr *e, bool *done)
{
	bool months = is(e, "add_months", 2);
	struct sotto_sql_expr *span, *d;
	long n;

	*done = false;
	if (!months && !is(e, "dateadd", 3) && !is(e, "timestampadd", 3) &&
	    !is(e, "date_add", 3))
		return SOTTO_OK;
	if (!number_of(e->args[1], &n) ||
	    (!months && e->args[0]->kind != SOTTO_SQL_TEXT &&
	     (e->args[0]->kind != SOTTO_SQL_COLUMN || e->args[0]->qualifier)))
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
				      "%s moves a date by a number that is written out, like "
				      "DATEADD(day, -30, d) or d - INTERVAL '30 days'; write "
				      "d + n for a date d and n days from a column",
				      e->text);
	d = e->args[months ? 0 : 2];
	SOTTO_TRY(sotto_sql_new_interval(p, e->at, n, months ? "month" : e->args[0]->text,
					 &span));
	*done = true;
	return become(e, new_op(p, SOTTO_SQL_ADD, d, span));
}

static enum sotto_status rewrite_date(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	const char *part = part_of_trunc(e);
	bool done;

	SOTTO_TRY(rewrite_move(p, e, &done));
	if (!done)
		SOTTO_TRY(rewrite_span(p, e, &done));
	if (done)
		return SOTTO_OK;
	if (part)
		return become(e,
			      new_call(p, "date_trunc",
				       new_leaf(p, SOTTO_SQL_TEXT, part, e->at), e->args[0]));
	if ((is(e, "extract", 2) || is(e, "date_part", 2) || is(e, "datepart", 2) ||
	     is(e, "date_trunc", 2)) &&
	    (e->args[0]->kind == SOTTO_SQL_TEXT || e->args[0]->kind == SOTTO_SQL_COLUMN))
		rename_part(e->args[0]);
	if (is(e, "date_trunc", 2) && e->args[1]->kind == SOTTO_SQL_COLUMN &&
	    !e->args[1]->qualifier && e->args[0]->kind != SOTTO_SQL_TEXT)
		rename_part(e->args[1]);
	if (is(e, "todate", 1) || is(e, "to_date", 1)) {
		e->kind = SOTTO_SQL_CAST;
		e->type = SOTTO_TYPE_DATE;
	}
	if (is(e, "uniq", 1) || is(e, "uniqexact", 1)) {
		e->text = "count";
		e->distinct = true;
	}
	if (is(e, "date_format", 2) || is(e, "format_date", 2) ||
	    is(e, "format_timestamp", 2) || is(e, "format_datetime", 2))
		return rewrite_format(p, e);
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
	if (is(e, "quantile", 2) && e->args[0]->kind == SOTTO_SQL_NUMBER &&
	    e->args[1]->kind != SOTTO_SQL_NUMBER) { /* quantile(0.9)(x) */
		struct sotto_sql_expr *rank = e->args[0];

		e->args[0] = e->args[1];
		e->args[1] = rank;
	}
	return rewrite_date(p, e);
}

/* ---- intervals --------------------------------------------------------------------------------- */

/* Seconds of an interval of weeks or less; 0: it has none that are fixed. */
static long seconds_of(const struct sotto_sql_expr *e)
{
	static const struct {
		const char *unit;
		long seconds;
	} units[] = {{"week", 604800},
		     {"day", 86400},
		     {"hour", 3600},
		     {"minute", 60},
		     {"second", 1}};

	if (e->kind != SOTTO_SQL_CALL || !is(e, SOTTO_SQL_INTERVAL, 2))
		return 0;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(units[i].unit, e->args[1]->text) == 0)
			return units[i].seconds;
	return 0;
}

static bool is_difference(const struct sotto_sql_expr *e)
{
	return e->kind == SOTTO_SQL_OP && e->op == SOTTO_SQL_SUBTRACT &&
	       !seconds_of(e->args[1]);
}

enum sotto_status
sotto_sql_rewrite_interval(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	bool compares =
		e->kind == SOTTO_SQL_OP && e->op >= SOTTO_SQL_EQ && e->op <= SOTTO_SQL_GE;

	for (size_t i = 0; compares && i < 2; i++) {
		long each = seconds_of(e->args[i]);
		struct sotto_sql_expr *x = e->args[1 - i];
		const char *text;

		if (!each || !is_difference(x))
			continue;
		text = sotto_arena_textf(p->arena, "%ld",
					 each * strtol(e->args[i]->args[0]->text, NULL, 10));
		SOTTO_SQL_NEED(text);
		e->args[i] = new_leaf(p, SOTTO_SQL_NUMBER, text, e->args[i]->at);
		e->args[1 - i] =
			new_call(p, "extract", new_leaf(p, SOTTO_SQL_TEXT, "epoch", x->at), x);
		SOTTO_SQL_NEED(e->args[0] && e->args[1]);
	}
	return SOTTO_OK;
}
