/*
 * Functions of dates as other dialects call them: truncating, formatting, moving, and spans.
 */
#include "central/parse/dialect/function_date.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "central/parse/dialect/call_make.h"
#include "central/parse/parse_query.h"
#include "central/parse/value/date_format.h"
#include "core/base/failure.h"

/* ---- parts and formats ------------------------------------------------------------------- */

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
	if (!sotto_sql_is_call(e, "trunc", 2) || e->args[1]->kind != SOTTO_SQL_TEXT)
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
	return sotto_sql_become(e, sotto_sql_make_call(p, "strftime", d,
						       sotto_sql_make_leaf(p, SOTTO_SQL_TEXT,
									   text, format->at)));
}

/* EXTRACT(EPOCH FROM AVG(a - b)) is AVG(EXTRACT(EPOCH FROM a - b)): seconds are averaged. */
static enum sotto_status
rewrite_span(struct sotto_sql_parser *p, struct sotto_sql_expr *e, bool *done)
{
	static const char *const names[] = {"sum", "avg", "min", "max", "median"};
	struct sotto_sql_expr *call = e->count == 2 ? e->args[1] : NULL, *seconds;

	*done = false;
	if ((!sotto_sql_is_call(e, "extract", 2) && !sotto_sql_is_call(e, "date_part", 2)) ||
	    e->args[0]->kind != SOTTO_SQL_TEXT || strcasecmp(e->args[0]->text, "epoch") != 0 ||
	    call->kind != SOTTO_SQL_CALL || call->count != 1 || call->over ||
	    call->args[0]->kind != SOTTO_SQL_OP || call->args[0]->op != SOTTO_SQL_SUBTRACT)
		return SOTTO_OK;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		*done = *done || strcmp(names[i], call->text) == 0;
	if (!*done)
		return SOTTO_OK;
	seconds = sotto_sql_make_call(p, "extract", e->args[0], call->args[0]);
	SOTTO_SQL_NEED(seconds);
	*e = *call;
	e->args[0] = seconds;
	return SOTTO_OK;
}

/* DATEADD(day, -30, d), TIMESTAMPADD(DAY, 3, d) and ADD_MONTHS(d, 2): d + INTERVAL. */
static enum sotto_status
rewrite_move(struct sotto_sql_parser *p, struct sotto_sql_expr *e, bool *done)
{
	bool months = sotto_sql_is_call(e, "add_months", 2);
	struct sotto_sql_expr *span, *d;
	long n;

	*done = false;
	if (!months && !sotto_sql_is_call(e, "dateadd", 3) &&
	    !sotto_sql_is_call(e, "timestampadd", 3) && !sotto_sql_is_call(e, "date_add", 3))
		return SOTTO_OK;
	if (!sotto_sql_is_number(e->args[1], &n) ||
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
	return sotto_sql_become(e, sotto_sql_make_op(p, SOTTO_SQL_ADD, d, span));
}

enum sotto_status sotto_sql_rewrite_date(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	const char *part = part_of_trunc(e);
	bool done;

	SOTTO_TRY(rewrite_move(p, e, &done));
	if (!done)
		SOTTO_TRY(rewrite_span(p, e, &done));
	if (done)
		return SOTTO_OK;
	if (part)
		return sotto_sql_become(
			e,
			sotto_sql_make_call(p, "date_trunc",
					    sotto_sql_make_leaf(p, SOTTO_SQL_TEXT, part, e->at),
					    e->args[0]));
	if ((sotto_sql_is_call(e, "extract", 2) || sotto_sql_is_call(e, "date_part", 2) ||
	     sotto_sql_is_call(e, "datepart", 2) || sotto_sql_is_call(e, "date_trunc", 2)) &&
	    (e->args[0]->kind == SOTTO_SQL_TEXT || e->args[0]->kind == SOTTO_SQL_COLUMN))
		rename_part(e->args[0]);
	if (sotto_sql_is_call(e, "date_trunc", 2) && e->args[1]->kind == SOTTO_SQL_COLUMN &&
	    !e->args[1]->qualifier && e->args[0]->kind != SOTTO_SQL_TEXT)
		rename_part(e->args[1]);
	if (sotto_sql_is_call(e, "todate", 1) || sotto_sql_is_call(e, "to_date", 1)) {
		e->kind = SOTTO_SQL_CAST;
		e->type = SOTTO_TYPE_DATE;
	}
	if (sotto_sql_is_call(e, "uniq", 1) || sotto_sql_is_call(e, "uniqexact", 1)) {
		e->text = "count";
		e->distinct = true;
	}
	if (sotto_sql_is_call(e, "date_format", 2) || sotto_sql_is_call(e, "format_date", 2) ||
	    sotto_sql_is_call(e, "format_timestamp", 2) ||
	    sotto_sql_is_call(e, "format_datetime", 2))
		return rewrite_format(p, e);
	return SOTTO_OK;
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

	if (e->kind != SOTTO_SQL_CALL || !sotto_sql_is_call(e, SOTTO_SQL_INTERVAL, 2))
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
		e->args[i] = sotto_sql_make_leaf(p, SOTTO_SQL_NUMBER, text, e->args[i]->at);
		e->args[1 - i] = sotto_sql_make_call(
			p, "extract", sotto_sql_make_leaf(p, SOTTO_SQL_TEXT, "epoch", x->at),
			x);
		SOTTO_SQL_NEED(e->args[0] && e->args[1]);
	}
	return SOTTO_OK;
}

