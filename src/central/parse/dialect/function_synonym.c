/*
 * Functions of other dialects, translated to the names used here.
 */
#include "central/parse/dialect/function_date.h"
#include "central/parse/dialect/function_rewrite.h"
#include "central/parse/dialect/function_synonym.h"
#include "central/parse/dialect/function_time.h"
#include "central/parse/parse_query.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "central/parse/value/date_format.h"
#include "core/base/failure.h"

static const struct {
	const char *name, *means;
	size_t args;
} plain[] = {
	{"var", "var_samp", 1},
	{"varp", "var_pop", 1},
	{"stdev", "stddev_samp", 1},
	{"stdevp", "stddev_pop", 1},
	{"ifnull", "coalesce", 2},
	{"nvl", "coalesce", 2},
	{"isnull", "coalesce", 2},
	{"mean", "avg", 1},
	{"approx_median", "median", 1},
	{"substring", "substr", 3},
	{"len", "length", 1},
	{"strlen", "octet_length", 1},
	{"lcase", "lower", 1},
	{"ucase", "upper", 1},
	{"instr", "strpos", 2},
	{"trunc", "truncate", 2},
	{"regexp_like", "regexp_matches", 2},
	{"regexp_contains", "regexp_matches", 2},
	{"logical_or", "bool_or", 1},
	{"logical_and", "bool_and", 1},
	{"booland_agg", "bool_and", 1},
	{"boolor_agg", "bool_or", 1},
	{"percentile_approx", "approx_percentile", 2},
	{"percentile_approx", "approx_percentile", 3},
	{"approx_percentile", "approx_percentile", 3},
	{"anon_count", "count", 1},
	{"anon_sum", "sum", 1},
	{"anon_avg", "avg", 1},
	{"anon_var_pop", "var_pop", 1},
	{"anon_stddev_pop", "stddev_pop", 1},
	{"timestamp_diff", "datesub",
	 3}, /* BigQuery, and MySQL below: whole units that have passed */
	{"datetrunc", "date_trunc", 2},
	{"timestamp_trunc", "date_trunc", 2},
	{"timestamp_trunc", "date_trunc", 3},
	{"datetime_trunc", "date_trunc", 2},
	{"datetime_diff", "date_diff", 3},
	{"timestampdiff", "datesub", 3},
	{"datepart", "date_part", 2},
	{"json_value", "json_extract_string", 2},
	{"json_extract_scalar", "json_extract_string", 2},
	{"get_json_object", "json_extract_string", 2},
	{"json_query", "json_extract", 2},
};

/* year(d) is extract(year FROM d). */
static const struct {
	const char *name, *part;
} parts[] = {
	{"year", "year"},          {"quarter", "quarter"},   {"month", "month"},
	{"week", "week"},          {"day", "day"},           {"hour", "hour"},
	{"minute", "minute"},      {"second", "second"},     {"dayofweek", "dow"},
	{"dayofyear", "doy"},      {"dayofmonth", "day"},    {"weekofyear", "week"},
	{"isodow", "isodow"},      {"epoch", "epoch"},       {"unix_timestamp", "epoch"},
	{"unix_seconds", "epoch"}, {"to_unixtime", "epoch"}, {"tounixtimestamp", "epoch"},
};

static struct sotto_sql_expr *
new_text(struct sotto_sql_parser *p, const struct sotto_sql_expr *at, const char *text)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(p->arena, SOTTO_SQL_TEXT, at->at);

	if (e)
		e->text = text;
	return e;
}

static enum sotto_status
as_part(struct sotto_sql_parser *p, struct sotto_sql_expr *e, const char *part)
{
	struct sotto_sql_expr **args = sotto_arena_alloc(p->arena, 2 * sizeof *args);

	SOTTO_SQL_NEED(args);
	args[0] = new_text(p, e, part);
	SOTTO_SQL_NEED(args[0]);
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

static void as_operator(struct sotto_sql_expr *e, enum sotto_sql_op op)
{
	e->kind = SOTTO_SQL_OP;
	e->op = op;
}

static bool is(const struct sotto_sql_expr *e, const char *name, size_t args)
{
	return e->count == args && strcmp(e->text, name) == 0;
}

static bool is_one_of(const struct sotto_sql_expr *e, size_t args, const char *x, const char *y,
		      const char *z)
{
	return is(e, x, args) || is(e, y, args) || is(e, z, args);
}

/* ---- numbers ------------------------------------------------------------------------------- */

static enum sotto_status wrap(struct sotto_sql_parser *p, const char *function,
			      struct sotto_sql_expr *x, struct sotto_sql_expr **out)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(p->arena, SOTTO_SQL_CALL, x->at);

	SOTTO_SQL_NEED(e);
	e->text = function;
	e->args = sotto_arena_alloc(p->arena, sizeof *e->args);
	SOTTO_SQL_NEED(e->args);
	e->args[0] = x;
	e->count = 1;
	*out = e;
	return SOTTO_OK;
}

