/*
 * Dates moved by days or intervals.  A date outside years 1 to 9999 is NULL, and
 * amounts are limited, so that nothing leaves the engine's range.
 */
#include "central/expression/bind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/expression/range/value_range.h"
#include "central/expression/row_function.h"
#include "core/base/calendar.h"
#include "core/base/failure.h"

static const struct {
	const char *unit;
	enum sotto_operation_name operation;
	int times;
} units[] = {
	{"year", SOTTO_OP_TO_MONTHS, 12},   {"month", SOTTO_OP_TO_MONTHS, 1},
	{"week", SOTTO_OP_TO_DAYS, 7},      {"day", SOTTO_OP_TO_DAYS, 1},
	{"hour", SOTTO_OP_TO_HOURS, 1},     {"minute", SOTTO_OP_TO_MINUTES, 1},
	{"second", SOTTO_OP_TO_SECONDS, 1},
};

bool sotto_expr_is_interval(const struct sotto_sql_expr *e)
{
	return e->kind == SOTTO_SQL_CALL && e->count == 2 &&
	       strcmp(e->text, SOTTO_SQL_INTERVAL) == 0 && e->args[1]->kind == SOTTO_SQL_TEXT;
}

static bool is_of_day(const struct sotto_sql_expr *part)
{
	static const char *const finer[] = {"hour", "minute", "second", "epoch"};

	if (part->kind != SOTTO_SQL_TEXT)
		return false;
	for (size_t i = 0; i < sizeof finer / sizeof finer[0]; i++)
		if (strcmp(finer[i], part->text) == 0)
			return false;
	return true;
}

/* The letters of a strftime format that say nothing about the time of day. */
static bool is_format_of_day(const struct sotto_sql_expr *format)
{
	if (format->kind != SOTTO_SQL_TEXT)
		return false;
	for (const char *s = format->text; *s; s++)
		if (*s == '%' && (!*++s || !strchr("YymdjaAbBuwUWGV%-", *s)))
			return false;
	return true;
}

/* A column as it is: what is moved by hours, or to another zone, has other days. */
static bool is_unmoved(const struct sotto_sql_expr *e)
{
	while (e->kind == SOTTO_SQL_CAST)
		e = e->args[0];
	return e->kind == SOTTO_SQL_COLUMN || e->kind == SOTTO_SQL_TEXT;
}

static bool takes_day(const struct sotto_sql_expr *e)
{
	const struct sotto_function *f;

	for (size_t i = 0; i < e->count; i++)
		if (!is_unmoved(e->args[i]))
			return false;
	if (e->kind == SOTTO_SQL_CAST)
		return e->type == SOTTO_TYPE_DATE;
	if (e->kind != SOTTO_SQL_CALL)
		return false;
	f = sotto_function_find(e->text);
	switch (f ? f->day : SOTTO_DAY_UNKNOWN) {
	case SOTTO_DAY_ALONE:
		return true;
	case SOTTO_DAY_BY_PART:
		return e->count == 2 && is_of_day(e->args[0]);
	case SOTTO_DAY_BY_FORMAT:
		return e->count == 2 && is_format_of_day(e->args[1]);
	case SOTTO_DAY_UNKNOWN:
		break;
	}
	return false;
}

bool sotto_expr_reads_days(const struct sotto_sql_expr *e)
{
	if (e->kind == SOTTO_SQL_COLUMN || e->select)
		return false;
	if (takes_day(e))
		return true;
	for (size_t i = 0; i < e->count; i++)
		if (!sotto_expr_reads_days(e->args[i]))
			return false;
	return true;
}

enum sotto_status sotto_bind_amount(struct sotto_binder *b, const struct sotto_sql_expr *e,
				    const struct sotto_expression **out)
{
	long n = strtol(e->args[0]->text, NULL, 10);

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(units[i].unit, e->args[1]->text) == 0)
			return sotto_bind_made(
				b, out,
				SOTTO_APPLY(
					b->arena, units[i].operation,
					sotto_expression_whole(b->arena, n * units[i].times)));
	return sotto_bind_refuse(b, e, "this unit of an interval is not supported");
}

/* ---- ranges in days ------------------------------------------------------------------ */

/* Nothing is said about days beyond. */
enum { DAYS_MAX = 3000000 };

/* With a time of day it is between two days; with a zone, within a day of them. */
enum sotto_status
sotto_date_range(struct sotto_arena *a, const char *text, struct sotto_value_range *out)
{
	char date[SOTTO_CALENDAR_TEXT];
	int64_t days, minutes;
	bool zone;

	*out = (struct sotto_value_range){NULL, NULL};
	(void)snprintf(date, sizeof date, "%.10s", text);
	if (!sotto_calendar_parse(date, &days))
		return SOTTO_OK;
	if (strlen(text) == 10)
		return sotto_range_of(a, (long)days, (long)days, out);
	zone = sotto_calendar_zone(text + 10, &minutes);
	return sotto_range_of(a, (long)days - zone, (long)days + 1 + zone, out);
}

