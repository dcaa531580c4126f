/*
 * Dates moved by days or intervals.  A date outside years 1 to 9999 is NULL, and
 * amounts are limited, so that nothing leaves the engine's range.
 */
#include "central/plan/expression/bind.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

static const struct {
	const char *unit, *template;
	int times;
} units[] = {
	{"year", "to_months($1)", 12},   {"month", "to_months($1)", 1},
	{"week", "to_days($1)", 7},      {"day", "to_days($1)", 1},
	{"hour", "to_hours($1)", 1},     {"minute", "to_minutes($1)", 1},
	{"second", "to_seconds($1)", 1},
};

bool sotto_expr_is_interval(const struct sotto_sql_expr *e)
{
	return e->kind == SOTTO_SQL_CALL && e->count == 2 && strcmp(e->text, "interval") == 0 &&
	       e->args[1]->kind == SOTTO_SQL_TEXT;
}

static enum sotto_status
interval_sql(struct sotto_binder *b, const struct sotto_sql_expr *e, const char **out)
{
	long n = strtol(e->args[0]->text, NULL, 10);

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(units[i].unit, e->args[1]->text) == 0) {
			const char *amount =
				sotto_arena_textf(b->arena, "%ld", n * units[i].times);

			if (!amount)
				return SOTTO_ENOMEM;
			return sotto_bind_print(b, out, units[i].template, &amount, 1);
		}
	return sotto_bind_refuse(b, e, "this unit of an interval is not supported");
}

enum sotto_status sotto_bind_interval(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      struct sotto_bound *out)
{
	bool first = sotto_expr_is_interval(e->args[0]);
	const struct sotto_sql_expr *amount = e->args[first ? 0 : 1],
				    *date = e->args[!first ? 0 : 1];
	const char *args[3] = {NULL, e->op == SOTTO_SQL_ADD ? "+" : "-", NULL};
	struct sotto_bound x;

	if (sotto_expr_is_interval(date) || (first && e->op == SOTTO_SQL_SUBTRACT))
		return sotto_bind_refuse(b, e,
					 "an interval is added to a date or taken from it");
	SOTTO_TRY(sotto_bind(b, date, &x));
	SOTTO_TRY(sotto_bind_temporal(b, date, &x, &args[0]));
	SOTTO_TRY(interval_sql(b, amount, &args[2]));
	*out = (struct sotto_bound){.type = SOTTO_TYPE_TIMESTAMP, .nullable = true};
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	return sotto_bind_print(b, &out->sql, "TRY_CAST($1 $2 $3 AS TIMESTAMP)", args, 3);
}

enum sotto_status sotto_bind_days(struct sotto_binder *b, const struct sotto_sql_expr *e,
				  const struct sotto_bound *date,
				  const struct sotto_bound *days, struct sotto_bound *out)
{
	const char *args[3] = {NULL, NULL, e->op == SOTTO_SQL_ADD ? "+" : "-"};

	SOTTO_TRY(sotto_bind_temporal(b, e, date, &args[0]));
	SOTTO_TRY(sotto_bind_as(b, e, days, SOTTO_TYPE_NUMBER, &args[1]));
	*out = (struct sotto_bound){.type = SOTTO_TYPE_DATE, .nullable = true};
	SOTTO_TRY(sotto_bind_depend(b, out, date));
	SOTTO_TRY(sotto_bind_depend(b, out, days));
	return sotto_bind_print(b, &out->sql,
				"CASE WHEN abs($2) <= 100000 THEN TRY_CAST($1 $3 to_days(CAST("
				"round($2) AS INTEGER)) AS DATE) END",
				args, 3);
}
