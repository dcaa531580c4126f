/* What can be asked about: tables, columns, bounds and keys, as the policy makes them public. */
#include "server/route/route_tables.h"

#include <stdlib.h>

#include "central/session/session.h"
#include "server/http/http_request.h"
#include "sotto/query.h"

static void write_bounds(struct sotto_json *j, const struct sotto_table_column *c)
{
	if (!c->lo) {
		sotto_json_null(j);
		return;
	}
	sotto_json_open(j, '[');
	if (c->bounds_are_days) {
		sotto_json_text(j, c->lo);
		sotto_json_text(j, c->hi);
	} else {
		sotto_json_decimal(j, c->lo);
		sotto_json_decimal(j, c->hi);
	}
	sotto_json_close(j, ']');
}

static void write_keys(struct sotto_json *j, const struct sotto_table_column *c)
{
	if (!c->has_keys) {
		sotto_json_null(j);
		return;
	}
	sotto_json_open(j, '[');
	for (size_t i = 0; i < c->key_count; i++)
		sotto_json_text(j, c->keys[i]);
	sotto_json_close(j, ']');
}

static void write_column(struct sotto_json *j, const struct sotto_table_column *c)
{
	sotto_json_open(j, '{');
	sotto_json_member_text(j, "name", c->name);
	sotto_json_member_text(j, "type", c->type);
	sotto_json_member_bool(j, "nullable", c->nullable);
	sotto_json_key(j, "bounds");
	write_bounds(j, c);
	sotto_json_key(j, "keys");
	write_keys(j, c);
	sotto_json_close(j, '}');
}

static void
write_limit(struct sotto_json *j, const char *key, const struct sotto_table *t, int64_t limit)
{
	sotto_json_key(j, key);
	if (t->is_public)
		sotto_json_null(j);
	else if (limit < 0)
		sotto_json_text(j, "auto");
	else
		sotto_json_integer(j, limit);
}

static void write_table(struct sotto_json *j, const struct sotto_table *t)
{
	sotto_json_open(j, '{');
	sotto_json_member_text(j, "name", t->name);
	sotto_json_member_bool(j, "public", t->is_public);
	sotto_json_member_text(j, "unit", t->unit);
	write_limit(j, "max_groups", t, t->max_groups);
	write_limit(j, "max_rows", t, t->max_rows);
	sotto_json_key(j, "columns");
	sotto_json_open(j, '[');
	for (size_t i = 0; i < t->column_count; i++)
		write_column(j, &t->columns[i]);
	sotto_json_close(j, ']');
	sotto_json_close(j, '}');
}

/* What a question costs that does not say, as text: it may be a fraction.  NULL: no default. */
static void write_default(struct sotto_json *j, const struct sotto_session *s)
{
	const struct sotto_rational *epsilon = s->policy.default_epsilon;
	char *text = NULL;

	if (epsilon && sotto_rational_format(epsilon, &text) != SOTTO_OK)
		text = NULL;
	sotto_json_member_text(j, "default_epsilon", text);
	free(text);
}

void sotto_route_tables(struct sotto_request *r, struct sotto_session *s)
{
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);
	struct sotto_tables *tables = NULL;
	struct sotto_error err = {""};
	enum sotto_status st = sotto_session_tables(s, &tables, &err);

	if (st != SOTTO_OK) {
		sotto_reply_failure(r, st, &err);
		return;
	}
	sotto_json_open(j, '{');
	sotto_json_key(j, "tables");
	sotto_json_open(j, '[');
	for (size_t i = 0; i < tables->count; i++)
		write_table(j, &tables->list[i]);
	sotto_json_close(j, ']');
	write_default(j, s);
	sotto_json_close(j, '}');
	sotto_tables_free(tables);
}