/* log(b, x) is ln(x) / ln(b). */
static enum sotto_status translate_number(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	struct sotto_sql_expr *base = e->count ? e->args[0] : NULL;

	if (is(e, "log", 2)) {
		SOTTO_TRY(wrap(p, "ln", e->args[1], &e->args[0]));
		SOTTO_TRY(wrap(p, "ln", base, &e->args[1]));
		as_operator(e, SOTTO_SQL_DIVIDE);
	} else if (is(e, "mod", 2)) {
		as_operator(e, SOTTO_SQL_MODULO);
	} else if (is(e, "pi", 0)) {
		e->kind = SOTTO_SQL_NUMBER;
		e->text = "3.141592653589793";
	}
	return SOTTO_OK;
}

/* APPROX_QUANTILES(x, 4, 1), the first of four parts, is QUANTILE_CONT(x, 1/4). */
static enum sotto_status
translate_quantiles(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	char *end = NULL;
	long whole, part;

	if (e->count != 3 || e->args[1]->kind != SOTTO_SQL_NUMBER ||
	    e->args[2]->kind != SOTTO_SQL_NUMBER)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
				      "APPROX_QUANTILES is a list; name one element, like "
				      "APPROX_QUANTILES(x, 4)[OFFSET(1)], or write "
				      "PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY x)");
	whole = strtol(e->args[1]->text, &end, 10);
	part = *end ? -1 : strtol(e->args[2]->text, &end, 10);
	if (whole < 1 || whole > 100000 || part < 0 || part > whole || *end)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
				      "APPROX_QUANTILES(x, n)[OFFSET(k)] takes whole numbers, "
				      "k from 0 to n");
	e->args[1] = sotto_sql_expr_new(p->arena, SOTTO_SQL_NUMBER, e->at);
	SOTTO_SQL_NEED(e->args[1]);
	e->args[1]->text = sotto_arena_textf(p->arena, "%ld/%ld", part, whole);
	e->text = "quantile_cont";
	e->count = 2;
	return e->args[1]->text ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- dates --------------------------------------------------------------------------------- */

/* MONTH without quotes, where a part of a date belongs. */
static bool is_bare_part(const struct sotto_sql_expr *e)
{
	static const char *const names[] = {"year", "quarter", "month",  "week",
					    "day",  "hour",    "minute", "second",
					    "dow",  "doy",     "isodow", "isoyear"};

	for (size_t i = 0;
	     e->kind == SOTTO_SQL_COLUMN && !e->qualifier && i < sizeof names / sizeof names[0];
	     i++)
		if (strcmp(names[i], e->text) == 0)
			return true;
	return false;
}

static void swap(struct sotto_sql_expr **x, struct sotto_sql_expr **y)
{
	struct sotto_sql_expr *kept = *x;

	*x = *y;
	*y = kept;
}

/* date_trunc(d, MONTH) and date_diff(a, b, DAY) put the part last; b is then the earlier one. */
static enum sotto_status place_part(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	size_t last = e->count - 1;

	if (is(e, "date_trunc", 3)) { /* (d, MONTH, zone) */
		if (e->args[0]->kind != SOTTO_SQL_TEXT && is_bare_part(e->args[1]))
			swap(&e->args[0], &e->args[1]);
		if (is_bare_part(e->args[0]))
			e->args[0] = new_text(p, e->args[0], e->args[0]->text);
		return e->args[0] ? SOTTO_OK : SOTTO_ENOMEM;
	}
	if (e->args[0]->kind != SOTTO_SQL_TEXT && is_bare_part(e->args[last]) &&
	    !(e->count == 3 && is_bare_part(e->args[0])))
		swap(&e->args[0], &e->args[last]);
	if (is_bare_part(e->args[0]))
		e->args[0] = new_text(p, e->args[0], e->args[0]->text);
	return e->args[0] ? SOTTO_OK : SOTTO_ENOMEM;
}

