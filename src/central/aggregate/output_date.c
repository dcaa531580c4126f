/*
 * Computing with dates that aggregates choose.  A chosen date is a number of days, a chosen
 * timestamp one of seconds: what lies between two of them is a difference of numbers, and has
 * an interval as every difference has.
 */
#include "central/aggregate/output_date.h"

#include <inttypes.h>
#include <string.h>

#include "central/expression/bind.h"
#include "core/base/calendar.h"
#include "core/base/failure.h"

static bool is_chosen(const struct sotto_sql_expr *e, enum sotto_sql_type type)
{
	return e->kind == SOTTO_SQL_VALUE && e->type == type;
}

bool sotto_output_is_moment(const struct sotto_sql_expr *e)
{
	if (e->kind == SOTTO_SQL_CAST && e->type == SOTTO_TYPE_DATE)
		e = e->args[0];
	return is_chosen(e, SOTTO_TYPE_DATE) || is_chosen(e, SOTTO_TYPE_TIMESTAMP);
}

static struct sotto_sql_expr *number_leaf(struct sotto_plan *plan, int at, int64_t n)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(&plan->arena, SOTTO_SQL_NUMBER, at);

	if (e)
		e->text = sotto_arena_textf(&plan->arena, "%" PRId64, n);
	return e && e->text ? e : NULL;
}

/* The number that a chosen date is. */
static struct sotto_sql_expr *as_number(struct sotto_plan *plan, const struct sotto_sql_expr *e)
{
	struct sotto_sql_expr *copy = sotto_sql_expr_copy(&plan->arena, e);

	if (copy)
		copy->type = SOTTO_TYPE_NUMBER;
	return copy;
}

static struct sotto_sql_expr *
floor_of(struct sotto_plan *plan, struct sotto_sql_expr *seconds, int64_t each)
{
	struct sotto_sql_expr *quotient =
				      sotto_sql_op_new(&plan->arena, SOTTO_SQL_DIVIDE, seconds,
						       number_leaf(plan, seconds->at, each)),
			      *call = sotto_sql_expr_new(&plan->arena, SOTTO_SQL_CALL,
							 seconds->at);

	if (!quotient || !call ||
	    !(call->args = sotto_arena_alloc(&plan->arena, sizeof *call->args)))
		return NULL;
	call->text = "floor";
	call->count = 1;
	call->args[0] = quotient;
	return call;
}

enum { DAY = 86400 };

/*
 * The day of a chosen date, or one that is written out; *found: it is one of these.
 * moments: a timestamp stands for its day, as in date_diff.
 */
