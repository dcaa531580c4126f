/* What can be asked about: tables and columns, as the policy and the sources' schemas say. */
#include <stdlib.h>
#include <strings.h>

#include "central/session/session.h"
#include "core/base/calendar.h"
#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"

/* The public struct first, so that one pointer serves both. */
struct tables_owned {
	struct sotto_tables public;
	struct sotto_arena arena;
};

/* NULL without memory. */
static const char *exact(struct sotto_arena *a, const struct sotto_rational *r)
{
	const char *out = NULL;
	char *text = NULL;

	if (sotto_rational_format(r, &text) == SOTTO_OK)
		out = sotto_arena_text(a, text);
	free(text);
	return out;
}

/* A bound as the policy writes it: a number, or a date. */
static const char *bound(struct sotto_arena *a, const struct sotto_policy_column *c,
			 const struct sotto_rational *r)
{
	char day[SOTTO_CALENDAR_TEXT];

	if (!c->bounds_are_days)
		return exact(a, r);
	sotto_calendar_format(mpz_get_si(mpq_numref(r->q)), day);
	return sotto_arena_text(a, day);
}

static enum sotto_status copy_keys(struct sotto_arena *a, const struct sotto_policy_column *c,
				   struct sotto_table_column *out)
{
	const char **keys = sotto_arena_alloc(a, (c->key_count + 1) * sizeof *keys);

	if (!keys)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < c->key_count; i++) {
		keys[i] = c->keys[i] ? sotto_arena_text(a, c->keys[i]) : NULL;
		if (c->keys[i] && !keys[i])
			return SOTTO_ENOMEM;
	}
	out->keys = keys;
	out->key_count = c->key_count;
	out->has_keys = true;
	return SOTTO_OK;
}

/* What the policy adds to a column of the schema. */
static enum sotto_status add_declared(struct sotto_arena *a,
				      const struct sotto_policy_column *c,
				      struct sotto_table_column *out)
{
	if (c->type != SOTTO_TYPE_LOOSE)
		out->type = sotto_sql_type_word(c->type);
	out->nullable = c->nullable;
	out->unique = c->unique;
	out->bounds_are_days = c->bounds_are_days;
	if (c->has_bounds) {
		out->lo = bound(a, c, c->lo);
		out->hi = bound(a, c, c->hi);
		if (!out->lo || !out->hi)
			return SOTTO_ENOMEM;
	}
	return c->has_keys ? copy_keys(a, c, out) : SOTTO_OK;
}

static bool is_unit(const struct sotto_policy_table *t, const char *column)
{
	return (t->unit && strcasecmp(t->unit, column) == 0) ||
	       (t->via_column && strcasecmp(t->via_column, column) == 0);
}

static enum sotto_status add_column(struct sotto_arena *a, const struct sotto_policy_table *t,
				    const struct sotto_schema_column *s,
				    struct sotto_table_column *out)
{
	const struct sotto_policy_column *c = sotto_policy_column_find(t, s->name);

	*out = (struct sotto_table_column){.name = sotto_arena_text(a, s->name),
					   .type = sotto_sql_type_word(s->type),
					   .is_unit = is_unit(t, s->name),
					   .nullable = true};
	if (!out->name)
		return SOTTO_ENOMEM;
	return c ? add_declared(a, c, out) : SOTTO_OK;
}

static enum sotto_status
name_unit(struct sotto_arena *a, const struct sotto_policy_table *t, struct sotto_table *out)
{
	const char *column = t->root && t->root->unit ? t->root->unit : "row";

	if (t->is_public)
		return SOTTO_OK;
	out->unit = sotto_arena_text(a, column);
	out->max_groups = t->finds_groups ? -1 : t->max_groups;
	out->max_rows = t->finds_rows ? -1 : t->max_rows;
	if (t->via)
		out->via = sotto_arena_textf(a, "%s -> %s.%s", t->via_column, t->via->name,
					     t->via_key);
	return out->unit && (!t->via || out->via) ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
add_table(struct sotto_session *s, struct tables_owned *x, size_t i, struct sotto_error *err)
{
	const struct sotto_policy_table *t = &s->policy.tables[i];
	struct sotto_table *out = &x->public.list[i];
	const struct sotto_schema_table *schema = NULL;

	SOTTO_TRY(sotto_session_schema(s, t, &schema, err));
	out->name = sotto_arena_text(&x->arena, t->name);
	out->is_public = t->is_public;
	out->rows = t->rows;
	out->columns =
		sotto_arena_alloc(&x->arena, (schema->column_count + 1) * sizeof *out->columns);
	if (!out->name || !out->columns)
		return SOTTO_ENOMEM;
	SOTTO_TRY(name_unit(&x->arena, t, out));
	out->column_count = schema->column_count;
	for (size_t k = 0; k < schema->column_count; k++)
		SOTTO_TRY(add_column(&x->arena, t, &schema->columns[k], &out->columns[k]));
	return SOTTO_OK;
}

static enum sotto_status
fill(struct sotto_session *s, struct tables_owned *x, struct sotto_error *err)
{
	x->public.list = sotto_arena_alloc(&x->arena, (s->policy.table_count + 1) *
							      sizeof *x->public.list);
	if (!x->public.list)
		return SOTTO_ENOMEM;
	x->public.count = s->policy.table_count;
	for (size_t i = 0; i < s->policy.table_count; i++)
		SOTTO_TRY(add_table(s, x, i, err));
	return SOTTO_OK;
}

enum sotto_status sotto_session_tables(struct sotto_session *s, struct sotto_tables **out,
				       struct sotto_error *err)
{
	struct tables_owned *x;
	enum sotto_status st;

	if (!out)
		return sotto_fail(err, SOTTO_EINVAL, "a list of tables needs a place");
	SOTTO_TRY(sotto_session_enter(s, err));
	sotto_session_begin(s);
	x = calloc(1, sizeof *x);
	if (x)
		sotto_arena_init(&x->arena, (size_t)256 << 20);
	st = x ? fill(s, x, err) : SOTTO_ENOMEM;
	if (st != SOTTO_OK)
		st = sotto_session_lost(s, st, err);
	sotto_session_leave(s);
	if (st != SOTTO_OK)
		sotto_tables_free(x ? &x->public : NULL);
	else
		*out = &x->public;
	return st;
}

void sotto_tables_free(struct sotto_tables *t)
{
	struct tables_owned *x = (struct tables_owned *)t;

	if (!x)
		return;
	sotto_arena_release(&x->arena);
	free(x);
}
