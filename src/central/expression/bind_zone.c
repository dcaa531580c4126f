/*
 * x AT TIME ZONE zone.  A timestamp with a time zone is a moment, read in UTC, and becomes the
 * local time of the zone; one without is a local time of the zone and becomes a moment.  What
 * lies outside years 1 to 9999 is NULL, so the engine never complains.
 */
#include "central/expression/bind.h"

#include "central/parse/value/time_zone.h"
#include "central/expression/range/value_range.h"
#include "central/expression/row_function.h"
#include "core/base/failure.h"

/* Which way: from UTC to local time, or back; "" for UTC itself. */
static enum sotto_status zone_function(struct sotto_binder *b, const struct sotto_sql_expr *e,
				       const struct sotto_bound *x, const char **name,
				       const char **zone)
{
	if (e->args[0]->kind == SOTTO_SQL_TEXT) {
		*name = sotto_time_zone_is_utc(e->args[0]->text) ? ""
			: x->moment == SOTTO_MOMENT_ZONED        ? "local_time"
								 : "utc_time";
		*zone = sotto_time_zone_find(e->args[0]->text);
	}
	if (e->args[0]->kind != SOTTO_SQL_TEXT || (**name && !*zone))
		return sotto_bind_refuse(
			b, e,
			"a time zone is written out by its name, like 'Europe/Berlin' or "
			"'UTC'; for a fixed distance add an interval, like at + INTERVAL '2 "
			"hours'");
	if (**name && x->moment == SOTTO_MOMENT_UNKNOWN)
		return sotto_bind_refuse(
			b, e,
			"it is not known whether this timestamp has a time zone; write "
			"x::timestamptz AT TIME ZONE '%s' for the local time of a moment, "
			"x::timestamp AT TIME ZONE '%s' for the moment of a local time",
			*zone, *zone);
	return SOTTO_OK;
}

/* Local times are within a day of UTC. */
static enum sotto_status
zone_range(struct sotto_binder *b, const struct sotto_bound *x, struct sotto_bound *out)
{
	struct sotto_value_range day;

	if (!sotto_range_is_closed(x->range))
		return SOTTO_OK;
	SOTTO_TRY(sotto_range_of(b->arena, -1, 1, &day));
	return sotto_range_add(b->arena, x->range, day, &out->range);
}

enum sotto_status
sotto_bind_zone(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	const char *name = "", *zone = NULL;
	const struct sotto_expression *args[2];
	struct sotto_bound x;

	SOTTO_TRY(sotto_bind(b, e->args[1], &x));
	SOTTO_TRY(zone_function(b, e, &x, &name, &zone));
	SOTTO_TRY(sotto_bind_temporal(b, e->args[1], &x, &args[0]));
	*out = (struct sotto_bound){.type = SOTTO_TYPE_TIMESTAMP,
				    .nullable = x.nullable,
				    .moment = x.moment == SOTTO_MOMENT_ZONED
						      ? SOTTO_MOMENT_LOCAL
						      : SOTTO_MOMENT_ZONED,
				    .range = x.range,
				    .value = args[0]};
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	out->nullable = out->nullable || !sotto_range_is_closed(x.range);
	if (!*name)
		return x.type == SOTTO_TYPE_TIMESTAMP
			       ? SOTTO_OK
			       : sotto_bind_as(b, e, &x, SOTTO_TYPE_TIMESTAMP, &out->value);
	SOTTO_TRY(zone_range(b, &x, out));
	args[1] = sotto_expression_text(b->arena, zone);
	SOTTO_NEED(args[1]);
	return sotto_bind_made(b, &out->value,
			       sotto_expression_make(b->arena,
						     &sotto_function_find(name)->operation,
						     args, 2));
}