static bool is_month(const char *unit)
{
	return strcmp(unit, "year") == 0 || strcmp(unit, "month") == 0;
}

static long moved(long days, const struct sotto_sql_expr *amount, long sign)
{
	long n = sign * strtol(amount->args[0]->text, NULL, 10);
	const char *unit = amount->args[1]->text;

	if (is_month(unit))
		return (long)sotto_calendar_add_months(days, *unit == 'y' ? 12 * n : n);
	return days + (*unit == 'w' ? 7 * n : n);
}

/* Moved by whole days or months; anything finer says nothing of days. */
static enum sotto_status moved_range(struct sotto_binder *b, struct sotto_value_range x,
				     const struct sotto_sql_expr *amount, long sign,
				     struct sotto_value_range *out)
{
	const char *unit = amount->args[1]->text;
	long lo, hi, n = labs(strtol(amount->args[0]->text, NULL, 10));

	if (!sotto_range_is_closed(x) || n > 100000 ||
	    !(is_month(unit) || strcmp(unit, "week") == 0 || strcmp(unit, "day") == 0))
		return SOTTO_OK;
	lo = mpz_get_si(mpq_numref(x.lo->q));
	hi = mpz_get_si(mpq_numref(x.hi->q));
	if (labs(lo) > DAYS_MAX || labs(hi) > DAYS_MAX || (is_month(unit) && n > 12000))
		return SOTTO_OK;
	return sotto_range_of(b->arena, moved(lo, amount, sign), moved(hi, amount, sign), out);
}

/* Units of a date that are shorter than a day, and how many days a longer one has at least. */
static const struct {
	const char *part;
	long per_day, days;
} lengths[] = {{"second", 86400, 1}, {"epoch", 86400, 1}, {"minute", 1440, 1},
	       {"hour", 24, 1},      {"day", 1, 1},       {"week", 1, 7},
	       {"month", 1, 28},     {"quarter", 1, 90},  {"year", 1, 365}};

enum sotto_status
sotto_date_diff_range(struct sotto_arena *a, const char *part, struct sotto_value_range from,
		      struct sotto_value_range to, struct sotto_value_range *out)
{
	struct sotto_value_range days;
	long lo, hi;

	SOTTO_TRY(sotto_range_subtract(a, to, from, &days));
	if (!sotto_range_is_closed(days))
		return SOTTO_OK;
	lo = mpz_get_si(mpq_numref(days.lo->q)) - 1; /* a moment is up to a day after its day */
	hi = mpz_get_si(mpq_numref(days.hi->q)) + 1;
	if (labs(lo) > DAYS_MAX || labs(hi) > DAYS_MAX)
		return SOTTO_OK;
	lo = lo < 0 ? lo : 0;
	hi = hi > 0 ? hi : 0;
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
		if (strcmp(lengths[i].part, part) == 0) /* and one more, for the ends */
			return sotto_range_of(a, lo * lengths[i].per_day / lengths[i].days - 1,
					      hi * lengths[i].per_day / lengths[i].days + 1,
					      out);
	return SOTTO_OK;
}

/* ---- moved dates --------------------------------------------------------------------- */

enum sotto_status sotto_bind_interval(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      struct sotto_bound *out)
{
	bool first = sotto_expr_is_interval(e->args[0]);
	const struct sotto_sql_expr *amount = e->args[first ? 0 : 1],
				    *date = e->args[!first ? 0 : 1];
	const struct sotto_expression *args[2];
	struct sotto_bound x;

	if (sotto_expr_is_interval(date) || (first && e->op == SOTTO_SQL_SUBTRACT))
		return sotto_bind_refuse(b, e,
					 "an interval is added to a date or taken from it");
	SOTTO_TRY(sotto_bind(b, date, &x));
	SOTTO_TRY(sotto_bind_temporal(b, date, &x, &args[0]));
	SOTTO_TRY(sotto_bind_amount(b, amount, &args[1]));
	*out = (struct sotto_bound){
		.type = SOTTO_TYPE_TIMESTAMP, .nullable = true, .moment = x.moment};
	SOTTO_TRY(
		moved_range(b, x.range, amount, e->op == SOTTO_SQL_ADD ? 1 : -1, &out->range));
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	return sotto_bind_made(
		b, &out->value,
		SOTTO_APPLY(b->arena,
			    e->op == SOTTO_SQL_ADD ? SOTTO_OP_LATER : SOTTO_OP_EARLIER, args[0],
			    args[1]));
}

