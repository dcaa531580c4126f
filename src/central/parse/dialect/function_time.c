/*
 * Buckets of time, and texts that are read as dates, as other dialects call them.
 */
#include "central/parse/dialect/function_time.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "central/parse/dialect/call_make.h"
#include "central/parse/parse_query.h"
#include "central/parse/value/date_format.h"
#include "core/base/failure.h"

/* e becomes a call of name with these arguments, of which the last may be NULL. */
static enum sotto_status become_call(struct sotto_sql_parser *p, struct sotto_sql_expr *e,
				     const char *name, struct sotto_sql_expr *x,
				     struct sotto_sql_expr *y, struct sotto_sql_expr *z)
{
	struct sotto_sql_expr **args = sotto_arena_alloc(p->arena, 3 * sizeof *args);

	SOTTO_SQL_NEED(args && x && y);
	args[0] = x;
	args[1] = y;
	args[2] = z;
	e->text = name;
	e->args = args;
	e->count = z ? 3 : 2;
	return SOTTO_OK;
}

/* ---- buckets -------------------------------------------------------------------------------- */

static enum sotto_status
refuse_bucket(struct sotto_sql_parser *p, const struct sotto_sql_expr *e)
{
	return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
			      "%.40s takes a width and an origin that are written out, like "
			      "TIME_BUCKET(INTERVAL '15 minutes', t) or DATE_BIN(INTERVAL '15 "
			      "minutes', t, TIMESTAMP '2024-01-01')",
			      e->text);
}

/* INTERVAL '15 minutes', or '15 minutes' alone, of more than nothing. */
static enum sotto_status find_width(struct sotto_sql_parser *p, const struct sotto_sql_expr *e,
				    struct sotto_sql_expr *x, struct sotto_sql_expr **out)
{
	char *unit;
	long n;

	*out = x;
	if (x->kind == SOTTO_SQL_TEXT) {
		n = strtol(x->text, &unit, 10);
		unit += strspn(unit, " ");
		SOTTO_TRY(sotto_sql_new_interval(p, x->at, n, unit, out));
	}
	if ((*out)->kind != SOTTO_SQL_CALL || strcmp((*out)->text, SOTTO_SQL_INTERVAL) != 0 ||
	    strtol((*out)->args[0]->text, NULL, 10) < 1)
		return refuse_bucket(p, e);
	return SOTTO_OK;
}

static bool is_written(const struct sotto_sql_expr *e)
{
	while (e->kind == SOTTO_SQL_CAST)
		e = e->args[0];
	return e->kind == SOTTO_SQL_TEXT;
}

/* Where no origin is given, buckets of one unit begin where the unit does. */
static enum sotto_status as_bucket(struct sotto_sql_parser *p, struct sotto_sql_expr *e,
				   struct sotto_sql_expr *width, struct sotto_sql_expr *d,
				   struct sotto_sql_expr *origin, const char *usual)
{
	const char *unit = width->args[1]->text;

	if (!origin && strcmp(width->args[0]->text, "1") == 0)
		return become_call(p, e, "date_trunc", width->args[1], d, NULL);
	if (origin && !is_written(origin))
		return refuse_bucket(p, e);
	if (!origin && !usual) /* a Monday, for weeks; a January, for months */
		usual = strcmp(unit, "month") == 0 || strcmp(unit, "year") == 0 ? "2000-01-01"
										: "2000-01-03";
	if (!origin)
		origin = sotto_sql_make_leaf(p, SOTTO_SQL_TEXT, usual, e->at);
	SOTTO_SQL_NEED(origin);
	return become_call(p, e, "time_bucket", width, d, origin);
}

/* TIME_BUCKET(width, d) of DuckDB and TimescaleDB, DATE_BIN(width, d, origin) of PostgreSQL. */
static enum sotto_status rewrite_bucket(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	struct sotto_sql_expr *width;

	SOTTO_TRY(find_width(p, e, e->args[0], &width));
	return as_bucket(p, e, width, e->args[1], e->count == 3 ? e->args[2] : NULL, NULL);
}

/* toStartOfInterval(d, INTERVAL 15 MINUTE) of ClickHouse counts from 1970 on. */
static enum sotto_status rewrite_interval(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	struct sotto_sql_expr *width;

	SOTTO_TRY(find_width(p, e, e->args[1], &width));
	return as_bucket(p, e, width, e->args[0], NULL, "1970-01-01");
}

/* A whole number of up to nine digits that is written out; -1: something else. */
static long whole_of(const struct sotto_sql_expr *e)
{
	size_t digits = e->kind == SOTTO_SQL_NUMBER ? strspn(e->text, "0123456789") : 0;

	return digits > 0 && digits < 10 && e->text[digits] == '\0' ? strtol(e->text, NULL, 10)
								    : -1;
}

/* TIME_SLICE(d, 15, 'MINUTE') of Snowflake does too; what it does with weeks is a setting. */
static enum sotto_status rewrite_slice(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	struct sotto_sql_expr *width, *unit = e->args[2];
	long count = whole_of(e->args[1]);

	if (count < 1 || unit->kind != SOTTO_SQL_TEXT ||
	    (count > 1 && strcasecmp(unit->text, "week") == 0))
		return refuse_bucket(p, e);
	SOTTO_TRY(sotto_sql_new_interval(p, e->at, count, unit->text, &width));
	SOTTO_TRY(find_width(p, e, width, &width));
	return as_bucket(p, e, width, e->args[0], NULL, "1970-01-01");
}

