/*
 * Keeps, once for each column and type, what a question takes columns without a type for, so that
 * its answer can say so.
 */
#include "central/expression/bind_untyped.h"

#include <string.h>

#include "central/plan/planner.h"
#include "core/base/failure.h"

static bool is_noted(const struct sotto_planner *p, const char *column, enum sotto_sql_type as)
{
	for (size_t i = 0; i < p->untyped_count; i++)
		if (p->untyped[i].as == as && strcmp(p->untyped[i].column, column) == 0)
			return true;
	return false;
}

enum sotto_status
sotto_untyped_note(struct sotto_binder *b, const struct sotto_bound *x, enum sotto_sql_type as)
{
	struct sotto_planner *p = b->planner;

	for (size_t i = 0; p && x->type == SOTTO_TYPE_LOOSE && i < x->column_count; i++) {
		const struct sotto_scope_column *c = x->columns[i];
		struct sotto_untyped *slot;

		if (!c->source || c->bound.type != SOTTO_TYPE_LOOSE || is_noted(p, c->name, as))
			continue;
		slot = SOTTO_PUSH(p->arena, p->untyped, p->untyped_count);
		SOTTO_NEED(slot);
		*slot = (struct sotto_untyped){.column = c->name, .as = as};
	}
	return SOTTO_OK;
}

/* 2024-03-01, alone or with a time behind it. */
static bool is_date(const char *text)
{
	static const char form[] = "dddd-dd-dd";

	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
			return false;
	return text[sizeof form - 1] == '\0' || strchr(" T", text[sizeof form - 1]);
}

static bool is_quoted_date(const struct sotto_bound *x)
{
	return x->literal && x->literal->kind == SOTTO_SQL_TEXT && is_date(x->literal->text);
}

enum sotto_status sotto_untyped_note_quoted(struct sotto_binder *b, const struct sotto_bound *x,
					    const struct sotto_bound *y)
{
	if (is_quoted_date(y))
		SOTTO_TRY(sotto_untyped_note(b, x, SOTTO_TYPE_TEXT));
	return is_quoted_date(x) ? sotto_untyped_note(b, y, SOTTO_TYPE_TEXT) : SOTTO_OK;
}
