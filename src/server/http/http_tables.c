/* What can be asked about: tables, columns, bounds and keys, as the policy makes them public. */
#include <stdlib.h>

#include "central/policy/schema.h"
#include "central/session/session.h"
#include "core/base/calendar.h"
#include "server/http/http_routes.h"

static void write_days(struct sotto_json *j, const struct sotto_policy_column *c)
{
	char day[SOTTO_CALENDAR_TEXT];

	sotto_json_open(j, '[');
	sotto_calendar_format(mpz_get_si(mpq_numref(c->lo->q)), day);
	sotto_json_text(j, day);
	sotto_calendar_format(mpz_get_si(mpq_numref(c->hi->q)), day);
	sotto_json_text(j, day);
	sotto_json_close(j, ']');
}

static void write_bounds(struct sotto_json *j, const struct sotto_policy_column *c)
{
	char *lo = NULL, *hi = NULL;

	if (c && c->has_bounds && c->bounds_are_days) {
		write_days(j, c);
		return;
	}
	if (!c || !c->has_bounds || sotto_rational_format(c->lo, &lo) != SOTTO_OK ||
	    sotto_rational_format(c->hi, &hi) != SOTTO_OK) {
		sotto_json_null(j);
	} else {
		sotto_json_open(j, '[');
		sotto_json_decimal(j, lo);
		sotto_json_decimal(j, hi);
		sotto_json_close(j, ']');
	}
	free(lo);
	free(hi);
}

static void write_keys(struct sotto_json *j, const struct sotto_policy_column *c)
{
	if (!c || !c->has_keys) {
		sotto_json_null(j);
		return;
	}
	sotto_json_open(j, '[');
	for (size_t i = 0; i < c->key_count; i++)
		sotto_json_text(j, c->keys[i]);
	sotto_json_close(j, ']');
}

static void write_column(struct sotto_json *j, const struct sotto_schema_column *s,
			 const struct sotto_policy_column *c)
{
	enum sotto_sql_type type = c && c->type != SOTTO_TYPE_LOOSE ? c->type : s->type;

	sotto_json_open(j, '{');
	sotto_json_key(j, "name");
	sotto_json_text(j, s->name);
	sotto_json_key(j, "type");
	sotto_json_text(j, sotto_sql_type_word(type));
	sotto_json_key(j, "nullable");
	sotto_json_bool(j, !c || c->nullable);
	sotto_json_key(j, "bounds");
	write_bounds(j, c);
	sotto_json_key(j, "keys");
	write_keys(j, c);
	sotto_json_close(j, '}');
}

static void write_table(struct sotto_json *j, const struct sotto_policy_table *t,
			const struct sotto_schema_table *schema)
{
	sotto_json_open(j, '{');
	sotto_json_key(j, "name");
	sotto_json_text(j, t->name);
	sotto_json_key(j, "public");
	sotto_json_bool(j, t->is_public);
	sotto_json_key(j, "unit");
	sotto_json_text(j, t->is_public ? NULL : t->unit_is_row ? "row" : t->root->unit);
	sotto_json_key(j, "max_groups");
	sotto_json_integer(j, t->max_groups);
	sotto_json_key(j, "max_rows");
	sotto_json_integer(j, t->max_rows);
	sotto_json_key(j, "columns");
	sotto_json_open(j, '[');
	for (size_t i = 0; i < schema->column_count; i++)
		write_column(j, &schema->columns[i],
			     sotto_policy_column_find(t, schema->columns[i].name));
	sotto_json_close(j, ']');
	sotto_json_close(j, '}');
}

/* The session's lock is held. */
static enum sotto_status
write_tables(struct sotto_json *j, struct sotto_session *s, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; st == SOTTO_OK && i < s->policy.table_count; i++) {
		const struct sotto_schema_table *schema = NULL;

		st = sotto_session_schema(s, &s->policy.tables[i], &schema, err);
		if (st == SOTTO_OK)
			write_table(j, &s->policy.tables[i], schema);
	}
	return st;
}

void sotto_route_tables(struct sotto_request *r, struct sotto_session *s)
{
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);
	struct sotto_error err = {""};
	enum sotto_status st = sotto_session_enter(s, &err);

	if (st == SOTTO_OK) {
		sotto_session_begin(s);
		sotto_json_open(j, '{');
		sotto_json_key(j, "tables");
		sotto_json_open(j, '[');
		st = write_tables(j, s, &err);
		sotto_json_close(j, ']');
		sotto_json_close(j, '}');
		sotto_session_leave(s);
	}
	if (st != SOTTO_OK)
		sotto_reply_failure(r, st, &err);
}