/* to_char(d, 'YYYY-MM'), to_varchar of Snowflake, is strftime(d, '%Y-%m'). */
static enum sotto_status translate_format(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	const char *format;

	SOTTO_TRY(sotto_sql_rewrite_quarter(p, e));
	if (e->kind != SOTTO_SQL_CALL)
		return SOTTO_OK;
	if (is(e, "strftime", 2) && e->args[0]->kind == SOTTO_SQL_TEXT)
		swap(&e->args[0], &e->args[1]);
	if (!(is(e, "to_char", 2) || is(e, "to_varchar", 2)) ||
	    e->args[1]->kind != SOTTO_SQL_TEXT)
		return SOTTO_OK;
	format = sotto_sql_format_of_to_char(p->arena, e->args[1]->text);
	SOTTO_SQL_NEED(format);
	if (!*format)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, e->at,
				      "to_char takes a date and a format made of YYYY, MM, "
				      "DD, HH24, MI, SS, Mon, Dy, FMMonth, FMDay, Q, IYYY, IW "
				      "and texts in double quotes");
	e->args[1] = new_text(p, e, format);
	SOTTO_SQL_NEED(e->args[1]);
	e->text = "strftime";
	return SOTTO_OK;
}

/* ---- time zones ---------------------------------------------------------------------------- */

static struct sotto_sql_expr *new_cast(struct sotto_sql_parser *p, struct sotto_sql_expr *x,
				       enum sotto_sql_type type, bool zoned)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(p->arena, SOTTO_SQL_CAST, x->at);

	if (!e)
		return NULL;
	e->type = type;
	e->zoned = zoned;
	e->args = sotto_arena_alloc(p->arena, sizeof *e->args);
	if (!e->args)
		return NULL;
	e->args[0] = x;
	e->count = 1;
	return e;
}

/* x AT TIME ZONE zone */
static struct sotto_sql_expr *
new_zone(struct sotto_sql_parser *p, struct sotto_sql_expr *zone, struct sotto_sql_expr *x)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(p->arena, SOTTO_SQL_CALL, zone->at);

	if (!e || !x)
		return NULL;
	e->text = "timezone";
	e->args = sotto_arena_alloc(p->arena, 2 * sizeof *e->args);
	if (!e->args)
		return NULL;
	e->args[0] = zone;
	e->args[1] = x;
	e->count = 2;
	return e;
}

/* Local time in a zone of a moment, whatever type it has. */
static struct sotto_sql_expr *
new_local(struct sotto_sql_parser *p, struct sotto_sql_expr *zone, struct sotto_sql_expr *x)
{
	return new_zone(p, zone, new_cast(p, x, SOTTO_TYPE_TIMESTAMP, true));
}

/*
 * In other words:
 *
 *	convert_timezone(to, x)         local time of a moment (Snowflake)
 *	convert_timezone(from, to, x)   local time of a local time elsewhere (Snowflake)
 *	date(x, zone)                   the day of a moment (BigQuery)
 *	date_trunc(part, x, zone)       the moment at which that part began (PostgreSQL)
 */
static enum sotto_status translate_zone(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	struct sotto_sql_expr *made = NULL, *x = e->args[e->count - 1];

	if (is(e, "convert_timezone", 2)) {
		made = new_local(p, e->args[0], x);
	} else if (is(e, "convert_timezone", 3)) {
		x = new_cast(p, x, SOTTO_TYPE_TIMESTAMP, false);
		made = new_zone(p, e->args[1], x ? new_zone(p, e->args[0], x) : NULL);
	} else if (is(e, "date", 2)) {
		x = new_local(p, e->args[1], e->args[0]);
		made = x ? new_cast(p, x, SOTTO_TYPE_DATE, false) : NULL;
	} else if (is(e, "date_trunc", 3)) {
		made = new_zone(p, x, new_local(p, x, e->args[1]));
		SOTTO_SQL_NEED(made);
		e->args[1] = made->args[1];
		made->args[1] = sotto_sql_expr_new(p->arena, SOTTO_SQL_CALL, e->at);
		SOTTO_SQL_NEED(made->args[1]);
		e->count = 2;
		*made->args[1] = *e;
	}
	SOTTO_SQL_NEED(made);
	*e = *made;
	return SOTTO_OK;
}

static bool has_zone(const struct sotto_sql_expr *e)
{
	return is(e, "convert_timezone", 2) || is(e, "convert_timezone", 3) ||
	       is(e, "date", 2) || is(e, "date_trunc", 3);
}