enum sotto_status sotto_bind_days(struct sotto_binder *b, const struct sotto_sql_expr *e,
				  const struct sotto_bound *date,
				  const struct sotto_bound *days, struct sotto_bound *out)
{
	const struct sotto_expression *args[2];

	SOTTO_TRY(sotto_bind_temporal(b, e, date, &args[0]));
	SOTTO_TRY(sotto_bind_as(b, e, days, SOTTO_TYPE_NUMBER, &args[1]));
	*out = (struct sotto_bound){.type = SOTTO_TYPE_DATE, .nullable = true};
	SOTTO_TRY(sotto_bind_depend(b, out, date));
	SOTTO_TRY(sotto_bind_depend(b, out, days));
	return sotto_bind_made(b, &out->value,
			       SOTTO_APPLY(b->arena,
					   e->op == SOTTO_SQL_ADD ? SOTTO_OP_DAYS_LATER
								  : SOTTO_OP_DAYS_EARLIER,
					   args[0], args[1]));
}

/* ---- the time between two moments ---------------------------------------------------- */

/* extract(epoch FROM a - b): whole seconds between two moments; day: whole days of them. */
static enum sotto_status bind_span(struct sotto_binder *b, const struct sotto_sql_expr *e,
				   const struct sotto_bound *x, const struct sotto_bound *y,
				   struct sotto_bound *out)
{
	const struct sotto_expression *args[2];
	bool days = strcmp(e->args[0]->text, "day") == 0;
	struct sotto_value_range day, rest, span;

	if (!days && strcmp(e->args[0]->text, "epoch") != 0)
		return sotto_bind_refuse(
			b, e,
			"from the time between two moments only epoch (in seconds) and day can "
			"be extracted; divide epoch to get other units");
	*out = (struct sotto_bound){
		.type = SOTTO_TYPE_INTEGER, .nullable = true, .divides = true};
	SOTTO_TRY(sotto_bind_depend(b, out, x));
	SOTTO_TRY(sotto_bind_depend(b, out, y));
	SOTTO_TRY(sotto_bind_temporal(b, e, x, &args[0]));
	SOTTO_TRY(sotto_bind_temporal(b, e, y, &args[1]));
	SOTTO_TRY(sotto_range_of(b->arena, 86400, 86400, &day));
	SOTTO_TRY(sotto_range_of(b->arena, -1, 1, &rest));
	SOTTO_TRY(sotto_range_subtract(b->arena, x->range, y->range, &span));
	SOTTO_TRY(sotto_range_add(b->arena, span, rest, &span));
	out->range = span;
	if (!days)
		SOTTO_TRY(sotto_range_multiply(b->arena, span, day, &out->range));
	return sotto_bind_made(
		b, &out->value,
		days ? SOTTO_APPLY(b->arena, SOTTO_OP_WHOLE_DAYS,
				   SOTTO_APPLY(b->arena, SOTTO_OP_SECONDS_BETWEEN, args[0],
					       args[1]))
		     : SOTTO_APPLY(b->arena, SOTTO_OP_SECONDS_BETWEEN, args[0], args[1]));
}

static bool is_temporal(const struct sotto_bound *x)
{
	return x->type == SOTTO_TYPE_DATE || x->type == SOTTO_TYPE_TIMESTAMP;
}

/* Is it a part of the time between two moments?  Two dates are a number of days apart. */
enum sotto_status sotto_bind_span(struct sotto_binder *b, const struct sotto_sql_expr *e,
				  struct sotto_bound *out, bool *found)
{
	const struct sotto_sql_expr *span = e->count == 2 ? e->args[1] : NULL;
	const struct sotto_function *f = sotto_function_find(e->text);
	struct sotto_bound x, y;

	*found = false;
	if (!span || !f || f->known != SOTTO_KNOWN_DATE_PART ||
	    e->args[0]->kind != SOTTO_SQL_TEXT || span->kind != SOTTO_SQL_OP ||
	    span->op != SOTTO_SQL_SUBTRACT || sotto_expr_is_interval(span->args[1]))
		return SOTTO_OK;
	SOTTO_TRY(sotto_bind(b, span->args[0], &x));
	SOTTO_TRY(sotto_bind(b, span->args[1], &y));
	*found = is_temporal(&x) && is_temporal(&y) &&
		 (x.type == SOTTO_TYPE_TIMESTAMP || y.type == SOTTO_TYPE_TIMESTAMP);
	return *found ? bind_span(b, e, &x, &y, out) : SOTTO_OK;
}