/* ---- texts that are dates -------------------------------------------------------------------- */

/* %H, %I and %-H, %-I: formats that read a time of day read its hour. */
static bool reads_hour(const char *format)
{
	for (const char *at = strchr(format, '%'); at && at[1]; at = strchr(at + 2, '%')) {
		const char *letter = at[1] == '-' ? at + 2 : at + 1;

		if (*letter == 'H' || *letter == 'I')
			return true;
	}
	return false;
}

/* As strptime has it, and as a date where nothing of the time of day is read. */
static enum sotto_status as_date(struct sotto_sql_parser *p, struct sotto_sql_expr *e,
				 struct sotto_sql_expr *text, struct sotto_sql_expr *format)
{
	struct sotto_sql_expr *call = sotto_sql_expr_new(p->arena, SOTTO_SQL_CALL, e->at);
	bool time = strcmp(e->text, "strptime") == 0 || strcmp(e->text, "try_strptime") == 0 ||
		    strstr(e->text, "time") || reads_hour(format->text);

	SOTTO_SQL_NEED(call);
	SOTTO_TRY(become_call(p, call, "strptime", text, format, NULL));
	if (time) {
		*e = *call;
		return SOTTO_OK;
	}
	e->kind = SOTTO_SQL_CAST;
	e->type = SOTTO_TYPE_DATE;
	e->args = sotto_arena_alloc(p->arena, sizeof *e->args);
	SOTTO_SQL_NEED(e->args);
	e->args[0] = call;
	e->count = 1;
	return SOTTO_OK;
}

static enum sotto_status
refuse_format(struct sotto_sql_parser *p, const struct sotto_sql_expr *e, const char *like)
{
	return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
			      "%.40s takes a text and a format that is written out, like %s; "
			      "CAST(x AS DATE) reads 2024-12-31",
			      e->text, like);
}

/* PARSE_DATE('%Y%m%d', x) of BigQuery; STRPTIME(x, '%Y%m%d') of DuckDB. */
static enum sotto_status rewrite_parse(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	bool first = strncmp(e->text, "parse", 5) == 0;
	struct sotto_sql_expr *format = e->args[!first];

	if (format->kind != SOTTO_SQL_TEXT)
		return refuse_format(p, e, "'%Y%m%d'");
	return as_date(p, e, e->args[first], format);
}

/* TO_DATE(x, 'YYYYMMDD') of PostgreSQL, Oracle and Snowflake. */
static enum sotto_status rewrite_to_date(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	const char *format = e->args[1]->kind == SOTTO_SQL_TEXT
				     ? sotto_sql_format_of_to_char(p->arena, e->args[1]->text)
				     : "";
	struct sotto_sql_expr *written =
		sotto_sql_make_leaf(p, SOTTO_SQL_TEXT, format, e->args[1]->at);

	SOTTO_SQL_NEED(format && written);
	return *format ? as_date(p, e, e->args[0], written) : refuse_format(p, e, "'YYYYMMDD'");
}

/* ---- parts of texts --------------------------------------------------------------------------- */

/* SPLIT(x, ',')[OFFSET(0)], which the dialect made SPLIT(x, ',', 0), is SPLIT_PART(x, ',', 1). */
static enum sotto_status rewrite_split(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	struct sotto_sql_expr *place = e->args[2];
	long offset = whole_of(place);
	const char *text;

	if (offset < 0)
		return SOTTO_OK;
	text = sotto_arena_textf(p->arena, "%ld", offset + 1);
	SOTTO_SQL_NEED(text);
	return become_call(p, e, "split_part", e->args[0], e->args[1],
			   sotto_sql_make_leaf(p, SOTTO_SQL_NUMBER, text, place->at));
}

/* ---- the table -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	size_t least, most; /* arguments */
	enum sotto_status (*rewrite)(struct sotto_sql_parser *, struct sotto_sql_expr *);
} calls[] = {
	{"time_bucket", 2, 3, rewrite_bucket},         {"date_bin", 2, 3, rewrite_bucket},
	{"tostartofinterval", 2, 2, rewrite_interval}, {"time_slice", 3, 3, rewrite_slice},
	{"parse_date", 2, 2, rewrite_parse},           {"parse_timestamp", 2, 2, rewrite_parse},
	{"parse_datetime", 2, 2, rewrite_parse},       {"strptime", 2, 2, rewrite_parse},
	{"try_strptime", 2, 2, rewrite_parse},         {"to_date", 2, 2, rewrite_to_date},
	{"to_timestamp", 2, 2, rewrite_to_date},       {"split", 3, 3, rewrite_split},
};

enum sotto_status sotto_sql_rewrite_time(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
		if (strcmp(calls[i].name, e->text) == 0 && e->count >= calls[i].least &&
		    e->count <= calls[i].most)
			return calls[i].rewrite(p, e);
	return SOTTO_OK;
}
