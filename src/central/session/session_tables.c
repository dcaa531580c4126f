/*
 * What can be asked about: tables, columns, bounds and keys, as the policy makes them public.
 */
#include <stdlib.h>

#include "central/policy/schema.h"
#include "central/session/session.h"
#include "core/base/failure.h"

struct sotto_tables_owned {
	struct sotto_tables public;
	struct sotto_arena arena;
};

static enum sotto_status copy_text(struct sotto_arena *a, const char *text, const char **out)
{
	*out = text ? sotto_arena_text(a, text) : NULL;
	return text && !*out ? SOTTO_ENOMEM : SOTTO_OK;
}

static enum sotto_status
copy_number(struct sotto_arena *a, const struct sotto_rational *r, const char **out)
{
	char *text = NULL;
	enum sotto_status st;

	SOTTO_TRY(sotto_rational_format(r, &text));
	st = copy_text(a, text, out);
	free(text);
	return st;
}

static enum sotto_status copy_keys(struct sotto_arena *a, const struct sotto_policy_column *c,
				   struct sotto_table_column *out)
{
	out->has_keys = true;
	out->keys = sotto_arena_alloc(a, (c->key_count + 1) * sizeof *out->keys);
	if (!out->keys)
		return SOTTO_ENOMEM;
	out->key_count = c->key_count;
	for (size_t i = 0; i < c->key_count; i++)
		SOTTO_TRY(copy_text(a, c->keys[i], &out->keys[i]));
	return SOTTO_OK;
}

static enum sotto_status copy_column(struct sotto_arena *a, const struct sotto_schema_column *s,
				     const struct sotto_policy_column *c,
				     struct sotto_table_column *out)
{
	enum sotto_sql_type type = c && c->type != SOTTO_TYPE_LOOSE ? c->type : s->type;

	SOTTO_TRY(copy_text(a, s->name, &out->name));
	SOTTO_TRY(copy_text(a, sotto_sql_type_word(type), &out->type));
	out->nullable = !c || c->nullable;
	if (c && c->has_bounds) {
		SOTTO_TRY(copy_number(a, c->lo, &out->low));
		SOTTO_TRY(copy_number(a, c->hi, &out->high));
	}
	return c && c->has_keys ? copy_keys(a, c, out) : SOTTO_OK;
}

static enum sotto_status copy_table(struct sotto_arena *a, const struct sotto_policy_table *t,
				    const struct sotto_schema_table *schema,
				    struct sotto_table *out)
{
	SOTTO_TRY(copy_text(a, t->name, &out->name));
	SOTTO_TRY(copy_text(a,
			    t->is_public     ? NULL
			    : t->unit_is_row ? "row"
					     : t->root->unit,
			    &out->unit));
	out->is_public = t->is_public;
	out->max_groups = t->max_groups;
	out->max_rows = t->max_rows;
	out->columns = sotto_arena_alloc(a, (schema->column_count + 1) * sizeof *out->columns);
	if (!out->columns)
		return SOTTO_ENOMEM;
	out->column_count = schema->column_count;
	for (size_t i = 0; i < schema->column_count; i++)
		SOTTO_TRY(copy_column(a, &schema->columns[i],
				      sotto_policy_column_find(t, schema->columns[i].name),
				      &out->columns[i]));
	return SOTTO_OK;
}

static enum sotto_status
copy_tables(struct sotto_session *s, struct sotto_tables_owned *x, struct sotto_error *err)
{
	struct sotto_tables *out = &x->public;

	sotto_session_begin(s);
	out->tables =
		sotto_arena_alloc(&x->arena, (s->policy.table_count + 1) * sizeof *out->tables);
	if (!out->tables)
		return SOTTO_ENOMEM;
	for (; out->count < s->policy.table_count; out->count++) {
		const struct sotto_policy_table *t = &s->policy.tables[out->count];
		const struct sotto_schema_table *schema = NULL;

		SOTTO_TRY(sotto_session_schema(s, t, &schema, err));
		SOTTO_TRY(copy_table(&x->arena, t, schema, &out->tables[out->count]));
	}
	return SOTTO_OK;
}

enum sotto_status sotto_session_tables(struct sotto_session *s, struct sotto_tables **out,
				       struct sotto_error *err)
{
	struct sotto_tables_owned *x;
	enum sotto_status st;

	if (!out)
		return sotto_fail(err, SOTTO_EINVAL, "a place for the tables is needed");
	SOTTO_TRY(sotto_session_enter(s, err));
	x = calloc(1, sizeof *x);
	st = x ? SOTTO_OK : SOTTO_ENOMEM;
	if (x) {
		sotto_arena_init(&x->arena, SOTTO_SESSION_ARENA);
		st = copy_tables(s, x, err);
	}
	sotto_session_leave(s);
	if (st == SOTTO_OK)
		*out = &x->public;
	else
		sotto_tables_free(x ? &x->public : NULL);
	return st;
}

void sotto_tables_free(struct sotto_tables *t)
{
	struct sotto_tables_owned *x = (struct sotto_tables_owned *)t;

	if (!x)
		return;
	sotto_arena_release(&x->arena);
	free(x);
}