static enum sotto_status days_of(struct sotto_plan *plan, const struct sotto_sql_expr *e,
				 bool moments, struct sotto_sql_expr **out, bool *found)
{
	bool cast = e->kind == SOTTO_SQL_CAST && e->type == SOTTO_TYPE_DATE;
	const struct sotto_sql_expr *x = cast ? e->args[0] : e;
	struct sotto_sql_expr *number;
	int64_t days;

	*found = is_chosen(x, SOTTO_TYPE_DATE) ||
		 ((cast || moments) && is_chosen(x, SOTTO_TYPE_TIMESTAMP)) ||
		 (cast && x->kind == SOTTO_SQL_TEXT && sotto_calendar_parse(x->text, &days));
	if (!*found)
		return SOTTO_OK;
	if (x->kind == SOTTO_SQL_TEXT) {
		*out = number_leaf(plan, e->at, days);
		return *out ? SOTTO_OK : SOTTO_ENOMEM;
	}
	number = as_number(plan, x);
	SOTTO_NEED(number);
	*out = x->type == SOTTO_TYPE_DATE ? number : floor_of(plan, number, DAY);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

/* e becomes the days from the first to the last, if both are dates. */
static enum sotto_status between(struct sotto_plan *plan, const struct sotto_sql_expr *first,
				 const struct sotto_sql_expr *last, bool moments,
				 struct sotto_sql_expr *e, bool *found)
{
	struct sotto_sql_expr *from = NULL, *to = NULL, *made;

	SOTTO_TRY(days_of(plan, first, moments, &from, found));
	if (*found)
		SOTTO_TRY(days_of(plan, last, moments, &to, found));
	if (!*found)
		return SOTTO_OK;
	made = sotto_sql_op_new(&plan->arena, SOTTO_SQL_SUBTRACT, to, from);
	SOTTO_NEED(made);
	*e = *made;
	return SOTTO_OK;
}

static bool is_part(const struct sotto_sql_expr *e, const char *name)
{
	return e->kind == SOTTO_SQL_TEXT && strcmp(e->text, name) == 0;
}

static bool is_extract(const struct sotto_sql_expr *e)
{
	return e->kind == SOTTO_SQL_CALL && e->count == 2 &&
	       (strcmp(e->text, "extract") == 0 || strcmp(e->text, "date_part") == 0) &&
	       is_part(e->args[0], "epoch") && e->args[1]->kind == SOTTO_SQL_OP &&
	       e->args[1]->op == SOTTO_SQL_SUBTRACT;
}

static bool is_difference(const struct sotto_sql_expr *e)
{
	return e->kind == SOTTO_SQL_CALL && e->count == 3 &&
	       (strcmp(e->text, "date_diff") == 0 || strcmp(e->text, "datediff") == 0) &&
	       is_part(e->args[0], "day");
}

bool sotto_output_is_span(const struct sotto_sql_expr *e)
{
	return is_extract(e) || is_difference(e);
}

static enum sotto_status refuse(struct sotto_binder *b, const struct sotto_sql_expr *e)
{
	return sotto_bind_refuse(
		b, e,
		"of dates that aggregates return only the time between two of them is "
		"computed: "
		"write MAX(x)::date - MIN(x)::date for days, or EXTRACT(EPOCH FROM MAX(x) - "
		"MIN(x)) for seconds, or ask for the dates");
}

/* EXTRACT(EPOCH FROM a - b) of two chosen timestamps; a - b alone is refused below it. */
static enum sotto_status
seconds_between(struct sotto_plan *plan, struct sotto_binder *b, struct sotto_sql_expr *e)
{
	const struct sotto_sql_expr *span = e->args[1];
	struct sotto_sql_expr *made;

	if (!is_chosen(span->args[0], SOTTO_TYPE_TIMESTAMP) ||
	    !is_chosen(span->args[1], SOTTO_TYPE_TIMESTAMP))
		return refuse(b, e);
	made = sotto_sql_op_new(&plan->arena, SOTTO_SQL_SUBTRACT,
				as_number(plan, span->args[0]), as_number(plan, span->args[1]));
	SOTTO_NEED(made);
	*e = *made;
	return SOTTO_OK;
}

enum sotto_status
sotto_output_span(struct sotto_plan *plan, struct sotto_binder *b, struct sotto_sql_expr *e)
{
	bool computes = e->kind == SOTTO_SQL_OP && e->op <= SOTTO_SQL_NEGATE, found = false;

	if (is_extract(e))
		return seconds_between(plan, b, e);
	if (is_difference(e))
		SOTTO_TRY(between(plan, e->args[1], e->args[2], true, e, &found));
	else if (computes && e->op == SOTTO_SQL_SUBTRACT)
		SOTTO_TRY(between(plan, e->args[1], e->args[0], false, e, &found));
	if (found)
		return SOTTO_OK;
	for (size_t i = 0; (computes || e->kind == SOTTO_SQL_CALL) && i < e->count; i++)
		if (sotto_output_is_moment(e->args[i]) && !sotto_sql_expr_chooses(e) &&
		    !(e->kind == SOTTO_SQL_CALL && strcmp(e->text, "concat") == 0))
			return refuse(b, e);
	return is_difference(e) ? refuse(b, e) : SOTTO_OK;
}
