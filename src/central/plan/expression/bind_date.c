/*
 * Dates moved by days or intervals.  A date outside years 1 to 9999 is NULL, and
 * amounts are limited, so that nothing leaves the engine's range.
 */
#include "central/plan/expression/bind.h"

#include <stdlib.h>
#include <string.h>

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
	return e->kind == SOTTO_SQL_CALL && e->count == 2 && strcmp(e->text, "interval") == 0 &&
	       e->args[1]->kind == SOTTO_SQL_TEXT;
}

static enum sotto_status bind_amount(struct sotto_binder *b, const struct sotto_sql_expr *e,
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
	SOTTO_TRY(bind_amount(b, amount, &args[1]));
	*out = (struct sotto_bound){.type = SOTTO_TYPE_TIMESTAMP, .nullable = true};
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
