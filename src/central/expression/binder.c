/*
 * What binding shares: names, dependencies, and the two ways to fail.
 */
#include "central/expression/binder.h"

#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "central/policy/policy.h"
#include "core/base/failure.h"

/* Characters of one expression, with all that is in it written out. */
enum { LONGEST = 1 << 20 };

enum sotto_status sotto_bind_refuse(struct sotto_binder *b, const struct sotto_sql_expr *e,
				    const char *format, ...)
{
	char sentence[SOTTO_ERROR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(sentence, sizeof sentence, format, args);
	va_end(args);
	return sotto_sql_fail(b->err, SOTTO_EREFUSED, b->text, e->at, "%.440s", sentence);
}

enum sotto_status sotto_bind_made(struct sotto_binder *b, const struct sotto_expression **out,
				  const struct sotto_expression *made)
{
	if (!made || made->length > LONGEST)
		return sotto_fail(
			b->err, SOTTO_ERANGE,
			"the query grows too long when written out; ask a simpler one");
	*out = made;
	return SOTTO_OK;
}

enum sotto_status
sotto_bind_depend(struct sotto_binder *b, struct sotto_bound *out, const struct sotto_bound *x)
{
	out->nullable = out->nullable || x->nullable;
	out->noisy = out->noisy || x->noisy;
	for (size_t i = 0; i < x->column_count; i++) {
		const struct sotto_scope_column **slot;
		bool known = false;

		for (size_t j = 0; j < out->column_count; j++)
			known = known || out->columns[j] == x->columns[i];
		if (known)
			continue;
		slot = SOTTO_PUSH(b->arena, out->columns, out->column_count);
		if (!slot)
			return SOTTO_ENOMEM;
		*slot = x->columns[i];
	}
	return SOTTO_OK;
}

/* ---- names ---- */

bool sotto_scope_add(struct sotto_arena *a, struct sotto_scope *scope,
		     struct sotto_scope_column *column)
{
	struct sotto_scope_column **slot = SOTTO_PUSH(a, scope->columns, scope->count);

	if (!slot)
		return false;
	*slot = column;
	return sotto_name_index_add(a, &scope->names, column->name);
}

bool sotto_scope_renamed(struct sotto_arena *a, struct sotto_scope *scope)
{
	scope->names = (struct sotto_name_index){0};
	for (size_t i = 0; i < scope->count; i++)
		if (!sotto_name_index_add(a, &scope->names, scope->columns[i]->name))
			return false;
	return true;
}

size_t sotto_scope_first(const struct sotto_scope *scope, const char *name)
{
	return sotto_name_index_first(&scope->names, name);
}

size_t sotto_scope_after(const struct sotto_scope *scope, size_t place)
{
	return sotto_name_index_after(&scope->names, place);
}

bool sotto_scope_matches(const struct sotto_scope_column *c, const struct sotto_sql_expr *e)
{
	if (e->index && e->index != c->place)
		return false;
	if (e->qualifier)
		return strcasecmp(c->table, e->qualifier) == 0 &&
		       strcasecmp(c->name, e->text) == 0;
	return !c->hidden && strcasecmp(c->name, e->text) == 0;
}

bool sotto_scope_has(const struct sotto_scope *scope, const struct sotto_sql_expr *e)
{
	for (size_t i = sotto_scope_first(scope, e->text); i < scope->count;
	     i = sotto_scope_after(scope, i))
		if (sotto_scope_matches(scope->columns[i], e))
			return true;
	return false;
}

/* ---- what a bound value depends on ---- */

bool sotto_bound_is_private(const struct sotto_bound *x)
{
	for (size_t i = 0; i < x->column_count; i++)
		if (!x->columns[i]->source || !x->columns[i]->source->is_public)
			return true;
	return false;
}

bool sotto_bound_is_column(const struct sotto_bound *x)
{
	return x->column_count == 1 &&
	       sotto_expression_equal(x->value, x->columns[0]->bound.value);
}