/* ---- quarters ------------------------------------------------------------------------------ */

/* What a format without Q, of n letters, makes of e's date; *out stays NULL if it is not a format. */
static enum sotto_status formatted(struct sotto_sql_parser *p, struct sotto_sql_expr *e,
				   const char *s, size_t n, struct sotto_sql_expr **out)
{
	const char *piece = sotto_arena_textf(p->arena, "%.*s", (int)n, s), *format;

	SOTTO_SQL_NEED(piece);
	format = sotto_sql_format_of_to_char(p->arena, piece);
	SOTTO_SQL_NEED(format);
	if (!*format)
		return SOTTO_OK;
	*out = sotto_sql_make_call(p, "strftime", e->args[0],
				   sotto_sql_make_leaf(p, SOTTO_SQL_TEXT, format, e->at));
	SOTTO_SQL_NEED(*out && (*out)->count == 2);
	return SOTTO_OK;
}

static struct sotto_sql_expr *quarter_of(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	struct sotto_sql_expr *part = sotto_sql_make_leaf(p, SOTTO_SQL_TEXT, "quarter", e->at);

	return part ? sotto_sql_make_call(p, "extract", part, e->args[0]) : NULL;
}

enum sotto_status
sotto_sql_rewrite_quarter(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	struct sotto_sql_expr *made, *part;
	const char *s;
	size_t n;

	if (!(sotto_sql_is_call(e, "to_char", 2) || sotto_sql_is_call(e, "to_varchar", 2)) ||
	    e->args[1]->kind != SOTTO_SQL_TEXT)
		return SOTTO_OK;
	s = e->args[1]->text;
	if (!s[sotto_sql_format_before_quarter(s)])
		return SOTTO_OK;
	made = sotto_sql_make_leaf(p, SOTTO_SQL_TEXT, "", e->at);
	for (; *s; s += n) {
		n = sotto_sql_format_before_quarter(s);
		part = NULL;
		if (n > 0)
			SOTTO_TRY(formatted(p, e, s, n, &part));
		else
			part = quarter_of(p, e);
		if (n > 0 && !part)
			return SOTTO_OK; /* which refuses the whole format */
		n += n == 0;
		SOTTO_SQL_NEED(part);
		made = sotto_sql_make_op(p, SOTTO_SQL_CONCAT, made, part);
	}
	return sotto_sql_become(e, made);
}