/* date_part('year', age(a, b)): the whole years from b to a. */
static bool is_age(const struct sotto_sql_expr *e)
{
	return (is(e, "date_part", 2) || is(e, "extract", 2)) &&
	       e->args[0]->kind == SOTTO_SQL_TEXT && strcmp(e->args[0]->text, "year") == 0 &&
	       e->args[1]->kind == SOTTO_SQL_CALL && is(e->args[1], "age", 2);
}

/* floor() of them, because what EXTRACT gives divides to fractions. */
static enum sotto_status as_years(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	struct sotto_sql_expr *years = sotto_sql_expr_copy(p->arena, e);
	struct sotto_sql_expr **args = sotto_arena_alloc(p->arena, 3 * sizeof *args);

	SOTTO_SQL_NEED(years && args);
	args[0] = e->args[0];
	args[1] = e->args[1]->args[1];
	args[2] = e->args[1]->args[0];
	years->text = "datesub";
	years->args = args;
	years->count = 3;
	e->text = "floor";
	e->args[0] = years;
	e->count = 1;
	return SOTTO_OK;
}

/* DATEDIFF(a, b) of MySQL and Spark: the days from b to a, whatever the time of day. */
static enum sotto_status as_days(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < 2; i++) {
		e->args[i] = new_cast(p, e->args[i], SOTTO_TYPE_DATE, false);
		SOTTO_SQL_NEED(e->args[i]);
	}
	as_operator(e, SOTTO_SQL_SUBTRACT);
	return SOTTO_OK;
}

static enum sotto_status translate_date(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	if (is_age(e))
		return as_years(p, e);
	if (is(e, "date_trunc", 2) || is(e, "date_part", 2) || is(e, "date_diff", 3) ||
	    is(e, "datediff", 3) || is(e, "datesub", 3))
		return place_part(p, e);
	if (is(e, "date_trunc", 3))
		SOTTO_TRY(place_part(p, e));
	if (has_zone(e))
		return translate_zone(p, e);
	if (is_one_of(e, 2, "date_add", "timestamp_add", "datetime_add"))
		as_operator(e, SOTTO_SQL_ADD);
	else if (is_one_of(e, 2, "date_sub", "timestamp_sub", "datetime_sub"))
		as_operator(e, SOTTO_SQL_SUBTRACT);
	else if (is(e, "datediff", 2))
		return as_days(p, e);
	else if (is(e, "date", 1)) {
		e->kind = SOTTO_SQL_CAST;
		e->type = SOTTO_TYPE_DATE;
	}
	return translate_format(p, e);
}

const char *sotto_sql_synonym(size_t i, const char **means)
{
	if (i >= sizeof plain / sizeof plain[0])
		return NULL;
	*means = plain[i].means;
	return plain[i].name;
}

enum sotto_status sotto_sql_translate(struct sotto_sql_parser *p, struct sotto_sql_expr *e)
{
	SOTTO_TRY(sotto_sql_rewrite_time(p, e));
	if (e->kind == SOTTO_SQL_CALL)
		SOTTO_TRY(sotto_sql_rewrite(p, e));
	if (e->kind != SOTTO_SQL_CALL)
		return SOTTO_OK;
	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
		if (is(e, plain[i].name, plain[i].args)) {
			e->text = plain[i].means;
			break;
		}
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (is(e, parts[i].name, 1))
			return as_part(p, e, parts[i].part);
	if ((is(e, "countif", 1) || is(e, "count_if", 1)) && !e->filter && !e->distinct)
		return as_filter(p, e);
	if (is(e, "if", 3) || is(e, "iif", 3) || is(e, "iff", 3))
		e->kind = SOTTO_SQL_CASE;
	if (is(e, "approx_count_distinct", 1)) {
		e->text = "count";
		e->distinct = true;
	}
	if (is(e, "approx_percentile", 3) && e->args[2]->kind == SOTTO_SQL_NUMBER)
		e->count = 2; /* the third says how roughly it may be computed */
	if (is(e, "regexp_replace", 4) && e->args[3]->kind == SOTTO_SQL_TEXT &&
	    strcmp(e->args[3]->text, "g") == 0) {
		e->text = "regexp_replace_all";
		e->count = 3;
	}
	if (strcmp(e->text, "approx_quantiles") == 0)
		return translate_quantiles(p, e);
	SOTTO_TRY(translate_number(p, e));
	return e->kind == SOTTO_SQL_CALL ? translate_date(p, e) : SOTTO_OK;
}
